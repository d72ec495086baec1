// Room: simulate. Samples the fields of obstacles at points.
#include <fathom/simulate/field_obstacle.h>

#include <fathom/base/parallel.h>

namespace fathom {

std::vector<PointInObstacle> points_in_obstacles(std::span<const FieldObstacle> obstacles, std::span<const Vec3> points) {
    constexpr std::size_t chunk = 1024;
    std::vector<PointInObstacle> all;
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
        const FieldObstacle& obstacle = obstacles[o];
        std::vector<std::vector<PointInObstacle>> found((points.size() + chunk - 1) / chunk);
        parallel_for(points.size(), chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const Sample sample = obstacle.field->sample(obstacle.pose.to_local(points[k]));
                const double steepness = sample.gradient.norm();
                if (sample.distance < 0 && steepness > 0)
                    found[begin / chunk].push_back({static_cast<Index>(o), static_cast<Index>(k), obstacle.pose.turn(sample.gradient / steepness), -sample.distance});
            }
        });
        for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace fathom
