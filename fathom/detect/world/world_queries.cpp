// Queries of a world at its current poses: shapes, boxes, sweeps, the nearest body, and one body at many poses.
#include <fathom/base/rounding.h>
#include <fathom/detect/world/world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/world/world_state.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

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

std::vector<Pose> checked_poses(std::span<const Pose> poses) {
    std::vector<Pose> checked;
    checked.reserve(poses.size());
    for (const Pose& pose : poses) checked.push_back(checked_pose(pose, static_cast<std::int64_t>(checked.size())));
    return checked;
}

const auto farther = [](const auto& a, const auto& b) { return std::tie(a.least, a.id) > std::tie(b.least, b.id); };
} // namespace

bool World::State::admits(const WorldFilter& filter, Index id) const {
    const WorldBody& body = *bodies[id];
    return body.form && (filter.category & body.options.mask) != 0 && (filter.mask & body.options.category) != 0 &&
           (!filter.accept || filter.accept(id));
}

std::vector<Index> World::State::near(const Shape& shape, const Box& box, const WorldFilter& filter) const {
    std::vector<Index> ids;
    if (shape.bounded() && box.empty()) return ids;
    const auto add = [&](Index id) {
        if (bodies[id] && (bodies[id]->endless() || !bodies[id]->box.empty()) && admits(filter, id)) ids.push_back(id);
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

std::vector<World::State::Gap> World::State::by_gap(const Shape& shape, const Box& box,
                                                    const WorldFilter& filter) const {
    std::vector<Gap> gaps;
    if (shape.bounded() && box.empty()) return gaps;
    for (Index id = 0; id < bodies.size(); ++id) {
        if (!bodies[id] || (!bodies[id]->endless() && bodies[id]->box.empty()) || !admits(filter, id)) continue;
        const bool boxed = shape.bounded() && !bodies[id]->endless();
        gaps.push_back({boxed ? gap_between(box, bodies[id]->box) : 0.0, id});
    }
    std::ranges::make_heap(gaps, farther);
    return gaps;
}

std::vector<WorldPair> World::collide(const Shape& shape, const Pose& pose, const CollideOptions& options,
                                      const WorldFilter& filter) const {
    const Pose placed = checked_pose(pose);
    const Box box = shape.bounded() ? placed_box(shape, placed) : Box{};
    const std::vector<Index> ids = state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)), filter);
    std::vector<WorldPair> pairs(ids.size());
    parallel_for(ids.size(), 1, [&](std::size_t k, std::size_t) {
        const WorldBody& body = *state_->bodies[ids[k]];
        pairs[k] = {no_index, ids[k], fathom::collide(shape, placed, body.shape(), body.pose, options)};
    });
    std::erase_if(pairs, [](const WorldPair& pair) { return !pair.touching(); });
    return pairs;
}

World::Nearest World::nearest(const Shape& shape, const Pose& pose, double limit, const DistanceOptions& options,
                              const WorldFilter& filter) const {
    const Pose placed = checked_pose(pose);
    std::vector<State::Gap> gaps = state_->by_gap(shape, shape.bounded() ? placed_box(shape, placed) : Box{}, filter);
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

std::vector<Index> World::overlapping_box(const Box& box, const WorldFilter& filter) const {
    if (box.lower.hasNaN() || box.upper.hasNaN())
        throw Error(Cause::non_finite, "the box contains a value that is not a number", {.element = "box"});
    const State& s = *state_;
    std::vector<Index> ids;
    if (box.empty()) return ids;
    s.broad.visit_overlapping(box, [&](Index id) {
        if (!s.bodies[id]->box.empty() && s.bodies[id]->box.overlaps(box) && s.admits(filter, id)) ids.push_back(id);
        return true;
    });
    for (const Index id : s.endless) {
        const WorldBody& body = *s.bodies[id];
        if (s.admits(filter, id) && (!is_finite(box) || reaches(body.shape(), placed_box(box, body.pose.inverse()), 0)))
            ids.push_back(id);
    }
    std::ranges::sort(ids);
    return ids;
}

World::SweptBody World::sweep(const Shape& shape, const Motion& motion, const SweepOptions& options,
                              const WorldFilter& filter) const {
    const Motion checked{checked_pose(motion.start), checked_pose(motion.end)};
    const Box box = shape.bounded() ? swept_box(shape, checked) : Box{};
    const std::vector<Index> ids = state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)), filter);
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
        for (const Index other : state_->near(shape, box.empty() ? box : box.grown(outward(options.margin)), {})) {
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
        std::vector<State::Gap> gaps = state_->by_gap(shape, shape.bounded() ? placed_box(shape, pose) : Box{}, {});
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

namespace {

// The signed distance of a shape to one body, and its derivative.
World::PoseClearance signed_clearance(const Shape& shape, const Pose& pose, Index id, const WorldBody& other,
                                      const DistanceResult& found) {
    if (found.status == Status::disjoint) {
        const DistanceDerivative d = distance_derivative(shape, pose, other.shape(), other.pose, found);
        return {found.upper_bound, id, d.a, d.unique};
    }
    const CollideResult deep =
        fathom::collide(shape, pose, other.shape(), other.pose, {.goal = CollideGoal::separation});
    const PairDerivative d = depth_derivative(shape, pose, other.shape(), other.pose, deep);
    const double depth = std::isfinite(deep.depth) ? deep.depth : -found.upper_bound;
    return {-depth, id, {-d.a.translation, -d.a.rotation}, d.unique};
}

} // namespace

std::vector<World::PoseClearance> World::clearance_derivatives(Index id, std::span<const Pose> poses) const {
    const std::vector<char> allowed_ids = state_->partners(id);
    const std::vector<Pose> placed = checked_poses(poses);
    const Shape& shape = state_->bodies[id]->shape();
    const auto clearance_at = [&](const Pose& pose) {
        std::vector<State::Gap> gaps = state_->by_gap(shape, shape.bounded() ? placed_box(shape, pose) : Box{}, {});
        PoseClearance nearest;
        for (auto end = gaps.end(); end != gaps.begin() && gaps.front().least <= std::max(nearest.distance, 0.0);
             --end) {
            const Index other = gaps.front().id;
            std::pop_heap(gaps.begin(), end, farther);
            if (!allowed_ids[other]) continue;
            const WorldBody& body = *state_->bodies[other];
            const DistanceResult found = distance(shape, pose, body.shape(), body.pose);
            const double tie = nearest.nearest == no_index ? 0 : 1e-9 * (std::abs(nearest.distance) + shape.radius());
            if (found.status == Status::disjoint && found.upper_bound > nearest.distance + tie) continue;
            const PoseClearance here = signed_clearance(shape, pose, other, body, found);
            const bool tied = std::abs(here.distance - nearest.distance) <= tie;
            if (here.distance < nearest.distance) nearest = here;
            if (tied) nearest.unique = false;
        }
        return nearest;
    };
    std::vector<PoseClearance> result(placed.size());
    parallel_for(placed.size(), 1, [&](std::size_t k, std::size_t) { result[k] = clearance_at(placed[k]); });
    return result;
}
} // namespace fathom
