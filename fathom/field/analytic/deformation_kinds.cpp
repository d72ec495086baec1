// The catalogue of shapes: twisting, bending, elongating, hollowing, rounding.
// Twist and bend turn (x, y) by an angle that grows along an axis. They stretch more the farther from the axis, without
// limit; so both are cut off at a given radius, and the Lipschitz constant is the true one up to there: the largest
// singular value of the deformation's Jacobian.
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>

namespace fathom {

namespace {

using N = const FormulaNode&;
using F = const Frame&;

// A shear by `slope` stretches by this at most.
double shear_stretch(double slope) { return 0.5 * (slope + std::sqrt(slope * slope + 4)); }

// Of the deformation within its radius.
double twist_stretch(N n) { return shear_stretch(std::abs(n[0]) * n[1]); }
double bend_stretch(N n) { return 1 + std::abs(n[0]) * n[1]; }

Traits turned_traits(N n, double stretch, bool even_z) {
    Traits traits = n.child().traits;
    const bool keeps_z = even_z && traits.even[2];
    return {.lipschitz = std::max(1.0, traits.lipschitz * stretch),
            .exact_outside = false,
            .exact_inside = false,
            .convex = false,
            .even = {false, false, keeps_z}};
}

// (x, y) pulled within the radius and turned back by rate * (the coordinate `along` of the pulled point), then cut off.
NodeId turned_formula(Graph& g, N n, F f, int along, double stretch) {
    auto [x, y, z] = f.coordinates(g);
    const double radius[] = {n[1]};
    const NodeId r = g.length(x, y), shrink = g.apply(Op::pull, {r}, radius);
    x = g.multiply(x, shrink);
    y = g.multiply(y, shrink);
    const NodeId angle = g.scale_add(along == 0 ? x : z, n[0], 0);
    const NodeId c = g.apply(Op::cosine, {angle}), s = g.apply(Op::sine, {angle});
    const NodeId back_x = g.add(g.multiply(c, x), g.multiply(s, y));
    const NodeId back_y = g.apply(Op::subtract, {g.multiply(c, y), g.multiply(s, x)});
    return g.maximum(formula(g, n.child(), f.replaced({back_x, back_y, z}, stretch)), g.plus(r, -n[1]));
}

Box turned_box(N n, double level) {
    Box box = level_box(n.child(), level);
    if (box.empty()) return box;
    const double x = std::max(-box.lower.x(), box.upper.x()), y = std::max(-box.lower.y(), box.upper.y());
    const double own = std::hypot(x, y), r = own < n[1] ? own : n[1] + level;
    return {{-r, -r, box.lower.z()}, {r, r, box.upper.z()}};
}

Traits elongated_traits(N n) {
    Traits traits = n.child().traits;
    bool even = true, longer = false;
    for (std::size_t k = 0; k < 3; ++k) {
        longer = longer || n[k] > 0;
        even = even && (!(n[k] > 0) || traits.even[k]);
    }
    if (!longer) return traits;
    traits.exact_outside = traits.exact_outside && traits.convex && even;
    traits.convex = traits.convex && even;
    traits.exact_inside = false;
    return traits;
}

Box elongated_box(N n, double level) {
    const Box box = level_box(n.child(), level);
    return {box.lower - 0.5 * n.vector(), box.upper + 0.5 * n.vector()};
}

NodeId elongated_formula(Graph& g, N n, F f) {
    std::array<NodeId, 3> at = f.coordinates(g);
    for (std::size_t k = 0; k < 3; ++k) {
        const double half[] = {0.5 * n[k]};
        if (n[k] > 0) at[k] = g.apply(Op::beyond, {at[k]}, half);
    }
    return formula(g, n.child(), f.replaced(at));
}

// From within the wall the nearest of its two faces need not be reached along the shape's own shortest way.
Traits shell_traits(N n) {
    Traits traits = n.child().traits;
    traits.exact_outside = traits.exact_outside && traits.exact_inside;
    traits.exact_inside = traits.convex = false;
    return traits;
}

Traits rounded_traits(N n) {
    Traits traits = n.child().traits;
    traits.exact_inside = traits.exact_inside && (traits.convex || n[0] == 0);
    return traits;
}

} // namespace

std::vector<Kind> deformation_kinds() {
    const std::vector<Parameter> turning = {{"rate", Limits::any}, {"radius", Limits::positive}};
    std::vector<Kind> kinds;
    kinds.push_back({.name = "twist",
                     .child_dimension = 3,
                     .min_children = 1,
                     .max_children = 1,
                     .parameters = turning,
                     .traits = [](N n) { return turned_traits(n, twist_stretch(n), false); },
                     .level_box = turned_box,
                     .formula = [](Graph& g, N n, F f) { return turned_formula(g, n, f, 2, twist_stretch(n)); }});
    kinds.push_back({.name = "bend",
                     .child_dimension = 3,
                     .min_children = 1,
                     .max_children = 1,
                     .parameters = turning,
                     .traits = [](N n) { return turned_traits(n, bend_stretch(n), true); },
                     .level_box = turned_box,
                     .formula = [](Graph& g, N n, F f) { return turned_formula(g, n, f, 0, bend_stretch(n)); }});
    kinds.push_back(
        {.name = "elongate",
         .child_dimension = 3,
         .min_children = 1,
         .max_children = 1,
         .parameters = {{"x", Limits::not_negative}, {"y", Limits::not_negative}, {"z", Limits::not_negative}},
         .traits = elongated_traits,
         .level_box = elongated_box,
         .formula = elongated_formula});
    kinds.push_back(
        {.name = "shell",
         .dimension = 0,
         .min_children = 1,
         .max_children = 1,
         .parameters = {{"thickness", Limits::positive}},
         .traits = shell_traits,
         .level_box = [](N n, double level) { return level_box(n.child(), level + 0.5 * n[0]); },
         .formula = [](Graph& g, N n, F f) { return g.plus(g.absolute(formula(g, n.child(), f)), -0.5 * n[0]); }});
    kinds.push_back({.name = "round",
                     .dimension = 0,
                     .min_children = 1,
                     .max_children = 1,
                     .parameters = {{"radius", Limits::not_negative}},
                     .traits = rounded_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level + n[0]); },
                     .formula = [](Graph& g, N n, F f) { return g.plus(formula(g, n.child(), f), -n[0]); }});
    return kinds;
}

} // namespace fathom
