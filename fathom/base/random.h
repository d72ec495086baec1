// Seeded random numbers, the same on every platform and compiler: xoshiro256** (Blackman & Vigna 2018), seeded by
// splitmix64; only exact integer and correctly rounded operations are used. One object per thread.
#pragma once

#include <fathom/base/primitives.h>

#include <array>
#include <cstdint>

namespace fathom {

class Random {
public:
    // Streams of one seed are independent: use one stream per chunk of a parallel loop.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

    [[nodiscard]] std::uint64_t bits();                     // 64 random bits
    [[nodiscard]] double uniform();                         // in [0,1)
    [[nodiscard]] double uniform(double low, double high);  // in [low, high)
    [[nodiscard]] std::uint64_t below(std::uint64_t count); // in {0, ..., count-1}, without bias; count > 0
    [[nodiscard]] bool chance(double probability) { return uniform() < probability; }

    [[nodiscard]] Vec3 in_box(const Box& box);
    [[nodiscard]] Vec3 in_ball();   // uniform in the unit ball
    [[nodiscard]] Vec3 direction(); // uniform on the unit sphere
    [[nodiscard]] Quat rotation();  // uniform over all rotations

private:
    std::array<std::uint64_t, 4> state_;
};

} // namespace fathom
