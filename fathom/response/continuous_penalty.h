// Continuous penalty contact: force and torque integrated over the contact intervals of the points; and discrete
// penalty contact for comparison. Method: Xu & Barbic 2014, section 4, equations 3-11, with friction added. Since
// impulses grow with the time in contact, forces do not jump if a point enters or leaves between two steps, which makes
// larger steps stable. The adaptive rule, if its small rule does not meet the tolerance, is exact (up to rounding) for
// a chord through grid cells with ContactNormal::gradient if neither body rotates: the intervals end at cell
// boundaries, and depth (degree 3) * gradient (2) * lever arm (1) is a polynomial there. In other cases the errors are
// its estimates. O(contacts * evaluations); thread-safe, parallel above some hundred contacts, the same result for any
// thread count.
#pragma once

#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/response/contact_path.h>
#include <fathom/response/wrench.h>

#include <span>
#include <vector>

namespace fathom {

// One contact, at the evaluated time of its largest depth.
struct ContactRecord {
    Index point = no_index;
    double time = 0;              // in [0,1] of the step
    double depth = 0;             // m, >= 0
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero(); // unit, world, from the shell's body to the field's; zero if the field has no gradient
};

struct ContactResponse {
    Wrench on_shell; // averages over the step: F* and tau* (equations 8 and 9), including damping and friction
    Wrench on_field; // the opposite force, and its torque about the centre of mass of the field's body
    Vec3 force_error = Vec3::Zero();       // quadrature error estimates of on_shell, by component (N)
    Vec3 torque_error = Vec3::Zero();      // N m
    double deepest = 0;                    // largest depth at all evaluated times (m)
    double deepest_now = 0;                // largest depth at ContactOutput::now (m)
    double stored = 0;                     // energy of the contact springs at ContactOutput::now (J)
    ContactSlope shell_slope, field_slope; // averages over the step; only if ContactOutput::slopes is set
};

// Optional output besides the wrenches.
struct ContactOutput {
    double now = 1; // time in [0,1] of the present state of the bodies: 0 if the motion is a prediction
    bool slopes = false;
    std::vector<ContactRecord>* records = nullptr; // one record for each contact is appended, in order
};

// `contacts` are the result of a sweep of the same motions. `step` > 0 is in seconds.
[[nodiscard]] ContactResponse continuous_penalty(std::span<const point_field::PointContact> contacts,
                                                 const ContactRole& role, double step, const ContactLaw& law,
                                                 const ContactOutput& output = {});

// Discrete penalty contact, evaluated at the end of the step as in most simulators; for comparison. It uses the
// contacts that last until the end of the step; error estimates are 0. Not suited to large steps or thin walls: a point
// that entered acts as if it had had its final depth during the whole step, and a point that entered and left has no
// effect.
[[nodiscard]] ContactResponse discrete_penalty(std::span<const point_field::PointContact> contacts,
                                               const ContactRole& role, double step, const ContactLaw& law,
                                               const ContactOutput& output = {});

} // namespace fathom
