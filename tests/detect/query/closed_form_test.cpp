// Depth and normal of pairs of boxes, capsules and tori against what geometry says: a linear program for boxes; for the
// round ones the distance of their cores, which are segments and circles.
#include <fathom/base/random.h>
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <support/test_counts.h>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace fathom {
namespace closed_form_test {

using testing::count_of;

FieldSphereTree solid(AnalyticExpression shape) {
    return FieldSphereTree(std::make_shared<AnalyticField>(std::move(shape)));
}

// normal . x <= offset, world.
struct HalfSpace {
    Vec3 normal;
    double offset;
};

std::vector<HalfSpace> faces_of(const Vec3& half, const Pose& pose) {
    std::vector<HalfSpace> faces;
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {-1.0, 1.0}) {
            const Vec3 normal = pose.rotate(sign * Vec3::Unit(axis));
            faces.push_back({normal, normal.dot(pose.translation) + half[axis]});
        }
    return faces;
}

// The least t with a point of the first box where every face of the second is at most t away: by all vertices of the
// program.
double minimum_over(const std::vector<HalfSpace>& body, const std::vector<HalfSpace>& other) {
    std::vector<Eigen::Vector4d> rows;
    std::vector<double> right;
    for (const HalfSpace& f : body)
        rows.emplace_back(f.normal.x(), f.normal.y(), f.normal.z(), 0), right.push_back(f.offset);
    for (const HalfSpace& f : other)
        rows.emplace_back(f.normal.x(), f.normal.y(), f.normal.z(), -1), right.push_back(f.offset);
    const std::size_t n = rows.size();
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            for (std::size_t k = j + 1; k < n; ++k)
                for (std::size_t l = k + 1; l < n; ++l) {
                    Eigen::Matrix4d m;
                    m << rows[i].transpose(), rows[j].transpose(), rows[k].transpose(), rows[l].transpose();
                    const Eigen::FullPivLU<Eigen::Matrix4d> lu(m);
                    if (!lu.isInvertible()) continue;
                    const Eigen::Vector4d x = lu.solve(Eigen::Vector4d(right[i], right[j], right[k], right[l]));
                    bool feasible = x[3] < least;
                    for (std::size_t r = 0; r < n && feasible; ++r)
                        feasible = rows[r].dot(x) <= right[r] + 1e-11 * (1 + std::abs(right[r]));
                    if (feasible) least = x[3];
                }
    return least;
}

TEST(ClosedForm, the_depth_of_boxes_is_that_of_a_linear_program) {
    Random random(11);
    std::size_t touching = 0, apart = 0;
    const std::size_t count = count_of(60, 2000);
    for (std::size_t n = 0; n < count; ++n) {
        const double scale = std::array{1.0, 1e-3, 1e3}[n % 3];
        const Vec3 half_a = scale * Vec3(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)),
                   half_b = scale * Vec3(0.4, 0.2, 0.3);
        const Pose a{random.rotation(), scale * random.in_ball()},
            b{random.rotation(), a.translation + 0.9 * scale * random.in_ball()};
        const auto faces_a = faces_of(half_a, a), faces_b = faces_of(half_b, b);
        const double in_b = minimum_over(faces_a, faces_b), in_a = minimum_over(faces_b, faces_a);
        const field_field::CollideResult result =
            field_field::collide(solid(shapes::box(2 * half_a)), a, solid(shapes::box(2 * half_b)), b);
        if (std::min(in_b, in_a) > 0) { // outside, planes say less than the distance, but the sign is right
            ++apart;
            ASSERT_EQ(result.status, Status::disjoint);
            continue;
        }
        ++touching;
        ASSERT_EQ(result.status, Status::overlapping);
        EXPECT_NEAR(result.depth, -std::min(in_b, in_a), 1e-9 * scale) << "pair " << n;
        double beside = 1; // the separating direction is a face normal
        for (const auto& faces : {faces_a, faces_b})
            for (const HalfSpace& f : faces) beside = std::min(beside, (result.contacts[0].normal - f.normal).norm());
        EXPECT_LT(beside, 1e-9);
    }
    EXPECT_GT(touching, count / 5);
    EXPECT_GT(apart, count / 5);
}

// A curve that a round body is drawn about, and the point of it nearest to another.
struct Core {
    bool circle;
    double size; // radius of the circle about z, or half length of the segment along z
    Pose pose;

    [[nodiscard]] Vec3 at(double t) const { // t in [0, 1]
        const double angle = 2 * std::numbers::pi * t;
        return pose *
               (circle ? Vec3(size * std::cos(angle), size * std::sin(angle), 0) : Vec3(0, 0, size * (2 * t - 1)));
    }
    [[nodiscard]] Vec3 tangent(double t) const {
        const double angle = 2 * std::numbers::pi * t;
        return pose.rotate(circle ? Vec3(-std::sin(angle), std::cos(angle), 0) : Vec3::UnitZ());
    }
    [[nodiscard]] Vec3 nearest(const Vec3& world) const {
        const Vec3 p = pose.to_local(world);
        if (!circle) return pose * Vec3(0, 0, std::clamp(p.z(), -size, size));
        const double radius = std::hypot(p.x(), p.y());
        return pose * Vec3(size * p.x() / radius, size * p.y() / radius, 0);
    }
};

struct Nearest {
    Vec3 a, b;
    double second = HUGE_VAL; // the distance of the next best place: where it is as good, the normal is anybody's
    [[nodiscard]] double distance() const { return (b - a).norm(); }
};

// One parameter: many samples, and in each dip the place where the distance begins to rise.
Nearest nearest_of(const Core& a, const Core& b) {
    constexpr int samples = 720;
    const auto distance = [&](double t) { return (b.nearest(a.at(t)) - a.at(t)).norm(); };
    const auto rises = [&](double t) { return (a.at(t) - b.nearest(a.at(t))).dot(a.tangent(t)) > 0; };
    std::vector<double> dips;
    for (int k = 0; k <= samples; ++k) {
        const auto at = [&](int i) {
            return distance(a.circle ? static_cast<double>((i + samples) % samples) / samples
                                     : std::clamp(static_cast<double>(i) / samples, 0.0, 1.0));
        };
        if (at(k) <= at(k - 1) && at(k) <= at(k + 1)) dips.push_back(static_cast<double>(k) / samples);
    }
    Nearest best{Vec3::Zero(), Vec3::Constant(HUGE_VAL)};
    double least = HUGE_VAL;
    for (const double dip : dips) {
        double low = dip - 1.0 / samples, high = dip + 1.0 / samples;
        if (!a.circle) low = std::max(low, 0.0), high = std::min(high, 1.0);
        for (int k = 0; k < 60; ++k) {
            const double middle = 0.5 * (low + high);
            (rises(middle) ? high : low) = middle;
        }
        const Vec3 p = a.at(0.5 * (low + high)), q = b.nearest(p);
        const double found = (q - p).norm();
        if (found < least) {
            if ((p - best.a).norm() > 1e-3 * a.size) best.second = least;
            least = found, best.a = p, best.b = q;
        } else if ((p - best.a).norm() > 1e-3 * a.size) {
            best.second = std::min(best.second, found);
        }
    }
    return best;
}

struct Round {
    Core core;
    double radius;

    [[nodiscard]] AnalyticExpression shape() const {
        return core.circle ? shapes::torus(core.size, radius)
                           : shapes::capsule({0, 0, -core.size}, {0, 0, core.size}, radius);
    }
};

TEST(ClosedForm, the_depth_of_capsules_and_tori_follows_from_the_distance_of_their_cores) {
    Random random(12);
    std::array<std::size_t, 3> touching{}, apart{};
    std::size_t compared = 0, to_nine_digits = 0; // pairs with one normal
    const std::size_t count = count_of(240, 9000);
    for (std::size_t n = 0; n < count; ++n) {
        const double scale = std::array{1.0, 1e-3, 1e3}[n / 3 % 3];
        const auto any = [&](bool circle, double reach) {
            return Round{
                {circle, scale * random.uniform(0.3, 0.6), {random.rotation(), scale * reach * random.in_ball()}},
                scale * random.uniform(0.05, 0.2)};
        };
        const Round a = any(n % 3 > 0, 0.5), b = any(n % 3 > 1, 0.5);
        const Nearest cores = nearest_of(a.core, b.core);
        const double gap = cores.distance() - a.radius - b.radius;
        const field_field::CollideResult result =
            field_field::collide(solid(a.shape()), a.core.pose, solid(b.shape()), b.core.pose);
        ASSERT_EQ(result.status, gap <= 0 ? Status::overlapping : Status::disjoint) << n << " gap " << gap;
        ++(gap <= 0 ? touching : apart)[n % 3];
        if (gap > 0) continue;
        // The depth of a core inside the other body is its own radius. The distance has a ridge there, which the
        // descent reaches at an angle if the core is barely inside: fewer digits, and any separating direction is
        // valid.
        const bool on_ridge = cores.distance() < std::max(a.radius, b.radius);
        EXPECT_NEAR(result.depth, std::min(-gap, std::max(a.radius, b.radius)), (on_ridge ? 5e-4 : 1e-9) * scale)
            << "pair " << n;
        if (on_ridge || cores.second < cores.distance() + 1e-6 * scale) continue;
        ++compared;
        const double off = (result.contacts[0].normal - (cores.b - cores.a).normalized()).norm();
        EXPECT_LT(off, 1e-6) << "pair " << n; // nearly parallel cores have a flat least distance
        to_nine_digits += off < 1e-9;
    }
    EXPECT_GT(compared, count / 6);
    EXPECT_GE(to_nine_digits, compared * 99 / 100) << "of " << compared;
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GT(touching[k], count / 30);
        EXPECT_GT(apart[k], count / 30);
    }
}

} // namespace closed_form_test
} // namespace fathom
