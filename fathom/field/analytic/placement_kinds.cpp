// Catalogue of analytic shapes: translation, rotation, scaling, mirroring, repetition.
// A repetition is the exact union of the copies. An even shape is folded into one cell. Any other shape is evaluated in
// the two nearest cells of each axis, which suffices if its distance is exact outside and it fits into its cell.
#include <fathom/base/rounding.h>
#include <fathom/field/analytic/analytic_kinds.h>

#include <cmath>

namespace fathom {

namespace {

using N = const AnalyticNode&;
using F = const Frame&;

// Replaces values that differ from 0 or +-1 only by rounding, so that ranges over boxes stay tight at right angles.
Mat3 tidy(const Mat3& rotation) {
    return rotation.unaryExpr([](double v) {
        const double whole = std::round(v);
        return std::abs(v - whole) < 4e-16 ? whole : v;
    });
}

Pose pose_of(N n) { return {Quat(n[0], n[1], n[2], n[3]).normalized(), n.vector(4)}; }
Pose turn_of(N n) { return Pose::from_axis_angle(n[0], n.vector(1).normalized()); }
Pose flat_turn_of(N n) { return Pose::from_axis_angle(n[0], Vec3::UnitZ()); }
Pose move_of(N n) { return Pose::from_translation(n.vector()); }
Pose flat_move_of(N n) { return Pose::from_translation({n[0], n[1], 0}); }

double product(double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; } // 0 times an infinite bound is 0

Box mapped_box(const Box& box, const Mat3& matrix, const Vec3& shift) {
    if (box.empty()) return {};
    Box out{shift, shift};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const double p = product(matrix(i, k), box.lower[k]), q = product(matrix(i, k), box.upper[k]);
            out.lower[i] += std::min(p, q);
            out.upper[i] += std::max(p, q);
        }
    return out;
}

template <Pose (*PoseOf)(N)>
Traits placed_traits(N n) {
    const Mat3 turn = tidy(PoseOf(n).rotation.toRotationMatrix());
    const Vec3 move = PoseOf(n).translation;
    Traits traits = n.child().traits;
    for (int i = 0; i < 3; ++i) {
        bool even = false;
        for (int k = 0; k < 3; ++k)
            even = even ||
                   (std::abs(turn(i, k)) == 1 && move[i] == 0 && n.child().traits.even[static_cast<std::size_t>(k)]);
        traits.even[static_cast<std::size_t>(i)] = even;
    }
    return traits;
}

template <Pose (*PoseOf)(N)>
Box placed_box(N n, double level) {
    const Pose place = PoseOf(n);
    return mapped_box(level_box(n.child(), level), tidy(place.rotation.toRotationMatrix()), place.translation);
}

template <Pose (*PoseOf)(N)>
NodeId placed_formula(Graph& g, N n, F f) {
    const Pose place = PoseOf(n);
    const Mat3 back = tidy(place.rotation.toRotationMatrix()).transpose();
    return formula(g, n.child(), f.mapped(back, -(back * place.translation)));
}

template <Pose (*PoseOf)(N)>
AnalyticKind placement(std::string_view name, int dimension, const std::vector<Parameter>& parameters,
                       void (*check)(N) = nullptr) {
    return {.name = name,
            .dimension = dimension,
            .child_dimension = dimension,
            .child_count = {1, 1},
            .parameters = parameters,
            .check = check,
            .traits = placed_traits<PoseOf>,
            .level_box = placed_box<PoseOf>,
            .formula = placed_formula<PoseOf>};
}

// ---- Mirror

int axis_of(const Vec3& normal) {
    for (int k = 0; k < 3; ++k)
        if (normal[k] != 0 && normal.cwiseAbs().sum() == std::abs(normal[k])) return k;
    return -1;
}

Mat3 reflection(const Vec3& unit) { return Mat3::Identity() - 2 * unit * unit.transpose(); }

// Distances stay exact if the shape is on the normal's side: there every point is nearer to the original than to its
// image.
Traits mirrored_traits(N n) {
    const Vec3 normal = n.vector();
    const int axis = axis_of(normal);
    Traits traits = n.child().traits;
    const Box box = level_box(n.child(), 0);
    const double nearest = axis < 0 ? -infinity : normal[axis] > 0 ? box.lower[axis] : -box.upper[axis];
    traits.exact_outside = traits.exact_outside && nearest >= 0;
    traits.exact_inside = traits.exact_inside && nearest > 0;
    traits.convex = false;
    if (axis < 0)
        traits.even = {false, false, false};
    else
        traits.even[static_cast<std::size_t>(axis)] = true;
    return traits;
}

Box mirrored_box(N n, double level) {
    const Box box = level_box(n.child(), level);
    return hull(box, mapped_box(box, reflection(n.vector().normalized()), Vec3::Zero()));
}

NodeId mirrored_formula(Graph& g, N n, F f) {
    const Vec3 unit = n.vector().normalized();
    std::array<NodeId, 3> at = f.coordinates(g);
    const int axis = axis_of(n.vector());
    if (axis >= 0) {
        NodeId& along = at[static_cast<std::size_t>(axis)];
        along = g.scale_add(g.absolute(along), unit[axis], 0);
        return formula(g, n.child(), f.replaced(at));
    }
    const double p[] = {unit.x(), unit.y(), unit.z(), 0};
    const NodeId behind = g.at_most_zero(g.apply(Op::affine, {at[0], at[1], at[2]}, p));
    for (int k = 0; k < 3; ++k) {
        NodeId& c = at[static_cast<std::size_t>(k)];
        c = g.add(c, g.scale_add(behind, -2 * unit[k], 0));
    }
    return formula(g, n.child(), f.replaced(at));
}

// ---- Repetition

constexpr double unlimited = infinity;
double copies(N n, std::size_t axis) { return n.numbers.size() > 3 ? n[3 + axis] : unlimited; }
bool repeats(N n, std::size_t axis) { return n[axis] > 0 && copies(n, axis) > 1; }

void check_repetition(N n) {
    const Traits& child = n.child().traits;
    const Box box = level_box(n.child(), 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!repeats(n, axis)) continue;
        if (n[axis] < AnalyticExpression::min_length) refuse(n, "a spacing must be 0 (none) or at least 1e-15");
        const double half = outward(0.5 * n[axis]);
        const auto k = static_cast<int>(axis);
        if (!box.empty() && !(box.lower[k] >= -half && box.upper[k] <= half))
            refuse(n, "the shape must fit into its cell");
        if (!child.even[axis] && !child.exact_outside)
            refuse(
                n,
                "a shape that is not symmetric must have exact distances outside; repeat_mirrored accepts any shape");
    }
}

Traits repeated_traits(N n) {
    Traits traits = n.child().traits;
    const Box box = level_box(n.child(), 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!repeats(n, axis)) continue;
        traits.convex = false;
        const auto k = static_cast<int>(axis);
        if (!(std::max(-box.lower[k], box.upper[k]) < 0.5 * n[axis])) traits.exact_inside = false; // copies touch
    }
    return traits;
}

Box repeated_box(N n, double level) {
    Box box = level_box(n.child(), level);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!repeats(n, axis)) continue;
        const auto k = static_cast<int>(axis);
        const double reach = 0.5 * n[axis] * (copies(n, axis) - 1);
        box.lower[k] -= reach;
        box.upper[k] += reach;
    }
    return box;
}

// Minimum over the cells below and above, for each axis that needs both.
NodeId nearest_copy(Graph& g, N n, F f, std::array<NodeId, 3> at, std::size_t axis) {
    while (axis < 3 && (!repeats(n, axis) || n.child().traits.even[axis])) ++axis;
    if (axis == 3) return formula(g, n.child(), f.replaced(at));
    const NodeId below = nearest_copy(g, n, f, at, axis + 1);
    at[axis] = g.plus(at[axis], -n[axis]);
    return g.minimum(below, nearest_copy(g, n, f, at, axis + 1));
}

NodeId repeated_formula(Graph& g, N n, F f) {
    std::array<NodeId, 3> at = f.coordinates(g);
    double stretch = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!repeats(n, axis)) continue;
        const double count = copies(n, axis), spacing = n[axis];
        const bool endless = count == unlimited, even = n.child().traits.even[axis];
        const double first = endless ? -infinity : 0, last = endless ? infinity : count - (even ? 1 : 2);
        const double p[] = {spacing, first, last};
        if (!endless) at[axis] = g.plus(at[axis], 0.5 * spacing * (count - 1));
        at[axis] = g.apply(even ? Op::fold : Op::saw, {at[axis]}, p);
        if (!even) stretch = infinity; // the saw is discontinuous; only the minimum over the copies is continuous again
    }
    return nearest_copy(g, n, f.mapped(Mat3::Identity(), Vec3::Zero(), stretch), at, 0);
}

// Every second cell is a mirror image, so that neighbouring cells agree on their border for any shape.
NodeId zigzag_formula(Graph& g, N n, F f) {
    std::array<NodeId, 3> at = f.coordinates(g);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(n[axis] > 0)) continue;
        const double p[] = {2 * n[axis], -infinity, infinity};
        at[axis] = g.plus(g.apply(Op::fold, {g.plus(at[axis], 0.5 * n[axis])}, p), -0.5 * n[axis]);
    }
    return formula(g, n.child(), f.replaced(at));
}

Traits zigzag_traits(N n) {
    Traits traits = n.child().traits;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (n[axis] > 0) traits.exact_outside = traits.exact_inside = traits.convex = false;
    return traits;
}

Box zigzag_box(N n, double level) {
    Box box = level_box(n.child(), level);
    for (int k = 0; k < 3; ++k)
        if (n[static_cast<std::size_t>(k)] > 0) box.lower[k] = -infinity, box.upper[k] = infinity;
    return box;
}

} // namespace

std::vector<AnalyticKind> placement_kinds() {
    const auto not_zero = [](N n) {
        if (!(n.vector(1).norm() >= AnalyticExpression::min_length)) refuse(n, "the axis must not be 0");
    };
    std::vector<AnalyticKind> kinds;
    kinds.push_back(placement<pose_of>("transform", 3, {{"qw"}, {"qx"}, {"qy"}, {"qz"}, {"x"}, {"y"}, {"z"}}, [](N n) {
        if (!(Eigen::Vector4d(n[0], n[1], n[2], n[3]).norm() >= AnalyticExpression::min_length))
            refuse(n, "the quaternion must not be 0");
    }));
    kinds.push_back(placement<move_of>("translate", 3, {{"x"}, {"y"}, {"z"}}));
    kinds.push_back(placement<turn_of>("rotate", 3, {{"angle"}, {"x"}, {"y"}, {"z"}}, not_zero));
    kinds.push_back(placement<flat_move_of>("translate2", 2, {{"x"}, {"y"}}));
    kinds.push_back(placement<flat_turn_of>("rotate2", 2, {{"angle"}}));
    kinds.push_back({.name = "scale",
                     .dimension = 0,
                     .child_count = {1, 1},
                     .parameters = {{"factor", Limits::positive}},
                     .traits = [](N n) { return n.child().traits; },
                     .level_box =
                         [](N n, double level) {
                             const Box box = level_box(n.child(), level / n[0]);
                             return Box{n[0] * box.lower, n[0] * box.upper};
                         },
                     .formula =
                         [](Graph& g, N n, F f) {
                             return g.scale_add(
                                 formula(g, n.child(), f.mapped(Mat3::Identity() / n[0], Vec3::Zero(), 1 / n[0])), n[0],
                                 0);
                         }});
    kinds.push_back({.name = "mirror",
                     .child_dimension = 3,
                     .child_count = {1, 1},
                     .parameters = {{"nx"}, {"ny"}, {"nz"}},
                     .check =
                         [](N n) {
                             if (!(n.vector().norm() >= AnalyticExpression::min_length))
                                 refuse(n, "the normal must not be 0");
                         },
                     .traits = mirrored_traits,
                     .level_box = mirrored_box,
                     .formula = mirrored_formula});
    const Parameter x{"x", Limits::not_negative}, y{"y", Limits::not_negative}, z{"z", Limits::not_negative};
    kinds.push_back({.name = "repeat",
                     .child_dimension = 3,
                     .child_count = {1, 1},
                     .parameters = {x, y, z},
                     .check = check_repetition,
                     .traits = repeated_traits,
                     .level_box = repeated_box,
                     .formula = repeated_formula});
    kinds.push_back(
        {.name = "repeat_limited",
         .child_dimension = 3,
         .child_count = {1, 1},
         .parameters = {x, y, z, {"count_x", Limits::whole}, {"count_y", Limits::whole}, {"count_z", Limits::whole}},
         .check = check_repetition,
         .traits = repeated_traits,
         .level_box = repeated_box,
         .formula = repeated_formula});
    kinds.push_back({.name = "repeat_mirrored",
                     .child_dimension = 3,
                     .child_count = {1, 1},
                     .parameters = {x, y, z},
                     .check =
                         [](N n) {
                             for (std::size_t k = 0; k < 3; ++k)
                                 if (n[k] > 0 && n[k] < AnalyticExpression::min_length)
                                     refuse(n, "a spacing must be 0 (none) or at least 1e-15");
                         },
                     .traits = zigzag_traits,
                     .level_box = zigzag_box,
                     .formula = zigzag_formula});
    return kinds;
}

} // namespace fathom
