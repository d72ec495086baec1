// Construction of the bounding-sphere tree of a field, level by level with batches of range evaluations.
#include <fathom/detect/trees/field_sphere_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>
#include <fathom/field/plane_over.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

constexpr double flattest = 1e-12; // squared length of a gradient: shorter ones give no direction

std::vector<Interval> ranges_of(const Field& field, std::span<const Box> boxes) {
    std::vector<Interval> ranges(boxes.size());
    parallel_for(boxes.size(), 256, [&](std::size_t begin, std::size_t end) {
        field.octree_ranges(boxes.subspan(begin, end - begin), std::span(ranges).subspan(begin, end - begin));
    });
    return ranges;
}

double farthest_corner(const Box& box, const Vec3& from) {
    return (box.upper - from).cwiseMax(from - box.lower).norm();
}

} // namespace

// Creates cells level by level; then, from the leaves up, the tight boxes that may contain interior points, and their
// bounding spheres.
struct FieldSphereTree::Builder {
    struct Cell {
        Box box;   // cell of the octree
        Box tight; // the part of the cell that contains all its interior points
        Index parent = no_index;
        Index first = 0;
        std::uint8_t children = 0, octant = 0;
        bool full = false;
    };
    struct Level {
        std::size_t begin = 0, end = 0;
    };

    FieldSphereTree& solid;
    std::vector<Cell> cells;
    std::vector<Level> levels;

    void run(const Box& root, int count, std::size_t most) {
        if (add_level({Cell{.box = root, .tight = root}}) == 0) return;
        for (int k = 0; k < count && split(most); ++k) {
        }
        tighten_leaves();
        for (std::size_t k = levels.size(); k-- > 0;) join(levels[k]);
        solid.leaf_side_ = cells.back().box.size().x();
        drop_empty();
        if (!cells.empty()) make_nodes();
    }

    // Keeps the cells that range() does not prove empty. Returns their number.
    std::size_t add_level(std::vector<Cell> candidates) {
        std::vector<Box> boxes;
        boxes.reserve(candidates.size());
        for (const Cell& c : candidates) boxes.push_back(c.box);
        const std::vector<Interval> ranges = ranges_of(*solid.field_, boxes);
        const std::size_t begin = cells.size();
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (!(ranges[k].lower <= 0)) continue;
            candidates[k].full = ranges[k].upper <= 0;
            const Index place = static_cast<Index>(cells.size()), parent = candidates[k].parent;
            if (parent != no_index && cells[parent].children++ == 0) cells[parent].first = place;
            cells.push_back(candidates[k]);
        }
        if (cells.size() > begin) levels.push_back({begin, cells.size()});
        return cells.size() - begin;
    }

    bool split(std::size_t most) {
        const Level last = levels.back();
        std::vector<Cell> candidates;
        for (std::size_t k = last.begin; k < last.end; ++k)
            for (int o = 0; o < 8 && !cells[k].full; ++o) {
                const Box part = octant(cells[k].box, o);
                candidates.push_back({.box = part,
                                      .tight = part,
                                      .parent = static_cast<Index>(k),
                                      .octant = static_cast<std::uint8_t>(o)});
            }
        if (candidates.empty() || cells.size() + candidates.size() > most) return false;
        return add_level(std::move(candidates)) > 0;
    }

    // Subdivides the leaves once more and keeps only the bounding box of the children that are not proven empty.
    void tighten_leaves() {
        const Level last = levels.back();
        std::vector<Box> parts;
        for (std::size_t k = last.begin; k < last.end; ++k)
            for (int o = 0; o < 8; ++o) parts.push_back(octant(cells[k].box, o));
        const std::vector<Interval> ranges = ranges_of(*solid.field_, parts);
        for (std::size_t k = last.begin; k < last.end; ++k) {
            if (cells[k].full) continue;
            cells[k].tight = Box{};
            for (std::size_t o = 8 * (k - last.begin), end = o + 8; o < end; ++o)
                if (ranges[o].lower <= 0) cells[k].tight.extend(parts[o]);
        }
    }

    // Computes tight boxes of parents from their children: empty if all children are empty.
    void join(const Level& level) {
        for (std::size_t k = level.begin; k < level.end; ++k) {
            Cell& cell = cells[k];
            if (cell.full || level.begin == levels.back().begin) continue;
            cell.tight = Box{};
            for (Index c = 0; c < cell.children; ++c)
                if (const Box& part = cells[cell.first + c].tight; !part.empty()) cell.tight.extend(part);
        }
    }

    // Removes cells that finer cells have proven empty; siblings stay consecutive.
    void drop_empty() {
        std::vector<Index> kept_before(cells.size() + 1, 0);
        for (std::size_t k = 0; k < cells.size(); ++k)
            kept_before[k + 1] = kept_before[k] + (cells[k].tight.empty() ? 0 : 1);
        for (Cell& cell : cells) {
            const Index end = kept_before[cell.first + cell.children];
            cell.first = kept_before[cell.first];
            cell.children = static_cast<std::uint8_t>(end - cell.first);
        }
        std::erase_if(cells, [](const Cell& cell) { return cell.tight.empty(); });
    }

    void make_nodes() {
        solid.root_ = cells[0].box;
        solid.unit_ = std::exp2(std::ceil(std::log2(cells[0].box.size().maxCoeff())));
        solid.origin_ = cells[0].box.center();
        solid.nodes_.resize(cells.size());
        solid.caps_.resize(cells.size());
        std::vector<Vec3> centers(cells.size());
        for (std::size_t k = 0; k < cells.size(); ++k) centers[k] = cells[k].tight.center();
        std::vector<Sample> samples(cells.size());
        parallel_for(cells.size(), 256, [&](std::size_t b, std::size_t e) {
            solid.field_->samples(std::span(centers).subspan(b, e - b), std::span(samples).subspan(b, e - b));
        });
        parallel_for(cells.size(), 256, [&](std::size_t b, std::size_t e) {
            for (std::size_t k = b; k < e; ++k) {
                make_node(k, centers[k], samples[k]);
                make_cap(solid.nodes_[k], solid.caps_[k]);
            }
        });
    }

    void make_node(std::size_t k, const Vec3& center, const Sample& sample) {
        const Cell& cell = cells[k];
        FieldSphereNode& node = solid.nodes_[k];
        node.first = cell.first;
        node.children = cell.children;
        node.octant = cell.octant;
        node.full = cell.full;
        set_sphere(node, cell, center);
        if (sample.distance <= 0) {
            node.center_inside = solid.field_->distance(solid.center(node)) <= 0;
            return;
        }
        // A centre outside the body is not a witness of overlap: move it to the nearby surface if the radius grows
        // little.
        FieldSphereNode moved = node;
        Vec3 p = center;
        Sample s = sample;
        for (int step = 0; step < 3 && s.distance > 0 && s.gradient.squaredNorm() > flattest; ++step) {
            p -= (s.distance + 1e-3 * cell.box.size().x()) / s.gradient.squaredNorm() * s.gradient;
            s = solid.field_->sample(p);
        }
        set_sphere(moved, cell, p);
        if (moved.radius > 1.3f * node.radius || !(solid.field_->distance(solid.center(moved)) <= 0)) return;
        node = moved;
        node.center_inside = true;
    }

    void make_cap(const FieldSphereNode& node, SolidCap& cap) const {
        cap.offset = node.radius;
        if (node.children > 0 || node.full) return;
        const Sphere sphere = solid.sphere(node);
        PlaneOver plane;
        if (!solid.clearance_.plane_over(sphere.center, solid.field_->distance(sphere.center), sphere.radius, plane) ||
            !(plane.offset < sphere.radius))
            return;
        for (int axis = 0; axis < 3; ++axis) cap.normal[axis] = static_cast<float>(plane.normal[axis]);
        cap.offset = std::nextafter(static_cast<float>((plane.offset + 1e-6 * sphere.radius) / solid.unit_),
                                    HUGE_VALF); // 1e-6 of the radius covers the rounded normal
    }

    // The sphere encloses the boxes of the children, which need less than their common box.
    void set_sphere(FieldSphereNode& node, const Cell& cell, const Vec3& center) {
        const Vec3 local = (center - solid.origin_) / solid.unit_;
        for (int axis = 0; axis < 3; ++axis) node.center[axis] = static_cast<float>(local[axis]);
        const Vec3 c = solid.center(node);
        double radius = farthest_corner(cell.tight, c);
        if (cell.children > 0) {
            double of_children = 0;
            for (Index i = 0; i < cell.children; ++i)
                of_children = std::max(of_children, farthest_corner(cells[cell.first + i].tight, c));
            radius = std::min(radius, of_children);
        }
        node.radius = std::nextafter(static_cast<float>(radius / solid.unit_ * (1 + 1e-6)), HUGE_VALF);
    }
};

bool FieldSphereTree::tree_clears(const Vec3& p, double radius) const {
    struct Visit {
        Index node;
        Box box;
    };
    std::array<Visit, 8 * 11> stack; // siblings of each level of the path
    std::size_t count = 0;
    if (!nodes_.empty()) stack[count++] = {0, root_};
    const double reach = outward(radius) + relative_rounding * root_.size().x();
    while (count > 0) {
        const Visit at = stack[--count];
        const FieldSphereNode& node = nodes_[at.node];
        if (at.box.squared_distance(p) > reach * reach || (center(node) - p).norm() > reach + sphere(node).radius)
            continue;
        if (node.children == 0) return false;
        for (Index c = 0; c < node.children; ++c)
            stack[count++] = {node.first + c, octant(at.box, nodes_[node.first + c].octant)};
    }
    return true;
}

double capped_reach(double radius, double offset, double along) {
    if (offset >= radius || radius * along <= offset) return radius;
    // The farthest point is on the circle where the plane cuts the sphere.
    const double rim = std::sqrt(std::max(0.0, (radius - offset) * (radius + offset))),
                 across = std::sqrt(std::max(0.0, (1 - along) * (1 + along)));
    return std::min(radius, offset * along + rim * across + 1e-6 * radius);
}

double FieldSphereTree::reach(const FieldSphereNode& node, const Vec3& direction) const {
    const SolidCap& cap = caps_[static_cast<std::size_t>(&node - nodes_.data())];
    const double along = Vec3f(cap.normal[0], cap.normal[1], cap.normal[2]).cast<double>().dot(direction);
    return capped_reach(static_cast<double>(node.radius), static_cast<double>(cap.offset), along) * unit_;
}

FieldSphereTree::FieldSphereTree(FieldPtr field, const FieldSphereTreeOptions& options)
    : field_(std::move(field)), clearance_(*field_) {
    if (options.levels < 0 || options.levels > 10)
        throw Error(Cause::invalid_argument, "option levels must be 0 to 10");
    bounds_ = field_->bounds();
    surface_error_ = field_->near_error_bound();
    bounded_ = bounds_.empty() || is_finite(bounds_.size());
    if (!bounded_ || bounds_.empty()) return;
    const FieldOctree octree = field_->octree();
    tree_is_tighter_ = field_->traits().range_is_tighter;
    Builder{*this, {}, {}}.run(octree.root,
                               options.levels > 0 ? std::min(options.levels, octree.max_levels) : octree.levels,
                               options.max_nodes > 0 ? options.max_nodes : octree.max_nodes);
}

} // namespace fathom
