// Surfaces that tear: after opening any edges the mesh is valid, and the changes are reported.
#include <fathom/geometry/edit/surface_edit.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fathom {
namespace surface_edit_test {

// Side of a triangle on the edge between two vertices.
Index side_at(const EditableSurface& surface, Index a, Index b) {
    const Edge wanted = {std::min(a, b), std::max(a, b)};
    for (Index side = 0; side < 3 * surface.mesh().triangles.size(); ++side)
        if (surface.ends(side) == wanted) return side;
    return no_index;
}

// Six triangles round vertex 0.
TriangleMesh fan() {
    return {{{0, 0, 0}, {2, 0, 0}, {1, 2, 0}, {-1, 2, 0}, {-2, 0, 0}, {-1, -2, 0}, {1, -2, 0}},
            {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 6}, {0, 6, 1}}};
}

TEST(EditableSurface, an_inner_edge_is_marked_until_a_neighbouring_edge_opens_an_end) {
    EditableSurface surface(make_cloth({.size = {1, 1}, .cells = {3, 3}}));
    const auto inner = [&](Index v) { return surface.mesh().vertices[v].cwiseAbs().head<2>().maxCoeff() < 0.4; };
    Index side = 0;
    while (!inner(surface.ends(side)[0]) || !inner(surface.ends(side)[1])) ++side;
    surface.separate(std::span(&side, 1));
    surface.check();
    EXPECT_TRUE(surface.is_scored(side));
    EXPECT_NE(surface.opposite(side), no_index);
    EXPECT_TRUE(surface.take_edit().empty());
    const Index end = surface.ends(side)[0];
    Index beside = 0;
    const auto meets_end = [&](Index s) { return surface.ends(s)[0] == end || surface.ends(s)[1] == end; };
    while (surface.ends(beside) == surface.ends(side) || !meets_end(beside) || !inner(surface.ends(beside)[0]) ||
           !inner(surface.ends(beside)[1]))
        ++beside;
    surface.separate(std::span(&beside, 1));
    surface.check();
    EXPECT_EQ(surface.opposite(side), no_index);
    EXPECT_FALSE(surface.is_scored(side));
    const SurfaceTear edit = surface.take_edit();
    ASSERT_EQ(edit.twins.size(), 1u);
    EXPECT_EQ(edit.twins[0].origin, end);
    EXPECT_EQ(edit.opened.size(), 4u);
    EXPECT_EQ(surface.parts().count, 1u);
}

TEST(EditableSurface, a_fan_cut_across_is_two_parts) {
    EditableSurface surface(fan());
    EXPECT_EQ(surface.border().size(), 6u);
    const std::array<Index, 2> sides = {side_at(surface, 0, 1), side_at(surface, 0, 4)};
    surface.separate(sides);
    surface.check();
    EXPECT_EQ(surface.parts().count, 2u);
    EXPECT_EQ(surface.mesh().vertices.size(), 10u);
    EXPECT_EQ(surface.border().size(), 10u);
    const SurfaceTear edit = surface.take_edit();
    EXPECT_EQ(edit.changed_triangles.size(), 3u);
    for (const auto& [vertex, origin] : edit.twins)
        EXPECT_EQ(surface.mesh().vertices[vertex], surface.mesh().vertices[origin]);
}

TEST(EditableSurface, parts_connected_at_a_point_get_one_each) {
    EditableSurface surface({{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}}, {{0, 1, 2}, {0, 3, 4}}});
    surface.check();
    const SurfaceTear edit = surface.take_edit();
    ASSERT_EQ(edit.twins.size(), 1u);
    EXPECT_EQ(edit.twins[0].vertex, 5u);
    EXPECT_EQ(edit.twins[0].origin, 0u);
    EXPECT_EQ(surface.mesh().triangles[1], (Triangle{5, 3, 4}));
}

// Random tears until no triangles are connected. After each one the mesh is valid and triangles keep numbers and
// places.
TEST(EditableSurface, random_tears_keep_the_mesh_valid) {
    Random random(7);
    std::size_t parted = 0, whole = 0;
    for (std::size_t round = 0; round < testing::count_of(12, 300); ++round) {
        const TriangleMesh start =
            round % 3 == 2 ? make_sphere({0.5, 3}) : make_cloth({.size = {1, 1}, .cells = {5, 4}});
        EditableSurface surface(start);
        std::size_t vertices = start.vertices.size();
        for (int k = 0; k < 60; ++k) {
            std::vector<Index> sides(1 + random.below(4));
            for (Index& side : sides) side = static_cast<Index>(random.below(3 * start.triangles.size()));
            const std::vector<Triangle> before = surface.mesh().triangles;
            surface.separate(sides);
            surface.check();
            const SurfaceTear edit = surface.take_edit();
            ASSERT_EQ(surface.mesh().vertices.size(), vertices + edit.twins.size());
            for (const auto& [vertex, origin] : edit.twins) ASSERT_LT(origin, vertices);
            vertices += edit.twins.size();
            for (std::size_t t = 0; t < before.size(); ++t) {
                ASSERT_EQ(before[t] != surface.mesh().triangles[t],
                          std::binary_search(edit.changed_triangles.begin(), edit.changed_triangles.end(), t));
                ASSERT_EQ(surface.mesh().corners(t), start.corners(t));
            }
            for (const Index side : edit.opened) ASSERT_EQ(surface.opposite(side), no_index);
            ++(surface.parts().count > 1 ? parted : whole);
        }
        std::vector<Index> all(3 * start.triangles.size());
        for (Index side = 0; side < all.size(); ++side) all[side] = side;
        surface.separate(all);
        surface.check();
        EXPECT_EQ(surface.parts().count, start.triangles.size());
        EXPECT_EQ(surface.mesh().vertices.size(), 3 * start.triangles.size());
        EXPECT_EQ(surface.border().size(), 3 * start.triangles.size());
    }
    EXPECT_GT(std::min(parted, whole), (parted + whole) / 20);
}

TEST(EditableSurface, errors_are_named) {
    const auto message = [](const TriangleMesh& mesh) {
        try {
            EditableSurface surface(mesh);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(message({}), "accepted");
    EXPECT_NE(message({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 1}}}).find("uses a vertex twice"), std::string::npos);
    EXPECT_NE(message({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}}, {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}})
                  .find("three or more"),
              std::string::npos);
    EXPECT_THROW(EditableSurface({{{0, 0, 0}}, {{0, 1, 2}}}), Error);
    EditableSurface surface(fan());
    const Index far = 18;
    EXPECT_THROW(surface.separate(std::span(&far, 1)), Error);
    std::vector<Vec3> places(7, Vec3::Zero());
    EXPECT_NO_THROW(surface.move(places));
    places[3].y() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(surface.move(places), Error);
    places.pop_back();
    EXPECT_THROW(surface.move(places), Error);
}

} // namespace surface_edit_test
} // namespace fathom
