// Samples of a lattice whose balls of free space overlap lie on the same side of the surface: if
// d(a) + d(b) > |a - b|, no surface lies between them. Groups such samples, so that the side is asked once a group.
#pragma once

#include <fathom/base/vec.h>

#include <array>
#include <span>
#include <vector>

namespace fathom {

class SignRegions {
public:
    // Unsigned distances, each off by no more than `error`, on a lattice of the given size (x fastest) and spacing (m).
    // O(n). Reusable.
    void find(std::span<const double> distances, double error, const std::array<int, 3>& size, double spacing);

    // The region of each sample is named by one of its samples: the one farthest from the surface, the first such.
    [[nodiscard]] Index region_of(std::size_t sample) const { return speaker_[sample]; }

private:
    [[nodiscard]] Index root(Index sample);
    void join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear);
    void join_rows(std::span<const double> distances, std::size_t below, std::size_t above, std::size_t length,
                   double clear);

    std::vector<Index> parent_;
    std::vector<Index> speaker_;
};

} // namespace fathom
