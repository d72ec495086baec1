// Construction of the bounding-sphere tree of a field, level by level with batches of range evaluations.
#include <fathom/detect/trees/field_sphere_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/grid/grid_range.h>
#include <fathom/field/neural/network_range.h>
#include <fathom/field/neural/neural_field.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

constexpr int default_levels = 4;
constexpr double flattest = 1e-12; // squared length of a gradient: shorter ones give no direction
constexpr std::size_t max_nodes_of_network = 1'000'000, max_nodes_of_others = 200'000;
constexpr int network_levels = 6; // evaluations are expensive; a finer tree saves them

// Number of levels down to blocks of four cells a side.
int max_levels(const GridField& grid) {
    const auto& bricks = grid.layout().bricks;
    return 1 + std::countr_zero(std::bit_ceil(static_cast<unsigned>(*std::max_element(bricks.begin(), bricks.end()))));
}

bool is_network(const Field& field) { return dynamic_cast<const NeuralField*>(&field) != nullptr; }

int chosen_levels(const Field& field, const GridField* grid, const FieldSphereTreeOptions& options) {
    const int finest = grid ? max_levels(*grid) : is_network(field) ? network_levels : default_levels;
    return options.levels == 0 ? finest : grid ? std::min(options.levels, finest) : options.levels;
}

Interval wide(const FloatRange& range) { return {static_cast<double>(range.lower), static_cast<double>(range.upper)}; }

// Range from the grid's min/max pyramid, for boxes of 2^k cells a side (k >= 1) that start at a multiple of their size
// from its origin. Empty beyond the grid.
Interval block_range(const GridField& grid, const Box& box) {
    const GridData& data = grid.data();
    const int side = static_cast<int>(std::lround(box.size().x() / data.layout.cell));
    std::array<int, 3> cell, brick;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        cell[k] = static_cast<int>(std::lround((box.lower[axis] - data.layout.origin[axis]) / data.layout.cell));
        brick[k] = cell[k] / brick_cells;
        if (brick[k] >= data.layout.bricks[k]) return Interval::none();
    }
    if (side > brick_cells)
        return wide(level_range(data, std::countr_zero(static_cast<unsigned>(side / brick_cells)) - 1, cell));
    for (int& c : cell) c %= brick_cells;
    const std::size_t index = data.layout.brick_index(brick);
    const Index stored = data.brick_of[index];
    if (side == brick_cells || stored == no_index) return brick_range(data, index);
    if (side == 4)
        return wide(data.block_ranges[std::size_t{stored} * 8 +
                                      static_cast<std::size_t>(cell[0] / 4 | cell[1] / 4 << 1 | cell[2] / 4 << 2)]);
    Interval range = Interval::none();
    for (int k = cell[2]; k <= cell[2] + side; ++k)
        for (int j = cell[1]; j <= cell[1] + side; ++j)
            for (int i = cell[0]; i <= cell[0] + side; ++i)
                range = hull(range, Interval(stored_value(data, stored, brick_sample(i, j, k))));
    return range;
}

// With ReLU units, refined ranges prove so many large cells empty that their cost pays off; with smooth activations,
// smaller cells cost less.
RangeEffort effort_for(const NeuralField& field) {
    const auto bends = [](const DenseLayer& layer) {
        return layer.activation != Activation::relu && layer.activation != Activation::none;
    };
    const auto& layers = field.network().layers;
    return std::any_of(layers.begin(), layers.end() - 1, bends) ? RangeEffort::backward : RangeEffort::refined;
}

std::vector<Interval> ranges_of(const Field& field, const GridField* grid, std::span<const Box> boxes) {
    std::vector<Interval> ranges(boxes.size());
    parallel_for(boxes.size(), 256, [&](std::size_t begin, std::size_t end) {
        const auto part = boxes.subspan(begin, end - begin);
        const auto out = std::span(ranges).subspan(begin, end - begin);
        if (const auto* network = dynamic_cast<const NeuralField*>(&field))
            return network->ranges(part, out, {.effort = effort_for(*network)});
        if (!grid) return field.ranges(part, out);
        for (std::size_t k = begin; k < end; ++k) ranges[k] = block_range(*grid, boxes[k]);
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
    const GridField* grid; // the field if it is a grid, whose blocks are then the cells; else null
    std::vector<Cell> cells;
    std::vector<Level> levels;

    void run(int count, std::size_t most) {
        const Box root = grid ? blocks_root()
                              : Box::around(solid.bounds_.center(),
                                            Vec3::Constant(std::max(0.5 * solid.bounds_.size().maxCoeff(), 1e-300)));
        if (add_level({Cell{.box = root, .tight = root}}) == 0) return;
        for (int k = 0; k < count && split(most); ++k) {
        }
        tighten_leaves();
        for (std::size_t k = levels.size(); k-- > 0;) join(levels[k]);
        solid.leaf_side_ = cells.back().box.size().x();
        drop_empty();
        if (!cells.empty()) make_nodes();
    }

    [[nodiscard]] Box blocks_root() const {
        const GridLayout& layout = grid->layout();
        const int side = *std::max_element(layout.bricks.begin(), layout.bricks.end());
        return {layout.origin,
                layout.origin.array() + layout.cell * brick_cells * std::bit_ceil(static_cast<unsigned>(side))};
    }

    // Keeps the cells that range() does not prove empty. Returns their number.
    std::size_t add_level(std::vector<Cell> candidates) {
        std::vector<Box> boxes;
        boxes.reserve(candidates.size());
        for (const Cell& c : candidates) boxes.push_back(c.box);
        const std::vector<Interval> ranges = ranges_of(*solid.field_, grid, boxes);
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
        const std::vector<Interval> ranges = ranges_of(*solid.field_, grid, parts);
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

double error_near_surface(const Field& field) {
    if (const auto* grid = dynamic_cast<const GridField*>(&field)) return grid->near_error_bound();
    return field.error_bound();
}

FieldSphereTree::FieldSphereTree(FieldPtr field, const FieldSphereTreeOptions& options)
    : field_(std::move(field)), clearance_(*field_) {
    if (options.levels < 0 || options.levels > 10)
        throw Error(Cause::invalid_argument, "option levels must be 0 to 10");
    bounds_ = field_->bounds();
    surface_error_ = error_near_surface(*field_);
    bounded_ = bounds_.empty() || is_finite(bounds_.size());
    if (!bounded_ || bounds_.empty()) return;
    const auto* grid = dynamic_cast<const GridField*>(field_.get());
    tree_is_tighter_ = is_network(*field_);
    Builder{*this, grid, {}, {}}.run(chosen_levels(*field_, grid, options), options.max_nodes > 0 ? options.max_nodes
                                                                            : tree_is_tighter_    ? max_nodes_of_network
                                                                                               : max_nodes_of_others);
}

} // namespace fathom
