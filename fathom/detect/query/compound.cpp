// Parts of compound shapes: checks, nested compounds, their tree, and the enumeration of pairs of parts.
#include <fathom/detect/query/compound.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/query/distance_lower_bound.h>
#include <fathom/detect/query/placement.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

constexpr std::size_t max_parts = std::size_t{1} << 20; // nested compounds may multiply

// A part of a nested compound as a part of the outer one.
CompoundPart raised(const CompoundPart& outer, const CompoundPart& inner) {
    CompoundPart part = inner;
    part.pose = outer.pose * inner.pose;
    if (!outer.name.empty()) part.name = inner.name.empty() ? outer.name : outer.name + "/" + inner.name;
    part.category |= outer.category;
    part.mask &= outer.mask;
    return part;
}

std::vector<CompoundPart> without_nesting(std::vector<CompoundPart> given) {
    std::size_t count = 0;
    for (const CompoundPart& part : given) count += query::part_count(part.shape);
    if (count > max_parts) throw Error(Cause::too_large, fmt::format("a compound has at most {} parts", max_parts));
    std::vector<CompoundPart> parts;
    parts.reserve(count);
    for (std::size_t k = 0; k < given.size(); ++k) {
        CompoundPart& part = given[k];
        part.pose = checked_pose(part.pose, static_cast<std::int64_t>(k));
        if (part.shape.kind() != ShapeKind::compound) {
            parts.push_back(std::move(part));
            continue;
        }
        for (const CompoundPart& inner : part.shape.parts()) parts.push_back(raised(part, inner));
    }
    return parts;
}

// A box of the frame of `pose`, grown by the rounding of its points.
OrientedBox placed(const Box& box, const Pose& pose) {
    const Vec3 center = pose * box.center();
    const double rounding =
        pose_rounding(box.center().norm() + box.half().norm(), pose.translation.norm() + center.norm());
    return {{pose.rotation, center}, box.half() + Vec3::Constant(rounding)};
}

OrientedBox placed(const OrientedBox& box, const Pose& pose) {
    const double rounding = pose_rounding(box.pose.translation.norm() + box.half.norm(), pose.translation.norm());
    return {pose * box.pose, box.half + Vec3::Constant(rounding)};
}

void describe(Compound& compound) {
    for (const CompoundPart& part : compound.parts) {
        compound.error_bound = std::max(compound.error_bound, part.shape.error_bound());
        compound.surface_error = std::max(compound.surface_error, query::surface_error(part.shape));
        compound.extent = std::max(compound.extent, part.pose.translation.norm() + extent(part.shape));
        compound.interior = std::max(compound.interior, part.shape.interior());
    }
}

} // namespace

Compound make_compound(std::vector<CompoundPart> parts) {
    if (parts.empty()) throw Error(Cause::empty, "the compound has no parts");
    Compound compound{.parts = without_nesting(std::move(parts))};
    std::vector<Box> boxes;
    for (Index k = 0; k < compound.parts.size(); ++k) {
        const auto& [shape, pose] = std::tie(compound.parts[k].shape, compound.parts[k].pose);
        if (shape.bounds().empty()) continue;
        if (!shape.bounded()) {
            compound.unbounded.push_back(k);
            continue;
        }
        compound.bounded.push_back(k);
        compound.boxes.push_back(placed(shape.bounds(), pose));
        boxes.push_back(placed_box(shape, pose));
        compound.bounds.extend(boxes.back());
    }
    if (!compound.unbounded.empty()) compound.bounds = Box::around(Vec3::Zero(), Vec3::Constant(HUGE_VAL));
    compound.tree = Bvh(boxes, {.keep_boxes = false});
    describe(compound);
    return compound;
}

namespace query {

std::size_t part_count(const Shape& shape) { return is_compound(shape.kind()) ? shape.parts().size() : 1; }

Placed part_of(const Placed& whole, Index part) {
    if (!is_compound(whole.kind())) return whole;
    const CompoundPart& p = whole.shape->parts()[part];
    return {&p.shape, whole.pose * p.pose};
}

bool parts_may_touch(const Shape& a, Index part_a, const Shape& b, Index part_b) {
    const auto bits = [](const Shape& shape, Index part) -> std::pair<std::uint32_t, std::uint32_t> {
        if (!is_compound(shape.kind())) return {1u, ~0u};
        return {shape.parts()[part].category, shape.parts()[part].mask};
    };
    const auto [category_a, mask_a] = bits(a, part_a);
    const auto [category_b, mask_b] = bits(b, part_b);
    return (category_a & mask_b) != 0 && (category_b & mask_a) != 0;
}

// ---- Pairs of parts

// On top of the heap is the smallest gap; with equal gaps two parts come before nodes, so that a query that ends at the
// first contact opens few nodes.
bool PartPairs::later(const Entry& p, const Entry& q) {
    const auto key = [](const Entry& e) {
        return std::tuple(e.gap, e.a.inner || e.b.inner, e.a.inner, e.a.at, e.b.inner, e.b.at);
    };
    return key(p) > key(q);
}

PartPairs::Boxed PartPairs::boxed(const Placed& whole, Node node) {
    const Shape& shape = *whole.shape;
    if (!is_compound(shape.kind())) {
        if (!shape.bounded()) return {.node = node, .endless = true};
        return {.node = node, .box = placed(shape.bounds(), whole.pose)};
    }
    const Compound& compound = shape.compound();
    if (!node.inner) {
        const auto found = std::ranges::lower_bound(compound.bounded, node.at);
        if (found == compound.bounded.end() || *found != node.at) return {.node = node, .endless = true};
        return {.node = node,
                .box = placed(compound.boxes[static_cast<std::size_t>(found - compound.bounded.begin())], whole.pose)};
    }
    const BvhNode& children = compound.tree.nodes()[node.at];
    const BvhFrame& frame = compound.tree.frame();
    Box box;
    for (int slot = 0; slot < BvhNode::width; ++slot) {
        if (children.child[slot] == no_index) continue;
        const auto corner = [&](const float(&of)[3][BvhNode::width]) {
            return Vec3(Vec3(of[0][slot], of[1][slot], of[2][slot]) / frame.scale + frame.origin);
        };
        box.extend(corner(children.lower));
        box.extend(corner(children.upper));
    }
    return {.node = node, .box = placed(box, whole.pose)};
}

std::vector<PartPairs::Boxed> PartPairs::roots(const Placed& whole) {
    if (!is_compound(whole.kind())) {
        if (whole.shape->bounds().empty()) return {};
        return {boxed(whole, {})};
    }
    const Compound& compound = whole.shape->compound();
    std::vector<Boxed> all;
    if (!compound.tree.empty()) all.push_back(boxed(whole, {.inner = true, .at = 0}));
    for (const Index part : compound.unbounded) all.push_back({.node = {.at = part}, .endless = true});
    return all;
}

void PartPairs::children(const Placed& whole, Node node, std::vector<Boxed>& out) {
    const Compound& compound = whole.shape->compound();
    out.clear();
    for (const std::uint32_t child : compound.tree.nodes()[node.at].child) {
        if (child == no_index) continue;
        if (!BvhNode::is_leaf(child)) {
            out.push_back(boxed(whole, {.inner = true, .at = child}));
            continue;
        }
        for (const Index id : compound.tree.leaf(child & ~BvhNode::leaf_bit))
            out.push_back({.node = {.at = compound.bounded[id]}, .box = placed(compound.boxes[id], whole.pose)});
    }
}

PartPairs::PartPairs(const Pair& pair) : pair_(pair) {
    const std::vector<Boxed> all_b = roots(pair.b);
    for (const Boxed& a : roots(pair.a))
        for (const Boxed& b : all_b) push(0, a, b);
}

void PartPairs::push(double at_least, const Boxed& a, const Boxed& b) {
    if (!a.node.inner && !b.node.inner && !parts_may_touch(*pair_.a.shape, a.node.at, *pair_.b.shape, b.node.at))
        return;
    const double gap = a.endless || b.endless ? 0 : gap_between(a.box, b.box);
    open_.push_back({std::max(at_least, gap), a.node, b.node});
    std::ranges::push_heap(open_, later);
}

// Replaces the larger node by its children.
void PartPairs::open(const Entry& entry) {
    const Boxed a = boxed(pair_.a, entry.a), b = boxed(pair_.b, entry.b);
    const bool of_a = a.node.inner && (!b.node.inner || b.box.half.squaredNorm() <= a.box.half.squaredNorm());
    children(of_a ? pair_.a : pair_.b, of_a ? a.node : b.node, scratch_);
    for (const Boxed& child : scratch_) of_a ? push(entry.gap, child, b) : push(entry.gap, a, child);
}

bool PartPairs::next(double limit, Parts& parts) {
    while (!open_.empty() && open_.front().gap <= limit) {
        std::ranges::pop_heap(open_, later);
        const Entry top = open_.back();
        open_.pop_back();
        if (!top.a.inner && !top.b.inner) {
            parts = {top.a.at, top.b.at, top.gap};
            return true;
        }
        open(top);
    }
    return false;
}

} // namespace query
} // namespace fathom
