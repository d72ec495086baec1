// Copies particles, obstacles and hits into frames: the cloud is body 0.
#include <fathom/simulate/particles/particles.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

namespace {

// Its pose stands in the middle of all.
BodyFrame cloud_of(const ParticleWorld& world) {
    BodyFrame frame;
    const std::size_t count = world.positions().size();
    frame.vertices.reserve(count), frame.velocities.reserve(count), frame.ages.reserve(count);
    Vec3 middle = Vec3::Zero(), motion = Vec3::Zero();
    for (std::size_t k = 0; k < count; ++k) {
        middle += world.positions()[k];
        motion += world.velocities()[k];
        frame.vertices.push_back(world.positions()[k].cast<float>());
        frame.velocities.push_back(world.velocities()[k].cast<float>());
        frame.ages.push_back(static_cast<float>(world.ages()[k]));
    }
    if (count > 0)
        frame.pose.translation = middle / static_cast<double>(count),
        frame.velocity = motion / static_cast<double>(count);
    return frame;
}

} // namespace

std::vector<RecordedBody> ParticleWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    all.push_back({"particles", std::make_shared<const TriangleMesh>(), {}, Vec3::Zero(), false, true});
    for (const MovingObstacle& obstacle : obstacles())
        all.push_back({obstacle.name, obstacle.mesh, {}, Vec3::Zero(), obstacle.fixed()});
    return all;
}

RecordedStep ParticleWorld::recorded_step() const {
    const ParticleReport& now = report();
    return {steps(), time(), energy(), 0, now.hits, now.map_seconds + now.compare_seconds, now.move_seconds};
}

void ParticleWorld::fill(RecordedFrame& frame, bool wanted) const {
    frame.bodies.push_back(cloud_of(*this));
    for (std::size_t k = 0; k < obstacles().size(); ++k)
        frame.bodies.push_back(
            {.pose = obstacle_pose(k), .velocity = obstacles()[k].velocity, .spin = obstacles()[k].spin});
    if (!wanted) return;
    for (const ParticleHit& hit : hits())
        frame.contacts.push_back({0, hit.id.body + 1, hit.particle, hit.point, hit.normal, 0});
}

} // namespace fathom
