// Snippets of docs/contacts.md: a translation that separates two bodies, and the derivative of a distance.
#include <fathom/fathom.h>

#include <cstdio>

using namespace fathom;

int main() {
    const Shape a(std::make_shared<AnalyticField>(shapes::torus(1, 0.3)));
    const Shape b = Shape::sphere(0.5);
    const Pose pose_a, pose_b = Pose::from_translation({0.9, 0, 0.2}), far_away = Pose::from_translation({2, 0.5, 0.3});

    const CollideResult hit = collide(a, pose_a, b, pose_b, {.goal = CollideGoal::separation});
    const Pose apart{pose_b.rotation, pose_b.translation + hit.depth * hit.normal};
    const bool free = collide(a, pose_a, b, apart).status == Status::disjoint; // true

    const DistanceResult apart_by = distance(a, pose_a, b, far_away);
    const DistanceDerivative d = distance_derivative(a, pose_a, b, far_away, apart_by);
    const double per_metre = d.b.translation.dot(Vec3::UnitX()); // change of the distance as B moves along x
    const bool exists = d.unique;

    std::printf("moved by %.3f m: %s; distance %.3f m, changes by %.3f per metre along x%s\n", hit.depth,
                free ? "disjoint" : "not disjoint", apart_by.upper_bound, per_metre, exists ? "" : " on one side");
    return free && exists ? 0 : 1;
}
