// First example of README.md.
#include <fathom/fathom.h>

#include <cstdio>

using namespace fathom;

int main() {
    const Shape bowl(make_bowl()); // any mesh; read_triangle_mesh("part.obj") reads a file
    const Shape ball(std::make_shared<AnalyticField>(shapes::sphere(0.2)));

    const Collision touch = collide(bowl, {}, ball, Pose::at({0, 0, -0.3}));
    std::printf("%zu contacts, %.3f m deep, by %s\n", touch.contacts.size(), touch.depth, name(touch.method).data());

    const Distance apart = distance(bowl, {}, ball, Pose::at({0, 0, 1}));
    std::printf("between %.4f and %.4f m apart\n", apart.lower, apart.upper);

    const Motion fall{Pose::at({0, 0, 1}), Pose::at({0, 0, -1})};
    const Sweep when = sweep(bowl, Motion::still({}), ball, fall);
    std::printf("first contact after %.4f of the way; none before, proven\n", when.time);
}
