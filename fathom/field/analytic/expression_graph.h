// Expression graph in which every operation is stored once, however often it is used. Internal.
// Equal operations on equal operands share a node, constants are folded, and chains of "times c plus d" become one
// node. Some operations are as large as a whole box or polygon, because the range of such a unit over a box is tighter
// than the range computed from its parts. The kinds of analytic_kinds.h build graphs, tape.h runs them. A graph belongs
// to one thread while it is built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fathom {

// In the comments a, b, c are operands and p0, p1, ... parameters. All operations are continuous except saw.
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
    maximum,        // max(a, b); at a tie the slope is that of a
    smooth_minimum, // min(a, b) - max(p0 - |a - b|, 0)^2 / (4 p0)
    sine,           // sin(a)
    cosine,         // cos(a)
    length2,        // sqrt(a^2 + b^2); at 0 the slope is that of a
    length3,        // sqrt(a^2 + b^2 + c^2); at 0 the slope is that of a
    corner,         // distance to the quadrant a <= 0, b <= 0
    rectangle,      // corner of |a| - p0, |b| - p1
    box,            // the same in three dimensions (Liu et al. 2024, equations 1 and 2)
    clamp,          // min(max(a, p0), p1)
    beyond,         // a - clamp(a, -p0, p0)
    fold,           // distance from a to the nearest k p0, where k is an integer in [p1, p2]
    saw,            // a - p0 k, where the integer k in [p1, p2] puts the remainder into [0, p0) if possible
    pull,           // p0 / max(a, p0), the factor that reduces a length a to p0
    polygon,        // signed distance from (a, b) to a closed polygon; p as packed by polygon_parameters()
    arc,            // distance from (a, b) to the arc of radius p0 about 0, half angle from +a with sine p1, cosine p2
    signed_by,      // b > 0 ? a : b, where a vanishes with b and never exceeds p0 |b| near that point
};

[[nodiscard]] int operand_count(Op op);

using NodeId = std::uint32_t;

struct Node {
    Op op = Op::constant;
    NodeId operands[3] = {};
    std::uint32_t parameters = 0; // index of the first one in Graph::parameters()
};

// Packs the vertices x0, y0, x1, y1, ... of a closed polygon into the parameters of Op::polygon.
[[nodiscard]] std::vector<double> polygon_parameters(std::span<const double> vertices);

class Graph {
public:
    static constexpr std::size_t max_nodes = 30000; // beyond this, Error{too_large}

    Graph();

    [[nodiscard]] NodeId coordinate(int axis) const { return static_cast<NodeId>(axis); }
    [[nodiscard]] NodeId constant(double value);
    [[nodiscard]] NodeId apply(Op op, std::initializer_list<NodeId> operands, std::span<const double> parameters = {});

    // Shorthands. Those with numeric arguments fold into scale_add.
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

    // States that node a, as a function of the point, changes by at most `slope` per metre. This makes its ranges
    // tighter.
    void bound_slope(NodeId a, double slope);
    [[nodiscard]] double slope(NodeId a) const { return slopes_[a]; } // infinity if unknown

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; } // operands precede their users
    [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }

private:
    [[nodiscard]] bool is_constant(NodeId a) const { return nodes_[a].op == Op::constant; }
    [[nodiscard]] double value(NodeId a) const { return parameters_[nodes_[a].parameters]; }
    [[nodiscard]] bool folds(Op op, std::span<const NodeId> operands, double& result) const;
    [[nodiscard]] NodeId stored(Op op, std::span<const NodeId> operands, std::span<const double> parameters);

    std::vector<Node> nodes_;
    std::vector<double> slopes_; // one per node
    std::vector<double> parameters_;
    std::unordered_map<std::string, NodeId> known_; // key: the bytes of operation, operands and parameters
};

} // namespace fathom
