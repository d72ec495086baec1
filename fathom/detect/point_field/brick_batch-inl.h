// Batch of paths, each in a brick: the time interval in the brick and the boxes of cells that contain the path, in
// loops that the compiler vectorizes. Times have the same bits as clip() (grid_traversal-inl.h); boxes only need to
// contain the path.
#if defined(FATHOM_DETECT_BRICK_BATCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FATHOM_DETECT_BRICK_BATCH_INL_H
#undef FATHOM_DETECT_BRICK_BATCH_INL_H
#else
#define FATHOM_DETECT_BRICK_BATCH_INL_H
#endif

#include <fathom/detect/point_field/grid_traversal-inl.h>

HWY_BEFORE_NAMESPACE();
namespace fathom::point_field::HWY_NAMESPACE {

template <std::size_t Room>
class BrickBatch {
public:
    void clear() { size_ = 0; }

    // The path must move along every axis.
    HWY_INLINE void add(const GridPath& path, const BrickPosition& brick) {
        const std::size_t i = size_++;
        std::size_t axis = path.longest; // comes first, then the others in cyclic order
        for (std::size_t k = 0; k < 3; ++k, axis = next_axis[axis]) {
            start_[k][i] = path.start[axis];
            step_[k][i] = path.step[axis];
            inverse_[k][i] = path.inverse[axis];
            low_[k][i] = brick[axis] * brick_cells;
        }
        first_[i] = path.begin;
        last_[i] = path.end;
    }

    HWY_ATTR void analyze() {
        for (std::size_t k = 0; k < 3; ++k) clip_axis(k);
        for (std::size_t i = 0; i < size_; ++i) last_[i] = first_[i] < last_[i] ? last_[i] : first_[i];
        find_slices();
        find_boxes(1, u_.data(), u_slope_.data());
        find_boxes(2, v_.data(), v_slope_.data());
    }

    HWY_INLINE void result(std::size_t i, const std::array<std::uint32_t, 16>& held, Candidates& out) const {
        out.first = first_[i];
        out.last = last_[i];
        const auto slice = [](std::int32_t s) { return std::min(std::max(s, 0), brick_cells - 1); };
        SliceBoxes{slice(from_[i]), slice(to_[i]), u_[i], v_[i], u_slope_[i], v_slope_[i]}.intersect(held, out);
    }

private:
    using Column = std::array<double, Room>;
    using IntColumn = std::array<std::int32_t, Room>;

    HWY_ATTR HWY_INLINE void clip_axis(std::size_t k) {
        const double *HWY_RESTRICT start = start_[k].data(), *HWY_RESTRICT step = step_[k].data();
        const double *HWY_RESTRICT inverse = inverse_[k].data(), *HWY_RESTRICT low = low_[k].data();
        double *HWY_RESTRICT first = first_.data(), *HWY_RESTRICT last = last_.data();
        for (std::size_t i = 0; i < size_; ++i) {
            const double far = step[i] > 0 ? double{brick_cells} : 0.0, shift = -start[i] * inverse[i];
            const double in = (low[i] + (brick_cells - far)) * inverse[i] + shift,
                         out = (low[i] + far) * inverse[i] + shift;
            first[i] = first[i] < in ? in : first[i];
            last[i] = out < last[i] ? out : last[i];
        }
    }

    HWY_ATTR HWY_INLINE void find_slices() {
        const double *HWY_RESTRICT start = start_[0].data(), *HWY_RESTRICT step = step_[0].data(),
                                   *HWY_RESTRICT low = low_[0].data();
        const double *HWY_RESTRICT first = first_.data(), *HWY_RESTRICT last = last_.data();
        double* HWY_RESTRICT entry = entry_.data();
        std::int32_t *HWY_RESTRICT from = from_.data(), *HWY_RESTRICT to = to_.data();
        for (std::size_t i = 0; i < size_; ++i) {
            const double in = start[i] + first[i] * step[i] - low[i], out = start[i] + last[i] * step[i] - low[i];
            entry[i] = in;
            from[i] = static_cast<std::int32_t>((in < out ? in : out) - SliceBoxes::hair + 1) - 1;
            to[i] = static_cast<std::int32_t>((in < out ? out : in) + SliceBoxes::hair + 1) - 1;
        }
    }

    HWY_ATTR HWY_INLINE void find_boxes(std::size_t k, std::int32_t* HWY_RESTRICT at,
                                        std::int32_t* HWY_RESTRICT slope_out) {
        const double *HWY_RESTRICT start = start_[k].data(), *HWY_RESTRICT step = step_[k].data(),
                                   *HWY_RESTRICT low = low_[k].data();
        const double *HWY_RESTRICT inverse = inverse_[0].data(), *HWY_RESTRICT first = first_.data(),
                                   *HWY_RESTRICT entry = entry_.data();
        for (std::size_t i = 0; i < size_; ++i) {
            const double slope = step[i] * inverse[i], x = start[i] + first[i] * step[i] - low[i] - entry[i] * slope;
            const double some = x > -SliceBoxes::bound ? x : -SliceBoxes::bound,
                         bounded = some < SliceBoxes::bound ? some : SliceBoxes::bound;
            at[i] = static_cast<std::int32_t>(bounded * SliceBoxes::one);
            slope_out[i] = static_cast<std::int32_t>(slope * SliceBoxes::one);
        }
    }

    std::size_t size_ = 0;
    std::array<Column, 3> start_, step_, inverse_, low_;
    Column first_, last_, entry_;
    IntColumn from_, to_, u_, v_, u_slope_, v_slope_;
};

} // namespace fathom::point_field::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
