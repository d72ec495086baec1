// Partition of the points of a network into blocks, so that forces and matrices are summed in parallel without locks: a
// block evaluates all elements that touch its points, but adds only to its own points. Elements across two blocks are
// computed twice. Each sum is in the order of the elements, whatever the number of threads.
#pragma once

#include <fathom/simulate/springs/spring_network.h>

#include <algorithm>
#include <cmath>

namespace fathom {

// Single elements: derivatives of area and volume, and the force of a spring.
// Any finite input gives finite results: an element without length or area has no direction, and so no force.

// Elements smaller than this have no direction: the square is no longer a number of full precision (m, m^2).
inline constexpr double min_size = 1e-150;

// A measure (area, volume) of some points, and its derivative by the position of each.
template <std::size_t N>
struct MeasureSlope {
    double value = 0;
    std::array<Vec3, N> by{};
};

template <std::size_t N>
[[nodiscard]] std::array<Vec3, N> gathered(const std::array<Index, N>& points, std::span<const Vec3> values) {
    std::array<Vec3, N> out;
    for (std::size_t k = 0; k < N; ++k) out[k] = values[points[k]];
    return out;
}

struct AreaSlope : MeasureSlope<3> {
    Vec3 normal = Vec3::Zero(); // unit, or zero
};

[[nodiscard]] inline AreaSlope area_slope(const std::array<Vec3, 3>& x) {
    const Vec3 doubled = area_vector(x);
    const double length = doubled.norm();
    AreaSlope slope;
    slope.value = 0.5 * length;
    slope.by.fill(Vec3::Zero());
    if (!(length > min_size)) return slope;
    slope.normal = (1 / length) * doubled;
    slope.by[0] = 0.5 * slope.normal.cross(x[2] - x[1]);
    slope.by[1] = 0.5 * slope.normal.cross(x[0] - x[2]);
    slope.by[2] = -(slope.by[0] + slope.by[1]);
    return slope;
}

[[nodiscard]] inline MeasureSlope<4> volume_slope(const std::array<Vec3, 4>& x) {
    const Vec3 a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    const Vec3 face = b.cross(c);
    MeasureSlope<4> slope;
    slope.value = a.dot(face) / 6;
    slope.by[1] = face / 6;
    slope.by[2] = c.cross(a) / 6;
    slope.by[3] = a.cross(b) / 6;
    slope.by[0] = -(slope.by[1] + slope.by[2] + slope.by[3]);
    return slope;
}

// Energy of an area or volume term. Its force on point k is -pull * slope.by[k].
struct ElementPull {
    double energy = 0; // J
    double pull = 0;   // N/m, or Pa
    double curve = 0;  // d(pull)/d(value)
};

template <class Term>
[[nodiscard]] ElementPull element_pull(const Term& term, double value) {
    const double change = value - term.rest, curve = term.stiffness / std::abs(term.rest);
    return {0.5 * curve * change * change, curve * change, curve};
}

struct SpringPull {
    double energy = 0;         // J
    Vec3 force = Vec3::Zero(); // on the first end (N); the force on the second end is the opposite
};

// Equation 2 of Madera et al. 2006: Hooke's law along d / |d|, damped by the rate of change of the length. rate()
// returns the rate of change of d (m/s); it is called only if the spring is damped.
template <class Rate>
[[nodiscard]] inline SpringPull spring_pull(const Spring& spring, const Vec3& d, const Rate& rate) {
    const double length = d.norm(), stretch = length - spring.rest;
    SpringPull pull;
    pull.energy = 0.5 * spring.stiffness * stretch * stretch;
    if (!(length > min_size)) return pull;
    const double inverse = 1 / length;
    double tension = spring.stiffness * stretch;
    if (spring.damping > 0) tension += spring.damping * inverse * rate().dot(d);
    pull.force = tension * inverse * d;
    return pull;
}

struct SpringBlocks {
    std::vector<Index> first = {0}; // block b holds the points first[b], ..., first[b + 1] - 1
    using Touching = std::vector<std::vector<Index>>;
    Touching springs, areas, volumes; // elements that touch each block, ascending

    SpringBlocks() = default;
    explicit SpringBlocks(const SpringNetwork& network); // O(n)

    // Applies a future edit: `before` is the network before the edit. New points join the last block or start another
    // one. O(edit log n), and a pass over the lists of the blocks in which elements are added or removed.
    void apply(const NetworkEdit& edit, const SpringNetwork& before);

    [[nodiscard]] std::size_t size() const { return first.size() - 1; }
    [[nodiscard]] Index block_of(Index point) const {
        return static_cast<Index>(std::upper_bound(first.begin(), first.end(), point) - first.begin() - 1);
    }

private:
    void add_points(std::size_t count);
};

// The points of one block.
struct BlockRange {
    Index begin, end;
    [[nodiscard]] bool has(Index point) const { return point - begin < end - begin; }
};

[[nodiscard]] inline BlockRange block_range(const SpringBlocks& blocks, std::size_t block) {
    return {blocks.first[block], blocks.first[block + 1]};
}

} // namespace fathom
