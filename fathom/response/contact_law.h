// How a point of one body feels the field of another: penalty, damping, friction.
// Signs: depth >= 0 is how far the point is inside; n is unit, in world axes, and points out of the field's body. The
// force on the shell's body is + stiffness * depth * n, so it pushes that body out; the field's body feels the
// opposite.
#pragma once

#include <fathom/response/quadrature.h>

namespace fathom {

enum class ContactNormal {
    unit_gradient, // of the field, made unit
    gradient, // of the field as it is: of length 1 only where the field is a distance, but a polynomial in each grid
              // cell
    shell // against the point's own outward normal (Xu & Barbic 2014); safe where a thin wall turns the gradient round
};

enum class DampedPart {
    all,   // of the relative velocity (equation 10)
    normal // only along n: sliding is left to friction
};

// How bodies move between the start and the end of a step.
enum class PathInTime {
    chord,       // constant velocity: each point straight, as the field sees it; velocities are those at the end
    screw,       // constant velocity too, along the rigid screw of each body
    acceleration // constant acceleration: an Euler step from the start to each time; velocities go from start to end
};

// What angular impulses are measured from: the centre of mass where the impulse is applied, so that the pair keeps its
// angular momentum, or the centre at each time, as in the paper.
enum class HandleCenter { start, end, moving };

struct ContactLaw {
    double stiffness = 1e4;   // k (N/m), of one point
    double damping = 0;       // k_D (N s/m), of one point
    double friction = 0;      // mu: the tangential force is mu * k * depth * s / sqrt(s^2 + slip_speed^2) at slip s
    double slip_speed = 0.01; // m/s; explicit stepping stays calm where this is above mu * acceleration * step
    ContactNormal normal = ContactNormal::unit_gradient;
    DampedPart damped = DampedPart::all;
    PathInTime path = PathInTime::chord;
    HandleCenter handle = HandleCenter::end;
    QuadratureOptions quadrature{};
};

// Error{invalid_argument} names the option that is not finite or out of range.
void check(const ContactLaw& law);

} // namespace fathom
