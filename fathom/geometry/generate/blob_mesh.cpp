// From blended blobs to a mesh with a wanted number of triangles.
// A coarse mesh of good triangles is made on one thread; the many triangles come from splitting it, in parallel.
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/blob_surface.h>
#include <fathom/geometry/generate/kuhn_cut.h>
#include <fathom/geometry/generate/relax.h>
#include <fathom/geometry/generate/surface_refine.h>
#include <fathom/geometry/mesh/tet_mesh.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace fathom {

namespace {

// Marching tetrahedra: the zero set of the field, linear in each tetrahedron of a lattice. A value of 0 counts as
// outside, so every lattice point has a side and the surface is a closed manifold.
class Marcher {
public:
    Marcher(const BlobSurface& surface, double spacing) : spacing_(spacing) {
        const Box box = surface.bounds().grown(1.5 * spacing);
        origin_ = box.lower;
        for (std::size_t k = 0; k < 3; ++k)
            n_[k] = static_cast<std::size_t>(std::ceil(box.size()[static_cast<int>(k)] / spacing)) + 1;
        values_.resize(n_[0] * n_[1] * n_[2]);
        parallel_for(n_[1] * n_[2], 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                for (std::size_t i = 0; i < n_[0]; ++i)
                    values_[row * n_[0] + i] = surface.value(position({i, row % n_[1], row / n_[1]}));
        });
    }

    TriangleMesh run() {
        for (std::size_t k = 0; k + 1 < n_[2]; ++k)
            for (std::size_t j = 0; j + 1 < n_[1]; ++j)
                for (std::size_t i = 0; i + 1 < n_[0]; ++i)
                    if (crosses({i, j, k}))
                        for (const KuhnWalk& walk : kuhn_walks) cut(corners_of({i, j, k}, walk));
        return std::move(mesh_);
    }

private:
    [[nodiscard]] std::size_t number(const LatticePoint& p) const { return (p[2] * n_[1] + p[1]) * n_[0] + p[0]; }
    [[nodiscard]] bool inside(const LatticePoint& p) const { return values_[number(p)] < 0; }
    [[nodiscard]] Vec3 position(const LatticePoint& p) const {
        return origin_ +
               spacing_ * Vec3(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
    }

    [[nodiscard]] bool crosses(const LatticePoint& cell) const {
        const bool first = inside(cell);
        for (std::size_t bits = 1; bits < 8; ++bits)
            if (inside({cell[0] + (bits & 1), cell[1] + ((bits >> 1) & 1), cell[2] + (bits >> 2)}) != first)
                return true;
        return false;
    }

    // The vertex where the surface crosses the lattice edge p-q. Never close to its ends: no needles to start with.
    Index crossing(const LatticePoint& p, const LatticePoint& q) {
        std::size_t a = number(p), b = number(q);
        if (a > b) return crossing(q, p);
        const auto [entry, fresh] =
            crossings_.try_emplace(a * values_.size() + b, static_cast<Index>(mesh_.vertices.size()));
        if (fresh) {
            const double t = std::clamp(values_[a] / (values_[a] - values_[b]), 0.2, 0.8);
            mesh_.vertices.push_back(position(p) + t * (position(q) - position(p)));
        }
        return entry->second;
    }

    void cut(const std::array<LatticePoint, 4>& c) {
        std::array<bool, 4> in{};
        for (std::size_t k = 0; k < 4; ++k) in[k] = inside(c[k]);
        const auto count = std::count(in.begin(), in.end(), true);
        if (count == 0 || count == 4) return;
        if (count == 2) return cut_in_half(c, in);
        const bool lone = count == 1; // the corner that differs is the one inside
        const auto k = static_cast<std::size_t>(std::find(in.begin(), in.end(), lone) - in.begin());
        const auto& face = tetrahedron_faces[k];
        Triangle t{};
        for (std::size_t j = 0; j < 3; ++j) t[j] = crossing(c[k], c[static_cast<std::size_t>(face[j])]);
        if (!lone) std::swap(t[1], t[2]);
        mesh_.triangles.push_back(t);
    }

    void cut_in_half(const std::array<LatticePoint, 4>& c, const std::array<bool, 4>& in) {
        // Even orders of the corners: the first two inside, the last two outside.
        constexpr std::array<std::array<std::size_t, 4>, 6> orders = {
            {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};
        for (const auto& [i, j, k, l] : orders) {
            if (!in[i] || !in[j]) continue;
            const Index a = crossing(c[i], c[k]), b = crossing(c[i], c[l]), d = crossing(c[j], c[l]),
                        e = crossing(c[j], c[k]);
            mesh_.triangles.push_back({a, b, d});
            mesh_.triangles.push_back({a, d, e});
        }
    }

    double spacing_;
    Vec3 origin_;
    LatticePoint n_{};
    std::vector<double> values_;
    std::unordered_map<std::size_t, Index> crossings_;
    TriangleMesh mesh_;
};

double mean_edge(const TriangleMesh& mesh) {
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        area += 0.5 * std::sqrt(area_vector(mesh.corners(t)).squaredNorm());
    return std::sqrt(area / static_cast<double>(mesh.triangles.size()) * 4 / 1.7320508075688772);
}

void project_from(TriangleMesh& mesh, std::size_t first, const BlobSurface& surface, double reach) {
    parallel_for(mesh.vertices.size() - first, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = first + begin; v < first + end; ++v)
            mesh.vertices[v] = surface.project(mesh.vertices[v], reach);
    });
}

// Few triangles, near equilateral, smaller where the shape is thin.
TriangleMesh coarse_mesh(const BlobSurface& surface, const BlobMeshOptions& options, std::size_t triangles) {
    const auto relaxed = [&](TriangleMesh& mesh, int rounds) {
        const double reach = 0.5 * mean_edge(mesh);
        relax(mesh, {.rounds = rounds}, [&](const Vec3& p) { return surface.project(p, reach, 2); });
    };
    TriangleMesh mesh = Marcher(surface, options.lattice).run();
    relaxed(mesh, 6);
    mesh = collapsed(mesh, {.triangles = triangles,
                            .size = [&](const Vec3& p) { return std::sqrt(surface.thickness(p)); },
                            .onto_surface = [&](const Vec3& p) { return surface.project(p, options.lattice, 4); }});
    for (int round = 0; round < 8; ++round) {
        flip_edges(mesh, 4);
        relaxed(mesh, 4);
    }
    return mesh;
}

} // namespace

TriangleMesh mesh_of(const BlobSurface& surface, const BlobMeshOptions& options) {
    std::size_t levels = 0, coarse = options.triangles;
    for (; coarse >= 8000; coarse /= 4) ++levels;
    TriangleMesh mesh = coarse_mesh(surface, options, coarse);
    for (std::size_t level = 0; level < levels; ++level) {
        const std::size_t old = mesh.vertices.size();
        mesh = split_four(mesh);
        const double reach = 0.5 * mean_edge(mesh);
        project_from(mesh, old, surface, reach);
        relax(mesh, {.rounds = level == 0 ? 6 : 2}, [&](const Vec3& p) { return surface.project(p, reach, 1); });
    }
    return mesh;
}

} // namespace fathom
