// Baking of any field into a grid, and the certified error of the result.
#include <fathom/field/grid/bake.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/field/grid/grid_assembler.h>
#include <fathom/field/grid/grid_range.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

constexpr int largest_resolution = 16384;
// Bricks whose corners differ by more than this may exceed the range of 16-bit samples (cells).
constexpr double largest_code_span = 16;

Box covered_box(const Field& field, const BakeOptions& options) {
    if (!options.box.empty()) return options.box;
    const Box bounds = field.bounds();
    if (bounds.empty() || !is_finite(bounds.lower) || !is_finite(bounds.upper))
        throw Error(Cause::invalid_argument, "the field has no finite bounds, so a box must be given",
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

// Bricks to store: a cell within the band has all its samples in stored bricks.
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

// Largest difference between the corners of a brick.
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

// Outside its domain a field returns a lower bound, whose error is unbounded.
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
        throw Error(Cause::invalid_argument, "must be finite and have a positive size", {.element = "option box"});
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
    // The error by clamped codes is part of the stated error; if no error can be stated, nothing may be clamped.
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

// ---- Comparison of a grid with the ranges of the field from which it was baked.

namespace {

constexpr int max_halvings = 4;

class BrickCheck {
public:
    BrickCheck(const GridField& grid, const Field& field, const BakedErrorOptions& options)
        : grid_(grid), field_(field), halvings_(options.halvings), band_(options.band * grid.layout().cell),
          tolerance_(options.tolerance * grid.layout().cell) {}

    [[nodiscard]] BakedError of_brick(const std::array<int, 3>& brick, Index stored) {
        BakedError error;
        for (int k = 0; k < brick_cells; ++k)
            for (int j = 0; j < brick_cells; ++j) {
                pieces_.clear();
                for (int i = 0; i < brick_cells; ++i) take_cell(brick, {i, j, k}, stored, error);
                for (int halving = 0; !pieces_.empty(); ++halving) compare(halving < halvings_, error);
            }
        return error;
    }

private:
    struct Piece {
        GridCell cell; // cell that contains the piece; its box may be rounded
        Vec3 lower;    // lower corner in the cell, 0 to 1
        double side;   // fraction of the cell's side
        bool near;
    };

    void take_cell(const std::array<int, 3>& brick, const std::array<int, 3>& cell, Index stored, BakedError& error) {
        GridCell corners{stored_cell_values(grid_.data(), stored, cell), {}};
        const auto [least, most] = std::minmax_element(corners.values.begin(), corners.values.end());
        const bool near = *least <= band_ && *most >= -band_;
        std::array<int, 3> first;
        for (std::size_t a = 0; a < 3; ++a) first[a] = brick[a] * brick_cells + cell[a];
        corners.box.lower = grid_.layout().sample_position(first);
        corners.box.upper = corners.box.lower.array() + grid_.layout().cell;
        pieces_.push_back({corners, Vec3::Zero(), 1, near});
        error.cells += near;
    }

    // A trilinear function on a piece has its extrema at the corners.
    static Interval values_of(const Piece& piece) {
        Interval values = Interval::none();
        for (int c = 0; c < 8; ++c)
            values =
                hull(values, Interval(piece.cell.value(piece.lower + piece.side * Vec3(c & 1, c >> 1 & 1, c >> 2))));
        return widened(values, 8);
    }
    // Slightly enlarged, so that rounding leaves no gap between pieces.
    [[nodiscard]] Box box_of(const Piece& piece) const {
        const double side = grid_.layout().cell;
        const Vec3 from = piece.cell.box.lower + side * piece.lower;
        return Box{from, from.array() + side * piece.side}.grown(relative_rounding * side +
                                                                 position_rounding(from.cwiseAbs().maxCoeff()));
    }

    // Pieces with a large bound stay in pieces_, halved, if further halving is allowed.
    void compare(bool halve, BakedError& error) {
        boxes_.clear();
        for (const Piece& piece : pieces_) boxes_.push_back(box_of(piece));
        ranges_.resize(boxes_.size());
        field_.ranges(boxes_, ranges_);
        halved_.clear();
        for (std::size_t n = 0; n < pieces_.size(); ++n) {
            const Interval g = values_of(pieces_[n]), f = ranges_[n];
            if (!pieces_[n].near) {
                error.unsure += g.lower > 0 ? !(f.lower > 0) : !(f.upper < 0);
                continue;
            }
            const double off = std::max(f.upper - g.lower, g.upper - f.lower);
            if (halve && !(off <= tolerance_))
                split(pieces_[n]);
            else
                error.largest = std::max(error.largest, off);
        }
        pieces_.swap(halved_);
    }
    void split(const Piece& piece) {
        for (int c = 0; c < 8; ++c) {
            Piece part = piece;
            part.side *= 0.5;
            part.lower += part.side * Vec3(c & 1, c >> 1 & 1, c >> 2);
            halved_.push_back(part);
        }
    }

    const GridField& grid_;
    const Field& field_;
    int halvings_;
    double band_, tolerance_; // m
    std::vector<Piece> pieces_, halved_;
    std::vector<Box> boxes_;
    std::vector<Interval> ranges_;
};

BakedError joined(const BakedError& a, const BakedError& b) {
    return {std::max(a.largest, b.largest), a.cells + b.cells, a.unsure + b.unsure};
}

} // namespace

BakedError baked_error(const GridField& grid, const Field& field, const BakedErrorOptions& options) {
    if (options.halvings < 0 || options.halvings > max_halvings)
        throw Error(Cause::invalid_argument, "must be from 0 to 4", {.element = "option halvings"});
    if (!(options.tolerance >= 0))
        throw Error(Cause::invalid_argument, "must not be negative", {.element = "option tolerance"});
    if (!(options.band > 0) || !std::isfinite(options.band))
        throw Error(Cause::invalid_argument, "must be a positive number", {.element = "option band"});
    const GridLayout& layout = grid.layout();
    Stage stage(options.progress, "comparing with the field", layout.brick_count());
    return parallel_reduce(
        layout.brick_count(), 16, BakedError{},
        [&](std::size_t begin, std::size_t end) {
            BrickCheck check(grid, field, options);
            BakedError sum;
            for (std::size_t b = begin; b < end; ++b)
                if (const Index stored = grid.data().brick_of[b]; stored != no_index)
                    sum = joined(sum, check.of_brick(layout.brick_position(b), stored));
            stage.step(end - begin);
            return sum;
        },
        joined);
}

} // namespace fathom
