// Signs of grids of real meshes: closed ones against exact crossings, the others by volume and agreement.
#include <fathom/base/random.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace model_signs_test {

using testing::count_of;

TEST(ModelSigns, are_right_on_every_closed_mesh) {
    FATHOM_NEEDS_MODELS();
    std::size_t closed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(testing::models())) {
        if (!entry.is_regular_file() || entry.path().extension() == ".md" || !entry.path().has_extension()) continue;
        const TriangleMesh mesh = read_mesh(entry.path()).surface;
        const MeshReport report = mesh_report(mesh);
        if (!report.watertight) continue;
        ++closed;
        GridReport built;
        const GridField field = build_grid(mesh, {.resolution = 96}, &built);
        EXPECT_TRUE(built.sign.sealed) << entry.path();
        EXPECT_EQ(built.sign.flipped, entry.path().filename() == "horse.ply") << entry.path();
        const SurfaceTree tree(mesh);
        Random random(1);
        std::size_t inside = 0, wrong = 0;
        for (std::size_t i = 0; i < count_of(4000, 1000000); ++i) {
            const Vec3 p = random.in_box(report.bounds);
            const bool truth = tree.winding(p) != 0;
            const double value = field.distance(p);
            inside += truth;
            wrong += (value < 0) != truth && std::abs(value) > field.near_error_bound();
        }
        EXPECT_EQ(wrong, 0u) << entry.path();
        EXPECT_GT(inside, 20u) << entry.path();
    }
    EXPECT_GE(closed, 12u);
}

struct Soup {
    const char* file;
    double least, most; // volume of what is found inside, as a share of the bounding box
};

TEST(ModelSigns, are_sensible_on_soups_and_open_meshes) {
    FATHOM_NEEDS_MODELS();
    for (const Soup& soup :
         {Soup{"galileo.stl", 0.001, 0.3}, Soup{"motorBike.obj.gz", 0.05, 0.6}, Soup{"beetle.off", 0.05, 0.8},
          Soup{"bunny_original.obj", 0.2, 0.4}, Soup{"teapot.obj", 0.05, 0.7}, Soup{"bad/truck.obj", 0.05, 0.8},
          Soup{"bad/chair_model.obj", 0.01, 0.5}, Soup{"bad/two-boxes-bad-self-union.ply", 0.2, 1.0}}) {
        const TriangleMesh mesh = read_mesh(testing::models() / soup.file).surface;
        GridReport report;
        const GridField field = build_grid(mesh, {.resolution = 128}, &report);
        const TriangleMesh surface = contour(field);
        const Box box = bounds(mesh.vertices);
        ASSERT_FALSE(surface.triangles.empty()) << soup.file;
        EXPECT_TRUE(mesh_report(surface).watertight) << soup.file;
        const double share = mass_properties(surface).volume / box.volume();
        EXPECT_GT(share, soup.least) << soup.file << " by " << name(report.sign.method);
        EXPECT_LT(share, soup.most) << soup.file << " by " << name(report.sign.method);
        EXPECT_GT(field.distance(field.domain().lower), 0) << soup.file;
    }
}

} // namespace model_signs_test
} // namespace fathom
