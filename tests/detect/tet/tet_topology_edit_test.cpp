// A topology that is updated after breaks, cuts and removals equals a newly built one.
#include <fathom/base/error.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/geometry/generate/generate.h>

#include <support/test_counts.h>
#include <support/tet_edits.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom::tet {
namespace tet_topology_edit_test {

void expect_equal(const TetTopology& found, const TetTopology& wanted) {
    EXPECT_EQ(found.vertex_count(), wanted.vertex_count());
    EXPECT_TRUE(std::ranges::equal(found.tetrahedra(), wanted.tetrahedra()));
    EXPECT_TRUE(std::ranges::equal(found.boundary(), wanted.boundary()));
    EXPECT_TRUE(std::ranges::equal(found.boundary_edges(), wanted.boundary_edges()));
    EXPECT_TRUE(std::ranges::equal(found.boundary_vertices(), wanted.boundary_vertices()));
    EXPECT_TRUE(std::ranges::equal(found.used_vertices(), wanted.used_vertices()));
}

TEST(TetTopology, equals_a_new_one_after_every_random_edit_at_every_scale) {
    std::size_t edits = 0, grown = 0, shrunk = 0;
    for (std::size_t round = 0; round < testing::count_of(12, 300); ++round) {
        const double size = std::array{1e-3, 1.0, 1e3}[round % 3];
        TetMesh start = round % 2 ? make_tet_box({.cells = {4, 4, 4}}) : make_tet_ball({.resolution = 3});
        for (Vec3& v : start.vertices) v *= size;
        EditableTetMesh mesh(start);
        (void)mesh.take_edit();
        TetTopology topology(mesh);
        Random random(round);
        for (int k = 0; k < 12 && mesh.tet_count() < 5000; ++k) {
            const std::size_t before = topology.tetrahedra().size();
            testing::edit_at_random(mesh, random, size);
            if (k % 3 == 1) testing::edit_at_random(mesh, random, size); // two at once
            const TetEdit edit = mesh.take_edit();
            topology.apply(mesh, edit);
            expect_equal(topology, TetTopology(mesh));
            if (::testing::Test::HasFailure()) return void(ADD_FAILURE() << "round " << round << ", edit " << k);
            edits += !edit.empty();
            grown += topology.tetrahedra().size() > before;
            shrunk += topology.tetrahedra().size() < before;
        }
    }
    EXPECT_GT(edits, 60u);
    EXPECT_GT(grown, 10u);
    EXPECT_GT(shrunk, 10u);
}

TEST(TetTopology, reports_the_edges_and_vertices_of_the_boundary_that_an_edit_changed) {
    EditableTetMesh mesh(make_tet_box({.cells = {4, 4, 4}}));
    (void)mesh.take_edit();
    TetTopology topology(mesh);
    const std::vector<Edge> before(topology.boundary_edges().begin(), topology.boundary_edges().end());
    Random random(3);
    cut(mesh, CutPlane{.normal = random.direction()});
    const TetTopology::Change change = topology.apply(mesh, mesh.take_edit());
    std::vector<Edge> other;
    std::ranges::set_symmetric_difference(before, topology.boundary_edges(), std::back_inserter(other));
    EXPECT_GT(other.size(), 20u);
    EXPECT_LT(change.edges.size(), topology.boundary_edges().size());
    EXPECT_TRUE(std::ranges::includes(change.edges, other));
}

TEST(TetTopology, of_a_mesh_that_is_not_edited_follows_none) {
    const TetMesh plain = make_tet_ball({.resolution = 2});
    TetTopology topology(plain);
    EXPECT_THROW(topology.apply(EditableTetMesh(plain), {}), Error);
}

} // namespace tet_topology_edit_test
} // namespace fathom::tet
