// DeformingScene: candidates of the world, refit of the surfaces in pairs, and the queries for each pair.
#include <fathom/detect/world/deforming_scene.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

namespace {

// Half of the distance by which two boxes must be enlarged together; slightly more, because enlarged boxes are rounded.
double reach_of(const DeformingSceneOptions& options) {
    const double distance = options.proximities ? options.proximities->distance : 0;
    const double separation = options.sweep ? options.sweep->contact.minimum_separation : 0;
    if (!(distance >= 0) || !std::isfinite(distance) || !std::isfinite(separation))
        throw Error(
            Cause::invalid_argument,
            fmt::format("distance {} is negative or not finite, or separation {} is not finite", distance, separation));
    return 0.5 * std::max(distance, separation) * (1 + 1e-5);
}

} // namespace

bool BodyContacts::touching() const {
    const auto is = [](Status status) { return status != Status::disjoint; };
    return is(vertices.status) || is(triangles.status) || is(proximities.status) || is(sweep.status);
}

DeformingScene::DeformingScene(const DeformingSceneOptions& options)
    : options_(options), reach_(std::max(0.0, reach_of(options))), world_({.broad = options.broad}) {}

Index DeformingScene::add(const TriangleMesh& mesh, bool still) {
    auto made = std::make_unique<Body>(Body{DeformingSurface(mesh), still});
    const Index id = world_.add(made->surface.bounds().grown(reach_), {.is_static = still});
    if (id >= bodies_.size()) {
        bodies_.resize(id + 1);
        boxes_.resize(id + 1);
    }
    boxes_[id] = made->surface.bounds();
    bodies_[id] = std::move(made);
    return id;
}

DeformingScene::Body& DeformingScene::body(Index id) {
    if (id >= bodies_.size() || !bodies_[id])
        throw Error(Cause::index_out_of_range, "no such body",
                    {.element = "body", .index = static_cast<std::int64_t>(id)});
    return *bodies_[id];
}

void DeformingScene::remove(Index id) {
    static_cast<void>(body(id));
    world_.remove(id);
    bodies_[id].reset();
    boxes_[id] = {};
}

void DeformingScene::moved(Index id) {
    Body& body = *bodies_[id];
    body.stale = true;
    boxes_[id] = bounds(body.surface.vertices());
    if (body.surface.moving()) boxes_[id].extend(bounds(body.surface.start_vertices()));
}

void DeformingScene::update(Index id, std::span<const Vec3> vertices) {
    body(id).surface.place(vertices);
    moved(id);
}

void DeformingScene::update(Index id, std::span<const Vec3> start, std::span<const Vec3> end) {
    body(id).surface.place(start, end);
    moved(id);
}

std::vector<Index> DeformingScene::edit(Index id, const SurfaceEdit& change) {
    Body& edited = body(id);
    std::vector<Index> added = edited.surface.edit(change);
    moved(id);
    edited.stale = false;
    return added;
}

const DeformingSurface& DeformingScene::surface(Index id) {
    Body& wanted = body(id);
    if (wanted.stale) wanted.surface.refit();
    wanted.stale = false;
    return wanted.surface;
}

void DeformingScene::refit_those_in_pairs() {
    in_pair_.assign(bodies_.size(), 0);
    for (const BodyContacts& entry : contacts())
        for (const Index id : entry.bodies) in_pair_[id] = 1;
    to_refit_.clear();
    for (Index id = 0; id < bodies_.size(); ++id)
        if (bodies_[id] && in_pair_[id] && bodies_[id]->stale) to_refit_.push_back(id);
    parallel_tasks(to_refit_.size(), [&](std::size_t k) {
        bodies_[to_refit_[k]]->surface.refit();
        bodies_[to_refit_[k]]->stale = false;
    });
}

void DeformingScene::answer(std::size_t k) {
    BodyContacts& entry = contacts_[k];
    const DeformingSurface &a = bodies_[entry.bodies[0]]->surface, &b = bodies_[entry.bodies[1]]->surface;
    if (options_.vertices) colliding_vertices(a, b, *options_.vertices, scratch_[k], entry.vertices);
    if (options_.triangles && options_.vertices)
        surface_contacts(a, b, *options_.triangles, entry.vertices, scratch_[k], entry.triangles);
    else if (options_.triangles)
        surface_contacts(a, b, *options_.triangles, scratch_[k], entry.triangles);
    if (options_.proximities) surface_proximities(a, b, *options_.proximities, scratch_[k], entry.proximities);
    if (options_.sweep) surface_sweep(a, b, *options_.sweep, scratch_[k], entry.sweep);
}

void DeformingScene::sum_up() {
    for (const BodyContacts& entry : contacts()) {
        statistics_.touching += entry.touching();
        statistics_.candidates += entry.triangles.candidates;
        statistics_.contacts += entry.triangles.contacts.size();
    }
}

void DeformingScene::list_pairs() {
    used_ = 0;
    const auto list = [&](const IdPair& bodies) {
        if (used_ == contacts_.size()) {
            contacts_.emplace_back();
            scratch_.emplace_back();
        }
        contacts_[used_++].bodies = bodies;
    };
    const auto known = [&](Index id) { return id < bodies_.size() && bodies_[id]; };
    for (const IdPair& pair : pairs_)
        if (known(pair[0]) && known(pair[1])) list(pair);
    statistics_.pairs = used_;
    for (Index id = 0; options_.self && id < bodies_.size(); ++id)
        if (bodies_[id] && !bodies_[id]->still) list({id, id});
}

void DeformingScene::find() {
    Stopwatch watch;
    statistics_ = {};
    for (Index id = 0; id < bodies_.size(); ++id) {
        if (!bodies_[id]) continue;
        ++statistics_.bodies;
        world_.set_bounds(id, boxes_[id].empty() ? Box{} : boxes_[id].grown(reach_));
    }
    pairs_ = world_.candidates();
    list_pairs();
    statistics_.broad_seconds = watch.lap();

    refit_those_in_pairs();
    statistics_.refitted = to_refit_.size();
    statistics_.refit_seconds = watch.lap();

    parallel_tasks(used_, [&](std::size_t k) { answer(k); });
    sum_up();
    statistics_.narrow_seconds = watch.lap();
}

} // namespace fathom::deformable
