// A tetrahedral body as a field: locates the tetrahedron, interpolates its depth, and bounds the values in a box.
#include <fathom/field/tet/tet_field.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/index/bvh.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t chunk = 1024;
constexpr double well_shaped = 1e6; // largest cube of the edge over volume for which slopes in double are accurate

using Corners = std::array<Vec3, 4>;

Box box_of(const Corners& c) {
    return {c[0].cwiseMin(c[1]).cwiseMin(c[2].cwiseMin(c[3])), c[0].cwiseMax(c[1]).cwiseMax(c[2].cwiseMax(c[3]))};
}

// Gradients of the four weights, and their condition.
struct WeightFrame {
    std::array<Vec3, 4> gradients;
    double size = 0;      // largest component of an edge
    double condition = 0; // cube of the size over six volumes

    explicit WeightFrame(const Corners& c) {
        const Vec3 a = c[1] - c[0], b = c[2] - c[0], d = c[3] - c[0];
        const Vec3 bd = b.cross(d);
        const double volume = a.dot(bd);
        gradients[1] = bd / volume;
        gradients[2] = d.cross(a) / volume;
        gradients[3] = a.cross(b) / volume;
        gradients[0] = -(gradients[1] + gradients[2] + gradients[3]);
        size = std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), d.cwiseAbs().maxCoeff()});
        condition = size * size * size / std::abs(volume);
    }

    [[nodiscard]] TetWeights weights(const Corners& c, const Vec3& p) const {
        const Vec3 offset = p - c[0];
        TetWeights w = {0, gradients[1].dot(offset), gradients[2].dot(offset), gradients[3].dot(offset)};
        w[0] = 1 - w[1] - w[2] - w[3];
        return w;
    }
    [[nodiscard]] Vec3 gradient(const TetWeights& slopes) const {
        // Uses differences from the first: a constant field has no slope, whatever the tetrahedron's shape.
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 1; k < 4; ++k) sum += (slopes[k] - slopes[0]) * gradients[k];
        return sum;
    }
};

// Exact, for a tetrahedron of known orientation.
bool holds(const Corners& c, int orientation, const Vec3& p) {
    for (const auto& f : tetrahedron_faces) {
        const auto corner = [&](std::size_t i) -> const Vec3& { return c[static_cast<std::size_t>(f[i])]; };
        if (orient3d(corner(0), corner(1), corner(2), p) * orientation > 0) return false;
    }
    return true;
}

// The weights of a point that is known to be in the tetrahedron: accurate even if it is very thin.
TetWeights weights_inside(const Corners& c, const Vec3& p) {
    TetWeights weights{};
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto& f = tetrahedron_faces[k];
        const auto corner = [&](std::size_t i) -> const Vec3& { return c[static_cast<std::size_t>(f[i])]; };
        sum += weights[k] = std::abs(orient3d_value(corner(0), corner(1), corner(2), p));
    }
    for (double& weight : weights) weight = sum > 0 && std::isfinite(sum) ? weight / sum : 0.25;
    return weights;
}

// Both at once, with a fast path for clear cases. Returns false outside; exact. p lies in the box of the tetrahedron.
bool weights_if_inside(const Corners& c, int orientation, const Vec3& p, TetWeights& weights) {
    constexpr double plain = 1e3; // condition up to which a weight is accurate to twelve digits
    if (const WeightFrame frame(c); frame.condition < plain) {
        weights = frame.weights(c, p);
        const double least = *std::min_element(weights.begin(), weights.end()), error = 1e-14 * frame.condition;
        if (least > error) return true;
        if (least < -error) return false;
    }
    if (!holds(c, orientation, p)) return false;
    weights = weights_inside(c, p);
    return true;
}

} // namespace

struct TetField::Place {
    Index tetrahedron = no_index;
    TetWeights weights{}, slopes{}; // slopes of the depth
    double distance = 0;
};

TetField::TetField(const TetMesh& mesh, const TetFieldOptions& options)
    : options_(options), depths_(mesh), interpolant_(mesh.tetrahedra, depths_.topology(), options.defects) {
    if (depths_.topology().faces().empty())
        throw Error(Cause::empty, "no tetrahedron has a boundary, so the body has no inside");
    update(mesh.vertices);
}

void TetField::update(std::span<const Vec3> positions) {
    depths_.compute(positions, options_.depth);
    depths_.fit_tree();
    positions_.assign(positions.begin(), positions.end());
    interpolant_.update(depths_, positions_);
    fit_location();
    measure_slopes();
    fit_ranges();
}

Corners TetField::corners(Index tetrahedron) const {
    const Tetrahedron& t = interpolant_.tetrahedra()[tetrahedron];
    return {positions_[t[0]], positions_[t[1]], positions_[t[2]], positions_[t[3]]};
}

void TetField::fit_location() {
    const std::size_t count = interpolant_.tetrahedra().size();
    boxes_.resize(count);
    orientation_.resize(count);
    parallel_for(count, chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Corners c = corners(static_cast<Index>(t));
            boxes_[t] = box_of(c);
            orientation_[t] = static_cast<std::int8_t>(orient3d(c[0], c[1], c[2], c[3]));
        }
    });
    inverted_.clear();
    flat_.clear();
    for (Index t = 0; t < count; ++t)
        if (orientation_[t] <= 0) (orientation_[t] < 0 ? inverted_ : flat_).push_back(t);
    if (location_.empty())
        location_ = Bvh(boxes_, {.leaf_size = 8, .keep_boxes = false});
    else
        location_.refit(boxes_);
}

void TetField::measure_slopes() {
    struct Extremes {
        double slope = 1, edge = 0;
    };
    const auto of_tetrahedron = [&](Index t, Extremes& extremes) {
        if (orientation_[t] == 0) return;
        const Corners c = corners(t);
        const WeightFrame frame(c);
        interpolant_.visit_pieces(t, [&](const TetWeights& slopes) {
            extremes.slope = std::max(extremes.slope, frame.gradient(slopes).norm());
        });
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = a + 1; b < 4; ++b)
                extremes.edge = std::max(extremes.edge, (c[b] - c[a]).squaredNorm());
    };
    const Extremes all = parallel_reduce(
        boxes_.size(), chunk, Extremes{},
        [&](std::size_t begin, std::size_t end) {
            Extremes extremes;
            for (std::size_t t = begin; t < end; ++t) of_tetrahedron(static_cast<Index>(t), extremes);
            return extremes;
        },
        [](const Extremes& a, const Extremes& b) {
            return Extremes{std::max(a.slope, b.slope), std::max(a.edge, b.edge)};
        });
    const bool continuous = inverted_.empty() && flat_.empty() && !options_.outer;
    lipschitz_ = continuous ? all.slope * (1 + 1e-9) : HUGE_VAL;

    set_error_bound(std::sqrt(all.edge));
}

void TetField::set_error_bound(double longest_edge) {
    double deepest = 0;
    for (Index node = 0; node < positions_.size(); ++node)
        if (depths_.topology().kind(node) != BodyTopology::Kind::loose)
            deepest = std::max(deepest, depths_.depths()[node]); // infinite if unknown
    const bool exact = options_.depth.method == DepthMethod::exact && deepest != NodeDepths::unknown;
    // The mean distance to the corners, weighted by the weights, is at most the root of 3/8 of the longest edge.
    error_bound_ =
        std::sqrt(0.375) * longest_edge + (exact ? 0 : deepest) + relative_rounding * location_.bounds().diagonal();
    if (!inverted_.empty()) error_bound_ = HUGE_VAL;
    if (options_.outer) error_bound_ = std::max(error_bound_, options_.outer->error_bound());
}

void TetField::fit_ranges() {
    node_ranges_.resize(location_.nodes().size());
    const auto fit = [&](std::size_t node) {
        for (std::size_t slot = 0; slot < 8; ++slot) {
            const std::uint32_t child = location_.nodes()[node].child[slot];
            Interval range = Interval::none();
            if (child != no_index && BvhNode::is_leaf(child))
                for (const Index t : location_.leaf(child & ~BvhNode::leaf_bit))
                    range = hull(range, -interpolant_.range(t));
            else if (child != no_index)
                for (const Interval& below : node_ranges_[child]) range = hull(range, below);
            node_ranges_[node][slot] = range;
        }
    };
    for (std::size_t k = location_.level_count(); k-- > 0;) {
        const auto first = static_cast<std::size_t>(location_.level(k).data() - location_.nodes().data());
        parallel_for(location_.level(k).size(), 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t node = begin; node < end; ++node) fit(first + node);
        });
    }
}

TetField::Place TetField::place_of(const Vec3& p) const {
    Place best;
    if (!is_finite(p)) return best;
    location_.visit_overlapping_leaves({p, p}, [&](std::uint32_t leaf) {
        for (const Index t : location_.leaf(leaf)) {
            const Corners c = corners(t);
            if (orientation_[t] == 0 || !box_of(c).contains(p))
                continue; // not the stored box: the corners are in the cache more often
            Place found{t, {}, {}, 0};
            if (!weights_if_inside(c, orientation_[t], p, found.weights)) continue;
            found.slopes = interpolant_.slopes(t, found.weights);
            for (std::size_t k = 0; k < 4; ++k) found.distance -= found.slopes[k] * found.weights[k];
            // Corners of different depth and rounded weights: the value must stay in the interval of range().
            const Interval depth = interpolant_.range(t);
            found.distance = std::clamp(found.distance, -depth.upper, -depth.lower);
            if (best.tetrahedron == no_index || found.distance < best.distance ||
                (found.distance == best.distance && t < best.tetrahedron))
                best = found;
        }
        return true;
    });
    return best;
}

TetField::Spot TetField::locate(const Vec3& p) const {
    const Place place = place_of(p);
    return {place.tetrahedron, place.weights};
}

double TetField::distance(const Vec3& p) const {
    const Place place = place_of(p);
    if (place.tetrahedron != no_index) return place.distance;
    if (options_.outer) return options_.outer->distance(p);
    const ClosestPoint closest = depths_.nearest(p);
    return closest.found() ? std::sqrt(closest.squared_distance) : std::nan("");
}

Sample TetField::sample(const Vec3& p) const {
    const Place place = place_of(p);
    if (place.tetrahedron != no_index)
        return {place.distance, -WeightFrame(corners(place.tetrahedron)).gradient(place.slopes)};
    if (options_.outer) return options_.outer->sample(p);
    const ClosestPoint closest = depths_.nearest(p);
    if (!closest.found()) return {std::nan(""), Vec3::Constant(std::nan(""))};
    const double distance = std::sqrt(closest.squared_distance);
    return {distance, distance > 0 ? Vec3((p - closest.point) / distance) : Vec3::Zero()};
}

bool TetField::touches_inverted(const Box& box) const {
    return std::any_of(inverted_.begin(), inverted_.end(), [&](Index t) { return boxes_[t].overlaps(box); });
}

Interval TetField::range(const Box& box) const {
    if (box.empty()) return Interval::none();
    const Vec3 center = box.center();
    if (!is_finite(center) || !is_finite(box.half())) {
        // An unbounded box has no bounding sphere: use the range of the inside, and any outside value.
        const Interval outside = options_.outer ? options_.outer->range(box) : Interval(0, HUGE_VAL);
        return hull(inside_range(box), outside);
    }
    const double radius = outward(0.5 * box.diagonal());
    const double border = std::sqrt(depths_.nearest(center).squared_distance);
    const double slack = 1e-13 * (border + radius + center.cwiseAbs().maxCoeff() + location_.bounds().diagonal());
    const double least = border - radius - slack, most = border + radius + slack;
    // The tetrahedra cover all of a box or nothing of it unless the boundary, or a fold at an inverted one, is near.
    const bool decided = least > 0 && !touches_inverted(box);
    const bool covered = decided && place_of(center).tetrahedron != no_index;
    if (covered) return inside_range(box);
    const Interval outside = options_.outer ? options_.outer->range(box) : Interval(std::max(0.0, least), most);
    return decided ? outside : hull(inside_range(box), outside);
}

// Descends only where the box cuts a branch, or where a branch could still widen the result.
Interval TetField::inside_range(const Box& box) const {
    Interval result = Interval::none();
    const LocalBox local(location_.frame(), box);
    std::uint32_t stack[stack_size];
    std::size_t top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const std::uint32_t index = stack[--top];
        const BvhNode& node = location_.nodes()[index];
        for (int slot = 0; slot < BvhNode::width; ++slot) {
            const std::uint32_t child = node.child[slot];
            const Interval& below = node_ranges_[index][static_cast<std::size_t>(slot)];
            if (child == no_index || result.contains(below)) continue;
            bool overlaps = true, holds_all = true;
            for (int axis = 0; axis < 3; ++axis) {
                overlaps &= node.lower[axis][slot] <= local.upper[axis] && node.upper[axis][slot] >= local.lower[axis];
                holds_all &= node.lower[axis][slot] >= local.lower[axis] && node.upper[axis][slot] <= local.upper[axis];
            }
            if (!overlaps) continue;
            if (holds_all)
                result = hull(result, below);
            else if (!BvhNode::is_leaf(child))
                stack[top++] = child;
            else
                for (const Index t : location_.leaf(child & ~BvhNode::leaf_bit))
                    if (!result.contains(-interpolant_.range(t))) result = hull(result, range_in(t, box));
        }
    }
    return result;
}

// Range of the distances at points of the box in one tetrahedron.
Interval TetField::range_in(Index t, const Box& box) const {
    if (orientation_[t] == 0 || !boxes_[t].overlaps(box)) return Interval::none();
    const Interval all = -interpolant_.range(t);
    const Corners c = corners(t);
    const WeightFrame frame(c);
    if (!(frame.condition < well_shaped)) return all;
    const Box part = intersection(box, boxes_[t]);
    const Vec3 center = part.center(), half = part.half();
    const TetWeights weights = frame.weights(c, center);
    const double error = 1e-13 * frame.condition;
    for (std::size_t k = 0; k < 4; ++k)
        if (weights[k] + frame.gradients[k].cwiseAbs().dot(half) < -error) return Interval::none();
    const TetWeights here = interpolant_.slopes(t, weights);
    double value = 0, size = 0, steepest = 0;
    for (std::size_t k = 0; k < 4; ++k) value -= here[k] * weights[k];
    interpolant_.visit_pieces(t, [&](const TetWeights& slopes) {
        // For one piece the variation over a box is exact; for several the steepest piece bounds it.
        const Vec3 gradient = frame.gradient(slopes);
        steepest = std::max(steepest, interpolant_.has_samples(t) ? gradient.norm() * half.norm()
                                                                  : gradient.cwiseAbs().dot(half));
        for (const double slope : slopes) size = std::max(size, std::abs(slope));
    });
    const double reach = steepest * (1 + error) + 16 * error * size;
    const Interval linear{value - reach, value + reach};
    const Interval both = intersection(linear, all);
    return both.empty() ? Interval::none() : both;
}

Box TetField::domain() const {
    return options_.outer ? options_.outer->domain() : Box{Vec3::Constant(-HUGE_VAL), Vec3::Constant(HUGE_VAL)};
}

Box TetField::bounds() const {
    return options_.outer ? hull(location_.bounds(), options_.outer->bounds()) : location_.bounds();
}

std::size_t TetField::memory_bytes() const {
    return depths_.memory_bytes() + depths_.topology().memory_bytes() + location_.memory_bytes() +
           boxes_.size() * (sizeof(Box) + 1) + node_ranges_.size() * sizeof(node_ranges_[0]) +
           positions_.size() * (sizeof(Vec3) + sizeof(double)) +
           interpolant_.tetrahedra().size() * (sizeof(Tetrahedron) + sizeof(Index));
}

} // namespace fathom
