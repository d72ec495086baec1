// Distance field of a deformed tetrahedral mesh: penetration depth and separating direction of a point in a compressed
// block.
#include <fathom/field/tet/tet_field.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    const fathom::TetMesh block = fathom::make_tet_box({.size = {1, 1, 1}, .cells = {10, 10, 10}});
    fathom::TetField field(block);

    std::vector<fathom::Vec3> positions = block.vertices;
    for (fathom::Vec3& v : positions) v = fathom::Vec3(1.4 * v.x(), 1.4 * v.y(), 0.5 * v.z());
    field.update(positions); // after every step of a simulation

    const fathom::Vec3 intruder(0.1, 0.0, 0.12);
    const fathom::Sample at = field.sample(intruder);
    std::printf("penetration depth %.3f m, separating direction (%.2f, %.2f, %.2f)\n", -at.distance, at.gradient.x(),
                at.gradient.y(), at.gradient.z());

    // Depths of selected nodes, as needed for a contact: exact, and far cheaper than all nodes.
    fathom::NodeDepths depths(block);
    const fathom::Index touched[] = {5, 6, 7, 700};
    std::vector<fathom::Index> asked;
    fathom::nodes_of(block.tetrahedra, touched, asked);
    depths.compute(positions, asked);
    for (const fathom::Index node : asked)
        if (depths.topology().kind(node) == fathom::BodyTopology::Kind::inner)
            std::printf("node %u: depth %.3f m, closest feature has %d nodes\n", node, depths.depths()[node],
                        depths.feature(node).size());
    return at.distance < 0 && at.gradient.z() > 0.9 ? 0 : 1;
}
