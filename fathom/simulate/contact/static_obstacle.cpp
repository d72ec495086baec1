// Samples the fields of obstacles at points.
#include <fathom/simulate/contact/static_obstacle.h>

#include <fathom/base/parallel_append.h>

namespace fathom {

std::vector<PointInObstacle> points_in_obstacles(std::span<const FieldObstacle> obstacles,
                                                 std::span<const Vec3> points) {
    constexpr std::size_t chunk = 1024;
    std::vector<PointInObstacle> all;
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
        const FieldObstacle& obstacle = obstacles[o];
        in_chunks(points.size(), chunk, all, [&](std::size_t k, std::vector<PointInObstacle>& found) {
            const Sample sample = obstacle.field->sample(obstacle.pose.to_local(points[k]));
            const double steepness = sample.gradient.norm();
            if (sample.distance < 0 && steepness > 0)
                found.push_back({static_cast<Index>(o), static_cast<Index>(k),
                                 obstacle.pose.turn(sample.gradient / steepness), -sample.distance});
        });
    }
    return all;
}

RecordedBody recorded(const FieldObstacle& obstacle) {
    return {obstacle.name, std::make_shared<const TriangleMesh>(), obstacle.field, Vec3::Zero(), true};
}

} // namespace fathom
