// Exactness of the distances of named shapes. Points inside are compared with closed forms that are written
// independently. A distance is exact if the field is 1-Lipschitz (the contract) and a step of that length along its
// slope ends on the surface.
#include <fathom/base/primitives.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <field/analytic/shape_examples.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace fathom {
namespace analytic_exactness_test {

using namespace testing;
using namespace fathom::shapes;

struct Membership {
    AnalyticExpression shape;
    std::function<bool(const Vec3&)> inside;
};

bool in_cone(const Vec3& p, double bottom, double top, double height) {
    const double t = p.z() / height + 0.5;
    return t >= 0 && t <= 1 && std::hypot(p.x(), p.y()) <= bottom + t * (top - bottom);
}

bool in_regular_polygon(double x, double y, int sides, double radius) {
    for (int k = 0; k < sides; ++k) {
        const double middle = 2 * M_PI * (k + 0.5) / sides;
        if (x * std::cos(middle) + y * std::sin(middle) > radius * std::cos(M_PI / sides)) return false;
    }
    return true;
}

double to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Segment segment{a, b};
    return (p - segment.at(segment.closest_fraction(p))).norm();
}

double to_block(const Vec3& p, const Vec3& size) { return (p - Box::around({0, 0, 0}, 0.5 * size).closest(p)).norm(); }

bool in_rounded_cone(const Vec3& p, double bottom, double top, double height) {
    for (int k = 0; k <= 2000; ++k) { // as a union of many balls
        const double t = k / 2000.0;
        if ((p - Vec3(0, 0, (t - 0.5) * height)).norm() <= bottom + t * (top - bottom)) return true;
    }
    return false;
}

double to_arc(const Vec3& p, double angle, double radius) {
    const double phi = std::clamp(std::atan2(p.y(), p.x()), -angle, angle);
    return (p - radius * Vec3(std::cos(phi), std::sin(phi), 0)).norm();
}

double to_link(const Vec3& p, double length, double radius) {
    const double z = p.z() - std::clamp(p.z(), -0.5 * length, 0.5 * length);
    const double ring = std::hypot(p.x(), z) - radius;
    return std::hypot(ring, p.y());
}

bool in_box(const Vec3& p, const Vec3& size) { return (p.cwiseAbs().array() <= 0.5 * size.array()).all(); }

bool in_frame(const Vec3& p, const Vec3& size, double bar) {
    int at_side = 0;
    for (int k = 0; k < 3; ++k) at_side += std::abs(p[k]) >= 0.5 * size[k] - bar;
    return in_box(p, size) && at_side >= 2;
}

bool in_star(double x, double y, int points, double radius, double inner) {
    double angle = std::fmod(std::atan2(y, x) + 4 * M_PI, 2 * M_PI / points);
    angle = std::min(angle, 2 * M_PI / points - angle); // folded between a tip and a notch
    const double r = std::hypot(x, y), px = r * std::cos(angle), py = r * std::sin(angle);
    const double nx = inner * std::cos(M_PI / points), ny = inner * std::sin(M_PI / points);
    return (nx - radius) * py - ny * (px - radius) >= 0;
}

double heart_value(const Vec3& p) {
    const double x = std::abs(p.x()), lobe = 4 + 1.2 * p.y() - x * std::sqrt((20 - x) / 15), tilt = p.z() - p.y() / 15;
    return x * x + lobe * lobe + tilt * tilt - 15 * 15;
}

std::vector<Membership> memberships() {
    const Vec3 size(1, 1.5, 0.7), a(-0.5, 0.2, 0.1), b(0.6, -0.3, 0.4);
    const auto radial = [](const Vec3& p) { return std::hypot(p.x(), p.y()); };
    return {
        {sphere(0.8), [](const Vec3& p) { return p.norm() <= 0.8; }},
        {shapes::box(size), [=](const Vec3& p) { return in_box(p, size); }},
        {rounded_box(size, 0.2), [=](const Vec3& p) { return to_block(p, size - Vec3::Constant(0.4)) <= 0.2; }},
        {box_frame(size, 0.2), [=](const Vec3& p) { return in_frame(p, size, 0.2); }},
        {ellipsoid({0.9, 0.5, 0.3}), [](const Vec3& p) { return p.cwiseQuotient(Vec3(0.9, 0.5, 0.3)).norm() <= 1; }},
        {torus(0.7, 0.25), [](const Vec3& p) { return to_arc(p, M_PI, 0.7) <= 0.25; }},
        {capped_torus(1.9, 0.7, 0.2), [](const Vec3& p) { return to_arc(p, 1.9, 0.7) <= 0.2; }},
        {link(0.6, 0.4, 0.15), [](const Vec3& p) { return to_link(p, 0.6, 0.4) <= 0.15; }},
        {cylinder(0.6, 1.1), [=](const Vec3& p) { return radial(p) <= 0.6 && std::abs(p.z()) <= 0.55; }},
        {infinite_cylinder(0.5), [=](const Vec3& p) { return radial(p) <= 0.5; }},
        {cone(0.7, 1.2), [](const Vec3& p) { return in_cone(p, 0.7, 0, 1.2); }},
        {infinite_cone(0.5), [=](const Vec3& p) { return p.z() <= 0 && radial(p) <= -p.z() * std::tan(0.5); }},
        {capped_cone(0.8, 0.3, 1.1), [](const Vec3& p) { return in_cone(p, 0.8, 0.3, 1.1); }},
        {capped_cone(0, 0.6, 1), [](const Vec3& p) { return in_cone(p, 0, 0.6, 1); }},
        {rounded_cone(0.5, 0.2, 0.8), [](const Vec3& p) { return in_rounded_cone(p, 0.5, 0.2, 0.8); }},
        {capsule(a, b, 0.3), [=](const Vec3& p) { return to_segment(p, a, b) <= 0.3; }},
        {hexagonal_prism(0.8, 0.9),
         [](const Vec3& p) { return in_regular_polygon(p.x(), p.y(), 6, 0.8) && std::abs(p.z()) <= 0.45; }},
        {triangular_prism(0.9, 0.7),
         [](const Vec3& p) { return in_regular_polygon(p.x(), p.y(), 3, 0.9) && std::abs(p.z()) <= 0.35; }},
        {octahedron(0.9), [](const Vec3& p) { return p.cwiseAbs().sum() <= 0.9; }},
        {pyramid(1.2, 1),
         [](const Vec3& p) {
             return std::abs(p.z()) <= 0.5 && p.head<2>().cwiseAbs().maxCoeff() <= 0.6 * (0.5 - p.z());
         }},
        {plane({1, 2, -1}, 0.2), [](const Vec3& p) { return p.dot(Vec3(1, 2, -1).normalized()) <= 0.2; }},
        {scale(0.05, heart()), [](const Vec3& p) { return heart_value(20 * p) <= 0; }},
        {extrude(0.6, star(5, 0.9, 0.4)),
         [](const Vec3& p) { return in_star(p.x(), p.y(), 5, 0.9, 0.4) && std::abs(p.z()) <= 0.3; }},
        {infinite_extrude(rectangle({0.4, 0.6})),
         [](const Vec3& p) { return std::abs(p.x()) <= 0.2 && std::abs(p.y()) <= 0.3; }},
        {revolve(0.5, rectangle({0.4, 0.6})),
         [=](const Vec3& p) { return std::abs(radial(p) - 0.5) <= 0.2 && std::abs(p.z()) <= 0.3; }},
        {twist(1.5, 2, shapes::box({0.7, 0.6, 1.2})),
         [](const Vec3& p) {
             return in_box(Eigen::AngleAxisd(-1.5 * p.z(), Vec3::UnitZ()) * p, {0.7, 0.6, 1.2});
         }},
        {shell(0.1, sphere(0.7)), [](const Vec3& p) { return std::abs(p.norm() - 0.7) <= 0.05; }},
        {elongate({0.6, 0.2, 0}, sphere(0.4)),
         [](const Vec3& p) {
             return to_block(p, {0.6, 0.2, 0}) <= 0.4;
         }},
        {repeat_limited({0.6, 0.5, 0}, {3, 2, 1}, sphere(0.2)),
         [](const Vec3& p) {
             for (const double x : {-0.6, 0.0, 0.6})
                 for (const double y : {-0.25, 0.25})
                     if ((p - Vec3(x, y, 0)).norm() <= 0.2) return true;
             return false;
         }},
        {mirror({1, 0, 0}, translate({0.5, 0, 0}, sphere(0.3))),
         [](const Vec3& p) { return (Vec3(std::abs(p.x()), p.y(), p.z()) - Vec3(0.5, 0, 0)).norm() <= 0.3; }},
        {union_of(sphere(0.6), translate({0.5, 0, 0}, shapes::box(size))),
         [=](const Vec3& p) { return p.norm() <= 0.6 || in_box(p - Vec3(0.5, 0, 0), size); }},
        {intersection(sphere(0.8), shapes::box(size)),
         [=](const Vec3& p) { return p.norm() <= 0.8 && in_box(p, size); }},
        {difference(shapes::box(size), sphere(0.6)),
         [=](const Vec3& p) { return in_box(p, size) && !(p.norm() < 0.6); }},
        {fathom::shapes::round(0.15, shapes::box(size)), [=](const Vec3& p) { return to_block(p, size) <= 0.15; }},
    };
}

TEST(AnalyticShapes, contain_the_expected_points) {
    Random random(1);
    for (const Membership& m : memberships()) {
        const AnalyticField field(m.shape);
        std::size_t inside = 0;
        const std::size_t count = count_of(3000, 100000);
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.1)));
            const double value = field.distance(p);
            if (std::abs(value) < 1e-6) continue; // the union of 2001 balls is a little smaller than its hull
            ASSERT_EQ(value <= 0, m.inside(p)) << m.shape.text() << " at " << p.transpose();
            inside += value <= 0;
        }
        EXPECT_GT(inside, count / 100) << m.shape.text();
        EXPECT_LT(inside, count * 95 / 100) << m.shape.text();
    }
}

// Distances by brute force: to the nearest point of a fine lattice that is on the other side of the surface. Such a
// point is never nearer than the surface, and hardly farther than the lattice is fine.
class Lattice {
public:
    static constexpr int steps = 64;
    static constexpr double reach = 1.5, spacing = 2 * reach / steps;

    explicit Lattice(const std::function<bool(const Vec3&)>& inside) {
        for (int i = 0; i <= steps; ++i)
            for (int j = 0; j <= steps; ++j)
                for (int k = 0; k <= steps; ++k) {
                    const Vec3 p = spacing * Vec3(i, j, k) - Vec3::Constant(reach);
                    (inside(p) ? inside_ : outside_).push_back(p);
                }
    }
    // Unsigned; NaN where nearer points may lie past the lattice's border.
    [[nodiscard]] double distance(const Vec3& p, bool inside) const {
        double nearest = HUGE_VAL;
        for (const Vec3& q : inside ? outside_ : inside_) nearest = std::min(nearest, (p - q).squaredNorm());
        const double border = reach - p.cwiseAbs().maxCoeff();
        return std::sqrt(nearest) <= border ? std::sqrt(nearest) : std::nan("");
    }

private:
    std::vector<Vec3> inside_, outside_;
};

TEST(AnalyticShapes, distances_agree_with_brute_force) {
    Random random(6);
    std::size_t outside = 0, inside = 0;
    for (const Membership& m : memberships()) {
        const AnalyticField field(m.shape);
        const DistanceKind kind = field.distance_kind();
        if (kind == DistanceKind::not_a_distance || m.shape.node().kind->name == "rounded_cone")
            continue; // 2001 balls a point
        const Lattice lattice(m.inside);
        for (std::size_t i = 0; i < count_of(40, 1000); ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(0.9)));
            const double value = field.distance(p), brute = lattice.distance(p, value <= 0);
            if (std::isnan(brute)) continue;
            ASSERT_LE(std::abs(value), brute + 1e-9) << m.shape.text() << " at " << p.transpose();
            const DistanceKind one_sided = value > 0 ? DistanceKind::exact_outside : DistanceKind::exact_inside;
            if (kind != DistanceKind::exact && kind != one_sided) continue;
            ASSERT_GE(std::abs(value), brute - 3 * Lattice::spacing) << m.shape.text() << " at " << p.transpose();
            ++(value > 0 ? outside : inside);
        }
    }
    EXPECT_GT(outside, 200u);
    EXPECT_GT(inside, 100u);
}

TEST(AnalyticShapes, exact_kinds_reach_the_surface_in_one_step) {
    Random random(2);
    int judged = 0;
    for (const std::string& text : shape_examples()) {
        const AnalyticField field(parse_shape(text));
        const DistanceKind kind = field.distance_kind();
        const bool outside = kind == DistanceKind::exact || kind == DistanceKind::exact_outside;
        const bool inside = kind == DistanceKind::exact || kind == DistanceKind::exact_inside;
        EXPECT_EQ(field.error_bound() == 0, kind == DistanceKind::exact);
        if (outside || inside) {
            EXPECT_EQ(field.lipschitz(), 1) << text;
        }
        std::size_t missed = 0, tried = 0;
        for (std::size_t i = 0; i < count_of(1000, 50000); ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.5)));
            const Sample at = field.sample(p);
            if (!(at.distance > 0 ? outside : inside)) continue;
            ++tried;
            const double left = field.distance(p - at.distance * at.gradient);
            missed += !(std::abs(left) <= 1e-9 * (1 + std::abs(at.distance)));
        }
        EXPECT_LE(missed, tried / 500) << text << " (" << name(kind) << "), " << tried << " tried";
        judged += tried > 0;
    }
    EXPECT_GT(judged, 30);
}

TEST(AnalyticShapes, kinds_that_are_not_marked_exact_are_not_exact) {
    const auto kind = [](const char* text) { return parse_shape(text).distance_kind(); };
    EXPECT_EQ(kind("union(sphere(1), translate(1, 0, 0, sphere(1)))"), DistanceKind::exact_outside);
    EXPECT_EQ(kind("intersection(sphere(1), translate(1, 0, 0, sphere(1)))"), DistanceKind::exact_inside);
    EXPECT_EQ(kind("difference(sphere(1), translate(1, 0, 0, sphere(1)))"), DistanceKind::exact_inside);
    EXPECT_EQ(kind("smooth_union(sphere(1), box(1, 1, 1), 0.1)"), DistanceKind::lower_bound);
    EXPECT_EQ(kind("ellipsoid(1, 2, 3)"), DistanceKind::lower_bound);
    EXPECT_EQ(kind("torus(0.3, 0.5)"), DistanceKind::exact_outside);
    EXPECT_EQ(kind("twist(1, 1, box(1, 1, 1))"), DistanceKind::not_a_distance);
    EXPECT_EQ(kind("heart()"), DistanceKind::not_a_distance);
    EXPECT_EQ(kind("round(0.1, box_frame(1, 1, 1, 0.1))"), DistanceKind::exact_outside);
    EXPECT_EQ(kind("round(0.1, box(1, 1, 1))"), DistanceKind::exact);
    EXPECT_EQ(kind("shell(0.1, sphere(1))"), DistanceKind::exact_outside);
    EXPECT_EQ(kind("mirror(1, 0, 0, translate(2, 0, 0, sphere(1)))"), DistanceKind::exact);
    EXPECT_EQ(kind("mirror(1, 0, 0, translate(0.5, 0, 0, sphere(1)))"), DistanceKind::lower_bound);
    // The middle of two overlapping balls: the union's value is that of one ball, its true depth is more.
    const AnalyticField two(parse_shape("union(sphere(1), translate(1, 0, 0, sphere(1)))"));
    EXPECT_NEAR(two.distance({0.5, 0, 0}), -0.5, 1e-15);
    EXPECT_LT(two.distance({0.5, std::sqrt(0.75) - 1e-3, 0}), 0); // the nearest surface is the circle where they cross
}

TEST(AnalyticShapes, sheets_agree_with_dense_samples) {
    Random random(3);
    const Vec3 a(-0.6, -0.5, 0.1), b(0.6, -0.5, 0.1), c(0.5, 0.5, 0.1), d(-0.4, 0.6, 0.1), e(0.1, 0.7, -0.4);
    std::vector<Vec3> on_triangle, on_quad, on_disk;
    constexpr int n = 120;
    for (int i = 0; i <= n; ++i)
        for (int k = 0; k <= n; ++k) {
            const double u = static_cast<double>(i) / n, v = static_cast<double>(k) / n;
            on_quad.push_back((1 - u) * ((1 - v) * a + v * d) + u * ((1 - v) * b + v * c));
            if (i + k <= n) on_triangle.push_back(a + u * (b - a) + v * (e - a));
            on_disk.push_back(0.7 * u * Vec3(std::cos(2 * M_PI * v), std::sin(2 * M_PI * v), 0));
        }
    const auto check = [&](const AnalyticExpression& shape, const std::vector<Vec3>& samples) {
        const AnalyticField field(shape);
        for (int i = 0; i < 100; ++i) {
            const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.2)));
            double nearest = 1e9;
            for (const Vec3& s : samples) nearest = std::min(nearest, (p - s).norm());
            ASSERT_LE(field.distance(p), nearest + 1e-12) << shape.text();
            ASSERT_GE(field.distance(p), nearest - 0.02) << shape.text();
        }
    };
    check(triangle(a, b, e), on_triangle);
    check(quad(a, b, c, d), on_quad);
    check(disk(0.7), on_disk);
}

TEST(AnalyticShapes, repetition_is_the_union_of_all_copies) {
    const AnalyticExpression one = rotate(0.6, {1, 2, 3}, shapes::box({0.25, 0.3, 0.2}));
    const AnalyticField limited(repeat_limited({0.7, 0.5, 0.8}, {2, 3, 1}, one)), endless(repeat({0.7, 0, 0.6}, one));
    std::vector<AnalyticExpression> copies, many;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) copies.push_back(translate({0.7 * (i - 0.5), 0.5 * (k - 1), 0}, one));
    for (int i = -5; i <= 5; ++i)
        for (int k = -5; k <= 5; ++k) many.push_back(translate({0.7 * i, 0, 0.6 * k}, one));
    const AnalyticField all(union_of(copies)), far_and_wide(union_of(many));
    Random random(4);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(1.5)));
        ASSERT_NEAR(limited.distance(p), all.distance(p), 1e-13) << p.transpose();
        ASSERT_NEAR(endless.distance(p), far_and_wide.distance(p), 1e-13) << p.transpose();
    }
}

TEST(AnalyticShapes, twist_and_bend_need_their_whole_lipschitz_bound) {
    const struct {
        AnalyticExpression shape;
        Box where;
    } cases[] = {
        {twist(1.5, 1, plane({2, 0, 1}, 0)), {{-0.72, -0.72, -1}, {0.72, 0.72, 1}}},
        {bend(1.5, 1, plane({1, 0, 0}, 0)), {{-0.1, 0.8, -1}, {0.1, 1, 1}}},
    };
    Random random(5);
    for (const auto& [shape, where] : cases) {
        const AnalyticField field(shape);
        double steepest = 0;
        for (int i = 0; i < 20000; ++i)
            steepest = std::max(steepest, field.sample(random.in_box(where)).gradient.norm());
        EXPECT_LE(steepest, field.lipschitz());
        EXPECT_GE(steepest, 0.9 * field.lipschitz()) << shape.text();
    }
}

TEST(AnalyticShapes, slopes_at_ties_are_the_stated_ones) {
    EXPECT_EQ(AnalyticField(sphere(1)).sample({0, 0, 0}).gradient, Vec3(1, 0, 0));
    EXPECT_EQ(AnalyticField(shapes::box({2, 2, 2})).sample({0, 0, 0}).gradient, Vec3(1, 0, 0));
    EXPECT_EQ(AnalyticField(shapes::box({2, 2, 2})).sample({0.1, 0.5, -0.5}).gradient, Vec3(0, 1, 0));
    const AnalyticExpression left = translate({-2, 0, 0}, sphere(1)), right = translate({2, 0, 0}, sphere(1));
    EXPECT_EQ(AnalyticField(union_of(left, right)).sample({0, 0, 0}).gradient, Vec3(1, 0, 0));
    EXPECT_EQ(AnalyticField(union_of(right, left)).sample({0, 0, 0}).gradient, Vec3(-1, 0, 0));
}

} // namespace analytic_exactness_test
} // namespace fathom
