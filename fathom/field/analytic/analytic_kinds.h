// Catalogue of analytic shape kinds: name, parameters, properties and expression of each. Internal.
// A new shape is one entry in one of the *_kinds.cpp files and a builder function in primitives.h. The text form, the
// checks, the bounds and the tests over all kinds follow from the entry.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/expression_graph.h>

#include <array>
#include <limits>

namespace fathom {

enum class Limits { any, positive, not_negative, whole }; // whole: 1, 2, 3, ...

struct Parameter {
    std::string_view name{};
    Limits limits = Limits::any;
};

// Proven properties of a shape; see DistanceKind.
struct Traits {
    double lipschitz = 1;
    bool exact_outside = true;
    bool exact_inside = true;
    bool convex = true;
    std::array<bool, 3> even = {true, true, true}; // the value does not change if that coordinate changes sign
};

// Coordinates in which an expression is evaluated: an affine map of three values of the graph. Placements only change
// the map; it is written into the graph when a coordinate is needed, so nested placements cost one operation.
struct Frame {
    std::array<NodeId, 3> base = {0, 1, 2};
    Mat3 linear = Mat3::Identity();
    Vec3 offset = Vec3::Zero();
    double stretch = 1; // upper bound on the change of the coordinates per metre of motion of the point

    [[nodiscard]] NodeId coordinate(Graph& graph, int axis) const;
    [[nodiscard]] std::array<NodeId, 3> coordinates(Graph& graph) const;
    // Applies matrix * coordinates + shift; the matrix stretches lengths by at most `by`.
    [[nodiscard]] Frame mapped(const Mat3& matrix, const Vec3& shift, double by = 1) const {
        return {base, matrix * linear, matrix * offset + shift, stretch * by};
    }
    // Replaces the coordinates by others, whose slope with respect to the present ones is at most `by`.
    [[nodiscard]] Frame replaced(const std::array<NodeId, 3>& others, double by = 1) const {
        return {.base = others, .stretch = stretch * by};
    }
};

struct ChildCount {
    std::size_t min = 0, max = 0;
};

struct AnalyticKind {
    std::string_view name{};
    int dimension = 3;       // 0: the dimension of the children, which must agree
    int child_dimension = 0; // 0: any
    ChildCount child_count{};
    std::vector<Parameter> parameters{};
    bool more_numbers = false;   // any count of numbers may follow the named ones (vertices of a polygon)
    bool children_first = false; // in the text form, children precede the numbers
    void (*check)(const AnalyticNode&) = nullptr; // checks beyond the limits of each number
    Traits (*traits)(const AnalyticNode&) = nullptr;
    // Box that contains every point with value <= level; level >= 0.
    Box (*level_box)(const AnalyticNode&, double level) = nullptr;
    NodeId (*formula)(Graph&, const AnalyticNode&, const Frame&) = nullptr;
};

struct AnalyticNode {
    const AnalyticKind* kind = nullptr;
    std::vector<double> numbers{};
    std::vector<AnalyticExpression> children{};
    int dimension = 3;
    Traits traits{};
    std::size_t depth = 1;
    std::size_t weight = 1;
    double scaling = 0; // largest sum of |log(factor)| over the scale operations on a path from here to a leaf

    [[nodiscard]] double operator[](std::size_t k) const { return numbers[k]; }
    [[nodiscard]] const AnalyticNode& child(std::size_t k = 0) const { return children[k].node(); }
    [[nodiscard]] Vec3 vector(std::size_t first = 0) const {
        return {numbers[first], numbers[first + 1], numbers[first + 2]};
    }
};

[[nodiscard]] const std::vector<AnalyticKind>& analytic_kinds(); // sorted by name
[[nodiscard]] const AnalyticKind* find_kind(std::string_view name);

// Families of kinds, one file each.
[[nodiscard]] std::vector<AnalyticKind> solid_kinds();
[[nodiscard]] std::vector<AnalyticKind> cone_kinds();
[[nodiscard]] std::vector<AnalyticKind> flat_kinds();
[[nodiscard]] std::vector<AnalyticKind> profile_kinds();
[[nodiscard]] std::vector<AnalyticKind> combination_kinds();
[[nodiscard]] std::vector<AnalyticKind> placement_kinds();
[[nodiscard]] std::vector<AnalyticKind> deformation_kinds();

// ---- Functions shared by the families

[[nodiscard]] inline NodeId formula(Graph& graph, const AnalyticNode& node, const Frame& frame) {
    const NodeId value = node.kind->formula(graph, node, frame);
    graph.bound_slope(value, node.traits.lipschitz * frame.stretch);
    return value;
}
[[nodiscard]] inline Box level_box(const AnalyticNode& node, double level) { return node.kind->level_box(node, level); }
[[nodiscard]] Box everywhere();
[[nodiscard]] inline Box grown_around(const Vec3& half, double level) {
    return Box::around(Vec3::Zero(), half).grown(level);
}

// Throws Error{invalid_argument} such as "torus: tube must ...".
[[noreturn]] void refuse(const AnalyticNode& node, std::string_view complaint);

} // namespace fathom
