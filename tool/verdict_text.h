// Verdicts as users read them.
#pragma once

#include <fathom/detect/result.h>

namespace fathom::tool {

[[nodiscard]] inline const char* word(Verdict verdict) {
    return verdict == Verdict::disjoint ? "disjoint" : verdict == Verdict::overlapping ? "overlapping" : "undecided";
}

} // namespace fathom::tool
