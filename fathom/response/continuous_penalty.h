// Continuous penalty contact: force and torque integrated over the times in which points are inside.
// Method: Xu & Barbic 2014, section 4, equations 3-11, with friction added. Since impulses grow with the time in
// contact, no force jumps when a point enters or leaves between two steps; that is what makes larger steps stable. The
// adaptive rule, where its quick form does not meet the tolerance, is exact (rounding apart) for a chord through grid
// cells with ContactNormal::gradient while neither body turns: pieces end at cell borders, and depth (degree 3) *
// gradient (2) * handle (1) is a polynomial there. Elsewhere the errors are its estimates. O(contacts * evaluations);
// thread-safe, parallel past some hundred contacts, the same for any thread count.
#pragma once

#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/response/contact_path.h>
#include <fathom/response/wrench.h>

#include <span>
#include <vector>

namespace fathom {

// One contact where it was deepest among the times looked at.
struct ContactRecord {
    Index point = no_index;
    double time = 0;              // in [0,1] of the step
    double depth = 0;             // m, >= 0
    Vec3 position = Vec3::Zero(); // m, world
    Vec3 normal = Vec3::Zero();   // unit, world, out of the field's body; zero where the field has no gradient
};

struct ContactResponse {
    Wrench on_shell; // averages over the step: F* and tau* (equations 8 and 9), damping and friction included
    Wrench on_field; // the opposite force, and the torque of it about the centre of the field's body
    Vec3 force_error = Vec3::Zero();       // estimates of the quadrature, by component
    Vec3 torque_error = Vec3::Zero();      // of on_shell
    double deepest = 0;                    // of all times looked at (m)
    double deepest_now = 0;                // at ContactOutput::now (m)
    double stored = 0;                     // energy of the springs then (J)
    ContactSlope shell_slope, field_slope; // averages over the step too; only where asked for
};

// What to give besides the wrenches.
struct ContactOutput {
    double now = 1; // the time in [0,1] at which the bodies are as they are: 0 where the motion is a prediction
    bool slopes = false;
    std::vector<ContactRecord>* records = nullptr; // one for each contact is appended, in their order
};

// `contacts` are those of a sweep of the same motions. `step` > 0 in seconds.
[[nodiscard]] ContactResponse continuous_penalty(std::span<const PointContact> contacts, const ContactRole& role,
                                                 double step, const ContactLaw& law, const ContactOutput& output = {});

// Penalty contact as it stands at the end of a step, for comparison: what most simulators do.
// Not for: large steps, or thin walls. A point that entered is felt as if it had been that deep all the time, one that
// went in and out is not felt at all.

// As continuous_penalty(), from the contacts that last until the end of the step; errors are 0.
[[nodiscard]] ContactResponse discrete_penalty(std::span<const PointContact> contacts, const ContactRole& role,
                                               double step, const ContactLaw& law, const ContactOutput& output = {});

} // namespace fathom
