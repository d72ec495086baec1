// Points of overlapping leaves that are inside the other leaf.
#include <fathom/baseline/colliding_points.h>

#include <algorithm>

namespace fathom {

namespace {

// Whether the box of a point's path overlaps the volume of a node.
bool overlaps(const BodyOctree& tree, std::uint32_t word, bool spheres, const Box& path) {
    if (!spheres) return tree.box_of(word).overlaps(path);
    const Sphere sphere = tree.sphere_of(word);
    return path.squared_distance(sphere.center) <= sphere.radius * sphere.radius;
}

void list_points(const BodyOctree& tree, std::uint32_t leaf, const BodyOctree& other, std::uint32_t other_leaf,
                 bool spheres, std::vector<Index>& found) {
    for (const Index point : tree.leaf_points(leaf & ~BvhNode::leaf_bit)) {
        Box path;
        path.extend(tree.points()[point]);
        path.extend(tree.ends()[point]);
        if (overlaps(other, other_leaf, spheres, path)) found.push_back(point);
    }
}

void sort_unique(std::vector<Index>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

} // namespace

CollidingPoints colliding_points(const BodyOctree& a, const BodyOctree& b) {
    const bool spheres = a.options().volume == NodeVolume::sphere && b.options().volume == NodeVolume::sphere;
    const NodeOverlap leaves = overlapping_nodes(a, b);
    CollidingPoints result;
    result.volume_tests = leaves.volume_tests;
    for (const OverlappingNodes& pair : leaves.pairs) {
        list_points(a, pair.a, b, pair.b, spheres, result.of_a);
        list_points(b, pair.b, a, pair.a, spheres, result.of_b);
    }
    sort_unique(result.of_a);
    sort_unique(result.of_b);
    return result;
}

} // namespace fathom
