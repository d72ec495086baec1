// Contacts of touching faces: they span the common face, and keep their features while bodies slide.
#include <fathom/base/random.h>
#include <fathom/detect/convex/convex_pair.h>
#include <fathom/geometry/primitive/triangle_triangle.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>

namespace fathom::convex {
namespace face_contacts_test {

using testing::count_of;

std::vector<Contact> contacts_of(const Body& a, const Pose& pose_a, const Body& b, const Pose& pose_b) {
    std::vector<Contact> contacts;
    const PairKernel kernel(Placed{a, pose_a}, Placed{b, pose_b});
    kernel.add_contacts(kernel.signed_distance(), 0, contacts);
    return contacts;
}

double width(std::span<const Vec3> points, const Vec3& u) {
    double lower = HUGE_VAL, upper = -HUGE_VAL;
    for (const Vec3& p : points) lower = std::min(lower, u.dot(p)), upper = std::max(upper, u.dot(p));
    return points.empty() ? 0 : upper - lower;
}

// Points of the top face of a box that are below another box, on a dense grid.
std::vector<Vec3> common_face(const Vec3& half_a, const Vec3& half_b, const Pose& pose_b) {
    std::vector<Vec3> points;
    constexpr int cells = 120;
    for (int i = 0; i <= cells; ++i)
        for (int k = 0; k <= cells; ++k) {
            const Vec3 p(half_a.x() * (2.0 * i / cells - 1), half_a.y() * (2.0 * k / cells - 1), half_a.z());
            const Vec3 q = pose_b.to_local(p).cwiseAbs();
            if (q.x() <= half_b.x() && q.y() <= half_b.y()) points.push_back(p);
        }
    return points;
}

TEST(FaceContacts, contacts_of_two_box_faces_span_the_common_face) {
    Random random(1);
    std::size_t faces = 0;
    for (std::size_t k = 0; k < count_of(100, 1'000); ++k) {
        const auto size = [&] {
            return Vec3(random.uniform(0.5, 1.5), random.uniform(0.5, 1.5), random.uniform(0.5, 1));
        };
        const Body a = box(size()), b = box(size());
        const Pose turn{random.rotation(), random.in_ball()};
        const Pose on_top = Pose::from_axis_angle(random.uniform(0, std::numbers::pi), Vec3::UnitZ(),
                                                  {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                                                   a.half.z() + b.half.z() - random.uniform(1e-4, 1e-2)});
        const std::vector<Vec3> face = common_face(a.half, b.half, on_top);
        const std::vector<Contact> contacts = contacts_of(a, turn, b, turn * on_top);
        std::vector<Vec3> points;
        for (const Contact& c : contacts) points.push_back(turn.to_local(c.point_a));
        if (face.size() < 400) continue; // they meet in a corner: another face may separate by less
        ++faces;
        for (int step = 0; step < 12; ++step) {
            const double angle = step * std::numbers::pi / 12;
            const Vec3 u(std::cos(angle), std::sin(angle), 0);
            EXPECT_GE(width(points, u), 0.95 * width(face, u)) << k;
        }
        for (const Contact& c : contacts) {
            EXPECT_GT(c.normal.dot(turn.rotate(Vec3::UnitZ())), 1 - 1e-9) << k;
            EXPECT_NEAR(c.depth, contacts.front().depth, 1e-9) << k;
            EXPECT_LE((c.point_b + c.depth * c.normal - c.point_a).norm(), 1e-9) << k;
        }
    }
    EXPECT_GT(faces, 50);
}

TEST(FaceContacts, a_sliding_box_keeps_its_four_contacts) {
    const Body floor = box({4, 4, 1}), crate = box({0.5, 0.7, 0.4});
    std::set<std::pair<Index, Index>> first;
    for (int step = 0; step <= 100; ++step) {
        const double t = 0.01 * step;
        const Pose pose = Pose::from_axis_angle(0.3 + 0.2 * t, Vec3::UnitZ(), {t, -0.5 * t, 0.7 - 1e-3 * (1 + t)});
        const std::vector<Contact> contacts = contacts_of(floor, Pose(), crate, pose);
        ASSERT_EQ(contacts.size(), 4) << step;
        std::set<std::pair<Index, Index>> ids;
        for (const Contact& c : contacts) ids.insert({c.feature_a.element, c.feature_b.element});
        EXPECT_EQ(ids.size(), 4) << step;
        if (step == 0) first = ids;
        EXPECT_EQ(ids, first) << step;
    }
}

Body hull_box(const Vec3& size) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k)
        corners.push_back(0.5 * size.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    return polyhedron(std::make_shared<Hull>(make_hull(corners)));
}

TEST(FaceContacts, hulls_of_boxes_have_the_contacts_of_boxes) {
    Random random(2);
    for (int k = 0; k < 50; ++k) {
        const Vec3 floor(4, 4, 1), crate(random.uniform(0.5, 1), random.uniform(0.5, 1), 0.4);
        const Pose turn{random.rotation(), random.in_ball()};
        const Pose on_top = Pose::from_axis_angle(random.uniform(0, 3), Vec3::UnitZ(), {0.3, -0.2, 0.6999});
        const auto sorted = [&](const Body& a, const Body& b) {
            std::vector<Vec3> points;
            for (const Contact& c : contacts_of(a, turn, b, turn * on_top)) points.push_back(turn.to_local(c.point_a));
            std::sort(points.begin(), points.end(), [](const Vec3& p, const Vec3& q) { return precedes(p, q); });
            return points;
        };
        const std::vector<Vec3> boxes = sorted(box(floor), box(crate));
        ASSERT_EQ(boxes.size(), 4u);
        for (const auto& hulls : {sorted(hull_box(floor), hull_box(crate)), sorted(box(floor), hull_box(crate)),
                                  sorted(hull_box(floor), box(crate))}) {
            ASSERT_EQ(hulls.size(), 4u) << k;
            for (std::size_t i = 0; i < 4; ++i) EXPECT_LE((hulls[i] - boxes[i]).norm(), 1e-9) << k;
        }
    }
}

TEST(FaceContacts, faces_of_hulls_are_counter_clockwise_seen_from_outside) {
    Random random(3);
    for (int k = 0; k < 20; ++k) {
        std::vector<Vec3> points;
        for (int i = 0; i < 30; ++i) points.push_back(random.in_ball());
        const Hull hull = make_hull(points);
        for (std::size_t f = 0; f < hull.face_count(); ++f) {
            const auto face = hull.face(f);
            const Vec3 &p = hull.vertices[face[0]], &q = hull.vertices[face[1]], &r = hull.vertices[face[2]];
            EXPECT_GT((q - p).cross(r - p).dot(hull.planes[f].normal), 0);
            for (const Vec3& v : hull.vertices) EXPECT_LE(hull.planes[f].normal.dot(v), hull.planes[f].offset + 1e-12);
        }
    }
}

TEST(FaceContacts, a_cylinder_has_two_contacts_on_its_side_and_many_on_its_end) {
    const Body floor = box({4, 4, 1}), can = frustum(0.3, 0.3, 1);
    const Pose lying = Pose::from_axis_angle(std::numbers::pi / 2, Vec3::UnitX(), {0, 0, 0.799});
    const std::vector<Contact> side = contacts_of(floor, Pose(), can, lying);
    ASSERT_EQ(side.size(), 2);
    EXPECT_NEAR((side[0].point_a - side[1].point_a).norm(), 1, 1e-9);
    EXPECT_EQ(contacts_of(floor, Pose(), can, Pose::from_translation({0, 0, 0.999})).size(), 16);
}

TEST(FaceContacts, a_crate_on_a_half_space_has_four_contacts) {
    const Body crate = box({1, 1, 1});
    const Pose pose = Pose::from_translation({0, 0, 0.49});
    std::vector<Contact> contacts;
    add_contacts(Placed{crate, pose}, Plane{Vec3::UnitZ(), 0}, 0, contacts);
    ASSERT_EQ(contacts.size(), 4);
    for (const Contact& c : contacts) EXPECT_NEAR(c.depth, 0.01, 1e-12);
}

} // namespace face_contacts_test
} // namespace fathom::convex
