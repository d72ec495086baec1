// A world of bodies: several kinds of shapes, steps with events, and queries. The snippets of docs/world.md are taken
// from this file.
#include <fathom/fathom.h>

#include <cmath>
#include <cstdio>

namespace {

using namespace fathom;

void steps() {
    World world({.query = {.goal = CollideGoal::contacts}});
    const Index floor = world.add(Shape::half_space({0, 0, 1}, 0), {}, {.name = "floor", .is_static = true});
    const Index ring = world.add(Shape(make_torus()), Pose::from_translation({0, 0, 2}), {.name = "ring"});
    const Index ball = world.add(Shape(std::make_shared<AnalyticField>(parse_shape("sphere(0.3)"))),
                                 Pose::from_translation({0, 0, 0.25}), {.name = "ball"});

    for (int k = 0; k < 40; ++k) {
        world.move(ring, Pose::from_axis_angle(0.05 * k, Vec3::UnitX(), {0, 0, 2 - 0.05 * k}));
        const WorldStep& step = world.update();
        for (const auto& [a, b] : step.began)
            std::printf("step %d: %s touches %s\n", k, world.name(a).c_str(), world.name(b).c_str());
        for (const WorldPair& pair : step.pairs)
            for (const Contact& contact : pair.collision.contacts)
                (void)contact.depth; // also contact.point_a, point_b and normal (from a to b)
    }
    std::printf("at the end %zu pairs touch, %zu were tested, %zu cached\n", world.last().pairs.size(),
                world.last().tested, world.last().cached);
    if (world.last().pairs.size() != 3 || !world.contains(floor) || !world.contains(ball))
        throw Error(Cause::invalid_argument, "expected three touching pairs");
}

void filters() {
    World world;
    constexpr std::uint32_t robot = 1, parts = 2;
    const Shape link(make_capsule());
    const Index upper = world.add(link, Pose::from_translation({0, 0, 0}),
                                  {.category = robot, .mask = parts}); // its own links never collide
    const Index lower = world.add(link, Pose::from_translation({0, 0, 0.4}), {.category = robot, .mask = parts});
    const Index part = world.add(Shape(make_box()), Pose::from_translation({0.5, 0, 0}), {.category = parts});
    world.set_filter([=](Index a, Index b) { return !(a == lower && b == part); });
    const WorldStep& step = world.update();
    if (step.pairs.size() != 1 || step.pairs[0].a != upper || step.pairs[0].b != part)
        throw Error(Cause::invalid_argument, "expected one pair");
}

void questions() {
    World world;
    const Index hall = world.add(Shape(make_tunnel()), {}, {.name = "hall", .is_static = true});
    const Index robot =
        world.add(Shape(make_box({.size = {0.2, 0.1, 0.1}})), Pose::from_translation({-3, 0, 0}), {.name = "robot"});

    const RayHit hit = world.cast({.origin = {-5, 0, 0.55}, .direction = {1, 0, 0}});
    std::printf("the ray hits %s at %.3f m\n", world.name(hit.body).c_str(), hit.distance);

    const World::Nearest near =
        world.nearest(Shape(make_sphere({.radius = 0.1})), Pose::from_translation({-2.5, 0, 0}));
    std::printf("%s is nearest, %.3f m away\n", world.name(near.body).c_str(), near.distance.upper_bound);

    const World::SweptBody first = world.sweep(
        Shape(make_sphere({.radius = 0.1})), {Pose::from_translation({0, 0, 0.3}), Pose::from_translation({0, 0, 3})});
    std::printf("the moving ball touches %s at time %.4f\n", world.name(first.body).c_str(), first.sweep.time);

    std::vector<Pose> poses; // samples of a motion planner
    for (int k = 0; k < 100; ++k) poses.push_back(Pose::from_translation({-3 + 0.06 * k, 0.3 * std::sin(0.1 * k), 0}));
    const std::vector<Status> statuses = world.check_poses(robot, poses);  // in parallel
    const std::vector<double> clearances = world.clearances(robot, poses); // m, proven
    std::size_t free = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) free += statuses[k] == Status::disjoint && clearances[k] > 0.01;
    std::printf("%zu of %zu poses are free with a clearance above 1 cm\n", free, poses.size());
    if (hit.body != hall || first.body != hall || near.body != robot || free == 0 || free == poses.size())
        throw Error(Cause::invalid_argument, "unexpected results");
}

void filtered_questions() {
    World world;
    (void)world.add(Shape(make_box()), Pose::from_translation({-2, 0, 0}), {.name = "glass", .category = 1});
    const Index ball = world.add(Shape(make_sphere()), {}, {.name = "ball", .category = 2, .user = 3});
    (void)world.add(Shape(make_torus()), {}, {.name = "ring", .category = 2, .user = 7});

    const WorldFilter steel{.mask = 2, .accept = [&](Index body) { return world.body_options(body).user != 7; }};
    const bool visible = !world.cast_any({.origin = {-5, 0, 0}, .direction = {1, 0, 0}}, 3, steel).touching();
    for (const RayHit& behind : world.cast_all({.origin = {0, 0, 5}, .direction = {0, 0, -1}}))
        std::printf("%s, part %u, at %.3f m\n", world.name(behind.body).c_str(), behind.part, behind.distance);
    const std::vector<Index> near = world.overlapping_box({{-1, -1, -1}, {1, 1, 1}}, steel); // their bounding boxes
    const std::vector<PointHit> around = world.containing({0, 0, 0.2});                      // exact, for solids
    if (!visible || near != std::vector<Index>{ball} || around.size() != 1 || around[0].body != ball)
        throw Error(Cause::invalid_argument, "unexpected results");
}

void parts() {
    const Shape dumbbell = Shape::compound({
        {.shape = Shape(make_sphere({.radius = 0.2})), .pose = Pose::from_translation({-0.5, 0, 0}), .name = "left"},
        {.shape = Shape(make_sphere({.radius = 0.2})), .pose = Pose::from_translation({0.5, 0, 0}), .name = "right"},
        {.shape = Shape(make_box({.size = {1, 0.1, 0.1}})), .name = "bar"},
    });
    const CollideResult found =
        collide(dumbbell, {}, Shape(make_box()), Pose::from_translation({1.1, 0, 0}), {.goal = CollideGoal::contacts});
    for (const Contact& contact : found.contacts)
        std::printf("%s touches\n", dumbbell.parts()[contact.feature_a.part].name.c_str());
    if (!found.touching() || found.contacts.empty()) throw Error(Cause::invalid_argument, "expected contacts");
}

void changing_bodies() {
    World world;
    TriangleMesh cloth = make_cloth();
    const Index sheet = world.add(Shape(cloth));
    const Index ball = world.add(Shape(make_sphere()), Pose::from_translation({0, 0, 1}));
    (void)world.update();

    for (Vec3& p : cloth.vertices) p.z() = 0.8 - p.squaredNorm();
    world.deform(sheet, cloth.vertices);
    const bool touched = !world.update().began.empty();

    world.replace(ball, Shape(make_sphere({.radius = 0.1})));
    const bool parted = !world.update().ended.empty();

    world.remove(ball);
    (void)world.update(); // from now on its id may be reused
    if (!touched || !parted || world.add(Shape(make_box())) != ball)
        throw Error(Cause::invalid_argument, "unexpected events");
}

} // namespace

int main() {
    steps();
    filters();
    questions();
    filtered_questions();
    parts();
    changing_bodies();
}
