// Descent in both directions from a starting point, and selection of the deeper contact.
#include <fathom/detect/field_field/penetration_refine.h>

#include <fathom/detect/field_field/constrained_descent.h>
#include <fathom/field/neural/neural_field.h>

#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <vector>
namespace fathom::field_field {

// ---- Minimum of a convex field over a convex body by cutting planes (Kelley 1960), also at kinks.
// Every sample of a convex function gives a plane below it, so the minimum over all planes is a proven lower bound. The
// search ends when a sample reaches the bound: at once if `start` is the minimum, after about ten samples for bodies
// with flat faces. Each sample requires the solution of a linear program in four unknowns, by the dual simplex method
// from the previous solution.
// When not to use it: for fields that are not convex functions.
namespace {

// Thresholds of convergence.
constexpr double smallest_pivot = 1e-12;     // of the simplex method; gradients are about 1
constexpr double smallest_violation = 1e-14; // of a constraint, in units of the search radius
constexpr double planes_tolerance = 1e-14;   // of size: difference of the bounds at which cutting planes stop
constexpr double settled_gap = 1e-13;        // of size: difference of the bounds that counts as the minimum
constexpr double at_surface = 1e-14;         // of size: value at which Newton's method along a line stops
constexpr double same_depth = 1e-12;         // of size: depths of both bodies that count as equal
constexpr double clearly_deeper = 1 + 1e-12; // ratio of depths below which the first body's contact is preferred

struct CuttingPlaneMinimum {
    Descent end;      // the best point of the body that was found
    double lower = 0; // lower bound on the value over the body, up to rounding (m)
};

// `start` is in the body (0: P, 1: Q), and the minimum at most `reach` away from it. Stops when the bounds differ by at
// most `tolerance` (m).
[[nodiscard]] CuttingPlaneMinimum cutting_plane_minimum(const FieldPair& pair, int body, const Vec3& start,
                                                        double reach, double tolerance);

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

constexpr std::size_t max_samples = 30; // curved bodies would take hundreds; descent completes those

// Linear program: the minimum of t over all (x, t) with a . (x, t) <= b for every row; x within a cube of half side 1.
class PlaneProgram {
public:
    // The first plane below the function makes t bounded.
    PlaneProgram(const Vec3& gradient, double offset) {
        for (int axis = 0; axis < 3; ++axis) {
            push(Vec4::Unit(axis), 1);
            push(-Vec4::Unit(axis), 1);
            active_[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(2 * axis + (gradient[axis] > 0 ? 1 : 0));
        }
        active_[3] = count_;
        add_under(gradient, offset);
        refresh();
    }

    // Adds the constraint t >= gradient . x + offset.
    void add_under(const Vec3& gradient, double offset) {
        push({gradient.x(), gradient.y(), gradient.z(), -1}, -offset);
    }
    // Adds the constraint gradient . x + offset <= 0.
    void add_limit(const Vec3& gradient, double offset) {
        push({gradient.x(), gradient.y(), gradient.z(), 0}, -offset);
    }

    // Returns false if rounding or an infeasible program stops it.
    bool solve() {
        for (int pivot = 0; pivot < 50; ++pivot) {
            const std::size_t worst = most_violated();
            if (worst == count_) return true;
            const Vec4 change = inverse_.transpose() * rows_[worst];
            std::size_t leaves = 4;
            double least = HUGE_VAL;
            for (std::size_t k = 0; k < 4; ++k) {
                const auto i = static_cast<Eigen::Index>(k);
                if (!(change[i] > smallest_pivot)) continue;
                const double ratio = std::max(-inverse_(3, i), 0.0) / change[i];
                if (ratio < least) least = ratio, leaves = k;
            }
            if (leaves == 4) return false;
            active_[leaves] = worst;
            if (!refresh()) return false;
        }
        return false;
    }
    [[nodiscard]] Vec3 point() const { return at_.head<3>(); }
    [[nodiscard]] double value() const { return at_[3]; }
    [[nodiscard]] bool full() const { return count_ + 2 > rows_.size(); }

private:
    void push(const Vec4& row, double bound) {
        rows_[count_] = row;
        bounds_[count_++] = bound;
    }
    bool refresh() {
        Mat4 m;
        Vec4 right;
        for (std::size_t k = 0; k < 4; ++k) {
            m.row(static_cast<Eigen::Index>(k)) = rows_[active_[k]].transpose();
            right[static_cast<Eigen::Index>(k)] = bounds_[active_[k]];
        }
        inverse_ = m.inverse();
        at_ = inverse_ * right;
        return at_.allFinite();
    }
    [[nodiscard]] std::size_t most_violated() const {
        std::size_t worst = count_;
        double most = smallest_violation;
        for (std::size_t k = 0; k < count_; ++k)
            if (const double violation = rows_[k].dot(at_) - bounds_[k]; violation > most) most = violation, worst = k;
        return worst;
    }

    std::array<Vec4, 6 + 2 * max_samples> rows_;
    std::array<double, 6 + 2 * max_samples> bounds_;
    std::size_t count_ = 0;
    std::array<std::size_t, 4> active_{};
    Mat4 inverse_;
    Vec4 at_;
};

// A stencil of close points: together they sample every face that meets there.
constexpr std::size_t star_size = 7;
std::array<Vec3, star_size> star_at(const Vec3& x, double step) {
    std::array<Vec3, star_size> star;
    star.fill(x);
    for (int k = 0; k < 6; ++k) star[static_cast<std::size_t>(1 + k)][k / 2] += k % 2 == 0 ? step : -step;
    return star;
}

CuttingPlaneMinimum cutting_plane_minimum(const FieldPair& pair, int body, const Vec3& start, double reach,
                                          double tolerance) {
    CuttingPlaneMinimum result;
    result.lower = -HUGE_VAL;
    Descent& best = result.end;
    const auto consider = [&](const Vec3& x, const Sample& down) {
        if (down.distance < best.value) best.point = x, best.value = down.distance, best.gradient = down.gradient;
    };
    const auto offset = [&](const Sample& s, const Vec3& x) {
        return (s.distance - s.gradient.dot(x - start)) / reach;
    };
    const std::array<Vec3, star_size> star = star_at(start, 1e-6 * reach);
    std::array<Sample, star_size> own_star, down_star;
    pair.samples(body, star, own_star);
    pair.samples(1 - body, star, down_star);
    best.samples += 2 * static_cast<int>(star_size);
    consider(start, down_star[0]);
    PlaneProgram program(down_star[0].gradient, offset(down_star[0], start));
    for (std::size_t k = 0; k < star_size; ++k) {
        if (k > 0) program.add_under(down_star[k].gradient, offset(down_star[k], star[k]));
        program.add_limit(own_star[k].gradient, offset(own_star[k], star[k]));
    }
    while (!program.full() && program.solve()) {
        result.lower = reach * program.value();
        if (best.value - result.lower <= tolerance) break;
        const Vec3 x = start + reach * program.point();
        const Sample own = pair.sample(body, x), down = pair.sample(1 - body, x);
        best.samples += 2;
        if (own.distance > 0) program.add_limit(own.gradient, offset(own, x));
        program.add_under(down.gradient, offset(down, x));
        Vec3 inside = x;
        if (own.distance <= 0)
            consider(x, down);
        else if (move_inside(pair, body, inside, reach, best.samples)) {
            consider(inside, pair.sample(1 - body, inside));
            ++best.samples;
        }
    }
    return result;
}

Sample sample_of(const Descent& end) { return {end.value, end.gradient}; }

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
    const bool second_wins = second && (!first || second->depth > first->depth * clearly_deeper);
    if (!options_.convex && options_.polish && (first || second)) {
        settle(second_wins ? 1 : 0, second_wins ? of_q : of_p);
        return second_wins ? at(of_q.point, 1, sample_of(of_q)) : at(of_p.point, 0, sample_of(of_p));
    }
    return second_wins ? second : first;
}

// Refines to the last digits where Newton's method failed: at kinks, or from too far away.
void DeepestContact::settle(int body, Descent& end) {
    if (end.polished || !std::isfinite(end.value)) return;
    const int before = end.samples;
    if (!options_.convex || !settle_by_planes(body, end)) refine(pair_, body, options_.size, end);
    evaluations_ += static_cast<std::size_t>(end.samples - before);
}

// Returns true if cutting planes reach the minimum, as for flat faces. For curved faces they come close, and a second
// descent comes closer.
bool DeepestContact::settle_by_planes(int body, Descent& end) {
    const auto take = [&](const Descent& other) {
        end.samples += other.samples;
        if (other.value < end.value) end.point = other.point, end.value = other.value, end.gradient = other.gradient;
    };
    const CuttingPlaneMinimum least = cutting_plane_minimum(
        pair_, body, end.point, 2 * (options_.size + options_.margin), planes_tolerance * options_.size);
    take(least.end);
    if (end.value - least.lower <= settled_gap * options_.size) return true;
    const Descent again =
        descend(pair_, body, end.point, {.size = options_.size, .tolerance = 1e-4, .max_steps = 40, .polish = true});
    take(again);
    return end.polished = again.polished;
}

Descent DeepestContact::down(int body, const Vec3& start) {
    Descent end =
        descend(pair_, body, start,
                {.size = options_.size, .tolerance = options_.tolerance, .max_steps = 40, .polish = options_.polish});
    evaluations_ += static_cast<std::size_t>(end.samples);
    return end;
}

// Whether the point of Q is as deep in P as that of P in Q, along the same normal: a descent from it would end there,
// too.
bool DeepestContact::is_mutual(const RegionContact& contact) {
    const Sample s = pair_.sample_p(contact.point_q);
    ++evaluations_;
    return std::abs(s.distance + contact.depth) <= same_depth * options_.size &&
           (s.gradient - contact.normal).norm() < 1e-7;
}

std::optional<RegionContact> DeepestContact::at(const Vec3& x, int body, const Sample& other) {
    if (!std::isfinite(other.distance)) return std::nullopt;
    Vec3 out = direction_out(x, 1 - body, other);
    if (out.isZero(0)) return std::nullopt;
    const double depth = penetration_depth(x, 1 - body, other, out);
    const Vec3 surface = x + depth * out;
    if (body == 0) return RegionContact{x, surface, -out, depth, 0};
    return RegionContact{surface, x, out, depth, 0};
}

// The direction of the gradient; on a ridge of a distance, where the gradient of samples may vanish, that of the
// steepest of a few points around x. 0: none is known.
Vec3 DeepestContact::direction_out(const Vec3& x, int other, const Sample& sample) {
    const double steepness = sample.gradient.norm();
    if (steepness > flattest_slope) return sample.gradient / steepness;
    if (!pair_.field(other).traits().distance_like) return Vec3::Zero();
    for (const double step : {1e-3, 1e-2}) {
        Vec3 steepest = Vec3::Zero();
        for (int side = 0; side < 6; ++side) {
            const Vec3 aside = (side < 3 ? step : -step) * options_.size * Vec3::Unit(side % 3);
            const Vec3 gradient = pair_.sample(other, x + aside).gradient;
            ++evaluations_;
            if (gradient.squaredNorm() > steepest.squaredNorm()) steepest = gradient;
        }
        if (steepest.norm() > flattest_slope) return steepest.normalized();
    }
    return Vec3::Zero();
}

// Penetration depth of x in the other body, and the separating direction `out`. The value of a distance is the depth,
// also on ridges, where the slope is meaningless. Other fields are followed to their surface, and from x again along
// the normal found there, while the depth decreases: at the closest surface point both directions agree.
double DeepestContact::penetration_depth(const Vec3& x, int other, const Sample& sample, Vec3& out) {
    if (pair_.field(other).traits().distance_like) return -sample.distance;
    Sample end;
    double distance = distance_along(x, other, sample, out, end);
    for (int turn = 0; turn < 6 && sample.distance < 0; ++turn) {
        const double steepness = end.gradient.norm();
        if (!(steepness > flattest_slope)) break;
        const Vec3 next = end.gradient / steepness;
        const double shorter = distance_along(x, other, sample, next, end);
        if (!(shorter > 0 && shorter < distance * (1 - 1e-9)) || std::abs(end.distance) > 1e-3 * steepness * distance)
            break;
        distance = shorter;
        out = next;
    }
    return distance;
}

// Newton's method along a line; `end` is the sample at the last point.
double DeepestContact::distance_along(const Vec3& x, int other, const Sample& sample, const Vec3& out, Sample& end) {
    const double steepness = sample.gradient.norm();
    double distance = -sample.distance / steepness;
    for (int step = 0; step < 8; ++step) {
        end = pair_.sample(other, x + distance * out);
        ++evaluations_;
        const double slope = end.gradient.dot(out);
        if (!(slope > 0.05 * steepness) || std::abs(end.distance) < at_surface * options_.size) break;
        distance -= end.distance / slope;
    }
    return distance;
}
} // namespace fathom::field_field
