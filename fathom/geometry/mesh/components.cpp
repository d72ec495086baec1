// The connected parts of a surface.
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/disjoint_sets.h>
#include <fathom/geometry/mesh/mass_properties.h>

#include <algorithm>

namespace fathom {

namespace {

// Numbers the sets of triangles in the order of their first triangle. `element_of(triangle)` names an element of the
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

// How many sheets each part falls into when surfaces that only touch in a vertex are pulled apart.
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

// Closedness, and the Euler characteristic of the surface with touching vertices pulled apart.
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

} // namespace fathom
