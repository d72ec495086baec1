// What a walk over cells tells as it goes, turned into times of contact. The walks differ in what they
// visit, never in what a cell means.
#pragma once

#include <fathom/detect/point_field/cell_roots.h>
#include <fathom/detect/result/result.h>
#include <fathom/field/grid/grid_field.h>

#include <vector>

namespace fathom {

inline constexpr double no_contact = 2; // a time after every other

// Of a piece [t0, t1] in one cell: where it begins and ends in [0,1]^3 of the cell, and the corner values.
struct CellPiece {
    const std::array<double, 8>& values;
    Vec3 from, to;
    double t0, t1;
};

// Ends stay what neighbours see.
[[nodiscard]] inline double time_between(double t0, double t1, double s) { return s == 1 ? t1 : t0 + s * (t1 - t0); }

// The first contact; every call says whether that is enough.
struct FirstContact {
    double level, slack;
    double time = no_contact;

    bool clear(bool inside, double t0, double) {
        if (inside) time = t0;
        return inside;
    }
    bool cell(const CellPiece& piece) {
        return looked(look_at(cell_cubic(piece.values, level, piece.from, piece.to), slack), piece.t0, piece.t1);
    }
    [[gnu::always_inline]] bool looked(const CellLook& look, double t0, double t1) {
        const double s = first_cell_contact(look, slack);
        if (s <= 1) time = time_between(t0, t1, s);
        return s <= 1;
    }
    void ends(double) {}
};

// Every contact. What a walk passes over in silence, after a cell or a clear piece, is as its end was.
struct AllContacts {
    double level, slack;
    std::vector<ContactInterval>* out;
    std::size_t first = out->size();
    bool inside = false;
    double since = 0;

    bool clear(bool is_inside, double t0, double t1) {
        pass(t0);
        if (is_inside) add(t0, t1);
        inside = is_inside;
        since = t1;
        return false;
    }
    bool cell(const CellPiece& piece) {
        return looked(look_at(cell_cubic(piece.values, level, piece.from, piece.to), slack), piece.t0, piece.t1);
    }
    [[gnu::always_inline]] bool looked(const CellLook& look, double t0, double t1) {
        pass(t0);
        const CellContacts contacts = cell_contacts(look, slack);
        for (std::size_t k = 0; k < static_cast<std::size_t>(contacts.count); ++k)
            add(time_between(t0, t1, contacts.spans[k][0]), time_between(t0, t1, contacts.spans[k][1]));
        inside = (look.bits & 8) != 0;
        since = t1;
        return false;
    }
    void ends(double t) { pass(t); }

private:
    void pass(double until) {
        if (inside) add(since, until);
    }
    void add(double low, double high) {
        if (out->size() > first && out->back().end >= low)
            out->back().end = std::max(out->back().end, high);
        else
            out->push_back({low, std::max(low, high)});
    }
};

// Contact as the paper finds it (section 3.1): the signs at the ends of a piece, and five steps of regula falsi between
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
    bool cell(const CellPiece& piece) {
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
    [[nodiscard]] double value(const CellPiece& piece, double s) const {
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

} // namespace fathom
