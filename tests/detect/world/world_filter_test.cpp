// Queries of a world with filters against each of its bodies, one by one.
#include "detect/world/world_shapes.h"

#include <fathom/base/error.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

namespace fathom {
namespace world_filter_test {

using namespace testing;

Shape pair_shape(double size) {
    return Shape::compound(
        {{.shape = ball_shape(0.3 * size), .pose = Pose::from_translation({-0.4 * size, 0, 0})},
         {.shape = shape_of(ShapeKind::closed_mesh, 0.6 * size), .pose = Pose::from_translation({0.4 * size, 0, 0})}});
}

// Bodies of many kinds with random categories and masks, a body without a shape, and an unbounded compound.
World crowd(double size, std::uint64_t seed) {
    Random random(seed);
    World world;
    for (std::size_t k = 0; k < 24; ++k) {
        const ShapeKind kind = quick_kinds[k % quick_kinds.size()];
        const BodyOptions options{
            .category = 1u << random.below(3), .mask = static_cast<std::uint32_t>(random.below(8)), .user = 100 + k};
        const double own = size * random.uniform(0.4, 0.8);
        (void)world.add(k % 4 == 1 ? pair_shape(own) : shape_of(kind, own),
                        kind == ShapeKind::half_space && k % 4 != 1 ? Pose::from_translation({0, 0, -1.2 * size})
                                                                    : random_pose(random, 1.2 * size),
                        options);
    }
    (void)world.add(Box::around(Vec3::Zero(), Vec3::Constant(size)));
    (void)world.add(Shape::compound({{pair_shape(size)}, {Shape::half_space(Vec3::UnitX(), -1.3 * size)}}), {},
                    {.category = 2});
    world.remove(4);
    return world;
}

// A filter of the categories, and one with a predicate, by turns.
WorldFilter filter_of(Random& random, std::size_t round) {
    WorldFilter filter{.category = 1u << random.below(3), .mask = static_cast<std::uint32_t>(1 + random.below(7))};
    if (round % 2 == 1) filter = {.accept = [](Index body) { return body % 3 != 0; }};
    if (round % 5 == 4) filter = {};
    return filter;
}

std::vector<Index> admitted(const World& world, const WorldFilter& filter) {
    std::vector<Index> ids;
    for (Index id = 0; id < world.id_limit(); ++id) {
        if (!world.contains(id) || id == 24) continue; // body 24 has no shape
        const BodyOptions& body = world.body_options(id);
        if ((filter.category & body.mask) == 0 || (filter.mask & body.category) == 0) continue;
        if (!filter.accept || filter.accept(id)) ids.push_back(id);
    }
    return ids;
}

TEST(WorldFilter, rays_hit_the_bodies_that_the_filter_admits) {
    std::size_t hits = 0, misses = 0, many = 0;
    for (const double size : {1e-3, 1.0, 1e3}) {
        const World world = crowd(size, 1);
        Random random(2);
        for (std::size_t k = 0; k < count_of(60, 2000); ++k) {
            const WorldFilter filter = filter_of(random, k);
            const Vec3 origin = 2 * size * random.in_ball();
            const Ray ray{origin, random.in_ball() * size - origin};
            const double limit = k % 3 ? 1.5 * size : infinity;
            std::vector<RayHit> wanted;
            for (const Index id : admitted(world, filter)) {
                World alone;
                (void)alone.add(world.shape(id), world.pose(id));
                RayHit hit = alone.cast(ray, limit);
                hit.body = id;
                if (hit.touching()) wanted.push_back(hit);
            }
            std::ranges::sort(wanted, {}, [](const RayHit& hit) { return std::pair(hit.distance, hit.body); });
            const std::vector<RayHit> all = world.cast_all(ray, limit, filter);
            ASSERT_EQ(all.size(), wanted.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                EXPECT_EQ(all[i].body, wanted[i].body);
                EXPECT_EQ(all[i].distance, wanted[i].distance);
                EXPECT_EQ(all[i].part, wanted[i].part);
                EXPECT_EQ(all[i].part != no_index, world.shape(all[i].body).kind() == ShapeKind::compound);
            }
            const RayHit first = world.cast(ray, limit, filter), any = world.cast_any(ray, limit, filter);
            EXPECT_EQ(first.body, wanted.empty() ? no_index : wanted.front().body);
            EXPECT_EQ(any.touching(), !wanted.empty());
            if (any.touching()) {
                EXPECT_TRUE(std::ranges::any_of(wanted, [&](const RayHit& hit) { return hit.body == any.body; }));
            }
            (wanted.empty() ? misses : hits) += 1;
            many += wanted.size() > 1;
        }
    }
    EXPECT_GT(hits, 40u);
    EXPECT_GT(misses, 20u);
    EXPECT_GT(many, 10u);
}

TEST(WorldFilter, boxes_and_points_find_the_bodies_that_hold_them) {
    std::size_t in_box = 0, in_solid = 0, in_part = 0, asked = 0;
    for (const double size : {1e-3, 1.0, 1e3}) {
        const World world = crowd(size, 3);
        Random random(4);
        for (std::size_t k = 0; k < count_of(150, 3000); ++k) {
            const WorldFilter filter = filter_of(random, k);
            const Vec3 point = size * random.in_ball();
            const Box box = Box::around(point, 0.2 * size * random.in_ball().cwiseAbs());
            std::vector<Index> holding, near;
            for (const Index id : admitted(world, filter)) {
                ++asked;
                const Shape& shape = world.shape(id);
                const Vec3 local = world.pose(id).to_local(point);
                double value = infinity;
                if (shape.kind() == ShapeKind::compound) {
                    for (const CompoundPart& part : shape.parts())
                        value = std::min(value, part.shape.field()->distance(part.pose.to_local(local)));
                } else if (has_field(shape.kind())) {
                    value = shape.field()->distance(local);
                }
                if (value <= 0) holding.push_back(id);
                // Every body that overlaps the box must be found, and no body whose bounding box misses it.
                const Shape solid_box = formula_shape(shapes::box(box.size()));
                const bool found = std::ranges::count(world.overlapping_box(box, filter), id) > 0;
                if (k % 10 == 0 && collide(solid_box, Pose::from_translation(point), shape, world.pose(id)).status ==
                                       Status::overlapping) {
                    EXPECT_TRUE(found) << name(shape.kind());
                }
                in_box += found;
                if (!found || !shape.bounded()) continue;
                Box bounds;
                for (int corner = 0; corner < 8; ++corner)
                    bounds.extend(Vec3(world.pose(id) * shape.bounds().corner(corner)));
                EXPECT_TRUE(bounds.grown(1e-9 * size).overlaps(box));
            }
            const std::vector<PointHit> hits = world.containing(point, filter);
            ASSERT_EQ(hits.size(), holding.size());
            for (std::size_t i = 0; i < hits.size(); ++i) {
                EXPECT_EQ(hits[i].body, holding[i]);
                EXPECT_LE(hits[i].distance, 0);
                in_part += hits[i].part != no_index;
            }
            in_solid += hits.size();
        }
    }
    EXPECT_GT(in_box, asked / 100);
    EXPECT_LT(in_box, asked / 2);
    EXPECT_GT(in_solid, asked / 200);
    EXPECT_GT(in_part, 10u);
}

TEST(WorldFilter, shapes_meet_the_bodies_that_the_filter_admits) {
    const World world = crowd(1, 5);
    Random random(6);
    std::size_t touching = 0, near = 0, swept = 0;
    const std::size_t rounds = count_of(15, 200);
    for (std::size_t k = 0; k < rounds; ++k) {
        const WorldFilter filter = filter_of(random, k);
        const Shape shape = k % 3 == 0 ? pair_shape(0.5) : ball_shape(0.2);
        const Pose pose = random_pose(random, 1), end = random_pose(random, 2);
        std::vector<WorldPair> pairs;
        World::Nearest nearest;
        nearest.distance.upper_bound = 0.5;
        World::SweptBody first;
        for (const Index id : admitted(world, filter)) {
            WorldPair pair{no_index, id, collide(shape, pose, world.shape(id), world.pose(id))};
            if (pair.touching()) pairs.push_back(pair);
            const DistanceResult d = distance(shape, pose, world.shape(id), world.pose(id));
            if (d.upper_bound < nearest.distance.upper_bound) nearest = {id, d};
            const SweepResult s = sweep(shape, {pose, end}, world.shape(id), Motion::stationary(world.pose(id)));
            if (s.touching() && (first.body == no_index || s.time < first.sweep.time)) first = {id, s};
        }
        EXPECT_TRUE(std::ranges::equal(world.collide(shape, pose, {}, filter), pairs, same_pair));
        const World::Nearest found = world.nearest(shape, pose, 0.5, {}, filter);
        if (nearest.body != no_index) {
            EXPECT_EQ(found.body, nearest.body);
        }
        EXPECT_EQ(world.sweep(shape, {pose, end}, {}, filter).body, first.body);
        touching += pairs.size();
        near += nearest.body != no_index;
        swept += first.body != no_index;
    }
    EXPECT_GT(touching, 5u);
    EXPECT_GT(near, rounds / 3);
    EXPECT_GT(swept, rounds / 4);
    EXPECT_LT(swept, rounds);
}

TEST(WorldFilter, bodies_keep_their_categories_and_the_value_of_the_caller) {
    World world;
    const Index id = world.add(ball_shape(1), {}, {.category = 4, .mask = 2, .user = 77});
    EXPECT_EQ(world.body_options(id).user, 77u);
    world.set_user(id, ~std::uint64_t{0});
    world.set_category(id, 8, 1);
    EXPECT_EQ(world.body_options(id).user, ~std::uint64_t{0});
    EXPECT_EQ(world.body_options(id).category, 8u);
    EXPECT_EQ(world.body_options(id).mask, 1u);
    EXPECT_THROW(world.set_user(9, 0), Error);
    EXPECT_THROW((void)world.body_options(9), Error);
    EXPECT_THROW((void)world.containing({0, NAN, 0}), Error);
    EXPECT_THROW((void)world.overlapping_box({{0, 0, NAN}, {1, 1, 1}}), Error);
    EXPECT_TRUE(world.overlapping_box({}).empty());
    world.set_category(id, 8, 0); // allows nothing, and no query finds it
    EXPECT_TRUE(world.containing(Vec3::Zero()).empty());
}

// World::update() of compounds against that of their parts.
TEST(WorldFilter, steps_of_compounds_report_the_pairs_whose_parts_touch) {
    Random random(8);
    World whole({.query = {.goal = CollideGoal::contacts}});
    std::vector<Index> ids;
    for (int k = 0; k < 10; ++k) ids.push_back(whole.add(pair_shape(0.6), random_pose(random, 1.2)));
    (void)whole.add(Shape::compound({{pair_shape(1)}, {Shape::half_space(Vec3::UnitZ(), -1)}}));
    std::size_t touching = 0, cached = 0;
    for (int step = 0; step < 8; ++step) {
        for (const Index id : ids) {
            const Pose pose = whole.pose(id);
            whole.move(id, {pose.rotation, pose.translation + 0.01 * random.in_ball()});
        }
        const WorldStep& now = whole.update();
        EXPECT_TRUE(std::ranges::equal(now.pairs, pairs_one_by_one(whole), same_pair));
        touching += now.pairs.size();
        cached += now.cached;
    }
    EXPECT_GT(touching, 8u);
    EXPECT_LT(touching, 8u * 55);
    EXPECT_GT(cached, 0u);
}

} // namespace world_filter_test
} // namespace fathom
