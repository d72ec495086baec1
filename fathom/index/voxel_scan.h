// The inner loop of the voxel hash, which alone knows SIMD: which of a run of boxes meet a box?
#pragma once

#include <fathom/base/box.h>

#include <cstddef>

namespace fathom {

struct BoxRun {
    const float* lower[3]; // by position, readable 8 beyond the last
    const float* upper[3];
    const std::uint32_t* rows;
    const Index* ids;
    const Box* boxes; // by id
};

// The same box twice: as floats, rounded to nearest as those of the run, and as it is.
struct ScanBox {
    float lower[3];
    float upper[3];
    const Box* exact;
};

inline constexpr std::uint32_t any_row = ~std::uint32_t{0};
inline constexpr std::size_t scan_slack = 8; // what `found` must have room for beyond end - begin

// Writes to `found` the positions in [begin, end) whose box overlaps and whose row is `row` (or any), ascending;
// returns how many.
[[nodiscard]] std::size_t scan(const BoxRun& run, const ScanBox& box, std::uint32_t row, std::size_t begin,
                               std::size_t end, std::uint32_t* found);

} // namespace fathom
