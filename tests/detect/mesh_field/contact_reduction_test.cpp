// Few contacts, well spread, against all of them: mesh_contacts() with MeshGoal::contacts is the oracle.
#include "support/small_meshes.h"
#include "support/test_counts.h"
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/mesh_field/contact_reduction.h>
#include <fathom/detect/mesh_field/triangle_in_mesh.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>

#include <gtest/gtest.h>

#include <map>

namespace fathom {
namespace contact_reduction_test {

Pose random_pose(Random& random, double reach) { return {random.rotation(), reach * random.in_ball()}; }

TriangleMesh sized(const TriangleMesh& mesh, double scale) {
    return mapped(mesh, [&](const Vec3& p) -> Vec3 { return scale * p; });
}

// A mesh with its field.
struct Body {
    TriangleMesh mesh;
    TriangleSphereTree ready;
    MeshField field;

    explicit Body(const TriangleMesh& m) : mesh(m), ready(m), field(m) {}
};

std::array<mesh_field::MeshInField, 2> both_ways(const Body& a, const Pose& pose_a, const Body& b, const Pose& pose_b) {
    return {mesh_field::MeshInField{&a.ready, pose_a, &b.field, pose_b},
            mesh_field::MeshInField{&b.ready, pose_b, &a.field, pose_a}};
}

using Key = std::pair<std::size_t, Index>; // side and triangle
using All = std::map<Key, mesh_field::MeshContact>;

All all_contacts(std::span<const mesh_field::MeshInField> sides, double margin, bool& undecided) {
    All all;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const mesh_field::MeshInField& side = sides[s];
        const mesh_field::MeshContactResult found = mesh_field::mesh_contacts(
            *side.mesh, side.mesh_pose, *side.field, side.field_pose, {.margin = margin, .max_contacts = 1'000'000});
        undecided = undecided || found.undecided > 0;
        for (const mesh_field::MeshContact& c : found.contacts) all.emplace(Key{s, c.triangle}, c);
    }
    return all;
}

// The middle or a corner of the triangle is in contact.
bool is_plain(const mesh_field::MeshInField& side, Index triangle, double margin) {
    for (std::size_t place = 0; place < side.mesh->size(); ++place) {
        if (side.mesh->triangle(place) != triangle) continue;
        const auto touches = [&](const Vec3& p) {
            return side.field->distance(side.field_pose.to_local(side.mesh_pose * p)) <= margin;
        };
        const auto corners = side.mesh->corners(place);
        return touches(side.mesh->sphere(place).center) || std::ranges::any_of(corners, touches);
    }
    return false;
}

double gap(const Vec3& p, std::span<const mesh_field::ReducedContact> from) {
    double least = HUGE_VAL;
    for (const mesh_field::ReducedContact& c : from) least = std::min(least, (c.at.point - p).norm());
    return least;
}

struct Tally {
    std::size_t poses = 0, overlapping = 0, truncated = 0, deeper = 0;
};

void check(std::span<const mesh_field::MeshInField> sides, double margin, const All& all, bool undecided,
           std::size_t most, double size, Tally& tally) {
    const mesh_field::ReductionResult found =
        mesh_field::reduce_contacts(sides, {.margin = margin, .max_contacts = most});
    ++tally.poses;
    EXPECT_EQ(found.status == Status::overlapping, !all.empty());
    EXPECT_TRUE(undecided || found.status != Status::undecided);
    ASSERT_EQ(found.contacts.empty(), all.empty());
    if (all.empty()) return;
    ++tally.overlapping;
    tally.truncated += found.more_contacts;

    double deepest = -HUGE_VAL;
    for (const auto& [key, contact] : all) deepest = std::max(deepest, contact.depth);
    EXPECT_GE(found.contacts.front().at.depth, deepest - 1e-9 * size);
    tally.deeper +=
        found.contacts.front().at.depth > deepest + 1e-9 * size; // a proof led to a better place than it does there
    std::map<Key, double> listed;
    for (const mesh_field::ReducedContact& c : found.contacts) {
        const auto known = all.find({c.side, c.at.triangle});
        ASSERT_NE(known, all.end());
        EXPECT_TRUE(listed.emplace(known->first, c.at.depth).second) << "twice";
        EXPECT_GE(c.at.depth, known->second.depth) << "what mesh_field::mesh_contacts() lists for the triangle";
        EXPECT_TRUE(c.at.depth > known->second.depth ||
                    (c.at.point == known->second.point && c.at.normal == known->second.normal));
        const mesh_field::MeshInField& side = sides[c.side];
        EXPECT_NEAR(side.field->distance(side.field_pose.to_local(c.at.point)), -c.at.depth, 1e-11 * size);
        EXPECT_LE(c.at.depth, found.contacts.front().at.depth);
    }

    EXPECT_EQ(found.more_contacts, all.size() > found.contacts.size());
    EXPECT_EQ(found.more_contacts, all.size() > most);
    EXPECT_LE(found.contacts.size(), most);
    // Each farther than half of what any other would have been.
    for (std::size_t k = 1; k <= found.contacts.size(); ++k) {
        const auto before = std::span(found.contacts).first(k);
        if (k == found.contacts.size() && (k == most || !found.more_contacts)) break;
        const double own = k < found.contacts.size() ? gap(found.contacts[k].at.point, before)
                                                     : 0; // fewer than requested: the others share their points
        for (const auto& [key, contact] : all) {
            if (!(gap(contact.point, before) > own / mesh_field::spread_share + 1e-9 * size)) continue;
            EXPECT_FALSE(is_plain(sides[key.first], key.second, margin))
                << k << ": " << own << " and there was " << gap(contact.point, before);
        }
    }
}

void check(std::span<const mesh_field::MeshInField> sides, double margin, double size, Tally& tally) {
    bool undecided = false;
    const All all = all_contacts(sides, margin, undecided);
    for (const std::size_t most : {1u, 16u, 100'000u}) check(sides, margin, all, undecided, most, size, tally);
}

void expect_both_outcomes(const Tally& tally) {
    EXPECT_LE(tally.deeper, tally.overlapping / 20);
    EXPECT_GT(tally.overlapping, tally.poses / 5);
    EXPECT_LT(tally.overlapping, tally.poses * 19 / 20);
    EXPECT_GT(tally.truncated, tally.poses / 10);
    EXPECT_LT(tally.truncated, tally.overlapping);
}

TEST(ReducedContacts, of_two_closed_meshes_are_the_deepest_and_far_apart) {
    Random random(1);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const std::array bodies = {
            Body(sized(testing::box_mesh(Box::around(Vec3::Zero(), Vec3(0.5, 0.4, 0.05))), scale)),
            Body(sized(testing::sphere_mesh(2), scale)), Body(sized(testing::torus_mesh(24, 8), scale)),
            Body(sized(make_creature({.triangles = 1000}), scale))};
        Tally tally;
        for (std::size_t k = 0; k < testing::count_of(16, 500); ++k) {
            const Body &a = bodies[random.below(4)], &b = bodies[random.below(4)];
            const auto sides = both_ways(a, random_pose(random, 1.1 * scale), b, random_pose(random, 1.1 * scale));
            check(sides, k % 3 == 0 ? 0.05 * scale : 0.0, scale, tally);
        }
        expect_both_outcomes(tally);
    }
}

TEST(ReducedContacts, of_open_meshes_in_formulas_are_the_deepest_and_far_apart) {
    Random random(2);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        const std::array meshes = {TriangleSphereTree(sized(testing::random_triangles(random, 30, 20), scale)),
                                   TriangleSphereTree(sized(testing::torus_mesh(24, 8), scale))};
        const AnalyticField ball(shapes::sphere(0.4 * scale)), block(shapes::box(scale * Vec3(0.8, 0.6, 0.1))),
            star(shapes::extrude(0.2 * scale, shapes::star(7, 0.6 * scale, 0.2 * scale)));
        Tally tally;
        for (const AnalyticField* field : {&ball, &block, &star})
            for (const TriangleSphereTree& mesh : meshes)
                for (std::size_t k = 0; k < testing::count_of(8, 300); ++k) {
                    const mesh_field::MeshInField side{&mesh, random_pose(random, scale), field,
                                                       random_pose(random, scale)};
                    check({&side, 1}, k % 2 == 0 ? 0.03 * scale : 0.0, scale, tally);
                }
        expect_both_outcomes(tally);
    }
}

TEST(ReducedContacts, in_a_grid_are_the_deepest_and_far_apart) {
    Random random(3);
    const TriangleSphereTree mesh(make_creature({.triangles = 1000}));
    const GridField grid = build_grid(make_creature({.triangles = 2000, .seed = 2}), {.resolution = 48});
    Tally tally;
    for (std::size_t k = 0; k < testing::count_of(20, 500); ++k) {
        const mesh_field::MeshInField side{&mesh, random_pose(random, 0.55), &grid, random_pose(random, 0.55)};
        check({&side, 1}, 0, 1, tally);
    }
    expect_both_outcomes(tally);
}

TEST(ReducedContacts, of_a_body_inside_another_and_of_bodies_that_just_touch) {
    const Body small(testing::cube_mesh()), large(sized(testing::cube_mesh(), 5));
    Tally tally;
    const double cube = bounds(small.mesh.vertices).size().x();
    for (const Vec3& at :
         {Vec3(0.1, 0.2, 0.3), Vec3(0.5 * cube + 2.5 * cube, 0, 0), Vec3(0.5 * cube + 2.5 * cube, 0.1, 0.2)})
        check(both_ways(small, Pose::from_translation(at), large, {}), 0, cube, tally);
    EXPECT_EQ(tally.overlapping, tally.poses);
}

TEST(ReducedContacts, are_the_same_for_any_number_of_threads) {
    const Body a(make_creature({.triangles = 3000})), b(make_torus({.segments = 48, .tube_segments = 24}));
    const AnalyticField block(shapes::box({0.5, 0.5, 0.5}));
    const auto sides = both_ways(a, Pose::from_translation({0.4, 0.1, 0}), b, {});
    const mesh_field::MeshInField of_formula{&a.ready, Pose::from_translation({0.1, 0.1, 0}), &block, {}};
    for (const std::span<const mesh_field::MeshInField> asked :
         {std::span<const mesh_field::MeshInField>(sides), std::span<const mesh_field::MeshInField>(&of_formula, 1)}) {
        set_thread_count(1);
        const mesh_field::ReductionResult one = mesh_field::reduce_contacts(asked, {});
        set_thread_count(2);
        const mesh_field::ReductionResult two = mesh_field::reduce_contacts(asked, {});
        set_thread_count(0);
        ASSERT_EQ(one.contacts.size(), 16u);
        ASSERT_EQ(two.contacts.size(), 16u);
        EXPECT_EQ(one.evaluations, two.evaluations);
        for (std::size_t k = 0; k < 16; ++k) {
            EXPECT_EQ(one.contacts[k].side, two.contacts[k].side);
            EXPECT_EQ(one.contacts[k].at.triangle, two.contacts[k].at.triangle);
            EXPECT_EQ(one.contacts[k].at.point, two.contacts[k].at.point);
            EXPECT_EQ(one.contacts[k].at.depth, two.contacts[k].at.depth);
        }
    }
}

TEST(ReducedContacts, cost_a_small_part_of_all_contacts) {
    const Body a(make_creature({.triangles = 5000})), b(make_torus({.segments = 80, .tube_segments = 40}));
    const auto sides = both_ways(a, Pose::from_translation({0.4, 0.1, 0}), b, {});
    std::size_t evaluations = 0;
    for (const mesh_field::MeshInField& side : sides)
        evaluations += mesh_field::mesh_contacts(*side.mesh, side.mesh_pose, *side.field, side.field_pose).evaluations;
    EXPECT_LT(10 * mesh_field::reduce_contacts(sides).evaluations, evaluations);
}

TEST(ReducedContacts, hostile_input_is_refused_or_undecided) {
    const TriangleSphereTree cube(testing::cube_mesh()), nothing{TriangleMesh{}};
    const AnalyticField ball(shapes::sphere(1));
    EXPECT_EQ(mesh_field::reduce_contacts({}).status, Status::disjoint);
    const mesh_field::MeshInField empty{&nothing, {}, &ball, {}};
    EXPECT_EQ(mesh_field::reduce_contacts({&empty, 1}).status, Status::disjoint);
    for (const double wrong : {std::nan(""), HUGE_VAL}) {
        const mesh_field::MeshInField lost{&cube, Pose::from_translation({wrong, 0, 0}), &ball, {}};
        EXPECT_EQ(mesh_field::reduce_contacts({&lost, 1}).status, Status::undecided);
        EXPECT_EQ(mesh_field::reduce_contacts({&lost, 1}).undecided, 12u);
        const mesh_field::MeshInField here{&cube, {}, &ball, {}};
        EXPECT_THROW((void)mesh_field::reduce_contacts({&here, 1}, {.margin = wrong}), Error);
    }
}

// ---- The deepest point of one triangle

using Corners = std::array<Vec3, 3>;

double min_sampled(const Field& field, const Corners& t, int cells) {
    double least = HUGE_VAL;
    for (int i = 0; i <= cells; ++i)
        for (int j = 0; i + j <= cells; ++j) {
            const double u = static_cast<double>(i) / cells, v = static_cast<double>(j) / cells;
            least = std::min(least, field.distance((1 - u - v) * t[0] + u * t[1] + v * t[2]));
        }
    return least;
}

TEST(TriangleInMesh, no_sample_of_a_triangle_is_deeper_and_no_proof_is_wrong) {
    Random random(4);
    const std::array fields = {MeshField(testing::torus_mesh(40, 20)), MeshField(make_creature({.triangles = 2000})),
                               MeshField(testing::cube_mesh())};
    for (const MeshField& field : fields) {
        const double size = field.bounds().size().maxCoeff();
        std::size_t above[2] = {0, 0}, worse = 0, inside = 0;
        const std::size_t count = testing::count_of(600, 20'000);
        for (std::size_t k = 0; k < count; ++k) {
            const Vec3 at = random.in_box(field.bounds());
            Corners t;
            for (Vec3& corner : t) corner = at + 0.05 * size * random.in_ball();
            const double longest = std::max({(t[0] - t[1]).norm(), (t[1] - t[2]).norm(), (t[2] - t[0]).norm()});
            const Vec3 middle = (t[0] + t[1] + t[2]) / 3;
            std::array<mesh_field::MeshEvaluation, 4> looks = {
                mesh_field::MeshEvaluation{middle, field.nearest(middle)}};
            for (std::size_t c = 0; c < 3; ++c) looks[c + 1] = {t[c], field.nearest(t[c], looks[0].reach(t[c]))};
            const double sampled = min_sampled(field, t, 20);
            const mesh_field::TriangleMinimum least = mesh_field::minimum_on_triangle(field, t, looks);
            EXPECT_EQ(least.sample.distance, field.distance(least.point));
            const bool deep = sampled < -0.6 * longest; // spheres settle these: the deepest of all points
            inside += deep;
            worse += deep && least.sample.distance > sampled + 1e-9 * size;
            const double level = sampled + random.uniform(-0.03, 0.03) * size;
            const bool proven = mesh_field::stays_above(field, t, looks, level);
            ++above[proven];
            EXPECT_TRUE(!proven || sampled > level);
        }
        EXPECT_EQ(worse, 0u);
        EXPECT_GT(inside, count / 50);
        EXPECT_GT(above[1], count / 100);
        EXPECT_GT(above[0], count / 10);
    }
}

} // namespace contact_reduction_test
} // namespace fathom
