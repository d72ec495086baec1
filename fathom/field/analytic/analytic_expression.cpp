// Analytic expressions: checks, properties and text output.
#include <fathom/field/analytic/analytic_expression.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/field/analytic/analytic_kinds.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double max_scaling = 69; // log of 1e30; beyond it, squares of coordinates could overflow

std::vector<AnalyticKind> all_kinds() {
    std::vector<AnalyticKind> kinds;
    for (const auto& family : {solid_kinds(), cone_kinds(), flat_kinds(), profile_kinds(), combination_kinds(),
                               placement_kinds(), deformation_kinds()})
        kinds.insert(kinds.end(), family.begin(), family.end());
    std::sort(kinds.begin(), kinds.end(), [](const AnalyticKind& a, const AnalyticKind& b) { return a.name < b.name; });
    return kinds;
}

std::string_view meaning(Limits limits) {
    switch (limits) {
    case Limits::positive:
        return "positive (at least 1e-15)";
    case Limits::not_negative:
        return "not negative";
    case Limits::whole:
        return "a whole number from 1 to 1000000";
    default:
        return "within 1e15 of 0";
    }
}

bool allowed(double value, Limits limits) {
    if (!(std::abs(value) <= AnalyticExpression::max_length)) return false; // also NaN
    switch (limits) {
    case Limits::positive:
        return value >= AnalyticExpression::min_length;
    case Limits::not_negative:
        return value >= 0;
    case Limits::whole:
        return value >= 1 && value <= 1e6 && value == std::floor(value);
    default:
        return true;
    }
}

void check_numbers(const AnalyticNode& node) {
    const auto& wanted = node.kind->parameters;
    const std::size_t count = node.numbers.size();
    if (count < wanted.size() || (count > wanted.size() && !node.kind->more_numbers))
        refuse(node, fmt::format("expected {}{} numbers, got {}", node.kind->more_numbers ? "at least " : "",
                                 wanted.size(), count));
    for (std::size_t k = 0; k < count; ++k) {
        const Parameter parameter = k < wanted.size() ? wanted[k] : Parameter{"a number", Limits::any};
        if (!allowed(node[k], parameter.limits))
            refuse(node, fmt::format("{} must be {}, not {}", parameter.name, meaning(parameter.limits), node[k]));
    }
}

void check_children(AnalyticNode& node) {
    const AnalyticKind& kind = *node.kind;
    const std::size_t count = node.children.size();
    if (count < kind.child_count.min || count > kind.child_count.max) {
        if (kind.child_count.max == 0) refuse(node, "takes no shapes");
        if (kind.child_count.min == kind.child_count.max)
            refuse(node, fmt::format("expected {} shape{}, got {}", kind.child_count.min,
                                     kind.child_count.min > 1 ? "s" : "", count));
        refuse(node, fmt::format("expected at least {} shapes, got {}", kind.child_count.min, count));
    }
    node.dimension = kind.dimension != 0 ? kind.dimension : node.child().dimension;
    const int wanted = kind.child_dimension != 0 ? kind.child_dimension : node.dimension;
    for (const AnalyticExpression& child : node.children)
        if (child.dimension() != wanted)
            refuse(node, fmt::format("expected shapes of {} dimensions, but {} has {}", wanted, child.node().kind->name,
                                     child.dimension()));
}

void sum_up(AnalyticNode& node) {
    for (const AnalyticExpression& child : node.children) {
        node.depth = std::max(node.depth, child.node().depth + 1);
        node.weight += child.node().weight;
        node.scaling = std::max(node.scaling, child.node().scaling);
    }
    if (node.kind->name == "scale") node.scaling += std::abs(std::log(node[0]));
    if (node.depth > AnalyticExpression::max_depth)
        throw Error(Cause::too_large, fmt::format("shapes are nested deeper than {}", AnalyticExpression::max_depth));
    if (node.weight > AnalyticExpression::max_weight)
        throw Error(Cause::too_large,
                    fmt::format("the shape contains more than {} shapes", AnalyticExpression::max_weight));
    if (node.scaling > max_scaling)
        throw Error(Cause::too_large, "nested scale operations change lengths by more than a factor of 1e30");
}

void append_text(const AnalyticNode& node, std::string& out) {
    fmt::format_to(std::back_inserter(out), "{}(", node.kind->name);
    const char* separator = "";
    const auto numbers = [&] {
        for (const double value : node.numbers) {
            fmt::format_to(std::back_inserter(out), "{}{}", separator, value);
            separator = ", ";
        }
    };
    if (!node.kind->children_first) numbers();
    for (const AnalyticExpression& child : node.children) {
        out += separator;
        separator = ", ";
        append_text(child.node(), out);
    }
    if (node.kind->children_first) numbers();
    out += ')';
}

bool same(const AnalyticNode& a, const AnalyticNode& b) {
    return &a == &b || (a.kind == b.kind && a.weight == b.weight && a.numbers == b.numbers && a.children == b.children);
}

} // namespace

std::string_view name(DistanceKind kind) {
    switch (kind) {
    case DistanceKind::exact:
        return "exact";
    case DistanceKind::exact_outside:
        return "exact_outside";
    case DistanceKind::exact_inside:
        return "exact_inside";
    case DistanceKind::lower_bound:
        return "lower_bound";
    default:
        return "not_a_distance";
    }
}

const std::vector<AnalyticKind>& analytic_kinds() {
    static const std::vector<AnalyticKind> kinds = all_kinds();
    return kinds;
}

const AnalyticKind* find_kind(std::string_view name) {
    const auto& kinds = analytic_kinds();
    const auto at = std::lower_bound(kinds.begin(), kinds.end(), name,
                                     [](const AnalyticKind& k, std::string_view n) { return k.name < n; });
    return at != kinds.end() && at->name == name ? &*at : nullptr;
}

Box everywhere() { return {Vec3::Constant(-infinity), Vec3::Constant(infinity)}; }

void refuse(const AnalyticNode& node, std::string_view complaint) {
    throw Error(Cause::invalid_argument, fmt::format("{}: {}", node.kind->name, complaint));
}

// Exact zeros and ones are omitted, so that ranges over boxes stay tight under translations and rotations by right
// angles.
NodeId Frame::coordinate(Graph& graph, int axis) const {
    const Vec3 row = linear.row(axis);
    int used = 0, last = 0;
    for (int k = 0; k < 3; ++k)
        if (row[k] != 0) ++used, last = k;
    if (used == 0) return graph.constant(offset[axis]);
    if (used == 1) return graph.scale_add(base[static_cast<std::size_t>(last)], row[last], offset[axis]);
    const double parameters[] = {row[0], row[1], row[2], offset[axis]};
    return graph.apply(Op::affine, {base[0], base[1], base[2]}, parameters);
}

std::array<NodeId, 3> Frame::coordinates(Graph& graph) const {
    return {coordinate(graph, 0), coordinate(graph, 1), coordinate(graph, 2)};
}

AnalyticExpression::AnalyticExpression(std::string_view kind, std::vector<double> parameters,
                                       std::vector<AnalyticExpression> children) {
    auto node = std::make_shared<AnalyticNode>();
    node->kind = find_kind(kind);
    if (!node->kind) throw Error(Cause::invalid_argument, fmt::format("unknown shape '{}'", kind.substr(0, 64)));
    node->numbers = std::move(parameters);
    for (double& value : node->numbers) value += 0.0; // -0 reads back as 0
    node->children = std::move(children);
    check_numbers(*node);
    check_children(*node);
    sum_up(*node);
    if (node->kind->check) node->kind->check(*node);
    node->traits = node->kind->traits(*node);
    node_ = std::move(node);
}

int AnalyticExpression::dimension() const { return node_->dimension; }
double AnalyticExpression::lipschitz() const { return node_->traits.lipschitz; }
std::size_t AnalyticExpression::weight() const { return node_->weight; }

DistanceKind AnalyticExpression::distance_kind() const {
    const Traits& traits = node_->traits;
    if (traits.exact_outside && traits.exact_inside) return DistanceKind::exact;
    if (traits.exact_outside) return DistanceKind::exact_outside;
    if (traits.exact_inside) return DistanceKind::exact_inside;
    return traits.lipschitz <= 1 ? DistanceKind::lower_bound : DistanceKind::not_a_distance;
}

Box AnalyticExpression::bounds() const {
    const Box box = level_box(*node_, 0);
    double size = 0;
    for (int k = 0; k < 3; ++k)
        for (const double v : {box.lower[k], box.upper[k]})
            if (std::abs(v) < infinity) size = std::max(size, std::abs(v));
    return box.empty() ? box : box.grown(relative_rounding * size); // for the rounding of the expression
}

std::string AnalyticExpression::text() const {
    std::string out;
    append_text(*node_, out);
    return out;
}

bool operator==(const AnalyticExpression& a, const AnalyticExpression& b) { return same(a.node(), b.node()); }

} // namespace fathom
