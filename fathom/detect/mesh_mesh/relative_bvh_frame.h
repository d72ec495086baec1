// Boxes and leaves of one bounding volume hierarchy in the frame of another, for the traversal of a pair of trees in
// two poses, with bounds on the rounding errors of float arithmetic.
// "My" tree and frame are those in which values are compared; "their" or "other" values are transformed into it.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>
#include <fathom/index/bvh.h>

namespace fathom::mesh_mesh {

// A child of a node, in the frame of its tree.
struct TreeBox {
    float center[3], half[3];
    std::uint32_t child; // as in BvhNode

    [[nodiscard]] bool is_leaf() const { return BvhNode::is_leaf(child); }
    [[nodiscard]] std::uint32_t leaf() const { return child & ~BvhNode::leaf_bit; }
    [[nodiscard]] float size() const { return half[0] + half[1] + half[2]; }
};
[[nodiscard]] inline TreeBox child_of(const BvhNode& node, int slot) {
    TreeBox box;
    for (int axis = 0; axis < 3; ++axis) {
        box.center[axis] = 0.5f * (node.lower[axis][slot] + node.upper[axis][slot]);
        box.half[axis] = 0.5f * (node.upper[axis][slot] - node.lower[axis][slot]);
    }
    box.child = node.child[slot];
    return box;
}

// Largest magnitude that is compared in float. Beyond it the square would overflow, and nothing is ruled out.
inline constexpr double far_reach = 0x1p60;

// A box of the other tree in my frame. `spread` and `half` include the rounding error.
//
// Let u = 2^-24. All values are in units of my frame, in which my boxes lie in [-1, 1]; C = |center|, H = |half|
// (largest components), D = 1 + C. Centres and half sizes of my boxes have an error of u, differences d of centres 2 u
// D, their products with a column of the rotation (whose absolute sum is below 1.74) 10.5 u D, and those of my half
// sizes 8.7 u. With half, spread and two subtractions, a gap along an axis of either frame, or along d, has an error
// below 32 u (D + H). Centre and half size of the other box each have an error of u in its own units, plus the rounding
// error of the transform in double (FrameInFrame::ground).
struct PlacedBox {
    float center[3];
    float spread[3]; // half sizes along my axes
    float half[3];   // half sizes along its own axes
    double reach;    // D + H
};

// mine = ratio * rotation * theirs + shift, each in the frame of its tree (bvh.h).
struct FrameInFrame {
    Mat3 rotation;
    Vec3 shift;
    double ratio;
    double ground; // bound on the rounding error of a corner that is transformed in double through both poses, with a
                   // wide margin
    float axes[3][3]; // rotation, [row][column]

    FrameInFrame(const BvhFrame& mine, const BvhFrame& theirs, const Pose& theirs_in_mine);
    [[nodiscard]] Vec3 operator()(const float (&point)[3]) const {
        return ratio * (rotation * Vec3(double{point[0]}, double{point[1]}, double{point[2]})) + shift;
    }
    [[nodiscard]] PlacedBox operator()(const TreeBox& box) const;
};

// A candidate separating direction of two trees, seen from either tree towards the other. Parts that extend to x and to
// y along it are at least -(x + y) - error apart, in units of the leading frame.
//
// The values are products of three terms and sums, of coordinates below 1, plus the start: their error is 16 u (4 +
// |start|) for both sides together, plus the rounding of the stored values.
struct SeparatingDirection {
    struct End {
        float direction[3]; // in the frame of the tree, with the length of its unit
        float unit;         // unit of the frame
        float start;        // extent of its origin along the direction

        [[nodiscard]] float reach(const TreeBox& box) const {
            float sum = start;
            for (int axis = 0; axis < 3; ++axis)
                sum += direction[axis] * box.center[axis] + std::abs(direction[axis]) * box.half[axis];
            return sum;
        }
    };
    End lead, other;
    float error;
    bool known; // false: all values are zero and nothing is separated

    [[nodiscard]] float gap(float reach, float their_reach) const { return -(reach + their_reach) - error; }

    // `direction` points from lead to other, in the frame of lead, with any length.
    SeparatingDirection(const FrameInFrame& other_in_lead, const Vec3& direction);
};

// The root box, which encloses all boxes.
[[nodiscard]] TreeBox whole_of(const Bvh& tree);

// Frame in which the triangles of two leaves are compared: centred on the leaf of the other tree, with my axes and
// units.
//
// Let E be the largest coordinate in it, over the corners of both leaves. My corners are stored with an error of 2 u,
// those of the other tree with 2 u ratio; translating and rotating them into this frame adds 12 u E. A product with a
// direction v has an error of 3 u |v| sqrt(3) E, so a separation along v has 14 u E |v|, and a square root and a
// quotient add 11 u E; the vector between two points of the triangles, at any parameters, has an error of 20 u E. The
// total is below 4 u (1 + ratio) + 64 u E, the last term of which exceeds the error of closest_points() itself. A
// triangle that is represented by its longest edge adds its height.
struct LeafFrame {
    float origin[3];  // in my frame
    float residue[3]; // difference between the centre of the other leaf and `origin`
    double error;     // error of a bound on the distance of two triangles
    bool overflows;   // too large for floats: nothing is ruled out

    LeafFrame(const FrameInFrame& frame, const TreeBox& mine, const TreeBox& theirs, const TrianglePack& pack,
              const TrianglePack& their_pack);
};

} // namespace fathom::mesh_mesh
