// Construction of the stencils: prisms and pyramids cut along the agreed diagonals.
#include <fathom/field/tet/stuffing_lattice.h>

#include <fathom/geometry/mesh/tet_mesh.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fathom {

namespace {

using Point = std::uint8_t;

bool is_long_edge(int a, int b) { return a / 2 == b / 2; }

Point cut(int a, int b) {
    for (std::size_t e = 0; e < stencil_edges.size(); ++e)
        if (stencil_edges[e] == std::array{std::min(a, b), std::max(a, b)}) return static_cast<Point>(4 + e);
    return 0;
}

// For the quadrilateral on face (p, q, out): whether its diagonal starts in p (and ends in the cut of q and out). It
// ends in the cut of a long edge if there is one; otherwise it starts in the even end.
bool starts_diagonal(int p, int q, int out) {
    if (is_long_edge(p, q)) return p < q;
    return is_long_edge(q, out);
}

Vec3 reference(Point point) {
    static const std::array<Vec3, 4> corners = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 1), Vec3(0, 1, 1)};
    if (point < 4) return corners[point];
    const auto& e = stencil_edges[point - 4U];
    return 0.5 * (corners[static_cast<std::size_t>(e[0])] + corners[static_cast<std::size_t>(e[1])]);
}

double reference_volume(const StencilTet& t) {
    return signed_volume({reference(t[0]), reference(t[1]), reference(t[2]), reference(t[3])});
}

StencilTet oriented(StencilTet t) {
    const double whole = reference_volume({0, 1, 2, 3});
    if (reference_volume(t) * whole < 0) std::swap(t[2], t[3]);
    return t;
}

// Columns run from the lower to the upper triangle of a prism. first_beats in set(i, j): the diagonal of the side
// between columns i and j runs from the lower end of i to the upper end of j. There is no cycle of three.
struct Prism {
    std::array<Point, 3> lower, upper;
    std::array<std::array<bool, 3>, 3> beats{};

    void set(std::size_t i, std::size_t j, bool first_beats) {
        beats[i][j] = first_beats;
        beats[j][i] = !first_beats;
    }
    [[nodiscard]] std::array<StencilTet, 3> tets() const {
        std::array<std::size_t, 3> order = {0, 1, 2};
        std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return beats[i][j]; });
        const auto [w, m, l] = order;
        return {oriented({lower[w], lower[m], lower[l], upper[l]}), oriented({lower[w], lower[m], upper[m], upper[l]}),
                oriented({lower[w], upper[w], upper[m], upper[l]})};
    }
};

Stencil three_inside(const std::array<int, 3>& in, int out) {
    Prism prism;
    for (std::size_t k = 0; k < 3; ++k) {
        prism.lower[k] = static_cast<Point>(in[k]);
        prism.upper[k] = cut(in[k], out);
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i + 1; j < 3; ++j) prism.set(i, j, starts_diagonal(in[i], in[j], out));
    return {3, prism.tets(), false, {}};
}

Stencil two_inside(int p, int q, int a, int b) {
    Prism prism{{static_cast<Point>(p), cut(p, a), cut(p, b)}, {static_cast<Point>(q), cut(q, a), cut(q, b)}};
    prism.set(0, 1, starts_diagonal(p, q, a));
    prism.set(0, 2, starts_diagonal(p, q, b));
    Stencil result{3, {}, prism.beats[0][1] == prism.beats[0][2], {}};
    prism.set(1, 2, result.has_choice || prism.beats[1][0]);
    result.tets = prism.tets();
    if (!result.has_choice) return result;
    prism.set(1, 2, false);
    result.others = prism.tets();
    return result;
}

Stencil pyramid(int p, int q, int out, int tip) {
    if (!starts_diagonal(p, q, out)) std::swap(p, q);
    const auto apex = static_cast<Point>(tip), from = static_cast<Point>(p), to = cut(q, out);
    return {
        2, {oriented({apex, from, static_cast<Point>(q), to}), oriented({apex, from, to, cut(p, out)}), {}}, false, {}};
}

// Each outside corner is replaced by the cut towards the inside corner.
Stencil single(const std::array<Side, 4>& corners, int in) {
    StencilTet t{};
    for (int k = 0; k < 4; ++k)
        t[static_cast<std::size_t>(k)] =
            corners[static_cast<std::size_t>(k)] == Side::outside ? cut(k, in) : static_cast<Point>(k);
    return {1, {t, {}, {}}, false, {}};
}

Stencil made(const std::array<Side, 4>& corners) {
    std::vector<int> in, out, on;
    for (int k = 0; k < 4; ++k) {
        const Side side = corners[static_cast<std::size_t>(k)];
        (side == Side::inside ? in : side == Side::outside ? out : on).push_back(k);
    }
    if (in.empty()) return {};
    if (out.empty()) return {1, {StencilTet{0, 1, 2, 3}, {}, {}}, false, {}};
    if (in.size() == 1) return single(corners, in[0]);
    if (in.size() == 3) return three_inside({in[0], in[1], in[2]}, out[0]);
    return on.empty() ? two_inside(in[0], in[1], out[0], out[1]) : pyramid(in[0], in[1], out[0], on[0]);
}

std::size_t code(const std::array<Side, 4>& corners) {
    std::size_t result = 0;
    for (const Side side : corners) result = 3 * result + static_cast<std::size_t>(side);
    return result;
}

std::array<Stencil, 81> all_stencils() {
    std::array<Stencil, 81> table;
    for (std::size_t n = 0; n < table.size(); ++n) {
        const std::array<Side, 4> corners = {static_cast<Side>(n / 27), static_cast<Side>(n / 9 % 3),
                                             static_cast<Side>(n / 3 % 3), static_cast<Side>(n % 3)};
        table[code(corners)] = made(corners);
    }
    return table;
}

} // namespace

const Stencil& stencil(const std::array<Side, 4>& corners) {
    static const std::array<Stencil, 81> table = all_stencils();
    return table[code(corners)];
}

} // namespace fathom
