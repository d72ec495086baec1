// Contacts of a mesh with an analytic field: the triangles inside the field and their depth.
#include <fathom/detect/mesh_field/mesh_contacts.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const TriangleSphereTree creature(make_creature({.triangles = 20000}));
    const AnalyticField cone(shapes::cone(0.2, 0.5)); // tip up

    // The tip of the cone penetrates the creature.
    const Pose below = Pose::from_translation({0, 0, -0.4});
    const mesh_field::MeshContactResult found = mesh_field::mesh_contacts(creature, {}, cone, below);
    std::printf("%zu of %zu triangles touch, %zu field evaluations\n", found.contacts.size(), creature.size(),
                found.evaluations);
    if (found.contacts.empty()) return 1;
    const mesh_field::MeshContact& deepest = found.contacts.front();
    std::printf("deepest triangle %u, depth %.4f m; separating direction of the cone (%.3f, %.3f, %.3f)\n",
                deepest.triangle, deepest.depth, deepest.normal.x(), deepest.normal.y(), deepest.normal.z());

    // With the cone moved down: proven disjoint, with the distance.
    const Pose aside = Pose::from_translation({0, 0, -0.8});
    const mesh_field::MeshContactResult apart =
        mesh_field::mesh_contacts(creature, {}, cone, aside, {.goal = mesh_field::MeshGoal::deepest});
    if (apart.contacts.empty()) return 1;
    std::printf("moved down: %s, distance %.4f m\n", apart.status == Status::disjoint ? "disjoint" : "not disjoint",
                -apart.contacts[0].depth);
    return apart.status == Status::disjoint ? 0 : 1;
}
