// Copies the boundaries and contacts of tetrahedral bodies into frames.
#include <fathom/simulate/springs/spring_bodies.h>
#include <fathom/simulate/tets/tet_world.h>

namespace fathom {

namespace {

struct Named {
    std::string name;
    bool fixed;
};

// Bodies, and then tissues.
Named named(const TetWorld& world, Index b) {
    const std::size_t bodies = world.bodies().size();
    if (b < bodies) return {world.bodies()[b].name, world.bodies()[b].fixed};
    const DeformingBody& surface = world.tissues()[b - bodies].surface;
    return {surface.name, surface.fixed};
}

RecordedBody recorded_body(const TetWorld& world, Index b) {
    const TetBody body = world.body(b);
    TriangleMesh surface{{}, *world.surface(b)};
    for (const Index v : body.topology.boundary_vertices()) surface.vertices.push_back(body.vertices[v]);
    const auto& [name, fixed] = named(world, b);
    return {name, std::make_shared<const TriangleMesh>(std::move(surface)), {}, Vec3::Zero(), fixed};
}

BodyFrame frame_of(const TetWorld& world, Index b) {
    if (named(world, b).fixed) return {};
    const TetBody body = world.body(b);
    BodyFrame frame = mass_frame(world.springs(), world.points(b));
    for (const Index v : body.topology.boundary_vertices()) frame.vertices.push_back(body.vertices[v].cast<float>());
    if (world.broken(b)) frame.triangles = world.surface(b);
    return frame;
}

} // namespace

std::vector<RecordedBody> TetWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (Index b = 0; b < bodies().size() + tissues().size(); ++b) all.push_back(recorded_body(*this, b));
    for (const FieldObstacle& obstacle : obstacles()) all.push_back(recorded(obstacle));
    return all;
}

RecordedStep TetWorld::recorded_step() const {
    double deepest = 0;
    for (const TetWorldContact& c : contacts()) deepest = std::max(deepest, c.depth);
    return {steps(),
            time(),
            energy(),
            deepest,
            contacts().size(),
            report().contact_seconds,
            report().force_seconds + report().solve_seconds};
}

void TetWorld::fill(RecordedFrame& frame, bool wanted) const {
    for (Index b = 0; b < bodies().size() + tissues().size(); ++b) frame.bodies.push_back(frame_of(*this, b));
    for (const FieldObstacle& obstacle : obstacles()) frame.bodies.push_back({.pose = obstacle.pose});
    if (!wanted) return;
    for (const TetWorldContact& c : contacts())
        frame.contacts.push_back({c.body, c.other, c.vertices[0], c.position, c.normal, c.depth});
}

} // namespace fathom
