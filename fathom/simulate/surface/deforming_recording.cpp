// Copies the shapes and contacts of deforming objects into frames.
#include <fathom/simulate/surface/deforming_world.h>

#include <fathom/simulate/springs/spring_bodies.h>

#include <numeric>

namespace fathom {

namespace {

// Its pose stands in the centre of mass.
BodyFrame frame_of(const DeformingWorld& world, Index body) {
    if (world.bodies()[body].fixed) return {};
    std::vector<Index> points(world.vertices(body).size());
    std::iota(points.begin(), points.end(), world.first_point(body));
    BodyFrame frame = mass_frame(world.springs(), points);
    for (const Vec3& v : world.vertices(body)) frame.vertices.push_back(v.cast<float>());
    return frame;
}

} // namespace

std::vector<RecordedBody> DeformingWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const DeformingBody& body : bodies())
        all.push_back({body.name, std::make_shared<const TriangleMesh>(body.mesh), {}, Vec3::Zero(), body.fixed});
    for (const FieldObstacle& obstacle : obstacles()) all.push_back(recorded(obstacle));
    return all;
}

RecordedStep DeformingWorld::recorded_step() const {
    const SpringReport& report = springs().report();
    double deepest = 0;
    for (const DeformingContact& c : contacts()) deepest = std::max(deepest, c.depth);
    return {steps(),
            time(),
            energy(),
            deepest,
            contacts().size(),
            detect_seconds(),
            report.force_seconds + report.solve_seconds};
}

void DeformingWorld::fill(RecordedFrame& frame, bool wanted) const {
    for (Index k = 0; k < bodies().size(); ++k) frame.bodies.push_back(frame_of(*this, k));
    for (const FieldObstacle& obstacle : obstacles()) frame.bodies.push_back({.pose = obstacle.pose});
    if (!wanted) return;
    for (const DeformingContact& c : contacts())
        frame.contacts.push_back({c.body, c.other, c.vertex, c.position, c.normal, c.depth});
}

} // namespace fathom
