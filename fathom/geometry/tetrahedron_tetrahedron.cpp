// Room: geometry. Do two tetrahedra meet?
#include <fathom/base/box.h>
#include <fathom/geometry/predicates.h>
#include <fathom/geometry/tet_mesh.h>
#include <fathom/geometry/tetrahedron_tetrahedron.h>
#include <fathom/geometry/triangle_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

using Corners = std::array<Vec3, 4>;
enum class Answer { no, yes, unsure };

constexpr std::array<std::array<int, 2>, 6> edges = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

// height[f][j]: how far corner j of the other tetrahedron lies inside face f of this one, times twice that face's area.
// True heights are within `error` of these, and so are heights interpolated between two corners.
//
// Why: relative to corner 0 let M = Mx My Mz be the product of the largest coordinates of both. A height of faces 1 to 3 is a
// determinant of six products below M, each with at most eight roundings: error 48 u M, u = 2^-53. The volume is one more.
// The height of face 0 is the volume minus the other three: 4 * 48 u M and three roundings of numbers below 24 M, together
// 264 u M. Interpolation adds four roundings of numbers below 48 M. All below 2^9 u M = 2^-44 M. Where M is not tiny and no
// coordinate is huge, overflow cannot and underflow does not matter.
struct Heights {
    std::array<std::array<double, 4>, 4> height;
    double error;
    bool valid; // the tetrahedron is surely not flat and the numbers are in range

    Heights(const Corners& a, const Corners& b) {
        std::array<std::array<double, 3>, 3> u; // edges from corner 0
        std::array<std::array<double, 4>, 3> v; // [axis][corner of b]
        std::array<double, 3> largest;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const double origin = a[0][axis];
            for (std::size_t r = 0; r < 3; ++r) u[r][k] = a[r + 1][axis] - origin;
            for (std::size_t j = 0; j < 4; ++j) v[k][j] = b[j][axis] - origin;
            const double of_a = std::max({std::abs(u[0][k]), std::abs(u[1][k]), std::abs(u[2][k])});
            const double of_b = std::max(std::max(std::abs(v[k][0]), std::abs(v[k][1])),
                                         std::max(std::abs(v[k][2]), std::abs(v[k][3])));
            largest[k] = std::max(of_a, of_b);
        }
        std::array<std::array<double, 3>, 3> normal;
        for (std::size_t f = 0; f < 3; ++f) {
            const auto& p = u[(f + 1) % 3];
            const auto& q = u[(f + 2) % 3];
            normal[f] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        }
        const double volume = u[0][0] * normal[0][0] + u[0][1] * normal[0][1] + u[0][2] * normal[0][2];
        const double sign = volume < 0 ? -1.0 : 1.0;
        for (std::size_t f = 0; f < 3; ++f)
            for (std::size_t j = 0; j < 4; ++j)
                height[f + 1][j] = sign * (normal[f][0] * v[0][j] + normal[f][1] * v[1][j] + normal[f][2] * v[2][j]);
        for (std::size_t j = 0; j < 4; ++j)
            height[0][j] = sign * volume - height[1][j] - height[2][j] - height[3][j];
        const double product = largest[0] * largest[1] * largest[2];
        error = 0x1p-44 * product;
        valid = std::abs(volume) > error && product > 1e-200 && std::max({largest[0], largest[1], largest[2]}) < 1e100;
    }
};

// Bit f of inside[j] / outside[j]: corner j is surely inside / outside face f.
struct Masks {
    std::array<unsigned, 4> inside{};
    std::array<unsigned, 4> outside{};

    explicit Masks(const Heights& h) {
        for (std::size_t f = 0; f < 4; ++f)
            for (std::size_t j = 0; j < 4; ++j) {
                inside[j] |= static_cast<unsigned>(h.height[f][j] > h.error) << f;
                outside[j] |= static_cast<unsigned>(h.height[f][j] < -h.error) << f;
            }
    }
    [[nodiscard]] bool separated() const { return (outside[0] & outside[1] & outside[2] & outside[3]) != 0; }
    [[nodiscard]] bool contains_corner() const {
        return inside[0] == 15 || inside[1] == 15 || inside[2] == 15 || inside[3] == 15;
    }
};

// Does the edge from corner i to corner j meet the tetrahedron? Heights are linear along it, so a point with all heights
// above the error proves a meeting. A point with two heights below -error proves a miss, if one of the two is outside also at
// the start and the other at the end.
Answer clip_edge(const Heights& h, std::size_t i, std::size_t j) {
    double enter = 0;
    double leave = 1;
    std::size_t enter_face = 4;
    std::size_t leave_face = 4;
    for (std::size_t f = 0; f < 4; ++f) {
        const double from = h.height[f][i];
        const double to = h.height[f][j];
        if ((from < 0) == (to < 0)) {
            if (from < 0) return Answer::unsure; // both below 0, but not both below -error
            continue;
        }
        const double crossing = from / (from - to);
        if (from < 0 && crossing > enter) {
            enter = crossing;
            enter_face = f;
        }
        if (to < 0 && crossing < leave) {
            leave = crossing;
            leave_face = f;
        }
    }
    const double middle = 0.5 * (enter + leave);
    const auto height_at = [&](std::size_t f) {
        return h.height[f][i] + middle * (h.height[f][j] - h.height[f][i]);
    };
    if (enter < leave) {
        for (std::size_t f = 0; f < 4; ++f)
            if (!(height_at(f) > h.error)) return Answer::unsure;
        return Answer::yes;
    }
    if (enter_face == 4 || leave_face == 4) return Answer::unsure;
    const bool misses = h.height[enter_face][i] < -h.error && height_at(enter_face) < -h.error &&
                        height_at(leave_face) < -h.error && h.height[leave_face][j] < -h.error;
    return misses ? Answer::no : Answer::unsure;
}

// Do the edges of the one tetrahedron meet the other?
Answer clip_edges(const Heights& h, const Masks& m) {
    Answer answer = Answer::no;
    for (const auto& edge : edges) {
        const auto i = static_cast<std::size_t>(edge[0]);
        const auto j = static_cast<std::size_t>(edge[1]);
        if (m.outside[i] & m.outside[j]) continue;
        const Answer found = clip_edge(h, i, j);
        if (found == Answer::yes) return found;
        if (found == Answer::unsure) answer = found;
    }
    return answer;
}

// Two convex solids meet exactly when an edge of one meets the other.
Answer filtered(const Corners& a, const Corners& b) {
    const Heights of_b(a, b);
    if (!of_b.valid) return Answer::unsure;
    const Masks in_a(of_b);
    if (in_a.separated()) return Answer::no;
    if (in_a.contains_corner()) return Answer::yes;
    const Heights of_a(b, a);
    if (!of_a.valid) return Answer::unsure;
    const Masks in_b(of_a);
    if (in_b.separated()) return Answer::no;
    if (in_b.contains_corner()) return Answer::yes;
    const Answer first = clip_edges(of_b, in_a);
    if (first == Answer::yes) return first;
    const Answer second = clip_edges(of_a, in_b);
    return second == Answer::no ? first : second;
}

Box box_around(const Corners& t) {
    return {t[0].cwiseMin(t[1]).cwiseMin(t[2].cwiseMin(t[3])), t[0].cwiseMax(t[1]).cwiseMax(t[2].cwiseMax(t[3]))};
}

std::array<Vec3, 3> face(const Corners& t, std::size_t k) {
    const auto& f = tetrahedron_faces[k];
    return {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])], t[static_cast<std::size_t>(f[2])]};
}

bool share_corner(const Corners& a, const Corners& b) {
    return std::any_of(a.begin(), a.end(), [&](const Vec3& p) { return std::find(b.begin(), b.end(), p) != b.end(); });
}

// Faces cover a flat tetrahedron, and bound any other; without a meeting of faces only one inside the other is left.
bool exact(const Corners& a, const Corners& b) {
    if (share_corner(a, b)) return true;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            if (triangles_overlap(face(a, i), face(b, j))) return true;
    return tetrahedron_contains(a, b[0]) || tetrahedron_contains(b, a[0]);
}

} // namespace

bool tetrahedra_overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    if (!box_around(a).overlaps(box_around(b))) return false;
    const Answer answer = filtered(a, b);
    return answer == Answer::unsure ? exact(a, b) : answer == Answer::yes;
}

bool tetrahedra_overlap_exact(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    return box_around(a).overlaps(box_around(b)) && exact(a, b);
}

bool tetrahedron_contains(const std::array<Vec3, 4>& t, const Vec3& p) {
    const int volume = orient3d(t[0], t[1], t[2], t[3]);
    if (volume == 0) return false;
    for (std::size_t k = 0; k < 4; ++k) {
        // Face k is counter-clockwise from outside a positive tetrahedron: inside is below it.
        const auto f = face(t, k);
        if (orient3d(f[0], f[1], f[2], p) * volume > 0) return false;
    }
    return true;
}

} // namespace fathom
