// Random closed and open surfaces under smooth random deformation, for the tests of deforming surfaces.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>

#include <cmath>

namespace fathom::testing {

// About 60 to 400 triangles, about 1 m wide.
[[nodiscard]] inline TriangleMesh random_shape(Random& random, bool may_be_open = true) {
    switch (random.below(may_be_open ? 6 : 5)) {
    case 0:
        return make_box({.size = {0.9, 0.6, 0.7}, .cells = {3, 2, 2}});
    case 1:
        return make_sphere({.radius = 0.5, .resolution = 2 + random.below(3)});
    case 2:
        return make_torus({.radius = 0.35, .tube = 0.14, .segments = 16, .tube_segments = 8});
    case 3:
        return make_capsule({.radius = 0.2, .length = 0.6, .segments = 10});
    case 4:
        return make_cone({.radius = 0.45, .height = 0.9, .segments = 10});
    default:
        return make_cloth({.size = {1.1, 0.9}, .cells = {7, 6}});
    }
}

// Waves of a third of a metre and more; steep ones fold a surface through itself.
struct Waves {
    Vec3 number[3], push[3];
    double phase[3];

    Waves(Random& random, double height) {
        for (int k = 0; k < 3; ++k) {
            number[k] = random.uniform(2, 9) * random.direction();
            push[k] = height * random.uniform() * random.direction();
            phase[k] = random.uniform(0, 7);
        }
    }
    [[nodiscard]] Vec3 operator()(const Vec3& p) const {
        Vec3 q = p;
        for (int k = 0; k < 3; ++k) q += std::sin(number[k].dot(p) + phase[k]) * push[k];
        return q;
    }
};

[[nodiscard]] inline std::vector<Vec3> deformed(const TriangleMesh& mesh, const Waves& waves, const Pose& pose,
                                                double scale) {
    std::vector<Vec3> vertices;
    for (const Vec3& v : mesh.vertices) vertices.push_back(scale * (pose * waves(v)));
    return vertices;
}

} // namespace fathom::testing
