// Two trees in two poses, as a walk down both sees them: boxes and leaves of one in the frame of the
// other, and how far floats may err.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>
#include <fathom/index/bvh.h>

namespace fathom {

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

// What a float may be compared at: past this its square would leave the floats, and nothing is ruled out.
inline constexpr double far_reach = 0x1p60;

// A box of the other tree, in the frame of mine. Rounding is counted in `spread` and `half`.
//
// Let u = 2^-24, all in units of my frame, in which my boxes lie in [-1, 1]; C = |center|, H = |half| (largest
// components), D = 1 + C. Centres and halves of my boxes are off by u, differences d of centres by 2 u D, their
// products with a column of the turn (whose absolute sum is below 1.74) by 10.5 u D, those of my halves by 8.7 u; with
// half, spread and two subtractions a gap along an axis of either frame, or along d, is off by less than 32 u (D + H).
// Centre and half of the other's box are off by u each in its own units, and by what doubles lose
// (FrameInFrame::ground).
struct PlacedBox {
    float center[3];
    float spread[3]; // half sizes along my axes
    float half[3];   // along its own
    double reach;    // D + H
};

// mine = ratio * turn * theirs + shift, each in the frame of its tree (bvh.h).
struct FrameInFrame {
    Mat3 turn;
    Vec3 shift;
    double ratio;
    double ground;    // what doubles lose of a corner on its way through both poses, many times over
    float axes[3][3]; // turn, [row][column]

    FrameInFrame(const BvhFrame& mine, const BvhFrame& theirs, const Pose& theirs_in_mine);
    [[nodiscard]] Vec3 operator()(const float (&point)[3]) const {
        return ratio * (turn * Vec3(double{point[0]}, double{point[1]}, double{point[2]})) + shift;
    }
    [[nodiscard]] PlacedBox operator()(const TreeBox& box) const;
};

// A direction that is thought to separate two trees, seen from either one towards the other. What reaches to x and y
// along it is at least -(x + y) - error apart, all in units of the leading frame.
//
// Products of three terms and sums, of coordinates below 1, with the start: off by 16 u (4 + |start|) on both sides
// together, and by what is stored.
struct TreeWay {
    struct End {
        float way[3]; // in the frame of the tree, of the length of its unit
        float unit;   // of the frame
        float start;  // where its origin reaches to

        [[nodiscard]] float reach(const TreeBox& box) const {
            float sum = start;
            for (int axis = 0; axis < 3; ++axis)
                sum += way[axis] * box.center[axis] + std::abs(way[axis]) * box.half[axis];
            return sum;
        }
    };
    End lead, other;
    float error;
    bool known; // else all is zero, and separates nothing

    [[nodiscard]] float gap(float reach, float their_reach) const { return -(reach + their_reach) - error; }

    // `way` from lead to other, in the frame of the lead, of any length.
    TreeWay(const FrameInFrame& other_in_lead, const Vec3& way);
};

// The root, over all boxes.
[[nodiscard]] TreeBox whole_of(const Bvh& tree);

// Where the triangles of two leaves are compared: about the middle of the leaf of the other tree, with my axes and
// units.
//
// Let E be the largest coordinate there, of corners of both leaves. Corners of mine are stored to 2 u, of the other to
// 2 u ratio; moving them here and turning adds 12 u E. A product with a direction v is off by 3 u |v| sqrt(3) E, so a
// separation along v by 14 u E |v|, and a root and a quotient add 11 u E; the vector between two points of the
// triangles, at any parameters, is off by 20 u E. Together below 4 u (1 + ratio) + 64 u E, the last with more than
// closest_points() itself errs by. A triangle that stands as its longest edge is off by its height.
struct LeafFrame {
    float origin[3];  // in my frame
    float residue[3]; // of the middle of the other's leaf: what `origin` is off by
    double error;     // of a bound on the distance of two triangles
    bool hopeless;    // too far for floats: nothing is ruled out

    LeafFrame(const FrameInFrame& frame, const TreeBox& mine, const TreeBox& theirs, const TrianglePack& pack,
              const TrianglePack& their_pack);
};

} // namespace fathom
