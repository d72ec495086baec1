// A shape by formula: a primitive, or an operation on other shapes. What shapes.h builds, parse.h reads
// and analytic_field.h answers for. A shape of two dimensions is a profile, to be extruded or revolved. A small handle
// on an immutable tree: cheap to copy, thread-safe. Metres, radians.
#pragma once

#include <fathom/base/primitives.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// How the values of a formula relate to the true signed distance of its zero surface. Signs are always right.
enum class DistanceKind {
    exact,         // equal, inside and outside
    exact_outside, // equal outside; inside, a lower bound on the depth (unions, for one)
    exact_inside,  // equal inside; outside, a lower bound on the distance (intersections)
    lower_bound,   // never larger in size than the true distance
    not_a_distance // |value| / lipschitz is a lower bound where the Lipschitz constant is finite; else only sign and
                   // range count
};

[[nodiscard]] std::string_view name(DistanceKind kind);

struct AnalyticNode;

class AnalyticExpression {
public:
    static constexpr std::size_t max_depth = 256;     // of operations within operations
    static constexpr std::size_t max_weight = 50'000; // shapes in the tree, shared ones counted each time
    static constexpr double max_length = 1e15;        // every number of a shape is within +- this (m)
    static constexpr double min_length = 1e-15;       // what must be positive is at least this (m)

    // By the names of the text form (docs/analytic-fields.md): a unit box is AnalyticExpression("box", {1, 1, 1}).
    // Error{invalid_argument} names the shape, the number and its range; Error{too_large} a limit above.
    AnalyticExpression(std::string_view kind, std::vector<double> parameters,
                       std::vector<AnalyticExpression> children = {});

    [[nodiscard]] int dimension() const;    // 2 or 3
    [[nodiscard]] double lipschitz() const; // true bound; infinity where there is none
    [[nodiscard]] DistanceKind distance_kind() const;
    [[nodiscard]] Box bounds() const;         // of the surface and the inside; infinite where unbounded
    [[nodiscard]] std::size_t weight() const; // shapes in the tree
    [[nodiscard]] std::string text() const;   // parse_shape() reads it back, number by number

    [[nodiscard]] const AnalyticNode& node() const { return *node_; }
    friend bool operator==(const AnalyticExpression& a,
                           const AnalyticExpression& b); // the same formula, number by number

private:
    std::shared_ptr<const AnalyticNode> node_;
};

// The text form of shapes, as files, the command line and Python carry it:
//     let r = 0.2;                       # a comment; numbers and shapes may have names
//     smooth_union(sphere(1), translate(x = 1, 0, 0, box([1, 2, 3] )), r / 2)
// Names and numbers are those of shapes.h, in order or by name; shapes and numbers may be mixed, [a, b, c] is three
// numbers. Arithmetic: + - * / ( ), pi, sqrt, sin, cos, tan, degrees (to radians). Metres, radians. Text is hostile
// until read: depth, size and time are bounded (AnalyticExpression::max_depth, AnalyticExpression::max_weight).
// O(length). Thread-safe.

// Error{malformed} with the line in its place and the column in its reason; Error{invalid_argument} and {too_large} of
// the shapes themselves likewise. `source` names the text in messages.
[[nodiscard]] AnalyticExpression parse_shape(std::string_view text, std::string_view source = {});

} // namespace fathom
