// From a point, down one field without leaving the other body: the deepest point near by, or the nearest.
// Liu et al. 2024, equations 8 and 9 and algorithms 2 and 3, with a step that finds its own length: it grows while the
// value falls and shrinks when it does not. Where both fields are smooth, Newton's method on the conditions of a
// constrained minimum takes the last digits. Local: solid_search.h looks everywhere. Cost: some 20 samples of each
// field. Thread-safe.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>

namespace fathom::field_field {

struct DescentOptions {
    double size = 1;         // of the smaller body (m): first steps are a share of it
    double tolerance = 1e-7; // of size: the way at which it ends
    int max_steps = 60;
    double enough = -HUGE_VAL; // ends where the value is at most this: 0 for any common point
    bool polish = false;       // for smooth fields: to rounding, where the minimum is at no kink
};

struct Descent {
    Vec3 point = Vec3::Zero();    // in the body, in P's frame (m)
    double value = HUGE_VAL;      // of the other field there; infinity: no point of the body was found
    Vec3 gradient = Vec3::Zero(); // of the other field there
    int samples = 0;
    bool polished = false; // to rounding
};

// `body` 0: stays in P, goes down Q; 1: the other way round.
[[nodiscard]] Descent descend(const FieldPair& pair, int body, const Vec3& start, const DescentOptions& options);

// Goes on to the last digits without second derivatives, which kinks do not have: many small steps.
void refine(const FieldPair& pair, int body, double size, Descent& end);

// The nearest point of the body that a few Newton steps find, with its field at most 0 as it answers there. False if
// none.
bool move_inside(const FieldPair& pair, int body, Vec3& x, double size, int& samples);

} // namespace fathom::field_field
