// A wind without sources that shakes particles: the same everywhere for the same seed.
// Method: a sum of waves across their own direction, so free of divergence (as curl noise, Bridson et al. 2007, is),
// laid down once in a periodic table and looked up linearly; it drifts as a whole instead of changing (Taylor 1938).
// O(1) a look-up; thread-safe.
#pragma once

#include <fathom/base/vec.h>

#include <cstdint>
#include <vector>

namespace fathom {

class ParticleWind {
public:
    explicit ParticleWind(std::uint64_t seed);

    // At a place in periods of the table; each component has mean 0 and mean square 1. For every finite place.
    [[nodiscard]] Vec3 operator()(const Vec3& place) const;

private:
    std::vector<Vec3f> table_;
};

} // namespace fathom
