// Descent from the root to the largest block that can be skipped.
#include <fathom/baseline/octree_traversal.h>

#include <fathom/detect/point_field/dda_traversal.h>
#include <fathom/detect/point_field/grid_traversal.h>
#include <fathom/detect/point_field/interval_collectors.h>

namespace fathom {

namespace {

// Contacts as in the paper (section 3.1): the signs at the ends of a piece, and five steps of regula falsi between
// them.
struct PaperContacts {
    double level;
    std::vector<ContactInterval>& out;
    bool inside = false;
    bool fresh = true;

    bool clear(bool is_inside, double t0, double) {
        if (fresh) start(is_inside, t0);
        return false;
    }
    bool cell(const point_field::CellPiece& piece) {
        double low = value(piece, 0), high = value(piece, 1);
        if (fresh) start(low < 0, piece.t0);
        if ((low < 0) == (high < 0)) return false;
        double a = 0, b = 1, s = 0;
        for (int k = 0; k < 5; ++k) {
            s = a + (b - a) * low / (low - high);
            const double middle = value(piece, s);
            ((middle < 0) == (low < 0) ? a : b) = s;
            ((middle < 0) == (low < 0) ? low : high) = middle;
            if (middle == 0) break;
        }
        flip(piece.t0 + s * (piece.t1 - piece.t0));
        return false;
    }
    void ends(double t) {
        if (inside) out.back().end = t;
    }

private:
    [[nodiscard]] double value(const point_field::CellPiece& piece, double s) const {
        return trilinear(piece.values, piece.from + s * (piece.to - piece.from)) - level;
    }
    void start(bool is_inside, double t) {
        fresh = false;
        if (is_inside) flip(t);
    }
    void flip(double t) {
        if (inside)
            out.back().end = t;
        else
            out.push_back({t, t});
        inside = !inside;
    }
};

template <class Visitor>
class Descent {
public:
    Descent(const GridData& data, const point_field::GridPath& path, const point_field::LevelBand& band,
            Visitor& visitor)
        : data_(data), path_(path), band_(band), visitor_(visitor), stepper_(data, path) {}

    void run() {
        if (stepper_.done()) return;
        while (stepper_.leave(visit())) {
        }
        visitor_.ends(path_.end);
    }

private:
    // Processes the block at the current cell and returns its side in cells.
    int visit() {
        for (int level = static_cast<int>(data_.levels.size()) - 1; level >= 0; --level) {
            const int side = brick_cells << (level + 1);
            const FloatRange& range = level_range(data_, level, stepper_.cell());
            if (skips({static_cast<double>(range.lower), static_cast<double>(range.upper)}, side)) return side;
        }
        if (stepper_.stored() == no_index) {
            stepper_.visit_cell(band_, visitor_, brick_cells);
            return brick_cells;
        }
        return visit_stored();
    }

    int visit_stored() {
        const auto blocks = data_.block_ranges.subspan(std::size_t{stepper_.stored()} * 8, 8);
        if (skips(stored_brick_range(data_, stepper_.stored()), brick_cells)) return brick_cells;
        const auto& c = stepper_.cell();
        const FloatRange& block =
            blocks[static_cast<std::size_t>((c[0] / 4 & 1) | (c[1] / 4 & 1) << 1 | (c[2] / 4 & 1) << 2)];
        if (skips({static_cast<double>(block.lower), static_cast<double>(block.upper)}, 4)) return 4;
        stepper_.visit_cell(band_, visitor_);
        return 1;
    }

    bool skips(const Interval& range, int side) {
        const bool outside = band_.below(range.lower), inside = band_.above(range.upper);
        if (outside || inside) stepper_.clear(inside, side, visitor_);
        return outside || inside;
    }

    const GridData& data_;
    const point_field::GridPath& path_;
    point_field::LevelBand band_;
    Visitor& visitor_;
    point_field::CellStepper stepper_;
};

} // namespace

void dda_intervals(const GridField& field, const point_field::GridPath& path, double level, CellTest test,
                   std::vector<ContactInterval>& out) {
    if (test == CellTest::exact) return point_field::dda_intervals(field, path, level, out);
    PaperContacts visitor{level, out};
    point_field::dda_walk(field, path, {level, 0}, visitor);
}

void octree_intervals(const GridField& field, const point_field::GridPath& path, double level, CellTest test,
                      std::vector<ContactInterval>& out) {
    if (test == CellTest::paper) {
        PaperContacts visitor{level, out};
        Descent(field.data(), path, {level, 0}, visitor).run();
    } else {
        const double slack = point_field::walk_slack(field.data(), path);
        point_field::AllContacts visitor{level, slack, &out};
        Descent(field.data(), path, {level, slack}, visitor).run();
    }
}

} // namespace fathom
