#include <contract/field_contract.h>

#include <fathom/field/plane_over.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::testing {

namespace {

// A random box in the region; sizes from the region's down to a millionth of it, some flat or a single point.
Box random_box(const Box& region, Random& random) {
    const double shrink = std::exp2(-20.0 * random.uniform());
    const Vec3 center = random.in_box(region);
    Vec3 half = 0.5 * shrink * region.size();
    for (int k = 0; k < 3; ++k) half[k] *= random.chance(0.1) ? 0.0 : random.uniform();
    return Box::around(center, half);
}

// Looks for the smallest and the largest value in a box by walking from corner to corner of ever smaller steps.
double extreme_by_search(const Field& field, const Box& box, double sign, Random& random) {
    Vec3 best = random.in_box(box);
    double value = sign * field.distance(best);
    Vec3 step = box.half();
    for (int round = 0; round < 12; ++round, step *= 0.5)
        for (int axis = 0; axis < 3; ++axis)
            for (const double direction : {-1.0, 1.0}) {
                const Vec3 trial = box.closest(best + direction * step[axis] * Vec3::Unit(axis));
                const double v = sign * field.distance(trial);
                if (v > value) value = v, best = trial;
            }
    return sign * value;
}

void expect_range_encloses(const Field& field, const FieldContract& contract, Random& random, ContractCounts& counts) {
    for (std::size_t i = 0; i < contract.boxes; ++i) {
        const Box box = random_box(contract.region, random);
        const Interval range = field.range(box);
        ++(range.lower > 0 ? counts.outside : range.upper < 0 ? counts.inside : counts.mixed);
        const auto inside = [&](double value) {
            return range.contains(value) ? ::testing::AssertionSuccess()
                                         : ::testing::AssertionFailure()
                                               << contract.name << ": " << value << " is not in [" << range.lower
                                               << ", " << range.upper << "] over " << box.lower.transpose() << " .. "
                                               << box.upper.transpose();
        };
        for (int k = 0; k < 8; ++k) ASSERT_TRUE(inside(field.distance(box.corner(k))));
        for (int k = 0; k < 4; ++k) ASSERT_TRUE(inside(field.distance(box.closest(random.in_box(box)))));
        if (i % 16 != 0) continue;
        ASSERT_TRUE(inside(extreme_by_search(field, box, 1, random)));
        ASSERT_TRUE(inside(extreme_by_search(field, box, -1, random)));
    }
}

// The steepest slope at random points of the region, for fields that state no Lipschitz bound.
double steepest_slope(const Field& field, const Box& region, Random& random) {
    double steepest = 0;
    for (int i = 0; i < 100; ++i) steepest = std::max(steepest, field.sample(random.in_box(region)).gradient.norm());
    return steepest;
}

void expect_range_tightens(const Field& field, const FieldContract& contract, Random& random) {
    const double size = contract.region.diagonal();
    const bool bounded = std::isfinite(field.lipschitz());
    const double slope = bounded ? field.lipschitz() : steepest_slope(field, contract.region, random);
    for (int i = 0; i < 200; ++i) {
        const Vec3 p = random.in_box(contract.region);
        const double allowed = 1e-5 * size * slope + 1e-6 * std::abs(field.distance(p)) + contract.rounding;
        const Interval point = field.range({p, p});
        const Interval small = field.range(Box::around(p, Vec3::Constant(1e-7 * size)));
        ASSERT_LE(point.width(), allowed) << contract.name << " at " << p.transpose();
        ASSERT_LE(small.width(), allowed) << contract.name << " at " << p.transpose();
    }
    ASSERT_TRUE(field.range(Box{}).empty()) << contract.name;
}

void expect_batches_equal_singles(const Field& field, const FieldContract& contract, Random& random) {
    for (const std::size_t count : {0u, 1u, 3u, 8u, 61u, 500u}) {
        std::vector<Vec3> points(count);
        std::vector<Box> boxes(count);
        for (Vec3& p : points) p = random.in_box(contract.region);
        for (Box& b : boxes) b = random_box(contract.region, random);
        std::vector<double> distances(count);
        std::vector<Sample> samples(count);
        std::vector<Interval> ranges(count);
        field.distances(points, distances);
        field.samples(points, samples);
        field.ranges(boxes, ranges);
        for (std::size_t i = 0; i < count; ++i) {
            const Sample one = field.sample(points[i]);
            ASSERT_EQ(distances[i], field.distance(points[i])) << contract.name << " at " << points[i].transpose();
            ASSERT_EQ(samples[i].distance, one.distance) << contract.name;
            ASSERT_EQ(samples[i].gradient, one.gradient) << contract.name;
            ASSERT_EQ(one.distance, distances[i]) << contract.name << ": sample and distance disagree";
            ASSERT_EQ(ranges[i], field.range(boxes[i])) << contract.name;
        }
    }
}

void expect_gradient_is_the_slope(const Field& field, const FieldContract& contract, Random& random) {
    int smooth = 0;
    constexpr int count = 400;
    const double step = contract.difference_step * contract.region.diagonal();
    for (int i = 0; i < count; ++i) {
        const Vec3 p = random.in_box(contract.region);
        const Sample at = field.sample(p);
        Vec3 slope;
        for (int k = 0; k < 3; ++k)
            slope[k] =
                (field.distance(p + step * Vec3::Unit(k)) - field.distance(p - step * Vec3::Unit(k))) / (2 * step);
        smooth += (slope - at.gradient).norm() <= contract.gradient_tolerance * (1 + at.gradient.norm());
    }
    EXPECT_GE(smooth, contract.smooth_share * count) << contract.name << ": gradients differ from central differences";
}

void expect_lipschitz_bound_holds(const Field& field, const FieldContract& contract, Random& random) {
    const double bound = field.lipschitz();
    ASSERT_GE(bound, 0) << contract.name;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.in_box(contract.region);
        const Vec3 q = random.chance(0.5) ? random.in_box(contract.region)
                                          : Vec3(p + 1e-4 * contract.region.diagonal() * random.in_ball());
        const double a = field.distance(p), b = field.distance(q);
        const double rounding = 1e-12 * (std::abs(a) + std::abs(b) + contract.region.diagonal());
        ASSERT_LE(std::abs(a - b), bound * (p - q).norm() * (1 + 1e-9) + rounding) << contract.name;
    }
}

void expect_bounds_hold_the_inside(const Field& field, const FieldContract& contract, Random& random) {
    const Box bounds = field.bounds();
    for (int i = 0; i < 4000; ++i) {
        const Vec3 p = random.in_box(contract.region);
        if (field.distance(p) <= 0) {
            ASSERT_TRUE(bounds.contains(p)) << contract.name << " at " << p.transpose();
        }
    }
}

// ---- Descriptions

void expect_value_bounds_hold(const Field& field, const FieldContract& contract, Random& random) {
    const ValueBounds bounds = field.value_bounds(0);
    EXPECT_GE(field.error_bound(), field.near_error_bound()) << contract.name;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.in_box(contract.region);
        const Vec3 q = p + std::exp2(-16.0 * random.uniform()) * contract.region.diagonal() * random.in_ball();
        const double a = field.distance(p), b = field.distance(q);
        const double rounding = 1e-12 * (std::abs(a) + std::abs(b) + contract.region.diagonal());
        ASSERT_LE(std::abs(a - b), bounds.lipschitz * (p - q).norm() * (1 + 1e-9) + bounds.jump + rounding)
            << contract.name;
    }
}

void expect_level_bounds_hold_the_level_set(const Field& field, const FieldContract& contract, Random& random) {
    for (const double share : {0.0, 0.01, 0.2}) {
        const double level = share * contract.region.diagonal();
        const Box bounds = field.level_bounds(level);
        for (int i = 0; i < 1000; ++i) {
            const Vec3 p = random.in_box(contract.region);
            if (field.distance(p) <= level) {
                ASSERT_TRUE(bounds.contains(p)) << contract.name << " at " << p.transpose() << ", level " << level;
            }
        }
    }
}

// Descends into random octants of the octree that the field asks for.
void expect_octree_ranges_enclose(const Field& field, const FieldContract& contract, Random& random) {
    if (field.bounds().empty() || !is_finite(field.bounds())) return;
    const FieldOctree octree = field.octree();
    ASSERT_TRUE(octree.root.grown(1e-9 * octree.root.diagonal()).contains(field.bounds())) << contract.name;
    for (int i = 0; i < 100; ++i) {
        Box cell = octree.root;
        for (int level = 0; level <= std::min(octree.levels, octree.max_levels) + 1; ++level) {
            Interval range;
            field.octree_ranges({&cell, 1}, {&range, 1});
            for (int k = 0; k < 4; ++k) {
                const Vec3 p = cell.closest(random.in_box(cell));
                if (field.domain().contains(p)) {
                    ASSERT_TRUE(range.contains(field.distance(p))) << contract.name << " at " << p.transpose();
                }
            }
            const Vec3 middle = cell.center();
            for (int axis = 0; axis < 3; ++axis) (random.chance(0.5) ? cell.lower : cell.upper)[axis] = middle[axis];
        }
    }
}

void expect_slopes_and_planes_enclose(const Field& field, const FieldContract& contract, Random& random) {
    const auto slopes = field.slopes();
    for (int i = 0; i < 200; ++i) {
        const Box box = random_box(contract.region, random);
        SlopeRange slope;
        if (slopes && slopes->over(box, slope)) {
            const Vec3 p = random.in_box(box), q = random.in_box(box);
            const double change = field.distance(q) - field.distance(p), linear = slope.middle.dot(q - p),
                         wide = slope.half.dot((q - p).cwiseAbs()) + slope.jump;
            ASSERT_LE(std::abs(change - linear), wide + 1e-9 * contract.region.diagonal()) << contract.name;
        }
        Interval range;
        PlaneOver plane;
        const Vec3 facing = random.chance(0.5) ? Vec3::Zero() : random.direction();
        if (!field.plane_ranges({&box, 1}, {&range, 1}, {&plane, 1}, facing)) continue;
        for (int k = 0; k < 8; ++k) {
            const Vec3 p = box.closest(random.in_box(box));
            const double value = field.distance(p);
            ASSERT_TRUE(range.contains(value)) << contract.name;
            if (value <= 0) {
                ASSERT_LE(plane.normal.dot(p - box.center()), plane.offset) << contract.name;
            }
        }
    }
}

} // namespace

ContractCounts check_field_contract(const Field& field, const FieldContract& contract) {
    Random random(contract.seed);
    ContractCounts counts;
    expect_range_encloses(field, contract, random, counts);
    expect_range_tightens(field, contract, random);
    expect_batches_equal_singles(field, contract, random);
    expect_gradient_is_the_slope(field, contract, random);
    expect_lipschitz_bound_holds(field, contract, random);
    expect_bounds_hold_the_inside(field, contract, random);
    expect_value_bounds_hold(field, contract, random);
    expect_level_bounds_hold_the_level_set(field, contract, random);
    expect_octree_ranges_enclose(field, contract, random);
    expect_slopes_and_planes_enclose(field, contract, random);
    return counts;
}

} // namespace fathom::testing
