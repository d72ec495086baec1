// Room: simulate. Copies poses and contacts of rigid bodies into frames.
#include <fathom/simulate/rigid_recording.h>

namespace fathom {

namespace {

RecordedBody recorded(const RigidBody& body) {
    RecordedBody result{body.name, {body.shape, &body.shape->mesh}, {}, body.shape->center, body.fixed};
    if (body.shape->mesh.vertices.empty() && body.shape->caster) result.formula = {body.shape, &body.shape->caster->field()};
    return result;
}

} // namespace

void record(const RigidWorld& world, Recording& recording) {
    if (recording.bodies().size() != world.bodies().size()) {
        std::vector<RecordedBody> bodies;
        for (const RigidBody& body : world.bodies()) bodies.push_back(recorded(body));
        recording.set_bodies(std::move(bodies));
    }
    const StepReport& report = world.report();
    RecordedFrame* frame = recording.add({world.steps(), world.time(), world.energy(), report.deepest_now, report.contacts, report.detect_seconds, report.respond_seconds});
    if (!frame) return;
    for (Index k = 0; k < world.bodies().size(); ++k) {
        const BodyState& state = world.states()[k];
        frame->bodies.push_back({world.pose(k), state.velocity, state.spin, state.asleep});
    }
    if (!recording.options().contacts) return;
    for (const BodyContact& c : world.contacts())
        frame->contacts.push_back({c.shell_body, c.field_body, c.record.point, c.record.position, c.record.normal, c.record.depth});
}

} // namespace fathom
