// Real tetrahedral meshes: coarse, with many tetrahedra of four boundary nodes, some thin, from several mesh
// generators.
#include <contract/field_contract.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/tet_field.h>
#include <fathom/geometry/io/mesh_file.h>
#include <field/tet/tet_bodies.h>
#include <support/models.h>

#include <gtest/gtest.h>

namespace fathom {
namespace real_tets_test {

struct Model {
    std::string name;
    TetMesh mesh;
};

std::vector<Model> read_bodies() {
    std::vector<Model> models;
    for (const char* name : {"Armadillo13K.msh", "Armadillo_Tetra_4406.vtu", "banana.vtk", "bunny.msh", "hand.msh",
                             "horse.node", "torus_low_res.msh"}) {
        const auto path = testing::models() / "tet" / name;
        if (std::filesystem::exists(path)) models.push_back({name, read_tet_mesh(path)});
    }
    return models;
}

const std::vector<Model>& real_bodies() {
    static const std::vector<Model> models = read_bodies();
    return models;
}

// Squeezed to half along its longest axis and twisted about it, so that nothing is where it was.
std::vector<Vec3> squeezed(const TetMesh& mesh) {
    const Box box = bounds(mesh.vertices);
    int axis = 0;
    box.size().maxCoeff(&axis);
    std::vector<Vec3> positions = mesh.vertices;
    for (Vec3& v : positions) {
        const double along = (v[axis] - box.center()[axis]) / box.size()[axis];
        v[axis] = box.center()[axis] + 0.5 * along * box.size()[axis];
        const Vec3 turned = Eigen::AngleAxisd(0.5 * along, Vec3::Unit(axis)) * (v - box.center());
        v = box.center() + turned;
    }
    return positions;
}

TEST(RealTets, exact_depths_equal_brute_force_in_the_current_shape) {
    FATHOM_NEEDS_MODELS();
    ASSERT_GE(real_bodies().size(), 3u);
    for (const Model& model : real_bodies()) {
        NodeDepths depths(model.mesh);
        const std::vector<Vec3> positions = squeezed(model.mesh);
        depths.compute(positions);
        const std::size_t step = std::max<std::size_t>(1, positions.size() / testing::count_of(150, 5000));
        for (std::size_t k = 0; k < positions.size(); k += step) {
            if (depths.topology().kind(static_cast<Index>(k)) == BodyTopology::Kind::loose) continue;
            ASSERT_NEAR(depths.depths()[k], testing::brute_force_depth(depths.topology(), positions, positions[k]),
                        1e-12 * testing::size_of(positions))
                << model.name;
        }
    }
}

TEST(RealTets, marches_are_never_below_and_on_average_close) {
    FATHOM_NEEDS_MODELS();
    for (const Model& model : real_bodies()) {
        NodeDepths exact(model.mesh), marched(exact.shared_topology());
        const std::vector<Vec3> positions = squeezed(model.mesh);
        exact.compute(positions);
        for (const DepthMethod method : {DepthMethod::closest_feature, DepthMethod::closest_point}) {
            marched.compute(positions, {.method = method});
            double error = 0, sum = 0;
            for (std::size_t k = 0; k < positions.size(); ++k) {
                if (exact.depths()[k] == NodeDepths::unknown) continue;
                ASSERT_GE(marched.depths()[k], exact.depths()[k] - 1e-12 * testing::size_of(positions)) << model.name;
                error += marched.depths()[k] - exact.depths()[k];
                sum += exact.depths()[k];
            }
            EXPECT_LE(error, (method == DepthMethod::closest_feature ? 0.03 : 0.35) * sum) << model.name;
        }
    }
}

TEST(RealTets, fields_keep_the_contract) {
    FATHOM_NEEDS_MODELS();
    for (const Model& model : real_bodies()) {
        const TetField field(model.mesh);
        testing::FieldContract contract;
        contract.name = model.name;
        contract.region = field.bounds().grown(0.1 * field.bounds().diagonal());
        contract.boxes = testing::count_of(60, 100000);
        check_field_contract(field, contract);
    }
}

TEST(RealTets, samples_bring_the_depth_nearer_to_the_truth) {
    FATHOM_NEEDS_MODELS();
    int with_defects = 0;
    for (const Model& model : real_bodies()) {
        const BodyTopology topology(model.mesh);
        if (TetInterpolant(model.mesh.tetrahedra, topology).sample_count() == 0) continue;
        ++with_defects;
        const MeshField truth(boundary(model.mesh));
        std::array<double, 3> error{};
        for (const DefectHandling handling : {DefectHandling::none, DefectHandling::paper, DefectHandling::samples}) {
            const TetField field(model.mesh, {.defects = handling});
            Random random(3);
            for (int i = 0, inside = 0; i < 10000 && inside < 200; ++i) {
                const Vec3 p = random.in_box(field.bounds());
                const double found = field.distance(p);
                if (found > 0) continue;
                ++inside;
                error[static_cast<std::size_t>(handling)] += std::abs(found - truth.distance(p));
            }
        }
        EXPECT_LT(error[2], error[0]) << model.name;
        EXPECT_LE(error[2], error[1]) << model.name;
    }
    EXPECT_GE(with_defects, 3);
}

} // namespace real_tets_test
} // namespace fathom
