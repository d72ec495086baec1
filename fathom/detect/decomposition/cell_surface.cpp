// Clipping of triangles to slabs and boxes, and the edges at which a solid turns inward.
#include <fathom/detect/decomposition/cell_surface.h>

#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>
#include <cmath>

namespace fathom::decomposition {

namespace {

constexpr double least_reflex_angle = 0.2; // rad

Vec3 unit_normal(const std::array<Vec3, 3>& corners) {
    const Vec3 n = area_vector(corners);
    const double length = n.norm();
    return length > 0 ? Vec3(n / length) : Vec3::Zero();
}

std::vector<ReflexEdge> reflex_edges_of(const TriangleMesh& mesh) {
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    std::vector<ReflexEdge> found;
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        if (sides.size() != 2) continue;
        const Vec3 n = unit_normal(mesh.corners(sides[0] / 3)), m = unit_normal(mesh.corners(sides[1] / 3));
        const Triangle& t = mesh.triangles[sides[0] / 3];
        const Vec3 &p = mesh.vertices[t[sides[0] % 3]], &q = mesh.vertices[t[(sides[0] % 3 + 1) % 3]];
        const double length = (q - p).norm();
        const double turn = length > 0 ? -n.cross(m).dot(q - p) / length : 0; // sine of the angle, above 0: inward
        if (!(turn > 0)) continue;
        const double angle = std::atan2(turn, n.dot(m));
        if (angle < least_reflex_angle) continue;
        for (int axis = 0; axis < 3; ++axis)
            if (std::abs(p[axis] - q[axis]) <= on_plane)
                found.push_back({axis, p[axis], length * angle, Segment{p, q}.bounds()});
    }
    return found;
}

// The slabs that a polygon has a part in. A polygon in a plane belongs to the side on which the solid is.
struct SlabRange {
    std::size_t first = 0, last = 0;
};

SlabRange slabs_of(double lower, double upper, double normal, std::span<const double> planes) {
    const auto below = [&](double c) { // planes below a coordinate
        return static_cast<std::size_t>(std::lower_bound(planes.begin(), planes.end(), c) - planes.begin());
    };
    if (upper - lower > 2 * on_plane) {
        const std::size_t first = below(lower + on_plane);
        return {first, std::max(first, below(upper - on_plane))};
    }
    const double middle = 0.5 * (lower + upper);
    const std::size_t at = below(middle - 2 * on_plane);
    const bool in_plane = at < planes.size() && planes[at] <= middle + 2 * on_plane;
    const std::size_t slab = in_plane ? (normal > 0 ? at : at + 1) : below(middle);
    return {slab, slab};
}

// Calls take(slab, point, vertex) for the corners of one polygon in each of its slabs, in their order.
template <class Take>
void clip(const Polygons& polygons, std::size_t number, int axis, std::span<const double> planes, const Take& take) {
    const Index begin = polygons.first[number], end = polygons.first[number + 1];
    double lower = HUGE_VAL, upper = -HUGE_VAL;
    for (Index k = begin; k < end; ++k) {
        lower = std::min(lower, polygons.corners[k][axis]);
        upper = std::max(upper, polygons.corners[k][axis]);
    }
    const SlabRange range = slabs_of(lower, upper, polygons.normals[number][axis], planes);
    for (std::size_t slab = range.first; slab <= range.last; ++slab) {
        const double bottom = slab > range.first ? planes[slab - 1] : -HUGE_VAL;
        const double top = slab < range.last ? planes[slab] : HUGE_VAL;
        for (Index k = begin; k < end; ++k) {
            const Index next = k + 1 < end ? k + 1 : begin;
            const Vec3 &p = polygons.corners[k], &q = polygons.corners[next];
            const double a = p[axis], b = q[axis];
            if (a >= bottom - on_plane && a <= top + on_plane) take(slab, p, polygons.vertices[k]);
            const auto cross = [&](double plane) {
                if (std::min(a, b) >= plane - on_plane || std::max(a, b) <= plane + on_plane) return;
                const Vec3 &low = a < b ? p : q, &high = a < b ? q : p; // the same point from both polygons of an edge
                Vec3 x = low + (plane - low[axis]) / (high[axis] - low[axis]) * (high - low);
                x[axis] = plane;
                take(slab, x, no_index);
            };
            cross(a < b ? bottom : top);
            cross(a < b ? top : bottom);
        }
    }
}

} // namespace

PieceSurface::PieceSurface(TriangleMesh mesh, const Field* solid)
    : mesh_(std::move(mesh)), solid_(solid), tree_(solid ? SurfaceTree() : SurfaceTree(mesh_)),
      reflex_(reflex_edges_of(mesh_)) {}

Polygons Polygons::of(const TriangleMesh& mesh) {
    Polygons out;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (names_a_vertex_twice(mesh.triangles[t])) continue;
        for (const Index v : mesh.triangles[t]) {
            out.corners.push_back(mesh.vertices[v]);
            out.vertices.push_back(v);
        }
        out.first.push_back(static_cast<Index>(out.corners.size()));
        out.normals.push_back(unit_normal(mesh.corners(t)));
    }
    return out;
}

std::array<Polygons, 2> split(const Polygons& polygons, int axis, double plane) {
    std::array<Polygons, 2> sides;
    for (std::size_t k = 0; k < polygons.size(); ++k) {
        clip(polygons, k, axis, {&plane, 1}, [&](std::size_t slab, const Vec3& p, Index vertex) {
            sides[slab].corners.push_back(p);
            sides[slab].vertices.push_back(vertex);
        });
        for (Polygons& side : sides) {
            if (side.corners.size() == side.first.back()) continue;
            side.first.push_back(static_cast<Index>(side.corners.size()));
            side.normals.push_back(polygons.normals[k]);
        }
    }
    return sides;
}

std::vector<std::vector<Vec3>> sliced(const Polygons& polygons, std::size_t vertex_count, int axis,
                                      std::span<const double> planes) {
    std::vector<std::vector<Vec3>> points(planes.size() + 1);
    std::vector<std::size_t> listed(vertex_count, points.size()); // the slab that a vertex was last listed for
    for (std::size_t k = 0; k < polygons.size(); ++k)
        clip(polygons, k, axis, planes, [&](std::size_t slab, const Vec3& p, Index vertex) {
            if (vertex != no_index && listed[vertex] == slab) return;
            if (vertex != no_index) listed[vertex] = slab;
            points[slab].push_back(p);
        });
    return points;
}

void append_inside_corners(const PieceSurface& surface, const Box& box, std::vector<Vec3>& out) {
    const Vec3 center = box.center();
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner = box.corner(k);
        const Vec3 inward = (center - corner).cwiseSign() * (2 * on_plane);
        if (surface.contains(corner + inward)) out.push_back(corner);
    }
}

} // namespace fathom::decomposition
