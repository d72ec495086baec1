// Stencils: the part of a lattice tetrahedron that remains after the surface has cut it, at most three tetrahedra.
// Method: Labelle & Shewchuk, Isosurface Stuffing, SIGGRAPH 2007, section 3: stencils, and diagonals on which two
// neighbours agree because the choice depends only on their common face. A table of 81 entries, made once; thread-safe.
#pragma once

#include <array>
#include <cstdint>

namespace fathom {

enum class Side : std::uint8_t { outside, surface, inside };

// Points of a lattice tetrahedron: 0 to 3 are its corners, 4 to 9 the cuts of its edges. Corners 0 and 1 are the ends
// of one long edge, 2 and 3 of the other; in both, the end of even parity comes first.
inline constexpr std::array<std::array<int, 2>, 6> stencil_edges = {{{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}};
inline constexpr int long_stencil_edges = 2; // the first two edges
using StencilTet = std::array<std::uint8_t, 4>;

struct Stencil {
    int count = 0;                    // number of tetrahedra
    std::array<StencilTet, 3> tets{}; // of positive volume if (0, 1, 2, 3) has positive volume
    // The quadrilateral on the surface may be cut along either diagonal; the one with the larger smallest angle is
    // used.
    bool has_choice = false;
    std::array<StencilTet, 3> others{}; // tetrahedra for the second diagonal
};

// A tetrahedron without a corner inside has an empty stencil: one with all corners on the surface is as flat as the
// surface.
[[nodiscard]] const Stencil& stencil(const std::array<Side, 4>& corners);

// A lattice point closer to a cut than these shares of the edge moves onto it. With them, and cuts anywhere else, all
// dihedral angles lie between the two angles below (degrees); a test searches for worse ones. The paper's own pair
// (0.24999, 0.41189) gives 9.3 to 161.7 degrees here, where all points move at once; this pair was found by a search
// for the largest smallest angle.
inline constexpr double long_reach = 0.284;
inline constexpr double short_reach = 0.398;
inline constexpr double stuffing_smallest_angle = 10.69;
inline constexpr double stuffing_largest_angle = 164.39;

} // namespace fathom
