// Common queries of FCL, Coal and Bullet, written with Fathom. It contains the snippets of docs/porting.md.
#include <fathom/fathom.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace {

using namespace fathom;

void expect(bool holds, const char* claim) {
    if (!holds) throw Error(Cause::invalid_argument, claim);
}

void shapes_and_poses() {
    // [shapes]
    const TriangleMesh mesh = make_torus(); // or read_triangle_mesh("part.obj")
    const Shape body(mesh);                 // solid if closed, otherwise a surface
    const Shape ball = Shape::sphere(0.5);
    const Shape ground = Shape::half_space({0, 0, 1}, 0);
    const Pose pose{Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX())), {1, 0, 0}};
    // [end]
    expect(body.kind() == ShapeKind::closed_mesh && ball.kind() == ShapeKind::convex &&
               ground.kind() == ShapeKind::half_space,
           "kinds");
    expect(std::abs(pose.translation.x() - 1) == 0, "pose");
}

void touching(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    // [collide]
    const CollideResult found = collide(a, pose_a, b, pose_b);
    const bool touching = found.status != Status::disjoint; // "disjoint" is a proof
    // [end]
    expect(touching, "the shapes overlap");
}

void contacts(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    // [contacts]
    const CollideResult found = collide(a, pose_a, b, pose_b, {.goal = CollideGoal::contacts, .max_contacts = 10});
    for (const Contact& contact : found.contacts) {
        const Vec3 middle = 0.5 * (contact.point_a + contact.point_b);
        const Vec3 normal = contact.normal; // unit, a to b: moving b along it by the depth separates them
        std::printf("%.3f m deep at x = %.3f, normal %.2f\n", contact.depth, middle.x(), normal.x());
    }
    // [end]
    expect(!found.contacts.empty(), "contacts");
}

void separation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    // [separation]
    const CollideResult hit = collide(a, pose_a, b, pose_b, {.goal = CollideGoal::separation});
    const Pose apart{pose_b.rotation, pose_b.translation + hit.depth * hit.normal};
    const bool free = collide(a, pose_a, b, apart).status == Status::disjoint; // true
    // [end]
    expect(free && hit.separates == Separates::proven, "the translation separates the shapes");
}

void margins(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    // [margin]
    const CollideResult near =
        collide(a, pose_a, b, pose_b, {.goal = CollideGoal::contacts, .margin = 0.05}); // depths >= -0.05
    // [end]
    expect(near.status != Status::disjoint, "within the margin");
}

void distances(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    // [distance]
    const DistanceResult gap = distance(a, pose_a, b, pose_b);
    const double meters = gap.upper_bound;                           // minus the depth if overlapping
    const auto nearest_points = std::pair(gap.point_a, gap.point_b); // world frame
    // [end]
    expect(gap.lower_bound <= meters && (nearest_points.first - nearest_points.second).norm() > 0,
           "the shapes are disjoint");
}

void continuous(const Shape& a, const Pose& a_start, const Pose& a_end, const Shape& b, const Pose& b_start,
                const Pose& b_end) {
    // [continuous]
    const SweepResult found = sweep(a, {a_start, a_end}, b, {b_start, b_end});
    const bool touching = found.status != Status::disjoint;
    const double time = found.time; // in [0, 1]; no contact before it
    // [end]
    expect(touching && time > 0 && time < 1, "the shapes collide during the motion");
}

void manager() {
    const Shape part(make_box());
    // [manager]
    World world({.query = {.goal = CollideGoal::contacts, .max_contacts = 4}});
    std::vector<Index> ids;
    for (int k = 0; k < 10; ++k) ids.push_back(world.add(part, Pose::from_translation({1.5 * k, 0, 0})));

    world.move(ids[3], Pose::from_translation({5.5, 0, 0})); // like setTransform() and computeAABB()
    for (const WorldPair& pair : world.update().pairs) std::printf("%u touches %u\n", pair.a, pair.b);

    const std::vector<WorldPair> around =
        world.collide(part, Pose::from_translation({0.75, 0, 0})); // one object against all
    const World::Nearest nearest = world.nearest(part, Pose::from_translation({0, 5, 0}));
    // [end]
    expect(world.last().pairs.size() == 1 && around.size() == 2 && nearest.distance.upper_bound > 3.9, "manager");
}

void filters(World& world, Index a, Index b) {
    // [filters]
    constexpr std::uint32_t walls = 1, players = 2, ghosts = 4;
    world.set_category(a, players, walls | players); // category bits, mask bits
    world.set_category(b, ghosts, walls);
    world.set_filter([=](Index x, Index y) { return !(x == a && y == b); }); // applied in addition to the masks
    // [end]
    expect(world.update().pairs.empty(), "filtered");
}

void rays(const World& world) {
    // [ray]
    const RayHit hit = world.cast({.origin = {-5, 0, 0}, .direction = {1, 0, 0}}, 100);
    if (hit.body != no_index) std::printf("body %u at %.3f m, normal %.2f\n", hit.body, hit.distance, hit.normal.x());
    // [end]
    expect(hit.body == 0, "hit");
}

} // namespace

int main() {
    const Shape ring(make_torus()), ball(make_sphere({.radius = 0.3}));
    shapes_and_poses();
    touching(ring, {}, ball, Pose::from_translation({0.5, 0, 0}));
    contacts(ring, {}, ball, Pose::from_translation({0.5, 0, 0}));
    separation(ring, {}, ball, Pose::from_translation({0.5, 0, 0}));
    margins(ring, {}, ball, Pose::from_translation({0.83, 0, 0}));
    distances(ring, {}, ball, Pose::from_translation({2, 0, 0}));
    continuous(ring, {}, Pose::from_translation({1, 0, 0}), ball, Pose::from_translation({3, 0, 0}),
               Pose::from_translation({1, 0, 0}));
    manager();
    World world;
    const Index a = world.add(ring), b = world.add(ball);
    filters(world, a, b);
    rays(world);
}
