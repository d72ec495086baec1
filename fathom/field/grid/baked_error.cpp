// Room: field. A grid against the ranges of the field it was made from.
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
        : grid_(grid), field_(field), pieces_(1 << options.halvings), band_(options.band * grid.layout().cell) {}

    [[nodiscard]] BakedError of_brick(const std::array<int, 3>& brick, Index stored) {
        BakedError error;
        for (int k = 0; k < brick_cells; ++k)
            for (int j = 0; j < brick_cells; ++j) {
                row_.clear();
                boxes_.clear();
                for (int i = 0; i < brick_cells; ++i) take_cell(brick, {i, j, k}, stored);
                compare(error);
            }
        return error;
    }

private:
    struct Piece {
        Interval grid; // its values there
        bool near;
    };

    void take_cell(const std::array<int, 3>& brick, const std::array<int, 3>& cell, Index stored) {
        const GridCell corners{stored_cell_values(grid_.data(), stored, cell), {}};
        const auto [least, most] = std::minmax_element(corners.values.begin(), corners.values.end());
        const bool near = *least <= band_ && *most >= -band_;
        const int cut = near ? pieces_ : 1;
        std::array<int, 3> first;
        for (std::size_t a = 0; a < 3; ++a) first[a] = brick[a] * brick_cells + cell[a];
        const Vec3 lower = grid_.layout().sample_position(first);
        const double side = grid_.layout().cell / cut;
        for (int n = 0; n < cut * cut * cut; ++n) {
            const Vec3 at = Vec3(n % cut, n / cut % cut, n / (cut * cut));
            Interval values = Interval::none(); // a trilinear piece has its extremes at its corners
            for (int c = 0; c < 8; ++c) values = hull(values, Interval(corners.value((at + Vec3(c & 1, c >> 1 & 1, c >> 2)) / cut)));
            row_.push_back({widened(values, 8), near});
            const Vec3 from = lower + side * at;
            boxes_.push_back(Box{from, from.array() + side}.grown(1e-12 * side)); // rounding leaves no gap between pieces
        }
    }

    void compare(BakedError& error) {
        ranges_.resize(boxes_.size());
        field_.ranges(boxes_, ranges_);
        for (std::size_t n = 0; n < row_.size(); ++n) {
            const Interval &g = row_[n].grid, &f = ranges_[n];
            if (row_[n].near) {
                error.largest = std::max({error.largest, f.upper - g.lower, g.upper - f.lower});
            } else {
                error.unsure += g.lower > 0 ? !(f.lower > 0) : !(f.upper < 0);
            }
        }
        error.cells += static_cast<std::size_t>(std::count_if(row_.begin(), row_.end(), [](const Piece& p) { return p.near; })) / static_cast<std::size_t>(pieces_ * pieces_ * pieces_);
    }

    const GridField& grid_;
    const Field& field_;
    int pieces_;
    double band_; // m
    std::vector<Piece> row_;
    std::vector<Box> boxes_;
    std::vector<Interval> ranges_;
};

BakedError joined(const BakedError& a, const BakedError& b) { return {std::max(a.largest, b.largest), a.cells + b.cells, a.unsure + b.unsure}; }

} // namespace

BakedError baked_error(const GridField& grid, const Field& field, const BakedErrorOptions& options) {
    if (options.halvings < 0 || options.halvings > most_halvings) throw Error(Cause::invalid_argument, "must be from 0 to 4", {.element = "option halvings"});
    if (!(options.band > 0) || !std::isfinite(options.band)) throw Error(Cause::invalid_argument, "must be a positive number", {.element = "option band"});
    const GridLayout& layout = grid.layout();
    Stage stage(options.progress, "comparing with the field", layout.brick_count());
    return parallel_reduce(
        layout.brick_count(), 16, BakedError{},
        [&](std::size_t begin, std::size_t end) {
            BrickCheck check(grid, field, options);
            BakedError sum;
            for (std::size_t b = begin; b < end; ++b)
                if (const Index stored = grid.data().brick_of[b]; stored != no_index) sum = joined(sum, check.of_brick(layout.brick_position(b), stored));
            stage.step(end - begin);
            return sum;
        },
        joined);
}

} // namespace fathom
