// Copies poses and contacts of rigid bodies into frames.
#include <fathom/simulate/record/recording.h>
#include <fathom/simulate/rigid/rigid_world.h>

namespace fathom {

namespace {

RecordedBody recorded(const RigidBody& body) {
    RecordedBody result{body.name, {body.shape, &body.shape->mesh}, {}, body.shape->center, body.fixed};
    if (body.shape->mesh.vertices.empty() && body.shape->caster)
        result.formula = {body.shape, &body.shape->caster->field()};
    return result;
}

} // namespace

std::vector<RecordedBody> RigidWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const RigidBody& body : bodies()) all.push_back(recorded(body));
    return all;
}

RecordedStep RigidWorld::recorded_step() const {
    const StepReport& now = report();
    return {steps(), time(), energy(), now.deepest_now, now.contacts, now.detect_seconds, now.respond_seconds};
}

void RigidWorld::fill(RecordedFrame& frame, bool wanted) const {
    for (Index k = 0; k < bodies().size(); ++k) {
        const BodyState& state = states()[k];
        frame.bodies.push_back({pose(k), state.velocity, state.spin, state.asleep});
    }
    if (!wanted) return;
    for (const BodyContact& c : contacts())
        frame.contacts.push_back(
            {c.shell_body, c.field_body, c.record.point, c.record.position, c.record.normal, c.record.depth});
}

} // namespace fathom
