// Both ways down from a start, and which of them is the contact.
#include <fathom/detect/field_field/penetration_refine.h>

#include <fathom/detect/field_field/cutting_plane_minimum.h>
#include <fathom/field/neural/neural_field.h>

#include <cmath>

namespace fathom {

namespace {

Sample sample_of(const Descent& end) { return {end.value, end.gradient}; }

bool is_distance_like(const Field& field) {
    if (std::isfinite(field.error_bound())) return true;
    const auto* network = dynamic_cast<const NetworkField*>(&field);
    return network && network->distance_like();
}

} // namespace

std::optional<RegionContact> DeepestContact::from(const Vec3& start) {
    Descent of_p = down(0, start);
    if (!(of_p.value <= options_.margin)) return std::nullopt;
    if (options_.convex) settle(0, of_p);
    std::optional<RegionContact> first = at(of_p.point, 0, sample_of(of_p));
    if (of_p.polished && first && is_mutual(*first)) return first;
    const Vec3 opposite = first ? first->point_q : of_p.point;
    Descent of_q = down(1, opposite);
    if (options_.convex) settle(1, of_q);
    std::optional<RegionContact> second = at(of_q.point, 1, sample_of(of_q));
    const bool second_wins = second && (!first || second->depth > first->depth * (1 + 1e-12));
    if (!options_.convex && options_.polish && (first || second)) {
        settle(second_wins ? 1 : 0, second_wins ? of_q : of_p);
        return second_wins ? at(of_q.point, 1, sample_of(of_q)) : at(of_p.point, 0, sample_of(of_p));
    }
    return second_wins ? second : first;
}

// The last digits where Newton's method could not give them: at kinks, or from too far.
void DeepestContact::settle(int body, Descent& end) {
    if (end.polished || !std::isfinite(end.value)) return;
    const int before = end.samples;
    if (!options_.convex || !settle_by_planes(body, end)) refine(pair_, body, options_.size, end);
    look_ups_ += static_cast<std::size_t>(end.samples - before);
}

// True where they end it, as with flat faces. Round ones they only come near to, and a second descent nearer.
bool DeepestContact::settle_by_planes(int body, Descent& end) {
    const auto take = [&](const Descent& other) {
        end.samples += other.samples;
        if (other.value < end.value) end.point = other.point, end.value = other.value, end.gradient = other.gradient;
    };
    const ConvexMinimum least =
        convex_minimum(pair_, body, end.point, 2 * (options_.size + options_.margin), 1e-14 * options_.size);
    take(least.end);
    if (end.value - least.lower <= 1e-13 * options_.size) return true;
    const Descent again =
        descend(pair_, body, end.point, {.size = options_.size, .tolerance = 1e-4, .most_steps = 40, .polish = true});
    take(again);
    return end.polished = again.polished;
}

Descent DeepestContact::down(int body, const Vec3& start) {
    const Descent end =
        descend(pair_, body, start,
                {.size = options_.size, .tolerance = options_.tolerance, .most_steps = 40, .polish = options_.polish});
    look_ups_ += static_cast<std::size_t>(end.samples);
    return end;
}

// The point of Q is as deep in P as that of P in Q, the same way: it is where a descent from there would end, too.
bool DeepestContact::is_mutual(const RegionContact& contact) {
    const Sample s = pair_.sample_p(contact.point_q);
    ++look_ups_;
    return std::abs(s.distance + contact.depth) <= 1e-12 * options_.size && (s.gradient - contact.normal).norm() < 1e-7;
}

std::optional<RegionContact> DeepestContact::at(const Vec3& x, int body, const Sample& other) {
    const double steepness = other.gradient.norm();
    if (!(steepness > 1e-10) || !std::isfinite(other.distance)) return std::nullopt;
    Vec3 out = other.gradient / steepness;
    const double depth = way_out(x, 1 - body, other, out);
    const Vec3 surface = x + depth * out;
    if (body == 0) return RegionContact{x, surface, -out, depth, 0};
    return RegionContact{surface, x, out, depth, 0};
}

// A distance is its own depth, also on ridges, where the slope says nothing. Other fields are followed to their
// surface, and from x again along the normal there, while that way is shorter: the nearest surface is where both agree.
double DeepestContact::way_out(const Vec3& x, int other, const Sample& sample, Vec3& out) {
    if (is_distance_like(pair_.field(other))) return -sample.distance;
    Sample end;
    double way = way_along(x, other, sample, out, end);
    for (int turn = 0; turn < 6 && sample.distance < 0; ++turn) {
        const double steepness = end.gradient.norm();
        if (!(steepness > 1e-10)) break;
        const Vec3 next = end.gradient / steepness;
        const double shorter = way_along(x, other, sample, next, end);
        if (!(shorter > 0 && shorter < way * (1 - 1e-9)) || std::abs(end.distance) > 1e-3 * steepness * way) break;
        way = shorter;
        out = next;
    }
    return way;
}

// Newton's method along a line; `end` is the sample where it ends.
double DeepestContact::way_along(const Vec3& x, int other, const Sample& sample, const Vec3& out, Sample& end) {
    const double steepness = sample.gradient.norm();
    double way = -sample.distance / steepness;
    for (int step = 0; step < 8; ++step) {
        end = pair_.sample(other, x + way * out);
        ++look_ups_;
        const double slope = end.gradient.dot(out);
        if (!(slope > 0.05 * steepness) || std::abs(end.distance) < 1e-14 * options_.size) break;
        way -= end.distance / slope;
    }
    return way;
}

} // namespace fathom
