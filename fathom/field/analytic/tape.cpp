// Tapes: construction, evaluation in blocks, shortening.
#include <fathom/field/analytic/tape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
namespace fathom {

// ---- Bound on the rounding error of a tape, computed once per tape by a running error analysis.
// Every operation propagates the errors of its operands by its slopes and adds its own; see Higham, Accuracy and
// Stability of Numerical Algorithms, chapter 3. The bound grows with the coordinates, so it is tabulated for powers of
// 16 of their magnitude.
namespace {

struct RoundingTable {
    static constexpr int min_power = -10; // smallest power of 16: about 1e-12 m
    std::array<double, 24> bounds{};      // up to 16^13, beyond farthest_coordinate

    // Bound for points whose coordinates are at most `magnitude` (m).
    [[nodiscard]] double at(double magnitude) const;
};

struct TapeRounding {
    RoundingTable result;  // for the whole tape
    RoundingTable largest; // for all instructions with a known slope
};

// Removes the slope from instructions whose rounding cannot be bounded.
[[nodiscard]] TapeRounding tape_rounding(std::span<Instruction> plain, std::uint16_t result,
                                         std::span<const double> constants, std::span<const double> parameters);

constexpr double half_ulp = 0x1p-53;
constexpr double tiny = 1e-150; // squares below 1e-300 underflow

// Upper bounds on the magnitude of a computed value and on its error.
struct Bound {
    double size = 0;
    double error = 0;
};

Bound product(const Bound& a, const Bound& b) {
    return {a.size * b.size, a.error * b.size + b.error * a.size + a.error * b.error + half_ulp * a.size * b.size};
}

// Bound for an operation with slopes of at most 1 in each operand and few roundings of values up to `size`.
Bound gentle(double size, double error, double roundings = 8) {
    return {size, error + roundings * half_ulp * size + tiny};
}

Bound bound_of(const Instruction& in, const Bound& a, const Bound& b, const Bound& c, const double* p) {
    const double ab = a.size + b.size, errors = a.error + b.error;
    switch (in.op) {
    case Op::add:
    case Op::subtract:
        return gentle(ab, errors, 1);
    case Op::multiply:
        return product(a, b);
    case Op::square:
        return product(a, a);
    case Op::scale_add:
        return gentle(std::abs(p[0]) * a.size + std::abs(p[1]), std::abs(p[0]) * a.error, 3);
    case Op::affine: {
        const double size =
            std::abs(p[0]) * a.size + std::abs(p[1]) * b.size + std::abs(p[2]) * c.size + std::abs(p[3]);
        return gentle(size, std::abs(p[0]) * a.error + std::abs(p[1]) * b.error + std::abs(p[2]) * c.error, 10);
    }
    case Op::square_root:
        return {std::sqrt(a.size), std::sqrt(a.error) + half_ulp * std::sqrt(a.size)};
    case Op::negate:
    case Op::absolute:
        return a;
    case Op::minimum:
    case Op::maximum:
        return {std::max(a.size, b.size), std::max(a.error, b.error)};
    case Op::smooth_minimum:
        return gentle(ab + p[0], errors);
    case Op::sine:
    case Op::cosine:
        return gentle(1, a.error);
    case Op::length2:
    case Op::corner:
        return gentle(ab, errors);
    case Op::length3:
        return gentle(ab + c.size, errors + c.error);
    case Op::rectangle:
        return gentle(ab + p[0] + p[1], errors);
    case Op::box:
        return gentle(ab + c.size + p[0] + p[1] + p[2], errors + c.error);
    case Op::clamp:
        return {std::min(a.size, std::max(std::abs(p[0]), std::abs(p[1]))), a.error};
    case Op::beyond:
    case Op::fold:
        return gentle(a.size + p[0], a.error);
    case Op::pull:
        return {1, a.error / p[0] + 2 * half_ulp};
    case Op::polygon:
        return gentle(ab + 2 * p[1], errors, 64);
    case Op::arc:
        return gentle(ab + 2 * p[0], errors, 64);
    case Op::signed_by:
        return {std::max(a.size, b.size), a.error + b.error * (1 + p[0])};
    case Op::saw:      // discontinuous
    case Op::constant: // constants and coordinates are not instructions
    case Op::x:
    case Op::y:
    case Op::z:
        return {infinity, infinity};
    }
    return {infinity, infinity};
}

// Bounds of the coordinates and of every instruction, for coordinates up to `magnitude`.
std::vector<Bound> all_bounds(std::span<const Instruction> plain, std::span<const double> constants,
                              std::span<const double> parameters, double magnitude) {
    std::vector<Bound> bounds(plain.size() + 3, Bound{magnitude, 0});
    const auto of = [&](std::uint16_t operand) {
        if (!(operand & Instruction::constant_flag)) return bounds[operand];
        return Bound{std::abs(constants[tape_lanes * (operand ^ Instruction::constant_flag)]), 0};
    };
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const Instruction& in = plain[i];
        const int count = operand_count(in.op);
        const Bound a = of(in.operands[0]), b = count > 1 ? of(in.operands[1]) : Bound{},
                    c = count > 2 ? of(in.operands[2]) : Bound{};
        bounds[i + 3] = bound_of(in, a, b, c, parameters.data() + in.parameters);
        Bound& bound = bounds[i + 3];
        if (!(bound.error >= 0)) bound.error = std::numeric_limits<double>::infinity(); // NaN counts as unknown
    }
    return bounds;
}

double RoundingTable::at(double magnitude) const {
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude < 2^exponent
    const int k = std::max(0, (exponent + 3 - 4 * min_power) / 4);
    return k < static_cast<int>(bounds.size()) ? bounds[static_cast<std::size_t>(k)]
                                               : std::numeric_limits<double>::infinity();
}

TapeRounding tape_rounding(std::span<Instruction> plain, std::uint16_t result, std::span<const double> constants,
                           std::span<const double> parameters) {
    TapeRounding rounding;
    constexpr double slack = 1 + 1e-6; // the sizes do not include the errors themselves
    // From the largest, at which unbounded instructions are found.
    for (std::size_t k = rounding.result.bounds.size(); k-- > 0;) {
        const double magnitude = std::ldexp(1.0, 4 * (static_cast<int>(k) + RoundingTable::min_power));
        const std::vector<Bound> bounds = all_bounds(plain, constants, parameters, magnitude);
        if (!(result & Instruction::constant_flag)) rounding.result.bounds[k] = slack * bounds[result].error;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            if (!(bounds[i + 3].error < 1e100)) plain[i].slope = 0;
            if (plain[i].slope != 0)
                rounding.largest.bounds[k] = std::max(rounding.largest.bounds[k], slack * bounds[i + 3].error);
        }
    }
    return rounding;
}
} // namespace

struct TapeTables {
    std::vector<double> constants; // tape_lanes copies of each
    std::vector<double> parameters;
    std::vector<double> slopes; // known Lipschitz constants, one per instruction that has one
    TapeRounding rounding{};
};
namespace {

constexpr std::uint16_t unassigned = 0xffff;

// Scratch memory of one thread; grows to the largest tape that the thread has run.
struct Scratch {
    std::vector<double> registers;
    std::vector<double> middles;
    std::vector<Choice> choices;
    std::vector<std::uint16_t> names; // new name of each value, and other marks
    std::vector<std::uint16_t> free_registers;
};
Scratch& scratch() {
    thread_local Scratch mine;
    return mine;
}

double* registers(std::size_t count) {
    std::vector<double>& all = scratch().registers;
    if (all.size() < count) all.resize(count);
    return all.data();
}

double inside_reach(double x) { return std::clamp(x, -farthest_coordinate, farthest_coordinate); }
std::size_t whole_vectors(std::size_t count) { return (count + tape_lanes - 1) / tape_lanes * tape_lanes; }

// Splits `total` elements into blocks of at most `block` elements: body(first, count).
template <class Body>
void for_blocks(std::size_t total, std::size_t block, Body body) {
    for (std::size_t first = 0; first < total; first += block) body(first, std::min(block, total - first));
}

bool is_constant(std::uint16_t operand) { return (operand & Instruction::constant_flag) != 0; }

// Fills the coordinates of a block; the last point pads it to whole vectors.
template <class Point>
void set_coordinates(double* rows, std::size_t stride, std::size_t count, Point point) {
    for (std::size_t i = 0; i < whole_vectors(count); ++i) {
        const Vec3& p = point(std::min(i, count - 1));
        for (std::size_t axis = 0; axis < 3; ++axis) rows[axis * stride + i] = inside_reach(p[static_cast<int>(axis)]);
    }
}

// All nodes that the root needs, each after its operands and as late as possible, so that few values are live at once.
std::vector<NodeId> in_order_of_need(const std::vector<Node>& nodes, NodeId root) {
    std::vector<NodeId> order, stack = {root};
    std::vector<std::uint8_t> state(nodes.size(), 0); // 1: operands are on the stack, 2: done
    for (NodeId axis = 0; axis < 3; ++axis) state[axis] = 2;
    while (!stack.empty()) {
        const NodeId id = stack.back();
        if (state[id] != 0) {
            stack.pop_back();
            if (state[id] == 1) order.push_back(id);
            state[id] = 2;
            continue;
        }
        state[id] = 1;
        for (int k = operand_count(nodes[id].op); k-- > 0;)
            if (state[nodes[id].operands[k]] == 0) stack.push_back(nodes[id].operands[k]);
    }
    return order;
}

bool has_nan(const Box& box) { return box.lower.hasNaN() || box.upper.hasNaN(); }

void set_boxes(double* rows, std::span<const Box> boxes) {
    for (std::size_t i = 0; i < whole_vectors(boxes.size()); ++i) {
        const Box& box = boxes[std::min(i, boxes.size() - 1)];
        for (int axis = 0; axis < 3; ++axis) {
            double* const row = rows + 2 * interval_block * static_cast<std::size_t>(axis);
            row[i] = inside_reach(box.lower[axis]);
            row[interval_block + i] = inside_reach(box.upper[axis]);
        }
    }
}
} // namespace

Tape::Tape(const Graph& graph, NodeId root) {
    auto tables = std::make_shared<TapeTables>();
    tables->parameters = graph.parameters();
    const std::vector<Node>& nodes = graph.nodes();
    std::vector<std::uint16_t> name(nodes.size(), unassigned); // Graph::max_nodes keeps them below the flag
    for (std::uint16_t axis = 0; axis < 3; ++axis) name[axis] = axis;
    for (const NodeId id : in_order_of_need(nodes, root)) {
        const Node& node = nodes[id];
        if (node.op == Op::constant) {
            name[id] = static_cast<std::uint16_t>(Instruction::constant_flag | tables->constants.size() / tape_lanes);
            tables->constants.insert(tables->constants.end(), tape_lanes, graph.parameters()[node.parameters]);
        } else {
            Instruction in{
                .op = node.op, .out = static_cast<std::uint16_t>(plain_.size() + 3), .parameters = node.parameters};
            for (int k = 0; k < operand_count(node.op); ++k) in.operands[k] = name[node.operands[k]];
            if (graph.slope(id) < 1e30) {
                tables->slopes.push_back(graph.slope(id));
                in.slope = static_cast<std::uint16_t>(tables->slopes.size());
            }
            plain_.push_back(in);
            name[id] = in.out;
        }
    }
    plain_result_ = name[root];
    tables->rounding = tape_rounding(plain_, plain_result_, tables->constants, tables->parameters);
    tables_ = std::move(tables);
    allocate_registers();
}

// Runs backwards: a value gets a register at its last use and frees it where it is computed.
void Tape::allocate_registers() {
    Scratch& own = scratch();
    own.names.assign(plain_.size() + 3, unassigned);
    own.free_registers.clear();
    std::uint16_t used = 3;
    for (std::uint16_t axis = 0; axis < 3; ++axis) own.names[axis] = axis;
    const auto taken = [&](std::uint16_t operand) {
        if (is_constant(operand)) return operand;
        std::uint16_t& name = own.names[operand];
        if (name != unassigned) return name;
        if (own.free_registers.empty()) return name = used++;
        name = own.free_registers.back();
        own.free_registers.pop_back();
        return name;
    };
    result_ = taken(plain_result_);
    code_ = plain_;
    for (std::size_t i = code_.size(); i-- > 0;) {
        Instruction& in = code_[i];
        in.out = own.names[i + 3];
        own.free_registers.push_back(in.out);
        for (int k = 0; k < operand_count(in.op); ++k) in.operands[k] = taken(plain_[i].operands[k]);
    }
    register_count_ = used;
}

void Tape::distances(std::span<const Vec3> points, std::span<double> out) const {
    const TapeView view{code_, tables_->constants.data(), tables_->parameters.data()};
    double* const rows = registers(point_block * register_count_);
    for_blocks(points.size(), point_block, [&](std::size_t first, std::size_t count) {
        set_coordinates(rows, point_block, count, [&](std::size_t i) -> const Vec3& { return points[first + i]; });
        run_points(view, rows, whole_vectors(count));
        for (std::size_t i = 0; i < count; ++i)
            out[first + i] = is_constant(result_) ? view.constants[tape_lanes * (result_ ^ Instruction::constant_flag)]
                                                  : rows[point_block * result_ + i];
    });
}

void Tape::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    const TapeView view{code_, tables_->constants.data(), tables_->parameters.data()};
    double* const rows = registers(4 * sample_block * register_count_);
    for_blocks(points.size(), sample_block, [&](std::size_t first, std::size_t count) {
        if (count == 1) {
            const Vec3 alone = points[first].unaryExpr(&inside_reach);
            run_samples(view, rows, 1, alone.data());
        } else {
            set_coordinates(rows, 4 * sample_block, count,
                            [&](std::size_t i) -> const Vec3& { return points[first + i]; });
            run_samples(view, rows, whole_vectors(count));
        }
        for (std::size_t i = 0; i < count; ++i) {
            Sample& sample = out[first + i];
            sample = {};
            if (is_constant(result_)) {
                sample.distance = view.constants[tape_lanes * (result_ ^ Instruction::constant_flag)];
                continue;
            }
            const double* const row = rows + 4 * sample_block * result_ + i;
            sample = {row[0], {row[sample_block], row[2 * sample_block], row[3 * sample_block]}};
        }
    });
}

// Evaluates first the centres as points, then the boxes as intervals. Each interval with a known slope is intersected
// with its sphere bound.
void Tape::run_ranges(std::span<const Box> boxes, std::span<Interval> out, bool trace) const {
    const TapeView view{code_, tables_->constants.data(), tables_->parameters.data()};
    const std::size_t count = boxes.size(), padded = whole_vectors(count);
    std::array<Box, interval_block> reached;
    std::array<Vec3, interval_block> centers;
    std::array<double, interval_block> radii, noise;
    for (std::size_t i = 0; i < padded; ++i) {
        const Box& box = boxes[std::min(i, count - 1)];
        reached[i] = {box.lower.unaryExpr(&inside_reach), box.upper.unaryExpr(&inside_reach)};
        centers[i] = reached[i].center();
        // The factor covers the rounding of the radius and of the numbers from which the slopes were computed.
        radii[i] = (reached[i].upper - centers[i]).cwiseMax(centers[i] - reached[i].lower).norm() * (1 + 1e-9);
        const double size = std::max(reached[i].lower.cwiseAbs().maxCoeff(), reached[i].upper.cwiseAbs().maxCoeff());
        noise[i] = 2 * tables_->rounding.largest.at(size); // at the centre and at the point
    }
    Scratch& own = scratch();
    if (own.middles.size() < interval_block * tables_->slopes.size())
        own.middles.resize(interval_block * tables_->slopes.size());
    double* const rows = registers(point_block * register_count_);
    set_coordinates(rows, point_block, padded, [&](std::size_t i) -> const Vec3& { return centers[i]; });
    run_points(view, rows, padded, own.middles.data());
    set_boxes(rows, {reached.data(), count});
    const Spheres spheres{radii.data(), noise.data(), tables_->slopes.data(), own.middles.data()};
    run_intervals(view, spheres, rows, padded, trace ? own.choices.data() : nullptr);
    for (std::size_t i = 0; i < count; ++i) {
        if (has_nan(boxes[i]))
            out[i] = Interval::all();
        else if (boxes[i].empty())
            out[i] = Interval::none();
        else if (is_constant(result_))
            out[i] = view.constants[tape_lanes * (result_ ^ Instruction::constant_flag)];
        else
            out[i] = {rows[2 * interval_block * result_ + i], rows[2 * interval_block * result_ + interval_block + i]};
    }
}

void Tape::ranges(std::span<const Box> boxes, std::span<Interval> out) const {
    for_blocks(boxes.size(), interval_block, [&](std::size_t first, std::size_t count) {
        run_ranges(boxes.subspan(first, count), out.subspan(first, count), false);
    });
}

double Tape::rounding_bound(double magnitude) const { return tables_->rounding.result.at(magnitude); }

Interval Tape::shorten(const Box& box, Tape& part) const {
    Interval range;
    Scratch& own = scratch();
    own.choices.resize(plain_.size());
    run_ranges({&box, 1}, {&range, 1}, true);
    if (box.empty() || has_nan(box)) own.choices.assign(plain_.size(), Choice::both);
    const auto winner = [&](std::size_t i) { return plain_[i].operands[own.choices[i] == Choice::first ? 0 : 1]; };

    // Marks the results that are still needed, from the last to the first.
    own.names.assign(plain_.size() + 3, unassigned);
    const auto mark_needed = [&](std::uint16_t operand) {
        if (!is_constant(operand)) own.names[operand] = 0;
    };
    mark_needed(plain_result_);
    for (std::size_t i = plain_.size(); i-- > 0;) {
        if (own.names[i + 3] == unassigned) continue;
        if (own.choices[i] != Choice::both)
            mark_needed(winner(i));
        else
            for (int k = 0; k < operand_count(plain_[i].op); ++k) mark_needed(plain_[i].operands[k]);
    }

    const auto renamed = [&](std::uint16_t operand) { return is_constant(operand) ? operand : own.names[operand]; };
    part.tables_ = tables_;
    part.plain_.clear();
    for (std::uint16_t axis = 0; axis < 3; ++axis) own.names[axis] = axis;
    for (std::size_t i = 0; i < plain_.size(); ++i) {
        if (own.names[i + 3] == unassigned) continue;
        if (own.choices[i] != Choice::both) {
            own.names[i + 3] = renamed(winner(i));
            continue;
        }
        Instruction in = plain_[i];
        for (int k = 0; k < operand_count(in.op); ++k) in.operands[k] = renamed(in.operands[k]);
        in.out = own.names[i + 3] = static_cast<std::uint16_t>(part.plain_.size() + 3);
        part.plain_.push_back(in);
    }
    part.plain_result_ = renamed(plain_result_);
    part.allocate_registers();
    return range;
}

// ---- Gradients over a box.

namespace {

// The values of an instruction over a box, and its slopes along the coordinates.
struct Slopes {
    Interval value;
    std::array<Interval, 3> along{};
};

Slopes weighted(const Interval& value, std::initializer_list<std::pair<Interval, const Slopes*>> terms) {
    Slopes result{value};
    for (std::size_t k = 0; k < 3; ++k)
        for (const auto& [weight, term] : terms)
            if (const Interval& slope = term->along[k]; slope.lower != 0 || slope.upper != 0)
                result.along[k] = result.along[k] + weight * slope;
    return result;
}

Interval length(const Interval& a, const Interval& b) { return widened(sqrt(square(a) + square(b)), 2); }
Interval not_negative(const Interval& a) { return max(a, Interval(0)); }

// Range of a / |(a, b)|, where `b` is a length. At 0 every slope of a length is possible.
Interval share(const Interval& a, const Interval& b) {
    const auto at = [](double x, double y) { return x == 0 ? 0 : x / std::hypot(x, y); };
    return widened({at(a.lower, a.lower < 0 ? b.lower : b.upper), at(a.upper, a.upper > 0 ? b.lower : b.upper)}, 4);
}

// Slope of the distance to the octant a <= 0, b <= 0, c <= 0 by `a`.
Interval corner_share(const Interval& a, const Interval& b, const Interval& c) {
    const double others = std::max(b.lower, c.lower);
    if (a.upper <= 0 && a.upper < others) return 0;
    if (std::max(b.upper, c.upper) <= 0 && std::max(b.upper, c.upper) < a.lower) return 1;
    if (std::max(a.lower, others) <= 0) return {0, 1};
    return share(not_negative(a), length(not_negative(b), not_negative(c)));
}

Slopes corner_of(const Slopes& a, const Slopes& b, const Slopes& c) {
    const auto value = [](double x, double y, double z) {
        const double most = std::max({x, y, z});
        return most <= 0 ? most : std::hypot(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0));
    };
    const Interval range(value(a.value.lower, b.value.lower, c.value.lower),
                         value(a.value.upper, b.value.upper, c.value.upper));
    return weighted(widened(range, 8), {{corner_share(a.value, b.value, c.value), &a},
                                        {corner_share(b.value, a.value, c.value), &b},
                                        {corner_share(c.value, a.value, b.value), &c}});
}

Interval sign(const Interval& a) { return {a.lower >= 0 ? 1.0 : -1.0, a.upper <= 0 ? -1.0 : 1.0}; }
Slopes absolute(const Slopes& a) { return weighted(abs(a.value), {{sign(a.value), &a}}); }
Slopes past(const Slopes& a, double half) {
    Slopes result = absolute(a);
    result.value = result.value - half;
    return result;
}

Slopes hull(const Slopes& a, const Slopes& b, const Interval& value) {
    Slopes result{value};
    for (std::size_t k = 0; k < 3; ++k) result.along[k] = hull(a.along[k], b.along[k]);
    return result;
}

// The slope by the first operand falls from 1 to 0 as the difference of the operands grows from -width to width.
Slopes smooth_minimum(const Slopes& a, const Slopes& b, double width) {
    const Interval gap = a.value - b.value;
    const auto weight = [&](double difference) { return std::clamp(0.5 - difference / (2 * width), 0.0, 1.0); };
    const Interval of_a = widened({weight(gap.upper), weight(gap.lower)}, 4), of_b = Interval(1) - of_a;
    Slopes result{};
    const auto value = [&](double x, double y) {
        const double blend = std::max(width - std::abs(x - y), 0.0);
        return std::min(x, y) - blend * blend / (4 * width);
    };
    const double slack =
        16 * half_ulp *
        (std::abs(a.value.lower) + std::abs(a.value.upper) + std::abs(b.value.lower) + std::abs(b.value.upper) + width);
    result.value = {value(a.value.lower, b.value.lower) - slack, value(a.value.upper, b.value.upper) + slack};
    for (std::size_t k = 0; k < 3; ++k)
        result.along[k] =
            intersection(b.along[k] + of_a * (a.along[k] - b.along[k]), a.along[k] + of_b * (b.along[k] - a.along[k]));
    return result;
}

// Returns false if the slopes are not bounded. One case per operation.
// NOLINTNEXTLINE(readability-function-size)
bool slopes_of(const Instruction& in, const Slopes& a, const Slopes& b, const Slopes& c, const double* p, Slopes& out) {
    static const Slopes none{};
    switch (in.op) {
    case Op::add:
        out = weighted(a.value + b.value, {{1, &a}, {1, &b}});
        return true;
    case Op::subtract:
        out = weighted(a.value - b.value, {{1, &a}, {-1, &b}});
        return true;
    case Op::multiply:
        out = weighted(a.value * b.value, {{b.value, &a}, {a.value, &b}});
        return true;
    case Op::scale_add:
        out = weighted(Interval(p[0]) * a.value + p[1], {{p[0], &a}});
        return true;
    case Op::affine:
        out = weighted(Interval(p[0]) * a.value + Interval(p[1]) * b.value + Interval(p[2]) * c.value + p[3],
                       {{p[0], &a}, {p[1], &b}, {p[2], &c}});
        return true;
    case Op::negate:
        out = weighted(-a.value, {{-1, &a}});
        return true;
    case Op::absolute:
        out = absolute(a);
        return true;
    case Op::square:
        out = weighted(square(a.value), {{Interval(2) * a.value, &a}});
        return true;
    case Op::square_root:
        if (!(a.value.lower > 0)) return false;
        out = weighted(sqrt(a.value), {{Interval(0.5) / sqrt(a.value), &a}});
        return true;
    case Op::minimum:
        out = a.value.upper < b.value.lower ? a : b.value.upper < a.value.lower ? b : hull(a, b, min(a.value, b.value));
        return true;
    case Op::maximum:
        out = a.value.lower > b.value.upper ? a : b.value.lower > a.value.upper ? b : hull(a, b, max(a.value, b.value));
        return true;
    case Op::smooth_minimum:
        out = smooth_minimum(a, b, p[0]);
        return true;
    case Op::sine:
        out = weighted(sin(a.value), {{cos(a.value), &a}});
        return true;
    case Op::cosine:
        out = weighted(cos(a.value), {{-sin(a.value), &a}});
        return true;
    case Op::length2:
        out = weighted(length(a.value, b.value),
                       {{share(a.value, abs(b.value)), &a}, {share(b.value, abs(a.value)), &b}});
        return true;
    case Op::length3:
        out = weighted(length(length(a.value, b.value), c.value), {{share(a.value, length(b.value, c.value)), &a},
                                                                   {share(b.value, length(a.value, c.value)), &b},
                                                                   {share(c.value, length(a.value, b.value)), &c}});
        return true;
    case Op::corner:
        out = corner_of(a, b, {-HUGE_VAL});
        return true;
    case Op::rectangle:
        out = corner_of(past(a, p[0]), past(b, p[1]), {-HUGE_VAL});
        return true;
    case Op::box:
        out = corner_of(past(a, p[0]), past(b, p[1]), past(c, p[2]));
        return true;
    case Op::clamp:
        if (a.value.lower > p[0] && a.value.upper < p[1])
            out = a;
        else
            out = hull(a, none, min(max(a.value, p[0]), p[1]));
        return true;
    case Op::beyond:
        out = hull(a, none, a.value - min(max(a.value, -p[0]), p[0]));
        return true;
    case Op::pull: // the slope of p0 / a is -p0 / a^2
        out = weighted(Interval(p[0]) / max(a.value, p[0]),
                       {{hull(Interval(-p[0]) / square(max(a.value, p[0])), 0), &a}});
        return true;
    case Op::signed_by:
        out = b.value.lower > 0 ? a : b.value.upper < 0 ? b : hull(a, b, hull(a.value, b.value));
        return true;
    default: // steps (saw), and distances that are only bounded as a whole
        return false;
    }
}

} // namespace

bool Tape::slopes(const Box& box, std::array<Interval, 3>& out) const {
    if (is_constant(result_) || box.empty() || has_nan(box)) return false;
    thread_local std::vector<Slopes> values;
    if (values.size() < register_count_) values.resize(register_count_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<Eigen::Index>(axis);
        if (std::max(std::abs(box.lower[k]), std::abs(box.upper[k])) > farthest_coordinate) return false;
        values[axis] = {{box.lower[k], box.upper[k]}};
        values[axis].along[axis] = 1;
    }
    Slopes constants[3];
    for (const Instruction& in : code_) {
        const Slopes* operands[3] = {&constants[0], &constants[1], &constants[2]};
        for (int k = 0; k < operand_count(in.op); ++k) {
            if (!is_constant(in.operands[k]))
                operands[k] = &values[in.operands[k]];
            else
                constants[k] = {tables_->constants[tape_lanes * (in.operands[k] ^ Instruction::constant_flag)]};
        }
        Slopes result;
        if (!slopes_of(in, *operands[0], *operands[1], *operands[2], tables_->parameters.data() + in.parameters,
                       result))
            return false;
        values[in.out] = result;
    }
    out = values[result_].along;
    return std::all_of(out.begin(), out.end(),
                       [](const Interval& s) { return std::isfinite(s.lower) && std::isfinite(s.upper); });
}
} // namespace fathom
