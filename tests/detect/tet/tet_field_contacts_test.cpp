#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/tet_field_contacts.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <support/plain_fields.h>
#include <support/test_counts.h>
#include <support/tet_bodies.h>

#include <gtest/gtest.h>

namespace fathom::tet {
namespace {

using namespace fathom::testing;

TEST(TetFieldContacts, no_tetrahedron_that_reaches_into_a_ball_is_left_out_and_depths_enclose_the_truth) {
    Random random(61);
    for (const double scale : {1e-3, 1.0, 1e3}) {
        std::size_t reaching = 0, without_vertex = 0, undecided = 0, all = 0;
        for (std::size_t k = 0; k < count_of(20, 1000); ++k) {
            const OwnedBody body(placed(shaken(make_tet_box({.cells = {4, 4, 4}}), random, 0.05), scale, Vec3::Zero()));
            const double radius = scale * random.uniform(0.03, 0.4);
            const BallField field(scale * Vec3(0.1, 0, 0), radius);
            const Pose pose{random.rotation(), scale * 0.5 * random.in_ball()};
            const Vec3 center = pose * (scale * Vec3(0.1, 0, 0));
            const auto found = tet_field_contacts(body.view(), field, pose);
            auto next = found.tetrahedra.begin();
            for (Index t = 0; t < body.mesh.tetrahedra.size(); ++t, ++all) {
                const auto corners = body.mesh.corners(t);
                const double depth = radius - std::sqrt(closest_point(center, corners).squared_distance);
                const bool listed = next != found.tetrahedra.end() && next->tetrahedron == t;
                reaching += depth > 0;
                if (depth > 1e-9 * scale) {
                    ASSERT_TRUE(listed) << "tetrahedron " << t << " reaches in by " << depth;
                }
                if (!listed) continue;
                const double slack = 1e-9 * scale;
                EXPECT_LE(depth, next->depth_bound + slack);
                EXPECT_LE(next->depth, depth + slack);
                if (next->status == Status::overlapping) {
                    EXPECT_GE(depth, -slack);
                } else {
                    ++undecided;
                }
                Vec3 p = Vec3::Zero();
                for (std::size_t c = 0; c < 4; ++c) p += next->barycentric[c] * corners[c];
                EXPECT_NEAR(radius - (p - center).norm(), next->depth, slack);
                without_vertex += next->status == Status::overlapping &&
                                  std::none_of(corners.begin(), corners.end(),
                                               [&](const Vec3& v) { return (v - center).norm() < radius; });
                ++next;
            }
            EXPECT_EQ(next, found.tetrahedra.end());
            std::size_t inside = 0;
            for (const Vec3& v : body.mesh.vertices) inside += (v - center).norm() < radius;
            EXPECT_EQ(found.vertices.size(), inside);
            for (const VertexInField& v : found.vertices) {
                EXPECT_NEAR(v.depth, radius - (body.mesh.vertices[v.vertex] - center).norm(), 1e-12 * scale);
                EXPECT_LT((v.separating_direction - (body.mesh.vertices[v.vertex] - center).normalized()).norm(), 1e-3);
            }
        }
        EXPECT_GT(reaching, all / 20);
        EXPECT_LT(reaching, all / 2);
        EXPECT_GT(without_vertex, 0u);
        EXPECT_LT(undecided, all / 50);
    }
}

TEST(TetFieldContacts, a_level_grows_the_body_of_the_field) {
    const OwnedBody body(make_tet_box());
    const BallField field(Vec3(0, 0, 1), 0.4);
    EXPECT_TRUE(tet_field_contacts(body.view(), field).tetrahedra.empty());
    const auto grown = tet_field_contacts(body.view(), field, {}, {.level = 0.2});
    EXPECT_FALSE(grown.vertices.empty());
    double deepest = 0;
    for (const TetInField& t : grown.tetrahedra) deepest = std::max(deepest, t.depth);
    EXPECT_NEAR(deepest, 0.1, 1e-3);
}

TEST(TetFieldContacts, threads_do_not_matter_and_hostile_input_is_refused) {
    const OwnedBody body(make_tet_box({.cells = {6, 6, 6}}));
    const TorusField field(0.4, 0.2);
    set_thread_count(1);
    const auto one = tet_field_contacts(body.view(), field);
    set_thread_count(2);
    const auto two = tet_field_contacts(body.view(), field);
    set_thread_count(0);
    EXPECT_EQ(one.vertices, two.vertices);
    EXPECT_EQ(one.tetrahedra, two.tetrahedra);
    EXPECT_FALSE(one.tetrahedra.empty());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)tet_field_contacts(body.view(), field, {}, {.level = nan}), Error);
    EXPECT_THROW((void)tet_field_contacts(body.view(), field, Pose::from_translation(Vec3::Constant(nan))), Error);
}

} // namespace
} // namespace fathom::tet
