// Room: detect. Roots of a cell's cubic, isolated by the signs of its Bernstein coefficients.
#include <fathom/detect/cell_roots.h>

namespace fathom {

namespace {

using Coefficients = std::array<double, 4>;

constexpr int deepest = 30;   // halvings: a piece this short bends by less than rounding
constexpr double none = 2;

// Falls from above 0 to 0 or below, through one root: a parameter at or before it with a value of at most `window`.
double fall(const Coefficients& c, double window) {
    if (c[0] <= window) return 0;
    const double a1 = 3 * (c[1] - c[0]), a2 = 3 * (c[2] - 2 * c[1] + c[0]), a3 = (c[3] - c[0]) - 3 * (c[2] - c[1]);
    double low = 0, high = 1, x = c[0] / (c[0] - c[3]);
    for (int k = 0; k < 100; ++k) {
        const double value = ((a3 * x + a2) * x + a1) * x + c[0];
        if (value > 0) {
            low = x;
            if (value <= window) return x;
        } else {
            high = x;
        }
        const double slope = (3 * a3 * x + 2 * a2) * x + a1;
        x -= (value - 0.5 * window) / slope;
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        if (!(x > low && x < high)) return low; // neighbours among the doubles
    }
    return low;
}

struct Halves {
    Coefficients left, right;
};

Halves halved(const Coefficients& b) {
    const double b01 = 0.5 * (b[0] + b[1]), b12 = 0.5 * (b[1] + b[2]), b23 = 0.5 * (b[2] + b[3]);
    const double b012 = 0.5 * (b01 + b12), b123 = 0.5 * (b12 + b23), middle = 0.5 * (b012 + b123);
    return {{b[0], b01, b012, middle}, {middle, b123, b23, b[3]}};
}

// Bit k: coefficient k is in contact.
unsigned contact_bits(const Coefficients& c) {
    return static_cast<unsigned>(c[0] <= 0) | static_cast<unsigned>(c[1] <= 0) << 1 | static_cast<unsigned>(c[2] <= 0) << 2 |
           static_cast<unsigned>(c[3] <= 0) << 3;
}

// For each pattern of bits: how often neighbours differ is 1, or not.
constexpr bool one_change(unsigned bits) {
    const unsigned changes = (bits ^ (bits >> 1)) & 7;
    return changes == 1 || changes == 2 || changes == 4;
}

double first_of(const Coefficients& c, double window, double start, double width, int depth) {
    const unsigned bits = contact_bits(c);
    if (bits == 0) return none;
    if (bits & 1 || depth == deepest) return start;
    if (one_change(bits)) return start + width * fall(c, window);
    const Halves half = halved(c);
    const double found = first_of(half.left, window, start, 0.5 * width, depth + 1);
    return found <= 1 ? found : first_of(half.right, window, start + 0.5 * width, 0.5 * width, depth + 1);
}

void add(CellContacts& out, double low, double high) {
    // More than two pieces apart cannot be but for rounding; then what lies between is within the slack.
    if (out.count > 0 && (out.spans[static_cast<std::size_t>(out.count - 1)][1] >= low || out.count == 2))
        out.spans[static_cast<std::size_t>(out.count - 1)][1] = high;
    else
        out.spans[static_cast<std::size_t>(out.count++)] = {low, high};
}

void all_of(const Coefficients& c, double window, double start, double width, int depth, CellContacts& out) {
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

Coefficients lowered(const Coefficients& b, double slack) { return {b[0] - slack, b[1] - slack, b[2] - slack, b[3] - slack}; }

} // namespace

double first_cell_contact(const CellCubic& cubic, double slack) { return first_of(lowered(cubic.b, slack), slack, 0, 1, 0); }

CellContacts cell_contacts(const CellCubic& cubic, double slack) {
    CellContacts out;
    all_of(lowered(cubic.b, slack), slack, 0, 1, 0, out);
    return out;
}

} // namespace fathom
