#include <fathom/geometry/edit/tet_edit.h>

#include <fathom/base/error.h>
#include <fathom/geometry/generate/generate.h>
#include <geometry/edit/tet_edits.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace tet_edit_test {

using testing::count_of;
using testing::Follower;
using testing::part_volumes;
using testing::volume_of;

Cause cause_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled; // nothing was thrown
}

TetMesh two_tets() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}}; }

TEST(EditableTetMesh, starts_equal_to_the_given_mesh) {
    const TetMesh mesh = make_tet_ball({.resolution = 4});
    const EditableTetMesh editable(mesh);
    EXPECT_NO_THROW(editable.check());
    EXPECT_EQ(editable.mesh(), mesh);
    EXPECT_EQ(editable.boundary().size(), boundary(mesh).triangles.size());
    EXPECT_EQ(editable.parts().count, 1u);
}

TEST(EditableTetMesh, boundary_faces_point_outward) {
    const EditableTetMesh editable(make_tet_box({.cells = {2, 2, 2}}));
    for (const Index face : editable.boundary()) {
        const Triangle c = editable.face_corners(face);
        const auto x = editable.positions();
        EXPECT_GT(area_vector({x[c[0]], x[c[1]], x[c[2]]}).dot(x[c[0]] + x[c[1]] + x[c[2]]), 0);
    }
}

TEST(EditableTetMesh, opening_the_one_inner_face_gives_two_parts_with_three_twins) {
    EditableTetMesh mesh(two_tets());
    const std::vector<Index> faces = faces_between(mesh, [](Index, Index) { return true; });
    ASSERT_EQ(faces.size(), 1u);
    mesh.separate(faces);
    const TetEdit edit = mesh.take_edit();
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.parts().count, 2u);
    EXPECT_EQ(mesh.vertex_count(), 8u);
    ASSERT_EQ(edit.new_vertices.size(), 3u);
    for (const TetEdit::NewVertex& v : edit.new_vertices) {
        EXPECT_EQ(v.a, v.b);
        EXPECT_EQ(mesh.positions()[v.vertex], mesh.positions()[v.a]);
    }
    EXPECT_EQ(edit.changed_tets, (std::vector<Index>{1}));
    EXPECT_EQ(edit.new_boundary.size(), 2u);
    EXPECT_TRUE(edit.removed_boundary.empty());
    EXPECT_TRUE(mesh.take_edit().empty());
    mesh.separate(faces);
    EXPECT_TRUE(mesh.take_edit().empty()) << "a boundary face has nothing to open";
}

TEST(EditableTetMesh, a_crack_inside_opens_without_parting_anything) {
    EditableTetMesh mesh(make_tet_ball({.resolution = 3}));
    const std::vector<Index> star = mesh.tets_round(Index{0});
    const auto x = mesh.positions();
    const auto above = [&](Index t) {
        return (x[mesh.tet(t)[0]] + x[mesh.tet(t)[1]] + x[mesh.tet(t)[2]] + x[mesh.tet(t)[3]] - 4 * x[0]).z() > 0;
    };
    const auto inside = [&](Index t) { return std::binary_search(star.begin(), star.end(), t); };
    mesh.separate(
        faces_between(mesh, [&](Index a, Index b) { return inside(a) && inside(b) && above(a) != above(b); }));
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.parts().count, 1u);
    EXPECT_EQ(mesh.take_edit().new_vertices.size(), 1u) << "only the middle of the crack has two sides";
}

TEST(EditableTetMesh, tetrahedra_that_share_only_a_point_or_an_edge_are_separated) {
    TetMesh point = two_tets();
    point.vertices.insert(point.vertices.end(), {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}});
    point.tetrahedra = {{0, 1, 2, 3}, {3, 5, 6, 7}};
    TetMesh edge = point;
    edge.tetrahedra = {{0, 1, 2, 3}, {2, 3, 6, 7}};
    for (const TetMesh* mesh : {&point, &edge}) {
        EditableTetMesh editable(*mesh);
        EXPECT_NO_THROW(editable.check());
        EXPECT_EQ(editable.take_edit().new_vertices.size(), mesh == &point ? 1u : 2u);
    }
}

TEST(EditableTetMesh, splitting_an_edge_keeps_volume_and_boundary_area) {
    for (const bool inverted : {false, true}) {
        TetMesh ball = make_tet_ball({.resolution = 2});
        if (inverted)
            for (Tetrahedron& t : ball.tetrahedra) std::swap(t[0], t[1]);
        EditableTetMesh mesh(ball);
        const double before = volume_of(mesh);
        const auto area = [&] {
            double sum = 0;
            for (const Index f : mesh.boundary()) {
                const Triangle c = mesh.face_corners(f);
                sum += area_vector({mesh.positions()[c[0]], mesh.positions()[c[1]], mesh.positions()[c[2]]}).norm();
            }
            return sum;
        };
        const double area_before = area();
        Follower follower(mesh);
        Random random(4);
        for (int k = 0; k < 60; ++k) {
            Index t = static_cast<Index>(random.below(mesh.tet_slots()));
            const std::size_t i = random.below(4), j = (i + 1 + random.below(3)) % 4;
            mesh.split_edge(mesh.tet(t)[i], mesh.tet(t)[j], random.uniform(0.2, 0.8));
            ASSERT_NO_THROW(mesh.check());
        }
        follower.follow(mesh, mesh.take_edit());
        follower.expect_same(mesh);
        EXPECT_NEAR(volume_of(mesh), before, 1e-12 * std::abs(before));
        EXPECT_NEAR(area(), area_before, 1e-12 * area_before);
        EXPECT_EQ(mesh.parts().count, 1u);
    }
}

TEST(EditableTetMesh, numbers_of_removed_elements_are_reused_after_the_edit) {
    EditableTetMesh mesh(make_tet_box({.cells = {2, 2, 2}}));
    const std::size_t tets = mesh.tet_slots(), vertices = mesh.vertex_slots();
    const std::vector<Index> corner = mesh.tets_round(Index{0});
    mesh.remove(corner);
    const TetEdit edit = mesh.take_edit();
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(edit.removed_tets, corner);
    EXPECT_EQ(edit.removed_vertices, (std::vector<Index>{0}));
    EXPECT_FALSE(mesh.has_vertex(0));
    const Index t = mesh.boundary()[0] / 4;
    mesh.split_edge(mesh.tet(t)[0], mesh.tet(t)[1], 0.5);
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.vertex_slots(), vertices);
    EXPECT_EQ(mesh.tet_slots(), tets);
}

TEST(EditableTetMesh, removing_everything_leaves_nothing) {
    EditableTetMesh mesh(make_tet_ball({.resolution = 2}));
    std::vector<Index> all;
    for (Index t = 0; t < mesh.tet_slots(); ++t) all.push_back(t);
    mesh.remove(all);
    const TetEdit edit = mesh.take_edit();
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.vertex_count() + mesh.tet_count() + mesh.boundary().size() + mesh.parts().count, 0u);
    EXPECT_TRUE(edit.new_boundary.empty());
    EXPECT_NO_THROW(EditableTetMesh(TetMesh{}).check());
}

TEST(EditableTetMesh, random_breaks_and_removals_keep_the_mesh_valid) {
    Random random(11);
    std::size_t parted = 0, pinched = 0, rounds = 0;
    const std::size_t count = count_of(400, 10'000);
    EditableTetMesh mesh;
    Follower follower(mesh);
    while (rounds < count) {
        if (mesh.tet_count() < 40) {
            mesh = EditableTetMesh(rounds % 2 == 0 ? make_tet_box({.cells = {3, 3, 3}, .five = rounds % 4 == 0})
                                                   : make_tet_ball({.resolution = 2}));
            follower = Follower(mesh);
        }
        const std::size_t before = mesh.parts().count;
        const double volume = volume_of(mesh);
        if (rounds % 5 == 4) {
            std::vector<Index> gone;
            for (Index t = 0; t < mesh.tet_slots(); ++t)
                if (mesh.has_tet(t) && random.chance(0.1)) gone.push_back(t);
            mesh.remove(gone);
        } else {
            const double share = random.chance(0.5) ? 0.006 : 0.1;
            mesh.separate(faces_between(mesh, [&](Index, Index) { return random.chance(share); }));
            ASSERT_EQ(volume_of(mesh), volume);
        }
        ASSERT_NO_THROW(mesh.check());
        const TetEdit edit = mesh.take_edit();
        follower.follow(mesh, edit);
        if (rounds % 8 == 0) follower.expect_same(mesh);
        const std::size_t after = mesh.parts().count;
        parted += after > before;
        pinched += after == before && !edit.new_vertices.empty();
        ++rounds;
    }
    EXPECT_GT(parted, count / 10);
    EXPECT_GT(pinched, count / 50) << "cracks that part nothing must occur, too";
}

TEST(EditableTetMesh, rejects_invalid_meshes_and_changes_nothing_on_bad_arguments) {
    TetMesh twice = two_tets();
    twice.tetrahedra[1] = {0, 0, 1, 2};
    TetMesh same = two_tets();
    same.tetrahedra[1] = {1, 0, 3, 2};
    TetMesh crowded = two_tets();
    crowded.vertices.push_back({2, 2, 2});
    crowded.tetrahedra.push_back({1, 2, 3, 5});
    for (const TetMesh& bad : {twice, same, crowded})
        EXPECT_EQ(cause_of([&] { EditableTetMesh mesh(bad); }), Cause::invalid_argument);
    TetMesh range = two_tets();
    range.tetrahedra[0][2] = 9;
    EXPECT_EQ(cause_of([&] { EditableTetMesh mesh(range); }), Cause::index_out_of_range);
    TetMesh nan = two_tets();
    nan.vertices[0].x() = std::nan("");
    EXPECT_EQ(cause_of([&] { EditableTetMesh mesh(nan); }), Cause::non_finite);

    EditableTetMesh mesh(two_tets());
    EXPECT_EQ(cause_of([&] { mesh.split_edge(0, 4, 0.5); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { mesh.split_edge(0, 0, 0.5); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { mesh.split_edge(0, 77, 0.5); }), Cause::invalid_argument);
    for (const double share : {0.0, 1.0, -1.0, std::nan("")})
        EXPECT_EQ(cause_of([&] { mesh.split_edge(0, 1, share); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { mesh.separate(std::vector<Index>{1, 99}); }), Cause::index_out_of_range);
    EXPECT_EQ(cause_of([&] { mesh.remove(std::vector<Index>{0, 2}); }), Cause::index_out_of_range);
    EXPECT_EQ(cause_of([&] { mesh.move(std::vector<Vec3>(2)); }), Cause::count_mismatch);
    EXPECT_TRUE(mesh.take_edit().empty());
    EXPECT_EQ(mesh.mesh(), two_tets());
}

} // namespace tet_edit_test
} // namespace fathom
