// Penalty contact as it stands at the end of a step, for comparison: what most simulators do.
// Not for: large steps, or thin walls. A point that entered is felt as if it had been that deep all the time, one that
// went in and out is not felt at all.
#pragma once

#include <fathom/response/continuous_penalty.h>

namespace fathom {

// As continuous_penalty(), from the contacts that last until the end of the step; errors are 0.
[[nodiscard]] ContactResponse discrete_penalty(std::span<const PointContact> contacts, const ContactRole& role,
                                               double step, const ContactLaw& law, const ContactOutput& output = {});

} // namespace fathom
