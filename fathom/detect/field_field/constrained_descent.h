// Constrained descent: minimizes one field over the points of the other body, from a starting point. The result is a
// locally deepest point or, if the bodies are disjoint, a locally closest one.
// Method: Liu et al. 2024, equations 8 and 9 and algorithms 2 and 3, with an adaptive step length: it grows while the
// value decreases and shrinks otherwise. If both fields are smooth, Newton's method on the conditions of a constrained
// minimum gives the last digits. The result is local; overlap_search.h is global. Cost: about 20 samples of each field.
// Thread-safe.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>

namespace fathom::field_field {

inline constexpr double flattest_slope = 1e-10; // gradients of at most this length give no direction

struct DescentOptions {
    double size = 1;         // size of the smaller body (m); the first step is a fraction of it
    double tolerance = 1e-7; // of size: descent stops at shorter steps
    int max_steps = 60;
    double sufficient = -HUGE_VAL; // descent stops at values up to this (m); 0 finds any common point
    bool polish = false;           // for smooth fields: refine to rounding, unless the minimum is at a kink
};

struct Descent {
    Vec3 point = Vec3::Zero();    // point of the body (m, P's frame)
    double value = HUGE_VAL;      // of the other field at `point` (m); infinity: no point of the body was found
    Vec3 gradient = Vec3::Zero(); // of the other field at `point`
    int samples = 0;
    bool polished = false; // accurate to rounding
};

// `body` 0: minimizes Q's field over the points of P; 1: P's field over the points of Q.
[[nodiscard]] Descent descend(const FieldPair& pair, int body, const Vec3& start, const DescentOptions& options);

// Refines to the last digits without second derivatives, which do not exist at kinks: many small steps.
void refine(const FieldPair& pair, int body, double size, Descent& end);

// Moves x to a nearby point of the body by a few Newton steps, so that its field evaluates to at most 0 there. Returns
// false if that fails.
bool move_inside(const FieldPair& pair, int body, Vec3& x, double size, int& samples);

} // namespace fathom::field_field
