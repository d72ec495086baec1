// Any field into a grid.
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/grid_assembler.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr int largest_resolution = 16384;
constexpr double largest_code_span =
    16; // cells: bricks whose corners differ by more may reach past what 16-bit samples can tell

Box covered_box(const Field& field, const BakeOptions& options) {
    if (!options.box.empty()) return options.box;
    const Box bounds = field.bounds();
    if (bounds.empty() || !is_finite(bounds.lower) || !is_finite(bounds.upper))
        throw Error(Cause::invalid_argument, "the field has no finite bounds: say which box to cover",
                    {.element = "option box"});
    return bounds.grown(0.05 * bounds.size().maxCoeff());
}

std::vector<float> sample_corners(const Field& field, const GridLayout& layout, Stage& stage) {
    std::vector<float> corners(layout.corner_count());
    parallel_for(corners.size(), 1024, [&](std::size_t begin, std::size_t end) {
        std::vector<Vec3> points;
        std::vector<double> values(end - begin);
        for (std::size_t c = begin; c < end; ++c) points.push_back(layout.brick_start(layout.corner_position(c)));
        field.distances(points, values);
        std::transform(values.begin(), values.end(), corners.begin() + static_cast<std::ptrdiff_t>(begin),
                       [](double v) { return static_cast<float>(v); });
        stage.step(end - begin);
    });
    return corners;
}

// A cell that comes within the band has all its samples in stored bricks.
std::vector<bool> bricks_near_surface(const Field& field, const GridLayout& layout, double band) {
    const double reach = band + std::sqrt(3.0) * layout.cell * std::min(field.lipschitz(), 10.0);
    std::vector<char> near(layout.brick_count());
    parallel_for(near.size(), 1024, [&](std::size_t begin, std::size_t end) {
        std::vector<Box> boxes;
        std::vector<Interval> ranges(end - begin);
        for (std::size_t b = begin; b < end; ++b) boxes.push_back(layout.brick_box(layout.brick_position(b)));
        field.ranges(boxes, ranges);
        for (std::size_t b = begin; b < end; ++b)
            near[b] = ranges[b - begin].lower <= reach && ranges[b - begin].upper >= -reach;
    });
    return {near.begin(), near.end()};
}

// The most by which the corners of a brick differ.
double span_of_bricks(const GridLayout& layout, std::span<const float> corners, std::span<const std::size_t> bricks) {
    float most = 0;
    for (const std::size_t b : bricks) {
        const std::array<int, 3> p = layout.brick_position(b);
        float least = HUGE_VALF, greatest = -HUGE_VALF;
        for (int c = 0; c < 8; ++c) {
            const float value = corners[layout.corner_index({p[0] + (c & 1), p[1] + (c >> 1 & 1), p[2] + (c >> 2)})];
            least = std::min(least, value);
            greatest = std::max(greatest, value);
        }
        most = std::max(most, greatest - least);
    }
    return static_cast<double>(most);
}

// Beyond its domain a field answers a lower bound, which may be off by anything.
SampleTruth truth_of(const Field& field, const GridLayout& layout, double band) {
    SampleTruth truth{field.error_bound(), field.lipschitz(), 0};
    const double reach = band + std::sqrt(3.0) * layout.cell;
    const Box known = field.domain().grown(1e-9 * layout.cell); // the layout is rounded
    if (!known.contains(intersection(field.bounds().grown(reach), layout.domain()))) truth.error = HUGE_VAL;
    if (!known.contains(layout.domain())) truth.far_error = HUGE_VAL;
    return truth;
}

} // namespace

GridLayout covering_layout(const Box& box, int resolution) {
    if (resolution < 1 || resolution > largest_resolution)
        throw Error(Cause::invalid_argument, fmt::format("must be from 1 to {}", largest_resolution),
                    {.element = "option resolution"});
    if (box.empty() || !is_finite(box.lower) || !is_finite(box.upper) || !(box.size().maxCoeff() > 0))
        throw Error(Cause::invalid_argument, "must be finite and have a size", {.element = "option box"});
    GridLayout layout;
    layout.cell = box.size().maxCoeff() / resolution;
    for (std::size_t k = 0; k < 3; ++k) {
        const double cells = std::ceil(box.size()[static_cast<Eigen::Index>(k)] / layout.cell - 1e-9);
        layout.bricks[k] = std::max(1, static_cast<int>((cells + brick_cells - 1) / brick_cells));
    }
    layout.origin = box.center() - 0.5 * layout.cell * layout.cell_counts();
    return layout;
}

GridField bake(const Field& field, const BakeOptions& options) {
    const GridLayout layout = covering_layout(covered_box(field, options), options.resolution);
    const double band = options.band * layout.cell;
    refuse_past_limit(layout, options.storage, options.dense ? layout.brick_count() : 0, options.memory_limit);
    Stage corner_stage(options.progress, "sampling corners", layout.corner_count());
    std::vector<float> corners = sample_corners(field, layout, corner_stage);
    const std::vector<bool> stored =
        options.dense ? std::vector<bool>(layout.brick_count(), true) : bricks_near_surface(field, layout, band);
    std::vector<std::size_t> bricks;
    for (std::size_t b = 0; b < stored.size(); ++b)
        if (stored[b]) bricks.push_back(b);
    // What codes clamp is part of the stated error; where none can be stated, nothing may be clamped.
    const bool steep = !std::isfinite(field.error_bound()) &&
                       span_of_bricks(layout, corners, bricks) > largest_code_span * layout.cell;
    const GridStorage storage = steep ? GridStorage::float32 : options.storage;
    refuse_past_limit(layout, storage, bricks.size(), options.memory_limit);

    GridAssembler assembler(layout, storage, std::move(corners), stored);
    Stage brick_stage(options.progress, "sampling bricks", bricks.size());
    parallel_for(bricks.size(), 4, [&](std::size_t begin, std::size_t end) {
        std::array<Vec3, brick_size> points;
        std::array<double, brick_size> values;
        for (std::size_t n = begin; n < end; ++n) {
            brick_positions(layout, layout.brick_position(bricks[n]), points);
            field.distances(points, values);
            assembler.set(bricks[n], values);
        }
        brick_stage.step(end - begin);
    });
    return GridField(std::move(assembler).finish(band, truth_of(field, layout, band)));
}

} // namespace fathom
