// The catalogue of shapes: balls, boxes, rings, and the paper's heart.
// The distances are those collected by I. Quilez ("distance functions"), derived anew so that each is free of branches.
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>

namespace fathom {

namespace {

using N = const FormulaNode&;
using F = const Frame&;

Traits plain_traits(N) { return {}; }

double smallest(N n) { return n.vector().minCoeff(); }

NodeId box_formula(Graph& g, F f, const Vec3& half) {
    const auto [x, y, z] = f.coordinates(g);
    const double p[] = {half.x(), half.y(), half.z()};
    return g.apply(Op::box, {x, y, z}, p);
}

// Bars along each axis, folded into one octant: the distance to the nearest of the three that meet in the corner.
NodeId box_frame_formula(Graph& g, N n, F f) {
    const Vec3 half = 0.5 * n.vector();
    const double bar = 0.5 * n[3];
    std::array<NodeId, 3> outer{}, folded{};
    for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<std::size_t>(k);
        outer[i] = g.plus(g.absolute(f.coordinate(g, k)), -half[k]);
        folded[i] = g.plus(outer[i], bar);
    }
    const auto bar_along = [&](std::size_t axis) {
        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double p[] = {half[static_cast<int>(axis)], bar, bar};
        return g.apply(Op::box, {f.coordinate(g, static_cast<int>(axis)), folded[u], folded[v]}, p);
    };
    return g.minimum(g.minimum(bar_along(0), bar_along(1)), bar_along(2));
}

// No closed form exists for the distance: the larger of two lower bounds, one good near the surface, one far away.
NodeId ellipsoid_formula(Graph& g, N n, F f) {
    const Vec3 radii = n.vector();
    const Mat3 shrink = radii.cwiseInverse().asDiagonal();
    const auto [x, y, z] = f.mapped(shrink, Vec3::Zero()).coordinates(g);
    const NodeId near = g.scale_add(g.length(x, y, z), smallest(n), -smallest(n));
    return g.maximum(near, box_formula(g, f, radii));
}

bool ring_is_exact(double radius, double tube) { return tube <= radius; } // a thicker tube overlaps itself inside

NodeId torus_formula(Graph& g, N n, F f) {
    const auto [x, y, z] = f.coordinates(g);
    return g.plus(g.length(g.plus(g.length(x, y), -n[0]), z), -n[1]);
}

NodeId capped_torus_formula(Graph& g, N n, F f) {
    const auto [x, y, z] = f.coordinates(g);
    const double p[] = {n[1], std::sin(n[0]), std::cos(n[0])};
    return g.plus(g.length(g.apply(Op::arc, {x, y}, p), z), -n[2]);
}

NodeId link_formula(Graph& g, N n, F f) {
    const auto [x, y, z] = f.coordinates(g);
    const double p[] = {0.5 * n[0]};
    const NodeId ring = g.plus(g.length(x, n[0] > 0 ? g.apply(Op::beyond, {z}, p) : z), -n[1]);
    return g.plus(g.length(ring, y), -n[2]);
}

// Equation 7 of paper 2; past |x| = 20, where its root has no value, the root counts as 0.
NodeId heart_formula(Graph& g, N, F f) {
    const auto [x, y, z] = f.coordinates(g);
    const NodeId side = g.absolute(x);
    const NodeId root = g.apply(Op::square_root, {g.scale_add(side, -1.0 / 15, 20.0 / 15)});
    const NodeId lobe = g.apply(Op::subtract, {g.scale_add(y, 1.2, 4), g.multiply(side, root)});
    const NodeId tilt = g.apply(Op::subtract, {z, g.scale_add(y, 1.0 / 15, 0)});
    return g.plus(g.add(g.add(g.square(x), g.square(lobe)), g.square(tilt)), -225);
}

Box heart_box(N, double level) {
    const double reach = std::sqrt(225 + level);
    const double lobe = 40.0 / 3 * std::sqrt(20.0 / 45); // largest |x| sqrt((20 - |x|) / 15)
    const double low = -(reach + 4) / 1.2, high = (reach - 4 + lobe) / 1.2;
    const double side = reach + std::max(-low, high) / 15;
    return {{-reach, low, -side}, {reach, high, side}};
}

void check_rounding(N n) {
    if (2 * n[3] > smallest(n)) refuse(n, "radius must be at most half the smallest size");
}

} // namespace

std::vector<Kind> solid_kinds() {
    const Parameter x{"x", Limits::positive}, y{"y", Limits::positive}, z{"z", Limits::positive};
    const Parameter radius{"radius", Limits::positive}, tube{"tube", Limits::positive};
    std::vector<Kind> kinds;
    kinds.push_back({.name = "sphere",
                     .parameters = {radius},
                     .traits = plain_traits,
                     .level_box = [](N n, double level) { return grown_around(Vec3::Constant(n[0]), level); },
                     .formula =
                         [](Graph& g, N n, F f) {
                             const auto [x, y, z] = f.coordinates(g);
                             return g.plus(g.length(x, y, z), -n[0]);
                         }});
    kinds.push_back({.name = "box",
                     .parameters = {x, y, z},
                     .traits = plain_traits,
                     .level_box = [](N n, double level) { return grown_around(0.5 * n.vector(), level); },
                     .formula = [](Graph& g, N n, F f) { return box_formula(g, f, 0.5 * n.vector()); }});
    kinds.push_back(
        {.name = "rounded_box",
         .parameters = {x, y, z, {"radius", Limits::not_negative}},
         .check = check_rounding,
         .traits = plain_traits,
         .level_box = [](N n, double level) { return grown_around(0.5 * n.vector(), level); },
         .formula = [](Graph& g, N n,
                       F f) { return g.plus(box_formula(g, f, 0.5 * n.vector() - Vec3::Constant(n[3])), -n[3]); }});
    kinds.push_back({.name = "box_frame",
                     .parameters = {x, y, z, {"thickness", Limits::positive}},
                     .check =
                         [](N n) {
                             if (n[3] > smallest(n)) refuse(n, "thickness must be at most the smallest size");
                         },
                     .traits = [](N) { return Traits{.exact_inside = false, .convex = false}; },
                     .level_box = [](N n, double level) { return grown_around(0.5 * n.vector(), level); },
                     .formula = box_frame_formula});
    kinds.push_back({.name = "ellipsoid",
                     .parameters = {x, y, z},
                     .traits = [](N) { return Traits{.exact_outside = false, .exact_inside = false}; },
                     .level_box = [](N n, double level) { return grown_around(n.vector(), level); },
                     .formula = ellipsoid_formula});
    kinds.push_back({.name = "torus",
                     .parameters = {radius, tube},
                     .traits = [](N n) { return Traits{.exact_inside = ring_is_exact(n[0], n[1]), .convex = false}; },
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[0] + n[1], n[0] + n[1], n[1]}, level);
                         },
                     .formula = torus_formula});
    kinds.push_back({.name = "capped_torus",
                     .parameters = {{"angle", Limits::positive}, radius, tube},
                     .check =
                         [](N n) {
                             if (n[0] > 3.1415926535897935) refuse(n, "angle must be at most pi");
                         },
                     .traits =
                         [](N n) {
                             const bool apart = n[0] <= 1.5707963267948966 || n[1] * std::sin(n[0]) >= n[2];
                             return Traits{.exact_inside = ring_is_exact(n[1], n[2]) && apart,
                                           .convex = false,
                                           .even = {false, true, true}};
                         },
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[1] + n[2], n[1] + n[2], n[2]}, level);
                         },
                     .formula = capped_torus_formula});
    kinds.push_back({.name = "link",
                     .parameters = {{"length", Limits::not_negative}, radius, tube},
                     .traits = [](N n) { return Traits{.exact_inside = ring_is_exact(n[1], n[2]), .convex = false}; },
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[1] + n[2], n[2], 0.5 * n[0] + n[1] + n[2]}, level);
                         },
                     .formula = link_formula});
    kinds.push_back({.name = "heart",
                     .traits =
                         [](N) {
                             return Traits{.lipschitz = std::numeric_limits<double>::infinity(),
                                           .exact_outside = false,
                                           .exact_inside = false,
                                           .convex = false,
                                           .even = {true, false, false}};
                         },
                     .level_box = heart_box,
                     .formula = heart_formula});
    return kinds;
}

} // namespace fathom
