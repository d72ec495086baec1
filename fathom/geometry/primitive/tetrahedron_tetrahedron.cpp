// Overlap test of two tetrahedra.
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <fathom/base/primitives.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

using TetCorners = std::array<Vec3, 4>;
Box box_around(const TetCorners& t) {
    return {t[0].cwiseMin(t[1]).cwiseMin(t[2].cwiseMin(t[3])), t[0].cwiseMax(t[1]).cwiseMax(t[2].cwiseMax(t[3]))};
}

std::array<Vec3, 3> face(const TetCorners& t, std::size_t k) {
    const auto& f = tetrahedron_faces[k];
    return {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])], t[static_cast<std::size_t>(f[2])]};
}

bool share_corner(const TetCorners& a, const TetCorners& b) {
    return std::any_of(a.begin(), a.end(), [&](const Vec3& p) { return std::find(b.begin(), b.end(), p) != b.end(); });
}

// Faces cover a flat tetrahedron, and bound any other; if no faces intersect, only containment remains.
bool exact(const TetCorners& a, const TetCorners& b) {
    if (share_corner(a, b)) return true;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            if (triangles_overlap(face(a, i), face(b, j))) return true;
    return tetrahedron_contains(a, b[0]) || tetrahedron_contains(b, a[0]);
}

} // namespace

bool tetrahedra_overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    if (!box_around(a).overlaps(box_around(b))) return false;
    const FilterAnswer answer = tetrahedra_filter(a, b);
    return answer == FilterAnswer::unsure ? exact(a, b) : answer == FilterAnswer::yes;
}

bool tetrahedra_overlap_exact(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b) {
    return box_around(a).overlaps(box_around(b)) && exact(a, b);
}

bool tetrahedron_contains(const std::array<Vec3, 4>& t, const Vec3& p) {
    const int volume = orient3d(t[0], t[1], t[2], t[3]);
    if (volume == 0) return false;
    for (std::size_t k = 0; k < 4; ++k) {
        // Face k is counter-clockwise seen from outside a tetrahedron of positive volume: the inside is below it.
        const auto f = face(t, k);
        if (orient3d(f[0], f[1], f[2], p) * volume > 0) return false;
    }
    return true;
}

} // namespace fathom
