// Candidates of the world, refit of the surfaces in pairs, and the queries for each pair.
#include <fathom/detect/world/surface_pairs.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

namespace {

// Half of the distance by which two boxes must be enlarged together; slightly more, because enlarged boxes are rounded.
double reach_of(const SurfaceQueries& queries) {
    const double distance = queries.proximities ? queries.proximities->distance : 0;
    const double separation = queries.sweep ? queries.sweep->contact.minimum_separation : 0;
    if (!(distance >= 0) || !std::isfinite(distance) || !std::isfinite(separation))
        throw Error(
            Cause::invalid_argument,
            fmt::format("distance {} is negative or not finite, or separation {} is not finite", distance, separation));
    return 0.5 * std::max(distance, separation) * (1 + 1e-5);
}

Box bounds_over_step(const DeformingSurface& surface) {
    if (!surface.stale()) return surface.bounds();
    Box box = bounds(surface.vertices());
    if (surface.moving()) box.extend(bounds(surface.start_vertices()));
    return box;
}

} // namespace

bool BodyContacts::touching() const {
    const auto is = [](Status status) { return status != Status::disjoint; };
    return is(vertices.status) || is(triangles.status) || is(proximities.status) || is(sweep.status);
}

SurfacePairs::SurfacePairs(const SurfaceQueries& queries)
    : queries_(queries), reach_(std::max(0.0, reach_of(queries))) {}

void SurfacePairs::list_pairs(const World& world, std::size_t surfaces) {
    used_ = 0;
    const auto list = [&](const IdPair& bodies) {
        if (used_ == contacts_.size()) {
            contacts_.emplace_back();
            scratch_.emplace_back();
        }
        contacts_[used_++].bodies = bodies;
    };
    for (const IdPair& pair : pairs_)
        if (pair[1] < surfaces) list(pair);
    statistics_.pairs = used_;
    for (Index id = 0; queries_.self && id < surfaces; ++id)
        if (world.contains(id) && !world.is_static(id)) list({id, id});
}

void SurfacePairs::refit_those_in_pairs(std::span<DeformingSurface> surfaces) {
    to_refit_.clear();
    for (const BodyContacts& entry : contacts())
        for (const Index id : entry.bodies)
            if (surfaces[id].stale()) to_refit_.push_back(id);
    std::ranges::sort(to_refit_);
    to_refit_.erase(std::unique(to_refit_.begin(), to_refit_.end()), to_refit_.end());
    parallel_tasks(to_refit_.size(), [&](std::size_t k) { surfaces[to_refit_[k]].refit(); });
    statistics_.refitted = to_refit_.size();
}

void SurfacePairs::answer(std::size_t k, std::span<const DeformingSurface> surfaces) {
    BodyContacts& entry = contacts_[k];
    const DeformingSurface &a = surfaces[entry.bodies[0]], &b = surfaces[entry.bodies[1]];
    if (queries_.vertices) colliding_vertices(a, b, *queries_.vertices, scratch_[k], entry.vertices);
    if (queries_.triangles && queries_.vertices)
        surface_contacts(a, b, *queries_.triangles, entry.vertices, scratch_[k], entry.triangles);
    else if (queries_.triangles)
        surface_contacts(a, b, *queries_.triangles, scratch_[k], entry.triangles);
    if (queries_.proximities) surface_proximities(a, b, *queries_.proximities, scratch_[k], entry.proximities);
    if (queries_.sweep) surface_sweep(a, b, *queries_.sweep, scratch_[k], entry.sweep);
}

void SurfacePairs::find(World& world, std::span<DeformingSurface> surfaces) {
    Stopwatch watch;
    statistics_ = {};
    boxes_.resize(surfaces.size());
    parallel_tasks(surfaces.size(), [&](std::size_t k) { boxes_[k] = bounds_over_step(surfaces[k]); });
    for (Index id = 0; id < surfaces.size(); ++id) {
        if (!world.contains(id)) continue;
        ++statistics_.bodies;
        world.set_bounds(id, boxes_[id].empty() ? Box{} : boxes_[id].grown(reach_));
    }
    pairs_ = world.candidates();
    list_pairs(world, surfaces.size());
    statistics_.broad_seconds = watch.lap();

    refit_those_in_pairs(surfaces);
    statistics_.refit_seconds = watch.lap();

    parallel_tasks(used_, [&](std::size_t k) { answer(k, surfaces); });
    for (const BodyContacts& entry : contacts()) {
        statistics_.touching += entry.touching();
        statistics_.candidates += entry.triangles.candidates;
        statistics_.contacts += entry.triangles.contacts.size();
    }
    statistics_.narrow_seconds = watch.lap();
}

} // namespace fathom::deformable
