// Queries of a world at its current poses: shapes, rays, sweeps, the nearest body, and one body at many poses.
#include <fathom/base/rounding.h>
#include <fathom/detect/world/world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/world/world_state.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

// ---- Ray cast against one shape of any kind: triangles by their tree, half-spaces in closed form, other solids by
// SegmentCaster. Points are never hit. Thread-safe. Cost: about a microsecond; the first ray also builds the data of
// the method.
namespace {

// `body` of the result stays no_index. Origin and direction must be finite, the direction unit.
[[nodiscard]] RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit);

constexpr double far_away = 1e9; // m: search limit for unbounded fields

struct Stretch {
    double first = 0, last = 0;
};

// The part of the ray in the slightly grown box; first > last: none.
Stretch within(const Box& box, const Ray& ray, double limit) {
    Stretch in{0, limit};
    const double slack =
        1e-9 * (std::isfinite(box.diagonal()) ? box.diagonal() : 0.0) + relative_rounding * ray.origin.norm();
    for (int axis = 0; axis < 3; ++axis) {
        const double below = box.lower[axis] - slack - ray.origin[axis],
                     above = box.upper[axis] + slack - ray.origin[axis];
        if (ray.direction[axis] == 0) {
            if (below > 0 || above < 0) return {1, 0};
            continue;
        }
        const double a = below / ray.direction[axis], b = above / ray.direction[axis];
        in.first = std::max(in.first, std::min(a, b));
        in.last = std::min(in.last, std::max(a, b));
    }
    return in;
}

// Outward normal: along the gradient, or against the ray if the gradient is zero.
Vec3 outward_normal(const Field& field, const Vec3& point, const Vec3& direction) {
    const Vec3 gradient = field.sample(point).gradient;
    const double length = gradient.stableNorm();
    return length > 0 && std::isfinite(length) ? Vec3(gradient / length) : Vec3(-direction);
}

RayHit half_space_hit(const Shape::HalfSpace& plane, const Ray& ray, double limit) {
    const double height = plane.normal.dot(ray.origin) - plane.offset, fall = -plane.normal.dot(ray.direction);
    const double distance = height <= 0 ? 0 : fall > 0 ? height / fall : infinity;
    if (!(distance <= limit) || distance == infinity) return {};
    return {.distance = distance, .point = ray.at(distance), .normal = plane.normal, .status = Status::overlapping};
}

RayHit surface_hit(const Shape& shape, const Ray& ray, double limit) {
    const bool solid = has_field(shape.kind());
    if (solid && shape.bounds().contains(ray.origin) && shape.field()->distance(ray.origin) <= 0)
        return {.distance = 0,
                .point = ray.origin,
                .normal = outward_normal(*shape.field(), ray.origin, ray.direction),
                .status = Status::overlapping};
    const SurfaceHit hit = shape.tree().first_hit(ray, limit);
    if (!hit.found()) return {};
    const Triangle& t = shape.mesh().triangles[hit.triangle];
    const auto& v = shape.mesh().vertices;
    const Vec3 across = (v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).stableNormalized();
    return {.distance = hit.t,
            .point = ray.at(hit.t),
            .normal = across.dot(ray.direction) > 0 ? Vec3(-across) : across,
            .status = Status::overlapping};
}

RayHit field_hit(const Shape& shape, const Ray& ray, Stretch in) {
    const CastHit hit = shape.caster().first({ray.at(in.first), ray.at(in.last)});
    if (hit.status == Status::disjoint) return {};
    const double length = in.last - in.first, distance = in.first + hit.time * length;
    const Vec3 point = ray.at(distance);
    return {.distance = distance,
            .error = hit.error * length,
            .point = point,
            .normal = outward_normal(*shape.field(), point, ray.direction),
            .status = hit.status};
}

RayHit solid_hit(const Shape& shape, const Ray& ray, double limit) {
    const Stretch in = within(shape.bounds(), ray, limit);
    if (!(in.first <= in.last)) return {};
    if (std::isfinite(in.last)) return field_hit(shape, ray, in);
    // Pieces of increasing length, so that near ones are tested with a fine tolerance.
    for (double first = in.first, length = 1; first < far_away; first += length, length *= 2)
        if (RayHit hit = field_hit(shape, ray, {first, first + length}); hit.status != Status::disjoint) return hit;
    return {};
}

RayHit local_hit(const Shape& shape, const Ray& ray, double limit) {
    switch (shape.kind()) {
    case ShapeKind::point_shell:
        return {};
    case ShapeKind::half_space:
        return half_space_hit(shape.half_space(), ray, limit);
    case ShapeKind::closed_mesh:
    case ShapeKind::open_mesh:
    case ShapeKind::tetrahedra:
        return surface_hit(shape.interior() == MeshInterior::capped ? shape.without_caps() : shape, ray, limit);
    default:
        return solid_hit(shape, ray, limit);
    }
}

RayHit cast_at(const Shape& shape, const Pose& pose, const Ray& ray, double limit) {
    RayHit hit = local_hit(shape, {pose.to_local(ray.origin), pose.rotate_to_local(ray.direction)}, limit);
    if (hit.status == Status::disjoint) return {};
    hit.point = ray.at(hit.distance);
    hit.normal = pose.rotate(hit.normal);
    return hit;
}

double gap_between(const Box& a, const Box& b) {
    return inward((a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0).norm());
}

// A box that contains the shape during the whole motion, on either path.
Box swept_box(const Shape& shape, const Motion& motion) {
    if (shape.bounds().empty()) return {};
    const Vec3 center = shape.bounds().center();
    const Segment chord{motion.start * center, motion.end * center};
    const double reach = shape.radius() + Mover(motion).chord_deviation(center);
    return chord.bounds().grown(reach + pose_rounding(reach + center.norm(), chord.start.norm(), chord.end.norm()));
}

Ray checked_ray(const Ray& ray) {
    if (!is_finite(ray.origin) || !is_finite(ray.direction))
        throw Error(Cause::non_finite, "the ray must be finite", {.element = "ray"});
    const Vec3 unit = ray.direction.stableNormalized();
    if (!(std::abs(unit.norm() - 1) < 1e-6))
        throw Error(Cause::invalid_argument, "the direction of the ray is zero", {.element = "ray"});
    return {ray.origin, unit};
}

double checked_limit(double limit) {
    if (!(limit >= 0)) throw Error(Cause::invalid_argument, "the limit must not be negative", {.element = "limit"});
    return limit;
}

std::vector<Pose> checked_poses(std::span<const Pose> poses) {
    std::vector<Pose> checked;
    checked.reserve(poses.size());
    for (const Pose& pose : poses) checked.push_back(checked_pose(pose, static_cast<std::int64_t>(checked.size())));
    return checked;
}

const auto farther = [](const auto& a, const auto& b) { return std::tie(a.least, a.id) > std::tie(b.least, b.id); };
} // namespace

std::vector<Index> World::State::near(const Shape& shape, const Box& box) const {
    std::vector<Index> ids;
    if (shape.bounded() && box.empty()) return ids;
    const auto add = [&](Index id) {
        if (bodies[id] && bodies[id]->form && (bodies[id]->endless() || !bodies[id]->box.empty())) ids.push_back(id);
        return true;
    };
    if (shape.bounded()) {
        broad.visit_overlapping(box, add);
        for (const Index id : endless) add(id);
    } else {
        for (Index id = 0; id < bodies.size(); ++id) add(id);
    }
    std::ranges::sort(ids);
    return ids;
}

std::vector<World::State::Gap> World::State::by_gap(const Shape& shape, const Box& box) const {
    std::vector<Gap> gaps;
    if (shape.bounded() && box.empty()) return gaps;
    for (Index id = 0; id < bodies.size(); ++id) {
        if (!bodies[id] || !bodies[id]->form || (!bodies[id]->endless() && bodies[id]->box.empty())) continue;
        const bool boxed = shape.bounded() && !bodies[id]->endless();
        gaps.push_back({boxed ? gap_between(box, bodies[id]->box) : 0.0, id});
    }
    std::ranges::make_heap(gaps, farther);
    return gaps;
}

std::vector<WorldPair> World::collide(const Shape& shape, const Pose& pose, const CollideOptions& options) const {
    const Pose placed = checked_pose(pose);
    const Box box = shape.bounded() ? placed_box(shape, placed) : Box{};
    const std::vector<Index> ids = state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)));
    std::vector<WorldPair> pairs(ids.size());
    parallel_for(ids.size(), 1, [&](std::size_t k, std::size_t) {
        const WorldBody& body = *state_->bodies[ids[k]];
        pairs[k] = {no_index, ids[k], fathom::collide(shape, placed, body.shape(), body.pose, options)};
    });
    std::erase_if(pairs, [](const WorldPair& pair) { return !pair.touching(); });
    return pairs;
}

World::Nearest World::nearest(const Shape& shape, const Pose& pose, double limit,
                              const DistanceOptions& options) const {
    const Pose placed = checked_pose(pose);
    std::vector<State::Gap> gaps = state_->by_gap(shape, shape.bounded() ? placed_box(shape, placed) : Box{});
    Nearest best;
    best.distance.upper_bound = best.distance.lower_bound = infinity;
    for (auto end = gaps.end(); end != gaps.begin(); --end) {
        if (gaps.front().least > std::max(0.0, std::min(checked_limit(limit), best.distance.upper_bound))) break;
        const Index id = gaps.front().id;
        std::pop_heap(gaps.begin(), end, farther);
        const DistanceResult found =
            distance(shape, placed, state_->bodies[id]->shape(), state_->bodies[id]->pose, options);
        if (found.lower_bound > limit) continue;
        if (std::tie(found.upper_bound, found.lower_bound, id) <
            std::tie(best.distance.upper_bound, best.distance.lower_bound, best.body))
            best = {id, found};
    }
    return best;
}

RayHit World::cast(const Ray& ray, double limit) const {
    const Ray unit = checked_ray(ray);
    RayHit first;
    const auto test = [&](Index id) {
        const WorldBody& body = *state_->bodies[id];
        if (!body.form) return;
        RayHit hit = cast_at(body.shape(), body.pose, unit, limit);
        hit.body = id;
        if (hit.status != Status::disjoint && std::tie(hit.distance, id) < std::tie(first.distance, first.body))
            first = hit;
    };
    for (const Index id : state_->endless) test(id);
    state_->broad.visit_ray(unit, std::min(checked_limit(limit), first.distance), [&](Index id) {
        test(id);
        return std::min(limit, first.distance);
    });
    return first;
}

World::SweptBody World::sweep(const Shape& shape, const Motion& motion, const SweepOptions& options) const {
    const Motion checked{checked_pose(motion.start), checked_pose(motion.end)};
    const Box box = shape.bounded() ? swept_box(shape, checked) : Box{};
    const std::vector<Index> ids = state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)));
    std::vector<SweepResult> sweeps(ids.size());
    parallel_for(ids.size(), 1, [&](std::size_t k, std::size_t) {
        const WorldBody& body = *state_->bodies[ids[k]];
        sweeps[k] = fathom::sweep(shape, checked, body.shape(), Motion::stationary(body.pose), options);
    });
    SweptBody first;
    for (std::size_t k = 0; k < ids.size(); ++k)
        if (sweeps[k].status != Status::disjoint && (first.body == no_index || sweeps[k].time < first.sweep.time))
            first = {ids[k], std::move(sweeps[k])};
    return first;
}

std::vector<char> World::State::partners(Index id) const {
    if (!body(id).form) throw Error(Cause::unsupported, "the body has no shape", {.element = "body", .index = id});
    std::vector<char> allowed_ids(bodies.size(), 0);
    for (Index other = 0; other < bodies.size(); ++other)
        if (other != id && bodies[other]) allowed_ids[other] = allowed(std::min(id, other), std::max(id, other));
    return allowed_ids;
}

std::vector<Status> World::check_poses(Index id, std::span<const Pose> poses) const {
    const std::vector<char> allowed_ids = state_->partners(id);
    const std::vector<Pose> placed = checked_poses(poses);
    const Shape& shape = state_->bodies[id]->shape();
    CollideOptions options = state_->options.query;
    options.goal = CollideGoal::status;
    const auto status_at = [&](const Pose& pose) {
        Status worst = Status::disjoint;
        const Box box = shape.bounded() ? placed_box(shape, pose) : Box{};
        for (const Index other : state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)))) {
            if (!allowed_ids[other]) continue;
            const Status status =
                fathom::collide(shape, pose, state_->bodies[other]->shape(), state_->bodies[other]->pose, options)
                    .status;
            if (status == Status::overlapping) return status;
            if (status == Status::undecided) worst = status;
        }
        return worst;
    };
    std::vector<Status> statuses(placed.size());
    parallel_for(placed.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) statuses[k] = status_at(placed[k]);
    });
    return statuses;
}

std::vector<double> World::clearances(Index id, std::span<const Pose> poses) const {
    const std::vector<char> allowed_ids = state_->partners(id);
    const std::vector<Pose> placed = checked_poses(poses);
    const Shape& shape = state_->bodies[id]->shape();
    const auto clearance_at = [&](const Pose& pose) {
        std::vector<State::Gap> gaps = state_->by_gap(shape, shape.bounded() ? placed_box(shape, pose) : Box{});
        double least = infinity;
        for (auto end = gaps.end(); end != gaps.begin() && gaps.front().least < least; --end) {
            const auto [gap, other] = gaps.front();
            std::pop_heap(gaps.begin(), end, farther);
            if (!allowed_ids[other]) continue;
            const DistanceResult found =
                distance(shape, pose, state_->bodies[other]->shape(), state_->bodies[other]->pose);
            least = std::min(least, std::max({0.0, gap, found.lower_bound - found.error_bound}));
        }
        return least;
    };
    std::vector<double> result(placed.size());
    parallel_for(placed.size(), 1, [&](std::size_t k, std::size_t) { result[k] = clearance_at(placed[k]); });
    return result;
}
} // namespace fathom
