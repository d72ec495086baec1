// How far convex hulls reach beyond a solid: the largest distance of a point of a hull to the solid.
// Method: branch and bound over an octree that stores the distance at the centres of its cells; a distance changes by
// at most the length of a step. The octree is as fine as the limit of the decomposition asks and is shared by all
// hulls; proven bounds subdivide it further where they need. Immutable; thread-safe.
#pragma once

#include <fathom/detect/convex/hull.h>
#include <fathom/field/field.h>

#include <vector>

namespace fathom::decomposition {

struct Gap {
    double depth = 0;          // largest distance found; 0 if no point outside the solid was found
    double bound = 0;          // no point of the hull is farther; only set by proven_gap()
    Vec3 place = Vec3::Zero(); // where the largest distance was found
};

class GapTree {
public:
    // Distances to the solid {solid <= 0} at points of `around`, a hull, resolved so that hulls can be compared with
    // `limit`. At most about a million cells.
    GapTree(const Field& solid, const convex::Hull& around, double limit);

    // An estimate that is good to about a quarter of the limit. Points that are closer than `floor` are not looked at.
    [[nodiscard]] Gap estimate(const convex::Hull& hull, double floor = 0) const;
    // Whether all points of the hull are within `limit`, up to an eighth of it.
    [[nodiscard]] bool within(const convex::Hull& hull, double limit) const;
    // The largest distance with a bound at most `tolerance` larger, if 200,000 evaluations suffice for that. The bound
    // is at least `floor`: points nearer than that are not looked at.
    [[nodiscard]] Gap proven_gap(const convex::Hull& hull, double tolerance, double floor) const;

    [[nodiscard]] const Field& solid() const { return solid_; }

private:
    struct Node {
        float distance = 0;           // at the centre
        Index first_child = no_index; // of eight
    };
    struct Search;
    [[nodiscard]] static Vec3 child_center(const Vec3& center, double half, int k);
    void subdivide(const convex::Hull& around, double limit);

    const Field& solid_;
    Vec3 center_ = Vec3::Zero();
    double half_ = 0;
    std::vector<Node> nodes_;
};

} // namespace fathom::decomposition
