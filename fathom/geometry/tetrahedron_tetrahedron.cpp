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

using Lanes = std::array<double, 4>; // one number a face; loops over it become vector instructions

// height[j][f]: how far corner j of the other tetrahedron lies inside face f of this one, times twice that face's area.
// True heights are within `error` of these, and so are heights interpolated between two corners.
//
// Why: relative to corner 0 let M = Mx My Mz be the product of the largest coordinates of both. A height of faces 1 to 3 is a
// determinant of six products below M, each with at most nine roundings: error 54 u M, u = 2^-53. The normal of face 0 is
// minus the sum of the others, its height the volume plus 18 such products with three roundings more: 288 u M.
// Interpolation adds three roundings of numbers below 48 M. All below 2^9 u M = 2^-44 M. Where M is not tiny and no
// coordinate is huge, overflow cannot and underflow does not matter.
struct Heights {
    std::array<Lanes, 4> height;
    double error;
    bool valid; // the tetrahedron is surely not flat and the numbers are in range

    Heights(const Corners& a, const Corners& b) {
        std::array<std::array<double, 3>, 3> u; // edges from corner 0
        std::array<std::array<double, 3>, 4> v; // the other's corners from corner 0
        std::array<double, 3> largest;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            const double origin = a[0][axis];
            for (std::size_t r = 0; r < 3; ++r) u[r][k] = a[r + 1][axis] - origin;
            for (std::size_t j = 0; j < 4; ++j) v[j][k] = b[j][axis] - origin;
            const double of_a = std::max(std::max(std::abs(u[0][k]), std::abs(u[1][k])), std::abs(u[2][k]));
            const double of_b = std::max(std::max(std::abs(v[0][k]), std::abs(v[1][k])),
                                         std::max(std::abs(v[2][k]), std::abs(v[3][k])));
            largest[k] = std::max(of_a, of_b);
        }
        std::array<Lanes, 3> normal; // [axis][face], inward for a positive tetrahedron
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t p = (k + 1) % 3;
            const std::size_t q = (k + 2) % 3;
            for (std::size_t f = 0; f < 3; ++f)
                normal[k][f + 1] = u[(f + 1) % 3][p] * u[(f + 2) % 3][q] - u[(f + 1) % 3][q] * u[(f + 2) % 3][p];
            normal[k][0] = -(normal[k][1] + normal[k][2] + normal[k][3]);
        }
        const double volume = u[0][0] * normal[0][1] + u[0][1] * normal[1][1] + u[0][2] * normal[2][1];
        const double sign = volume < 0 ? -1.0 : 1.0;
        for (Lanes& row : normal)
            for (double& x : row) x *= sign;
        const Lanes start = {std::abs(volume), 0, 0, 0};
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t f = 0; f < 4; ++f)
                height[j][f] = start[f] + normal[0][f] * v[j][0] + normal[1][f] * v[j][1] + normal[2][f] * v[j][2];
        const double product = largest[0] * largest[1] * largest[2];
        error = 0x1p-44 * product;
        valid = std::abs(volume) > error && product > 1e-200 &&
                std::max(std::max(largest[0], largest[1]), largest[2]) < 1e100;
    }
};

unsigned bits_above(const Lanes& x, double limit) {
    return static_cast<unsigned>(x[0] > limit) | static_cast<unsigned>(x[1] > limit) << 1 |
           static_cast<unsigned>(x[2] > limit) << 2 | static_cast<unsigned>(x[3] > limit) << 3;
}
unsigned bits_below(const Lanes& x, double limit) {
    return static_cast<unsigned>(x[0] < limit) | static_cast<unsigned>(x[1] < limit) << 1 |
           static_cast<unsigned>(x[2] < limit) << 2 | static_cast<unsigned>(x[3] < limit) << 3;
}
constexpr unsigned all_faces = 15;

// outside[j]: bit f says that corner j is surely outside face f.
struct Masks {
    std::array<unsigned, 4> outside;
    bool separated;       // all corners are outside one face
    bool contains_corner; // a corner is inside all faces

    explicit Masks(const Heights& h) : separated(false), contains_corner(false) {
        for (std::size_t j = 0; j < 4; ++j) {
            outside[j] = bits_below(h.height[j], -h.error);
            contains_corner |= bits_above(h.height[j], h.error) == all_faces;
        }
        separated = (outside[0] & outside[1] & outside[2] & outside[3]) != 0;
    }
};

// Does the edge from corner i to corner j meet the tetrahedron? Heights are linear along it, so a point with all heights
// above the error proves a meeting. A point with two heights below -error proves a miss, if one of the two is outside also at
// the start and the other at the end. The point tried is halfway between the last entry and the first exit.
Answer clip_edge(const Heights& h, const Masks& m, std::size_t i, std::size_t j) {
    const Lanes& from = h.height[i];
    const Lanes& to = h.height[j];
    Lanes enter;
    Lanes leave;
    for (std::size_t f = 0; f < 4; ++f) {
        const double crossing = from[f] / (from[f] - to[f]);
        enter[f] = from[f] < 0 ? crossing : 0.0;
        leave[f] = to[f] < 0 ? crossing : 1.0;
    }
    const double last_entry = std::max(std::max(enter[0], enter[1]), std::max(enter[2], enter[3]));
    const double first_exit = std::min(std::min(leave[0], leave[1]), std::min(leave[2], leave[3]));
    const double middle = 0.5 * (last_entry + first_exit);
    Lanes there;
    for (std::size_t f = 0; f < 4; ++f) there[f] = from[f] + middle * (to[f] - from[f]);
    if (last_entry < first_exit) return bits_above(there, h.error) == all_faces ? Answer::yes : Answer::unsure;
    const unsigned outside = bits_below(there, -h.error);
    return middle >= 0 && middle <= 1 && (outside & m.outside[i]) && (outside & m.outside[j]) ? Answer::no : Answer::unsure;
}

// Do the edges of the one tetrahedron meet the other?
Answer clip_edges(const Heights& h, const Masks& m) {
    Answer answer = Answer::no;
    for (const auto& edge : edges) {
        const auto i = static_cast<std::size_t>(edge[0]);
        const auto j = static_cast<std::size_t>(edge[1]);
        if (m.outside[i] & m.outside[j]) continue;
        const Answer found = clip_edge(h, m, i, j);
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
    if (in_a.separated) return Answer::no;
    if (in_a.contains_corner) return Answer::yes;
    const Heights of_a(b, a);
    if (!of_a.valid) return Answer::unsure;
    const Masks in_b(of_a);
    if (in_b.separated) return Answer::no;
    if (in_b.contains_corner) return Answer::yes;
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
