// Formulas as a graph: every operation is stored once, however often it is used.
// Equal operations on equal operands share a node, constants are folded, and chains of "times c plus d" become one
// node. Operations are as large as a whole box or polygon, because a known clump has a tighter range over a box than
// its parts. Not for users: shapes.h builds graphs, tape.h runs them. A graph belongs to one thread while it is built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fathom {

// In the comments a, b, c are operands and p0, p1, ... parameters. All are continuous except saw.
enum class Op : std::uint8_t {
    constant, // p0
    x,        // coordinates of the point (m)
    y,
    z,
    add,            // a + b
    subtract,       // a - b
    multiply,       // a * b
    scale_add,      // p0 a + p1
    affine,         // p0 a + p1 b + p2 c + p3
    negate,         // -a
    absolute,       // |a|
    square,         // a^2
    square_root,    // sqrt(max(a, 0))
    minimum,        // min(a, b); at a tie the slope is that of a
    maximum,        // max(a, b); likewise
    smooth_minimum, // min(a, b) - max(p0 - |a - b|, 0)^2 / (4 p0)
    sine,           // sin(a)
    cosine,         // cos(a)
    length2,        // sqrt(a^2 + b^2); at 0 the slope is that of a
    length3,        // sqrt(a^2 + b^2 + c^2); likewise
    corner,         // distance to the quadrant a <= 0, b <= 0
    rectangle,      // corner of |a| - p0, |b| - p1
    box,            // the same in three dimensions: paper 2, equations 1 and 2
    clamp,          // a, but at least p0 and at most p1
    beyond,         // a - clamp(a, -p0, p0)
    fold,           // distance of a to the nearest k p0, k a whole number in [p1, p2]
    saw,            // a - p0 k, k the whole number in [p1, p2] that leaves the rest in [0, p0) where it can
    pull,           // p0 / max(a, p0), the factor that brings a length a down to p0
    polygon,        // signed distance of (a, b) to a closed polygon; p as packed by polygon_parameters()
    arc,            // distance of (a, b) to the arc of radius p0 about 0, half angle from +a with sine p1, cosine p2
    signed_by,      // b > 0 ? a : b, where a vanishes with b and never exceeds p0 |b| near there
};

[[nodiscard]] int operand_count(Op op);

using NodeId = std::uint32_t;

struct Node {
    Op op = Op::constant;
    NodeId operands[3] = {};
    std::uint32_t parameters = 0; // where they start in Graph::parameters()
};

// Vertices x0, y0, x1, y1, ... of a closed polygon, as the operation wants them.
[[nodiscard]] std::vector<double> polygon_parameters(std::span<const double> vertices);

class Graph {
public:
    static constexpr std::size_t max_nodes = 30000; // past it Error{too_large}

    Graph();

    [[nodiscard]] NodeId coordinate(int axis) const { return static_cast<NodeId>(axis); }
    [[nodiscard]] NodeId constant(double value);
    [[nodiscard]] NodeId apply(Op op, std::initializer_list<NodeId> operands, std::span<const double> parameters = {});

    // Shorthands; those with numbers fold into scale_add.
    [[nodiscard]] NodeId scale_add(NodeId a, double factor, double shift);
    [[nodiscard]] NodeId add(NodeId a, NodeId b) { return apply(Op::add, {a, b}); }
    [[nodiscard]] NodeId plus(NodeId a, double shift) { return scale_add(a, 1, shift); }
    [[nodiscard]] NodeId multiply(NodeId a, NodeId b) { return apply(Op::multiply, {a, b}); }
    [[nodiscard]] NodeId negate(NodeId a) { return apply(Op::negate, {a}); }
    [[nodiscard]] NodeId absolute(NodeId a) { return apply(Op::absolute, {a}); }
    [[nodiscard]] NodeId square(NodeId a) { return apply(Op::square, {a}); }
    [[nodiscard]] NodeId minimum(NodeId a, NodeId b) { return apply(Op::minimum, {a, b}); }
    [[nodiscard]] NodeId maximum(NodeId a, NodeId b) { return apply(Op::maximum, {a, b}); }
    [[nodiscard]] NodeId at_least_zero(NodeId a) { return maximum(a, constant(0)); }
    [[nodiscard]] NodeId at_most_zero(NodeId a) { return minimum(a, constant(0)); }
    [[nodiscard]] NodeId length(NodeId a, NodeId b) { return apply(Op::length2, {a, b}); }
    [[nodiscard]] NodeId length(NodeId a, NodeId b, NodeId c) { return apply(Op::length3, {a, b, c}); }
    [[nodiscard]] NodeId corner(NodeId a, NodeId b) { return apply(Op::corner, {a, b}); }

    // What is known of a node as a function of the point: it changes by at most `slope` a metre. Makes its ranges
    // tighter.
    void bound_slope(NodeId a, double slope);
    [[nodiscard]] double slope(NodeId a) const { return slopes_[a]; } // infinity where nothing is known

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; } // operands come before their users
    [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }

private:
    [[nodiscard]] bool is_constant(NodeId a) const { return nodes_[a].op == Op::constant; }
    [[nodiscard]] double value(NodeId a) const { return parameters_[nodes_[a].parameters]; }
    [[nodiscard]] bool folds(Op op, std::span<const NodeId> operands, double& result) const;
    [[nodiscard]] NodeId stored(Op op, std::span<const NodeId> operands, std::span<const double> parameters);

    std::vector<Node> nodes_;
    std::vector<double> slopes_; // one a node
    std::vector<double> parameters_;
    std::unordered_map<std::string, NodeId> known_; // by the bytes of operation, operands and parameters
};

} // namespace fathom
