// Storage of objects by id, choice of the method, and events of a step.
#include <fathom/index/broad_phase.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

// Overlap of boxes and spheres, and brute-force pairs of a scene.

bool SceneObjects::overlap(Index a, Index b) const {
    if (!boxes[a].overlaps(boxes[b])) return false;
    const bool sphere_a = is_sphere(a), sphere_b = is_sphere(b);
    if (!sphere_a && !sphere_b) return true;
    if (sphere_a && sphere_b) {
        const double reach = spheres[a].radius + spheres[b].radius;
        return (spheres[a].center - spheres[b].center).squaredNorm() <= reach * reach;
    }
    const Sphere& sphere = spheres[sphere_a ? a : b];
    return boxes[sphere_a ? b : a].squared_distance(sphere.center) <= sphere.radius * sphere.radius;
}

Box bounds_of_sphere(const Sphere& sphere) {
    constexpr double rounding = rounding_error(8);
    const double slack = rounding * (sphere.center.cwiseAbs().maxCoeff() + sphere.radius);
    return Box::around(sphere.center, Vec3::Constant(sphere.radius + slack));
}

void pairs_by_force(const SceneObjects& objects, std::vector<IdPair>& pairs) {
    pairs.clear();
    const Index count = static_cast<Index>(objects.boxes.size());
    for (Index a = 0; a < count; ++a) {
        if (objects.boxes[a].empty()) continue;
        for (Index b = a + 1; b < count; ++b)
            if (!objects.boxes[b].empty() && objects.overlap(a, b)) pairs.push_back({a, b});
    }
}

namespace {

constexpr std::size_t few_objects = 32; // brute force is faster up to here

bool acceptable(const Box& box) {
    // Infinities may cancel to NaN, never to a number. The sum of large numbers may overflow, so a non-finite sum
    // proves nothing.
    if (std::isfinite(box.lower.sum() + box.upper.sum())) return true;
    if (box.lower.hasNaN() || box.upper.hasNaN()) return false;
    return box.empty() || (box.lower.allFinite() && box.upper.allFinite());
}
bool acceptable(const Sphere& sphere) { return sphere.radius >= 0 && acceptable(bounds_of_sphere(sphere)); }

[[noreturn]] void refuse(const Box&, std::size_t id) {
    throw Error(Cause::non_finite, "the box is not finite",
                {.element = "object", .index = static_cast<std::int64_t>(id)});
}
[[noreturn]] void refuse(const Sphere& sphere, std::size_t id) {
    const bool negative = sphere.radius < 0;
    throw Error(negative ? Cause::invalid_argument : Cause::non_finite,
                negative ? "the radius is negative" : "the sphere is not finite",
                {.element = "object", .index = static_cast<std::int64_t>(id)});
}

Box grown(const Box& box, double margin) { return box.empty() ? box : box.grown(margin); }
Sphere grown(const Sphere& sphere, double margin) {
    return {sphere.center, sphere.radius >= 0 ? sphere.radius + margin : sphere.radius};
}

// The stored form of a volume; throws if it is invalid.
template <class Volume>
Volume checked(const Volume& volume, double margin, std::size_t id) {
    if (!acceptable(volume)) refuse(volume, id);
    if (margin == 0) return volume;
    Volume result = grown(volume, margin);
    if (!acceptable(result)) refuse(volume, id);
    return result;
}

} // namespace

BroadPhase::BroadPhase(const BroadPhaseOptions& options) : options_(options) {
    if (!(options.margin >= 0) || !std::isfinite(options.margin))
        throw Error(Cause::invalid_argument, "the margin must be finite and not negative",
                    {.element = "option margin"});
}

Index BroadPhase::new_id() {
    ++size_;
    if (!free_.empty()) {
        const Index id = free_.back();
        free_.pop_back();
        present_[id] = 1;
        return id;
    }
    boxes_.emplace_back();
    present_.push_back(1);
    if (!spheres_.empty()) spheres_.push_back({Vec3::Zero(), -1});
    return static_cast<Index>(boxes_.size() - 1);
}

void BroadPhase::require(Index id) const {
    if (!contains(id))
        throw Error(Cause::index_out_of_range, "unknown object id",
                    {.element = "object", .index = static_cast<std::int64_t>(id)});
}

void BroadPhase::set(Index id, const Box& box) {
    if (boxes_[id].empty() != box.empty()) packed_.forget_order();
    boxes_[id] = box;
    forget_query_tree();
    if (!spheres_.empty()) spheres_[id].radius = -1;
}

void BroadPhase::set(Index id, const Sphere& sphere) {
    set(id, bounds_of_sphere(sphere));
    spheres_.resize(boxes_.size(), {Vec3::Zero(), -1});
    spheres_[id] = sphere;
}

Index BroadPhase::add(const Box& box) {
    const auto stored = checked(box, options_.margin, boxes_.size());
    const Index id = new_id();
    set(id, stored);
    return id;
}

Index BroadPhase::add(const Sphere& sphere) {
    const auto stored = checked(sphere, options_.margin, boxes_.size());
    const Index id = new_id();
    set(id, stored);
    return id;
}

void BroadPhase::move(Index id, const Box& box) {
    require(id);
    set(id, checked(box, options_.margin, id));
}

void BroadPhase::move(Index id, const Sphere& sphere) {
    require(id);
    set(id, checked(sphere, options_.margin, id));
}

void BroadPhase::remove(Index id) {
    require(id);
    set(id, Box{});
    present_[id] = 0;
    --size_;
    freed_now_.push_back(id);
}

template <class Volume>
void BroadPhase::update_all(std::span<const Volume> volumes) {
    if (volumes.size() != boxes_.size())
        throw Error(Cause::count_mismatch, fmt::format("expected {1} volumes, got {0}", volumes.size(), boxes_.size()));
    for (std::size_t k = 0; k < volumes.size(); ++k)
        if (present_[k]) (void)checked(volumes[k], options_.margin, k);
    for (std::size_t k = 0; k < volumes.size(); ++k)
        if (present_[k])
            set(static_cast<Index>(k), options_.margin > 0 ? grown(volumes[k], options_.margin) : volumes[k]);
    find_pairs();
}

void BroadPhase::update(std::span<const Box> boxes) { update_all(boxes); }
void BroadPhase::update(std::span<const Sphere> spheres) { update_all(spheres); }

BroadMethod BroadPhase::choose() const {
    if (options_.method != BroadMethod::automatic) return options_.method;
    return size_ <= few_objects ? BroadMethod::brute_force : BroadMethod::packed_tree;
}

void BroadPhase::find_pairs() {
    const BroadMethod used = choose();
    before_.swap(pairs_);
    const SceneObjects objects{boxes_, spheres_};
    if (options_.finder) {
        options_.finder->find_pairs(objects, pairs_);
    } else if (used == BroadMethod::brute_force) {
        pairs_by_force(objects, pairs_);
    } else {
        packed_.find_pairs(boxes_, pairs_);
        if (!spheres_.empty())
            std::erase_if(pairs_, [&](const IdPair& pair) { return !objects.overlap(pair[0], pair[1]); });
    }
    note_events();
    free_.insert(free_.end(), freed_now_.rbegin(), freed_now_.rend());
    freed_now_.clear();
}

void BroadPhase::note_events() {
    began_.clear();
    ended_.clear();
    std::size_t old = 0;
    for (const IdPair& pair : pairs_) {
        while (old < before_.size() && before_[old] < pair) ended_.push_back(before_[old++]);
        if (old < before_.size() && before_[old] == pair)
            ++old;
        else
            began_.push_back(pair);
    }
    ended_.insert(ended_.end(), before_.begin() + static_cast<std::ptrdiff_t>(old), before_.end());
}

std::vector<IdPair> BroadPhase::stayed() const {
    std::vector<IdPair> result;
    result.reserve(pairs_.size() - began_.size());
    std::set_difference(pairs_.begin(), pairs_.end(), began_.begin(), began_.end(), std::back_inserter(result));
    return result;
}

// ---- Single queries.

void BroadPhase::forget_query_tree() {
    if (query_tree_->made()) query_tree_ = std::make_unique<Lazy<QueryTree>>();
}

const BroadPhase::QueryTree& BroadPhase::query_tree() const {
    return query_tree_->get([&] {
        QueryTree tree;
        std::vector<Box> boxes;
        for (Index id = 0; id < boxes_.size(); ++id)
            if (!boxes_[id].empty()) tree.ids.push_back(id), boxes.push_back(boxes_[id]);
        tree.boxes = Bvh(boxes);
        return tree;
    });
}

bool BroadPhase::visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
    const QueryTree& tree = query_tree();
    return tree.boxes.visit_overlapping(box, [&](Index position) { return visitor(tree.ids[position]); });
}

bool BroadPhase::visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const {
    const QueryTree& tree = query_tree();
    return tree.boxes.visit_ray(ray, t_max, [&](Index position) { return visitor(tree.ids[position]); });
}

} // namespace fathom
