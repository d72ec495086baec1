// Sorting of points along the Morton curve.
#include <fathom/index/space_order.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/primitives.h>

namespace fathom {

namespace {

constexpr std::size_t chunk = 8192;
constexpr int order_bits = 10; // bits per pass of the sort; three passes cover a code

// Spreads ten bits, with two zeros after each.
std::uint32_t spread(std::uint32_t x) {
    x = (x | (x << 16)) & 0x030000ffu;
    x = (x | (x << 8)) & 0x0300f00fu;
    x = (x | (x << 4)) & 0x030c30c3u;
    return (x | (x << 2)) & 0x09249249u;
}

struct Coded {
    std::uint32_t code;
    Index index;
};

Box finite_bounds(std::span<const Vec3> points) {
    return parallel_reduce(
        points.size(), chunk, Box{},
        [&](std::size_t begin, std::size_t end) {
            Box box;
            for (std::size_t k = begin; k < end; ++k)
                if (points[k].allFinite()) box.extend(points[k]);
            return box;
        },
        [](const Box& a, const Box& b) { return hull(a, b); });
}

std::vector<Coded> coded(std::span<const Vec3> points) {
    const Box box = finite_bounds(points);
    const Vec3 half = 0.5 * box.upper - 0.5 * box.lower; // the size itself may overflow
    const double step = half.maxCoeff() / 511.5;
    std::vector<Coded> codes(points.size());
    parallel_for(points.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t code = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double cell = (points[k][axis] - box.lower[axis]) / step;
                // False for NaN, so that NaN is never cast to an integer.
                const std::uint32_t bits = cell > 0 ? static_cast<std::uint32_t>(std::min(cell, 1023.0)) : 0u;
                code |= spread(bits) << axis;
            }
            codes[k] = {code, static_cast<Index>(k)};
        }
    });
    return codes;
}

void sort_by_digit(const std::vector<Coded>& from, std::vector<Coded>& to, int shift) {
    std::array<std::size_t, (1 << order_bits) + 1> begin{};
    const auto digit = [&](const Coded& c) { return (c.code >> shift) & ((1u << order_bits) - 1); };
    for (const Coded& c : from) ++begin[digit(c) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    for (const Coded& c : from) to[begin[digit(c)]++] = c;
}

} // namespace

std::vector<Index> order_in_space(std::span<const Vec3> points) {
    if (points.size() >= no_index)
        throw Error(Cause::too_large, "the number of points exceeds the range of 32-bit indices");
    std::vector<Coded> codes = coded(points), other(codes.size());
    for (int shift = 0; shift < 3 * order_bits; shift += order_bits) {
        sort_by_digit(codes, other, shift);
        codes.swap(other);
    }
    std::vector<Index> order(points.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = codes[k].index;
    return order;
}

} // namespace fathom
