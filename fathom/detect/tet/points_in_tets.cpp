// Vertices of one body in the tetrahedra of another.
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/points_in_tets.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t chunk = 256;

bool names(const Tetrahedron& t, Index vertex) { return std::find(t.begin(), t.end(), vertex) != t.end(); }

// The smallest tetrahedron that holds the vertex, or no_index.
Index holder(const TetBody& a, Index vertex, const TetBody& b, const TetZone& zone) {
    const auto tetrahedra = b.topology.tetrahedra();
    const bool same = a.is(b);
    Index best = no_index;
    if (!zone.reach().contains(a.vertices[vertex])) return best;
    zone.hash().visit_containing(a.vertices[vertex], [&](Index place) {
        const Index t = zone.tetrahedra()[place];
        if (t < best && !(same && names(tetrahedra[t], vertex)) &&
            tetrahedron_contains(b.set().corners(t), a.vertices[vertex]))
            best = t;
        return true;
    });
    return best;
}

} // namespace

std::array<double, 4> barycentric_coordinates(const std::array<Vec3, 4>& t, const Vec3& p) {
    std::array<double, 4> weight = {orient3d_value(p, t[1], t[2], t[3]), orient3d_value(t[0], p, t[2], t[3]),
                                    orient3d_value(t[0], t[1], p, t[3]), orient3d_value(t[0], t[1], t[2], p)};
    const double sum = weight[0] + weight[1] + weight[2] + weight[3];
    for (double& w : weight) w = w / sum + 0.0; // no -0
    return weight;
}

std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const TetZone& zone,
                                       const PointsInTetsOptions& options) {
    const auto vertices = options.boundary_only ? a.topology.boundary_vertices() : a.topology.used_vertices();
    std::vector<std::vector<PointInTet>> parts((vertices.size() + chunk - 1) / chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        for (std::size_t i = k * chunk; i < std::min(vertices.size(), (k + 1) * chunk); ++i) {
            const Index t = holder(a, vertices[i], b, zone);
            if (t != no_index)
                parts[k].push_back(
                    {vertices[i], t, barycentric_coordinates(b.set().corners(t), a.vertices[vertices[i]])});
        }
    });
    std::vector<PointInTet> found;
    for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
    return found;
}

std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const PointsInTetsOptions& options) {
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return {};
    TetZone zone;
    zone.update(b, common);
    return points_in_tets(a, b, zone, options);
}

} // namespace fathom
