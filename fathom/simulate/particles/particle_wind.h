// Divergence-free turbulence that acts on particles; deterministic for a given seed.
// Method: a sum of transverse waves, which is divergence-free like curl noise (Bridson et al. 2007), sampled once in a
// periodic table and interpolated linearly. The pattern drifts as a whole instead of changing (Taylor 1938).
// O(1) per evaluation; thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <cstdint>
#include <vector>

namespace fathom {

class ParticleWind {
public:
    explicit ParticleWind(std::uint64_t seed);

    // The wind at a position in units of the period of the table. Each component has mean 0 and mean square 1. Valid
    // for every finite position.
    [[nodiscard]] Vec3 operator()(const Vec3& place) const;

private:
    std::vector<Vec3f> table_;
};

} // namespace fathom
