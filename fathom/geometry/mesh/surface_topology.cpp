// How a surface hangs together.
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/disjoint_sets.h>
#include <fathom/geometry/mesh/surface_topology.h>
#include <fathom/geometry/mesh/weld.h>

#include <algorithm>
#include <cstdint>

namespace fathom {

namespace {

constexpr std::size_t chunk = 4096;

// Counts the fans of one vertex after another; keeps its memory.
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
    std::vector<std::uint64_t> spokes_; // edge to another vertex (upper half), place in `around` (lower half)
    DisjointSets sets_;
};

std::vector<Index> count_fans(std::span<const Triangle> triangles, std::size_t vertex_count) {
    const Lists around = vertex_triangles(triangles, vertex_count);
    std::vector<Index> fans(vertex_count, 0);
    parallel_for(vertex_count, chunk, [&](std::size_t begin, std::size_t end) {
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
    parallel_for(mesh.triangles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (std::size_t k = 0; k < 3; ++k) topology.triangles[t][k] = topology.merged[mesh.triangles[t][k]];
    });
    topology.edges = edge_table(topology.triangles, mesh.vertices.size());
    topology.fans = count_fans(topology.triangles, mesh.vertices.size());
    return topology;
}

} // namespace fathom
