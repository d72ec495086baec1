// Runs a claim once for every SIMD target that this CPU can run and the library was compiled for, the scalar one
// included.
#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace fathom::testing {

template <class Claim>
void for_each_simd_target(Claim&& claim) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::GetChosenTarget().Update(target);
        claim(hwy::TargetName(target));
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace fathom::testing
