// Assembles a grid field from sampled bricks: joins borders, encodes samples, and builds the pyramid.
// Bricks are independent of each other: any order, any thread and any machine gives the same bytes.
#pragma once

#include <fathom/field/grid/grid_data.h>
#include <fathom/field/grid/grid_field.h>

#include <memory>
#include <span>
#include <vector>

namespace fathom {

// ---- A grid as one uniform lattice of samples, whichever bricks are stored. Each sample has one owning brick and
// hence one value, so results computed on the lattice agree across bricks to the bit.

// Samples of a brick position from that brick alone, stored or not.
class BrickReader {
public:
    BrickReader(const GridData& data, const std::array<int, 3>& brick);

    // Each index is 0 to brick_cells.
    [[nodiscard]] double operator()(const std::array<int, 3>& sample) const {
        if (stored_ == no_index) return corners_.value(Vec3(sample[0], sample[1], sample[2]) / brick_cells);
        return stored_value(data_, stored_, brick_sample(sample[0], sample[1], sample[2]));
    }

private:
    const GridData& data_;
    Index stored_;
    GridCell corners_{};
};

// Largest difference between a brick and its neighbour on one side (-1 or 1) over their common face (m); 0 on the
// border of the grid.
[[nodiscard]] double face_jump(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int side);

// Value of a sample, counted in cells from the origin and clamped to the grid; interpolated if its brick is not stored.
[[nodiscard]] double lattice_value(const GridData& data, std::array<int, 3> sample);

// All samples of a brick position; those on its upper border come from their owners.
void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out);

// The 3 x 3 x 3 samples starting at `first`, x fastest.
void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out);

// Known accuracy of the given samples.
struct SampleTruth {
    // |given sample - true distance| in stored bricks (m); infinity if the values are not a distance.
    double error = 0;
    double lipschitz = 1; // of the sampled function
    double far_error = 0; // error of the corners outside stored bricks, if larger than `error` (m)
};

class GridAssembler {
public:
    // `corners`: values at all brick corners. `stored`: for each brick position, whether set() will provide it.
    GridAssembler(const GridLayout& layout, GridStorage storage, std::vector<float> corners,
                  const std::vector<bool>& stored);
    ~GridAssembler();
    GridAssembler(GridAssembler&&) noexcept;

    // Sets the 729 samples of one stored brick. Different bricks may be set from different threads at once.
    void set(std::size_t brick_index, std::span<const double, brick_size> samples);

    // Requires that all stored bricks have been set and that every cell within `band` metres of the surface lies in one
    // of them.
    [[nodiscard]] GridData finish(double band, const SampleTruth& truth) &&;

private:
    struct Arrays;
    std::shared_ptr<Arrays> arrays_;
};

// Bytes of a field of this layout with `stored` bricks; finish() needs little more than this.
[[nodiscard]] std::size_t grid_bytes(const GridLayout& layout, GridStorage storage, std::size_t stored);

// Throws Error{too_large} if that is more than `limit` bytes.
void refuse_past_limit(const GridLayout& layout, GridStorage storage, std::size_t stored, std::size_t limit);

} // namespace fathom
