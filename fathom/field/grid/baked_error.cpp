// A grid against the ranges of the field it was made from.
#include <fathom/field/grid/baked_error.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/grid_range.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

constexpr int most_halvings = 4;

class BrickCheck {
public:
    BrickCheck(const GridField& grid, const Field& field, const BakedErrorOptions& options)
        : grid_(grid), field_(field), halvings_(options.halvings), band_(options.band * grid.layout().cell),
          enough_(options.enough * grid.layout().cell) {}

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
        GridCell cell; // that it is a piece of; its box may round
        Vec3 lower;    // in the cell, 0 to 1
        double side;   // of the cell's
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

    // A trilinear piece has its extremes at its corners.
    static Interval values_of(const Piece& piece) {
        Interval values = Interval::none();
        for (int c = 0; c < 8; ++c)
            values =
                hull(values, Interval(piece.cell.value(piece.lower + piece.side * Vec3(c & 1, c >> 1 & 1, c >> 2))));
        return widened(values, 8);
    }
    [[nodiscard]] Box box_of(const Piece& piece) const { // a little more: rounding leaves no gap between pieces
        const double side = grid_.layout().cell;
        const Vec3 from = piece.cell.box.lower + side * piece.lower;
        return Box{from, from.array() + side * piece.side}.grown(1e-12 * side);
    }

    // What is too far off is left in pieces_, halved, where that is still allowed.
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
            if (halve && !(off <= enough_))
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
    double band_, enough_; // m
    std::vector<Piece> pieces_, halved_;
    std::vector<Box> boxes_;
    std::vector<Interval> ranges_;
};

BakedError joined(const BakedError& a, const BakedError& b) {
    return {std::max(a.largest, b.largest), a.cells + b.cells, a.unsure + b.unsure};
}

} // namespace

BakedError baked_error(const GridField& grid, const Field& field, const BakedErrorOptions& options) {
    if (options.halvings < 0 || options.halvings > most_halvings)
        throw Error(Cause::invalid_argument, "must be from 0 to 4", {.element = "option halvings"});
    if (!(options.enough >= 0))
        throw Error(Cause::invalid_argument, "must not be below 0", {.element = "option enough"});
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
