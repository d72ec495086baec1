// The broad phase: one tree, refitted from step to step and built anew when it has decayed.
#include <fathom/simulate/rigid/body_pairs.h>

#include <algorithm>

namespace fathom {

void BodyPairs::fit(std::span<const Box> boxes) {
    const std::size_t before = bounded_.size();
    bounded_.clear();
    unbounded_.clear();
    tree_boxes_.clear();
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        const bool finite = boxes[k].lower.allFinite() && boxes[k].upper.allFinite();
        (finite ? bounded_ : unbounded_).push_back(static_cast<Index>(k));
        if (finite) tree_boxes_.push_back(boxes[k]);
    }
    constexpr double worn = 1.5;
    if (before == bounded_.size() && !tree_.empty()) tree_.refit(tree_boxes_);
    if (before != bounded_.size() || tree_.decay() > worn) tree_ = tree_boxes_.empty() ? Bvh() : Bvh(tree_boxes_);
}

std::span<const IdPair> BodyPairs::find(std::span<const Box> boxes, std::span<const char> awake) {
    fit(boxes);
    pairs_.clear();
    const auto meet = [&](Index a, Index b) {
        if (awake[a] || awake[b]) pairs_.push_back({std::min(a, b), std::max(a, b)});
        return true;
    };
    visit_overlapping_pairs(tree_, [&](Index a, Index b) { return meet(bounded_[a], bounded_[b]); });
    for (std::size_t k = 0; k < unbounded_.size(); ++k) {
        for (const Index b : bounded_) meet(unbounded_[k], b);
        for (std::size_t j = k + 1; j < unbounded_.size(); ++j) meet(unbounded_[k], unbounded_[j]);
    }
    std::sort(pairs_.begin(), pairs_.end());
    return pairs_;
}

} // namespace fathom
