// Unit normals of triangles, vertices and edges.
#include <fathom/geometry/mesh/normals.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t normal_chunk = 4096;

template <class Make>
std::vector<Vec3> made(std::size_t count, Make&& make) {
    std::vector<Vec3> vectors(count);
    parallel_for(count, normal_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) vectors[i] = make(i);
    });
    return vectors;
}

Vec3 unit_or_zero(const Vec3& v) {
    const double square = v.squaredNorm();
    const double length = square > 1e-280 && square < 1e280 ? std::sqrt(square) : v.stableNorm();
    return length > 0 ? Vec3(v / length) : Vec3(Vec3::Zero());
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

std::array<double, 3> corner_angles(const std::array<Vec3, 3>& c) {
    const Vec3 ab = unit_or_zero(c[1] - c[0]), bc = unit_or_zero(c[2] - c[1]), ca = unit_or_zero(c[0] - c[2]);
    return {angle_between(ab, -ca), angle_between(bc, -ab), angle_between(ca, -bc)};
}

} // namespace

Vec3 unit_normal(const std::array<Vec3, 3>& corners) {
    const Vec3 ab = corners[1] - corners[0], ac = corners[2] - corners[0];
    const double size = std::max(ab.cwiseAbs().maxCoeff(), ac.cwiseAbs().maxCoeff());
    if (!(size > 0) || !std::isfinite(size)) return Vec3::Zero();
    // Products of very small or large edges would leave the range of double; scaling by a power of two is exact.
    const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(size), -1000, 1000));
    return unit_or_zero(Vec3(scale * ab).cross(Vec3(scale * ac)));
}

std::vector<Vec3> triangle_normals(const TriangleMesh& mesh) {
    return made(mesh.triangles.size(), [&](std::size_t t) { return unit_normal(mesh.corners(t)); });
}

std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const VertexNormalOptions& options) {
    const Lists around = vertex_triangles(mesh.triangles, mesh.vertices.size());
    if (options.weight == NormalWeight::area)
        return made(mesh.vertices.size(), [&](std::size_t v) {
            Vec3 sum = Vec3::Zero();
            for (const Index t : around[v]) sum += area_vector(mesh.corners(t));
            return unit_or_zero(sum);
        });

    const auto normals = triangle_normals(mesh);
    std::vector<std::array<double, 3>> angles(mesh.triangles.size());
    parallel_for(angles.size(), normal_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) angles[t] = corner_angles(mesh.corners(t));
    });
    return made(mesh.vertices.size(), [&](std::size_t v) {
        Vec3 sum = Vec3::Zero();
        for (const Index t : around[v]) {
            const Triangle& corners = mesh.triangles[t];
            const auto corner = std::find(corners.begin(), corners.end(), v) - corners.begin();
            sum += angles[t][static_cast<std::size_t>(corner)] * normals[t];
        }
        return unit_or_zero(sum);
    });
}

std::vector<Vec3> edge_normals(const TriangleMesh& mesh, const EdgeTable& table) {
    const auto normals = triangle_normals(mesh);
    return made(table.edges.size(), [&](std::size_t e) {
        Vec3 sum = Vec3::Zero();
        for (const Index side : table.sides[e]) sum += normals[side / 3];
        return unit_or_zero(sum);
    });
}

} // namespace fathom
