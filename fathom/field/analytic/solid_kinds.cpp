// Catalogue of analytic shapes: spheres, boxes, tori, solids about the z axis, and the heart of Liu et al. 2024.
// The distances are those collected by I. Quilez ("distance functions"), derived again in a form without branches.
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>
#include <numbers>

namespace fathom {

// ---- Solids of revolution about the z axis, prisms and pyramids.
// The distance to a solid of revolution is that of (radius, z) to a profile that is mirrored at the axis, hence it is
// exact inside too.

namespace {

using N = const AnalyticNode&;
using F = const Frame&;

Traits plain_traits(N) { return {}; }
Traits upright_traits(N) { return {.even = {true, true, false}}; }

NodeId polygon(Graph& g, NodeId u, NodeId v, std::initializer_list<double> vertices) {
    return g.apply(Op::polygon, {u, v}, polygon_parameters({vertices.begin(), vertices.size()}));
}

NodeId radius(Graph& g, F f) { return g.length(f.coordinate(g, 0), f.coordinate(g, 1)); }

NodeId cylinder_formula(Graph& g, N n, F f) {
    return g.corner(g.plus(radius(g, f), -n[0]), g.plus(g.absolute(f.coordinate(g, 2)), -0.5 * n[1]));
}

// Profile of a cone, with its tip at the top or truncated there.
NodeId cone_profile(Graph& g, F f, double bottom, double top, double height) {
    const double h = 0.5 * height;
    const NodeId r = radius(g, f), z = f.coordinate(g, 2);
    if (top < AnalyticExpression::min_length) return polygon(g, r, z, {-bottom, -h, bottom, -h, 0, h});
    if (bottom < AnalyticExpression::min_length) return polygon(g, r, z, {0, -h, top, h, -top, h});
    return polygon(g, r, z, {-bottom, -h, bottom, -h, top, h, -top, h});
}

// Opens downward from its tip at the origin. Let m be the distance to the line of the lateral surface and t the
// parameter along it. The region t < 0 is entirely outside, and there the tip is the closest point.
NodeId infinite_cone_formula(Graph& g, N n, F f) {
    const double s = std::sin(n[0]), c = std::cos(n[0]);
    const NodeId r = radius(g, f), z = f.coordinate(g, 2), none = g.constant(0);
    const double across[] = {c, s, 0, 0}, along[] = {s, -c, 0, 0};
    const NodeId m = g.apply(Op::affine, {r, z, none}, across), t = g.apply(Op::affine, {r, z, none}, along);
    return g.add(g.at_most_zero(m), g.length(g.at_least_zero(m), g.at_most_zero(t)));
}

// Union of spheres whose centre moves from bottom to top while the radius changes; the closest sphere is found in
// closed form.
NodeId rounded_cone_formula(Graph& g, N n, F f) {
    const double slope = (n[0] - n[1]) / n[2], half = 0.5 * n[2];
    const NodeId r = radius(g, f), z = f.coordinate(g, 2);
    const double foot[] = {-slope / std::sqrt(1 - slope * slope), 1, 0, 0}, limits[] = {-half, half};
    const NodeId center = g.apply(Op::clamp, {g.apply(Op::affine, {r, z, g.constant(0)}, foot)}, limits);
    const NodeId sphere = g.scale_add(center, -slope, n[0] - slope * half);
    return g.apply(Op::subtract, {g.length(r, g.apply(Op::subtract, {z, center})), sphere});
}

void check_rounded_cone(N n) {
    if (std::abs(n[0] - n[1]) >= n[2] * (1 - 1e-12)) refuse(n, "height must exceed the difference of the radii");
}

// Evaluated in a frame whose z axis runs from a to b.
NodeId capsule_formula(Graph& g, N n, F f) {
    const Vec3 a = n.vector(0), b = n.vector(3);
    const double half = 0.5 * (b - a).norm(), p[] = {half};
    const Vec3 w = (b - a) / (2 * half), u = any_perpendicular(w);
    Mat3 turn;
    turn << u.transpose(), w.cross(u).transpose(), w.transpose();
    const auto [x, y, z] = f.mapped(turn, -(turn * (0.5 * (a + b)))).coordinates(g);
    return g.plus(g.length(x, y, g.apply(Op::beyond, {z}, p)), -n[6]);
}

Traits capsule_traits(N n) {
    Traits traits;
    const Vec3 a = n.vector(0), b = n.vector(3);
    for (int k = 0; k < 3; ++k) {
        Vec3 mirrored_a = a, mirrored_b = b;
        mirrored_a[k] = -a[k], mirrored_b[k] = -b[k];
        traits.even[static_cast<std::size_t>(k)] =
            (mirrored_a == a && mirrored_b == b) || (mirrored_a == b && mirrored_b == a);
    }
    return traits;
}

Box capsule_box(N n, double level) {
    Box box{n.vector(0), n.vector(0)};
    box.extend(n.vector(3));
    return box.grown(n[6] + level);
}

NodeId prism_formula(Graph& g, N n, F f, int sides) {
    std::vector<double> corners;
    for (int k = 0; k < sides; ++k) {
        const double angle = 2 * std::numbers::pi * k / sides;
        corners.insert(corners.end(), {n[0] * std::cos(angle), n[0] * std::sin(angle)});
    }
    const NodeId side = g.apply(Op::polygon, {f.coordinate(g, 0), f.coordinate(g, 1)}, polygon_parameters(corners));
    return g.corner(side, g.plus(g.absolute(f.coordinate(g, 2)), -0.5 * n[1]));
}

Box prism_box(N n, double level) { return grown_around({n[0], n[0], 0.5 * n[1]}, level); }

// Within one octant only one face matters: a triangle, evaluated in its own plane, with `m` the height above it.
NodeId octahedron_formula(Graph& g, N n, F f) {
    auto [x, y, z] = f.coordinates(g);
    x = g.absolute(x), y = g.absolute(y), z = g.absolute(z);
    const double c = 1 / std::sqrt(3.0), e = 1 / std::sqrt(2.0), s = 1 / std::sqrt(6.0), r = n[0];
    const double above[] = {c, c, c, -c * r}, first[] = {e, -e, 0, 0}, second[] = {-s, -s, 2 * s, 0};
    const NodeId m = g.apply(Op::affine, {x, y, z}, above);
    const NodeId face = polygon(g, g.apply(Op::affine, {x, y, z}, first), g.apply(Op::affine, {x, y, z}, second),
                                {e * r, -s * r, 0, 2 * s * r, -e * r, -s * r});
    return g.add(g.length(g.at_least_zero(face), g.at_least_zero(m)), g.at_most_zero(m));
}

// By symmetry the closest side face is that of the larger of |x| and |y|. Inside, the distance to the nearest plane is
// exact; outside, the minimum over that side face and the base is.
NodeId pyramid_formula(Graph& g, N n, F f) {
    const double b = 0.5 * n[0], h = n[1], slant = std::hypot(b, h);
    const NodeId x = g.absolute(f.coordinate(g, 0)), y = g.absolute(f.coordinate(g, 1)),
                 z = g.plus(f.coordinate(g, 2), 0.5 * h);
    const NodeId far = g.maximum(x, y), near = g.minimum(x, y), none = g.constant(0);
    const double above[] = {h / slant, b / slant, 0, -b * h / slant},
                 climbed[] = {-b / slant, h / slant, 0, b * b / slant};
    const NodeId m = g.apply(Op::affine, {far, z, none}, above), t = g.apply(Op::affine, {far, z, none}, climbed);
    const NodeId face = polygon(g, near, t, {-b, 0, b, 0, 0, slant});
    const double base[] = {b, b};
    const NodeId floor = g.apply(Op::rectangle, {far, near}, base);
    const NodeId outside = g.minimum(g.length(g.at_least_zero(face), m), g.length(g.at_least_zero(floor), z));
    // Sharpness of the corners: bound on the distance outside relative to a small height.
    const double sharpness[] = {4 * slant * slant / (b * h)};
    return g.apply(Op::signed_by, {outside, g.maximum(m, g.negate(z))}, sharpness);
}

std::vector<AnalyticKind> round_kinds() {
    const Parameter radius_parameter{"radius", Limits::positive}, height{"height", Limits::positive};
    const Parameter bottom{"bottom_radius", Limits::not_negative}, top{"top_radius", Limits::not_negative};
    std::vector<AnalyticKind> kinds;
    kinds.push_back({.name = "cylinder",
                     .parameters = {radius_parameter, height},
                     .traits = plain_traits,
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[0], n[0], 0.5 * n[1]}, level);
                         },
                     .formula = cylinder_formula});
    kinds.push_back({.name = "infinite_cylinder",
                     .parameters = {radius_parameter},
                     .traits = plain_traits,
                     .level_box =
                         [](N n, double level) {
                             return grown_around({n[0], n[0], infinity}, level);
                         },
                     .formula = [](Graph& g, N n, F f) { return g.plus(radius(g, f), -n[0]); }});
    kinds.push_back({.name = "cone",
                     .parameters = {radius_parameter, height},
                     .traits = upright_traits,
                     .level_box = prism_box,
                     .formula = [](Graph& g, N n, F f) { return cone_profile(g, f, n[0], 0, n[1]); }});
    kinds.push_back({.name = "infinite_cone",
                     .parameters = {{"angle", Limits::positive}},
                     .check =
                         [](N n) {
                             if (n[0] >= std::numbers::pi / 2) refuse(n, "angle must be below pi/2");
                         },
                     .traits = upright_traits,
                     .level_box = [](N, double) { return everywhere(); },
                     .formula = infinite_cone_formula});
    kinds.push_back({.name = "capped_cone",
                     .parameters = {bottom, top, height},
                     .check =
                         [](N n) {
                             if (std::max(n[0], n[1]) < AnalyticExpression::min_length)
                                 refuse(n, "one radius must be positive");
                         },
                     .traits = upright_traits,
                     .level_box =
                         [](N n, double level) {
                             const double r = std::max(n[0], n[1]);
                             return grown_around({r, r, 0.5 * n[2]}, level);
                         },
                     .formula = [](Graph& g, N n, F f) { return cone_profile(g, f, n[0], n[1], n[2]); }});
    kinds.push_back({.name = "rounded_cone",
                     .parameters = {bottom, top, height},
                     .check = check_rounded_cone,
                     .traits = upright_traits,
                     .level_box =
                         [](N n, double level) {
                             const double r = std::max(n[0], n[1]), h = 0.5 * n[2];
                             return Box{{-r, -r, -h - n[0]}, {r, r, h + n[1]}}.grown(level);
                         },
                     .formula = rounded_cone_formula});
    kinds.push_back({.name = "capsule",
                     .parameters = {{"ax"}, {"ay"}, {"az"}, {"bx"}, {"by"}, {"bz"}, radius_parameter},
                     .check =
                         [](N n) {
                             if (!((n.vector(0) - n.vector(3)).norm() >= AnalyticExpression::min_length))
                                 refuse(n, "the ends must differ");
                         },
                     .traits = capsule_traits,
                     .level_box = capsule_box,
                     .formula = capsule_formula});
    return kinds;
}

} // namespace

std::vector<AnalyticKind> cone_kinds() {
    const Parameter radius_parameter{"radius", Limits::positive}, height{"height", Limits::positive};
    std::vector<AnalyticKind> kinds = round_kinds();
    kinds.push_back({.name = "hexagonal_prism",
                     .parameters = {radius_parameter, height},
                     .traits = plain_traits,
                     .level_box = prism_box,
                     .formula = [](Graph& g, N n, F f) { return prism_formula(g, n, f, 6); }});
    kinds.push_back({.name = "triangular_prism",
                     .parameters = {radius_parameter, height},
                     .traits =
                         [](N) {
                             return Traits{.even = {false, true, true}};
                         },
                     .level_box = prism_box,
                     .formula = [](Graph& g, N n, F f) { return prism_formula(g, n, f, 3); }});
    kinds.push_back({.name = "octahedron",
                     .parameters = {radius_parameter},
                     .traits = plain_traits,
                     .level_box = [](N n, double level) { return grown_around(Vec3::Constant(n[0]), level); },
                     .formula = octahedron_formula});
    kinds.push_back({.name = "pyramid",
                     .parameters = {{"size", Limits::positive}, height},
                     .traits = upright_traits,
                     .level_box =
                         [](N n, double level) {
                             return grown_around({0.5 * n[0], 0.5 * n[0], 0.5 * n[1]}, level);
                         },
                     .formula = pyramid_formula});
    return kinds;
}

namespace {

double smallest(N n) { return n.vector().minCoeff(); }

NodeId box_formula(Graph& g, F f, const Vec3& half) {
    const auto [x, y, z] = f.coordinates(g);
    const double p[] = {half.x(), half.y(), half.z()};
    return g.apply(Op::box, {x, y, z}, p);
}

// Bars along each axis, folded into one octant: the minimum over the three bars that meet in the corner.
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

// The distance has no closed form. The value is the larger of two lower bounds, one tight near the surface, one far
// away.
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

// Liu et al. 2024, equation 7. Beyond |x| = 20, where its root is undefined, the root is taken as 0.
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
    const double lobe = 40.0 / 3 * std::sqrt(20.0 / 45); // maximum of |x| sqrt((20 - |x|) / 15)
    const double low = -(reach + 4) / 1.2, high = (reach - 4 + lobe) / 1.2;
    const double side = reach + std::max(-low, high) / 15;
    return {{-reach, low, -side}, {reach, high, side}};
}

void check_rounding(N n) {
    if (2 * n[3] > smallest(n)) refuse(n, "radius must be at most half the smallest size");
}

std::vector<AnalyticKind> box_kinds() {
    const Parameter x{"x", Limits::positive}, y{"y", Limits::positive}, z{"z", Limits::positive};
    const Parameter radius{"radius", Limits::positive};
    std::vector<AnalyticKind> kinds;
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
    return kinds;
}

} // namespace

std::vector<AnalyticKind> solid_kinds() {
    const Parameter radius{"radius", Limits::positive}, tube{"tube", Limits::positive};
    std::vector<AnalyticKind> kinds = box_kinds();
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
