// Traverses two triangle trees together, one box or triangle against eight per step.
#include <fathom/detect/mesh_mesh/dual_bvh_traversal.h>

#include <fathom/detect/mesh_mesh/relative_bvh_frame.h>

#include <algorithm>
#include <tuple>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fathom/detect/mesh_mesh/dual_bvh_traversal.cpp"
#include <hwy/foreach_target.h>

#include <fathom/detect/mesh_mesh/triangle_pairs-inl.h>

#ifndef FATHOM_GEOMETRY_SURFACE_PAIRS_ONCE
#define FATHOM_GEOMETRY_SURFACE_PAIRS_ONCE
namespace fathom::mesh_mesh {

// The tree with the larger frame leads: keys and limits are in its units.
struct RelativeBvhFrame {
    SurfaceView lead, other;
    FrameInFrame other_in_lead, lead_in_other;

    RelativeBvhFrame(const SurfaceTree& first, const SurfaceTree& second, const Pose& second_in_first)
        : lead(first), other(second), other_in_lead(first.tree().frame(), second.tree().frame(), second_in_first),
          lead_in_other(second.tree().frame(), first.tree().frame(), second_in_first.inverse()) {}
};

// A pair of boxes on the stack.
struct BoxPair {
    float key; // lower bound on the distance; below 0 if the boxes overlap, decreasing with depth
    TreeBox lead, other;
};
// Seven per level of either tree, plus the children of the last.
inline constexpr int max_box_pairs = 14 * deepest_level + 8;

} // namespace fathom::mesh_mesh
#endif

HWY_BEFORE_NAMESPACE();
namespace fathom::mesh_mesh::HWY_NAMESPACE {

// Computes the keys (as in BoxPair, times `unit`) of the eight child boxes against a box of the other tree, and returns
// the bits of those not above the limit.
HWY_INLINE std::uint32_t close_children(const BvhNode& node, const PlacedBox& box, const float (&axes)[3][3],
                                        float unit, float limit, float* keys) {
    const Lanes8 d;
    const Floats none = hn::Zero(d);
    std::uint32_t found = 0;
    for (int lane = 0; lane < node_width; lane += lane_step()) {
        Floats away[3], half[3], deepest = hn::Set(d, -FLT_MAX);
        Floats mine = none, theirs = none; // squared gaps along the axes of either frame
        const auto count = [&](Floats gap, Floats& sum) HWY_ATTR {
            const Floats out = hn::Max(gap, none);
            deepest = hn::Max(deepest, gap);
            sum = hn::Add(sum, hn::Mul(out, out));
        };
        for (int axis = 0; axis < 3; ++axis) {
            const Floats lower = hn::Load(d, node.lower[axis] + lane), upper = hn::Load(d, node.upper[axis] + lane);
            half[axis] = hn::Mul(hn::Sub(upper, lower), hn::Set(d, 0.5f));
            away[axis] = hn::Sub(hn::Mul(hn::Add(upper, lower), hn::Set(d, 0.5f)), hn::Set(d, box.center[axis]));
            count(hn::Sub(hn::Sub(hn::Abs(away[axis]), half[axis]), hn::Set(d, box.spread[axis])), mine);
        }
        Floats squared = none, covered = none; // along the line between the centres
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3Lanes column = {hn::Set(d, axes[0][axis]), hn::Set(d, axes[1][axis]), hn::Set(d, axes[2][axis])};
            const Floats along = hn::Abs(plain_dot(column, {away[0], away[1], away[2]}));
            const Floats spread =
                plain_dot({hn::Abs(column.x), hn::Abs(column.y), hn::Abs(column.z)}, {half[0], half[1], half[2]});
            const Floats their_half = hn::Set(d, box.half[axis]);
            count(hn::Sub(hn::Sub(along, spread), their_half), theirs);
            squared = hn::Add(squared, hn::Mul(away[axis], away[axis]));
            covered = hn::Add(covered, hn::Add(hn::Mul(hn::Abs(away[axis]), half[axis]), hn::Mul(along, their_half)));
        }
        const Floats between = hn::Div(hn::Sub(squared, covered), hn::Sqrt(hn::Max(squared, hn::Set(d, 1e-37f))));
        const Floats apart = hn::Max(hn::Sqrt(hn::Max(mine, theirs)), between);
        const Floats key =
            hn::Mul(hn::IfThenElse(hn::Gt(apart, none), apart, hn::Min(deepest, none)), hn::Set(d, unit));
        hn::Store(key, d, keys + lane);
        const auto used = hn::Le(hn::Load(d, node.lower[0] + lane), hn::Load(d, node.upper[0] + lane));
        found |= mask_bits(hn::And(used, hn::Le(key, hn::Set(d, limit))), lane);
    }
    return found;
}

// Calls put(key, child) for the children of a node that may be near a box of the other tree.
template <class Put>
HWY_INLINE void open_children(const BvhNode& node, const FrameInFrame& frame, const TreeBox& against, float unit,
                              float key, float limit, const Put& put) {
    alignas(64) float keys[node_width];
    const PlacedBox box = frame(against);
    if (box.reach < far_reach) {
        for (std::uint32_t found = close_children(node, box, frame.axes, unit, limit, keys); found;
             found &= found - 1) {
            const int slot = lowest_bit(found);
            put(keys[slot], child_of(node, slot));
        }
        return;
    }
    for (int slot = 0; slot < node_width; ++slot) // for so large a box all children are equivalent
        if (node.child[slot] != no_index) put(key, child_of(node, slot));
}

// Largest extent of the triangles of a pack along a direction.
HWY_INLINE float pack_reach(const TrianglePack& pack, const SeparatingDirection::End& end) {
    const Lanes8 d;
    Floats max_along = hn::Set(d, -FLT_MAX);
    for (int lane = 0; lane < 8; lane += lane_step()) {
        const Vec3Lanes direction = set3(end.direction);
        const Floats further = most(hn::Zero(d), plain_dot(direction, load3(pack.edge_1, lane)),
                                    plain_dot(direction, load3(pack.edge_2, lane)));
        const Floats along = hn::Add(plain_dot(direction, load3(pack.corner, lane)), further);
        // Unused lanes are NaN.
        max_along = hn::Max(max_along, hn::IfThenElse(hn::Eq(along, along), along, max_along));
    }
    return end.start + hn::GetLane(hn::MaxOfLanes(d, max_along)) + end.unit * pack.height;
}
HWY_INLINE float reach_of(const TreeBox& box, const SurfaceView& surface, const SeparatingDirection::End& end) {
    return box.is_leaf() ? pack_reach(surface.packs[box.leaf()], end) : end.reach(box);
}

// Calls leaves(lead, other) for leaves that may be within leaves.limit() of each other, roughly from near to far, until
// it has stopped.
template <class Leaves>
HWY_INLINE void walk_pair(const RelativeBvhFrame& pair, Leaves& leaves) {
    BoxPair stack[max_box_pairs];
    BoxPair* top = stack;
    *top++ = {-FLT_MAX, whole_of(pair.lead.tree), whole_of(pair.other.tree)};
    const float ratio = static_cast<float>(pair.other_in_lead.ratio);
    while (top != stack && !leaves.stopped()) {
        const BoxPair entry = *--top;
        const float limit = leaves.limit();
        if (entry.key > limit) continue;
        if (entry.lead.is_leaf() && entry.other.is_leaf()) {
            leaves(entry.lead, entry.other);
            continue;
        }
        BoxPair* const base = top;
        const auto put = [&](float key, const TreeBox& lead, const TreeBox& other) HWY_ATTR { // the nearest on top
            BoxPair* place = top++;
            for (; place > base && place[-1].key < key; --place) *place = place[-1];
            *place = {key, lead, other};
        };
        const SeparatingDirection& direction = leaves.direction();
        if (entry.other.is_leaf() || (!entry.lead.is_leaf() && entry.lead.size() >= ratio * entry.other.size())) {
            const float their_reach = direction.known ? reach_of(entry.other, pair.other, direction.other) : 0;
            open_children(pair.lead.tree.nodes()[entry.lead.child], pair.other_in_lead, entry.other, 1, entry.key,
                          limit, [&](float key, const TreeBox& child) HWY_ATTR {
                              if (!direction.known ||
                                  direction.gap(reach_of(child, pair.lead, direction.lead), their_reach) <= limit)
                                  put(key, child, entry.other);
                          });
        } else {
            const float their_reach = direction.known ? reach_of(entry.lead, pair.lead, direction.lead) : 0;
            open_children(pair.other.tree.nodes()[entry.other.child], pair.lead_in_other, entry.lead, ratio, entry.key,
                          limit, [&](float key, const TreeBox& child) HWY_ATTR {
                              if (!direction.known ||
                                  direction.gap(reach_of(child, pair.other, direction.other), their_reach) <= limit)
                                  put(key, entry.lead, child);
                          });
        }
    }
}

// Pairs of triangles of two leaves: passes those that floats cannot rule out to the visitor, immediately or, for the
// nearest pair, after they have been narrowed down.
class NearLeaves {
public:
    HWY_ATTR NearLeaves(const RelativeBvhFrame& pair, const PairsQuery& query,
                        CallableRef<double(Index, Index)> visitor)
        : pair_(pair), direction_(pair.other_in_lead, query.direction), wanted_(query.wanted), visitor_(visitor) {
        lower_bound_to(query.limit);
    }

    HWY_ATTR float limit() const { return limit_; }
    HWY_ATTR const SeparatingDirection& direction() const { return direction_; }
    HWY_ATTR bool stopped() const { return stopped_; }

    HWY_ATTR void operator()(const TreeBox& lead, const TreeBox& other) {
        const TrianglePack &pack = pair_.lead.packs[lead.leaf()], &their_pack = pair_.other.packs[other.leaf()];
        const LeafFrame frame(pair_.other_in_lead, lead, other, pack, their_pack);
        if (frame.overflows) return all_pairs(pack, their_pack);
        const float error = static_cast<float>(frame.error) * (1 + 0x1p-20f);
        EightTriangles mine(pack, frame, direction_.lead.direction);
        const PlacedCorners theirs(their_pack, other, pair_.other_in_lead, frame, direction_.lead.direction);
        PairBounds bounds;
        for (Index k = 0; k < their_pack.count && !stopped_; ++k)
            if (const std::uint32_t open = mine.near(theirs, static_cast<int>(k), limit_ + error, bounds))
                keep(bounds, open, error, pack.first, their_pack.first + k);
    }

    HWY_ATTR void finish() {
        std::sort(waiting_, waiting_ + count_, [](const Candidate& p, const Candidate& q) {
            return std::tie(p.lower, p.lead, p.other) < std::tie(q.lower, q.lead, q.other);
        });
        for (int k = 0; k < count_ && !stopped_; ++k)
            if (waiting_[k].lower <= bound_) decide(waiting_[k].lead, waiting_[k].other);
        count_ = 0;
    }

private:
    static constexpr int max_waiting = 64;

    struct Candidate {
        float lower; // lower bound on its distance, in the leading frame
        Index lead, other;
    };

    HWY_ATTR void lower_bound_to(double limit) {
        const double local = limit * pair_.lead.tree.frame().scale * (1 + 0x1p-20) + double{FLT_MIN};
        bound_ = std::min(bound_, static_cast<float>(std::min(local, 0x1p62)));
        limit_ = bound_ * (1 + 0x1p-19f) + FLT_MIN;
    }

    // Keeps the candidates among one triangle of the other tree, given by its place, and the triangles of a pack.
    HWY_ATTR void keep(const PairBounds& bounds, std::uint32_t open, float error, Index first, Index other) {
        if (wanted_ == PairsWanted::nearest) come_nearer(bounds, open, error);
        for (; open && !stopped_; open &= open - 1) {
            const int lane = lowest_bit(open);
            if (bounds.lower[lane] - error <= bound_)
                take({bounds.lower[lane] - error, first + static_cast<Index>(lane), other});
        }
    }

    HWY_ATTR void come_nearer(const PairBounds& bounds, std::uint32_t open, float error) {
        int nearest = -1;
        for (; open; open &= open - 1) {
            const int lane = lowest_bit(open);
            if (!(bounds.upper[lane] + error < bound_)) continue;
            bound_ = bounds.upper[lane] + error;
            nearest = lane;
        }
        if (nearest < 0) return;
        limit_ = bound_ * (1 + 0x1p-19f) + FLT_MIN;
        const auto along = [&](int axis) { return double{bounds.direction[axis][nearest]}; };
        direction_ = SeparatingDirection(pair_.other_in_lead, {along(0), along(1), along(2)});
    }

    HWY_ATTR void take(const Candidate& candidate) {
        // Triangles without a gap in float may cross, and then nothing is nearer.
        if (wanted_ == PairsWanted::all || candidate.lower <= 0) return decide(candidate.lead, candidate.other);
        if (count_ == max_waiting) make_room();
        waiting_[count_++] = candidate;
    }

    // Drops candidates beyond the bound; if too many remain, decides them now.
    HWY_ATTR void make_room() {
        count_ = static_cast<int>(
            std::remove_if(waiting_, waiting_ + count_, [&](const Candidate& c) { return !(c.lower <= bound_); }) -
            waiting_);
        if (count_ > max_waiting / 2) finish();
    }

    HWY_ATTR void decide(Index lead, Index other) {
        const double limit = visitor_(lead, other);
        if (limit < 0)
            stopped_ = true;
        else
            lower_bound_to(limit);
    }

    HWY_ATTR void all_pairs(const TrianglePack& pack, const TrianglePack& their_pack) {
        for (Index i = 0; i < pack.count; ++i)
            for (Index j = 0; j < their_pack.count && !stopped_; ++j) decide(pack.first + i, their_pack.first + j);
    }

    const RelativeBvhFrame& pair_;
    SeparatingDirection direction_;
    PairsWanted wanted_;
    CallableRef<double(Index, Index)> visitor_;
    float bound_ = FLT_MAX; // upper bound on relevant distances, in the leading frame
    float limit_ = FLT_MAX; // slightly larger, for keys
    bool stopped_ = false;
    int count_ = 0;
    Candidate waiting_[max_waiting];
};

HWY_ATTR bool near_pairs_kernel(const RelativeBvhFrame& pair, const PairsQuery& query,
                                CallableRef<double(Index, Index)> visitor) {
    NearLeaves leaves(pair, query, visitor);
    walk_pair(pair, leaves);
    leaves.finish();
    return !leaves.stopped();
}

} // namespace fathom::mesh_mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fathom::mesh_mesh {

HWY_EXPORT(near_pairs_kernel);

bool visit_near_pairs(const SurfaceTree& a, const SurfaceTree& b, const Pose& b_in_a, const PairsQuery& query,
                      CallableRef<double(Index, Index)> visitor) {
    if (a.tree().empty() || b.tree().empty() || !(query.limit >= 0)) return true;
    if (a.tree().frame().scale <= b.tree().frame().scale)
        return HWY_DYNAMIC_DISPATCH(near_pairs_kernel)(RelativeBvhFrame(a, b, b_in_a), query, visitor);
    const Pose a_in_b = b_in_a.inverse();
    const auto turned = [&](Index of_b, Index of_a) { return visitor(of_a, of_b); };
    return HWY_DYNAMIC_DISPATCH(near_pairs_kernel)(
        RelativeBvhFrame(b, a, a_in_b), {query.wanted, query.limit, a_in_b.rotate(-query.direction)}, turned);
}

} // namespace fathom::mesh_mesh
#endif
