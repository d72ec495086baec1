// Benchmarks: the bodies that meet each other, sized alike, each as a mesh, a grid and a solid.
#pragma once

#include <fathom/base/random.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fathom::bench {

// Longest extent `size`, the box about the origin.
[[nodiscard]] TriangleMesh sized(const TriangleMesh& mesh, double size = 1);

struct PairBody {
    std::string name;
    TriangleMesh mesh;
    std::shared_ptr<const GridField> grid;
    FieldSphereTree solid;

    // Cells as a grid of this resolution with a margin of 0.05 has them, whatever the margin (a share of the body's
    // size).
    PairBody(std::string name, const TriangleMesh& mesh, int resolution, double margin = 0.05);
    [[nodiscard]] double megabytes() const { return 1e-6 * static_cast<double>(grid->bytes() + solid.bytes()); }
};

[[nodiscard]] TriangleMesh bunny_mesh();
// The armadillo is in no package that ./bench installs: it is looked for beside the models of the tests.
[[nodiscard]] std::optional<TriangleMesh> armadillo_mesh();
// So is whatever else no package has.
[[nodiscard]] std::optional<std::filesystem::path> test_model(const std::string& name);

// Uniform turns, translations uniform in a cube.
[[nodiscard]] std::vector<Pose> random_poses(double half_width, std::size_t count, std::uint64_t seed = 777);

} // namespace fathom::bench
