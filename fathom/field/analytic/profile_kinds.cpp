// Catalogue of analytic shapes: profiles in the x-y plane, and the two operations that make solids from them. The
// half-space and sheets without thickness are in the first part.
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>
#include <numbers>

namespace fathom {

// ---- The half-space, and sheets without thickness (round() thickens them).

namespace {

using N = const AnalyticNode&;
using F = const Frame&;

constexpr std::array<bool, 3> uneven = {false, false, false};

// Distance to a planar convex polygon; the corners lie in the plane of the first three.
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
    if (!(longest >= AnalyticExpression::min_length) || !(area.norm() > 1e-12 * longest * longest))
        refuse(n, "the corners must not lie on a line");
}

// All corners must turn in the same direction about the normal and lie in the plane of the first three.
void check_quad(N n) {
    check_triangle(n);
    const Vec3 normal = (n.vector(3) - n.vector(0)).cross(n.vector(6) - n.vector(0)).normalized();
    const double longest = longest_side(n);
    if (std::abs(normal.dot(n.vector(9) - n.vector(0))) > 1e-9 * longest) refuse(n, "the corners must lie in a plane");
    for (std::size_t k = 0; k < 12; k += 3) {
        const Vec3 before = n.vector((k + 3) % 12) - n.vector(k),
                   after = n.vector((k + 6) % 12) - n.vector((k + 3) % 12);
        if (!(normal.dot(before.cross(after)) > 1e-12 * longest * longest))
            refuse(n, "the shape must be convex, with its corners in order");
    }
}

NodeId plane_formula(Graph& g, N n, F f) {
    const Vec3 normal = n.vector().normalized();
    Mat3 rows = Mat3::Zero();
    rows.row(0) = normal.transpose();
    return f.mapped(rows, Vec3(-n[3], 0, 0)).coordinate(g, 0);
}

Traits plane_traits(N n) { return {.even = {n[0] == 0, n[1] == 0, n[2] == 0}}; }

// The box is bounded on one side if the normal is along an axis.
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
    if (!(n.vector().norm() >= AnalyticExpression::min_length)) refuse(n, "the normal must not be 0");
}

std::vector<Parameter> corners(std::size_t count) {
    static constexpr std::string_view names[] = {"ax", "ay", "az", "bx", "by", "bz",
                                                 "cx", "cy", "cz", "dx", "dy", "dz"};
    std::vector<Parameter> list;
    for (std::size_t k = 0; k < 3 * count; ++k) list.push_back({names[k]});
    return list;
}

} // namespace

std::vector<AnalyticKind> flat_kinds() {
    std::vector<AnalyticKind> kinds;
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

namespace {

constexpr std::size_t max_corners = 4096;

Box flat_box(double x, double y, double level) { return grown_around({x, y, infinity}, level); }

NodeId polygon_formula(Graph& g, F f, std::span<const double> corners) {
    return g.apply(Op::polygon, {f.coordinate(g, 0), f.coordinate(g, 1)}, polygon_parameters(corners));
}

// Corners at equal angles from +x with alternating radii.
std::vector<double> around(std::size_t count, double radius, double next_radius) {
    std::vector<double> corners;
    for (std::size_t k = 0; k < count; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
        const double r = k % 2 == 0 ? radius : next_radius;
        corners.insert(corners.end(), {r * std::cos(angle), r * std::sin(angle)});
    }
    return corners;
}

std::size_t whole(double value) { return static_cast<std::size_t>(value); }

void check_polygon(N n) {
    const std::size_t size = n.numbers.size();
    if (size % 2 != 0) refuse(n, "expected pairs of numbers: x, y of each corner");
    if (size / 2 > max_corners) refuse(n, "expected at most 4096 corners");
    for (std::size_t k = 0; k < size; k += 2)
        if (!(std::hypot(n[k] - n[(k + 2) % size], n[k + 1] - n[(k + 3) % size]) >= AnalyticExpression::min_length))
            refuse(n, "neighbouring corners must differ");
}

// A polygon is convex if all its corners turn to the same side and it winds around once.
bool is_convex(N n) {
    const std::size_t size = n.numbers.size();
    int left = 0, right = 0;
    double turned = 0;
    for (std::size_t k = 0; k < size; k += 2) {
        const auto corner = [&](std::size_t i) { return Vec2(n[(k + 2 * i) % size], n[(k + 2 * i) % size + 1]); };
        const Vec2 before = corner(1) - corner(0), after = corner(2) - corner(1);
        const double cross = before.x() * after.y() - before.y() * after.x();
        ++(cross > 0 ? left : right);
        turned += std::atan2(cross, before.dot(after));
    }
    return (left == 0 || right == 0) && std::abs(turned) < 7;
}

Box polygon_box(N n, double level) {
    Box box;
    for (std::size_t k = 0; k < n.numbers.size(); k += 2) {
        box.extend(Vec3(n[k], n[k + 1], -infinity));
        box.extend(Vec3(n[k], n[k + 1], infinity));
    }
    return box.grown(level);
}

// The properties of a revolved profile depend on whether it reaches the axis: the profile's border there is not part of
// the solid's surface.
Traits revolved_traits(N n) {
    Traits traits = n.child().traits;
    const bool mirrored = n[0] == 0 && traits.even[0];
    const double left = level_box(n.child(), 0).lower.x() + n[0];
    traits.exact_outside = traits.exact_outside && (mirrored || left >= 0);
    traits.exact_inside = traits.exact_inside && (mirrored || left > 0);
    traits.convex = traits.convex && mirrored;
    traits.even = {true, true, traits.even[1]};
    return traits;
}

Box revolved_box(N n, double level) {
    const Box flat = level_box(n.child(), level);
    const double r = std::max(0.0, flat.upper.x() + n[0]);
    return {{-r, -r, flat.lower.y()}, {r, r, flat.upper.y()}};
}

NodeId revolved_formula(Graph& g, N n, F f) {
    const NodeId r = g.length(f.coordinate(g, 0), f.coordinate(g, 1));
    return formula(g, n.child(),
                   f.replaced({r, f.coordinate(g, 2), g.constant(0)}).mapped(Mat3::Identity(), Vec3(-n[0], 0, 0)));
}

Frame flattened(Graph& g, F f) { return f.replaced({f.coordinate(g, 0), f.coordinate(g, 1), g.constant(0)}); }

Traits extruded_traits(N n) {
    Traits traits = n.child().traits;
    traits.even[2] = true;
    return traits;
}

Box extruded_box(N n, double level) {
    Box box = level_box(n.child(), level);
    box.upper.z() = 0.5 * n[0] + level;
    box.lower.z() = -box.upper.z();
    return box;
}

std::vector<AnalyticKind> polygon_kinds() {
    const Parameter radius{"radius", Limits::positive};
    const auto plain = [](N) { return Traits{}; };
    std::vector<AnalyticKind> kinds;
    kinds.push_back({.name = "circle",
                     .dimension = 2,
                     .parameters = {radius},
                     .traits = plain,
                     .level_box = [](N n, double level) { return flat_box(n[0], n[0], level); },
                     .formula = [](Graph& g, N n,
                                   F f) { return g.plus(g.length(f.coordinate(g, 0), f.coordinate(g, 1)), -n[0]); }});
    kinds.push_back({.name = "rectangle",
                     .dimension = 2,
                     .parameters = {{"x", Limits::positive}, {"y", Limits::positive}},
                     .traits = plain,
                     .level_box = [](N n, double level) { return flat_box(0.5 * n[0], 0.5 * n[1], level); },
                     .formula =
                         [](Graph& g, N n, F f) {
                             const double p[] = {0.5 * n[0], 0.5 * n[1]};
                             return g.apply(Op::rectangle, {f.coordinate(g, 0), f.coordinate(g, 1)}, p);
                         }});
    kinds.push_back({.name = "polygon",
                     .dimension = 2,
                     .parameters = {{"x0"}, {"y0"}, {"x1"}, {"y1"}, {"x2"}, {"y2"}},
                     .more_numbers = true,
                     .check = check_polygon,
                     .traits =
                         [](N n) {
                             return Traits{.convex = is_convex(n), .even = {false, false, true}};
                         },
                     .level_box = polygon_box,
                     .formula = [](Graph& g, N n, F f) { return polygon_formula(g, f, n.numbers); }});
    kinds.push_back(
        {.name = "regular_polygon",
         .dimension = 2,
         .parameters = {{"sides", Limits::whole}, radius},
         .check =
             [](N n) {
                 if (n[0] < 3 || n[0] > max_corners) refuse(n, "sides must be from 3 to 4096");
             },
         .traits =
             [](N n) {
                 return Traits{.even = {whole(n[0]) % 2 == 0, true, true}};
             },
         .level_box = [](N n, double level) { return flat_box(n[1], n[1], level); },
         .formula = [](Graph& g, N n, F f) { return polygon_formula(g, f, around(whole(n[0]), n[1], n[1])); }});
    kinds.push_back(
        {.name = "star",
         .dimension = 2,
         .parameters = {{"points", Limits::whole}, radius, {"inner_radius", Limits::positive}},
         .check =
             [](N n) {
                 if (n[0] < 2 || 2 * n[0] > max_corners) refuse(n, "points must be from 2 to 2048");
                 if (n[2] > n[1]) refuse(n, "inner_radius must be at most radius");
             },
         .traits =
             [](N n) {
                 return Traits{.convex = false, .even = {whole(n[0]) % 2 == 0, true, true}};
             },
         .level_box = [](N n, double level) { return flat_box(n[1], n[1], level); },
         .formula = [](Graph& g, N n, F f) { return polygon_formula(g, f, around(2 * whole(n[0]), n[1], n[2])); }});
    return kinds;
}

} // namespace

std::vector<AnalyticKind> profile_kinds() {
    std::vector<AnalyticKind> kinds = polygon_kinds();
    kinds.push_back({.name = "extrude",
                     .child_dimension = 2,
                     .child_count = {1, 1},
                     .parameters = {{"height", Limits::positive}},
                     .traits = extruded_traits,
                     .level_box = extruded_box,
                     .formula = [](Graph& g, N n, F f) {
                         return g.corner(formula(g, n.child(), flattened(g, f)),
                                         g.plus(g.absolute(f.coordinate(g, 2)), -0.5 * n[0]));
                     }});
    kinds.push_back({.name = "infinite_extrude",
                     .child_dimension = 2,
                     .child_count = {1, 1},
                     .traits = extruded_traits,
                     .level_box = [](N n, double level) { return level_box(n.child(), level); },
                     .formula = [](Graph& g, N n, F f) { return formula(g, n.child(), flattened(g, f)); }});
    kinds.push_back({.name = "revolve",
                     .child_dimension = 2,
                     .child_count = {1, 1},
                     .parameters = {{"offset", Limits::any}},
                     .traits = revolved_traits,
                     .level_box = revolved_box,
                     .formula = revolved_formula});
    return kinds;
}

} // namespace fathom
