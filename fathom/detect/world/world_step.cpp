// A step of a world: candidate pairs from the broad phase, results from the pair cache, tests of the other pairs in
// parallel, then the events.
#include <fathom/base/rounding.h>
#include <fathom/detect/world/world.h>

#include <fathom/base/parallel.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/world/world_state.h>

#include <algorithm>
#include <cmath>

namespace fathom {

// ---- Pair cache: bounds on the relative travel of two bodies.

namespace {

// Travel of the bounding sphere of the shape in the frame of the other one.
double travel_of(const Shape& shape, const Pose& before, const Pose& now) {
    if (!shape.bounded()) return infinity;
    const Vec3 center = shape.bounds().empty() ? Vec3::Zero() : shape.bounds().center();
    const Quat rotation = now.rotation * before.rotation.conjugate();
    const double slide = (now * center - before * center).norm();
    // Two rotations move a unit vector apart by at most twice the sine of half the angle between them; the rotations of
    // unit quaternions differ by rounding in addition.
    return slide + 2 * rotation.vec().norm() * shape.radius() + pose_rounding(shape.radius() + center.norm());
}

} // namespace

double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b, const Pose& b_before,
                       const Pose& b_now) {
    const double of_b = travel_of(b, relative(a_before, b_before), relative(a_now, b_now));
    const double of_a = travel_of(a, relative(b_before, a_before), relative(b_now, a_now));
    return std::min(of_a, of_b) + position_rounding(a_before.translation.norm(), a_now.translation.norm(),
                                                    b_before.translation.norm(), b_now.translation.norm());
}

bool measures_distance(const Shape& shape) {
    if (shape.kind() == ShapeKind::compound)
        return std::ranges::all_of(shape.parts(), [](const CompoundPart& p) { return measures_distance(p.shape); });
    return has_surface(shape.kind()) || shape.kind() == ShapeKind::half_space || shape.kind() == ShapeKind::convex ||
           (shape.kind() == ShapeKind::analytic && shape.error_bound() == 0);
}

namespace {

constexpr double steps_ahead = 32; // steps with the travel of the last one that a reserve should cover
constexpr int steps_of_rest = 8;   // steps without a new attempt after no reserve was found

const auto pair_of = [](const WorldPair& pair) { return IdPair{pair.a, pair.b}; };

void note_events(std::span<const WorldPair> before, WorldStep& step) {
    std::vector<IdPair> old, now;
    std::ranges::transform(before, std::back_inserter(old), pair_of);
    std::ranges::transform(step.pairs, std::back_inserter(now), pair_of);
    std::ranges::set_difference(now, old, std::back_inserter(step.began));
    std::ranges::set_intersection(now, old, std::back_inserter(step.stayed));
    std::ranges::set_difference(old, now, std::back_inserter(step.ended));
}

// The cached result of each candidate; null if there is none. Both lists are sorted.
std::vector<const PairMemory*> recall(std::span<const IdPair> pairs, std::span<const PairMemory> memory) {
    std::vector<const PairMemory*> found(pairs.size(), nullptr);
    auto next = memory.begin();
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        while (next != memory.end() && next->pair < pairs[k]) ++next;
        if (next != memory.end() && next->pair == pairs[k]) found[k] = &*next;
    }
    return found;
}

} // namespace

bool World::State::allowed(Index a, Index b) const {
    const BodyOptions &x = bodies[a]->options, &y = bodies[b]->options;
    if ((x.is_static && y.is_static) || (x.category & y.mask) == 0 || (y.category & x.mask) == 0) return false;
    return !filter || filter(a, b);
}

bool reaches(const Shape& endless, const Box& box, double margin) {
    if (endless.kind() != ShapeKind::compound) return endless.field()->range(box).lower <= margin;
    const Compound& compound = endless.compound();
    if (!compound.tree.empty() && compound.tree.bounds().grown(outward(margin)).overlaps(box)) return true;
    return std::ranges::any_of(compound.unbounded, [&](Index k) {
        const CompoundPart& part = compound.parts[k];
        return reaches(part.shape, placed_box(box, part.pose.inverse()), margin);
    });
}

bool World::State::may_reach(const WorldBody& endless_one, const WorldBody& other) const {
    if (other.endless() || !endless_one.form) return true;
    const Box box = other.swept ? placed_box(*other.swept, endless_one.pose.inverse())
                                : placed_box(other.shape(), relative(endless_one.pose, other.pose));
    return !box.empty() && reaches(endless_one.shape(), box, options.query.margin);
}

void World::State::find_candidates() {
    broad.find_pairs();
    pairs.clear();
    for (const IdPair& pair : broad.pairs())
        if (allowed(pair[0], pair[1])) pairs.push_back(pair);
    if (endless.empty()) return;
    for (const Index plane : endless)
        for (Index id = 0; id < bodies.size(); ++id) {
            if (id == plane || !bodies[id] || (bodies[id]->endless() && id < plane)) continue;
            const IdPair pair{std::min(id, plane), std::max(id, plane)};
            if (allowed(pair[0], pair[1]) && may_reach(*bodies[plane], *bodies[id])) pairs.push_back(pair);
        }
    std::ranges::sort(pairs);
}

std::span<const IdPair> World::candidates() {
    state_->find_candidates();
    return state_->pairs;
}

// Whether the cached result is still valid: nothing has changed, or the bodies have moved by less than the reserve.
bool World::State::still_true(const WorldBody& a, const WorldBody& b, const PairMemory& memory) const {
    if (a.reshaped == steps || b.reshaped == steps) return false;
    if (a.changed < steps && b.changed < steps) return true;
    return memory.reserve > 0 &&
           relative_travel(a.shape(), memory.pose_a, a.pose, b.shape(), memory.pose_b, b.pose) < memory.reserve;
}

void World::State::look_ahead(const WorldBody& a, const WorldBody& b, PairMemory& memory) const {
    const double margin = options.query.margin,
                 travel = relative_travel(a.shape(), a.before, a.pose, b.shape(), b.before, b.pose);
    const double smaller = std::min(a.shape().radius(), b.shape().radius());
    if (margin > 0 && !(measures_distance(a.shape()) && measures_distance(b.shape()))) return;
    if (!(8 * travel < smaller)) return; // fast bodies: a reserve would last only a few steps
    if (has_surface(a.shape().kind()) && has_surface(b.shape().kind()))
        return; // the test of triangles costs less than the bound
    const double wanted = std::min(steps_ahead * travel + 1e-3 * smaller, smaller);
    const double reserve =
        distance_lower_bound(a.shape(), a.pose, b.shape(), b.pose, {.sufficient = margin + wanted}) - margin;
    if (reserve > 2 * travel) {
        memory.reserve = reserve;
        memory.pose_a = a.pose;
        memory.pose_b = b.pose;
    } else {
        memory.rest = steps_of_rest;
    }
}

World::State::Answer World::State::answer(const IdPair& pair, const PairMemory* before) const {
    const WorldBody &a = *bodies[pair[0]], &b = *bodies[pair[1]];
    Answer result;
    PairMemory& memory = result.memory;
    if (before) memory = *before;
    memory.pair = pair;
    const bool warm = options.warm_start && options.query.method == Method::automatic;
    if (warm && before && still_true(a, b, memory)) {
        result.tested = false;
        if (memory.touching) result.collision = std::ranges::lower_bound(step.pairs, pair, {}, pair_of)->collision;
        return result;
    }
    result.collision = fathom::collide(a.shape(), a.pose, b.shape(), b.pose, options.query);
    memory.touching = result.collision.status != Status::disjoint;
    memory.reserve = 0;
    memory.rest = std::max(0, memory.rest - 1);
    if (warm && !memory.touching && memory.rest == 0) look_ahead(a, b, memory);
    return result;
}

const WorldStep& World::update() {
    State& s = *state_;
    s.find_candidates();
    std::erase_if(s.pairs, [&](const IdPair& p) { return !s.bodies[p[0]]->form || !s.bodies[p[1]]->form; });
    const std::span<const IdPair> pairs = s.pairs;
    const std::vector<const PairMemory*> before = recall(pairs, s.memory);
    std::vector<State::Answer> answers(pairs.size());
    parallel_for(pairs.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) answers[k] = s.answer(pairs[k], before[k]);
    });

    WorldStep step;
    std::vector<PairMemory> memory;
    for (State::Answer& answer : answers) {
        ++(answer.tested ? step.tested : step.cached);
        memory.push_back(answer.memory);
        if (answer.memory.touching)
            step.pairs.push_back({answer.memory.pair[0], answer.memory.pair[1], std::move(answer.collision)});
    }
    note_events(s.step.pairs, step);
    s.step = std::move(step);
    s.memory = std::move(memory);
    for (auto& body : s.bodies)
        if (body) body->before = body->pose;
    ++s.steps;
    return s.step;
}

} // namespace fathom
