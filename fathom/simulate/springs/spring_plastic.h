// Springs that stay longer or shorter after they were pulled or pressed too far.
// Past the yield strain the rest length creeps toward the length at which the strain is just that; areas and volumes
// keep their size at rest. O(springs), parallel, the same bits for any number of threads.
#pragma once

#include <fathom/simulate/springs/spring_network.h>

namespace fathom {

struct PlasticOptions {
    double yield_strain = 0;     // (length - rest) / rest, both ways; 0: springs are elastic
    double creep_rate = 10;      // 1/s: what is past the yield strain shrinks by a factor e in 1 / this
    double largest_change = 0.5; // of the rest length that a spring had at first, in [0,1)

    [[nodiscard]] bool active() const { return yield_strain > 0; }
};

// Error{invalid_argument} names the option out of range.
void check(const PlasticOptions& options);

// `first_rest` holds the rest lengths of all springs as they were at first. Returns how many springs changed.
std::size_t creep(std::span<Spring> springs, std::span<const double> first_rest, std::span<const Vec3> positions,
                  double step, const PlasticOptions& options);

} // namespace fathom
