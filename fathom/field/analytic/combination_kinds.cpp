// Catalogue of analytic shapes: union, intersection, difference, complement, and their smooth versions.
// The smooth minimum is the quadratic polynomial of I. Quilez ("smooth minimum"). Its gradient is a convex combination
// of the children's gradients, so the Lipschitz constant is preserved.
#include <fathom/field/analytic/analytic_kinds.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

using N = const AnalyticNode&;
using F = const Frame&;

constexpr std::size_t max_combined = 10000;

// Properties common to all children; the callers set exactness.
Traits common_traits(N n) {
    Traits traits{.lipschitz = 0, .exact_outside = false, .exact_inside = false, .convex = false};
    for (const AnalyticExpression& child : n.children) {
        const Traits& own = child.node().traits;
        traits.lipschitz = std::max(traits.lipschitz, own.lipschitz);
        for (std::size_t k = 0; k < 3; ++k) traits.even[k] = traits.even[k] && own.even[k];
    }
    return traits;
}

template <class Holds>
bool all_children(N n, Holds holds) {
    return std::all_of(n.children.begin(), n.children.end(),
                       [&](const AnalyticExpression& child) { return holds(child.node().traits); });
}

Traits union_traits(N n) {
    if (n.children.size() == 1) return n.child().traits;
    Traits traits = common_traits(n);
    traits.exact_outside = all_children(n, [](const Traits& t) { return t.exact_outside; });
    return traits;
}

Traits intersection_traits(N n) {
    if (n.children.size() == 1) return n.child().traits;
    Traits traits = common_traits(n);
    traits.exact_inside = all_children(n, [](const Traits& t) { return t.exact_inside; });
    traits.convex = all_children(n, [](const Traits& t) { return t.convex; });
    return traits;
}

Traits difference_traits(N n) {
    Traits traits = common_traits(n);
    traits.exact_inside = n.child().traits.exact_inside;
    for (std::size_t k = 1; k < n.children.size(); ++k)
        traits.exact_inside = traits.exact_inside && n.child(k).traits.exact_outside;
    return traits;
}

Traits complement_traits(N n) {
    Traits traits = n.child().traits;
    std::swap(traits.exact_outside, traits.exact_inside);
    traits.convex = false;
    return traits;
}

Box union_box(N n, double level) {
    Box box;
    for (const AnalyticExpression& child : n.children) box.extend(level_box(child.node(), level));
    return box;
}

Box intersection_box(N n, double level) {
    Box box = everywhere();
    for (const AnalyticExpression& child : n.children) box = intersection(box, level_box(child.node(), level));
    return box;
}

// Combines values in a balanced tree, not in one long chain, so that a decision over a box removes whole branches.
template <class Combine>
NodeId combined(Graph& g, std::vector<NodeId> values, Combine combine) {
    while (values.size() > 1) {
        std::vector<NodeId> next;
        for (std::size_t k = 0; k + 1 < values.size(); k += 2) next.push_back(combine(g, values[k], values[k + 1]));
        if (values.size() % 2 != 0) next.push_back(values.back());
        values = std::move(next);
    }
    return values.front();
}

std::vector<NodeId> values(Graph& g, N n, F f) {
    std::vector<NodeId> list;
    for (const AnalyticExpression& child : n.children) list.push_back(formula(g, child.node(), f));
    return list;
}

NodeId union_formula(Graph& g, N n, F f) {
    return combined(g, values(g, n, f), [](Graph& to, NodeId a, NodeId b) { return to.minimum(a, b); });
}

NodeId intersection_formula(Graph& g, N n, F f) {
    return combined(g, values(g, n, f), [](Graph& to, NodeId a, NodeId b) { return to.maximum(a, b); });
}

NodeId difference_formula(Graph& g, N n, F f) {
    std::vector<NodeId> list = values(g, n, f);
    for (std::size_t k = 1; k < list.size(); ++k) list[k] = g.negate(list[k]);
    return combined(g, std::move(list), [](Graph& to, NodeId a, NodeId b) { return to.maximum(a, b); });
}

NodeId smooth_minimum(Graph& g, NodeId a, NodeId b, double width) {
    const double p[] = {width};
    return g.apply(Op::smooth_minimum, {a, b}, p);
}

NodeId smooth_maximum(Graph& g, NodeId a, NodeId b, double width) {
    return g.negate(smooth_minimum(g, g.negate(a), g.negate(b), width));
}

} // namespace

std::vector<AnalyticKind> combination_kinds() {
    const std::vector<Parameter> width = {{"width", Limits::positive}};
    std::vector<AnalyticKind> kinds;
    kinds.push_back({.name = "union",
                     .dimension = 0,
                     .child_count = {1, max_combined},
                     .children_first = true,
                     .traits = union_traits,
                     .level_box = union_box,
                     .formula = union_formula});
    kinds.push_back({.name = "intersection",
                     .dimension = 0,
                     .child_count = {1, max_combined},
                     .children_first = true,
                     .traits = intersection_traits,
                     .level_box = intersection_box,
                     .formula = intersection_formula});
    kinds.push_back({.name = "difference",
                     .dimension = 0,
                     .child_count = {2, max_combined},
                     .children_first = true,
                     .traits = difference_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level); },
                     .formula = difference_formula});
    kinds.push_back({.name = "complement",
                     .dimension = 0,
                     .child_count = {1, 1},
                     .children_first = true,
                     .traits = complement_traits,
                     .level_box = [](N, double) { return everywhere(); },
                     .formula = [](Graph& g, N n, F f) { return g.negate(formula(g, n.child(), f)); }});
    kinds.push_back(
        {.name = "smooth_union",
         .dimension = 0,
         .child_count = {2, 2},
         .parameters = width,
         .children_first = true,
         .traits = common_traits,
         // The union swells by at most this much.
         .level_box = [](N n, double level) { return union_box(n, level + 0.25 * n[0]); },
         .formula = [](Graph& g, N n,
                       F f) { return smooth_minimum(g, formula(g, n.child(0), f), formula(g, n.child(1), f), n[0]); }});
    kinds.push_back({.name = "smooth_intersection",
                     .dimension = 0,
                     .child_count = {2, 2},
                     .parameters = width,
                     .children_first = true,
                     .traits = common_traits,
                     .level_box = intersection_box,
                     .formula = [](Graph& g, N n, F f) {
                         return smooth_maximum(g, formula(g, n.child(0), f), formula(g, n.child(1), f), n[0]);
                     }});
    kinds.push_back({.name = "smooth_difference",
                     .dimension = 0,
                     .child_count = {2, 2},
                     .parameters = width,
                     .children_first = true,
                     .traits = common_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level); },
                     .formula =
                         [](Graph& g, N n, F f) {
                             return smooth_maximum(g, formula(g, n.child(0), f), g.negate(formula(g, n.child(1), f)),
                                                   n[0]);
                         }});
    return kinds;
}

// ---- Catalogue of analytic shapes: twist, bend, elongate, shell, round.
// Twist and bend rotate (x, y) by an angle that grows along an axis. They stretch more with the distance from the axis,
// without bound, so both are cut off at a given radius. The Lipschitz constant is the exact one up to that radius: the
// largest singular value of the deformation's Jacobian.

namespace {

using N = const AnalyticNode&;
using F = const Frame&;

// Largest stretch of a shear by `slope`.
double shear_stretch(double slope) { return 0.5 * (slope + std::sqrt(slope * slope + 4)); }

// Largest stretch of the deformation within its radius.
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

// Moves (x, y) to within the radius, rotates it back by rate * (the coordinate `along` of the moved point), then cuts
// off.
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

// From within the wall, the nearer of its two faces is not always reached along the shape's own shortest path.
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

std::vector<AnalyticKind> deformation_kinds() {
    const std::vector<Parameter> turning = {{"rate", Limits::any}, {"radius", Limits::positive}};
    std::vector<AnalyticKind> kinds;
    kinds.push_back({.name = "twist",
                     .child_dimension = 3,
                     .child_count = {1, 1},
                     .parameters = turning,
                     .traits = [](N n) { return turned_traits(n, twist_stretch(n), false); },
                     .level_box = turned_box,
                     .formula = [](Graph& g, N n, F f) { return turned_formula(g, n, f, 2, twist_stretch(n)); }});
    kinds.push_back({.name = "bend",
                     .child_dimension = 3,
                     .child_count = {1, 1},
                     .parameters = turning,
                     .traits = [](N n) { return turned_traits(n, bend_stretch(n), true); },
                     .level_box = turned_box,
                     .formula = [](Graph& g, N n, F f) { return turned_formula(g, n, f, 0, bend_stretch(n)); }});
    kinds.push_back(
        {.name = "elongate",
         .child_dimension = 3,
         .child_count = {1, 1},
         .parameters = {{"x", Limits::not_negative}, {"y", Limits::not_negative}, {"z", Limits::not_negative}},
         .traits = elongated_traits,
         .level_box = elongated_box,
         .formula = elongated_formula});
    kinds.push_back(
        {.name = "shell",
         .dimension = 0,
         .child_count = {1, 1},
         .parameters = {{"thickness", Limits::positive}},
         .traits = shell_traits,
         .level_box = [](N n, double level) { return level_box(n.child(), level + 0.5 * n[0]); },
         .formula = [](Graph& g, N n, F f) { return g.plus(g.absolute(formula(g, n.child(), f)), -0.5 * n[0]); }});
    kinds.push_back({.name = "round",
                     .dimension = 0,
                     .child_count = {1, 1},
                     .parameters = {{"radius", Limits::not_negative}},
                     .traits = rounded_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level + n[0]); },
                     .formula = [](Graph& g, N n, F f) { return g.plus(formula(g, n.child(), f), -n[0]); }});
    return kinds;
}

} // namespace fathom
