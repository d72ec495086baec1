// First example of README.md.
#include <fathom/fathom.h>

#include <cstdio>

using namespace fathom;

int main() {
    const Shape bowl(make_bowl()); // any mesh; read_triangle_mesh("part.obj") reads a file
    const Shape ball = Shape::sphere(0.2);

    const CollideResult touch =
        collide(bowl, {}, ball, Pose::from_translation({0, 0, -0.3}), {.goal = CollideGoal::separation});
    std::printf("%zu contacts; move the ball by %.3f m along (%.2f, %.2f, %.2f) to separate them\n",
                touch.contacts.size(), touch.depth, touch.normal.x(), touch.normal.y(), touch.normal.z());

    const DistanceResult apart = distance(bowl, {}, ball, Pose::from_translation({0, 0, 1}));
    std::printf("between %.4f and %.4f m apart\n", apart.lower_bound, apart.upper_bound);

    const Motion fall{Pose::from_translation({0, 0, 1}), Pose::from_translation({0, 0, -1})};
    const SweepResult when = sweep(bowl, Motion::stationary({}), ball, fall);
    std::printf("first contact at time %.4f; none before, proven\n", when.time);
}
