// Values and bounds of a network in double: points and boxes are converted to its inputs, results to planes.
#include <fathom/field/neural/network_range.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

// Of the sine of an argument of this magnitude, in double.
double exact_encoding_error(double argument) { return 0x1p-50 * (1 + argument); }

std::span<double> exact_scratch(std::size_t count) {
    thread_local std::vector<double> mine;
    if (mine.size() < count) mine.resize(count);
    return {mine.data(), count};
}

} // namespace

// The slack covers the difference of the exact number and (p - centre) / scale in double.
NetworkRange::Side NetworkRange::exactly_in_frame(const Box& box, int axis) const {
    const double center = frame_.center[axis], lower = box.lower[axis], upper = box.upper[axis];
    const double low = (lower - center) / frame_.scale, high = (upper - center) / frame_.scale;
    const double slack = (std::max(std::abs(lower), std::abs(upper)) + std::abs(center)) / frame_.scale * 0x1p-50;
    const double middle = 0.5 * low + 0.5 * high;
    return {middle, std::max(high - middle, middle - low) + slack};
}

void NetworkRange::enter_exactly(const std::array<Side, 3>& sides, std::span<double> entered) const {
    const auto put = [&](std::size_t at, std::size_t axis, const EncodedLine& line) {
        double* const entry = entered.data() + at * range_entry;
        std::fill_n(entry, range_entry, 0.0);
        entry[0] = line.centre;
        entry[1 + axis] = line.slope;
        entry[4] = line.error;
        entry[5] = (std::abs(line.centre) + std::abs(line.slope) + line.error) * (1 + 0x1p-50);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [middle, half] = sides[axis];
        std::size_t at = axis;
        if (frame_.encoding.point_first) {
            put(at, axis, {middle, half, 0});
            at += 3;
        }
        for (int k = 0; k < frame_.encoding.frequencies; ++k, at += 6) {
            const double frequency = std::ldexp(static_cast<double>(frame_.encoding.scale), k),
                         error = exact_encoding_error(frequency * (std::abs(middle) + half));
            put(at, axis, encoded_line(frequency, middle, half, false, error));
            put(at + 3, axis, encoded_line(frequency, middle, half, true, error));
        }
    }
}

Sample NetworkRange::exact_sample(const Vec3& p, bool gradient) const {
    const std::size_t units = program_->units, encoded = program_->encoded;
    const std::span<double> all = exact_scratch(2 * encoded + 2 * units);
    const std::span<double> inputs = all.first(encoded), slopes = all.subspan(encoded, encoded),
                            values = all.subspan(2 * encoded, units),
                            adjoints = gradient ? all.last(units) : std::span<double>();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<Eigen::Index>(axis);
        const double x = (p[k] - frame_.center[k]) / frame_.scale;
        std::size_t at = axis;
        if (frame_.encoding.point_first) inputs[at] = x, slopes[at] = 1, at += 3;
        for (int n = 0; n < frame_.encoding.frequencies; ++n, at += 6) {
            const double frequency = std::ldexp(static_cast<double>(frame_.encoding.scale), n),
                         sine = std::sin(frequency * x), cosine = std::cos(frequency * x);
            inputs[at] = sine, slopes[at] = frequency * cosine;
            inputs[at + 3] = cosine, slopes[at + 3] = -frequency * sine;
        }
    }
    const double result = exact_value(*program_, inputs, values, adjoints);
    const ActivationValue out = exact_activation(frame_.last, static_cast<double>(frame_.parameter), result);
    Sample sample{frame_.scale * out.value, Vec3::Zero()};
    for (std::size_t u = 0; u < encoded && gradient; ++u)
        sample.gradient[static_cast<Eigen::Index>(u % 3)] += out.slope * slopes[u] * adjoints[u];
    return sample;
}

void NetworkRange::exact_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                                const Vec3& facing) const {
    const std::size_t units = program_->units, numbers = range_entry * program_->encoded;
    const std::span<double> all = exact_scratch(numbers + (range_columns + 2) * units);
    const std::span<double> entered = all.first(numbers), columns = all.subspan(numbers, range_columns * units),
                            adjoints = all.last(2 * units);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        planes[b] = {};
        out[b] = Interval::none();
        if (boxes[b].empty()) continue;
        const Box inside = in_domain(boxes[b]);
        const std::array<Side, 3> sides = {exactly_in_frame(inside, 0), exactly_in_frame(inside, 1),
                                           exactly_in_frame(inside, 2)};
        enter_exactly(sides, entered);
        exact_units(*program_, entered, columns);
        const RangeSphere line =
            exact_line(*program_, entered, columns, {sides[0].half, sides[1].half, sides[2].half}, facing, adjoints);
        if (!std::isfinite(line.reach) || !std::isfinite(line.centre)) {
            out[b] = Interval::all();
            continue;
        }
        out[b] = {leave(line).lower, HUGE_VAL};
        planes[b] = plane_of(line, boxes[b], sides);
    }
}

} // namespace fathom
