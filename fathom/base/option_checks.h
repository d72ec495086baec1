// How numbers that a caller states about springs are refused.
#pragma once

#include <fathom/base/error.h>

#include <cmath>

namespace fathom {

// Error{invalid_argument} where `good` is false.
void require(bool good, double value, const char* range, const Place& place);

inline void require_positive(double value, const char* option) {
    require(std::isfinite(value) && value > 0, value, "a finite number above 0", {.element = option});
}
inline void require_not_negative(double value, const char* option) {
    require(std::isfinite(value) && value >= 0, value, "a finite number from 0", {.element = option});
}

} // namespace fathom
