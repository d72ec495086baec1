// Room: simulate. Copies poses and contacts of rigid bodies into frames.
#include <fathom/simulate/recording.h>
#include <fathom/simulate/rigid_world.h>

namespace fathom {

namespace {

RecordedBody recorded(const RigidBody& body) {
    RecordedBody result{body.name, {body.shape, &body.shape->mesh}, {}, body.shape->center, body.fixed};
    if (body.shape->mesh.vertices.empty() && body.shape->caster) result.formula = {body.shape, &body.shape->caster->field()};
    return result;
}

} // namespace

void RigidWorld::record(Recording& recording) const {
    if (recording.bodies().size() != bodies().size()) {
        std::vector<RecordedBody> recorded_bodies;
        for (const RigidBody& body : bodies()) recorded_bodies.push_back(recorded(body));
        recording.set_bodies(std::move(recorded_bodies));
    }
    const StepReport& now = report();
    RecordedFrame* frame = recording.add({steps(), time(), energy(), now.deepest_now, now.contacts, now.detect_seconds, now.respond_seconds});
    if (!frame) return;
    for (Index k = 0; k < bodies().size(); ++k) {
        const BodyState& state = states()[k];
        frame->bodies.push_back({pose(k), state.velocity, state.spin, state.asleep});
    }
    if (!recording.options().contacts) return;
    for (const BodyContact& c : contacts())
        frame->contacts.push_back({c.shell_body, c.field_body, c.record.point, c.record.position, c.record.normal, c.record.depth});
}

} // namespace fathom
