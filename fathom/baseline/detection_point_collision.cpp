// The pipeline of Liu et al. 2024, figure 1, from its pieces.
#include <fathom/base/error.h>
#include <fathom/baseline/detection_points.h>
#include <fathom/detect/field_field/dual_gradient.h>

#include <algorithm>

namespace fathom {

namespace {

class Pipeline {
public:
    Pipeline(const PlainBody& a, const PlainBody& b, const PlainOptions& options) : a_(a), b_(b), options_(options) {}

    PlainResult run() {
        std::vector<PartPair> pairs;
        part_pairs(*a_.parts, a_.placed.pose, *b_.parts, b_.placed.pose, pairs);
        result_.pairs = pairs.size();
        if (pairs.empty()) {
            const bool proven = a_.parts->contained && b_.parts->contained;
            result_.verdict = proven ? Verdict::disjoint : Verdict::undecided;
            return result_;
        }
        for (const PartPair& pair : pairs) {
            if (found_enough()) break;
            search(pair);
        }
        search_from(a_, b_);
        search_from(b_, a_);
        finish();
        return std::move(result_);
    }

private:
    [[nodiscard]] bool found_enough() const { return !options_.all && result_.verdict == Verdict::overlapping; }

    [[nodiscard]] static OrientedBox placed_box(const PlainBody& body, Index part) {
        const OrientedBox& box = body.parts->boxes[part];
        return {body.placed.pose * box.pose, box.half};
    }

    void search(const PartPair& pair) {
        common_points(placed_box(a_, pair.a), placed_box(b_, pair.b), starts_,
                      {.depth = options_.octree_depth, .most = options_.most_points});
        descend(a_, b_, pair.a, pair.b);
    }

    // From the protrusions of `from` that come within the boxes of `to`.
    void search_from(const PlainBody& from, const PlainBody& to) {
        if (found_enough()) return;
        starts_.clear();
        for (const Vec3& p : from.protrusions) {
            const Vec3 world = from.placed.pose * p, local = to.placed.pose.to_local(world);
            const bool near = std::any_of(to.parts->boxes.begin(), to.parts->boxes.end(),
                                          [&](const OrientedBox& box) { return box.contains(local); });
            if (near) starts_.push_back(world);
        }
        descend(from, to, no_index, no_index);
    }

    void descend(const PlainBody& from, const PlainBody& to, Index part_a, Index part_b) {
        result_.starts += starts_.size();
        if (!options_.all) {
            if (const auto end = first_common_point(from.placed, to.placed, starts_, options_.descent))
                add(*end, part_a, part_b);
            return;
        }
        ends_.resize(starts_.size());
        dual_descents(from.placed, to.placed, starts_, ends_, options_.descent);
        const DescentEnd* deepest = nullptr; // one contact for each pair of parts, from its deepest common point
        for (const DescentEnd& end : ends_) {
            result_.steps += static_cast<std::size_t>(end.steps);
            if (!end.common) continue;
            if (part_a == no_index)
                add(end, part_a, part_b);
            else if (!deepest || end.distance_a + end.distance_b < deepest->distance_a + deepest->distance_b)
                deepest = &end;
        }
        if (deepest) add(*deepest, part_a, part_b);
    }

    void add(const DescentEnd& end, Index part_a, Index part_b) {
        if (result_.verdict != Verdict::overlapping) result_.common = end.point;
        result_.verdict = Verdict::overlapping;
        DualContact contact = deepest_points(a_.placed, b_.placed, end.point, options_.descent);
        contact.part_a = part_a;
        contact.part_b = part_b;
        result_.contacts.push_back(contact);
    }

    // Deepest first; contacts whose points coincide to a thousandth of the smaller body are one.
    void finish() {
        const auto depth = [](const DualContact& c) { return std::max(c.depth_a, c.depth_b); };
        std::stable_sort(result_.contacts.begin(), result_.contacts.end(),
                         [&](const DualContact& x, const DualContact& y) { return depth(x) > depth(y); });
        const double near = 1e-3 * std::min(a_.placed.field->bounds().diagonal(), b_.placed.field->bounds().diagonal());
        std::vector<DualContact> kept;
        for (const DualContact& c : result_.contacts) {
            const auto same = [&](const DualContact& k) {
                return (k.point_a - c.point_a).norm() <= near && (k.point_b - c.point_b).norm() <= near;
            };
            if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
        }
        result_.contacts = std::move(kept);
    }

    const PlainBody& a_;
    const PlainBody& b_;
    const PlainOptions& options_;
    PlainResult result_;
    std::vector<Vec3> starts_;
    std::vector<DescentEnd> ends_;
};

} // namespace

PlainResult plain_field_collision(const PlainBody& a, const PlainBody& b, const PlainOptions& options) {
    for (const PlainBody* body : {&a, &b})
        if (!body->placed.field || !body->parts)
            throw Error(Cause::invalid_argument, "a body has no field or no parts", {.element = "body"});
    return Pipeline(a, b, options).run();
}

} // namespace fathom
