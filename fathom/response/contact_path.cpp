// Poses of both bodies at a time of the step, and the contact state and force of a point of one in the field of the
// other.
#include <fathom/response/contact_path.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

// ---- Checks of options.

void check(const QuadratureOptions& options) {
    const auto refuse = [](const char* reason, const char* option) {
        throw Error(Cause::invalid_argument, reason, {.element = option});
    };
    if (options.points < 1 || options.points > 100'000) refuse("must be from 1 to 100000", "option points");
    if (!(options.tolerance > 0 && options.tolerance <= 1)) refuse("must be above 0 and at most 1", "option tolerance");
    if (options.halvings < 0 || options.halvings > 40) refuse("must be from 0 to 40", "option halvings");
}

namespace {

void check_number(double value, bool zero_allowed, const char* name) {
    if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return;
    throw Error(Cause::invalid_argument,
                fmt::format("{} is not a finite number {} 0", value, zero_allowed ? ">=" : ">"),
                {.element = fmt::format("option {}", name)});
}

} // namespace

void check(const ContactLaw& law) {
    check_number(law.stiffness, true, "stiffness");
    check_number(law.damping, true, "damping");
    check_number(law.friction, true, "friction");
    check_number(law.slip_speed, false, "slip_speed");
    check(law.quadrature);
}

namespace {

// Normalised linear interpolation along the shorter arc; for the small rotations of a step as accurate as spherical
// interpolation.
Quat between(const Quat& a, const Quat& b, double t) {
    const double sign = a.dot(b) < 0 ? -1 : 1;
    return Quat(a.coeffs() * (1 - t) + b.coeffs() * (sign * t)).normalized();
}

} // namespace

Quat turned(const Quat& rotation, const Vec3& turn) {
    const double angle = turn.norm();
    if (angle == 0) return rotation;
    return Quat(Quat(Eigen::AngleAxisd(angle, turn / angle)) * rotation).normalized();
}

ContactPath::Body::Body(const MovingBody& body, double step, PathInTime path)
    : body_(body), step_(step), path_(path), mover_(body.motion), center_start_(body.motion.start * body.center),
      center_end_(body.motion.end * body.center),
      turns_(body.motion.start.rotation.coeffs() != body.motion.end.rotation.coeffs()) {}

ContactPath::Placement ContactPath::Body::accelerated(double t) const {
    Placement p;
    p.velocity = body_.velocity_start + t * (body_.velocity_end - body_.velocity_start);
    p.spin = body_.spin_start + t * (body_.spin_end - body_.spin_start);
    p.center = center_start_ + t * step_ * p.velocity;
    p.pose.rotation = turned(body_.motion.start.rotation, t * step_ * p.spin);
    p.pose.translation = p.center - p.pose.rotation * body_.center;
    return p;
}

ContactPath::Placement ContactPath::Body::at(double t, bool turned) const {
    if (path_ == PathInTime::acceleration) return accelerated(t);
    Placement p;
    p.velocity = body_.velocity_end;
    p.spin = body_.spin_end;
    if (path_ == PathInTime::screw) {
        p.pose = mover_.pose(t);
        p.center = p.pose * body_.center;
    } else {
        p.center = center_start_ + t * (center_end_ - center_start_);
        if (!turned) return p;
        p.pose.rotation =
            turns_ ? between(body_.motion.start.rotation, body_.motion.end.rotation, t) : body_.motion.end.rotation;
        p.pose.translation = p.center - p.pose.rotation * body_.center;
    }
    return p;
}

ContactPath::ContactPath(const ContactRole& role, double step, const ContactLaw& law)
    : role_(role), law_(law), shell_(role.shell, step, law.path), field_(role.field_body, step, law.path) {}

ContactPath::Chord ContactPath::chord(Index point) const {
    const Vec3& p = role_.points[point];
    return {role_.field_body.motion.start.to_local(role_.shell.motion.start * p),
            role_.field_body.motion.end.to_local(role_.shell.motion.end * p)};
}

ContactState ContactPath::at(Index point, const Chord& chord, double t) const {
    const Placement shell = shell_.at(t, law_.normal == ContactNormal::shell), field = field_.at(t, true);
    ContactState state;
    Vec3 local;
    if (law_.path == PathInTime::chord) {
        local = chord.start + t * (chord.end - chord.start);
        state.position = field.pose * local;
    } else {
        state.position = shell.pose * role_.points[point];
        local = field.pose.to_local(state.position);
    }
    const Sample sample = role_.field.sample(local);
    state.depth = -sample.distance;
    if (law_.normal == ContactNormal::shell) {
        state.separating_direction = -shell.pose.rotate(role_.normals[point]);
    } else {
        const double length = law_.normal == ContactNormal::gradient ? 1 : sample.gradient.norm();
        if (length > 0) state.separating_direction = field.pose.rotate(sample.gradient / length);
    }
    state.shell_handle = state.position - shell.center;
    state.field_handle = state.position - field.center;
    state.velocity =
        shell.velocity + shell.spin.cross(state.shell_handle) - field.velocity - field.spin.cross(state.field_handle);
    if (law_.handle != HandleCenter::moving) {
        state.shell_handle = state.position - shell_.center(law_.handle);
        state.field_handle = state.position - field_.center(law_.handle);
    }
    return state;
}

Vec3 contact_force(const ContactState& state, const ContactLaw& law) {
    if (!(state.depth > 0)) return Vec3::Zero();
    const double push = law.stiffness * state.depth;
    const double square = state.separating_direction.squaredNorm(); // 1, unless the gradient is not normalised
    const Vec3 along = square > 0
                           ? Vec3(state.velocity.dot(state.separating_direction) / square * state.separating_direction)
                           : Vec3(Vec3::Zero());
    Vec3 force = push * state.separating_direction;
    force -= law.damping * (law.damped == DampedPart::all ? state.velocity : along);
    if (law.friction > 0) {
        const Vec3 slip = state.velocity - along;
        force -= law.friction * push / std::sqrt(slip.squaredNorm() + law.slip_speed * law.slip_speed) * slip;
    }
    return force;
}

} // namespace fathom
