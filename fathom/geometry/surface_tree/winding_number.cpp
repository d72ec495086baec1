// Generalised winding numbers by a tree of dipoles.
#include <fathom/geometry/surface_tree/winding_number.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr double far_factor = 3; // in radii: closer groups are opened

} // namespace

double solid_angle_share(const Vec3& p, const std::array<Vec3, 3>& corners) {
    const Vec3 a = corners[0] - p, b = corners[1] - p, c = corners[2] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    const double below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    const double above = a.dot(b.cross(c));
    if (above == 0) return 0;
    return std::atan2(above, below) / (2 * std::numbers::pi);
}

WindingNumber::WindingNumber(const TriangleMesh& mesh, const Bvh& tree)
    : mesh_(mesh), tree_(tree), dipoles_(tree.nodes().size()) {
    const auto nodes = tree.nodes();
    // Children are stored after their parents, so in reverse order every child is ready before its parent needs it.
    for (std::size_t n = nodes.size(); n-- > 0;)
        for (std::size_t c = 0; c < 8; ++c) {
            const std::uint32_t child = nodes[n].child[c];
            if (child == no_index) continue;
            if (BvhNode::is_leaf(child)) {
                dipoles_[n][c] = of_leaf(child & ~BvhNode::leaf_bit);
                continue;
            }
            Dipole& all = dipoles_[n][c];
            for (const Dipole& part : dipoles_[child]) {
                all.strength += part.strength;
                all.area += part.area;
                all.center += part.area * part.center;
            }
            all.center = all.area > 0 ? Vec3(all.center / all.area) : dipoles_[child][0].center;
            for (std::size_t k = 0; k < 8; ++k)
                if (nodes[child].child[k] != no_index) {
                    const Dipole& part = dipoles_[child][k];
                    all.radius = std::max(all.radius, (part.center - all.center).norm() + part.radius);
                }
        }
}

WindingNumber::Dipole WindingNumber::of_leaf(std::size_t leaf) const {
    Dipole all;
    Vec3 middle = Vec3::Zero();
    for (const Index t : tree_.leaf(leaf)) {
        const auto corners = mesh_.corners(t);
        const Vec3 vector = 0.5 * area_vector(corners);
        const Vec3 centroid = (corners[0] + corners[1] + corners[2]) / 3;
        all.strength += vector;
        all.area += vector.norm();
        all.center += vector.norm() * centroid;
        middle += centroid / static_cast<double>(tree_.leaf(leaf).size());
    }
    all.center = all.area > 0 ? Vec3(all.center / all.area) : middle;
    for (const Index t : tree_.leaf(leaf))
        for (const Vec3& corner : mesh_.corners(t)) all.radius = std::max(all.radius, (corner - all.center).norm());
    return all;
}

double WindingNumber::operator()(const Vec3& p) const { return tree_.empty() ? 0.0 : sum(0, p); }

double WindingNumber::sum(std::size_t node, const Vec3& p) const {
    double total = 0;
    const BvhNode& children = tree_.nodes()[node];
    for (std::size_t c = 0; c < 8; ++c) {
        const std::uint32_t child = children.child[c];
        if (child == no_index) continue;
        const Dipole& dipole = dipoles_[node][c];
        const Vec3 to = dipole.center - p;
        const double squared = to.squaredNorm();
        const double near = far_factor * dipole.radius;
        if (squared > near * near) {
            total += dipole.strength.dot(to) / (4 * std::numbers::pi * squared * std::sqrt(squared));
        } else {
            total += BvhNode::is_leaf(child) ? sum_of_leaf(child & ~BvhNode::leaf_bit, p) : sum(child, p);
        }
    }
    return total;
}

double WindingNumber::sum_of_leaf(std::size_t leaf, const Vec3& p) const {
    double total = 0;
    for (const Index t : tree_.leaf(leaf)) total += solid_angle_share(p, mesh_.corners(t));
    return total;
}

} // namespace fathom
