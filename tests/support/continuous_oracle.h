// Exact answers about features that move over a step, in rational numbers: how far apart they are at a time, and when
// their four points lie in a plane (the roots of a cubic, by Descartes' rule on Bernstein coefficients).
#pragma once

#include <fathom/geometry/primitive/continuous_contact.h>

#include <support/exact.h>

namespace fathom::testing {

// Every step as its eight points: the four at the start, the four at the end.
using StepPoints = std::array<Vec3, 8>;
inline StepPoints points_of(const VertexFaceStep& s) {
    return {s.vertex_start, s.face_start[0], s.face_start[1], s.face_start[2],
            s.vertex_end,   s.face_end[0],   s.face_end[1],   s.face_end[2]};
}
inline StepPoints points_of(const EdgeEdgeStep& s) {
    return {s.a_start.start, s.a_start.end, s.b_start.start, s.b_start.end,
            s.a_end.start,   s.a_end.end,   s.b_end.start,   s.b_end.end};
}
// Of the four points, those of the first feature.
inline std::size_t first_count(const VertexFaceStep&) { return 1; }
inline std::size_t first_count(const EdgeEdgeStep&) { return 2; }

inline std::array<ExactVec, 4> exact_points(const StepPoints& points, const mpq_class& time) {
    std::array<ExactVec, 4> result;
    for (std::size_t k = 0; k < 4; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            const mpq_class start(points[k][axis]);
            const mpq_class end(points[k + 4][axis]);
            result[k][static_cast<std::size_t>(axis)] = start + time * (end - start);
        }
    return result;
}

// The least over all pairs of faces of the two features, tried one by one.
template <class Step>
mpq_class exact_squared_distance(const Step& step, const mpq_class& time) {
    const std::array<ExactVec, 4> p = exact_points(points_of(step), time);
    const unsigned first = static_cast<unsigned>(first_count(step));
    const unsigned first_mask = (1u << first) - 1;
    mpq_class best = -1;
    for (unsigned mask = 1; mask < 16; ++mask) {
        if ((mask & first_mask) == 0 || (mask & ~first_mask) == 0) continue;
        std::vector<ExactVec> a, b;
        for (unsigned k = 0; k < 4; ++k)
            if (mask >> k & 1) (k < first ? a : b).push_back(p[k]);
        const mpq_class found = squared_distance_inside(a, b);
        if (sgn(found) >= 0 && (sgn(best) < 0 || found < best)) best = found;
    }
    return best;
}

using Cubic = std::array<mpq_class, 4>; // Bernstein coefficients

inline std::size_t sign_changes(const Cubic& c) {
    std::size_t changes = 0;
    int last = 0;
    for (const mpq_class& x : c) {
        const int sign = sgn(x);
        changes += sign != 0 && last != 0 && sign != last;
        if (sign != 0) last = sign;
    }
    return changes;
}

inline std::pair<Cubic, Cubic> halves(const Cubic& c) {
    const mpq_class ab = (c[0] + c[1]) / 2, bc = (c[1] + c[2]) / 2, cd = (c[2] + c[3]) / 2;
    const mpq_class abc = (ab + bc) / 2, bcd = (bc + cd) / 2, middle = (abc + bcd) / 2;
    return {{c[0], ab, abc, middle}, {middle, bcd, cd, c[3]}};
}

// Times at which the four points lie in a plane, to 2^-60 of the step; `sure` is false where roots are too close to be
// distinguished from none.
struct FlatTimes {
    std::vector<mpq_class> times;
    bool sure = true;

    void find(const Cubic& c, const mpq_class& from, const mpq_class& width, int depth) {
        const std::size_t changes = sign_changes(c);
        if (sgn(c[0]) == 0) times.push_back(from);
        if (changes == 0) return;
        if (depth == 60) {
            sure &= changes == 1;
            times.push_back(from + width / 2);
            return;
        }
        const auto [left, right] = halves(c);
        find(left, from, width / 2, depth + 1);
        find(right, from + width / 2, width / 2, depth + 1);
    }
};

// Six times the volume of the four points is a cubic in time; its values at 0, 1/3, 2/3 and 1 give its coefficients.
inline FlatTimes flat_times(const StepPoints& points) {
    std::array<mpq_class, 4> y;
    for (int k = 0; k < 4; ++k) {
        const std::array<ExactVec, 4> p = exact_points(points, mpq_class(k, 3));
        y[static_cast<std::size_t>(k)] = dot(cross(p[1] - p[0], p[2] - p[0]), p[3] - p[0]);
    }
    const Cubic c = {y[0], (-5 * y[0] + 18 * y[1] - 9 * y[2] + 2 * y[3]) / 6,
                     (2 * y[0] - 9 * y[1] + 18 * y[2] - 5 * y[3]) / 6, y[3]};
    FlatTimes found;
    if (std::all_of(c.begin(), c.end(), [](const mpq_class& x) { return sgn(x) == 0; })) {
        found.sure = false;
        return found;
    }
    found.find(c, 0, 1, 0);
    if (sgn(c[3]) == 0) found.times.push_back(1);
    std::sort(found.times.begin(), found.times.end());
    return found;
}

} // namespace fathom::testing
