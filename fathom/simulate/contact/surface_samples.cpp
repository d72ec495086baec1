// Shares a surface out over its samples.
#include <fathom/simulate/contact/surface_samples.h>

#include <fathom/geometry/mesh/adjacency.h>

namespace fathom {

namespace {

constexpr double of_vertex = 1.0 / 20, of_edge = 2.0 / 15, of_face = 9.0 / 20;

// How a push by mass is shared out: a vertex in six triangles is moved by itself, by six edges and by six faces.
constexpr double vertex_share = 3 * of_vertex, edge_share = 3 * of_edge / 6, face_share = of_face / 6;

} // namespace

std::vector<SurfaceSample> surface_samples(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    const EdgeTable table = edge_table(triangles, vertices.size());
    std::vector<SurfaceSample> samples;
    samples.reserve(vertices.size() + table.edges.size() + triangles.size());
    for (Index v = 0; v < vertices.size(); ++v) samples.push_back({{v}, 1, vertex_share});
    std::vector<double> areas;
    for (const Triangle& t : triangles)
        areas.push_back(area_vector({vertices[t[0]], vertices[t[1]], vertices[t[2]]}).norm() / 2);
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        SurfaceSample sample{{table.edges[e][0], table.edges[e][1]}, 2, edge_share};
        for (const Index side : table.sides[e]) sample.area += of_edge * areas[side / 3];
        samples.push_back(sample);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        samples.push_back({triangles[t], 3, face_share, of_face * areas[t]});
        for (const Index v : triangles[t]) samples[v].area += of_vertex * areas[t];
    }
    move_samples(samples, vertices);
    return samples;
}

void move_samples(std::vector<SurfaceSample>& samples, std::span<const Vec3> vertices) {
    for (SurfaceSample& s : samples) {
        s.place = Vec3::Zero();
        for (std::size_t k = 0; k < s.count; ++k) s.place += vertices[s.vertices[k]] / static_cast<double>(s.count);
    }
}

} // namespace fathom
