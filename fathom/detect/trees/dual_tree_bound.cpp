// A heap of node pairs ordered by distance.
#include <fathom/detect/trees/dual_tree_bound.h>

#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace fathom {

// ---- BoundingTree: subdivision of the leaves of a solid's tree, with a cache.

namespace {

constexpr Index triangle_bit = 0x8000'0000u; // set: a triangle, by its position in the tree; else a node
constexpr double farthest_sphere = 1e4;      // distance of the centre of an empty sphere, in sizes of the solid

Sphere round(const Box& box) { return {box.center(), outward(box.half().norm())}; }

// Largest direction . y over |y_i| <= half_i, or |y| <= radius, with normal . y <= offset: by duality at most
// |direction - share normal| + share offset for every share >= 0, in the norm dual to that of y.
double reach_below(const PlaneOver& plane, const Vec3& direction, const Vec3& half) {
    const double share = plane.normal.dot(direction);
    if (!(share > 0) || !(plane.offset < HUGE_VAL)) return HUGE_VAL;
    return outward(half.dot((direction - share * plane.normal).cwiseAbs())) + share * plane.offset +
           relative_rounding * half.maxCoeff();
}
double reach_below(const PlaneOver& plane, const Vec3& direction, double radius) {
    const double share = plane.normal.dot(direction);
    if (!(share > 0) || !(plane.offset < HUGE_VAL)) return HUGE_VAL;
    return outward(radius * (direction - share * plane.normal).norm()) + share * plane.offset +
           relative_rounding * radius;
}

} // namespace

BoundingTree::BoundingTree(const FieldSphereTree& solid, double min_radius)
    : solid_(&solid), min_radius_(min_radius), size_(solid.empty() ? 0 : solid.bounds().size().maxCoeff()) {
    const FieldTraits traits = solid.field().traits();
    convex_ = traits.convex;
    spheres_ = !convex_ && std::isfinite(solid.field().lipschitz()) && traits.kind != FieldKind::grid &&
               traits.kind != FieldKind::neural && traits.kind != FieldKind::height;
}

bool BoundingTree::empty() const {
    return surface_ ? surface_->size() == 0 : solid_ != nullptr && solid_->nodes().empty();
}

void BoundingTree::aim(const Vec3& direction, const Vec3& other) {
    direction_ = direction;
    if (!convex_) return;
    // A convex function is not below its tangent planes. Near the surface the gradient would be rounded more.
    const Vec3 outside = other + size_ * direction;
    const Sample s = solid_->field().sample(outside);
    ++evaluations_;
    const double steepness = s.gradient.norm();
    if (!(s.distance > 0.5 * size_ && steepness > 0.5)) return;
    whole_.normal = s.gradient / steepness;
    whole_.offset = whole_.normal.dot(outside) - solid_->clearance().radius(s.distance) / steepness +
                    position_rounding(outside.norm(), solid_->bounds().lower.norm(), solid_->bounds().upper.norm());
}

Sphere BoundingTree::sphere(Index id) const {
    if (half_space_) return {half_space_->offset * half_space_->normal, 0};
    if (surface_) {
        if (id & triangle_bit) return surface_->sphere(id & ~triangle_bit);
        return {surface_->tree().sphere(surface_->tree().nodes()[id]).center, surface_->reach(id)};
    }
    if (id < solid_->nodes().size()) return solid_->sphere(solid_->nodes()[id]);
    return round(cell(id).box);
}

std::optional<std::array<Vec3, 3>> BoundingTree::triangle(Index id) const {
    if (!surface_ || !(id & triangle_bit)) return std::nullopt;
    return surface_->corners(id & ~triangle_bit);
}

double BoundingTree::reach(Index id, const Vec3& direction) const {
    if (surface_) {
        const Sphere all = sphere(id);
        if (!(id & triangle_bit)) return all.radius;
        double farthest = -HUGE_VAL;
        for (const Vec3& corner : surface_->corners(id & ~triangle_bit))
            farthest = std::max(farthest, direction.dot(corner - all.center));
        return std::min(all.radius, farthest + position_rounding(all.center.norm(), all.radius));
    }
    const auto whole = [&](const Vec3& center) {
        return PlaneOver{whole_.normal, whole_.offset - whole_.normal.dot(center)};
    };
    if (id < solid_->nodes().size()) {
        const FieldSphereNode& node = solid_->nodes()[id];
        const Sphere all = solid_->sphere(node);
        return std::min(solid_->reach(node, direction), reach_below(whole(all.center), direction, all.radius));
    }
    const Cell& part = cell(id);
    const Vec3 half = part.box.half();
    double farthest = std::min({round(part.box).radius, outward(half.dot(direction.cwiseAbs())),
                                reach_below(whole(part.box.center()), direction, half)});
    for (const PlaneOver& plane : part.planes) farthest = std::min(farthest, reach_below(plane, direction, half));
    return farthest;
}

BoundingTree::Parts BoundingTree::children(Index id) const {
    if (half_space_ || (id & triangle_bit)) return {};
    if (surface_) {
        const SphereNode& node = surface_->tree().nodes()[id];
        return {node.first | (node.is_leaf() ? triangle_bit : 0), static_cast<Index>(node.size()), false};
    }
    if (id >= solid_->nodes().size()) return {};
    const FieldSphereNode& node = solid_->nodes()[id];
    return {node.first, node.children, node.children == 0};
}

BoundingTree::Parts BoundingTree::open(Index id) {
    if (const Parts known = children(id); !known.last || !solid_) return known;
    if (id < solid_->nodes().size()) {
        const Sphere all = solid_->sphere(solid_->nodes()[id]);
        if (all.radius <= min_radius_) return {};
        if (const auto known = of_leaves_.find(id); known != of_leaves_.end()) return known->second;
        return of_leaves_[id] = cut(Box::around(all.center, Vec3::Constant(all.radius)), size_);
    }
    const std::size_t place = id - solid_->nodes().size();
    if (round(cells_[place].box).radius <= min_radius_) return {};
    if (!cells_[place].opened) {
        const Parts parts = cut(cells_[place].box, cells_[place].far);
        cells_[place].parts = parts;
        cells_[place].opened = true;
    }
    return cells_[place].parts;
}

BoundingTree::Parts BoundingTree::cut(const Box& box, double far) {
    std::array<Box, 8> boxes;
    std::array<Interval, 8> ranges;
    std::array<PlaneOver, 8> planes;
    const std::size_t count = octants(box, boxes);
    if (count == 1) return {};
    solid_->clearance().bounds_of(std::span(boxes).first(count), std::span(ranges).first(count),
                                  std::span(planes).first(count));
    evaluations_ += count;
    const std::size_t before = cells_.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (ranges[k].lower > 0 || planes[k].offset < -round(boxes[k]).radius) continue;
        cells_.push_back({.box = boxes[k], .planes = {planes[k], {}}, .far = far});
    }
    if (spheres_ && !direction_.isZero()) add_spheres(std::span(cells_).subspan(before), far);
    return {static_cast<Index>(solid_->nodes().size() + before), static_cast<Index>(cells_.size() - before), false};
}

// For y = x - centre of a cell and a sphere of radius s about the point at distance f along the direction u, |y - f u|
// >= s for every x of the interior, so that 2 f u . y <= y^2 + f^2 - s^2.
void BoundingTree::add_spheres(std::span<Cell> cells, double far) {
    std::array<Vec3, 8> points;
    std::array<double, 8> values;
    for (const double tried : {std::min(8 * far, farthest_sphere * size_), 0.25 * far}) {
        for (std::size_t k = 0; k < cells.size(); ++k) points[k] = cells[k].box.center() + tried * direction_;
        solid_->field().distances(std::span(points).first(cells.size()), std::span(values).first(cells.size()));
        evaluations_ += cells.size();
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const double free = solid_->clearance().radius(values[k]), radius = round(cells[k].box).radius;
            if (!(free > 0) || !(tried > radius)) continue;
            const double offset = (radius * radius + (tried - free) * (tried + free)) / (2 * tried) +
                                  position_rounding(points[k].norm(), tried);
            if (!(offset < cells[k].planes[1].offset)) continue;
            cells[k].planes[1] = {direction_, offset};
            cells[k].far = tried;
        }
    }
}

// ---- DualTreeBound

namespace {

bool farther(const DualTreeBound::Pair& p, const DualTreeBound::Pair& q) {
    return std::tie(p.gap, p.a, p.b) > std::tie(q.gap, q.a, q.b);
}

} // namespace

DualTreeBound::DualTreeBound(BoundingTree& a, BoundingTree& b, const Pose& b_in_a)
    : a_(a), b_(b), b_in_a_(b_in_a), rotation_(b_in_a.rotation.toRotationMatrix()) {
    const Sphere of_a = a.sphere(0), of_b = b.sphere(0);
    slack_ =
        position_rounding(of_a.center.norm(), of_a.radius, of_b.center.norm(), of_b.radius, b_in_a.translation.norm());
    heap_.push_back({gap(0, 0, -HUGE_VAL, {}), 0, 0});
}

double DualTreeBound::gap(Index a, Index b, double sufficient, const Directions& directions) const {
    const Sphere p = a_.sphere(a);
    if (const auto& plane = b_.half_space()) {
        const Vec3 normal = rotation_ * plane->normal;
        return normal.dot(p.center - b_in_a_.translation) - plane->offset - a_.reach(a, -normal) - slack_;
    }
    const Sphere q = b_.sphere(b);
    const Vec3 center = b_in_a_ * q.center, between = center - p.center;
    const double apart = between.norm();
    double least = apart - p.radius - q.radius;
    if (directions.count == 0 || !(apart > 0)) return least - slack_;
    const auto along = [&](const Vec3& u) {
        return between.dot(u) - a_.reach(a, u) - b_.reach(b, rotation_.transpose() * -u);
    };
    for (std::size_t k = 0; k < directions.count && least < sufficient; ++k)
        least = std::max(least, along(directions.unit[k]));
    if (least < sufficient) least = std::max(least, along(between / apart));
    if (least < sufficient)
        if (const auto corners = a_.triangle(a))
            least = std::max(least, gap_of_triangle(*corners, b_, b, center, rotation_.transpose()));
    if (least < sufficient)
        if (const auto corners = b_.triangle(b))
            least = std::max(least, gap_of_triangle(*corners, a_, a, b_in_a_.to_local(p.center), rotation_));
    return least - slack_;
}

// The triangle is convex: it does not extend beyond its point closest to the centre of the other node, towards that.
double DualTreeBound::gap_of_triangle(const std::array<Vec3, 3>& corners, const BoundingTree& other, Index node,
                                      const Vec3& center, const Mat3& to_other) const {
    const Vec3 between = center - closest_point(center, corners).point;
    const double apart = between.norm();
    if (!(apart > 0)) return -HUGE_VAL;
    const Vec3 u = between / apart;
    double farthest = -HUGE_VAL; // of the triangle, by its corners: the closest point is rounded
    for (const Vec3& corner : corners) farthest = std::max(farthest, u.dot(corner - center));
    return -farthest - other.reach(node, to_other * -u);
}

// Near the closest points so far, the node is opened whose bound extends farther beyond its closest point, towards the
// other shape; elsewhere the larger one.
bool DualTreeBound::opens_a(const Pair& pair, const Directions& directions) const {
    const Sphere p = a_.sphere(pair.a), q = b_.sphere(pair.b);
    if (directions.count == 0 || b_.half_space()) return p.radius >= q.radius;
    const Vec3 from_a = p.center - directions.on_a, from_b = b_in_a_ * q.center - directions.on_b;
    if (from_a.norm() > 2 * p.radius || from_b.norm() > 2 * q.radius) return p.radius >= q.radius;
    const Vec3& u = directions.unit[0];
    return u.dot(from_a) + a_.reach(pair.a, u) >= b_.reach(pair.b, rotation_.transpose() * -u) - u.dot(from_b);
}

void DualTreeBound::open_nearest(double sufficient, const Directions& directions) {
    std::pop_heap(heap_.begin(), heap_.end(), farther);
    Pair top = heap_.back();
    heap_.pop_back();
    if (directions.count > 0) top.gap = std::max(top.gap, gap(top.a, top.b, sufficient, directions));
    if (top.gap >= sufficient) {
        aside_ = std::min(aside_, top.gap);
        return;
    }
    bool of_a = opens_a(top, directions);
    BoundingTree::Parts parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) of_a = !of_a, parts = of_a ? a_.open(top.a) : b_.open(top.b);
    if (parts.last) aside_ = std::min(aside_, top.gap);
    made_ += parts.count;
    for (Index k = 0; k < parts.count; ++k) {
        const Index a = of_a ? parts.first + k : top.a, b = of_a ? top.b : parts.first + k;
        const double least = std::max(top.gap, gap(a, b, sufficient, directions));
        if (least >= sufficient) {
            aside_ = std::min(aside_, least);
            continue;
        }
        heap_.push_back({least, a, b});
        std::push_heap(heap_.begin(), heap_.end(), farther);
    }
}

} // namespace fathom
