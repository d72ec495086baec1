// Options of the broad phase, and the interface of a method that a caller supplies.
#pragma once

#include <fathom/base/primitives.h>

#include <memory>
#include <span>
#include <vector>

namespace fathom {

// Input of the broad phases: objects given by boxes or spheres. Closed: touching counts as overlap. Brute force over
// them is the reference for all other methods.

// A view, indexed by id; an object with an empty box is absent. `spheres` is empty, or as long as `boxes`: if a radius
// is not negative, the object is that sphere, and its box encloses it (see bounds_of_sphere).
struct SceneObjects {
    std::span<const Box> boxes;
    std::span<const Sphere> spheres{};

    [[nodiscard]] bool is_sphere(Index id) const { return !spheres.empty() && spheres[id].radius >= 0; }
    [[nodiscard]] bool overlap(Index a, Index b) const;
};

// Box that encloses a sphere. Two spheres overlap if the distance of their centres, as computed in double, is at most
// the sum of their radii; the boxes are wide enough to be consistent with that test.
[[nodiscard]] Box bounds_of_sphere(const Sphere& sphere);

// Brute force: {a, b} with a < b, sorted. O(n^2).
void pairs_by_force(const SceneObjects& objects, std::vector<IdPair>& pairs);

// A method for the pairs of a broad phase. One instance serves one BroadPhase.
class PairFinder {
public:
    virtual ~PairFinder() = default;
    // All pairs {a, b} of objects that overlap, with a < b, each once, sorted.
    virtual void find_pairs(const SceneObjects& objects, std::vector<IdPair>& pairs) = 0;
};

enum class BroadMethod {
    automatic,   // brute force for up to 32 objects, otherwise the packed tree
    brute_force, // all pairs
    packed_tree  // PackedTree
};

struct BroadPhaseOptions {
    BroadMethod method = BroadMethod::automatic;
    double margin = 0; // every object is grown by this (m), so that pairs begin early and change less often
    std::shared_ptr<PairFinder> finder{}; // if given, it is used instead of `method`
};

} // namespace fathom
