// Analytic expression of a shape: a primitive, or an operation on other expressions.
// The functions of primitives.h build expressions, parse_shape() reads them from text, and AnalyticField evaluates
// them. An expression of two dimensions is a profile, which is extruded or revolved into a solid. An object is a small
// handle on an immutable tree: cheap to copy, thread-safe. Metres, radians.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// Relation of the values of an expression to the true signed distance of its zero surface. Signs are always correct.
enum class DistanceKind {
    exact,         // equal inside and outside
    exact_outside, // equal outside; inside, a lower bound on the depth (for example unions)
    exact_inside,  // equal inside; outside, a lower bound on the distance (for example intersections)
    lower_bound,   // the magnitude never exceeds the true distance
    // |value| / lipschitz is a lower bound if the Lipschitz constant is finite; otherwise only sign and range are
    // meaningful
    not_a_distance
};

[[nodiscard]] std::string_view name(DistanceKind kind);

struct AnalyticNode;

class AnalyticExpression {
public:
    static constexpr std::size_t max_depth = 256;        // depth of nested operations
    static constexpr std::size_t max_weight = 50'000;    // shapes in the tree; shared ones count each time
    static constexpr double max_length = max_coordinate; // largest magnitude of any number of a shape (m)
    static constexpr double min_length = min_extent;     // smallest value of a number that must be positive (m)

    // Kinds and parameters have the names of the text form (docs/analytic-fields.md): a unit box is
    // AnalyticExpression("box", {1, 1, 1}). Throws Error{invalid_argument}, which names the shape, the number and its
    // range, or Error{too_large} if a limit above is exceeded.
    AnalyticExpression(std::string_view kind, std::vector<double> parameters,
                       std::vector<AnalyticExpression> children = {});

    [[nodiscard]] int dimension() const;    // 2 or 3
    [[nodiscard]] double lipschitz() const; // proven bound; infinity if there is none
    [[nodiscard]] DistanceKind distance_kind() const;
    [[nodiscard]] Box bounds() const;         // box of the surface and the interior; infinite if unbounded
    [[nodiscard]] std::size_t weight() const; // number of shapes in the tree
    [[nodiscard]] std::string text() const;   // text form; parse_shape() restores the same numbers

    [[nodiscard]] const AnalyticNode& node() const { return *node_; }
    // Whether both are the same expression with the same numbers.
    friend bool operator==(const AnalyticExpression& a, const AnalyticExpression& b);

private:
    std::shared_ptr<const AnalyticNode> node_;
};

// Text form of expressions, used in files, on the command line and in Python:
//     let r = 0.2;                       # a comment; numbers and shapes may have names
//     smooth_union(sphere(1), translate(x = 1, 0, 0, box([1, 2, 3] )), r / 2)
// Names and parameters are those of primitives.h. Parameters are given in order or by name; shapes and numbers may be
// mixed, and [a, b, c] stands for three numbers. Arithmetic: + - * / ( ), pi, sqrt, sin, cos, tan, degrees (to
// radians). Metres, radians. Text is not trusted: depth, size and time are bounded (AnalyticExpression::max_depth,
// AnalyticExpression::max_weight). Cost: O(length). Thread-safe.

// Throws Error{malformed} with the line in its place and the column in its reason; Error{invalid_argument} and
// Error{too_large} of the shapes themselves likewise. `source` names the text in messages.
[[nodiscard]] AnalyticExpression parse_shape(std::string_view text, std::string_view source = {});

} // namespace fathom
