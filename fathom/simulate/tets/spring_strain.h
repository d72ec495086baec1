// Springs past a limit, and what parts at their ends: the rule by which solids (spring_fracture.h) and
// tissues (tissue_fracture.h) break. At the end of a stretched spring whose springs are pulled more, everything round
// the point is parted by the plane across the direction of the strongest pull (the tensor of O'Brien & Hodgins 1999,
// here of strains).
#pragma once

#include <fathom/base/callable_ref.h>
#include <fathom/simulate/springs/spring_world.h>

namespace fathom {

struct BreakReport {
    std::size_t stretched = 0; // springs or faces past the limit
    std::size_t broken = 0;    // of them
    std::size_t held = 0;      // springs that nothing can free: both ends have all elements on one side
    std::size_t opened = 0;    // faces (of tissues, edges), scored ones too
    double largest_strain = 0;
};

// Longer by this share than at rest; 0 for springs that are no edges.
[[nodiscard]] double strain(const Spring& spring, const SpringState& state);

// Elements past a limit with minus their strain, so that sorting puts the largest first.
using Strained = std::vector<std::pair<double, Index>>;
void note(Strained& list, double strain, Index element, double limit, BreakReport& report);

// What is to be opened, in the order of springs, the most stretched first; a point parts once a call, and at most
// `most` springs break. O(springs). springs_at(point): those that end there, in a fixed order. across(point,
// direction): what lies between the elements on both sides of the plane.
[[nodiscard]] std::vector<Index> parted_at_springs(const SpringNetwork& network, const SpringState& state, double limit,
                                                   std::size_t most, CallableRef<std::vector<Index>(Index)> springs_at,
                                                   CallableRef<std::vector<Index>(Index, const Vec3&)> across,
                                                   BreakReport& report);

} // namespace fathom
