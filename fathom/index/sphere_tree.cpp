// Construction of a sphere tree from the root down: points are split into equal parts across their longest side, and
// each part gets a small bounding sphere.
#include <fathom/index/sphere_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/base/primitives.h>
#include <fathom/base/rounding.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t sphere_chunk = 8192;
constexpr std::size_t max_points = 0x7f000000; // counts must leave the leaf bit free

void check_points(std::span<const Vec3> points) {
    const std::size_t first = parallel_reduce(
        points.size(), sphere_chunk, points.size(),
        [&](std::size_t begin, std::size_t end) {
            while (begin < end && is_finite(points[begin])) ++begin;
            return begin < end ? begin : points.size();
        },
        [](std::size_t a, std::size_t b) { return std::min(a, b); });
    if (first < points.size())
        throw Error(Cause::non_finite, "a coordinate is NaN or infinite",
                    {.element = "point", .index = static_cast<std::int64_t>(first)});
}

Box bounds_of(std::span<const Vec3> points) {
    return parallel_reduce(
        points.size(), sphere_chunk, Box{},
        [&](std::size_t begin, std::size_t end) {
            Box box;
            for (std::size_t k = begin; k < end; ++k) box.extend(points[k]);
            return box;
        },
        [](const Box& a, const Box& b) { return hull(a, b); });
}

// The first of the points that are equally far. Squares are in the unit of the tree, where they neither overflow nor
// underflow.
std::size_t farthest(std::span<const Vec3> points, const Vec3& center, double per_unit, double& squared) {
    std::size_t best = 0;
    squared = -1;
    for (std::size_t k = 0; k < points.size(); ++k) {
        const double d = (per_unit * (points[k] - center)).squaredNorm();
        if (d > squared) squared = d, best = k;
    }
    return best;
}

// A centre with a small distance to its farthest point: starting at the middle of the box, with decreasing steps
// towards the farthest point (Badoiu & Clarkson 2003), the best of all. Within a few per cent of the smallest sphere.
Vec3 good_center(std::span<const Vec3> points, double per_unit) {
    Box box;
    for (const Vec3& p : points) box.extend(p);
    Vec3 center = 0.5 * box.lower + 0.5 * box.upper, best = center;
    double least = HUGE_VAL;
    const int rounds = points.size() > 4096 ? 6 : 16;
    for (int round = 0; round < rounds; ++round) {
        double squared = 0;
        const Vec3& far = points[farthest(points, center, per_unit, squared)];
        if (squared < least) least = squared, best = center;
        center += (far - center) / (round + 3.0);
    }
    return best;
}

} // namespace

struct SphereTree::Builder {
    SphereTree& tree;
    std::span<const Vec3> points; // in the order of the input
    Index leaf_size;

    struct Part {
        Index begin, end;
    };

    // Orders [begin, end) so that the first `count` points are below the others along the longest side.
    void split(Part part, Index count) const {
        Box box;
        for (Index k = part.begin; k < part.end; ++k) box.extend(points[tree.order_[k]]);
        int axis = 0;
        (0.5 * box.upper - 0.5 * box.lower).maxCoeff(&axis);
        const auto first = tree.order_.begin();
        std::nth_element(first + part.begin, first + part.begin + count, first + part.end, [&](Index a, Index b) {
            const double x = points[a][axis], y = points[b][axis];
            return x < y || (x == y && a < b); // a total order, so that the parts do not depend on the algorithm
        });
    }

    void cut(Part part, std::uint32_t parts, std::array<Part, width>& out, std::uint32_t& found) const {
        if (parts == 1) {
            out[found++] = part;
            return;
        }
        const std::uint32_t lower = parts / 2;
        const auto count = static_cast<Index>(std::uint64_t{part.end - part.begin} * lower / parts);
        split(part, count);
        cut({part.begin, part.begin + count}, lower, out, found);
        cut({part.begin + count, part.end}, parts - lower, out, found);
    }

    [[nodiscard]] std::uint32_t child_count(Part part) const {
        const Index count = part.end - part.begin;
        return count <= leaf_size ? 0 : std::min<Index>(width, (count + leaf_size - 1) / leaf_size);
    }

    void run() {
        std::vector<Part> level = {{0, static_cast<Index>(points.size())}};
        std::vector<Part> all;
        std::vector<std::uint32_t> children;
        while (!level.empty()) {
            tree.level_begin_.push_back(static_cast<Index>(all.size()));
            std::vector<std::array<Part, width>> parts(level.size());
            std::vector<std::uint32_t> counts(level.size());
            parallel_for(level.size(), level.size() < 64 ? 1 : 64, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = begin; k < end; ++k) {
                    counts[k] = child_count(level[k]);
                    std::uint32_t found = 0;
                    if (counts[k] > 0)
                        cut(level[k], counts[k], parts[k], found);
                    else
                        std::sort(tree.order_.begin() + level[k].begin, tree.order_.begin() + level[k].end);
                }
            });
            all.insert(all.end(), level.begin(), level.end());
            children.insert(children.end(), counts.begin(), counts.end());
            level.clear();
            for (std::size_t k = 0; k < parts.size(); ++k)
                level.insert(level.end(), parts[k].begin(), parts[k].begin() + counts[k]);
        }
        tree.level_begin_.push_back(static_cast<Index>(all.size()));
        fill(all, children);
    }

    void fill(const std::vector<Part>& all, const std::vector<std::uint32_t>& children) {
        tree.points_.resize(points.size());
        parallel_for(points.size(), sphere_chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) tree.points_[k] = points[tree.order_[k]];
        });
        tree.nodes_.resize(all.size());
        Index next = 1;
        for (std::size_t k = 0; k < all.size(); ++k) {
            SphereNode& node = tree.nodes_[k];
            node.first = children[k] > 0 ? next : all[k].begin;
            node.count = children[k] > 0 ? children[k] : SphereNode::leaf_bit | (all[k].end - all[k].begin);
            next += children[k];
        }
        for (std::size_t k = all.size(); k-- > 0;) {
            SphereNode& node = tree.nodes_[k];
            node.least = node.is_leaf() ? tree.order_[node.first] : no_index; // ids of a leaf are ascending
            for (std::uint32_t c = 0; !node.is_leaf() && c < node.size(); ++c)
                node.least = std::min(node.least, tree.nodes_[node.first + c].least);
        }
        const auto enclose = [&](std::size_t k) {
            set_sphere(tree.nodes_[k],
                       std::span<const Vec3>(tree.points_).subspan(all[k].begin, all[k].end - all[k].begin));
        };
        // The first nodes contain many points each, the last ones few.
        const std::size_t large = std::min<std::size_t>(all.size(), 600);
        parallel_tasks(large, enclose);
        parallel_for(all.size() - large, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) enclose(large + k);
        });
    }

    // The centre is rounded first; the radius belongs to the rounded centre. Uses float_down(), because g++ 12 at -O2
    // removes a plain cast to float that is cast back at once, and the radius would belong to another centre.
    void set_sphere(SphereNode& node, std::span<const Vec3> inside) const {
        const double per_unit = 1 / tree.unit_;
        const Vec3 local = per_unit * (good_center(inside, per_unit) - tree.origin_);
        for (int axis = 0; axis < 3; ++axis) node.center[axis] = float_down(local[axis]);
        double squared = 0;
        farthest(inside, tree.center(node), per_unit, squared);
        node.radius = float_up(std::sqrt(squared) * (1 + rounding_error(10)));
    }
};

SphereTree::SphereTree(std::span<const Vec3> points, const SphereTreeOptions& options) {
    if (options.leaf_size < 1 || options.leaf_size > 64)
        throw Error(Cause::invalid_argument, fmt::format("leaf_size is {}, expected 1 to 64", options.leaf_size));
    if (points.size() > max_points)
        throw Error(Cause::too_large, fmt::format("{} points exceed the limit of {}", points.size(), max_points));
    check_points(points);
    if (points.empty()) return;
    const Box box = bounds_of(points);
    const Vec3 half = 0.5 * box.upper - 0.5 * box.lower; // the size itself may overflow
    int exponent = 0;
    std::frexp(half.maxCoeff(), &exponent);
    origin_ = 0.5 * box.upper + 0.5 * box.lower;
    unit_ = half.maxCoeff() > 0 ? std::ldexp(1.0, std::clamp(exponent, -500, 1022)) : 1.0;
    order_.resize(points.size());
    for (Index k = 0; k < order_.size(); ++k) order_[k] = k;
    Builder{*this, points, options.leaf_size}.run();
}

std::size_t SphereTree::memory_bytes() const {
    return nodes_.size() * sizeof(SphereNode) + points_.size() * sizeof(Vec3) +
           (order_.size() + level_begin_.size()) * sizeof(Index);
}

} // namespace fathom
