// Mass and free flight of one body.
#include <fathom/simulate/rigid/rigid_body.h>

#include <Eigen/LU>

namespace fathom {

BodyMass::BodyMass(const RigidBody& body) {
    if (body.fixed) return;
    mass = body.density * body.shape->volume;
    inertia = body.density * body.shape->inertia;
    inverse_inertia = inertia.inverse();
}

Mat3 BodyMass::world_inertia(const Quat& rotation) const {
    const Mat3 r = rotation.toRotationMatrix();
    return r * inertia * r.transpose();
}

Vec3 BodyMass::spin(const Quat& rotation, const Vec3& angular_momentum) const {
    return rotation * (inverse_inertia * (rotation.conjugate() * angular_momentum));
}

double BodyMass::kinetic_energy(const BodyState& state) const {
    return 0.5 * mass * state.velocity.squaredNorm() + 0.5 * state.angular_momentum.dot(state.spin);
}

BodyState start_state(const RigidBody& body, const BodyMass& mass) {
    BodyState state;
    state.rotation = body.pose.rotation.normalized();
    state.center = body.pose.translation + state.rotation * body.shape->center;
    if (body.fixed) return state;
    state.velocity = body.velocity;
    state.spin = body.spin;
    state.angular_momentum = mass.world_inertia(state.rotation) * body.spin;
    return state;
}

Pose pose_of(const BodyState& state, const BodyShape& shape) {
    return {state.rotation, state.center - state.rotation * shape.center};
}

void coast(BodyState& state, const BodyMass& mass, double step) {
    state.center += step * state.velocity;
    const Quat middle = turned(state.rotation, 0.5 * step * mass.spin(state.rotation, state.angular_momentum));
    state.rotation = turned(state.rotation, step * mass.spin(middle, state.angular_momentum));
    state.spin = mass.spin(state.rotation, state.angular_momentum);
}

} // namespace fathom
