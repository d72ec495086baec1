// The five queries of docs/porting.md in Fathom.
#include <fathom/fathom.h>

#include <cstdio>

using namespace fathom;

int main() {
    // [queries]
    const Shape box = Shape::box({1, 1, 1}), ball = Shape::sphere(0.5);
    const Pose here, beside = Pose::from_translation({0.9, 0.1, 0.05}), apart = Pose::from_translation({2, 0, 0.2});

    const bool touching = collide(box, here, box, beside).status == Status::overlapping;
    std::printf("touching: %s\n", touching ? "yes" : "no");

    const CollideResult found = collide(box, here, box, beside, {.goal = CollideGoal::separation});
    std::printf("depth: %.3f, normal x: %.3f\n", found.depth, found.normal.x());

    const DistanceResult gap = distance(box, here, ball, apart);
    std::printf("distance: %.3f\n", gap.upper_bound);
    std::printf("closest points: x %.3f and %.3f\n", gap.point_a.x(), gap.point_b.x());

    World world;
    for (int k = 0; k < 10; ++k) world.add(box, Pose::from_translation({0.95 * k, 0, 0}));
    std::printf("touching pairs: %zu\n", world.update().pairs.size());
    // [end]
}
