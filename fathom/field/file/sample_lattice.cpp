// Conversion of sample lattices into bricks, and back.
#include <fathom/field/file/sample_lattice.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/grid_assembler.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fathom {

namespace {

GridLayout layout_of(const StatedLattice& lattice, const Place& place) {
    GridLayout layout;
    layout.origin = lattice.origin;
    layout.cell = lattice.cell;
    for (std::size_t k = 0; k < 3; ++k) {
        if (lattice.counts[k] < 2)
            throw Error(Cause::unsupported, "a grid needs at least two samples along each axis", place);
        const std::uint64_t bricks = (lattice.counts[k] - 2) / brick_cells + 1;
        if (bricks > max_bricks_along)
            throw Error(Cause::too_large, fmt::format("{} samples along an axis are too many", lattice.counts[k]),
                        place);
        layout.bricks[k] = static_cast<int>(bricks);
    }
    static_cast<void>(counts_of(layout, 0, std::numeric_limits<std::size_t>::max(), place)); // finite, and no overflow
    return layout;
}

// Peak memory for reading in bytes: the samples, the grid, and two numbers per brick.
std::size_t bytes_needed(const StatedLattice& lattice, const GridLayout& layout, GridStorage storage) {
    const std::size_t samples = lattice.counts[0] * lattice.counts[1] * lattice.counts[2];
    return samples * sizeof(float) + grid_bytes(layout, storage, layout.brick_count()) +
           layout.brick_count() * 2 * sizeof(float);
}

} // namespace

double cubic_cell(const Vec3& spacing, const Place& place) {
    const double cell = spacing.x();
    if (!is_finite(spacing) || !(spacing.minCoeff() > 0) || (spacing.array() - cell).abs().maxCoeff() > 1e-6 * cell)
        throw Error(Cause::unsupported,
                    fmt::format("cells of {} x {} x {} are not cubes", spacing.x(), spacing.y(), spacing.z()), place);
    return cell;
}

void check_reach(std::span<const double, brick_size> samples, double cell, GridStorage storage, const Place& place) {
    if (storage != GridStorage::code16) return;
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
    if (*high - *low > 23 * cell || std::max(-*low, *high) > 1e5 * cell)
        throw Error(Cause::unsupported, "the samples are too steep for 16-bit codes; use float32", place);
}

LatticeBuilder::LatticeBuilder(const StatedLattice& lattice, const Source& source, const GridReadOptions& options,
                               std::size_t extra)
    : source_(source), options_(options), layout_(layout_of(lattice, {.file = source.name, .element = "lattice"})) {
    if (!(options.error >= 0) || !(options.lipschitz >= 0))
        throw Error(Cause::invalid_argument, "must not be negative", {.element = "option error or lipschitz"});
    // A sample needs more than its own 4 bytes below; this check alone prevents overflow of the sums.
    const std::size_t limit = memory_limit(options, source.bytes.size());
    const bool countable =
        layout_.brick_count() < limit && lattice.counts[0] * lattice.counts[1] < limit / lattice.counts[2];
    if (!countable || extra > limit || bytes_needed(lattice, layout_, options.storage) > limit - extra)
        throw Error(Cause::too_large,
                    fmt::format("a grid of {} x {} x {} samples takes more memory than the limit of {} MB",
                                lattice.counts[0], lattice.counts[1], lattice.counts[2], limit >> 20),
                    {.file = source.name});
    for (std::size_t k = 0; k < 3; ++k) counts_[k] = static_cast<int>(lattice.counts[k]);
    samples_.resize(lattice.counts[0] * lattice.counts[1] * lattice.counts[2]);
}

void LatticeBuilder::refuse(std::size_t index, double value) const {
    const bool finite = std::isfinite(value);
    throw Error(finite ? Cause::too_large : Cause::non_finite,
                finite ? fmt::format("{} exceeds the largest float", value) : "not a finite number",
                {.file = source_.name, .element = "sample", .index = static_cast<std::int64_t>(index)});
}

bool LatticeBuilder::is_padded() const {
    return layout_.cells(0) + 1 != counts_[0] || layout_.cells(1) + 1 != counts_[1] ||
           layout_.cells(2) + 1 != counts_[2];
}

// Beyond the last samples, the value that GridField returns outside its domain.
double LatticeBuilder::value_at(const std::array<int, 3>& sample) const {
    std::array<int, 3> nearest;
    Vec3 gap;
    for (std::size_t k = 0; k < 3; ++k) {
        nearest[k] = std::min(sample[k], counts_[k] - 1);
        gap[static_cast<Eigen::Index>(k)] = sample[k] - nearest[k];
    }
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const double value = static_cast<double>(
        samples_[(at(nearest[2]) * at(counts_[1]) + at(nearest[1])) * at(counts_[0]) + at(nearest[0])]);
    if (nearest == sample) return value;
    const double distance = layout_.cell * gap.norm();
    return std::min(value >= 0 ? std::hypot(distance, value) : value + distance,
                    static_cast<double>(std::numeric_limits<float>::max()));
}

// Between a sample and a point beyond it, neither the true distance nor the extended value changes by more than the
// gap.
double LatticeBuilder::padding_error() const {
    Vec3 gap;
    for (std::size_t k = 0; k < 3; ++k)
        gap[static_cast<Eigen::Index>(k)] = layout_.cells(static_cast<int>(k)) + 1 - counts_[k];
    return 2 * layout_.cell * gap.norm();
}

GridFile LatticeBuilder::finish(std::string format, std::vector<std::string> remarks) && {
    std::vector<float> corners(layout_.corner_count());
    for (std::size_t c = 0; c < corners.size(); ++c) {
        const auto p = layout_.corner_position(c);
        corners[c] = static_cast<float>(value_at({p[0] * brick_cells, p[1] * brick_cells, p[2] * brick_cells}));
    }
    GridAssembler assembler(layout_, options_.storage, std::move(corners),
                            std::vector<bool>(layout_.brick_count(), true));
    parallel_for(layout_.brick_count(), 16, [&](std::size_t begin, std::size_t end) {
        std::array<double, brick_size> samples;
        for (std::size_t b = begin; b < end; ++b) {
            const auto p = layout_.brick_position(b);
            for (int s = 0; s < static_cast<int>(brick_size); ++s)
                samples[static_cast<std::size_t>(s)] =
                    value_at({p[0] * brick_cells + s % 9, p[1] * brick_cells + s / 9 % 9, p[2] * brick_cells + s / 81});
            check_reach(samples, layout_.cell, options_.storage,
                        {.file = source_.name, .element = "brick", .index = static_cast<std::int64_t>(b)});
            assembler.set(b, samples);
        }
    });
    if (is_padded())
        remarks.push_back(fmt::format("{} x {} x {} samples were extended to {} x {} x {}, whole bricks of {} cells",
                                      counts_[0], counts_[1], counts_[2], layout_.cells(0) + 1, layout_.cells(1) + 1,
                                      layout_.cells(2) + 1, brick_cells));
    samples_ = {};
    // Every brick is stored, so the error bound of the band holds everywhere.
    const double everywhere = std::min(layout_.domain().diagonal(), std::numeric_limits<double>::max());
    GridData data = std::move(assembler).finish(
        everywhere, {options_.error + rounding_ + (is_padded() ? padding_error() : 0), options_.lipschitz});
    return {GridField(std::move(data)), std::move(format), {}, std::move(remarks)};
}

void for_each_slice(const GridData& data, CallableRef<void(std::span<const double>)> visit) {
    const GridLayout& layout = data.layout;
    const auto n = sample_counts(layout);
    const std::size_t slice = n[0] * n[1];
    const auto bricks_x = static_cast<std::size_t>(layout.bricks[0]),
               bricks_y = static_cast<std::size_t>(layout.bricks[1]);
    std::vector<double> slab(slice * brick_samples);
    for (int bz = 0; bz < layout.bricks[2]; ++bz) {
        parallel_for(bricks_x * bricks_y, 8, [&](std::size_t begin, std::size_t end) {
            std::array<double, brick_size> samples;
            for (std::size_t b = begin; b < end; ++b) {
                const std::size_t bx = b % bricks_x, by = b / bricks_x;
                read_lattice(data, {static_cast<int>(bx), static_cast<int>(by), bz}, samples);
                // The border belongs to the next brick, which writes the same values; only the last brick writes its
                // border here.
                const std::size_t nx = bx + 1 == bricks_x ? 9 : 8, ny = by + 1 == bricks_y ? 9 : 8;
                for (std::size_t k = 0; k < 9; ++k)
                    for (std::size_t j = 0; j < ny; ++j)
                        std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>((k * 9 + j) * 9), nx,
                                    slab.begin() +
                                        static_cast<std::ptrdiff_t>(k * slice + (by * 8 + j) * n[0] + bx * 8));
            }
        });
        const std::size_t count = bz + 1 == layout.bricks[2] ? 9 : 8;
        for (std::size_t k = 0; k < count; ++k) visit(std::span<const double>(slab).subspan(k * slice, slice));
    }
}

void write_samples(FileWriter& file, const GridData& data, bool doubles) {
    std::vector<float> rounded;
    for_each_slice(data, [&](std::span<const double> slice) {
        if (doubles) return file.write(std::as_bytes(slice));
        rounded.resize(slice.size());
        std::transform(slice.begin(), slice.end(), rounded.begin(), [](double v) { return static_cast<float>(v); });
        file.write(std::as_bytes(std::span(rounded)));
    });
}

} // namespace fathom
