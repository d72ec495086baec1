// Overlap of boxes and spheres, and the pairs of a scene by trying all.
#include <fathom/index/scene_objects.h>

namespace fathom {

bool SceneObjects::overlap(Index a, Index b) const {
    if (!boxes[a].overlaps(boxes[b])) return false;
    const bool sphere_a = is_sphere(a), sphere_b = is_sphere(b);
    if (!sphere_a && !sphere_b) return true;
    if (sphere_a && sphere_b) {
        const double reach = spheres[a].radius + spheres[b].radius;
        return (spheres[a].center - spheres[b].center).squaredNorm() <= reach * reach;
    }
    const Sphere& sphere = spheres[sphere_a ? a : b];
    return boxes[sphere_a ? b : a].squared_distance(sphere.center) <= sphere.radius * sphere.radius;
}

Box bounds_of_sphere(const Sphere& sphere) {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const double slack = rounding * (sphere.center.cwiseAbs().maxCoeff() + sphere.radius);
    return Box::around(sphere.center, Vec3::Constant(sphere.radius + slack));
}

void pairs_by_force(const SceneObjects& objects, std::vector<IdPair>& pairs) {
    pairs.clear();
    const Index count = static_cast<Index>(objects.boxes.size());
    for (Index a = 0; a < count; ++a) {
        if (objects.boxes[a].empty()) continue;
        for (Index b = a + 1; b < count; ++b)
            if (!objects.boxes[b].empty() && objects.overlap(a, b)) pairs.push_back({a, b});
    }
}

} // namespace fathom
