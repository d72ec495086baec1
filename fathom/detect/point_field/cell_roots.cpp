// Subdivision of cubics whose coefficients change sign more than once.
#include <fathom/detect/point_field/cell_roots.h>

namespace fathom::point_field::detail {

namespace {

constexpr int deepest = 30; // subdivisions: a piece this short deviates from a line by less than rounding
constexpr double none = 2;

struct Halves {
    Bernstein left, right;
};

Halves halved(const Bernstein& b) {
    const double b01 = 0.5 * (b[0] + b[1]), b12 = 0.5 * (b[1] + b[2]), b23 = 0.5 * (b[2] + b[3]);
    const double b012 = 0.5 * (b01 + b12), b123 = 0.5 * (b12 + b23), middle = 0.5 * (b012 + b123);
    return {{b[0], b01, b012, middle}, {middle, b123, b23, b[3]}};
}

double first_of(const Bernstein& c, double window, double start, double width, int depth) {
    const unsigned bits = contact_bits(c);
    if (bits == 0) return none;
    if (bits & 1 || depth == deepest) return start;
    if (one_change(bits)) return start + width * fall(c, window);
    const Halves half = halved(c);
    const double found = first_of(half.left, window, start, 0.5 * width, depth + 1);
    return found <= 1 ? found : first_of(half.right, window, start + 0.5 * width, 0.5 * width, depth + 1);
}

void add(CellContacts& out, double low, double high) {
    // More than two separate pieces can only be due to rounding; the values between them are then within the slack.
    if (out.count > 0 && (out.spans[static_cast<std::size_t>(out.count - 1)][1] >= low || out.count == 2))
        out.spans[static_cast<std::size_t>(out.count - 1)][1] = high;
    else
        out.spans[static_cast<std::size_t>(out.count++)] = {low, high};
}

} // namespace

double first_of_halves(const Bernstein& c, double window) { return first_of(c, window, 0, 1, 0); }

void all_of(const Bernstein& c, double window, double start, double width, int depth, CellContacts& out) {
    const unsigned bits = contact_bits(c);
    if (bits == 0) return;
    if (bits == 15 || depth == deepest) {
        add(out, start, start + width);
    } else if (one_change(bits) && !(bits & 1)) {
        add(out, start + width * fall(c, window), start + width);
    } else if (one_change(bits)) {
        add(out, start, start + width * (1 - fall({c[3], c[2], c[1], c[0]}, window)));
    } else {
        const Halves half = halved(c);
        all_of(half.left, window, start, 0.5 * width, depth + 1, out);
        all_of(half.right, window, start + 0.5 * width, 0.5 * width, depth + 1, out);
    }
}

} // namespace fathom::point_field::detail
