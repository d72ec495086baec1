// Linear lower bounds of networks over a box; with ReLU units, their slopes suit a direction.
#include <fathom/field/neural/range_program.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Number: of the columns, float or double.
template <class Number>
class LowerLine {
public:
    // `numbers`: the derivatives of the bound by all units, then the slopes of the units' own bounds.
    LowerLine(const RangeProgram& program, std::span<const Number> entered, std::span<const Number> columns,
              std::span<double> numbers)
        : program_(program), entered_(entered), columns_(columns), adjoints_(numbers.first(program.units)),
          slopes_(numbers.subspan(program.units, program.units)) {
        for (std::size_t u = 0; u < program.units; ++u) slopes_[u] = column(RangeColumn::slope, u);
    }

    // For every number a: a * result >= a * (slope * input) + constant, unit by unit from the last one backward.
    RangeSphere run() {
        std::fill(adjoints_.begin(), adjoints_.end(), 0.0);
        adjoints_[program_.layers.back().start] = 1;
        constant_ = magnitudes_ = lost_ = 0;
        for (std::size_t k = program_.layers.size(); k-- > 0;) pass_back(program_.layers[k]);
        return at_point();
    }

    // Chooses the slopes of the units that bend: coordinate by coordinate, the part of the gradient across the
    // direction is minimized. run() has been called.
    void turn(const RangeSphere& line, const Vec3& halves, const Vec3& direction) {
        const auto across = [&](const Vec3& gradient) {
            const Vec3 of_point = gradient.cwiseQuotient(halves);
            return Vec3(of_point - direction.dot(of_point) * direction);
        };
        Vec3 rest = across({line.slopes[0], line.slopes[1], line.slopes[2]});
        for (int round = 0; round < 3; ++round)
            for (std::size_t u = program_.encoded; u < program_.units; ++u) {
                if (!(adjoints_[u] > 0) || !bends(u)) continue;
                const double chord = column(RangeColumn::slope, u);
                const Vec3 step =
                    adjoints_[u] / chord *
                    across({column(RangeColumn::x, u), column(RangeColumn::y, u), column(RangeColumn::z, u)});
                const double length = step.squaredNorm();
                if (!(length > 0) || !std::isfinite(length)) continue;
                const double slope = std::clamp(slopes_[u] - step.dot(rest) / length, 0.0, 1.0);
                rest += (slope - slopes_[u]) * step;
                slopes_[u] = slope;
            }
    }

private:
    [[nodiscard]] double column(RangeColumn c, std::size_t unit) const {
        return static_cast<double>(columns_[static_cast<std::size_t>(c) * program_.units + unit]);
    }
    [[nodiscard]] Number state(std::size_t unit) const {
        return columns_[static_cast<std::size_t>(RangeColumn::state) * program_.units + unit];
    }
    [[nodiscard]] bool bends(std::size_t unit) const {
        return state(unit) == static_cast<Number>(unit_bends) && column(RangeColumn::slope, unit) > 0;
    }
    void add(double term) {
        constant_ += term;
        magnitudes_ += std::abs(term);
    }

    void pass_back(const RangeLayer& layer) {
        const bool last = &layer == &program_.layers.back();
        const float* weights = program_.by_output.data() + layer.by_output;
        const std::size_t row = program_.padded_inputs(layer);
        double total = 0, largest = 0;
        for (std::size_t u = layer.start; u < layer.start + layer.outputs; ++u, weights += row) {
            double a = adjoints_[u];
            if (!last) a = below(u, a);
            if (a == 0) continue;
            add(a * static_cast<double>(program_.biases[u]));
            lost_ += std::abs(a) * column(RangeColumn::rounding, u);
            total += std::abs(a);
            const float* weight = weights;
            for (const UnitSpan& span : program_.inputs(layer)) {
                for (std::size_t i = 0; i < span.count; ++i)
                    adjoints_[span.start + i] += a * static_cast<double>(weight[i]);
                weight += in_tiles(span.count);
            }
        }
        for (const UnitSpan& span : program_.inputs(layer))
            for (std::size_t i = span.start; i < span.start + span.count; ++i)
                largest = std::max(largest, column(RangeColumn::size, i));
        // The rounding of these sums, relative to the sum of the terms' magnitudes.
        lost_ += total * static_cast<double>(layer.outputs + 8) * 0x1p-52 * layer.largest_sum * largest;
    }

    // a * activation(z) >= result * z + constant over the inputs z that can reach the unit.
    [[nodiscard]] double below(std::size_t unit, double a) {
        if (state(unit) == static_cast<Number>(unit_is_linear)) return a;
        if (state(unit) == static_cast<Number>(unit_is_off)) return 0;
        if (state(unit) == static_cast<Number>(unit_is_curved)) {
            add(a * column(RangeColumn::others, unit));
            lost_ += std::abs(a) * column(RangeColumn::own, unit);
            return a * column(RangeColumn::slope, unit);
        }
        if (a >= 0) return a * slopes_[unit];
        const double chord = column(RangeColumn::slope, unit), low = column(RangeColumn::lower, unit),
                     high = column(RangeColumn::upper, unit);
        add(a * std::max(-chord * low, high - chord * high)); // the chord, raised to both ends
        return a * chord;
    }

    // The encoded numbers are base + slopes . e, within their radius.
    [[nodiscard]] RangeSphere at_point() {
        RangeSphere line;
        double size = 0;
        for (std::size_t u = 0; u < program_.encoded; ++u) {
            const Number* const from = entered_.data() + u * range_entry;
            const double a = adjoints_[u];
            add(a * static_cast<double>(from[0]));
            for (std::size_t k = 0; k < 3; ++k) line.slopes[k] += a * static_cast<double>(from[1 + k]);
            lost_ += std::abs(a) * static_cast<double>(from[4]);
            size += std::abs(a) * static_cast<double>(from[5]);
        }
        line.centre = constant_;
        line.along = std::abs(line.slopes[0]) + std::abs(line.slopes[1]) + std::abs(line.slopes[2]);
        const double rounding = static_cast<double>(2 * program_.units + 8) * 0x1p-52 * (magnitudes_ + size);
        line.reach = line.along + (lost_ + rounding) * (1 + 1e-9);
        return line;
    }

    const RangeProgram& program_;
    std::span<const Number> entered_, columns_;
    std::span<double> adjoints_, slopes_;
    double constant_ = 0, magnitudes_ = 0, lost_ = 0;
};

} // namespace

RangeSphere facing_line(const RangeProgram& program, std::span<const float> entered, std::span<const float> columns,
                        const Vec3& halves, const Vec3& direction, std::span<double> adjoints) {
    LowerLine<float> line(program, entered, columns, adjoints);
    const RangeSphere first = line.run();
    line.turn(first, halves, direction);
    return line.run();
}

RangeSphere exact_line(const RangeProgram& program, std::span<const double> entered, std::span<const double> columns,
                       const Vec3& halves, const Vec3& direction, std::span<double> adjoints) {
    LowerLine<double> line(program, entered, columns, adjoints);
    const RangeSphere first = line.run();
    if (!program.is_relu || direction.isZero() || !(halves.minCoeff() > 0)) return first;
    line.turn(first, halves, direction);
    return line.run();
}

} // namespace fathom
