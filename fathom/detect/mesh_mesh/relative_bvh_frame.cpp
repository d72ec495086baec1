// Transforms boxes and leaves of one tree into the frame of another, in double.
#include <fathom/detect/mesh_mesh/relative_bvh_frame.h>

#include <fathom/base/rounding.h>

#include <algorithm>

namespace fathom::mesh_mesh {

TreeBox whole_of(const Bvh& tree) {
    BvhNode all = tree.nodes()[0];
    for (int axis = 0; axis < 3; ++axis) {
        all.lower[axis][0] = *std::min_element(all.lower[axis], all.lower[axis] + BvhNode::width);
        all.upper[axis][0] = *std::max_element(all.upper[axis], all.upper[axis] + BvhNode::width);
    }
    TreeBox box = child_of(all, 0);
    box.child = 0;
    return box;
}

FrameInFrame::FrameInFrame(const BvhFrame& mine, const BvhFrame& theirs, const Pose& theirs_in_mine)
    : rotation(theirs_in_mine.rotation.toRotationMatrix()), shift(mine.to_local(theirs_in_mine * theirs.origin)),
      ratio(mine.scale / theirs.scale) {
    const double far = mine.origin.cwiseAbs().maxCoeff() + theirs.origin.cwiseAbs().maxCoeff() +
                       theirs_in_mine.translation.cwiseAbs().maxCoeff();
    ground = rounding_error(128) * far * mine.scale;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) axes[row][column] = static_cast<float>(rotation(row, column));
}

PlacedBox FrameInFrame::operator()(const TreeBox& box) const {
    PlacedBox placed;
    const Vec3 center = (*this)(box.center);
    const Vec3 half = ratio * Vec3(double{box.half[0]}, double{box.half[1]}, double{box.half[2]});
    const Vec3 spread = rotation.cwiseAbs() * half;
    placed.reach = 1 + center.cwiseAbs().maxCoeff() + half.maxCoeff();
    const double error = 0x1p-19 * placed.reach + 0x1p-21 * ratio + ground;
    for (int axis = 0; axis < 3; ++axis) {
        placed.center[axis] = static_cast<float>(center[axis]);
        placed.spread[axis] = static_cast<float>(spread[axis] + error);
        placed.half[axis] = static_cast<float>(half[axis] + error);
    }
    if (!(placed.reach + error < far_reach)) placed.reach = far_reach;
    return placed;
}

SeparatingDirection::SeparatingDirection(const FrameInFrame& other_in_lead, const Vec3& direction) {
    Vec3 unit =
        (1 - 0x1p-20) * direction.stableNormalized(); // slightly short, so that rounding does not make it too long
    double start = unit.dot(other_in_lead.shift);
    known = direction.squaredNorm() > 0 && std::abs(start) < far_reach;
    if (!known) unit.setZero(), start = 0;
    const Vec3 back = -other_in_lead.ratio * (other_in_lead.rotation.transpose() * unit);
    lead = {{}, 1, 0};
    other = {{}, static_cast<float>(other_in_lead.ratio), static_cast<float>(-start)};
    for (int axis = 0; axis < 3; ++axis) {
        lead.direction[axis] = static_cast<float>(unit[axis]);
        other.direction[axis] = static_cast<float>(back[axis]);
    }
    error = static_cast<float>(0x1p-19 * (4 + std::abs(start)) + other_in_lead.ground);
}

LeafFrame::LeafFrame(const FrameInFrame& frame, const TreeBox& mine, const TreeBox& theirs, const TrianglePack& pack,
                     const TrianglePack& their_pack) {
    const Vec3 middle = frame(theirs.center);
    double extent = 0, their_extent = 0;
    for (int axis = 0; axis < 3; ++axis) {
        origin[axis] = static_cast<float>(middle[axis]);
        residue[axis] = static_cast<float>(middle[axis] - double{origin[axis]});
        extent = std::max(extent, std::abs(double{mine.center[axis]} - middle[axis]) + double{mine.half[axis]});
        their_extent += double{theirs.half[axis]};
    }
    const double reach = extent + frame.ratio * their_extent;
    error = 0x1p-22 * (1 + frame.ratio) + 0x1p-18 * reach + frame.ground + double{pack.height} +
            frame.ratio * double{their_pack.height};
    overflows = !(reach + error + middle.cwiseAbs().maxCoeff() < far_reach);
}

} // namespace fathom::mesh_mesh
