// Report on a mesh, and self-intersections.
#include <fathom/geometry/inspect/mesh_report.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/mesh/weld.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/index/bvh.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace fathom {

// Self-intersections: pairs of triangles of one mesh that intersect beyond their shared features.

namespace {

constexpr std::size_t pair_chunk = 512;

// Adds the pairs of triangle i with triangles of higher index.
void add_pairs(const TriangleMesh& mesh, const Bvh& tree, Index i, std::size_t max_pairs, SelfIntersections& found) {
    const std::size_t before = found.pairs.size();
    tree.visit_overlapping(mesh.bounds(i), [&](Index j) {
        if (j <= i || !triangles_cross(mesh, i, j)) return true;
        ++found.count;
        found.pairs.push_back({i, j});
        return true;
    });
    std::sort(found.pairs.begin() + static_cast<std::ptrdiff_t>(before), found.pairs.end());
    if (found.pairs.size() > max_pairs) found.pairs.resize(max_pairs);
}

std::vector<Box> boxes_of(const TriangleMesh& mesh) {
    std::vector<Box> boxes(mesh.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t) boxes[t] = mesh.bounds(t);
    return boxes;
}

} // namespace

bool crosses_itself(const TriangleMesh& mesh, const Bvh& tree, Progress* progress) {
    const std::vector<Box> boxes = boxes_of(mesh);
    std::atomic<bool> found = false;
    Stage stage(progress, "self-intersections", boxes.size());
    parallel_for(boxes.size(), pair_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end && !found; ++k) {
            const auto i = static_cast<Index>(k);
            // A visit that was stopped has found a pair.
            if (!tree.visit_overlapping(boxes[i], [&](Index j) {
                    return j <= i || !boxes[i].overlaps(boxes[j]) || !triangles_cross(mesh, i, j);
                }))
                found = true;
        }
        stage.step(end - begin);
    });
    return found;
}

SelfIntersections self_intersections(const TriangleMesh& mesh, const SelfIntersectionOptions& options) {
    check(mesh);
    const std::vector<Box> boxes = boxes_of(mesh);
    const Bvh tree(boxes);
    Stage stage(options.progress, "self-intersections", boxes.size());
    return parallel_reduce(
        boxes.size(), pair_chunk, SelfIntersections{},
        [&](std::size_t begin, std::size_t end) {
            SelfIntersections part;
            for (std::size_t i = begin; i < end; ++i)
                add_pairs(mesh, tree, static_cast<Index>(i), options.max_pairs, part);
            stage.step(end - begin);
            return part;
        },
        [&](SelfIntersections all, const SelfIntersections& part) {
            all.count += part.count;
            const std::size_t room = std::min(options.max_pairs - all.pairs.size(), part.pairs.size());
            all.pairs.insert(all.pairs.end(), part.pairs.begin(),
                             part.pairs.begin() + static_cast<std::ptrdiff_t>(room));
            return all;
        });
}

namespace {

constexpr std::size_t report_chunk = 8192;

template <class Id>
Finding<Id> finding(const std::vector<Id>& ids, std::size_t first_count) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(first_count, ids.size()));
    return {ids.size(), {ids.begin(), ids.begin() + shown}};
}

// The elements of 0, ..., count-1 that `is_bad` selects; `name(i)` is the identifier of element i in the report.
template <class IsBad, class Name>
auto find_where(std::size_t count, std::size_t first_count, IsBad&& is_bad, Name&& name) {
    using Result = Finding<decltype(name(std::size_t{}))>;
    return parallel_reduce(
        count, report_chunk, Result{},
        [&](std::size_t begin, std::size_t end) {
            Result part;
            for (std::size_t i = begin; i < end; ++i) {
                if (!is_bad(i)) continue;
                ++part.count;
                if (part.first.size() < first_count) part.first.push_back(name(i));
            }
            return part;
        },
        [&](Result all, const Result& part) {
            all.count += part.count;
            const auto room = static_cast<std::ptrdiff_t>(std::min(first_count - all.first.size(), part.first.size()));
            all.first.insert(all.first.end(), part.first.begin(), part.first.begin() + room);
            return all;
        });
}

constexpr auto by_index = [](std::size_t i) { return static_cast<Index>(i); };

// Unused and non-finite vertices, and the bounds.
template <class Elements>
void report_vertices(MeshReport& report, std::span<const Vec3> vertices, const Elements& elements,
                     std::size_t first_count) {
    std::vector<char> used(vertices.size(), 0);
    for (const auto& element : elements)
        for (const Index v : element) used[v] = 1;
    report.vertices = vertices.size();
    report.unreferenced_vertices = find_where(
        vertices.size(), first_count, [&](std::size_t v) { return !used[v]; }, by_index);
    report.non_finite_vertices = find_where(
        vertices.size(), first_count, [&](std::size_t v) { return !is_finite(vertices[v]); }, by_index);
    for (std::size_t v = 0; v < vertices.size(); ++v)
        if ((used[v] || elements.empty()) && is_finite(vertices[v])) report.bounds.extend(vertices[v]);
}

void report_edges(MeshReport& report, const SurfaceTopology& topology, std::size_t first_count) {
    const auto& edges = topology.edges.edges;
    const auto of_kind = [&](EdgeKind kind) {
        return find_where(
            edges.size(), first_count, [&](std::size_t e) { return topology.kind(e) == kind; },
            [&](std::size_t e) { return edges[e]; });
    };
    report.open_edges = of_kind(EdgeKind::open);
    report.nonmanifold_edges = of_kind(EdgeKind::non_manifold);
    report.clashing_edges = of_kind(EdgeKind::clashing);
    report.watertight = report.triangles > 0 && report.open_edges.count == 0 && report.nonmanifold_edges.count == 0 &&
                        report.clashing_edges.count == 0;
}

void report_parts(MeshReport& report, const TriangleMesh& mesh, const SurfaceTopology& topology,
                  std::size_t first_count) {
    const Components found = components(mesh, topology);
    report.components = found.parts.size();
    if (report.watertight) {
        report.genus = 0;
        for (const Component& part : found.parts) *report.genus += part.genus.value_or(0);
    }
    if (report.non_finite_vertices.count > 0) return;
    std::vector<Index> first_triangles;
    for (const Index part : inside_out_parts(mesh, found)) first_triangles.push_back(found.parts[part].first_triangle);
    report.inside_out_parts = finding(first_triangles, first_count);
}

bool has_volume(const SurfaceTopology& topology) {
    const auto unbalanced = find_where(
        topology.edges.edges.size(), 1, [&](std::size_t e) { return !topology.balanced(e); }, by_index);
    return unbalanced.count == 0 && !topology.edges.edges.empty();
}

void report_surface(MeshReport& report, const TriangleMesh& mesh, const ReportOptions& options) {
    const SurfaceTopology topology = surface_topology(mesh);
    report.positions = find_where(
                           mesh.vertices.size(), 0, [&](std::size_t v) { return topology.merged[v] == v; }, by_index)
                           .count;
    report.triangles = mesh.triangles.size();
    report_edges(report, topology, options.first_count);
    report_parts(report, mesh, topology, options.first_count);
    report.nonmanifold_vertices = find_where(
        mesh.vertices.size(), options.first_count, [&](std::size_t v) { return topology.fans[v] > 1; }, by_index);
    report.duplicate_faces = finding(duplicate_triangles(topology.triangles, topology.edges), options.first_count);
    report.degenerate_faces = find_where(
        mesh.triangles.size(), options.first_count,
        [&](std::size_t t) { return unit_normal(mesh.corners(t)) == Vec3::Zero(); }, by_index);
    if (report.non_finite_vertices.count > 0) return;
    if (options.self_intersections) {
        auto found = self_intersections(mesh, {.max_pairs = options.first_count, .progress = options.progress});
        report.self_intersections = {found.count, std::move(found.pairs)};
    }
    const MassProperties mass = mass_properties(mesh);
    report.area = mass.area;
    report.center = mass.center;
    if (has_volume(topology)) report.volume = mass.volume;
}

} // namespace

std::string_view name(MeshInterior interior) {
    constexpr std::array<std::string_view, 4> names = {"closed", "sealed", "capped", "sheet"};
    return names.at(static_cast<std::size_t>(interior));
}

bool MeshReport::clean() const {
    return watertight && nonmanifold_vertices.count == 0 && degenerate_faces.count == 0 && duplicate_faces.count == 0 &&
           non_finite_vertices.count == 0 && inside_out_parts.count == 0 && inverted_tetrahedra.count == 0 &&
           flat_tetrahedra.count == 0 && (!self_intersections || self_intersections->count == 0);
}

MeshReport mesh_report(const TriangleMesh& mesh, const ReportOptions& options) {
    check_elements<3>(mesh.triangles, mesh.vertices.size(), "triangle", {});
    MeshReport report;
    report_vertices(report, mesh.vertices, mesh.triangles, options.first_count);
    report_surface(report, mesh, options);
    return report;
}

MeshReport mesh_report(const TetMesh& mesh, const ReportOptions& options) {
    check_elements<4>(mesh.tetrahedra, mesh.vertices.size(), "tetrahedron", {});
    MeshReport report;
    report.tetrahedra = mesh.tetrahedra.size();
    report_vertices(report, mesh.vertices, mesh.tetrahedra, options.first_count);
    report_surface(report, boundary(mesh), options);

    if (report.non_finite_vertices.count > 0) return report;
    const auto of_sign = [&](int sign) {
        const auto has_sign = [&](std::size_t t) {
            const auto [a, b, c, d] = mesh.corners(t);
            return orient3d(a, b, c, d) == sign;
        };
        return find_where(mesh.tetrahedra.size(), options.first_count, has_sign, by_index);
    };
    report.inverted_tetrahedra = of_sign(-1);
    report.flat_tetrahedra = of_sign(0);
    const MassProperties mass = mass_properties(mesh);
    if (!mesh.tetrahedra.empty()) report.volume = mass.volume;
    report.center = mass.center;
    return report;
}

} // namespace fathom
