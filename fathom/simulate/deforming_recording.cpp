// Room: simulate. Copies the shapes and contacts of deforming objects into frames.
#include <fathom/simulate/deforming_world.h>

#include <fathom/simulate/spring_bodies.h>

#include <numeric>

namespace fathom {

namespace {

std::vector<RecordedBody> recorded_bodies(const DeformingWorld& world) {
    std::vector<RecordedBody> result;
    for (const DeformingBody& body : world.bodies())
        result.push_back({body.name, std::make_shared<const TriangleMesh>(body.mesh), {}, Vec3::Zero(), body.fixed});
    for (const FieldObstacle& obstacle : world.obstacles())
        result.push_back({obstacle.name, std::make_shared<const TriangleMesh>(), obstacle.field, Vec3::Zero(), true});
    return result;
}

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

void DeformingWorld::record(Recording& recording) const {
    if (recording.bodies().empty()) recording.set_bodies(recorded_bodies(*this));
    const SpringReport& report = springs().report();
    double deepest = 0;
    for (const DeformingContact& c : contacts()) deepest = std::max(deepest, c.depth);
    RecordedFrame* frame = recording.add({steps(), time(), energy(), deepest, contacts().size(), report.contact_seconds, report.force_seconds + report.solve_seconds});
    if (!frame) return;
    for (Index k = 0; k < bodies().size(); ++k) frame->bodies.push_back(frame_of(*this, k));
    for (const FieldObstacle& obstacle : obstacles()) frame->bodies.push_back({.pose = obstacle.pose});
    if (!recording.options().contacts) return;
    for (const DeformingContact& c : contacts()) frame->contacts.push_back({c.body, c.other, c.vertex, c.position, c.normal, c.depth});
}

} // namespace fathom
