// Which triangles of a mesh reach into a body that is given by a formula, and how deep?
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const ContactMesh creature(make_creature({.triangles = 20000}));
    const AnalyticField cone(shapes::cone(0.2, 0.5)); // tip up

    // The creature stands on the tip.
    const Pose below = Pose::at({0, 0, -0.4});
    const MeshContactResult found = mesh_contacts(creature, {}, cone, below);
    std::printf("%zu of %zu triangles touch, %zu look-ups\n", found.contacts.size(), creature.size(), found.look_ups);
    if (found.contacts.empty()) return 1;
    const MeshContact& deepest = found.contacts.front();
    std::printf("the deepest is triangle %u, %.4f m deep; the cone leaves along (%.3f, %.3f, %.3f)\n", deepest.triangle,
                deepest.depth, deepest.normal.x(), deepest.normal.y(), deepest.normal.z());

    // Away from it: proven, and how far.
    const Pose aside = Pose::at({0, 0, -0.8});
    const MeshContactResult apart = mesh_contacts(creature, {}, cone, aside, {.goal = MeshGoal::deepest});
    if (apart.contacts.empty()) return 1;
    std::printf("lower down: %s, %.4f m apart\n", apart.verdict == Verdict::disjoint ? "clear" : "not clear",
                -apart.contacts[0].depth);
    return apart.verdict == Verdict::disjoint ? 0 : 1;
}
