// Room: field. Exact unsigned distances from the samples of bricks to a triangle mesh.
#include <fathom/field/mesh/mesh_sampler.h>

#include <fathom/base/parallel.h>
#include <fathom/field/mesh/nearest_kernel.h>
#include <fathom/geometry/box_triangle.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr int block_bricks = 4;                          // bricks along a side of a block
constexpr int block_cells = block_bricks * brick_cells;
constexpr double to_corner = 0.8660254037844387;         // of a cube, in sides, rounded up
constexpr std::size_t few = 4;                           // triangles: shorter lists are not sifted again
constexpr int patch = 3;                                 // samples along a side of the smallest block
constexpr std::size_t patches = 27;                      // of a brick, and samples of a patch

std::array<int, 3> split_27(int k) { return {k % 3, k / 3 % 3, k / 9}; }

// 27 points in four groups of eight, the last filled up with repetitions.
struct Points27 {
    std::array<EightPoints, 4> groups;

    void set(std::size_t k, const Vec3f& p) {
        groups[k / 8].x[k % 8] = p.x();
        groups[k / 8].y[k % 8] = p.y();
        groups[k / 8].z[k % 8] = p.z();
    }
};

// `first` + spacing * (i, j, k), each in {0, 1, 2}.
Points27 lattice(const Vec3f& first, float spacing) {
    Points27 points;
    for (int k = 0; k < 32; ++k) {
        const auto at = split_27(std::min(k, 26));
        points.set(static_cast<std::size_t>(k),
                   first + spacing * Vec3f(static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2])));
    }
    return points;
}

// Centres of the eight halves of a cube.
EightPoints halves(const Vec3f& center, float quarter) {
    EightPoints points;
    for (int k = 0; k < 8; ++k) {
        points.x[k] = center.x() + ((k & 1) ? quarter : -quarter);
        points.y[k] = center.y() + ((k & 2) ? quarter : -quarter);
        points.z[k] = center.z() + ((k & 4) ? quarter : -quarter);
    }
    return points;
}

using EightLists = std::array<std::vector<Index>, 8>;

// A brick that a block's walk has come to.
struct BrickFound {
    std::array<int, 3> position;
    Vec3f center;              // cells, from the centre of the block
    std::span<const Index> list; // triangles that can be nearest in it: places in Block::ids
    double distance;           // of its centre (cells)
};

// A block of bricks at work. Lengths are in cells, from the centre of the block.
class Block {
public:
    Block(const TriangleMesh& mesh, const SurfaceTree& tree, const GridLayout& layout, const std::array<int, 3>& first)
        : mesh_(mesh), tree_(tree), layout_(layout), first_(first) {
        const std::array<int, 3> lower = {first[0] * brick_cells, first[1] * brick_cells, first[2] * brick_cells};
        center_ = layout.sample_position(lower) + Vec3::Constant(0.5 * block_cells * layout.cell);
        closest_ = tree.closest(center_);
    }

    // Of the surface from the block's centre (m).
    [[nodiscard]] double distance() const { return std::sqrt(closest_.squared_distance); }

    // on_brick(BrickFound) for the bricks of the block that the layout has and `wanted(brick index)` asks for.
    template <class Wanted, class OnBrick>
    void visit(const Wanted& wanted, const OnBrick& on_brick) {
        gather();
        std::vector<Index> all(ids_.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
        sift_eight(all, Vec3f::Zero(), block_cells, of_half_);
        for (int h = 0; h < 8; ++h) {
            const std::array<int, 3> corner = {h & 1, h >> 1 & 1, h >> 2};
            if (!any_wanted(corner, wanted)) continue;
            Vec3f center;
            for (int k = 0; k < 3; ++k) center[k] = (static_cast<float>(corner[static_cast<std::size_t>(k)]) - 0.5f) * block_cells / 2;
            sift_eight(of_half_[static_cast<std::size_t>(h)], center, block_cells / 2, of_brick_);
            const std::array<float, 8> distances = least_; // the next sifting overwrites them
            for (int b = 0; b < 8; ++b) {
                const auto p = brick_at(corner, b);
                if (!is_wanted(p, wanted)) continue;
                const Vec3f offset((b & 1) ? 4.0f : -4.0f, (b & 2) ? 4.0f : -4.0f, (b & 4) ? 4.0f : -4.0f);
                on_brick(BrickFound{p, center + offset, of_brick_[static_cast<std::size_t>(b)],
                                    static_cast<double>(distances[static_cast<std::size_t>(b)])});
            }
        }
    }

    void sample(const BrickFound& brick, BrickDistances& out);
    [[nodiscard]] bool comes_within(const BrickFound& brick, double reach) const;

private:
    void gather();
    void gather_from(std::size_t node, const Vec3f& center, const Vec3f& nearest, float squared, float radius);
    void sift_eight(std::span<const Index> list, const Vec3f& center, int side, EightLists& out);
    void sift_group(std::span<const Index> list, const EightPoints& centers, double radius, EightLists& out);
    void sample_patch(std::span<const Index> list, const Vec3f& first, const std::array<int, 3>& at, BrickDistances& out);

    [[nodiscard]] std::array<int, 3> brick_at(const std::array<int, 3>& half, int b) const {
        return {first_[0] + 2 * half[0] + (b & 1), first_[1] + 2 * half[1] + (b >> 1 & 1), first_[2] + 2 * half[2] + (b >> 2)};
    }
    template <class Wanted>
    [[nodiscard]] bool is_wanted(const std::array<int, 3>& p, const Wanted& wanted) const {
        for (std::size_t k = 0; k < 3; ++k)
            if (p[k] >= layout_.bricks[k]) return false;
        return wanted(layout_.brick_index(p));
    }
    template <class Wanted>
    [[nodiscard]] bool any_wanted(const std::array<int, 3>& half, const Wanted& wanted) const {
        for (int b = 0; b < 8; ++b)
            if (is_wanted(brick_at(half, b), wanted)) return true;
        return false;
    }

    const TriangleMesh& mesh_;
    const SurfaceTree& tree_;
    const GridLayout& layout_;
    std::array<int, 3> first_; // brick
    Vec3 center_;              // m
    ClosestPoint closest_;     // to the centre
    double margin_ = 0;        // squared cells: what floats may be wrong by

    std::vector<Index> ids_; // triangles that can be nearest in the block
    std::vector<FlatTriangle> triangles_;
    std::vector<EightNearest> scratch_;
    std::vector<std::uint8_t> masks_;
    std::array<float, 8> least_{};
    EightLists of_half_, of_brick_, of_patch_;
};

// The bound of sift() on the boxes of the tree: a box is opened where some point s of it may keep
// |c - s|^2 <= d^2 + 2 r |s - q|.
void Block::gather() {
    const BvhFrame& frame = tree_.tree().frame();
    const double per_cell = 1 / layout_.cell;
    const double radius = to_corner * block_cells;
    ids_.clear();
    const auto to_frame = [&](const Vec3& p) -> Vec3f { return frame.to_local(p).cast<float>(); };
    const double unit = frame.scale; // frame units in a metre
    // Boxes are floats rounded outward; the centre and what follows are not.
    const double slack = 1e-5 * (1 + distance() * unit + radius * layout_.cell * unit);
    const double d = distance() * unit + slack;
    gather_from(0, to_frame(center_), to_frame(closest_.point), static_cast<float>(d * d * (1 + 1e-5)),
                static_cast<float>(radius * layout_.cell * unit + slack));
    std::sort(ids_.begin(), ids_.end());
    triangles_.clear();
    double largest = 0;
    for (const Index id : ids_) {
        std::array<Vec3, 3> corners = mesh_.corners(id);
        for (Vec3& corner : corners) corner = (corner - center_) * per_cell;
        triangles_.push_back(flat_triangle(corners));
        largest = std::max(largest, static_cast<double>(triangles_.back().size));
    }
    const double far = distance() * per_cell + radius;
    const double error = distance_error(radius + far + largest, far);
    margin_ = 4 * (far + radius) * error + error * error;
    scratch_.resize(ids_.size());
    masks_.resize(ids_.size());
}

void Block::gather_from(std::size_t node, const Vec3f& center, const Vec3f& nearest, float squared, float radius) {
    const BvhNode& n = tree_.tree().nodes()[node];
    std::array<float, 8> lowest{}, apart{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float c = center[static_cast<Eigen::Index>(axis)], q = nearest[static_cast<Eigen::Index>(axis)];
        for (std::size_t k = 0; k < 8; ++k) {
            const float outside = std::max({n.lower[axis][k] - c, 0.0f, c - n.upper[axis][k]});
            const float across = std::max(n.upper[axis][k] - q, q - n.lower[axis][k]);
            lowest[k] += outside * outside;
            apart[k] += across * across;
        }
    }
    for (std::size_t k = 0; k < 8; ++k) {
        if (n.child[k] == no_index || !(lowest[k] <= squared + 2.00001f * radius * std::sqrt(apart[k]))) continue;
        if (BvhNode::is_leaf(n.child[k])) {
            const auto leaf = tree_.tree().leaf(n.child[k] & ~BvhNode::leaf_bit);
            ids_.insert(ids_.end(), leaf.begin(), leaf.end());
        } else {
            gather_from(n.child[k], center, nearest, squared, radius);
        }
    }
}

void Block::sift_group(std::span<const Index> list, const EightPoints& centers, double radius, EightLists& out) {
    sift(triangles_, list, centers, static_cast<float>(radius * (1 + 1e-6)), static_cast<float>(margin_), scratch_, masks_, least_);
    for (auto& kept : out) kept.clear();
    for (std::size_t i = 0; i < list.size(); ++i)
        for (unsigned mask = masks_[i]; mask != 0; mask &= mask - 1)
            out[static_cast<std::size_t>(std::countr_zero(mask))].push_back(list[i]);
}

void Block::sift_eight(std::span<const Index> list, const Vec3f& center, int side, EightLists& out) {
    sift_group(list, halves(center, static_cast<float>(side) / 4), to_corner * side / 2, out);
}

bool Block::comes_within(const BrickFound& brick, double reach) const {
    const double cells = reach / layout_.cell, rounding = 1e-5 * (brick.distance + cells + block_cells);
    if (brick.distance <= cells + 0.5 * brick_cells - rounding) return true;
    if (brick.distance > cells + to_corner * brick_cells + rounding) return false;
    const auto& p = brick.position;
    const Vec3 lower = layout_.sample_position({p[0] * brick_cells, p[1] * brick_cells, p[2] * brick_cells});
    const Box grown = Box{lower, lower + Vec3::Constant(brick_cells * layout_.cell)}.grown(reach);
    return std::any_of(brick.list.begin(), brick.list.end(),
                       [&](Index t) { return box_overlaps_triangle(grown, mesh_.corners(ids_[t])); });
}

void Block::sample(const BrickFound& brick, BrickDistances& out) {
    const Vec3f first = brick.center - Vec3f::Constant(0.5f * brick_cells);
    const auto patch_start = [&](std::size_t k) {
        const auto at = split_27(static_cast<int>(k));
        return std::array<int, 3>{at[0] * patch, at[1] * patch, at[2] * patch};
    };
    if (brick.list.size() <= few) {
        for (std::size_t k = 0; k < patches; ++k) sample_patch(brick.list, first, patch_start(k), out);
        return;
    }
    const Points27 centers = lattice(first + Vec3f::Ones(), static_cast<float>(patch));
    for (std::size_t group = 0; group < 4; ++group) {
        sift_group(brick.list, centers.groups[group], std::numbers::sqrt3, of_patch_);
        for (std::size_t k = 0; k < 8 && 8 * group + k < patches; ++k)
            sample_patch(of_patch_[k], first, patch_start(8 * group + k), out);
    }
}

void Block::sample_patch(std::span<const Index> list, const Vec3f& first, const std::array<int, 3>& at, BrickDistances& out) {
    const Vec3f start(static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]));
    const Points27 points = lattice(first + start, 1.0f);
    std::array<float, 8> squared;
    std::array<std::int32_t, 8> who;
    for (std::size_t group = 0; group < 4; ++group) {
        nearest(triangles_, list, points.groups[group], squared, who);
        for (std::size_t k = 0; k < 8 && 8 * group + k < patches; ++k) {
            const auto offset = split_27(static_cast<int>(8 * group + k));
            const std::size_t s = brick_sample(at[0] + offset[0], at[1] + offset[1], at[2] + offset[2]);
            out.distance[s] = std::sqrt(static_cast<double>(squared[k])) * layout_.cell;
            out.nearest[s] = ids_[list[static_cast<std::size_t>(who[k])]];
        }
    }
}

std::array<int, 3> block_counts(const GridLayout& layout) {
    std::array<int, 3> counts;
    for (std::size_t k = 0; k < 3; ++k) counts[k] = (layout.bricks[k] + block_bricks - 1) / block_bricks;
    return counts;
}

// body(first brick of the block), in parallel.
template <class Body>
void for_each_block(const GridLayout& layout, std::string_view stage_name, Progress* progress, const Body& body) {
    const auto n = block_counts(layout);
    const std::size_t count = static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
    Stage stage(progress, std::string(stage_name), count);
    parallel_tasks(count, [&](std::size_t b) {
        const std::size_t nx = static_cast<std::size_t>(n[0]), ny = static_cast<std::size_t>(n[1]);
        body(std::array<int, 3>{static_cast<int>(b % nx) * block_bricks, static_cast<int>(b / nx % ny) * block_bricks,
                                static_cast<int>(b / nx / ny) * block_bricks});
        stage.step();
    });
}

// Indices of the bricks of a block.
template <class Visit>
void for_each_brick(const GridLayout& layout, const std::array<int, 3>& first, const Visit& visit) {
    for (int z = first[2]; z < std::min(first[2] + block_bricks, layout.bricks[2]); ++z)
        for (int y = first[1]; y < std::min(first[1] + block_bricks, layout.bricks[1]); ++y)
            for (int x = first[0]; x < std::min(first[0] + block_bricks, layout.bricks[0]); ++x)
                visit(layout.brick_index({x, y, z}));
}

} // namespace

MeshSampler::MeshSampler(const TriangleMesh& mesh, const SurfaceTree& tree) : mesh_(mesh), tree_(tree) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) longest_ = std::max(longest_, mesh.bounds(t).diagonal());
    const Box& bounds = tree.tree().bounds();
    farthest_ = std::max(bounds.lower.cwiseAbs().maxCoeff(), bounds.upper.cwiseAbs().maxCoeff());
}

std::vector<char> MeshSampler::near_bricks(const GridLayout& layout, double reach, Progress* progress) const {
    std::vector<char> near(layout.brick_count(), 0);
    for_each_block(layout, "where the surface is", progress, [&](const std::array<int, 3>& first) {
        Block block(mesh_, tree_, layout, first);
        if (block.distance() > reach + 1.001 * to_corner * block_cells * layout.cell) return;
        block.visit([](std::size_t) { return true; },
                    [&](const BrickFound& brick) { near[layout.brick_index(brick.position)] = block.comes_within(brick, reach); });
    });
    return near;
}

void MeshSampler::sample(const GridLayout& layout, const std::vector<char>& wanted, std::string_view stage,
                         Progress* progress, Visitor visitor) const {
    for_each_block(layout, stage, progress, [&](const std::array<int, 3>& first) {
        bool any = false;
        for_each_brick(layout, first, [&](std::size_t b) { any = any || wanted[b]; });
        if (!any) return;
        Block block(mesh_, tree_, layout, first);
        BrickDistances values;
        block.visit([&](std::size_t b) { return wanted[b] != 0; },
                    [&](const BrickFound& brick) {
                        block.sample(brick, values);
                        visitor(layout.brick_index(brick.position), values);
                    });
    });
}

double MeshSampler::error_bound(const GridLayout& layout, double far) const {
    const double reach = (to_corner * block_cells + 1) * layout.cell;
    const double extent = farthest_ + layout.domain().size().norm();
    return distance_error(reach + far + longest_, far) + 8e-16 * extent;
}

} // namespace fathom
