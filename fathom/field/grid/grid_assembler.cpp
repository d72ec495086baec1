// Grid assembly: joining of borders, encoding, and the min/max pyramid.
#include <fathom/field/grid/grid_assembler.h>

#include <fathom/base/error.h>
#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/grid_range.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

// ---- Reading a grid as a uniform lattice.

BrickReader::BrickReader(const GridData& data, const std::array<int, 3>& brick)
    : data_(data), stored_(data.brick_of[data.layout.brick_index(brick)]) {
    if (stored_ == no_index) corners_.values = brick_corner_values(data, brick);
}

double face_jump(const GridData& data, const std::array<int, 3>& brick, std::size_t axis, int side) {
    std::array<int, 3> other = brick;
    other[axis] += side;
    if (other[axis] < 0 || other[axis] >= data.layout.bricks[axis]) return 0;
    const BrickReader mine(data, brick), theirs(data, other);
    double most = 0;
    for (int n = 0; n < brick_samples * brick_samples; ++n) {
        std::array<int, 3> s;
        s[(axis + 1) % 3] = n % brick_samples;
        s[(axis + 2) % 3] = n / brick_samples;
        s[axis] = side < 0 ? 0 : brick_cells;
        const double here = mine(s);
        s[axis] = brick_cells - s[axis];
        most = std::max(most, std::abs(here - theirs(s)));
    }
    return most;
}

double lattice_value(const GridData& data, std::array<int, 3> sample) {
    std::array<int, 3> brick;
    for (std::size_t k = 0; k < 3; ++k) {
        sample[k] = std::clamp(sample[k], 0, data.layout.bricks[k] * brick_cells);
        brick[k] = std::min(sample[k] / brick_cells, data.layout.bricks[k] - 1);
        sample[k] -= brick[k] * brick_cells;
    }
    return BrickReader(data, brick)(sample);
}

void read_lattice(const GridData& data, const std::array<int, 3>& brick, std::span<double, brick_size> out) {
    const BrickReader own(data, brick);
    std::size_t at = 0;
    for (int k = 0; k <= brick_cells; ++k)
        for (int j = 0; j <= brick_cells; ++j)
            for (int i = 0; i <= brick_cells; ++i) {
                const bool foreign = i == brick_cells || j == brick_cells || k == brick_cells;
                out[at++] = foreign ? lattice_value(data, {brick[0] * brick_cells + i, brick[1] * brick_cells + j,
                                                           brick[2] * brick_cells + k})
                                    : own({i, j, k});
            }
}

void read_lattice(const GridData& data, const std::array<int, 3>& first, std::span<double, 27> out) {
    std::array<int, 3> brick, local;
    bool within = true; // whether one brick owns all 27
    for (std::size_t k = 0; k < 3; ++k) {
        brick[k] = std::max(first[k], 0) / brick_cells;
        local[k] = first[k] - brick[k] * brick_cells;
        within = within && local[k] >= 0 && local[k] + 2 < brick_cells && brick[k] < data.layout.bricks[k];
    }
    if (within) {
        const BrickReader own(data, brick);
        for (int n = 0; n < 27; ++n)
            out[static_cast<std::size_t>(n)] = own({local[0] + n % 3, local[1] + n / 3 % 3, local[2] + n / 9});
    } else {
        for (int n = 0; n < 27; ++n)
            out[static_cast<std::size_t>(n)] =
                lattice_value(data, {first[0] + n % 3, first[1] + n / 3 % 3, first[2] + n / 9});
    }
}

namespace {

// The values of a brick span little more than its diagonal. Steeper samples may need more and are then clamped to the
// range of the codes; with a range of 24 cells this cannot happen for 1-Lipschitz samples. The change by clamping is
// part of the stated error.
constexpr double lattice_reach = 24; // cells
constexpr double last_base = 2e9;    // in codes; bases are 32-bit numbers

FloatRange range_of_values(double low, double high) { return {float_down(low), float_up(high)}; }

double largest(const std::vector<float>& list) {
    double most = 0;
    for (const float x : list) most = std::max(most, std::abs(static_cast<double>(x)));
    return most;
}

FloatRange joined(const FloatRange& a, const FloatRange& b) {
    return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

} // namespace

struct GridAssembler::Arrays {
    GridLayout layout;
    GridStorage storage;
    double step = 0;
    std::vector<float> corners;
    std::vector<Index> brick_of;
    std::vector<std::int32_t> bases;
    std::vector<std::uint16_t> codes;
    std::vector<float> values;
    std::vector<FloatRange> block_ranges;
    std::vector<std::vector<FloatRange>> levels;
    std::vector<float> max_slopes; // per stored brick: bound on the slope
    std::vector<float> stitching;  // per stored brick: largest change of a border sample
    std::vector<float> rounding;   // per stored brick: largest change by encoding

    [[nodiscard]] bool is_stored(std::array<int, 3> p, int dx, int dy, int dz) const {
        p = {p[0] + dx, p[1] + dy, p[2] + dz};
        for (std::size_t k = 0; k < 3; ++k)
            if (p[k] < 0 || p[k] >= layout.bricks[k]) return true; // nothing to match outside the grid
        return brick_of[layout.brick_index(p)] != no_index;
    }

    void stitch(const std::array<int, 3>& position, std::span<double, brick_size> samples, Index stored);
    void encode(std::span<double, brick_size> samples, Index stored);
    void measure(std::span<const double, brick_size> samples, Index stored);
    void build_levels();
    [[nodiscard]] FloatRange brick_range(const std::array<int, 3>& p) const;
    [[nodiscard]] double max_far_slope() const;
    [[nodiscard]] GridData view() const;
};

GridAssembler::GridAssembler(const GridLayout& layout, GridStorage storage, std::vector<float> corners,
                             const std::vector<bool>& stored)
    : arrays_(std::make_shared<Arrays>()) {
    Arrays& a = *arrays_;
    a.layout = layout;
    a.storage = storage;
    a.corners = std::move(corners);
    a.brick_of.assign(layout.brick_count(), no_index);
    Index count = 0;
    for (std::size_t b = 0; b < stored.size(); ++b)
        if (stored[b]) a.brick_of[b] = count++;
    const std::size_t bricks = count;
    if (storage == GridStorage::code16) {
        a.step = lattice_reach * layout.cell / 65535;
        a.codes.resize(bricks * brick_size);
        a.bases.resize(bricks);
    } else {
        a.values.resize(bricks * brick_size);
    }
    a.block_ranges.resize(bricks * 8);
    a.max_slopes.resize(bricks);
    a.stitching.resize(bricks);
    a.rounding.resize(bricks);
}

GridAssembler::~GridAssembler() = default;
GridAssembler::GridAssembler(GridAssembler&&) noexcept = default;

void GridAssembler::set(std::size_t brick_index, std::span<const double, brick_size> samples) {
    std::array<double, brick_size> copy;
    std::copy(samples.begin(), samples.end(), copy.begin());
    Arrays& a = *arrays_;
    const Index stored = a.brick_of[brick_index];
    a.stitch(a.layout.brick_position(brick_index), copy, stored);
    a.encode(copy, stored);
    a.measure(copy, stored);
}

namespace {

double weighted_corners(const std::array<double, 8>& corner, double x, double y, double z) {
    double value = 0;
    for (std::size_t v = 0; v < 8; ++v)
        value += corner[v] * ((v & 1) ? x : 1 - x) * ((v & 2) ? y : 1 - y) * ((v & 4) ? z : 1 - z);
    return value;
}

// Index of a block in a level of the pyramid.
std::size_t block_index(const std::array<int, 3>& size, int x, int y, int z) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size[0]) +
           static_cast<std::size_t>(x);
}

} // namespace

// Samples on a face, edge or corner that the brick shares with a brick that is not stored get the value interpolated
// between brick corners.
void GridAssembler::Arrays::stitch(const std::array<int, 3>& position, std::span<double, brick_size> samples,
                                   Index stored) {
    const std::array<double, 8> corner = [&] {
        GridData data;
        data.layout = layout;
        data.corners = corners;
        return brick_corner_values(data, position);
    }();
    std::array<bool, 27>
        absent{}; // neighbours that are not stored; the index has the digits (offset + 1) to the base 3
    for (int d = 0; d < 27; ++d)
        absent[static_cast<std::size_t>(d)] = !is_stored(position, d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
    const auto border = [](int i) { return i == 0 ? -1 : i == brick_cells ? 1 : 0; };
    // Whether the sample belongs to a neighbour that is not stored. Brick corners always agree with the corner array.
    const auto must_follow = [&](int di, int dj, int dk) {
        bool follows = di != 0 && dj != 0 && dk != 0;
        for (unsigned axes = 1; axes < 8; ++axes) {
            const int a = axes & 1 ? di : 0, b = axes & 2 ? dj : 0, c = axes & 4 ? dk : 0;
            const int neighbour = (a + 1) + 3 * (b + 1) + 9 * (c + 1);
            follows = follows || absent[static_cast<std::size_t>(neighbour)];
        }
        return follows;
    };
    double largest = 0;
    for (int k = 0; k <= brick_cells; ++k)
        for (int j = 0; j <= brick_cells; ++j)
            for (int i = 0; i <= brick_cells; ++i) {
                const int di = border(i), dj = border(j), dk = border(k);
                if (di == 0 && dj == 0 && dk == 0) continue;
                if (!must_follow(di, dj, dk)) continue;
                const double value = weighted_corners(corner, i / 8.0, j / 8.0, k / 8.0);
                double& sample = samples[brick_sample(i, j, k)];
                largest = std::max(largest, std::abs(sample - value));
                sample = value;
            }
    stitching[stored] = float_up(largest);
}

// Rounds the samples to the stored values, so that the following steps use the field as it will be evaluated.
void GridAssembler::Arrays::encode(std::span<double, brick_size> samples, Index stored) {
    const std::size_t first = stored * brick_size;
    double largest = 0;
    const auto replace = [&](std::size_t s, double value) {
        largest = std::max(largest, std::abs(samples[s] - value));
        samples[s] = value;
    };
    if (storage == GridStorage::float32) {
        for (std::size_t s = 0; s < brick_size; ++s) {
            values[first + s] = static_cast<float>(samples[s]);
            replace(s, static_cast<double>(values[first + s]));
        }
    } else {
        const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
        // Centred, so that the range of codes is used evenly if a brick is too steep for it.
        const double middle = std::clamp(std::round(0.5 * (*low + *high) / step), -last_base, last_base);
        const std::int32_t base = static_cast<std::int32_t>(middle) - 32768;
        bases[stored] = base;
        for (std::size_t s = 0; s < brick_size; ++s) {
            const double code = std::clamp(std::round(samples[s] / step) - base, 0.0, 65535.0);
            codes[first + s] = static_cast<std::uint16_t>(code);
            replace(s, step * (base + codes[first + s]));
        }
    }
    rounding[stored] = float_up(largest);
}

void GridAssembler::Arrays::measure(std::span<const double, brick_size> samples, Index stored) {
    for (int block = 0; block < 8; ++block) {
        double low = samples[0], high = samples[0];
        bool first = true;
        for (int k = 0; k <= 4; ++k)
            for (int j = 0; j <= 4; ++j)
                for (int i = 0; i <= 4; ++i) {
                    const double v =
                        samples[brick_sample(i + 4 * (block & 1), j + 4 * (block >> 1 & 1), k + 4 * (block >> 2))];
                    low = first ? v : std::min(low, v);
                    high = first ? v : std::max(high, v);
                    first = false;
                }
        block_ranges[std::size_t{stored} * 8 + static_cast<std::size_t>(block)] = range_of_values(low, high);
    }
    // The slope of a trilinear cell along an axis is at most that of its steepest edge along it.
    Vec3 steep = Vec3::Zero();
    constexpr std::array<std::size_t, 3> stride = {1, brick_samples, brick_samples * brick_samples};
    for (int k = 0; k <= brick_cells; ++k)
        for (int j = 0; j <= brick_cells; ++j)
            for (int i = 0; i <= brick_cells; ++i) {
                const std::size_t s = brick_sample(i, j, k);
                const std::array<int, 3> at = {i, j, k};
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (at[axis] < brick_cells) {
                        double& most = steep[static_cast<Eigen::Index>(axis)];
                        most = std::max(most, std::abs(samples[s + stride[axis]] - samples[s]));
                    }
            }
    max_slopes[stored] = float_up(steep.norm() / layout.cell);
}

FloatRange GridAssembler::Arrays::brick_range(const std::array<int, 3>& p) const {
    const Index stored = brick_of[layout.brick_index(p)];
    if (stored != no_index) {
        FloatRange all = block_ranges[std::size_t{stored} * 8];
        for (std::size_t k = 1; k < 8; ++k) all = joined(all, block_ranges[std::size_t{stored} * 8 + k]);
        return all;
    }
    GridData data;
    data.layout = layout;
    data.corners = corners;
    const std::array<double, 8> c = brick_corner_values(data, p);
    const auto [low, high] = std::minmax_element(c.begin(), c.end());
    return range_of_values(*low, *high);
}

void GridAssembler::Arrays::build_levels() {
    levels.resize(static_cast<std::size_t>(level_count(layout)));
    std::array<int, 3> below = layout.bricks;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        std::array<int, 3> size;
        for (std::size_t k = 0; k < 3; ++k) size[k] = blocks_along(layout.bricks[k], static_cast<int>(l));
        levels[l].resize(block_index(size, 0, 0, size[2]));
        const auto range_below = [&](int x, int y, int z) {
            FloatRange all{HUGE_VALF, -HUGE_VALF};
            for (int c = 0; c < 8; ++c) {
                const std::array<int, 3> p = {2 * x + (c & 1), 2 * y + (c >> 1 & 1), 2 * z + (c >> 2)};
                if (p[0] >= below[0] || p[1] >= below[1] || p[2] >= below[2]) continue;
                all = joined(all, l == 0 ? brick_range(p) : levels[l - 1][block_index(below, p[0], p[1], p[2])]);
            }
            return all;
        };
        parallel_for(static_cast<std::size_t>(size[2]), 1, [&](std::size_t begin, std::size_t end) {
            for (int z = static_cast<int>(begin); z < static_cast<int>(end); ++z)
                for (int y = 0; y < size[1]; ++y)
                    for (int x = 0; x < size[0]; ++x) levels[l][block_index(size, x, y, z)] = range_below(x, y, z);
        });
        below = size;
    }
}

double GridAssembler::Arrays::max_far_slope() const {
    GridData data;
    data.layout = layout;
    data.corners = corners;
    return parallel_reduce(
        layout.brick_count(), 4096, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double most = 0;
            for (std::size_t b = begin; b < end; ++b) {
                if (brick_of[b] != no_index) continue;
                const std::array<double, 8> c = brick_corner_values(data, layout.brick_position(b));
                Vec3 steep = Vec3::Zero();
                for (std::size_t v = 0; v < 8; ++v)
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        if (!(v >> axis & 1)) {
                            double& s = steep[static_cast<Eigen::Index>(axis)];
                            s = std::max(s, std::abs(c[v | std::size_t{1} << axis] - c[v]));
                        }
                most = std::max(most, steep.norm() / (brick_cells * layout.cell));
            }
            return most;
        },
        [](double a, double b) { return std::max(a, b); });
}

GridData GridAssembler::Arrays::view() const {
    GridData data;
    data.layout = layout;
    data.storage = storage;
    data.step = step;
    data.corners = corners;
    data.brick_of = brick_of;
    data.bases = bases;
    data.codes = codes;
    data.values = values;
    data.block_ranges = block_ranges;
    data.levels.assign(levels.begin(), levels.end());
    return data;
}

GridData GridAssembler::finish(double band, const SampleTruth& truth) && {
    Arrays& a = *arrays_;
    a.build_levels();
    GridData data = a.view();
    data.band = band;
    data.lipschitz = std::max(largest(a.max_slopes), a.max_far_slope()) * (1 + 1e-6);
    // Interpolation of a function with weights w_i has an error of at most lipschitz * sum w_i |p - x_i| <= sqrt(3)/2
    // sides.
    const double half_diagonal = 0.5 * std::sqrt(3.0) * a.layout.cell * truth.lipschitz;
    const double float_rounding = 1e-7 * largest(a.corners);
    const double rounding = largest(a.rounding);
    // If all bricks are stored, nothing is interpolated between brick corners.
    const bool dense = a.stitching.size() == a.layout.brick_count();
    const double far = dense ? 0 : brick_cells * half_diagonal + float_rounding,
                 transition = half_diagonal + largest(a.stitching) + rounding;
    data.near_error = half_diagonal + rounding + truth.error;
    data.far_error = std::max(far, transition) + std::max(truth.error, truth.far_error);
    data.owner = arrays_;
    a.max_slopes = {};
    a.stitching = {};
    a.rounding = {};
    return data;
}

std::size_t grid_bytes(const GridLayout& layout, GridStorage storage, std::size_t stored) {
    const std::size_t sample_bytes = storage == GridStorage::code16 ? 2 : 4;
    std::size_t bytes = layout.corner_count() * sizeof(float) + layout.brick_count() * sizeof(Index);
    bytes += stored * (brick_size * sample_bytes + 8 * sizeof(FloatRange) + sizeof(std::int32_t));
    return bytes + layout.brick_count() / 7 * sizeof(FloatRange) + 1024;
}

void refuse_past_limit(const GridLayout& layout, GridStorage storage, std::size_t stored, std::size_t limit) {
    const std::size_t bytes = grid_bytes(layout, storage, stored);
    if (bytes > limit)
        throw Error(Cause::too_large,
                    fmt::format("the field would take {} MB, more than the limit of {} MB", bytes >> 20, limit >> 20));
}

} // namespace fathom
