// The least value of one convex field over another convex body, kinks and all: by cutting planes (Kelley
// 1960). Every sample of a convex function is a plane below it, so the lowest point over all planes is a proven bound,
// and where it is met the search ends: at once where `start` is the place already, and after some ten samples for
// bodies with flat faces. Not for: fields that are not convex functions. A small linear program in four unknowns goes
// with each sample, solved by the dual simplex method from where the last one ended.
#pragma once

#include <fathom/detect/field_field/constrained_descent.h>

namespace fathom {

struct ConvexMinimum {
    Descent end;      // the best point of the body that was met
    double lower = 0; // no point of the body has less, but for rounding (m)
};

// `start` in the body (0: P, 1: Q), the least value at most `reach` away from it. Ends when the bounds are `tolerance`
// apart (m).
[[nodiscard]] ConvexMinimum convex_minimum(const FieldPair& pair, int body, const Vec3& start, double reach,
                                           double tolerance);

} // namespace fathom
