#include <fathom/geometry/edit/tet_cut.h>

#include <fathom/base/error.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <geometry/edit/tet_edits.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <numbers>

namespace fathom {
namespace tet_cut_test {

using testing::count_of;
using testing::Follower;
using testing::not_positive;
using testing::part_volumes;
using testing::volume_of;
using testing::Worst;
using testing::worst_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Cause cause_of(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.cause();
    }
    return Cause::cancelled; // nothing was thrown
}

TetMesh scaled(TetMesh mesh, double scale) {
    for (Vec3& v : mesh.vertices) v *= scale;
    return mesh;
}

Vec3 centre_of(const EditableTetMesh& mesh, Index t) {
    const auto c = mesh.corners(t);
    return (c[0] + c[1] + c[2] + c[3]) / 4;
}

double volume_above(const TetMesh& mesh, const CutPlane& plane) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        std::array<double, 4> heights{};
        for (std::size_t k = 0; k < 4; ++k) heights[k] = plane.normal.dot(mesh.corners(t)[k] - plane.point);
        sum += testing::volume_above(mesh.corners(t), heights);
    }
    return sum;
}

// A square blade in the plane: its edge runs along `along`, moves by `sweep`.
TriangleMesh square_blade(const Vec3& corner, const Vec3& along, const Vec3& sweep) {
    const std::array<Vec3, 2> from{corner, corner + along}, to{corner + sweep, corner + along + sweep};
    return swept_surface(from, to);
}

TEST(TetCut, a_plane_cuts_a_ball_into_the_volumes_of_clipping) {
    Random random(3);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < count_of(10, 100); ++k) {
            const TetMesh ball = scaled(make_tet_ball({.resolution = 5}), scale);
            const CutPlane plane{0.25 * scale * random.in_ball(), random.direction()};
            EditableTetMesh mesh(ball);
            const CutReport report = cut(mesh, plane, {.snap = 0});
            ASSERT_NO_THROW(mesh.check());
            std::vector<double> volumes = part_volumes(mesh);
            ASSERT_EQ(volumes.size(), 2u);
            const double above = volume_above(ball, plane), whole = volume_above(ball, {{0, 0, -9 * scale}, {0, 0, 1}});
            const bool first = std::abs(volumes[0] - above) < std::abs(volumes[1] - above);
            EXPECT_NEAR(volumes[first ? 0 : 1], above, 1e-10 * whole);
            EXPECT_NEAR(volumes[first ? 1 : 0], whole - above, 1e-10 * whole);
            EXPECT_LT(report.farthest, 1e-12 * scale);
            EXPECT_GT(report.opened, 20u);
        }
}

TEST(TetCut, snapping_parts_in_two_near_the_plane_and_keeps_the_volume) {
    Random random(5);
    for (const double scale : {1e-3, 1.0, 1e3})
        for (std::size_t k = 0; k < count_of(10, 100); ++k) {
            const TetMesh ball = scaled(make_tet_ball({.resolution = 5}), scale);
            const CutPlane plane{0.25 * scale * random.in_ball(), random.direction()};
            EditableTetMesh mesh(ball);
            const double before = volume_of(mesh);
            const CutReport report = cut(mesh, plane);
            ASSERT_NO_THROW(mesh.check());
            EXPECT_EQ(mesh.parts().count, 2u);
            EXPECT_NEAR(volume_of(mesh), before, 1e-12 * before);
            EXPECT_EQ(not_positive(mesh), 0u);
            EXPECT_GT(report.snapped, 0u);
            EXPECT_LT(report.farthest, 0.1 * 0.3 * scale) << "edges of the ball are shorter than 0.3";
            const TetParts parts = mesh.parts();
            std::array<std::set<bool>, 2> sides;
            for (Index t = 0; t < mesh.tet_slots(); ++t) {
                const double height = plane.normal.dot(centre_of(mesh, t) - plane.point);
                if (std::abs(height) > 0.03 * scale) sides[parts.of_tet[t]].insert(height > 0);
            }
            EXPECT_EQ(sides[0].size() + sides[1].size(), 2u) << "each part lies on one side";
        }
}

TEST(TetCut, snapping_makes_the_worst_tetrahedron_much_better) {
    Random random(6);
    Worst with{}, without{};
    for (int k = 0; k < 40; ++k) {
        const TetMesh ball = make_tet_ball({.resolution = 4});
        const CutPlane plane{0.25 * random.in_ball(), random.direction()};
        for (Worst* worst : {&with, &without}) {
            EditableTetMesh mesh(ball);
            cut(mesh, plane, {.snap = worst == &with ? 0.1 : 0.0});
            const Worst found = worst_of(mesh);
            worst->quality = std::min(worst->quality, found.quality);
            worst->dihedral = std::min(worst->dihedral, found.dihedral);
            worst->volume = std::min(worst->volume, found.volume);
        }
    }
    const auto described = [](const Worst& w) {
        return std::to_string(w.quality) + ", " + std::to_string(w.dihedral) + " degrees, " + std::to_string(w.volume) +
               " m^3";
    };
    RecordProperty("worst_with_snapping", described(with));
    RecordProperty("worst_without", described(without));
    EXPECT_GT(with.quality, 0.02);
    EXPECT_GT(with.dihedral, 2);
    EXPECT_GT(with.quality, 30 * without.quality);
    EXPECT_GT(with.dihedral, 5 * without.dihedral);
    EXPECT_GT(with.volume, 1000 * without.volume);
}

TEST(TetCut, planes_exactly_through_vertices_edges_and_faces_need_no_split) {
    const TetMesh box = make_tet_box({.cells = {4, 4, 4}});
    EditableTetMesh mesh(box);
    const CutReport report = cut(mesh, CutPlane{{0, 0, 0}, {0, 0, 1}});
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(report.split, 0u);
    EXPECT_EQ(report.opened, 32u);
    const std::vector<double> volumes = part_volumes(mesh);
    ASSERT_EQ(volumes.size(), 2u);
    EXPECT_NEAR(volumes[0], 0.5, 1e-14);
    // The plane of a face of the boundary, and one that touches a corner: nothing to part.
    for (const CutPlane& plane :
         {CutPlane{{0, 0, 0.5}, {0, 0, 1}}, CutPlane{{0.5, 0.5, 0.5}, {1, 1, 1}}, CutPlane{{0, 0, 9}, {0, 0, 1}}}) {
        EditableTetMesh whole(box);
        const CutReport none = cut(whole, plane);
        EXPECT_EQ(none.split + none.opened, 0u);
        EXPECT_TRUE(whole.take_edit().empty());
    }
    // Through the diagonals of the cells.
    EditableTetMesh diagonal(box);
    cut(diagonal, CutPlane{{0, 0, 0}, {1, -1, 0}});
    EXPECT_NO_THROW(diagonal.check());
    EXPECT_EQ(diagonal.parts().count, 2u);
}

TEST(TetCut, one_tetrahedron_is_cut_in_every_pattern_of_signs) {
    const TetMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
    std::set<std::size_t> counts;
    for (int pattern = 0; pattern < 81; ++pattern) {
        // Heights of -1, 0 or 1 at the corners make a plane unless all are alike.
        std::array<double, 4> h{};
        for (int k = 0, code = pattern; k < 4; ++k, code /= 3) h[static_cast<std::size_t>(k)] = code % 3 - 1;
        const Vec3 normal(h[1] - h[0], h[2] - h[0], h[3] - h[0]);
        if (normal.norm() == 0) continue;
        const CutPlane plane{-h[0] / normal.squaredNorm() * normal, normal};
        EditableTetMesh mesh(one);
        cut(mesh, plane);
        ASSERT_NO_THROW(mesh.check());
        const bool low = *std::min_element(h.begin(), h.end())<0, high = *std::max_element(h.begin(), h.end())> 0;
        EXPECT_EQ(mesh.parts().count, low && high ? 2u : 1u);
        EXPECT_EQ(not_positive(mesh), 0u);
        EXPECT_NEAR(volume_of(mesh), 1.0 / 6, 1e-15);
        counts.insert(mesh.tet_count());
    }
    EXPECT_EQ(counts, (std::set<std::size_t>{1, 2, 3, 4, 6}));
}

TEST(TetCut, a_blade_that_ends_inside_leaves_the_body_in_one_part) {
    EditableTetMesh mesh(make_tet_box({.cells = {6, 6, 6}}));
    const double before = volume_of(mesh);
    const CutReport report = cut(mesh, square_blade({-1, -1, 0.03}, {0, 2, 0}, {1.05, 0, 0}));
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.parts().count, 1u);
    EXPECT_NEAR(volume_of(mesh), before, 1e-13);
    EXPECT_GT(report.opened, 30u);
    EXPECT_GT(mesh.take_edit().new_vertices.size(), report.split);
    // What is opened lies under the blade.
    const std::size_t outer = 6 * 6 * 6 * 2;
    double area = 0;
    for (const Index f : mesh.boundary()) {
        const Triangle c = mesh.face_corners(f);
        const auto x = mesh.positions();
        const Vec3 middle = (x[c[0]] + x[c[1]] + x[c[2]]) / 3;
        if (middle.cwiseAbs().maxCoeff() > 0.499) continue;
        EXPECT_LT(middle.x(), 0.05 + 1e-9);
        EXPECT_NEAR(middle.z(), 0.03, 0.02);
        area += area_vector({x[c[0]], x[c[1]], x[c[2]]}).norm() / 2;
    }
    EXPECT_GT(mesh.boundary().size(), outer);
    EXPECT_NEAR(area, 2 * 0.55, 0.2);
}

TEST(TetCut, a_blade_in_several_steps_cuts_like_one_sweep) {
    for (const int steps : {1, 2, 5, 13, 40}) {
        EditableTetMesh mesh(make_tet_box({.cells = {5, 5, 5}}));
        const double before = volume_of(mesh);
        const double step = 1.6 / steps;
        for (int k = 0; k < steps; ++k) {
            if (k < steps / 2) {
                EXPECT_EQ(mesh.parts().count, 1u);
            }
            cut(mesh, square_blade({-0.8 + k * step, -0.9, 0.013}, {0.1, 1.8, 0.05}, {step, 0, 0}));
            ASSERT_NO_THROW(mesh.check());
        }
        EXPECT_EQ(mesh.parts().count, 2u) << steps;
        EXPECT_EQ(not_positive(mesh), 0u);
        EXPECT_NEAR(volume_of(mesh), before, 1e-12);
    }
}

TEST(TetCut, a_bent_sweep_parts_a_box_along_the_bend) {
    EditableTetMesh mesh(make_tet_box({.cells = {8, 8, 8}}));
    std::vector<Vec3> places;
    const auto height = [](double x) { return 0.2 * std::sin(3 * x); };
    for (int row = 0; row <= 16; ++row) {
        const double x = -0.8 + 0.1 * row;
        for (const double y : {-0.7, 0.7}) places.push_back({x, y, height(x)});
    }
    cut(mesh, swept_path(places, 2));
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(not_positive(mesh), 0u);
    ASSERT_EQ(mesh.parts().count, 2u);
    const TetParts parts = mesh.parts();
    const auto upper = [&](Index t) { return centre_of(mesh, t).z() > height(centre_of(mesh, t).x()); };
    std::size_t wrong = 0;
    std::array<int, 2> votes{};
    for (Index t = 0; t < mesh.tet_slots(); ++t) votes[parts.of_tet[t]] += upper(t) ? 1 : -1;
    EXPECT_LT(votes[0] * votes[1], 0);
    for (Index t = 0; t < mesh.tet_slots(); ++t) wrong += upper(t) != (votes[parts.of_tet[t]] > 0);
    EXPECT_LT(wrong, mesh.tet_count() / 50);
}

TEST(TetCut, a_closed_surface_cuts_out_its_inside) {
    EditableTetMesh mesh(make_tet_box({.cells = {8, 8, 8}}));
    const TriangleMesh sphere = make_sphere({.radius = 0.3, .resolution = 8});
    cut(mesh, sphere);
    EXPECT_NO_THROW(mesh.check());
    std::vector<double> volumes = part_volumes(mesh);
    ASSERT_EQ(volumes.size(), 2u);
    std::sort(volumes.begin(), volumes.end());
    EXPECT_NEAR(volumes[0], 4 * std::numbers::pi / 3 * 0.027, 0.012);
}

TEST(TetCut, blades_outside_or_without_area_change_nothing) {
    EditableTetMesh mesh(make_tet_ball({.resolution = 2}));
    for (const TriangleMesh& blade :
         {square_blade({2, 2, 2}, {1, 0, 0}, {0, 1, 0}), square_blade({0, 0, 0}, {0, 0, 0}, {0, 0, 0}),
          square_blade({-1, 0, 0}, {2, 0, 0}, {0, 0, 0}), square_blade({-1, 0, 0}, {2, 0, 0}, {1, 0, 0}),
          TriangleMesh{}}) {
        const CutReport report = cut(mesh, blade);
        EXPECT_EQ(report.split + report.opened, 0u);
        EXPECT_TRUE(mesh.take_edit().empty());
    }
    // A blade smaller than a tetrahedron splits at most what it is in, and parts nothing.
    const CutReport tiny = cut(mesh, square_blade({0.01, 0.013, 0.02}, {1e-3, 0, 0}, {0, 1e-3, 1e-4}));
    EXPECT_GT(tiny.crossed, 0u);
    EXPECT_NO_THROW(mesh.check());
    EXPECT_EQ(mesh.parts().count, 1u);
}

TEST(TetCut, bad_blades_are_refused_by_name) {
    EditableTetMesh mesh(make_tet_ball({.resolution = 2}));
    EXPECT_EQ(cause_of([&] { cut(mesh, CutPlane{{nan, 0, 0}, {0, 0, 1}}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { cut(mesh, CutPlane{{0, 0, 0}, {0, INFINITY, 1}}); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { cut(mesh, CutPlane{{0, 0, 0}, {0, 0, 0}}); }), Cause::invalid_argument);
    for (const double snap : {-0.1, 0.5, nan})
        EXPECT_EQ(cause_of([&] { cut(mesh, CutPlane{}, {.snap = snap}); }), Cause::invalid_argument);
    const std::array<Vec3, 2> good{Vec3(0, 0, 0), Vec3(1, 0, 0)}, bad{Vec3(0, 0, nan), Vec3(1, 0, 0)};
    const std::array<Vec3, 1> one{Vec3(0, 0, 0)};
    EXPECT_EQ(cause_of([&] { static_cast<void>(swept_surface(good, bad)); }), Cause::non_finite);
    EXPECT_EQ(cause_of([&] { static_cast<void>(swept_surface(good, one)); }), Cause::count_mismatch);
    EXPECT_EQ(cause_of([&] { static_cast<void>(swept_surface(one, one)); }), Cause::invalid_argument);
    TriangleMesh blade = swept_surface(good, good);
    blade.vertices[0].x() = nan;
    EXPECT_EQ(cause_of([&] { cut(mesh, blade); }), Cause::non_finite);
    blade.vertices[0].x() = 0;
    blade.triangles[0][0] = 99;
    EXPECT_EQ(cause_of([&] { cut(mesh, blade); }), Cause::index_out_of_range);
    EXPECT_TRUE(mesh.take_edit().empty());
}

TEST(TetCut, planes_cut_a_ball_into_hundreds_of_valid_parts) {
    EditableTetMesh mesh(make_tet_ball({.resolution = 4}));
    const double before = volume_of(mesh);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = -3; k <= 3; ++k) {
            const Vec3 normal = Vec3::Unit(axis) + 0.1 * Vec3::Unit((axis + 1) % 3);
            cut(mesh, CutPlane{0.12 * k * normal, normal});
            ASSERT_NO_THROW(mesh.check());
        }
    EXPECT_GT(mesh.parts().count, 250u);
    EXPECT_EQ(not_positive(mesh), 0u);
    EXPECT_NEAR(volume_of(mesh), before, 1e-11 * before);
    for (const double volume : part_volumes(mesh)) EXPECT_GT(volume, 0);
}

// One random edit: a plane, a blade, a break along faces, or a few tetrahedra taken out. Returns whether the volume
// must stay.
bool random_edit(EditableTetMesh& mesh, Random& random, const Box& box) {
    const std::uint64_t kind = random.below(10);
    const double size = box.diagonal();
    const Vec3 place = random.chance(0.1) ? mesh.positions()[random.below(mesh.vertex_slots())] : random.in_box(box);
    const Vec3 normal = random.chance(0.2) ? Vec3::Unit(static_cast<int>(random.below(3))) : random.direction();
    if (kind < 4) {
        cut(mesh, CutPlane{place, normal}, {.snap = random.chance(0.2) ? 0.0 : random.uniform(0.02, 0.3)});
    } else if (kind < 8) {
        const Vec3 along = size * random.uniform(0.05, 1) * random.direction();
        cut(mesh, square_blade(place - 0.5 * along, along, size * random.uniform(0.05, 1) * random.direction()));
    } else if (kind == 8) {
        mesh.separate(faces_between(mesh, [&](Index a, Index b) {
            return random.chance(0.01) ||
                   normal.dot(centre_of(mesh, a) - place) * normal.dot(centre_of(mesh, b) - place) < 0;
        }));
    } else {
        std::vector<Index> gone;
        for (Index t = 0; t < mesh.tet_slots(); ++t)
            if (mesh.has_tet(t) && random.chance(0.02)) gone.push_back(t);
        mesh.remove(gone);
    }
    return kind < 9;
}

struct Soak {
    std::size_t max_parts = 0, whole = 0, split = 0;
    Worst worst{};
};

// `count` random edits. Starts over when the mesh has more than `most` tetrahedra or is empty.
Soak soak(const TetMesh& start, std::size_t count, std::size_t most, std::uint64_t seed) {
    Random random(seed);
    Soak soak;
    EditableTetMesh mesh;
    Follower follower(mesh);
    const Box box = bounds(start.vertices);
    for (std::size_t k = 0; k < count; ++k) {
        if (mesh.tet_count() > most || mesh.tet_count() < 1 + start.tetrahedra.size() / 4) {
            mesh = EditableTetMesh(start);
            static_cast<void>(mesh.take_edit());
            follower = Follower(mesh);
        }
        const double before = volume_of(mesh);
        const std::size_t tets = mesh.tet_count(), parts = mesh.parts().count;
        const bool keeps = random_edit(mesh, random, box);
        mesh.check();
        follower.follow(mesh, mesh.take_edit());
        if (k % 16 == 0) follower.expect_same(mesh);
        if (keeps) {
            EXPECT_NEAR(volume_of(mesh), before, 1e-11 * std::abs(before)) << k;
        }
        EXPECT_EQ(not_positive(mesh), 0u) << k;
        soak.split += mesh.tet_count() > tets;
        soak.whole += mesh.parts().count == parts;
        soak.max_parts = std::max(soak.max_parts, mesh.parts().count);
        if (::testing::Test::HasFailure()) break;
    }
    return soak;
}

TEST(TetCut, random_cuts_and_breaks_keep_every_rule_and_the_volume) {
    const std::size_t count = count_of(30, 1'100);
    std::uint64_t seed = 1;
    std::size_t max_parts = 0, split = 0, whole = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const TetMesh& mesh :
             {TetMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}}, make_tet_box({.cells = {3, 3, 3}}),
              make_tet_ball({.resolution = 2}), make_tet_cylinder({.rings = 1, .layers = 5})}) {
            const Soak found = soak(scaled(mesh, scale), count, 1500, ++seed);
            max_parts = std::max(max_parts, found.max_parts);
            split += found.split;
            whole += found.whole;
        }
    EXPECT_GT(max_parts, 50u);
    EXPECT_GT(split, 12 * count / 5);
    EXPECT_GT(whole, 12 * count / 10) << "cuts that part nothing must occur, too";
}

TEST(TetCut, random_cuts_of_scanned_bodies_keep_every_rule_and_the_volume) {
    FATHOM_NEEDS_MODELS();
    std::size_t bodies = 0;
    for (const char* name : {"torus_low_res.msh", "hand.msh", "Armadillo_Tetra_4406.vtu", "banana.vtk", "bunny.msh"}) {
        const auto path = testing::models() / "tet" / name;
        if (!std::filesystem::exists(path)) continue;
        const TetMesh mesh = read_tet_mesh(path);
        const Soak found = soak(mesh, count_of(4, 300), 3 * mesh.tetrahedra.size(), 100 + bodies++);
        EXPECT_GT(found.split, 0u) << name;
    }
    EXPECT_GT(bodies, 0u);
}

} // namespace tet_cut_test
} // namespace fathom
