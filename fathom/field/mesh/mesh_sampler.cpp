// Exact unsigned distances from the samples of bricks to a triangle mesh.
#include <fathom/field/mesh/mesh_sampler.h>

#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/field/mesh/nearest_kernel.h>
#include <fathom/geometry/primitive/triangle_overlap.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

namespace fathom {

namespace {

constexpr int block_bricks = 2; // bricks along a side of a block
constexpr int block_cells = block_bricks * brick_cells;
constexpr double to_corner = 0.8660254037844387; // from the centre of a cube to a corner, in sides, rounded up
constexpr std::size_t few = 5;                   // shorter lists of triangles are not reduced further
constexpr std::size_t max_depth = 2;             // number of halvings of a brick: 9 samples, 5 or 4, 3 or 2

// Range of samples of a brick, both ends included.
struct SampleBox {
    std::array<int, 3> first, last;

    [[nodiscard]] SampleBox half(int h) const {
        SampleBox part;
        for (std::size_t k = 0; k < 3; ++k) {
            const int middle = (first[k] + last[k]) / 2;
            part.first[k] = (h >> k & 1) ? middle + 1 : first[k];
            part.last[k] = (h >> k & 1) ? last[k] : middle;
        }
        return part;
    }
};

void set_lane(EightPoints& points, int lane, const Vec3f& p) {
    points.x[lane] = p.x();
    points.y[lane] = p.y();
    points.z[lane] = p.z();
}

constexpr float float_outward = 1 + 1e-6f; // covers the rounding of halves and their sums

// Boxes around the halves of a brick or of a box of its samples. `first` is the position of sample 0.
EightBoxes boxes_of_halves(const SampleBox& box, const Vec3f& first) {
    EightBoxes boxes;
    for (int h = 0; h < 8; ++h) {
        const SampleBox part = box.half(h);
        Vec3f low, high;
        for (std::size_t k = 0; k < 3; ++k) {
            low[static_cast<Eigen::Index>(k)] = static_cast<float>(part.first[k]);
            high[static_cast<Eigen::Index>(k)] = static_cast<float>(part.last[k]);
        }
        set_lane(boxes.centers, h, first + 0.5f * (low + high));
        set_lane(boxes.halves, h, 0.5f * float_outward * (high - low));
    }
    return boxes;
}

// Centre of a brick relative to the centre of its block.
Vec3f brick_center(int b) { return {(b & 1) ? 4.0f : -4.0f, (b & 2) ? 4.0f : -4.0f, (b & 4) ? 4.0f : -4.0f}; }

EightBoxes boxes_of_bricks() {
    EightBoxes boxes;
    for (int b = 0; b < 8; ++b) {
        set_lane(boxes.centers, b, brick_center(b));
        set_lane(boxes.halves, b, Vec3f::Constant(0.5f * brick_cells * float_outward));
    }
    return boxes;
}

// Whether a brick is in the layout and wanted. A block may extend beyond the layout.
bool is_wanted(const GridLayout& layout, const std::vector<char>& wanted, const std::array<int, 3>& b) {
    for (std::size_t k = 0; k < 3; ++k)
        if (b[k] >= layout.bricks[k]) return false;
    return wanted[layout.brick_index(b)] != 0;
}

using EightLists = std::array<std::vector<Index>, 8>;

// State of one block of bricks. Lengths are in cells, from the centre of the block.
class Block {
public:
    Block(std::span<const PlacedTriangle> mesh, const SurfaceTree& tree, const GridLayout& layout)
        : mesh_(mesh), tree_(tree), layout_(layout) {}

    // Moves to the block that begins with this brick.
    void begin(const std::array<int, 3>& first) {
        first_ = first;
        center_ = layout_.brick_start(first) + Vec3::Constant(0.5 * block_cells * layout_.cell);
        closest_ = tree_.closest(center_);
    }

    // Samples the wanted bricks of the block that are in the layout.
    void sample(const std::vector<char>& wanted, BrickDistances& values, MeshSampler::Visitor visitor) {
        gather();
        sift_group(all_, boxes_of_bricks(), of_brick_);
        for (int b = 0; b < 8; ++b) {
            const std::array<int, 3> p = {first_[0] + (b & 1), first_[1] + (b >> 1 & 1), first_[2] + (b >> 2)};
            if (!is_wanted(layout_, wanted, p)) continue;
            const Vec3f first = brick_center(b) - Vec3f::Constant(0.5f * brick_cells);
            sample(of_brick_[static_cast<std::size_t>(b)], first, {{0, 0, 0}, {brick_cells, brick_cells, brick_cells}},
                   0, values);
            visitor(layout_.brick_index(p), values);
        }
    }

private:
    void gather();
    void gather_from(std::size_t node, const Vec3f& center, const Vec3f& nearest, float squared, float half);
    void sift_group(std::span<const Index> list, const EightBoxes& boxes, EightLists& out);
    void sample(std::span<const Index> list, const Vec3f& first, const SampleBox& box, std::size_t depth,
                BrickDistances& out);
    void evaluate(std::span<const Index> list, const Vec3f& first, const SampleBox& box, BrickDistances& out) const;
    void evaluate(std::span<const Index> list, const EightPoints& points, std::span<const std::size_t> slots,
                  BrickDistances& out) const;

    std::span<const PlacedTriangle> mesh_;
    const SurfaceTree& tree_;
    const GridLayout& layout_;
    std::array<int, 3> first_{}; // first brick
    Vec3 center_ = Vec3::Zero(); // m
    ClosestPoint closest_;       // closest point to the centre
    double margin_ = 0;          // bound on the error of float arithmetic (squared cells)

    std::vector<Index> ids_; // triangles that can be the closest somewhere in the block
    std::vector<Index> all_; // indices 0, 1, 2, ... into ids_
    std::vector<FlatTriangle> triangles_;
    std::vector<EightNearest> scratch_;
    std::vector<std::uint8_t> masks_;
    EightLists of_brick_;
    std::array<EightLists, max_depth> of_half_;
};

// Applies the bound of sift() to the boxes of the tree: a box is visited if some point s of it may satisfy |c - s|^2 <=
// d^2 + 2 h (|s - q|, summed over the axes).
void Block::gather() {
    const BvhFrame& frame = tree_.tree().frame();
    const double radius = to_corner * block_cells * layout_.cell, distance = std::sqrt(closest_.squared_distance);
    const auto to_frame = [&](const Vec3& p) -> Vec3f { return frame.to_local(p).cast<float>(); };
    // The boxes are floats rounded outward; the centre and the other values are not.
    const double slack = 1e-5 * (1 + (distance + radius) * frame.scale);
    const double d = distance * frame.scale + slack;
    ids_.clear();
    gather_from(0, to_frame(center_), to_frame(closest_.point), static_cast<float>(d * d * (1 + 1e-5)),
                static_cast<float>((0.5 * block_cells * layout_.cell * frame.scale + slack) * (1 + 1e-5)));
    triangles_.resize(ids_.size());
    float largest = 0;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
        triangles_[k] = seen_from(mesh_[ids_[k]], center_, 1 / layout_.cell);
        largest = std::max(largest, triangles_[k].length);
    }
    while (all_.size() < ids_.size()) all_.push_back(static_cast<Index>(all_.size()));
    all_.resize(ids_.size());
    const double far = (distance + radius) / layout_.cell;
    const double error = distance_error(to_corner * block_cells + far + static_cast<double>(largest), far);
    margin_ = 4 * (far + to_corner * block_cells) * error + error * error;
    scratch_.resize(ids_.size());
    masks_.resize(ids_.size());
}

void Block::gather_from(std::size_t node, const Vec3f& center, const Vec3f& nearest, float squared, float half) {
    const BvhNode& n = tree_.tree().nodes()[node];
    std::array<float, 8> lowest{}, apart{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float c = center[static_cast<Eigen::Index>(axis)], q = nearest[static_cast<Eigen::Index>(axis)];
        for (std::size_t k = 0; k < 8; ++k) {
            const float outside = std::max({n.lower[axis][k] - c, 0.0f, c - n.upper[axis][k]});
            const float across = std::max(n.upper[axis][k] - q, q - n.lower[axis][k]);
            lowest[k] += outside * outside;
            apart[k] += across;
        }
    }
    for (std::size_t k = 0; k < 8; ++k) {
        if (n.child[k] == no_index || !(lowest[k] <= squared + 2 * half * apart[k])) continue;
        if (BvhNode::is_leaf(n.child[k])) {
            const auto leaf = tree_.tree().leaf(n.child[k] & ~BvhNode::leaf_bit);
            ids_.insert(ids_.end(), leaf.begin(), leaf.end());
        } else {
            gather_from(n.child[k], center, nearest, squared, half);
        }
    }
}

void Block::sift_group(std::span<const Index> list, const EightBoxes& boxes, EightLists& out) {
    sift(triangles_, list, boxes, static_cast<float>(margin_), scratch_, masks_);
    for (auto& kept : out) kept.clear();
    for (std::size_t i = 0; i < list.size(); ++i)
        for (unsigned mask = masks_[i]; mask != 0; mask &= mask - 1)
            out[static_cast<std::size_t>(std::countr_zero(mask))].push_back(list[i]);
}

void Block::sample(std::span<const Index> list, const Vec3f& first, const SampleBox& box, std::size_t depth,
                   BrickDistances& out) {
    if (depth == max_depth || list.size() <= few) return evaluate(list, first, box, out);
    EightLists& lists = of_half_[depth];
    sift_group(list, boxes_of_halves(box, first), lists);
    for (int h = 0; h < 8; ++h) sample(lists[static_cast<std::size_t>(h)], first, box.half(h), depth + 1, out);
}

void Block::evaluate(std::span<const Index> list, const Vec3f& first, const SampleBox& box, BrickDistances& out) const {
    EightPoints points;
    std::array<std::size_t, 8> slots;
    std::size_t count = 0;
    for (int k = box.first[2]; k <= box.last[2]; ++k)
        for (int j = box.first[1]; j <= box.last[1]; ++j)
            for (int i = box.first[0]; i <= box.last[0]; ++i) {
                points.x[count] = first.x() + static_cast<float>(i);
                points.y[count] = first.y() + static_cast<float>(j);
                points.z[count] = first.z() + static_cast<float>(k);
                slots[count++] = brick_sample(i, j, k);
                if (count < 8) continue;
                evaluate(list, points, slots, out);
                count = 0;
            }
    for (std::size_t k = count; k < 8; ++k) points.x[k] = points.y[k] = points.z[k] = 0;
    if (count > 0) evaluate(list, points, std::span(slots).first(count), out);
}

void Block::evaluate(std::span<const Index> list, const EightPoints& points, std::span<const std::size_t> slots,
                     BrickDistances& out) const {
    std::array<float, 8> squared;
    std::array<std::int32_t, 8> who;
    nearest(triangles_, list, points, squared, who);
    for (std::size_t k = 0; k < slots.size(); ++k) {
        out.distance[slots[k]] = static_cast<double>(std::sqrt(squared[k])) * layout_.cell;
        out.nearest[slots[k]] = ids_[list[static_cast<std::size_t>(who[k])]];
    }
}

// Range of bricks, both ends included.
struct BrickRange {
    std::array<int, 3> first, last;

    [[nodiscard]] int count() const {
        return (last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1);
    }
};

// Marks the bricks within reach of a triangle.
class NearMarker {
public:
    NearMarker(const GridLayout& layout, double reach, std::vector<char>& near)
        : layout_(layout), reach_(reach), near_(near) {}

    // Large ranges are halved as long as the triangle is near them.
    void mark(const std::array<Vec3, 3>& corners, const BrickRange& range) {
        constexpr int few_bricks = 64;
        if (range.count() <= few_bricks) return mark_each(corners, range);
        if (!box_overlaps_triangle(box_of(range).grown(reach_), corners)) return;
        std::size_t axis = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (range.last[k] - range.first[k] > range.last[axis] - range.first[axis]) axis = k;
        BrickRange low = range, high = range;
        low.last[axis] = (range.first[axis] + range.last[axis]) / 2;
        high.first[axis] = low.last[axis] + 1;
        mark(corners, low);
        mark(corners, high);
    }

private:
    [[nodiscard]] Box box_of(const BrickRange& range) const {
        return {layout_.brick_start(range.first),
                layout_.brick_start({range.last[0] + 1, range.last[1] + 1, range.last[2] + 1})};
    }

    void mark_each(const std::array<Vec3, 3>& corners, const BrickRange& range) {
        for (int z = range.first[2]; z <= range.last[2]; ++z)
            for (int y = range.first[1]; y <= range.last[1]; ++y)
                for (int x = range.first[0]; x <= range.last[0]; ++x) {
                    const std::array<int, 3> b = {x, y, z};
                    const std::atomic_ref<char> flag(near_[layout_.brick_index(b)]);
                    if (flag.load(std::memory_order_relaxed) == 0 && comes_near(corners, box_of({b, b})))
                        flag.store(1, std::memory_order_relaxed);
                }
    }

    // The corners of the grown box are farther away than the reach; the test with the bounding sphere excludes most of
    // them.
    [[nodiscard]] bool comes_near(const std::array<Vec3, 3>& corners, const Box& brick) const {
        const double sphere = reach_ + 0.5 * brick.diagonal();
        return closest_point(brick.center(), corners).squared_distance <= outward(sphere * sphere) &&
               box_overlaps_triangle(brick.grown(reach_), corners);
    }

    const GridLayout& layout_;
    double reach_;
    std::vector<char>& near_;
};

// Bricks that may intersect the box; at least the nearest one of the layout.
BrickRange bricks_round(const GridLayout& layout, const Box& box) {
    BrickRange range;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        const double per_brick = 1 / (brick_cells * layout.cell), last = layout.bricks[k] - 1;
        range.first[k] = static_cast<int>(
            std::clamp(std::floor((box.lower[axis] - layout.origin[axis]) * per_brick - 1e-6), 0.0, last));
        range.last[k] = static_cast<int>(
            std::clamp(std::floor((box.upper[axis] - layout.origin[axis]) * per_brick + 1e-6), 0.0, last));
    }
    return range;
}

std::array<int, 3> block_counts(const GridLayout& layout) {
    std::array<int, 3> counts;
    for (std::size_t k = 0; k < 3; ++k) counts[k] = (layout.bricks[k] + block_bricks - 1) / block_bricks;
    return counts;
}

// First bricks of the blocks that contain a wanted brick, x fastest.
std::vector<std::array<int, 3>> wanted_blocks(const GridLayout& layout, const std::vector<char>& wanted) {
    std::vector<std::array<int, 3>> blocks;
    const auto n = block_counts(layout);
    for (int z = 0; z < n[2]; ++z)
        for (int y = 0; y < n[1]; ++y)
            for (int x = 0; x < n[0]; ++x) {
                bool any = false;
                for (int b = 0; b < 8; ++b)
                    any = any || is_wanted(layout, wanted, {2 * x + (b & 1), 2 * y + (b >> 1 & 1), 2 * z + (b >> 2)});
                if (any) blocks.push_back({2 * x, 2 * y, 2 * z});
            }
    return blocks;
}

} // namespace

MeshSampler::MeshSampler(const TriangleMesh& mesh, const SurfaceTree& tree)
    : mesh_(mesh), tree_(tree), placed_(mesh.triangles.size()) {
    parallel_for(placed_.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) placed_[t] = placed_triangle(mesh.corners(t));
    });
    for (const PlacedTriangle& t : placed_) longest_ = std::max(longest_, t.length);
    const Box& bounds = tree.tree().bounds();
    farthest_ = std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
}

MeshSampler::~MeshSampler() = default;

std::vector<char> MeshSampler::near_bricks(const GridLayout& layout, double reach, Progress* progress) const {
    std::vector<char> near(layout.brick_count(), 0);
    Stage stage(progress, "locating the surface", mesh_.triangles.size());
    parallel_for(mesh_.triangles.size(), 256, [&](std::size_t begin, std::size_t end) {
        NearMarker marker(layout, reach, near);
        for (std::size_t t = begin; t < end; ++t)
            marker.mark(mesh_.corners(t), bricks_round(layout, mesh_.bounds(t).grown(reach)));
        stage.step(end - begin);
    });
    return near;
}

void MeshSampler::sample(const GridLayout& layout, const std::vector<char>& wanted, std::string_view stage_name,
                         Progress* progress, Visitor visitor) const {
    const std::vector<std::array<int, 3>> blocks = wanted_blocks(layout, wanted);
    Stage stage(progress, std::string(stage_name), blocks.size());
    parallel_for(blocks.size(), 16, [&](std::size_t begin, std::size_t end) {
        Block block(placed_, tree_, layout);
        BrickDistances values;
        for (std::size_t b = begin; b < end; ++b) {
            block.begin(blocks[b]);
            block.sample(wanted, values, visitor);
        }
        stage.step(end - begin);
    });
}

double MeshSampler::error_bound(const GridLayout& layout, double far) const {
    const double reach = (to_corner * block_cells + 1) * layout.cell;
    const double extent = farthest_ + layout.domain().size().norm();
    return distance_error(reach + far + longest_, far) + 8e-16 * extent;
}

} // namespace fathom
