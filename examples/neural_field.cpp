// Neural fields: train a network on a mesh, evaluate it, prove that a box is free, write it, and sample it on a grid.
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>

int main() {
    using namespace fathom;
    // A fixed number of steps instead of a time limit gives the same network in every run.
    const TriangleMesh creature = make_creature({.triangles = 5000});
    const FittedNetwork fitted = fit_network(creature, {.layers = 4, .width = 32, .steps = 1024, .samples = 1 << 15});
    const FitReport& report = fitted.report;
    std::printf("%zu weights in %.1f s: mean error near the surface %.2f %% of the longest side, overlap %.3f\n",
                fitted.network.weight_count(), report.seconds, 100 * report.mean_error / report.longest_side,
                report.overlap);

    const NeuralField field(fitted.network);
    const Sample at = field.sample(field.domain().upper);
    std::printf("at the corner: distance about %.3f m, direction to the surface (%.2f, %.2f, %.2f)\n",
                depth_estimate(at), -at.gradient.x(), -at.gradient.y(), -at.gradient.z());

    // The values are not exact distances, but their range over a box is proven: if it is above 0, the box is outside
    // the body.
    const Box corner{field.domain().upper - Vec3::Constant(0.02), field.domain().upper};
    const bool free = field.range(corner).lower > 0;
    std::printf("the 2 cm cube at the corner is free: %s\n", free ? "proven" : "not proven");

    const std::filesystem::path file = std::filesystem::temp_directory_path() / "fathom_example_creature.fnet";
    write_network(file, fitted.network, {.note = "creature, 1024 steps"});
    const NetworkFile read = read_network_file(file);
    std::printf("%s file of %ju bytes, \"%s\"\n", read.format.c_str(),
                static_cast<std::uintmax_t>(std::filesystem::file_size(file)), read.note.c_str());
    std::filesystem::remove(file);
    const bool same = NeuralField(read.network).distance(Vec3(0.1, 0.2, 0.3)) == field.distance(Vec3(0.1, 0.2, 0.3));

    // A grid is faster and needs far more memory. Its samples are the values of the network.
    const GridField grid = bake(field, {.box = {}, .resolution = 96});
    const TriangleMesh surface = contour(grid);
    std::printf("grid: %.1f MB instead of %.2f MB; its surface has %zu triangles\n",
                1e-6 * static_cast<double>(grid.bytes()), 1e-6 * static_cast<double>(field.bytes()),
                surface.triangles.size());
    return at.distance > 0 && free && same && !surface.triangles.empty() ? 0 : 1;
}
