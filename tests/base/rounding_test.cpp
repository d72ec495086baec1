// Rounding slack against exact rational arithmetic: every bound encloses the error, a smaller one does not, and none is
// larger than the worst error found by more than the stated factor.
#include <fathom/base/primitives.h>
#include <fathom/base/random.h>
#include <fathom/base/rounding.h>
#include <support/exact.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>

namespace fathom {
namespace rounding_test {

using testing::count_of;
using testing::cross;
using testing::dot;
using testing::exact;
using testing::ExactVec;
using testing::rounded;
using testing::operator-;

constexpr std::array scales = {1e-6, 1e-3, 1.0, 1e3, 1e6};

ExactVec sum(const ExactVec& a, const ExactVec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
ExactVec times(const mpq_class& s, const ExactVec& v) { return {s * v[0], s * v[1], s * v[2]}; }

// By the direction of the quaternion; its length does not matter.
ExactVec exactly_rotated(const Quat& q, const ExactVec& v) {
    const mpq_class w(q.w());
    const ExactVec s = exact(q.vec());
    const mpq_class squared = w * w + dot(s, s);
    const ExactVec turned = sum(sum(times(w * w - dot(s, s), v), times(2 * dot(s, v), s)), times(2 * w, cross(s, v)));
    return times(1 / squared, turned);
}
ExactVec exactly(const Pose& pose, const Vec3& p) {
    return sum(exactly_rotated(pose.rotation, exact(p)), exact(pose.translation));
}
// From the frame of b to that of a.
ExactVec exactly(const Pose& a, const Pose& b, const Vec3& p) {
    return exactly_rotated(a.rotation.conjugate(), exactly(b, p) - exact(a.translation));
}

double error_of(const Vec3& computed, const ExactVec& truth) { return rounded(exact(computed) - truth).norm(); }

// Counts how often two bounds hold, and how near the error comes to the larger one.
struct Bounds {
    int tried = 0, beyond = 0, beyond_smaller = 0;
    double nearest = 0;

    void note(double error, double bound, double smaller) {
        ++tried;
        beyond += error > bound;
        beyond_smaller += error > smaller;
        nearest = std::max(nearest, error / bound);
    }
};

struct TwoBodies {
    Pose a, b;
    Vec3 p;

    TwoBodies(Random& random, double size, double apart, double away)
        : a{random.rotation(), away * random.in_ball()}, b{random.rotation(), a.translation + apart * random.in_ball()},
          p(size * random.in_ball()) {}
    [[nodiscard]] double bound() const {
        return position_rounding(p.norm(), a.translation.norm(), b.translation.norm());
    }
    [[nodiscard]] double one_rounding() const {
        return unit_roundoff * (p.norm() + a.translation.norm() + b.translation.norm());
    }
};

TEST(Rounding, of_positions_covers_points_that_pass_between_the_frames_of_two_bodies) {
    Random random(1);
    Bounds there, back;
    for (std::size_t k = 0; k < count_of(2000, 100'000); ++k) {
        const double size = scales[random.below(5)], apart = scales[random.below(5)], away = scales[random.below(5)];
        const TwoBodies at(random, size, apart, away);
        const Pose b_in_a = relative(at.a, at.b), a_in_b = b_in_a.inverse();
        there.note(error_of(b_in_a * at.p, exactly(at.a, at.b, at.p)), at.bound(), at.one_rounding());
        there.note(error_of(b_in_a.rotation.toRotationMatrix() * at.p + b_in_a.translation, exactly(at.a, at.b, at.p)),
                   at.bound(), at.one_rounding());
        back.note(error_of(a_in_b.rotation.toRotationMatrix() * at.p + a_in_b.translation, exactly(at.b, at.a, at.p)),
                  at.bound(), at.one_rounding());
    }
    EXPECT_EQ(there.beyond, 0);
    EXPECT_EQ(back.beyond, 0);
    EXPECT_GT(there.beyond_smaller, there.tried / 50);
    EXPECT_GT(back.beyond_smaller, back.tried / 50);
    EXPECT_GT(std::max(there.nearest, back.nearest), 1.0 / 50); // not absurdly large
}

TEST(Rounding, of_positions_depends_on_translations_that_cancel) {
    Random random(2);
    Bounds bounds;
    for (std::size_t k = 0; k < count_of(1000, 20'000); ++k) {
        const TwoBodies at(random, 1, 2, 1e6);
        const Pose b_in_a = relative(at.a, at.b);
        bounds.note(error_of(b_in_a * at.p, exactly(at.a, at.b, at.p)), at.bound(),
                    position_rounding(at.p.norm(), b_in_a.translation.norm()));
    }
    EXPECT_EQ(bounds.beyond, 0);
    EXPECT_GT(bounds.beyond_smaller, bounds.tried / 2);
}

TEST(Rounding, of_positions_covers_points_of_segments) {
    Random random(3);
    Bounds bounds;
    for (std::size_t k = 0; k < count_of(2000, 100'000); ++k) {
        const double scale = scales[k % 5];
        const auto coordinates = [&] {
            return Vec3(scale * random.uniform(-1, 1), scale * random.uniform(-1, 1), scale * random.uniform(-1, 1));
        };
        const Segment segment{coordinates(), coordinates()};
        const double t = random.uniform(0, 1), start = segment.start.cwiseAbs().maxCoeff(),
                     end = segment.end.cwiseAbs().maxCoeff();
        const ExactVec truth =
            sum(exact(segment.start), times(mpq_class(t), exact(segment.end) - exact(segment.start)));
        bounds.note(error_of(segment.at(t), truth), position_rounding(start, end), unit_roundoff * (start + end));
    }
    EXPECT_EQ(bounds.beyond, 0);
    EXPECT_GT(bounds.beyond_smaller, 0);
    EXPECT_GT(bounds.nearest, 1.0 / 100);
}

TEST(Rounding, of_poses_covers_quaternions_that_are_unit_up_to_the_tolerance) {
    Random random(4);
    Bounds bounds;
    for (std::size_t k = 0; k < count_of(1000, 50'000); ++k) {
        Pose pose{random.rotation(), scales[random.below(5)] * random.in_ball()};
        pose.rotation.coeffs() *= 1 + (k % 2 ? 1 : -1) * 0.999 * unit_tolerance;
        const Vec3 p = scales[k % 5] * random.in_ball();
        bounds.note(error_of(pose * p, exactly(pose, p)), pose_rounding(p.norm(), pose.translation.norm()),
                    position_rounding(p.norm(), pose.translation.norm()));
    }
    EXPECT_EQ(bounds.beyond, 0);
    EXPECT_GT(bounds.beyond_smaller, bounds.tried / 10);
    EXPECT_GT(bounds.nearest, 1.0 / 10);
}

TEST(Rounding, outward_and_inward_enclose_the_radius_of_a_box) {
    Random random(5);
    int above = 0, below = 0;
    for (std::size_t k = 0; k < count_of(2000, 100'000); ++k) {
        const double scale = scales[k % 5];
        Box box;
        for (int corner = 0; corner < 2; ++corner) box.extend(scale * random.in_ball());
        const ExactVec size = exact(box.upper) - exact(box.lower);
        const mpq_class squared = dot(size, size) / 4;
        const double radius = box.half().norm();
        const auto square = [](double x) -> mpq_class { return mpq_class(x) * mpq_class(x); };
        ASSERT_GE(square(outward(radius)), squared);
        ASSERT_LE(square(inward(radius)), squared);
        ASSERT_LE(square(outward(radius)), squared * (1 + mpq_class(1e-11)));
        ASSERT_GE(square(inward(radius)), squared * (1 - mpq_class(1e-11)));
        above += square(radius) > squared;
        below += square(radius) < squared;
    }
    EXPECT_GT(above, 0); // the plain radius errs to both sides
    EXPECT_GT(below, 0);
}

TEST(Rounding, error_of_counted_operations_covers_a_sum_of_products) {
    Random random(6);
    Bounds bounds;
    for (std::size_t k = 0; k < count_of(2000, 100'000); ++k) {
        const Vec3 a = scales[random.below(5)] * random.in_ball(), b = scales[random.below(5)] * random.in_ball();
        const double magnitude = a.cwiseAbs().dot(b.cwiseAbs());
        const mpq_class error = abs(mpq_class(a.dot(b)) - dot(exact(a), exact(b)));
        // A product and two sums.
        bounds.note(error.get_d(), rounding_error(4) * magnitude, 0.5 * unit_roundoff * magnitude);
    }
    EXPECT_EQ(bounds.beyond, 0);
    EXPECT_GT(bounds.beyond_smaller, 0);
    EXPECT_GT(bounds.nearest, 1.0 / 10);
}

} // namespace rounding_test
} // namespace fathom
