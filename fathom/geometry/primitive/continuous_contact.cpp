// Continuous collision detection of vertex and face, edge and edge.
//
// The difference F of two points, one on each feature, is affine over the features and linear in time at each corner,
// so at every time its values fill the convex hull of a few corners: p - f_k for vertex and face, a_i - b_j for two
// edges. The features are within d of each other if and only if the hull is within d of the origin.
//
// Rounding, with u = 2^-53 and M_i the largest |F_i| at the corners, at start and end:
// - a corner is one subtraction with an error of at most u M_i; scaling by a power of two is exact except for
//   underflow;
// - each halving of a feature computes means of two corners, which adds at most u M_i: after h halvings (h + 1) u M_i;
// - the product with a direction n adds at most 3 u P, where P = sum |n_i| M_i;
// - a value at a time between start and end adds 5 u P.
// The total is (h + 9) u P to first order. (h + 16) u P covers the second order and the rounding of the bound and of d
// |n|, which matter only if d |n| < P. Underflow is covered by a pad of 2^-1000: after scaling, the largest M is about
// 1.
#include <fathom/geometry/primitive/continuous_contact.h>

#include <fathom/base/rounding.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fathom {

namespace {

constexpr double underflow_pad = 0x1p-1000;
// Relative to the largest corner: some hundred times the rounding of a direction.
constexpr double smallest_tolerance = 0x1p-44;
constexpr double usual_tolerance = 1e-6;

template <std::size_t N>
using Hull = std::array<Vec3, N>;

// The corners of the difference over a part of the features, at the start and at the end of the step, and the state of
// the search for this part.
template <std::size_t N>
struct Part {
    Hull<N> start;
    Hull<N> end;
    double time = 0;
    int halvings = 0;
};
using FacePart = Part<3>; // p - f0, p - f1, p - f2
using EdgePart = Part<4>; // a0 - b0, a1 - b0, a0 - b1, a1 - b1

template <std::size_t N>
Hull<N> hull_at(const Part<N>& part, double time) {
    Hull<N> corners;
    for (std::size_t k = 0; k < N; ++k) corners[k] = part.start[k] + time * (part.end[k] - part.start[k]);
    return corners;
}

// The point of the hull closest to the origin. It only selects directions and step sizes: no proof depends on it.
template <std::size_t N>
struct Nearest {
    Vec3 point;
    std::array<double, N> weight; // weights of the corners
};
template <std::size_t N>
Nearest<N> weighted(const Hull<N>& corners, const std::array<double, N>& weight) {
    Vec3 point = weight[0] * corners[0];
    for (std::size_t k = 1; k < N; ++k) point += weight[k] * corners[k];
    return {point, weight};
}

Nearest<3> nearest(const Hull<3>& corners) {
    const Vec3 w = closest_point(Vec3::Zero(), corners).barycentric;
    return weighted<3>(corners, {w[0], w[1], w[2]});
}

Nearest<4> on_edges(const Hull<4>& corners, double u, double v) {
    return weighted<4>(corners, {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v});
}
Nearest<4> nearest(const Hull<4>& c) {
    const ClosestOnSegments found = closest_points(Segment{c[0], c[1]}, Segment{Vec3::Zero(), c[0] - c[2]});
    return on_edges(c, found.fraction_a, found.fraction_b);
}

// The same in a third of the time, for features that are not nearly degenerate; for others NaN, or a point that is not
// the closest. Regions as in Ericson 2005, 5.1.5.
Nearest<3> quick_nearest(const Hull<3>& corners) {
    const auto& [a, b, c] = corners;
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const double ab_a = -ab.dot(a), ac_a = -ac.dot(a);
    if (ab_a <= 0 && ac_a <= 0) return {a, {1, 0, 0}};
    const double ab_b = -ab.dot(b), ac_b = -ac.dot(b);
    if (ab_b >= 0 && ac_b <= ab_b) return {b, {0, 1, 0}};
    const double ab_c = -ab.dot(c), ac_c = -ac.dot(c);
    if (ac_c >= 0 && ab_c <= ac_c) return {c, {0, 0, 1}};
    const double of_c = ab_a * ac_b - ab_b * ac_a;
    if (of_c <= 0 && ab_a >= 0 && ab_b <= 0)
        return weighted<3>(corners, {-ab_b / (ab_a - ab_b), ab_a / (ab_a - ab_b), 0});
    const double of_b = ab_c * ac_a - ab_a * ac_c;
    if (of_b <= 0 && ac_a >= 0 && ac_c <= 0)
        return weighted<3>(corners, {-ac_c / (ac_a - ac_c), 0, ac_a / (ac_a - ac_c)});
    const double of_a = ab_b * ac_c - ab_c * ac_b;
    const double to_c = ac_b - ab_b, to_b = ab_c - ac_c;
    if (of_a <= 0 && to_c >= 0 && to_b >= 0)
        return weighted<3>(corners, {0, to_b / (to_b + to_c), to_c / (to_b + to_c)});
    const double sum = of_a + of_b + of_c;
    return weighted<3>(corners, {of_a / sum, of_b / sum, of_c / sum});
}

// The closest points of the lines, clamped to one edge and then to the other.
Nearest<4> quick_nearest(const Hull<4>& c) {
    const Vec3 along_a = c[1] - c[0];
    const Vec3 along_b = c[0] - c[2];
    const double aa = along_a.squaredNorm(), bb = along_b.squaredNorm(), ab = along_a.dot(along_b);
    const double a0 = along_a.dot(c[0]), b0 = along_b.dot(c[0]);
    const auto clamped = [](double x) { return std::min(std::max(x, 0.0), 1.0); };
    const double u = clamped((ab * b0 - a0 * bb) / (aa * bb - ab * ab));
    const double v = clamped((ab * u + b0) / bb);
    return on_edges(c, clamped((ab * v - a0) / aa), v);
}

double larger_size(const Vec3& a, const Vec3& b) { return std::max(a.squaredNorm(), b.squaredNorm()); }

template <std::size_t N>
void replace(Part<N>& part, std::size_t corner, const Vec3& start, const Vec3& end) {
    part.start[corner] = start;
    part.end[corner] = end;
}
template <std::size_t N>
Vec3 mean(const Hull<N>& corners, std::size_t i, std::size_t j) {
    return 0.5 * (corners[i] + corners[j]);
}

// Halves a face across its longest side, over the whole step. The first half stays in `part`.
FacePart halve(FacePart& part) {
    std::array<double, 3> size;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        size[k] = larger_size(part.start[next] - part.start[k], part.end[next] - part.end[k]);
    }
    const auto from = static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
    const std::size_t to = (from + 1) % 3;
    const Vec3 start = mean(part.start, from, to);
    const Vec3 end = mean(part.end, from, to);
    ++part.halvings;
    FacePart other = part;
    replace(part, to, start, end);
    replace(other, from, start, end);
    return other;
}

// Halves the longer edge.
EdgePart halve(EdgePart& part) {
    const bool first = larger_size(part.start[1] - part.start[0], part.end[1] - part.end[0]) >=
                       larger_size(part.start[2] - part.start[0], part.end[2] - part.end[0]);
    const std::size_t step = first ? 1 : 2; // from a corner to its counterpart along the edge that is halved
    const std::size_t other_step = 3 - step;
    ++part.halvings;
    EdgePart other = part;
    for (const std::size_t from : {std::size_t{0}, other_step}) {
        const Vec3 start = mean(part.start, from, from + step);
        const Vec3 end = mean(part.end, from, from + step);
        replace(part, from + step, start, end);
        replace(other, from, start, end);
    }
    return other;
}

// The parameters of the query, in the scale of the search.
struct SearchParameters {
    Vec3 largest = Vec3::Zero(); // largest |F_i| at the corners
    double separation = 0;
    double tolerance = 0;
    double latest = 1;
};

// All corners of a part projected on a direction, which need not be of unit length.
template <std::size_t N>
class Plane {
public:
    Plane(const Part<N>& part, const Vec3& direction, const SearchParameters& parameters)
        : level_(level(direction, parameters, part.halvings)),
          aim_(level_ + 0.25 * parameters.tolerance * direction.norm()) {
        for (std::size_t k = 0; k < N; ++k) {
            start_[k] = direction.dot(part.start[k]);
            end_[k] = direction.dot(part.end[k]);
        }
    }

    // A proof that the part is separated at this time. Corners move linearly, so separation at two times implies
    // separation between them.
    [[nodiscard]] bool off_at(double time) const {
        bool off = true;
        for (std::size_t k = 0; k < N; ++k) off &= start_[k] + time * (end_[k] - start_[k]) > level_;
        return off;
    }

    // The latest time up to which the part is separated, if it is at `from`; otherwise `from`.
    [[nodiscard]] double off_until(double from, double latest) const {
        if (!off_at(from)) return from;
        if (off_at(latest)) return std::numeric_limits<double>::infinity();
        double until = latest;
        for (std::size_t k = 0; k < N; ++k)
            if (end_[k] < start_[k]) until = std::min(until, (start_[k] - aim_) / (start_[k] - end_[k]));
        if (!(until > from)) return from;
        return off_at(until) ? until : from;
    }

private:
    static double level(const Vec3& direction, const SearchParameters& parameters, int halvings) {
        const double size = direction.cwiseAbs().dot(parameters.largest);
        return (1 + 8 * unit_roundoff) * parameters.separation * direction.norm() +
               (halvings + 16) * unit_roundoff * size + underflow_pad;
    }

    double level_;
    double aim_; // above the level, so that rounding does not undo the progress
    std::array<double, N> start_;
    std::array<double, N> end_;
};

// Best-first search of the first contact: parts in the order of their times.
template <std::size_t N>
class Search {
public:
    Search(const Part<N>& whole, const SearchParameters& parameters, std::size_t most)
        : whole_(whole), parameters_(parameters), most_(most), now_(whole) {}

    TimeOfImpact run() {
        for (std::size_t tried = 0; tried < most_; ++tried) {
            const Hull<N> hull = hull_at(now_, now_.time);
            Nearest<N> near = quick_nearest(hull);
            double until = off_until(near);
            if (until == now_.time || touches(near)) { // the fast closest point is not decisive
                near = nearest(hull);
                if (touches(near)) return {true, now_.time, parameters_.tolerance, false};
                until = off_until(near);
            }
            if (until > parameters_.latest) {
                if (waiting_.empty()) return {false, parameters_.latest, parameters_.tolerance, false};
                pop_next();
                continue;
            }
            const bool poor = until - now_.time < poor_share * (closing_time(near) - now_.time);
            now_.time = until;
            if (poor) add(halve(now_));
            if (!waiting_.empty()) exchange();
        }
        return {true, now_.time, std::max(gap(nearest(hull_at(whole_, now_.time))), parameters_.tolerance), true};
    }

private:
    static constexpr double poor_share = 0.25; // fraction of the step that a part of size 0 would have allowed

    [[nodiscard]] double gap(const Nearest<N>& near) const { return near.point.norm() - parameters_.separation; }
    [[nodiscard]] bool touches(const Nearest<N>& near) const { return gap(near) <= parameters_.tolerance; }
    [[nodiscard]] double off_until(const Nearest<N>& near) const {
        return Plane<N>(now_, near.point, parameters_).off_until(now_.time, parameters_.latest);
    }

    // The time at which the closest point, if it were alone, would close the gap.
    [[nodiscard]] double closing_time(const Nearest<N>& near) const {
        Vec3 velocity = Vec3::Zero();
        for (std::size_t k = 0; k < N; ++k) velocity += near.weight[k] * (now_.end[k] - now_.start[k]);
        const double closing = -velocity.dot(near.point) / near.point.norm();
        return closing * (parameters_.latest - now_.time) > gap(near) ? now_.time + gap(near) / closing
                                                                      : parameters_.latest;
    }

    static bool later(const Part<N>& a, const Part<N>& b) { return a.time > b.time; }
    void add(const Part<N>& part) {
        waiting_.push_back(part);
        std::push_heap(waiting_.begin(), waiting_.end(), later);
    }
    void pop_next() {
        std::pop_heap(waiting_.begin(), waiting_.end(), later);
        now_ = waiting_.back();
        waiting_.pop_back();
    }
    void exchange() {
        if (waiting_.front().time >= now_.time) return;
        add(now_);
        pop_next();
    }

    const Part<N>& whole_;
    const SearchParameters& parameters_;
    std::size_t most_;
    Part<N> now_;
    std::vector<Part<N>> waiting_;
};

// Scales the corners by a power of two so that the largest is about 1: no product overflows, and none underflows by
// much.
template <std::size_t N>
TimeOfImpact search(Part<N> whole, const ContinuousContactOptions& options) {
    SearchParameters parameters;
    for (std::size_t k = 0; k < N; ++k)
        parameters.largest = parameters.largest.cwiseMax(whole.start[k].cwiseAbs()).cwiseMax(whole.end[k].cwiseAbs());
    const double size = parameters.largest.maxCoeff();
    if (!(size > 0)) return {true, 0, 0, false}; // all corners in one point
    const int exponent = std::ilogb(size);
    const double scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
    for (std::size_t k = 0; k < N; ++k) replace(whole, k, scale * whole.start[k], scale * whole.end[k]);
    parameters.largest *= scale;
    const double unit = scale * size;
    parameters.separation = scale * std::max(0.0, options.minimum_separation);
    parameters.tolerance = options.tolerance > 0 ? scale * options.tolerance : usual_tolerance * unit;
    parameters.tolerance = std::max(parameters.tolerance, smallest_tolerance * unit);
    parameters.latest = std::clamp(options.latest, 0.0, 1.0);
    TimeOfImpact result = Search<N>(whole, parameters, options.max_refinements).run();
    result.tolerance /= scale;
    return result;
}

// The product of NaN or infinity with 0 is not 0. Corners too far apart for double are detected as well.
template <std::size_t N>
bool all_finite(const Part<N>& part) {
    double sum = 0;
    for (std::size_t k = 0; k < N; ++k) sum += 0 * part.start[k].sum() + 0 * part.end[k].sum();
    return sum == 0;
}

// Whether all corners are farther out than the separation along an axis. The only rounding is one subtraction each.
template <std::size_t N>
bool apart(const Part<N>& part, double separation) {
    Vec3 lower = part.start[0].cwiseMin(part.end[0]);
    Vec3 upper = part.start[0].cwiseMax(part.end[0]);
    for (std::size_t k = 1; k < N; ++k) {
        lower = lower.cwiseMin(part.start[k]).cwiseMin(part.end[k]);
        upper = upper.cwiseMax(part.start[k]).cwiseMax(part.end[k]);
    }
    const double level = (1 + 4 * unit_roundoff) * std::max(0.0, separation);
    return (lower.array() > level).any() || (upper.array() < -level).any();
}

template <std::size_t N>
TimeOfImpact first_contact(const Part<N>& whole, const ContinuousContactOptions& options) {
    const bool known = all_finite(whole) && std::isfinite(options.minimum_separation) &&
                       !std::isnan(options.tolerance) && !std::isnan(options.latest);
    if (!known) return {true, 0, std::numeric_limits<double>::infinity(), true};
    if (apart(whole, options.minimum_separation)) return {false, std::clamp(options.latest, 0.0, 1.0), 0, false};
    return search(whole, options);
}

} // namespace

TimeOfImpact time_of_impact(const VertexFaceStep& step, const ContinuousContactOptions& options) {
    FacePart whole;
    for (std::size_t k = 0; k < 3; ++k)
        replace(whole, k, step.vertex_start - step.face_start[k], step.vertex_end - step.face_end[k]);
    return first_contact(whole, options);
}

TimeOfImpact time_of_impact(const EdgeEdgeStep& step, const ContinuousContactOptions& options) {
    EdgePart whole;
    const auto corner = [&](std::size_t k, const Vec3& a0, const Vec3& b0, const Vec3& a1, const Vec3& b1) {
        replace(whole, k, a0 - b0, a1 - b1);
    };
    corner(0, step.a_start.start, step.b_start.start, step.a_end.start, step.b_end.start);
    corner(1, step.a_start.end, step.b_start.start, step.a_end.end, step.b_end.start);
    corner(2, step.a_start.start, step.b_start.end, step.a_end.start, step.b_end.end);
    corner(3, step.a_start.end, step.b_start.end, step.a_end.end, step.b_end.end);
    return first_contact(whole, options);
}

} // namespace fathom
