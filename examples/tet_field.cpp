// A soft block is pressed to half its height: how deep is a point in the shape of this moment, and which way is out?
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
    std::printf("%.3f m deep; out along (%.2f, %.2f, %.2f)\n", -at.distance, at.gradient.x(), at.gradient.y(),
                at.gradient.z());

    // Only some nodes, as a contact asks for: exact, and far cheaper than all of them.
    fathom::NodeDepths depths(block);
    const fathom::Index touched[] = {5, 6, 7, 700};
    std::vector<fathom::Index> asked;
    fathom::nodes_of(block.tetrahedra, touched, asked);
    depths.compute(positions, asked);
    for (const fathom::Index node : asked)
        if (depths.topology().kind(node) == fathom::BodyTopology::Kind::inner)
            std::printf("node %u: %.3f m, nearest a feature of %d nodes\n", node, depths.depths()[node],
                        depths.feature(node).size());
    return at.distance < 0 && at.gradient.z() > 0.9 ? 0 : 1;
}
