// The catalogue of shapes: the plane that bounds a half space, and sheets without thickness (round()
// thickens).
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>

namespace fathom {

namespace {

using N = const FormulaNode&;
using F = const Frame&;

constexpr std::array<bool, 3> uneven = {false, false, false};

// A flat convex piece: corners in the plane of the first three.
NodeId sheet_formula(Graph& g, N n, F f) {
    const Vec3 a = n.vector(0), u = (n.vector(3) - a).normalized();
    const Vec3 w = (n.vector(3) - a).cross(n.vector(6) - a).normalized();
    Mat3 turn;
    turn << u.transpose(), w.cross(u).transpose(), w.transpose();
    std::vector<double> corners;
    for (std::size_t k = 0; k < n.numbers.size(); k += 3) {
        const Vec3 local = turn * (n.vector(k) - a);
        corners.insert(corners.end(), {local.x(), local.y()});
    }
    const auto [x, y, z] = f.mapped(turn, -(turn * a)).coordinates(g);
    return g.length(g.at_least_zero(g.apply(Op::polygon, {x, y}, polygon_parameters(corners))), z);
}

Box sheet_box(N n, double level) {
    Box box;
    for (std::size_t k = 0; k < n.numbers.size(); k += 3) box.extend(n.vector(k));
    return box.grown(level);
}

double longest_side(N n) {
    double longest = 0;
    const std::size_t count = n.numbers.size();
    for (std::size_t k = 0; k < count; k += 3)
        longest = std::max(longest, (n.vector(k) - n.vector((k + 3) % count)).norm());
    return longest;
}

void check_triangle(N n) {
    const Vec3 area = (n.vector(3) - n.vector(0)).cross(n.vector(6) - n.vector(0));
    const double longest = longest_side(n);
    if (!(longest >= Formula::min_length) || !(area.norm() > 1e-12 * longest * longest))
        refuse(n, "its corners must not lie on a line");
}

// Every corner must turn the same way about the normal, and lie in the plane of the first three.
void check_quad(N n) {
    check_triangle(n);
    const Vec3 normal = (n.vector(3) - n.vector(0)).cross(n.vector(6) - n.vector(0)).normalized();
    const double longest = longest_side(n);
    if (std::abs(normal.dot(n.vector(9) - n.vector(0))) > 1e-9 * longest) refuse(n, "its corners must lie in a plane");
    for (std::size_t k = 0; k < 12; k += 3) {
        const Vec3 before = n.vector((k + 3) % 12) - n.vector(k),
                   after = n.vector((k + 6) % 12) - n.vector((k + 3) % 12);
        if (!(normal.dot(before.cross(after)) > 1e-12 * longest * longest))
            refuse(n, "it must be convex, its corners in order");
    }
}

NodeId plane_formula(Graph& g, N n, F f) {
    const Vec3 normal = n.vector().normalized();
    Mat3 rows = Mat3::Zero();
    rows.row(0) = normal.transpose();
    return f.mapped(rows, Vec3(-n[3], 0, 0)).coordinate(g, 0);
}

Traits plane_traits(N n) { return {.even = {n[0] == 0, n[1] == 0, n[2] == 0}}; }

// Bounded on one side where the normal is along an axis.
Box plane_box(N n, double level) {
    Box box = everywhere();
    for (int k = 0; k < 3; ++k) {
        if (n.vector().cwiseAbs().sum() != std::abs(n[static_cast<std::size_t>(k)])) continue;
        if (n[static_cast<std::size_t>(k)] > 0)
            box.upper[k] = n[3] + level;
        else
            box.lower[k] = -n[3] - level;
    }
    return box;
}

void check_normal(N n) {
    if (!(n.vector().norm() >= Formula::min_length)) refuse(n, "the normal must not be 0");
}

std::vector<Parameter> corners(std::size_t count) {
    static constexpr std::string_view names[] = {"ax", "ay", "az", "bx", "by", "bz",
                                                 "cx", "cy", "cz", "dx", "dy", "dz"};
    std::vector<Parameter> list;
    for (std::size_t k = 0; k < 3 * count; ++k) list.push_back({names[k]});
    return list;
}

} // namespace

std::vector<Kind> flat_kinds() {
    std::vector<Kind> kinds;
    kinds.push_back({.name = "plane",
                     .parameters = {{"nx"}, {"ny"}, {"nz"}, {"offset"}},
                     .check = check_normal,
                     .traits = plane_traits,
                     .level_box = plane_box,
                     .formula = plane_formula});
    kinds.push_back({.name = "disk",
                     .parameters = {{"radius", Limits::positive}},
                     .traits = [](N) { return Traits{}; },
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[0], n[0], 0}, level);
                         },
                     .formula =
                         [](Graph& g, N n, F f) {
                             const NodeId past = g.plus(g.length(f.coordinate(g, 0), f.coordinate(g, 1)), -n[0]);
                             return g.length(g.at_least_zero(past), f.coordinate(g, 2));
                         }});
    kinds.push_back({.name = "triangle",
                     .parameters = corners(3),
                     .check = check_triangle,
                     .traits = [](N) { return Traits{.even = uneven}; },
                     .level_box = sheet_box,
                     .formula = sheet_formula});
    kinds.push_back({.name = "quad",
                     .parameters = corners(4),
                     .check = check_quad,
                     .traits = [](N) { return Traits{.even = uneven}; },
                     .level_box = sheet_box,
                     .formula = sheet_formula});
    return kinds;
}

} // namespace fathom
