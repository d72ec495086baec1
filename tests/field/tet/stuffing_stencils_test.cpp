#include <fathom/base/random.h>
#include <fathom/field/tet/stuffing.h>
#include <fathom/field/tet/stuffing_lattice.h>

#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom::testing {
namespace stuffing_stencils_test {

// A tetrahedron of the lattice, in half cells.
const std::array<Vec3, 4> lattice_corners = {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 1), Vec3(0, 1, 1)};

Vec3 direction(int n) {
    const LatticePoint& e = owned_edges[static_cast<std::size_t>(n % 7)];
    return (n < 7 ? 1 : -1) * Vec3(e[0], e[1], e[2]);
}

struct Situation {
    std::array<int, 4> direction{}; // of corners on the surface; -1: not moved
    std::array<double, 4> way{};    // share of how far they may move
    std::array<double, 6> cut{};    // share of where cuts may lie
};

Situation random_situation(Random& random, bool extreme) {
    Situation s;
    for (int& d : s.direction) d = static_cast<int>(random.below(15)) - 1;
    for (double& w : s.way) w = extreme ? 1 : random.uniform();
    for (double& c : s.cut) c = extreme ? static_cast<double>(random.below(2)) : random.uniform();
    return s;
}

Situation near(const Situation& from, double step, Random& random) {
    Situation s = from;
    for (double& w : s.way) w = std::clamp(w + random.uniform(-step, step), 0.0, 1.0);
    for (double& c : s.cut) c = std::clamp(c + random.uniform(-step, step), 0.0, 1.0);
    return s;
}

// A corner moves along an edge whose ends lay on different sides, and only one end of an edge moves along it.
bool can_be(const std::array<Side, 4>& sides, const Situation& s) {
    for (int was = 0; was < 16; ++was) {
        bool fits = true;
        for (std::size_t k = 0; k < 4; ++k) {
            const bool inside = was >> k & 1;
            if (sides[k] != Side::surface) {
                fits &= inside == (sides[k] == Side::inside);
                continue;
            }
            if (s.direction[k] < 0) continue;
            for (std::size_t j = 0; j < 4; ++j) {
                if (lattice_corners[k] + direction(s.direction[k]) != lattice_corners[j]) continue;
                const bool back = sides[j] == Side::surface && s.direction[j] >= 0 &&
                                  lattice_corners[j] + direction(s.direction[j]) == lattice_corners[k];
                fits &= inside != static_cast<bool>(was >> j & 1) && !back;
            }
        }
        if (fits) return true;
    }
    return false;
}

// 0 and 180 where a tetrahedron is inverted.
AngleRange angles_of(const std::array<Side, 4>& sides, const Situation& s) {
    std::array<Vec3, 10> points;
    for (std::size_t k = 0; k < 4; ++k) {
        points[k] = lattice_corners[k];
        if (sides[k] == Side::surface && s.direction[k] >= 0)
            points[k] += s.way[k] * (s.direction[k] % 7 < 3 ? long_reach : short_reach) * direction(s.direction[k]);
    }
    for (std::size_t e = 0; e < 6; ++e) {
        const double reach = e < long_stencil_edges ? long_reach : short_reach,
                     share = reach + (1 - 2 * reach) * s.cut[e];
        const auto end = [&](std::size_t n) { return lattice_corners[static_cast<std::size_t>(stencil_edges[e][n])]; };
        points[4 + e] = (1 - share) * end(0) + share * end(1);
    }
    const Stencil& made = stencil(sides);
    std::array<AngleRange, 2> choices;
    for (std::size_t choice = 0; choice < (made.has_choice ? 2U : 1U); ++choice)
        for (std::size_t n = 0; n < static_cast<std::size_t>(made.count); ++n) {
            const StencilTet& t = choice ? made.others[n] : made.tets[n];
            const std::array<Vec3, 4> corners = {points[t[0]], points[t[1]], points[t[2]], points[t[3]]};
            if (signed_volume(corners) * signed_volume(lattice_corners) <= 0) return {0, 180};
            const AngleRange range = dihedral_angles(corners);
            choices[choice] = {std::min(choices[choice].smallest, range.smallest),
                               std::max(choices[choice].largest, range.largest)};
        }
    return made.has_choice && choices[1].smallest > choices[0].smallest ? choices[1] : choices[0];
}

TEST(StuffingStencils, keep_their_angles_wherever_the_cuts_are) {
    Random random(81);
    AngleRange all;
    for (int n = 0; n < 81; ++n) {
        const std::array<Side, 4> sides = {Side(n / 27), Side(n / 9 % 3), Side(n / 3 % 3), Side(n % 3)};
        if (stencil(sides).count == 0) continue;
        AngleRange worst;
        Situation smallest, largest;
        const auto look = [&](const Situation& s) {
            if (!can_be(sides, s)) return;
            const AngleRange range = angles_of(sides, s);
            if (range.smallest < worst.smallest) {
                worst.smallest = range.smallest;
                smallest = s;
            }
            if (range.largest > worst.largest) {
                worst.largest = range.largest;
                largest = s;
            }
        };
        for (std::size_t k = 0; k < count_of(6'000, 400'000); ++k) look(random_situation(random, k % 2 == 0));
        for (double step = 0.3; step > 1e-7; step *= 0.9)
            for (int k = 0; k < 8; ++k) {
                look(near(smallest, step, random));
                look(near(largest, step, random));
            }
        EXPECT_GT(worst.smallest, stuffing_smallest_angle) << n;
        EXPECT_LT(worst.largest, stuffing_largest_angle) << n;
        all = {std::min(all.smallest, worst.smallest), std::max(all.largest, worst.largest)};
    }
    EXPECT_LT(all.smallest,
              stuffing_smallest_angle + 0.3); // the search comes close to the bounds, so it would see past them
    EXPECT_GT(all.largest, stuffing_largest_angle - 0.3);
}

TEST(StuffingStencils, fill_the_inside_exactly) {
    // Cuts halfway: the part inside of a tetrahedron, by one stencil, and the part outside, by that of the opposite
    // labels.
    for (int n = 0; n < 16; ++n) {
        std::array<Side, 4> sides, opposite;
        for (std::size_t k = 0; k < 4; ++k) {
            sides[k] = n >> k & 1 ? Side::inside : Side::outside;
            opposite[k] = n >> k & 1 ? Side::outside : Side::inside;
        }
        double volume = 0;
        for (const auto& labels : {sides, opposite}) {
            const Stencil& s = stencil(labels);
            for (int t = 0; t < s.count; ++t) {
                std::array<Vec3, 4> c;
                for (std::size_t k = 0; k < 4; ++k) {
                    const std::uint8_t point = s.tets[static_cast<std::size_t>(t)][k];
                    c[k] = point < 4
                               ? lattice_corners[point]
                               : Vec3(0.5 * (lattice_corners[static_cast<std::size_t>(stencil_edges[point - 4U][0])] +
                                             lattice_corners[static_cast<std::size_t>(stencil_edges[point - 4U][1])]));
                }
                volume += signed_volume(c);
            }
        }
        EXPECT_NEAR(volume, signed_volume(lattice_corners), 1e-15) << n;
    }
}

} // namespace stuffing_stencils_test
} // namespace fathom::testing
