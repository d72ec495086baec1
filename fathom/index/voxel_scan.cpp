// Inner loop of the voxel hash.
#include <fathom/index/voxel_hash.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/index/voxel_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace fathom::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 8>;

template <class Mask>
HWY_ATTR HWY_INLINE std::uint32_t lane_bits(Mask mask) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(Floats(), mask, bytes);
    return bytes[0];
}

// Floats were rounded to nearest, which is monotone: boxes disjoint in float are disjoint, and those that overlap with
// no two bounds equal overlap. Only equal bounds must be compared in double.
HWY_ATTR std::size_t scan_run(const BoxRun& run, const ScanBox& box, std::uint32_t row, std::size_t begin,
                              std::size_t end, std::uint32_t* found) {
    const Floats d;
    const hn::RebindToUnsigned<Floats> du;
    hn::Vec<Floats> lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = hn::Set(d, box.lower[axis]);
        upper[axis] = hn::Set(d, box.upper[axis]);
    }
    const auto wanted = hn::Set(du, row);
    std::size_t count = 0;
    for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
        auto from = hn::LoadU(d, run.lower[0] + k);
        auto to = hn::LoadU(d, run.upper[0] + k);
        auto overlap = hn::And(hn::Le(from, upper[0]), hn::Le(lower[0], to));
        auto equal = hn::Or(hn::Eq(from, upper[0]), hn::Eq(lower[0], to));
        for (int axis = 1; axis < 3; ++axis) {
            from = hn::LoadU(d, run.lower[axis] + k);
            to = hn::LoadU(d, run.upper[axis] + k);
            overlap = hn::And(overlap, hn::And(hn::Le(from, upper[axis]), hn::Le(lower[axis], to)));
            equal = hn::Or(equal, hn::Or(hn::Eq(from, upper[axis]), hn::Eq(lower[axis], to)));
        }
        std::uint32_t bits = lane_bits(overlap);
        if (row != any_row) bits &= lane_bits(hn::RebindMask(d, hn::Eq(hn::LoadU(du, run.rows + k), wanted)));
        if (end - k < hn::Lanes(d)) bits &= (1u << (end - k)) - 1;
        const std::uint32_t unsure = bits & lane_bits(equal);
        for (; bits; bits &= bits - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(bits));
            const auto position = static_cast<std::uint32_t>(k) + lane;
            found[count] = position;
            count += !((unsure >> lane) & 1u) || run.boxes[run.ids[position]].overlaps(*box.exact);
        }
    }
    return count;
}

} // namespace fathom::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom {

HWY_EXPORT(scan_run);

std::size_t scan(const BoxRun& run, const ScanBox& box, std::uint32_t row, std::size_t begin, std::size_t end,
                 std::uint32_t* found) {
    return HWY_DYNAMIC_DISPATCH(scan_run)(run, box, row, begin, end, found);
}

} // namespace fathom
#endif
