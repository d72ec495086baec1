// Proofs: "disjoint" with conservative maps is never wrong, and is said often enough. Run with a slow oracle of
// conservative drawing, and with the CPU backend where that can.
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/column_sweep.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/geometry/generate/generate.h>
#include <support/clipping_backend.h>
#include <support/mesh_oracle.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <iostream>

namespace fathom {

namespace depth_proof_test {

using testing::OracleBody;

enum class Which { clipping, cpu };

std::unique_ptr<DepthBackend> make(Which which) {
    if (which == Which::clipping) return std::make_unique<testing::ClippingBackend>();
    return make_cpu_depth_backend();
}

bool draws_conservatively(DepthBackend& backend) {
    try {
        const auto target = backend.make_target();
        backend.draw({}, {}, {.faces = Faces::both, .conservative = true}, *target);
        return true;
    } catch (const Error& error) {
        if (error.cause() != Cause::unsupported) throw;
        return false;
    }
}

class DepthProof : public ::testing::TestWithParam<Which> {
protected:
    void SetUp() override {
        backend = make(GetParam());
        if (!draws_conservatively(*backend)) GTEST_SKIP() << backend->name() << " does not draw conservatively";
    }
    std::unique_ptr<DepthBackend> backend;
};

INSTANTIATE_TEST_SUITE_P(Backends, DepthProof, ::testing::Values(Which::clipping, Which::cpu),
                         [](const auto& info) { return info.param == Which::clipping ? "clipping" : "cpu"; });

DrawnBody drawn(const TriangleMesh& mesh, const Pose& pose = {}) {
    return {std::make_shared<DrawnMesh>(mesh), pose, 0};
}

DepthObject careful(DepthBackend& backend, const TriangleMesh& mesh, const Vec3& direction,
                    DepthSides sides = DepthSides::both_sides, int pixels = 24) {
    return DepthObject(backend, mesh, std::array{Projection{direction, sides}},
                       {.pixels = pixels, .conservative = true});
}

constexpr DepthCollideOptions with_proof{.conservative = true};

TEST_P(DepthProof, is_never_given_for_bodies_that_overlap_by_more_than_rounding) {
    Random random(21);
    const std::size_t count = testing::count_of(10, 200);
    std::size_t proven = 0, apart = 0, undecided = 0, tried = 0;
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const TriangleMesh& shape :
             {make_box({.size = {1, 0.7, 0.5}}), make_torus({.segments = 16, .tube_segments = 8}),
              make_box({.size = {1, 0.004, 0.004}})}) {
            const TriangleMesh own = mapped(shape, [&](const Vec3& p) -> Vec3 { return scale * p; });
            const OracleBody oracle(own);
            DepthObject filled = careful(*backend, own, Vec3(0.2, 0.3, 1)),
                        layered = careful(*backend, own, Vec3(1, 0.3, 0.2), DepthSides::layers);
            for (const TriangleMesh& plain :
                 {make_bowl({.thickness = 0.1, .segments = 24}), make_box({.size = {4, 0.004, 4}})}) {
                const TriangleMesh other = mapped(plain, [&](const Vec3& p) -> Vec3 { return scale * p; });
                const OracleBody other_oracle(other);
                for (std::size_t k = 0; k < count; ++k) {
                    const Pose pose{random.rotation(), scale * random.direction()},
                        between{random.rotation(), scale * random.uniform(0.1, 1.5) * random.direction()};
                    const DepthCollision result = collide(k % 2 == 0 ? filled : layered, pose,
                                                          std::array{drawn(other, pose * between)}, with_proof);
                    const bool meet = solids_meet(oracle, other_oracle, between);
                    ++tried;
                    apart += !meet;
                    undecided += result.status == Status::undecided;
                    EXPECT_EQ(result.proven, result.status == Status::disjoint);
                    if (!result.proven) continue;
                    ++proven;
                    EXPECT_FALSE(meet &&
                                 meet_deeper_than(oracle, result.rounding, other_oracle, result.rounding, between));
                    // Both are thin: their surfaces cross although nothing is deep in the other.
                    EXPECT_FALSE(meet) << "at scale " << scale;
                }
            }
        }
    EXPECT_GT(apart, tried / 5);
    EXPECT_LT(apart, tried * 9 / 10);
    EXPECT_GT(proven, apart / 3);
    if (testing::long_run())
        std::cout << tried << " poses, " << apart << " apart, " << proven << " proven, " << undecided << " undecided\n";
}

// Seen edge on, and reaching out of the box on both sides: in one pixel it passes through all depths.
TEST_P(DepthProof, sees_a_wall_along_the_direction) {
    DepthObject object = careful(*backend, make_sphere({.radius = 0.5}), Vec3::UnitZ());
    for (const double turn : {0.0, 1e-4, 0.01}) {
        const TriangleMesh wall = make_box({.size = {10, 1e-3, 10}});
        const Quat tilt(Eigen::AngleAxisd(turn, Vec3::UnitX()));
        const DepthCollision through = collide(object, {}, std::array{drawn(wall, {tilt, {0, 0.1234, 0}})}, with_proof);
        EXPECT_NE(through.status, Status::disjoint);
        EXPECT_GT(through.open_pixels, 0u);
        const DepthCollision beside = collide(object, {}, std::array{drawn(wall, {tilt, {0, 0.62, 0}})}, with_proof);
        EXPECT_EQ(beside.status, Status::disjoint);
        EXPECT_TRUE(beside.proven);
    }
}

// One part of the environment is in front of the object and one behind it: neither map alone decides.
TEST_P(DepthProof, is_given_between_a_floor_and_a_ceiling) {
    DepthObject object = careful(*backend, make_sphere({.radius = 0.5}), Vec3::UnitZ());
    TriangleMesh sheets =
        mapped(make_cloth({.size = {3, 3}}), [](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, 0.51); });
    append(sheets, mapped(make_cloth({.size = {3, 3}}), [](const Vec3& p) -> Vec3 { return p - Vec3(0, 0, 0.51); }));
    EXPECT_TRUE(collide(object, {}, std::array{drawn(sheets)}, with_proof).proven);
    EXPECT_EQ(collide(object, Pose::from_translation({0, 0, 0.1}), std::array{drawn(sheets)}, with_proof).status,
              Status::overlapping);
}

TEST_P(DepthProof, is_not_given_inside_a_body_however_thin_the_object) {
    const DrawnBody around = drawn(make_box({.size = {4, 4, 4}}));
    DepthObject needle = careful(*backend, make_box({.size = {1, 1e-4, 1e-4}}), Vec3(0.3, 0.2, 1));
    EXPECT_EQ(collide(needle, {}, std::array{around}, with_proof).status, Status::overlapping);
    DepthObject ball = careful(*backend, make_sphere({.radius = 0.5}), Vec3::UnitZ());
    EXPECT_EQ(collide(ball, {}, std::array{around}, {.enclosed = false, .conservative = true}).status,
              Status::overlapping);
    EXPECT_TRUE(collide(ball, Pose::from_translation({0, 3, 0}), std::array{around}, with_proof).proven);
}

// A hair between the middles of pixels is not missed in silence.
TEST_P(DepthProof, leaves_gaps_thinner_than_pixels_undecided) {
    DepthObject object = careful(*backend, make_box(), Vec3::UnitZ(), DepthSides::both_sides, 16);
    const DrawnBody hair = drawn(make_box({.size = {1e-4, 1e-4, 0.5}}), Pose::from_translation({0.011, 0.013, 0}));
    EXPECT_EQ(collide(object, {}, std::array{hair}).status, Status::disjoint) << "missed, and not called a proof";
    EXPECT_FALSE(collide(object, {}, std::array{hair}).proven);
    const DepthCollision result = collide(object, {}, std::array{hair}, with_proof);
    EXPECT_EQ(result.status, Status::undecided);
    EXPECT_GT(result.open_pixels, 0u);
}

TEST_P(DepthProof, is_given_in_a_hollow_by_layers) {
    const TriangleMesh bowl = make_bowl({.thickness = 0.1});
    DepthObject filled = careful(*backend, bowl, Vec3::UnitX(), DepthSides::both_sides, 48),
                layered = careful(*backend, bowl, Vec3::UnitX(), DepthSides::layers, 48);
    const auto ball = std::make_shared<DrawnMesh>(make_sphere({.radius = 0.2}));
    const std::array in_hollow{DrawnBody{ball, Pose::from_translation({0, 0, 0}), 0}},
        in_wall{DrawnBody{ball, Pose::from_translation({0, 0, -0.3}), 0}};
    EXPECT_EQ(collide(filled, {}, in_hollow, with_proof).status, Status::overlapping);
    EXPECT_TRUE(collide(layered, {}, in_hollow, with_proof).proven);
    EXPECT_EQ(collide(layered, {}, in_wall, with_proof).status, Status::overlapping);
    // A hair through the wall, from the hollow to the outside.
    const DrawnBody hair =
        drawn(make_box({.size = {1e-4, 1e-4, 0.3}}), Pose::from_translation({0.0123, 0.0011, -0.45}));
    EXPECT_NE(collide(layered, {}, std::array{hair}, with_proof).status, Status::disjoint);
    // Each wall of the hollow is inside a body whose surface is in the hollow.
    const DrawnBody block = drawn(make_box({.size = {2, 3, 3}}), Pose::from_translation({1.01, 0, 0}));
    EXPECT_EQ(collide(layered, Pose::from_translation({0, 0, 0}), std::array{block}, with_proof).status,
              Status::overlapping);
}

TEST(DepthObjectProof, reports_an_option_that_the_backend_does_not_support) {
    const auto backend = make_cpu_depth_backend();
    if (draws_conservatively(*backend)) GTEST_SKIP() << backend->name() << " draws conservatively";
    EXPECT_THROW((void)careful(*backend, make_box(), Vec3::UnitZ()), Error);
}

TEST(ColumnSweep, visits_exactly_the_columns_that_a_triangle_covers) {
    DepthView view{.size = {8, 8, 1}, .width = 8, .height = 8};
    DepthMap lower{view, Keep::nearest, std::vector<float>(64, 0.4f), {}, {}},
        upper{view, Keep::farthest, std::vector<float>(64, 0.6f), {}, {}};
    TriangleMesh wall; // x = 0.5, that is column 4, from y = -4 to 4, all depths
    wall.vertices = {{0.5, -4, -3}, {0.5, 4, -3}, {0.5, 4, 30}, {0.5, -4, 30}};
    wall.triangles = {{0, 1, 2}, {0, 2, 3}};
    const std::vector<bool> all(64, true);
    const auto met = columns_touched(drawn(wall), all, lower, upper, nullptr, 1e-6);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(met[k], k % 8 == 4) << k;
    for (const double z : {0.3, 0.5, 0.7}) {
        TriangleMesh sheet =
            mapped(make_cloth({.size = {20, 20}}), [&](const Vec3& p) -> Vec3 { return p + Vec3(0, 0, z); });
        const auto by_sheet = columns_touched(drawn(sheet), all, lower, upper, nullptr, 1e-6);
        EXPECT_EQ(std::ranges::count(by_sheet, true), z == 0.5 ? 64 : 0);
    }
    EXPECT_EQ(std::ranges::count(
                  columns_touched(drawn(wall), std::vector<bool>(64, false), lower, upper, nullptr, 1e-6), true),
              0);
    EXPECT_EQ(std::ranges::count(
                  columns_touched(drawn(wall, Pose::from_translation({1e300, 0, 0})), all, lower, upper, nullptr, 1e-6),
                  true),
              0);
}

} // namespace depth_proof_test

} // namespace fathom
