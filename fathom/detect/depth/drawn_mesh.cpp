// Meshes in floats, for drawing.
#include <fathom/detect/depth/drawn_mesh.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh/element_checks.h>

#include <atomic>

namespace fathom {

DrawnMesh::DrawnMesh(const TriangleMesh& mesh) : triangles_(mesh.triangles) {
    check(mesh);
    place(mesh.vertices);
    sort();
}

DrawnMesh::DrawnMesh(Primitives kind, std::span<const Vec3> vertices, std::span<const Line> lines)
    : kind_(kind), lines_(lines.begin(), lines.end()) {
    check_vertices(vertices, {});
    check_elements<2>(lines, vertices.size(), "line", {});
    place(vertices);
    sort();
}

DrawnMesh DrawnMesh::lines(std::span<const Vec3> vertices, std::span<const Line> lines) {
    return {Primitives::lines, vertices, lines};
}
DrawnMesh DrawnMesh::points(std::span<const Vec3> points) { return {Primitives::points, points, {}}; }

void DrawnMesh::move(std::span<const Vec3> vertices) {
    if (vertices.size() != positions_.size())
        throw Error(Cause::count_mismatch, "as many vertices as before are needed", {.element = "vertices"});
    check_vertices(vertices, {});
    place(vertices);
    clusters_.refit(positions_);
}

void DrawnMesh::place(std::span<const Vec3> vertices) {
    static std::atomic<std::uint64_t> versions{0};
    bounds_ = fathom::bounds(vertices);
    origin_ = vertices.empty() ? Vec3::Zero().eval() : bounds_.center();
    positions_.resize(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) positions_[v] = (vertices[v] - origin_).cast<float>();
    version_ = ++versions;
}

void DrawnMesh::sort() {
    if (kind_ == Primitives::triangles)
        clusters_ = DrawnClusters(positions_, triangles_.size(), 3, true,
                                  [&](std::size_t t, std::size_t k) { return triangles_[t][k]; });
    else if (kind_ == Primitives::lines)
        clusters_ = DrawnClusters(positions_, lines_.size(), 2, true,
                                  [&](std::size_t t, std::size_t k) { return lines_[t][k]; });
    else
        clusters_ = DrawnClusters(positions_, positions_.size(), 1, false,
                                  [](std::size_t t, std::size_t) { return static_cast<Index>(t); });
}

void DrawnMesh::visible(const DepthView& view, const Pose& pose, std::vector<DrawnRange>& ranges) const {
    ranges.clear();
    clusters_.visit(view, clip_matrix(view, pose * Pose::at(origin_)), [&](Index cluster, const DrawnReach&) {
        const DrawnRange& seen = clusters_.clusters()[cluster].primitives;
        if (!ranges.empty() && ranges.back().end == seen.begin)
            ranges.back().end = seen.end;
        else
            ranges.push_back(seen);
    });
}

} // namespace fathom
