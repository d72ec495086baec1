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

constexpr Index triangle_bit = 0x8000'0000u;  // set: a triangle, by its position in the tree; else a node
constexpr double farthest_sphere = 1e4;       // distance of the centre of an empty sphere, in sizes of the solid
constexpr double exact_for_cells_below = 1e4; // in units of the rounding of the field

Sphere round(const Box& box) { return {box.center(), outward(box.half().norm())}; }

// Largest direction . y over |y_i| <= half_i, or |y| <= radius, with normal . y <= offset: by duality at most
// |direction - share normal| + share offset for every share >= 0, in the norm dual to that of y.
double reach_below(const PlaneOver& plane, const Vec3& direction, const Vec3& half) {
    const double share = plane.normal.dot(direction);
    if (!(share > 0) || !(plane.offset < HUGE_VAL)) return HUGE_VAL;
    return outward(half.dot((direction - share * plane.normal).cwiseAbs())) + share * plane.offset +
           relative_rounding * half.maxCoeff();
}

} // namespace

BoundingTree::BoundingTree(const FieldSphereTree& solid, double min_radius, std::shared_ptr<const Field> exact)
    : solid_(&solid), min_radius_(min_radius), exact_(std::move(exact)),
      size_(solid.empty() ? 0 : solid.bounds().size().maxCoeff()) {
    const FieldTraits traits = solid.field().traits();
    if (exact_) exact_below_ = exact_for_cells_below * solid.field().value_bounds(0).jump;
    convex_ = traits.convex;
    spheres_ = !convex_ && std::isfinite(solid.field().lipschitz()) && traits.kind != FieldKind::grid &&
               traits.kind != FieldKind::neural && traits.kind != FieldKind::height;
}

bool BoundingTree::empty() const {
    return surface_ ? surface_->size() == 0 : solid_ != nullptr && solid_->nodes().empty();
}

void BoundingTree::aim(const Vec3& direction, const Vec3& facing) {
    direction_ = direction;
    facing_ = facing;
    if (!convex_) return;
    // A convex function is not below its tangent planes. Near the surface the gradient would be rounded more.
    const Vec3 outside = facing + size_ * direction;
    const Sample s = solid_->field().sample(outside);
    ++evaluations_;
    const double steepness = s.gradient.norm();
    if (!(s.distance > 0.5 * size_ && steepness > 0.5)) return;
    whole_.normal = s.gradient / steepness;
    whole_.offset = whole_.normal.dot(outside) - solid_->clearance().radius(s.distance) / steepness +
                    position_rounding(outside.norm(), solid_->bounds().lower.norm(), solid_->bounds().upper.norm());
    facing_ = outside - s.distance * whole_.normal;
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

std::optional<Vec3> BoundingTree::point_in(Index id, const Vec3& direction) {
    if (const auto corners = triangle(id))
        return *std::max_element(corners->begin(), corners->end(),
                                 [&](const Vec3& p, const Vec3& q) { return direction.dot(p) < direction.dot(q); });
    if (!solid_) return std::nullopt;
    if (id < solid_->nodes().size()) {
        const FieldSphereNode& node = solid_->nodes()[id];
        return node.center_inside ? std::optional(solid_->center(node)) : std::nullopt;
    }
    const Vec3 center = cell(id).box.center();
    ++evaluations_;
    return field().distance(center) <= 0 ? std::optional(center) : std::nullopt;
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
    if (id >= solid_->nodes().size())
        return std::min(round(cell(id).box).radius, reach(cell(id), cell(id).box.center(), direction));
    const FieldSphereNode& node = solid_->nodes()[id];
    const double farthest = solid_->reach(node, direction);
    const auto known = of_nodes_.find(id);
    return known == of_nodes_.end() ? farthest
                                    : std::min(farthest, reach(cells_[known->second], solid_->center(node), direction));
}

Vec3 BoundingTree::normal(Index id) const {
    if (!solid_) return Vec3::Zero();
    if (id >= solid_->nodes().size()) return cell(id).planes[0].normal;
    const auto known = of_nodes_.find(id);
    return known == of_nodes_.end() ? Vec3(Vec3::Zero()) : cells_[known->second].planes[0].normal;
}

// Extent of the interior in a cell from a point.
double BoundingTree::reach(const Cell& part, const Vec3& from, const Vec3& direction) const {
    const Vec3 half = part.box.half(), center = part.box.center();
    double farthest = outward(half.dot(direction.cwiseAbs()));
    for (const PlaneOver& plane :
         {part.planes[0], part.planes[1], PlaneOver{whole_.normal, whole_.offset - whole_.normal.dot(center)}})
        farthest = std::min(farthest, reach_below(plane, direction, half));
    return direction.dot(center - from) + farthest;
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
    const Parts known = children(id);
    if (!solid_ || !std::isfinite(min_radius_)) return known;
    Index place = id - static_cast<Index>(solid_->nodes().size());
    if (id < solid_->nodes().size()) {
        const auto found = of_nodes_.find(id); // nodes are reached through their parents
        place = found != of_nodes_.end() ? found->second : add_root();
        if (!known.last && !cells_[place].opened) add_nodes(cells_[place], known);
        if (!known.last) {
            cells_[place].opened = true;
            return known;
        }
    }
    if (sphere(id).radius <= min_radius_) return {};
    if (!cells_[place].opened) {
        const Parts parts = cut(cells_[place].box, cells_[place].far);
        cells_[place].parts = parts;
        cells_[place].opened = true;
    }
    return cells_[place].parts;
}

Index BoundingTree::add_root() {
    cells_.push_back({.box = solid_->root(), .octree = solid_->root(), .far = size_});
    return of_nodes_[0] = static_cast<Index>(cells_.size() - 1);
}

// Cells for the children of a node. Those of a grid are kept as they are: their slopes are known best.
void BoundingTree::add_nodes(const Cell& parent, const Parts& children) {
    const Box octree = parent.octree, whole = solid_->bounds();
    const double far = parent.far;
    std::array<Cell, 8> parts;
    for (Index k = 0; k < children.count; ++k) {
        const FieldSphereNode& node = solid_->nodes()[children.first + k];
        const Sphere all = solid_->sphere(node);
        const Box around = Box::around(all.center, Vec3::Constant(outward(all.radius)));
        Cell& part = parts[k];
        part.far = far;
        part.octree = part.box = octant(octree, node.octant);
        if (solid_->clearance().knows_slopes()) continue;
        part.box.lower = part.box.lower.cwiseMax(around.lower).cwiseMax(whole.lower);
        part.box.upper = part.box.upper.cwiseMin(around.upper).cwiseMin(whole.upper);
        if (part.box.empty()) part.box = part.octree;
    }
    const Index before = static_cast<Index>(cells_.size());
    for (Index k = 0; k < children.count; ++k) of_nodes_[children.first + k] = before + k;
    add(std::span(parts).first(children.count), true);
}

BoundingTree::Parts BoundingTree::cut(const Box& box, double far) {
    std::array<Box, 8> boxes;
    const std::size_t count = octants(box, boxes), before = cells_.size();
    if (count == 1) return {};
    std::array<Cell, 8> parts;
    for (std::size_t k = 0; k < count; ++k) parts[k].box = boxes[k], parts[k].far = far;
    add(std::span(parts).first(count), false);
    return {static_cast<Index>(solid_->nodes().size() + before), static_cast<Index>(cells_.size() - before), false};
}

// Adds cells with their planes, without those that are proven empty, unless all are kept: these do not extend.
void BoundingTree::add(std::span<const Cell> parts, bool keep) {
    std::array<Box, 8> boxes;
    std::array<Interval, 8> ranges;
    std::array<PlaneOver, 8> planes;
    for (std::size_t k = 0; k < parts.size(); ++k) boxes[k] = parts[k].box;
    const std::span<const Box> all = std::span(boxes).first(parts.size());
    if (exact_ && round(boxes[0]).radius < exact_below_)
        exact_->plane_ranges(all, std::span(ranges).first(all.size()), std::span(planes).first(all.size()), direction_);
    else
        solid_->clearance().bounds_of(all, std::span(ranges).first(all.size()), std::span(planes).first(all.size()),
                                      direction_);
    evaluations_ += parts.size();
    const std::size_t before = cells_.size();
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const bool empty = ranges[k].lower > 0 || planes[k].offset < -round(boxes[k]).radius;
        if (empty && !keep) continue;
        cells_.push_back(parts[k]);
        cells_.back().planes[0] = planes[k];
    }
    if (spheres_ && !direction_.isZero()) add_spheres(std::span(cells_).subspan(before), parts[0].far);
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

constexpr double most_unequal = 16;           // ratio of the radii of two nodes
constexpr std::size_t separation_effort = 48; // nodes that are opened to separate one pair along a direction

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
        if (const Vec3 u = a_.normal(a); !u.isZero()) least = std::max(least, along(u));
    if (least < sufficient)
        if (const Vec3 u = b_.normal(b); !u.isZero()) least = std::max(least, along(rotation_ * -u));
    const auto of_a = a_.triangle(a), of_b = b_.triangle(b);
    if (least < sufficient && of_a && of_b) {
        const std::array<Vec3, 3> moved = {b_in_a_ * (*of_b)[0], b_in_a_ * (*of_b)[1], b_in_a_ * (*of_b)[2]};
        const ClosestPair closest = closest_points(*of_a, moved);
        return separated(*of_a, moved, closest.point_b - closest.point_a) - slack_;
    }
    if (least < sufficient && of_a)
        least = std::max(least, gap_of_triangle(*of_a, b_, b, center, rotation_.transpose()));
    if (least < sufficient && of_b)
        least = std::max(least, gap_of_triangle(*of_b, a_, a, b_in_a_.to_local(p.center), rotation_));
    return least - slack_;
}

// The distance of two triangles along a direction, from the first to the second.
double DualTreeBound::separated(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, const Vec3& direction) {
    const Vec3 u = direction.stableNormalized();
    double first = -HUGE_VAL, second = HUGE_VAL;
    for (const Vec3& corner : a) first = std::max(first, u.dot(corner - a[0]));
    for (const Vec3& corner : b) second = std::min(second, u.dot(corner - a[0]));
    return second - first;
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

// How far a node extends along a direction: a heap of its parts, the one that extends farthest on top.
struct DualTreeBound::Extent {
    struct Part {
        double farthest;
        Index node;
        bool operator<(const Part& other) const {
            return std::tie(farthest, node) < std::tie(other.farthest, other.node);
        }
    };
    BoundingTree& tree;
    Vec3 direction, origin; // in the frame of the tree
    std::vector<Part> heap{};
    // A point of the shape that extends far, and its extent.
    Vec3 point = Vec3::Zero();
    double known = -HUGE_VAL;

    Extent(BoundingTree& shape, Index root, const Vec3& along, const Vec3& from)
        : tree(shape), direction(along), origin(from) {
        const Sphere all = shape.sphere(root);
        if ((shape.facing() - all.center).norm() <= outward(all.radius)) {
            point = shape.facing();
            known = along.dot(point - from);
        }
        add(root, HUGE_VAL);
    }
    void add(Index node, double farthest) {
        const Sphere all = tree.sphere(node);
        const double center = direction.dot(all.center - origin);
        const double bound = std::min(farthest, center + tree.reach(node, direction));
        heap.push_back({bound, node});
        std::push_heap(heap.begin(), heap.end());
        if (!(bound > known)) return;
        if (center + (tree.triangle(node) ? all.radius : 0.0) <= known) return;
        if (const auto found = tree.point_in(node, direction)) {
            const double extent = direction.dot(*found - origin);
            if (extent > known) known = extent, point = *found;
        }
    }
    [[nodiscard]] double farthest() const { return heap.empty() ? -HUGE_VAL : heap.front().farthest; }
    // Replaces the top by its parts and returns their number. 0, and nothing changed: it has none.
    std::size_t open() {
        const Part top = heap.front();
        const BoundingTree::Parts parts = tree.open(top.node);
        if (parts.last) return 0;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
        for (Index k = 0; k < parts.count; ++k) add(parts.first + k, top.farthest);
        return parts.count + 1;
    }
};

DualTreeBound::Side DualTreeBound::separates_along(Extent& a, Extent& b, double sufficient, std::size_t& effort) {
    for (bool stuck_a = false, stuck_b = false; !(stuck_a && stuck_b); --effort) {
        if (a.heap.empty() || b.heap.empty() || -(a.farthest() + b.farthest()) - slack_ >= sufficient)
            return Side::apart;
        if (-(a.known + b.known) < sufficient) return Side::close;
        if (effort == 0) return Side::open;
        const bool of_a = stuck_b || (!stuck_a && a.farthest() - a.known >= b.farthest() - b.known);
        const std::size_t made = (of_a ? a : b).open();
        made_ += made;
        (of_a ? stuck_a : stuck_b) = made == 0;
    }
    return Side::open;
}

double DualTreeBound::separation(const Pair& pair, Vec3 direction, double sufficient, std::size_t effort) {
    constexpr std::size_t max_turns = 10;
    const Vec3 origin = a_.sphere(pair.a).center;
    std::array<Vec3, max_turns + 1> on_a, on_b, differences; // points of a and b, and b - a
    std::size_t count = 0;
    const auto add = [&](const Extent& a, const Extent& b) {
        on_a[count] = a.point, on_b[count] = b_in_a_ * b.point;
        differences[count] = on_b[count] - on_a[count];
        ++count;
    };
    close_ = std::nullopt;
    aim(direction);
    double proven = -HUGE_VAL;
    for (std::size_t turn = 0; turn < max_turns; ++turn) {
        Extent a(a_, pair.a, direction, origin),
            b(b_, pair.b, rotation_.transpose() * -direction, b_in_a_.to_local(origin));
        if (turn == 0 && a.known > -HUGE_VAL && b.known > -HUGE_VAL) add(a, b);
        const Side side = separates_along(a, b, sufficient, effort);
        proven = side == Side::apart ? sufficient : std::max(proven, -(a.farthest() + b.farthest()) - slack_);
        if (side != Side::close) return proven;
        add(a, b);
        // The point of their convex hull closest to the origin, on a triangle with the last difference as a corner.
        const std::size_t last = count - 1;
        Vec3 nearest = differences[last];
        close_ = {on_a[last], on_b[last]};
        for (std::size_t i = 0; i < last; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const auto found = closest_point(
                    Vec3(Vec3::Zero()), std::array<Vec3, 3>{differences[i], differences[j], differences[last]});
                if (!(found.point.squaredNorm() < nearest.squaredNorm())) continue;
                nearest = found.point;
                const Vec3& w = found.barycentric;
                close_ = {w[0] * on_a[i] + w[1] * on_a[j] + w[2] * on_a[last],
                          w[0] * on_b[i] + w[1] * on_b[j] + w[2] * on_b[last]};
            }
        const double apart = nearest.norm();
        if (!(apart >= sufficient)) return proven;
        direction = nearest / apart;
        for (std::size_t i = 0; i < count; ++i)
            if (!(differences[i].dot(direction) >= sufficient)) return proven; // the hull contains the origin
        aim(direction);
    }
    return proven;
}

void DualTreeBound::aim(const Vec3& direction) {
    a_.aim(direction);
    b_.aim(rotation_.transpose() * -direction);
}

// Near the closest points so far, the node is opened whose bound extends farther beyond its closest point, towards the
// other shape; elsewhere, and if it is much larger, the larger one.
bool DualTreeBound::opens_a(const Pair& pair, const Directions& directions) const {
    const Sphere p = a_.sphere(pair.a), q = b_.sphere(pair.b);
    if (directions.count == 0 || b_.half_space()) return p.radius >= q.radius;
    const Vec3 from_a = p.center - directions.on_a, from_b = b_in_a_ * q.center - directions.on_b;
    if (from_a.norm() > 2 * p.radius || from_b.norm() > 2 * q.radius) return p.radius >= q.radius;
    if (p.radius > most_unequal * q.radius || q.radius > most_unequal * p.radius) return p.radius >= q.radius;
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
    if (directions.count > 0 && !b_.half_space()) {
        const Vec3 between = b_in_a_ * b_.sphere(top.b).center - a_.sphere(top.a).center;
        const bool small = a_.sphere(top.a).radius + b_.sphere(top.b).radius < 0.5 * between.norm();
        const bool leaves = a_.children(top.a).last && b_.children(top.b).last;
        if (leaves) top.gap = std::max(top.gap, separation(top, directions.unit[0], sufficient, separation_effort));
        if (leaves && small && top.gap < sufficient)
            top.gap = std::max(top.gap, separation(top, between.stableNormalized(), sufficient, separation_effort));
        if (top.gap >= sufficient) {
            aside_ = std::min(aside_, top.gap);
            return;
        }
    }
    if (directions.count > 0) aim(directions.unit[0]);
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
