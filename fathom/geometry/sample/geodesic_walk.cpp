// Walking on a triangle mesh.
#include <fathom/geometry/sample/geodesic_walk.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace fathom {

namespace {

constexpr std::size_t no_side = 3;

struct Side {
    Index low, high, triangle;
    Index side;
};

// Sides of triangles with area, those of one edge beside each other.
std::vector<Side> sorted_sides(const TriangleMesh& mesh, const std::vector<Vec3>& normals) {
    std::vector<Side> sides;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (normals[t].isZero(0)) continue;
        for (Index k = 0; k < 3; ++k) {
            const Index a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(t), k});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::tie(a.low, a.high, a.triangle, a.side) < std::tie(b.low, b.high, b.triangle, b.side);
    });
    return sides;
}

} // namespace

SurfaceWalker::SurfaceWalker(const TriangleMesh& mesh) : mesh_(&mesh) {
    across_.resize(mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3 n = area_vector(mesh.corners(t));
        const double length = std::sqrt(n.squaredNorm());
        normals_.push_back(length > 0 ? Vec3(n / length) : Vec3::Zero());
    }
    const std::vector<Side> sides = sorted_sides(mesh, normals_);
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t j = i + 1;
        while (j < sides.size() && sides[j].low == sides[i].low && sides[j].high == sides[i].high) ++j;
        if (j - i == 2) {
            across_[sides[i].triangle][sides[i].side] = {sides[i + 1].triangle, sides[i + 1].side};
            across_[sides[i + 1].triangle][sides[i + 1].side] = {sides[i].triangle, sides[i].side};
        }
        i = j;
    }
}

Vec3 barycentric(const Vec3& p, const std::array<Vec3, 3>& c) {
    const Vec3 n = area_vector(c);
    const double nn = n.squaredNorm();
    const double u = (c[2] - c[1]).cross(p - c[1]).dot(n) / nn, v = (c[0] - c[2]).cross(p - c[2]).dot(n) / nn;
    return {u, v, 1 - u - v};
}

namespace {

// Keeps a point off the corners, where the way on would be a matter of rounding.
constexpr double corner_margin = 1e-7;

// Where the step from weights `from` to weights `to` leaves the triangle: the side and the fraction of the step.
struct Exit {
    std::size_t side = no_side;
    double fraction = 1;
};

Exit exit_of(const Vec3& from, const Vec3& to, std::size_t entered) {
    Exit exit;
    for (std::size_t side = 0; side < 3; ++side) {
        const auto corner = static_cast<Eigen::Index>((side + 2) % 3); // across the side; its weight is 0 on the side
        if (side == entered || to[corner] >= 0 || to[corner] >= from[corner]) continue;
        const double fraction = std::max(0.0, from[corner]) / (from[corner] - to[corner]);
        if (fraction < exit.fraction) exit = {side, fraction};
    }
    return exit;
}

Vec3 in_triangle(const Vec3& weights, const std::array<Vec3, 3>& c) {
    Vec3 w = weights.cwiseMax(0.0);
    w /= w.sum();
    return w.x() * c[0] + w.y() * c[1] + w.z() * c[2];
}

} // namespace

// Takes the stride to the point where it leaves its triangle and turns the rest of it into the next one.
void SurfaceWalker::cross(Stride& stride, std::size_t side, double fraction) const {
    const auto c = mesh_->corners(stride.at.triangle);
    const Vec3 &a = c[side], edge = c[(side + 1) % 3] - a;
    const double squared = edge.squaredNorm();
    const Vec3 reached = stride.at.point + fraction * stride.step;
    stride.at.point = a + std::clamp((reached - a).dot(edge) / squared, corner_margin, 1 - corner_margin) * edge;
    stride.step *= 1 - fraction;
    const double slide = stride.step.dot(edge) / squared;
    const Neighbour& next = across_[stride.at.triangle][side];
    if (next.triangle == no_index) { // stays in its triangle
        stride.step = slide * edge;
        stride.entered = side;
        return;
    }
    // Unfold: the part across the edge goes on into the next triangle, at right angles to the edge.
    const double rest = std::sqrt(std::max(0.0, stride.step.squaredNorm() - slide * slide * squared));
    const auto d = mesh_->corners(next.triangle);
    const Vec3 inward = normals_[next.triangle].cross(d[(next.side + 1) % 3] - d[next.side]) / std::sqrt(squared);
    stride = {{stride.at.point, next.triangle}, slide * edge + rest * inward, next.side};
}

SurfaceSpot SurfaceWalker::walk(const SurfaceSpot& from, const Vec3& move) const {
    const Vec3& n = normals_[from.triangle];
    Stride stride{from, move - n * n.dot(move), no_side};
    for (int crossed = 0; crossed < 256; ++crossed) {
        const auto c = mesh_->corners(stride.at.triangle);
        const Vec3 start = barycentric(stride.at.point, c), target = barycentric(stride.at.point + stride.step, c);
        if (!is_finite(start) || !is_finite(target)) break;
        const Exit exit = exit_of(start, target, stride.entered);
        if (exit.side == no_side) return {in_triangle(target, c), stride.at.triangle};
        cross(stride, exit.side, exit.fraction);
    }
    return stride.at;
}

} // namespace fathom
