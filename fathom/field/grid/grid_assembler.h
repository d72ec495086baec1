// Puts a grid field together from sampled bricks: stitches borders, encodes, and builds the pyramid.
// Bricks are independent of each other: any order, any thread, or any machine gives the same bytes.
#pragma once

#include <fathom/field/grid/grid_data.h>
#include <fathom/field/grid/grid_field.h>

#include <memory>
#include <span>
#include <vector>

namespace fathom {

// A grid seen as one uniform lattice of samples, whichever bricks are stored: each sample has one owner
// and so one value, and what is built on the lattice agrees across bricks to the bit.

// The samples of a brick position as that brick alone sees them, stored or not.
class BrickReader {
public:
    BrickReader(const GridData& data, const std::array<int, 3>& brick);

    [[nodiscard]] double operator()(const std::array<int, 3>& sample) const { // each 0 to brick_cells
        if (stored_ == no_index) return corners_.value(Vec3(sample[0], sample[1], sample[2]) / brick_cells);
        return stored_value(data_, stored_, brick_sample(sample[0], sample[1], sample[2]));
    }

private:
    const GridData& data_;
    Index stored_;
    GridCell corners_{};
};

// The most by which a brick and its neighbour on one side (-1 or 1) disagree on their common face (m); 0 on the border
// of the grid.
[[nodiscard]] double face_jump(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int side);

// The value of a sample, counted in cells from the origin and clamped to the grid; interpolated where its brick is
// absent.
[[nodiscard]] double lattice_value(const GridData& data, std::array<int, 3> sample);

// All samples of a brick position, those on its upper border from their owners.
void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out);

// The 3 x 3 x 3 samples from `first` on, x fastest.
void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out);

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
