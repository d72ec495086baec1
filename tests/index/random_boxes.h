// Boxes that the tests of the tree share: random ones at any scale and place, some without size, some alike.
#pragma once

#include <fathom/base/random.h>

#include <algorithm>
#include <vector>

namespace fathom::testing {

struct Scene {
    double scale = 1;
    Vec3 offset = Vec3::Zero();
    double size = 0.1; // of a box, in scales
};

// Near, tiny, huge, and far from the origin in comparison with its size.
inline const std::vector<Scene>& scenes() {
    static const std::vector<Scene> all = {
        {1, Vec3::Zero(), 0.1},         {1e-3, Vec3::Zero(), 0.1}, {1e3, Vec3(5e3, -2e3, 1e3), 0.05},
        {1, Vec3(1e6, 1e6, -1e6), 0.1}, {1e30, Vec3::Zero(), 0.2}, {1e-30, Vec3::Zero(), 0.2}};
    return all;
}

inline Vec3 random_point(Random& random, const Scene& scene, double reach = 1) {
    const Box cube = Box::around(Vec3::Zero(), Vec3::Constant(reach));
    return scene.offset + scene.scale * random.in_box(cube);
}

inline Box random_box(Random& random, const Scene& scene, double size) {
    Box box;
    box.extend(random_point(random, scene));
    const Vec3 step = scene.scale * size * Vec3(random.uniform(), random.uniform(), random.uniform());
    box.extend(box.lower + step);
    return box;
}

// Every fifth box is a point, every seventh a copy of an earlier one.
inline std::vector<Box> random_boxes(Random& random, const Scene& scene, std::size_t count) {
    std::vector<Box> boxes;
    for (std::size_t k = 0; k < count; ++k) {
        boxes.push_back(random_box(random, scene, k % 5 == 0 ? 0 : scene.size));
        if (k % 7 == 6) boxes.back() = boxes[random.below(k)];
    }
    return boxes;
}

} // namespace fathom::testing
