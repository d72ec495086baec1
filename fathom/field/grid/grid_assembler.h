// Puts a grid field together from sampled bricks: stitches borders, encodes, and builds the pyramid.
// Bricks are independent of each other: any order, any thread, or any machine gives the same bytes.
#pragma once

#include <fathom/field/grid/grid_data.h>

#include <memory>
#include <span>
#include <vector>

namespace fathom {

// What is known of the given samples.
struct SampleTruth {
    double error = 0; // |given sample - true distance| in stored bricks (m); infinity where the values are no distance
    double lipschitz = 1; // of the function that was sampled
    double far_error = 0; // of the corners elsewhere, where more than `error` (m)
};

class GridAssembler {
public:
    // `corners`: values at all brick corners. `stored`: for each brick position, whether it will be given by set().
    GridAssembler(const GridLayout& layout, GridStorage storage, std::vector<float> corners,
                  const std::vector<bool>& stored);
    ~GridAssembler();
    GridAssembler(GridAssembler&&) noexcept;

    // The 729 samples of one stored brick. Different bricks may be set from different threads at once.
    void set(std::size_t brick_index, std::span<const double, brick_size> samples);

    // All stored bricks have been set; every cell that comes within `band` metres of the surface lies in one of them.
    [[nodiscard]] GridData finish(double band, const SampleTruth& truth) &&;

private:
    struct Arrays;
    std::shared_ptr<Arrays> arrays_;
};

// Bytes that a field of this layout will hold with `stored` bricks; what finish() needs beyond them is small.
[[nodiscard]] std::size_t grid_bytes(const GridLayout& layout, GridStorage storage, std::size_t stored);

// Error{too_large} where that is more than `limit` bytes.
void refuse_past_limit(const GridLayout& layout, GridStorage storage, std::size_t stored, std::size_t limit);

} // namespace fathom
