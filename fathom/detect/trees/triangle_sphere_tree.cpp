// Bounding spheres of triangles and of the nodes above them.
#include <fathom/detect/trees/triangle_sphere_tree.h>

#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <algorithm>
#include <cmath>

namespace fathom {

std::size_t longest_edge(const std::array<Vec3, 3>& c) {
    const double a = (c[1] - c[0]).squaredNorm(), b = (c[2] - c[1]).squaredNorm(), d = (c[0] - c[2]).squaredNorm();
    return a >= b && a >= d ? 0 : b >= d ? 1 : 2;
}

Sphere enclosing_sphere(const std::array<Vec3, 3>& c) {
    const std::size_t k = longest_edge(c);
    const Vec3 &p = c[k], &q = c[(k + 1) % 3], &apex = c[(k + 2) % 3];
    Vec3 center = 0.5 * p + 0.5 * q;
    const Vec3 u = p - apex, v = q - apex, up = u.cross(v);
    if (u.dot(v) > 0 && up.squaredNorm() > 0) {
        const Vec3 round = apex + (u.squaredNorm() * v - v.squaredNorm() * u).cross(up) / (2 * up.squaredNorm());
        if (is_finite(round)) center = closest_point(round, c).point;
    }
    double squared = 0;
    for (const Vec3& corner : c) squared = std::max(squared, (corner - center).squaredNorm());
    return {center, outward(std::sqrt(squared))};
}

namespace {

struct PlaceRange {
    std::size_t begin, end;
};

std::vector<PlaceRange> places_below(const SphereTree& tree) {
    const auto nodes = tree.nodes();
    std::vector<PlaceRange> below(nodes.size());
    for (std::size_t k = nodes.size(); k-- > 0;) {
        const SphereNode& node = nodes[k];
        below[k] = node.is_leaf() ? PlaceRange{node.first, node.first + node.size()}
                                  : PlaceRange{below[node.first].begin, below[node.first + node.size() - 1].end};
    }
    return below;
}

} // namespace

TriangleSphereTree::TriangleSphereTree(std::shared_ptr<const TriangleMesh> shared) : mesh_(std::move(shared)) {
    const TriangleMesh& mesh = *mesh_;
    check(mesh);
    const std::size_t count = mesh.triangles.size();
    std::vector<Vec3> centers(count);
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) centers[t] = enclosing_sphere(mesh.corners(t)).center;
    });
    tree_ = SphereTree(centers, {.leaf_size = 4});
    radius_.resize(count);
    parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t place = begin; place < end; ++place)
            radius_[place] = float_up(enclosing_sphere(corners(place)).radius);
    });
    const auto nodes = tree_.nodes();
    const std::vector<PlaceRange> below = places_below(tree_);
    reach_.resize(nodes.size());
    parallel_for(nodes.size(), 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3 center = tree_.sphere(nodes[k]).center;
            double squared = 0;
            for (std::size_t place = below[k].begin; place < below[k].end; ++place)
                for (const Vec3& corner : corners(place)) squared = std::max(squared, (corner - center).squaredNorm());
            reach_[k] = float_up(outward(std::sqrt(squared)));
        }
    });
}

std::size_t TriangleSphereTree::memory_bytes() const {
    return (radius_.size() + reach_.size()) * sizeof(float) + tree_.memory_bytes();
}

} // namespace fathom
