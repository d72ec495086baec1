// Room: detect. One look-up that clears a whole ball: how far from a point the field certainly stays above a level.
// Two proofs, the better counts. (1) Lipschitz: |f(p) - f(q)| <= L |p - q| everywhere, in the domain and beyond.
// (2) Truth: a distance D is 1-Lipschitz, and a field is near it. On a sparse grid |f - D| <= near_error where |D| <= band, and
// <= far_error elsewhere; and where D > band, f is a mean of samples of at least band - near_error. So D(p) is at least
// min(f(p) - near, max(band, f(p) - far)), any q within r of p has D(q) >= D(p) - r, and f(q) >= min(D(q), band) - near.
// Beyond the domain f is a lower bound on D (as true as at the border), so the same holds. For fields whose values are no
// distance only (1) counts.
#pragma once

#include <fathom/field/field.h>

namespace fathom {

// Cheap to copy; made once for a field and a level, then asked with values of the field.
class FreeRadius {
public:
    FreeRadius(const Field& field, double level);

    // Every q with |q - p| < the answer has field(q) > level, where field(p) == value. 0 or less: nothing is proven.
    [[nodiscard]] double operator()(double value) const;

private:
    double level_;
    double lipschitz_;
    double near_;    // infinity where only (1) counts
    double far_;
    double band_;
};

} // namespace fathom
