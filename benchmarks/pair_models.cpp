// Benchmarks: reads, sizes and samples the bodies that meet each other.
#include <benchmarks/pair_models.h>
#include <benchmarks/report.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>

#include <cstdlib>

namespace fathom::bench {

TriangleMesh sized(const TriangleMesh& mesh, double size) {
    const Box box = bounds(mesh.vertices);
    const Vec3 center = box.center();
    const double factor = size / box.size().maxCoeff();
    return mapped(mesh, [&](const Vec3& p) -> Vec3 { return factor * (p - center); });
}

PairBody::PairBody(std::string name, const TriangleMesh& mesh, int resolution, double margin)
    : name(std::move(name)), mesh(mesh),
      grid(std::make_shared<GridField>(
          cached_grid(mesh, {.resolution = static_cast<int>(resolution * (1 + 2 * margin) / 1.1), .margin = margin})
              .file.field)),
      solid(grid) {}

TriangleMesh bunny_mesh() { return sized(read_triangle_mesh(model("bunny.obj"))); }

std::optional<std::filesystem::path> test_model(const std::string& name) {
    for (const char* variable : {"FATHOM_BENCH_MODELS", "FATHOM_MODELS"}) {
        const char* folder = std::getenv(variable);
        const std::filesystem::path path = std::filesystem::path(folder ? folder : "") / name;
        if (folder && std::filesystem::exists(path)) return path;
    }
    return std::nullopt;
}

std::optional<TriangleMesh> armadillo_mesh() {
    const auto path = test_model("armadillo.off");
    if (!path) return std::nullopt;
    return sized(read_triangle_mesh(*path));
}

std::vector<Pose> random_poses(double half_width, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Pose> poses(count);
    for (Pose& pose : poses) {
        pose.rotation = random.rotation();
        pose.translation = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(half_width)));
    }
    return poses;
}

} // namespace fathom::bench
