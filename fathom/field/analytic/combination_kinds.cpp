// The catalogue of shapes: union, intersection, difference, complement, and the smooth ones.
// Smooth minimum: the quadratic polynomial of I. Quilez ("smooth minimum"); its slopes are shares of the children's, so
// the Lipschitz constant is kept.
#include <fathom/field/analytic/analytic_kinds.h>

#include <algorithm>

namespace fathom {

namespace {

using N = const FormulaNode&;
using F = const Frame&;

constexpr std::size_t max_combined = 10000;

// Held by all children; exactness is for the callers to say.
Traits common_traits(N n) {
    Traits traits{.lipschitz = 0, .exact_outside = false, .exact_inside = false, .convex = false};
    for (const Formula& child : n.children) {
        const Traits& own = child.node().traits;
        traits.lipschitz = std::max(traits.lipschitz, own.lipschitz);
        for (std::size_t k = 0; k < 3; ++k) traits.even[k] = traits.even[k] && own.even[k];
    }
    return traits;
}

template <class Holds>
bool all_children(N n, Holds holds) {
    return std::all_of(n.children.begin(), n.children.end(),
                       [&](const Formula& child) { return holds(child.node().traits); });
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
    for (const Formula& child : n.children) box.extend(level_box(child.node(), level));
    return box;
}

Box intersection_box(N n, double level) {
    Box box = everywhere();
    for (const Formula& child : n.children) box = intersection(box, level_box(child.node(), level));
    return box;
}

// Pairs of pairs, not one long chain: what a box decides then cuts whole branches.
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
    for (const Formula& child : n.children) list.push_back(formula(g, child.node(), f));
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

std::vector<Kind> combination_kinds() {
    const std::vector<Parameter> width = {{"width", Limits::positive}};
    std::vector<Kind> kinds;
    kinds.push_back({.name = "union",
                     .dimension = 0,
                     .min_children = 1,
                     .max_children = max_combined,
                     .children_first = true,
                     .traits = union_traits,
                     .level_box = union_box,
                     .formula = union_formula});
    kinds.push_back({.name = "intersection",
                     .dimension = 0,
                     .min_children = 1,
                     .max_children = max_combined,
                     .children_first = true,
                     .traits = intersection_traits,
                     .level_box = intersection_box,
                     .formula = intersection_formula});
    kinds.push_back({.name = "difference",
                     .dimension = 0,
                     .min_children = 2,
                     .max_children = max_combined,
                     .children_first = true,
                     .traits = difference_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level); },
                     .formula = difference_formula});
    kinds.push_back({.name = "complement",
                     .dimension = 0,
                     .min_children = 1,
                     .max_children = 1,
                     .children_first = true,
                     .traits = complement_traits,
                     .level_box = [](N, double) { return everywhere(); },
                     .formula = [](Graph& g, N n, F f) { return g.negate(formula(g, n.child(), f)); }});
    kinds.push_back(
        {.name = "smooth_union",
         .dimension = 0,
         .min_children = 2,
         .max_children = 2,
         .parameters = width,
         .children_first = true,
         .traits = common_traits,
         .level_box = [](N n, double level) { return union_box(n, level + 0.25 * n[0]); }, // as much as it swells
         .formula = [](Graph& g, N n,
                       F f) { return smooth_minimum(g, formula(g, n.child(0), f), formula(g, n.child(1), f), n[0]); }});
    kinds.push_back({.name = "smooth_intersection",
                     .dimension = 0,
                     .min_children = 2,
                     .max_children = 2,
                     .parameters = width,
                     .children_first = true,
                     .traits = common_traits,
                     .level_box = intersection_box,
                     .formula = [](Graph& g, N n, F f) {
                         return smooth_maximum(g, formula(g, n.child(0), f), formula(g, n.child(1), f), n[0]);
                     }});
    kinds.push_back({.name = "smooth_difference",
                     .dimension = 0,
                     .min_children = 2,
                     .max_children = 2,
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

} // namespace fathom
