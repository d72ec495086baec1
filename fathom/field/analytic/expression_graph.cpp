// Expression graphs: sharing of nodes and folding of constants.
#include <fathom/base/error.h>
#include <fathom/field/analytic/expression_graph.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

template <class T>
void append_bytes(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string key_of(Op op, std::span<const NodeId> operands, std::span<const double> parameters) {
    std::string key;
    append_bytes(key, op);
    for (const NodeId a : operands) append_bytes(key, a);
    for (const double p : parameters) append_bytes(key, p);
    return key;
}

double signed_area(std::span<const double> v) {
    double area = 0;
    for (std::size_t i = 0, j = v.size() - 2; i < v.size(); j = i, i += 2) area += v[j] * v[i + 1] - v[i] * v[j + 1];
    return 0.5 * area;
}

} // namespace

int operand_count(Op op) {
    switch (op) {
    case Op::constant:
    case Op::x:
    case Op::y:
    case Op::z:
        return 0;
    case Op::scale_add:
    case Op::negate:
    case Op::absolute:
    case Op::square:
    case Op::square_root:
    case Op::sine:
    case Op::cosine:
    case Op::clamp:
    case Op::beyond:
    case Op::fold:
    case Op::saw:
    case Op::pull:
        return 1;
    case Op::affine:
    case Op::length3:
    case Op::box:
        return 3;
    default:
        return 2;
    }
}

std::vector<double> polygon_parameters(std::span<const double> vertices) {
    const std::size_t count = vertices.size() / 2;
    const bool turn = signed_area(vertices) < 0; // outward normals require counter-clockwise edges
    double size = 0;
    for (const double v : vertices) size = std::max(size, std::abs(v));
    std::vector<double> packed = {static_cast<double>(count), size};
    const auto corner = [&](std::size_t k) { return vertices.data() + 2 * (turn ? count - 1 - k % count : k % count); };
    for (std::size_t k = 0; k < count; ++k) {
        const double *a = corner(k), *b = corner(k + 1);
        const double ex = b[0] - a[0], ey = b[1] - a[1], length = std::hypot(ex, ey);
        packed.insert(packed.end(), {a[0], a[1], b[1], ex, ey, 1 / (length * length), ey / length, -ex / length});
    }
    return packed;
}

Graph::Graph() {
    for (const Op op : {Op::x, Op::y, Op::z}) nodes_.push_back({.op = op});
    slopes_.assign(3, 1);
}

NodeId Graph::stored(Op op, std::span<const NodeId> operands, std::span<const double> parameters) {
    const auto [at, is_new] = known_.try_emplace(key_of(op, operands, parameters), static_cast<NodeId>(nodes_.size()));
    if (!is_new) return at->second;
    if (nodes_.size() >= max_nodes)
        throw Error(Cause::too_large, fmt::format("the expression needs more than {} operations", max_nodes));
    Node node{.op = op, .parameters = static_cast<std::uint32_t>(parameters_.size())};
    std::copy(operands.begin(), operands.end(), node.operands);
    nodes_.push_back(node);
    slopes_.push_back(std::numeric_limits<double>::infinity());
    parameters_.insert(parameters_.end(), parameters.begin(), parameters.end());
    return at->second;
}

void Graph::bound_slope(NodeId a, double slope) { slopes_[a] = std::min(slopes_[a], slope); }

NodeId Graph::constant(double value) {
    const double p = value + 0.0; // -0 and 0 are the same constant
    return stored(Op::constant, {}, {&p, 1});
}

bool Graph::folds(Op op, std::span<const NodeId> operands, double& result) const {
    if (operands.empty() || !std::all_of(operands.begin(), operands.end(), [&](NodeId a) { return is_constant(a); }))
        return false;
    const double a = value(operands.front()), b = value(operands.back());
    switch (op) {
    case Op::add:
        result = a + b;
        return true;
    case Op::subtract:
        result = a - b;
        return true;
    case Op::multiply:
        result = a * b;
        return true;
    case Op::negate:
        result = -a;
        return true;
    case Op::absolute:
        result = std::abs(a);
        return true;
    case Op::square:
        result = a * a;
        return true;
    case Op::square_root:
        result = std::sqrt(std::max(a, 0.0));
        return true;
    case Op::minimum:
        result = std::min(a, b);
        return true;
    case Op::maximum:
        result = std::max(a, b);
        return true;
    case Op::length2:
        result = std::sqrt(a * a + b * b);
        return true;
    default:
        return false;
    }
}

NodeId Graph::apply(Op op, std::initializer_list<NodeId> operands, std::span<const double> parameters) {
    NodeId storage[3] = {};
    std::copy(operands.begin(), operands.end(), storage);
    const std::span<NodeId> ordered(storage, operands.size());
    double folded = 0;
    if (folds(op, ordered, folded)) return constant(folded);
    const bool either_order = op == Op::add || op == Op::multiply;
    if (either_order && storage[0] > storage[1]) std::swap(storage[0], storage[1]);
    if ((op == Op::minimum || op == Op::maximum) && ordered[0] == ordered[1]) return ordered[0];
    if (op == Op::negate) return scale_add(ordered[0], -1, 0);
    if (either_order || op == Op::subtract)
        for (const int k : {0, 1}) {
            if (!is_constant(ordered[static_cast<std::size_t>(k)])) continue;
            const double c = value(ordered[static_cast<std::size_t>(k)]);
            const NodeId other = ordered[static_cast<std::size_t>(1 - k)];
            if (op == Op::multiply) return scale_add(other, c, 0);
            if (op == Op::add) return scale_add(other, 1, c);
            return k == 0 ? scale_add(other, -1, c) : scale_add(other, 1, -c);
        }
    return stored(op, ordered, parameters);
}

NodeId Graph::scale_add(NodeId a, double factor, double shift) {
    if (is_constant(a)) return constant(factor * value(a) + shift);
    if (nodes_[a].op == Op::scale_add || nodes_[a].op == Op::negate) { // negate stores -1 and 0 as parameters
        const double* inner = parameters_.data() + nodes_[a].parameters;
        const NodeId below = nodes_[a].operands[0];
        return scale_add(below, factor * inner[0], factor * inner[1] + shift);
    }
    if (factor == 1 && shift == 0) return a;
    if (factor == 0) return constant(shift);
    const double parameters[] = {factor, shift + 0.0};
    return stored(factor == -1 && shift == 0 ? Op::negate : Op::scale_add, {&a, 1}, parameters);
}

} // namespace fathom
