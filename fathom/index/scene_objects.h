// What the broad phases sort: objects known by their boxes or spheres. Closed: touching counts as overlap.
// Brute force over them is the oracle of all others.
#pragma once

#include <fathom/index/bvh.h>

namespace fathom {

// A view. By id; an object with an empty box is not there. `spheres` is empty, or as long as `boxes`: where a radius is
// not negative the object is that sphere, and its box one that holds it (bounds_of_sphere).
struct SceneObjects {
    std::span<const Box> boxes;
    std::span<const Sphere> spheres{};

    [[nodiscard]] bool is_sphere(Index id) const { return !spheres.empty() && spheres[id].radius >= 0; }
    [[nodiscard]] bool overlap(Index a, Index b) const;
};

// Two spheres overlap where the distance of their centres, as computed in doubles, is at most the sum of their radii;
// the boxes are wide enough never to contradict that.
[[nodiscard]] Box bounds_of_sphere(const Sphere& sphere);

// {a, b} with a < b, sorted. O(n^2).
void pairs_by_force(const SceneObjects& objects, std::vector<IdPair>& pairs);

} // namespace fathom
