// Benchmarks: points for fields, the same in every run.
#include <benchmarks/field_points.h>

#include <fathom/base/random.h>

#include <cmath>

namespace fathom::bench {

std::vector<Vec3> random_points(const Box& box, std::size_t count) {
    Random random(12345);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random.in_box(box);
    return points;
}

std::vector<Vec3> near_points(const TriangleMesh& mesh, double reach, std::size_t count) {
    Random random(777);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) {
        const auto c = mesh.corners(random.below(mesh.triangles.size()));
        const double root = std::sqrt(random.uniform()), v = random.uniform();
        p = (1 - root) * c[0] + root * (1 - v) * c[1] + root * v * c[2] + reach * random.in_ball();
    }
    return points;
}

std::vector<Vec3> track_points(const Box& box, double step, std::size_t count) {
    constexpr int length = 100;
    Random random(4242);
    std::vector<Vec3> points;
    while (points.size() < count) {
        const Vec3 start = random.in_box(box), along = step * random.direction();
        if (!box.contains(Vec3(start + length * along))) continue;
        for (int k = 0; k < length; ++k) points.push_back(start + k * along);
    }
    points.resize(count);
    return points;
}

} // namespace fathom::bench
