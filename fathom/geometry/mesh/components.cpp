// Topology and connected components of a surface.
#include <fathom/geometry/mesh/components.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/mesh/weld.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

namespace fathom {

// Topology of a surface.

namespace {

constexpr std::size_t component_chunk = 4096;

// Counts the fans of one vertex after another and keeps its memory.
class FanCounter {
public:
    [[nodiscard]] Index count(std::span<const Triangle> triangles, std::span<const Index> around, Index vertex) {
        spokes_.clear();
        for (std::size_t i = 0; i < around.size(); ++i)
            for (const Index other : triangles[around[i]])
                if (other != vertex) spokes_.push_back(std::uint64_t{other} << 32 | i);
        std::sort(spokes_.begin(), spokes_.end());

        sets_.reset(around.size());
        for (std::size_t i = 1; i < spokes_.size(); ++i)
            if (spokes_[i] >> 32 == spokes_[i - 1] >> 32)
                sets_.join(static_cast<Index>(spokes_[i]), static_cast<Index>(spokes_[i - 1]));
        return static_cast<Index>(sets_.count());
    }

private:
    std::vector<std::uint64_t> spokes_; // edge to another vertex (upper half), position in `around` (lower half)
    DisjointSets sets_;
};

std::vector<Index> count_fans(std::span<const Triangle> triangles, std::size_t vertex_count) {
    const Lists around = vertex_triangles(triangles, vertex_count);
    std::vector<Index> fans(vertex_count, 0);
    parallel_for(vertex_count, component_chunk, [&](std::size_t begin, std::size_t end) {
        FanCounter counter;
        for (std::size_t v = begin; v < end; ++v) fans[v] = counter.count(triangles, around[v], static_cast<Index>(v));
    });
    return fans;
}

} // namespace

EdgeKind SurfaceTopology::kind(std::size_t edge) const {
    const auto sides = edges.sides[edge];
    if (sides.size() < 2) return EdgeKind::open;
    if (sides.size() > 2) return EdgeKind::non_manifold;
    const bool agree = runs_along_edge(triangles, sides[0]) != runs_along_edge(triangles, sides[1]);
    return agree ? EdgeKind::joined : EdgeKind::clashing;
}

bool SurfaceTopology::balanced(std::size_t edge) const {
    const auto sides = edges.sides[edge];
    const auto along =
        std::count_if(sides.begin(), sides.end(), [&](Index s) { return runs_along_edge(triangles, s); });
    return 2 * static_cast<std::size_t>(along) == sides.size();
}

SurfaceTopology surface_topology(const TriangleMesh& mesh) {
    SurfaceTopology topology;
    topology.merged = equal_positions(mesh.vertices);
    topology.triangles.resize(mesh.triangles.size());
    parallel_for(mesh.triangles.size(), component_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (std::size_t k = 0; k < 3; ++k) topology.triangles[t][k] = topology.merged[mesh.triangles[t][k]];
    });
    topology.edges = edge_table(topology.triangles, mesh.vertices.size());
    topology.fans = count_fans(topology.triangles, mesh.vertices.size());
    return topology;
}

namespace {

// Numbers the sets of triangles in the order of their first triangle. `element_of(triangle)` returns an element of the
// set.
template <class ElementOf>
std::vector<Index> numbered(const SurfaceTopology& topology, DisjointSets& sets, std::size_t element_count,
                            ElementOf&& element_of, Index& set_count) {
    std::vector<Index> number(element_count, no_index), of_triangle(topology.triangles.size(), no_index);
    set_count = 0;
    for (std::size_t t = 0; t < topology.triangles.size(); ++t) {
        if (names_a_vertex_twice(topology.triangles[t])) continue;
        Index& n = number[sets.find(element_of(t))];
        if (n == no_index) n = set_count++;
        of_triangle[t] = n;
    }
    return of_triangle;
}

std::vector<Index> parts_by_vertices(const SurfaceTopology& topology, Index& part_count) {
    DisjointSets sets(topology.merged.size());
    for (const Triangle& t : topology.triangles) {
        if (names_a_vertex_twice(t)) continue;
        sets.join(t[0], t[1]);
        sets.join(t[1], t[2]);
    }
    return numbered(
        topology, sets, topology.merged.size(), [&](std::size_t t) { return topology.triangles[t][0]; }, part_count);
}

// Number of sheets of each component after surfaces that only touch in a vertex are separated.
std::vector<Index> sheets_of_parts(const SurfaceTopology& topology, const Components& components) {
    std::vector<Index> sheets(components.parts.size(), 1);
    if (std::all_of(topology.fans.begin(), topology.fans.end(), [](Index fans) { return fans <= 1; })) return sheets;

    DisjointSets sets(topology.triangles.size());
    for (std::size_t e = 0; e < topology.edges.edges.size(); ++e) {
        const auto sides = topology.edges.sides[e];
        for (std::size_t i = 1; i < sides.size(); ++i) sets.join(sides[i - 1] / 3, sides[i] / 3);
    }
    std::fill(sheets.begin(), sheets.end(), 0);
    for (Index t = 0; t < topology.triangles.size(); ++t)
        if (components.part_of_triangle[t] != no_index && sets.find(t) == t) ++sheets[components.part_of_triangle[t]];
    return sheets;
}

// Whether components are closed, and the Euler characteristic of the surface with touching vertices separated.
std::vector<std::int64_t> euler_characteristics(const SurfaceTopology& topology, Components& components) {
    std::vector<std::int64_t> euler(components.parts.size(), 0);
    std::vector<bool> counted(topology.fans.size(), false);
    for (std::size_t t = 0; t < topology.triangles.size(); ++t) {
        const Index part = components.part_of_triangle[t];
        if (part == no_index) continue;
        ++euler[part];
        for (const Index v : topology.triangles[t]) {
            if (counted[v]) continue;
            counted[v] = true;
            euler[part] += topology.fans[v];
        }
    }
    for (std::size_t e = 0; e < topology.edges.edges.size(); ++e) {
        const Index part = components.part_of_triangle[topology.edges.sides[e][0] / 3];
        --euler[part];
        if (topology.kind(e) != EdgeKind::joined) components.parts[part].closed = false;
    }
    return euler;
}

void measure(const TriangleMesh& mesh, Component& part, std::span<const Index> triangles) {
    for (const Index t : triangles) part.bounds.extend(mesh.bounds(t));
    const SurfaceMeasure measured = surface_measure(mesh, triangles);
    part.area = measured.area;
    part.volume = part.closed ? measured.volume : 0.0;
}

} // namespace

Components components(const TriangleMesh& mesh) { return components(mesh, surface_topology(mesh)); }

Components components(const TriangleMesh& mesh, const SurfaceTopology& topology) {
    Components result;
    Index part_count = 0;
    result.part_of_triangle = parts_by_vertices(topology, part_count);
    result.triangles_of_part = grouped(result.part_of_triangle, part_count);
    result.parts.resize(part_count);
    for (Index p = 0; p < part_count; ++p) {
        result.parts[p].first_triangle = result.triangles_of_part[p].front();
        result.parts[p].triangle_count = result.triangles_of_part[p].size();
        result.parts[p].closed = true;
    }
    const auto euler = euler_characteristics(topology, result);
    const auto sheets = sheets_of_parts(topology, result);
    for (Index p = 0; p < part_count; ++p) {
        if (result.parts[p].closed) result.parts[p].genus = static_cast<Index>(sheets[p] - euler[p] / 2);
        measure(mesh, result.parts[p], result.triangles_of_part[p]);
    }
    return result;
}

// Closed components that are inside-out: signed crossings of a ray from each candidate with all other components. One
// pass over the triangles, with the rays in a grid of columns; a tree does not pay for a few points and all triangles.

namespace {

// A point on each closed component of negative volume; a ray runs from it in the direction +z.
struct PartPoints {
    std::vector<Index> part; // ascending
    std::vector<Vec3> point;
};

PartPoints points_on_negative_parts(const TriangleMesh& mesh, const Components& components) {
    PartPoints points;
    for (Index p = 0; p < components.parts.size(); ++p) {
        if (!components.parts[p].closed || !(components.parts[p].volume < 0)) continue;
        // The middle of the largest triangle: components that touch in a vertex or along an edge do not touch there.
        Index largest = components.parts[p].first_triangle;
        double area = -1;
        for (const Index t : components.triangles_of_part[p]) {
            const double a = area_vector(mesh.corners(t)).squaredNorm();
            if (a > area) largest = t, area = a;
        }
        const auto [a, b, c] = mesh.corners(largest);
        points.part.push_back(p);
        points.point.push_back((a + b + c) / 3.0);
    }
    return points;
}

// Columns along z over the bounds of the points, about as many as there are points.
class ColumnGrid {
public:
    explicit ColumnGrid(const std::vector<Vec3>& points) : box_(bounds(points)) {
        side_ =
            std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(points.size()))), 1, 4096);
        std::vector<Index> column(points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            column[i] = static_cast<Index>(cell(points[i].x(), 0) * side_ + cell(points[i].y(), 1));
        columns_ = grouped(column, side_ * side_);
    }

    template <class Visit>
    void visit_overlapping(const Box& box, Visit&& visit) const {
        if (!box_.overlaps(
                {{box.lower.x(), box.lower.y(), box_.lower.z()}, {box.upper.x(), box.upper.y(), box_.upper.z()}}))
            return;
        for (std::size_t x = cell(box.lower.x(), 0); x <= cell(box.upper.x(), 0); ++x)
            for (std::size_t y = cell(box.lower.y(), 1); y <= cell(box.upper.y(), 1); ++y)
                for (const Index i : columns_[x * side_ + y]) visit(i);
    }

private:
    [[nodiscard]] std::size_t cell(double value, int axis) const {
        const double size = box_.size()[axis];
        const double share = size > 0 ? (value - box_.lower[axis]) / size * static_cast<double>(side_) : 0.0;
        return static_cast<std::size_t>(std::clamp(share, 0.0, static_cast<double>(side_ - 1)));
    }

    Box box_;
    std::size_t side_ = 1;
    Lists columns_;
};

// Winding number of the outline of the triangle around p, seen from +z: -1, 0 or 1. A vertex at the height of p counts
// as below, so that a ray through an edge or a vertex crosses exactly one of the triangles there.
int winding_seen_from_above(const Vec3& p, const std::array<Vec3, 3>& c) {
    int winding = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &a = c[k], &b = c[(k + 1) % 3];
        if (a.y() <= p.y() && b.y() > p.y() && orient2d(p, a, b, 2) > 0) ++winding;
        if (a.y() > p.y() && b.y() <= p.y() && orient2d(p, a, b, 2) < 0) --winding;
    }
    return winding;
}

// Signed crossing of the ray from p towards +z with a triangle: 1 if it leaves, -1 if it enters.
int crossing(const Vec3& p, const std::array<Vec3, 3>& corners) {
    if (std::max({corners[0].z(), corners[1].z(), corners[2].z()}) < p.z()) return 0;
    const int winding = winding_seen_from_above(p, corners);
    const bool below = winding != 0 && orient3d(corners[0], corners[1], corners[2], p) == -winding;
    return below ? winding : 0;
}

// The winding number of all other closed components around each point.
std::vector<int> windings(const TriangleMesh& mesh, const Components& components, const PartPoints& points) {
    const ColumnGrid grid(points.point);
    std::vector<std::atomic<int>> counts(points.point.size());
    parallel_for(mesh.triangles.size(), component_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Index part = components.part_of_triangle[t];
            if (part == no_index || !components.parts[part].closed) continue;
            const auto corners = mesh.corners(t);
            grid.visit_overlapping(mesh.bounds(t), [&](Index i) {
                if (points.part[i] == part || !components.parts[part].bounds.contains(points.point[i])) return;
                if (const int c = crossing(points.point[i], corners)) counts[i].fetch_add(c, std::memory_order_relaxed);
            });
        }
    });
    return {counts.begin(), counts.end()};
}

} // namespace

std::vector<Index> inside_out_parts(const TriangleMesh& mesh, const Components& components) {
    const PartPoints points = points_on_negative_parts(mesh, components);
    if (points.part.empty()) return {};
    const auto outside = windings(mesh, components, points);
    std::vector<Index> found;
    for (std::size_t i = 0; i < points.part.size(); ++i)
        if (outside[i] < 1) found.push_back(points.part[i]);
    return found;
}

} // namespace fathom
