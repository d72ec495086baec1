// Preprocessing of a mesh for point shells, and geodesic walks.
#include <fathom/geometry/sample/shell_surface.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace fathom {

// ---- Geodesic walks on a triangle mesh.

namespace {

constexpr std::size_t no_side = 3;

struct Side {
    Index low, high, triangle;
    Index side;
};

// Sides of the triangles of positive area, sorted so that the sides of one edge are adjacent.
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

// Keeps a point away from the corners, where rounding errors would determine the next triangle.
constexpr double corner_margin = 1e-7;

// The side and the fraction of the step at which a step from weights `from` to weights `to` leaves the triangle.
struct Exit {
    std::size_t side = no_side;
    double fraction = 1;
};

Exit exit_of(const Vec3& from, const Vec3& to, std::size_t entered) {
    Exit exit;
    for (std::size_t side = 0; side < 3; ++side) {
        const auto corner = static_cast<Eigen::Index>((side + 2) % 3); // opposite corner; its weight is 0 on the side
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

// Moves to the point where the walk leaves its triangle, and rotates the remaining displacement into the next triangle.
void SurfaceWalker::cross(Stride& stride, std::size_t side, double fraction) const {
    const auto c = mesh_->corners(stride.at.triangle);
    const Vec3 &a = c[side], edge = c[(side + 1) % 3] - a;
    const double squared = edge.squaredNorm();
    const Vec3 reached = stride.at.point + fraction * stride.step;
    stride.at.point = a + std::clamp((reached - a).dot(edge) / squared, corner_margin, 1 - corner_margin) * edge;
    stride.step *= 1 - fraction;
    const double slide = stride.step.dot(edge) / squared;
    const Neighbour& next = across_[stride.at.triangle][side];
    if (next.triangle == no_index) { // slides along the side
        stride.step = slide * edge;
        stride.entered = side;
        return;
    }
    // Unfold: the component across the edge continues in the next triangle, perpendicular to the edge.
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

namespace {

// The bits of x with two zeros between consecutive bits.
std::uint64_t spaced_out(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

// Triangles of positive area in Morton order of their centroids.
std::vector<Index> curve_order(const TriangleMesh& mesh, const SurfaceWalker& walker) {
    const Box box = bounds(mesh.vertices);
    const double scale = 0x1fffff / std::max(box.size().maxCoeff(), 1e-300);
    std::vector<std::pair<std::uint64_t, Index>> coded;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (walker.normal(t).isZero(0)) continue;
        const auto c = mesh.corners(t);
        const Vec3 p = scale * ((c[0] - box.lower) + (c[1] - box.lower) + (c[2] - box.lower)) / 3;
        const auto bits = [&](int axis) { return spaced_out(static_cast<std::uint64_t>(std::max(0.0, p[axis]))); };
        coded.emplace_back(bits(0) | bits(1) << 1 | bits(2) << 2, static_cast<Index>(t));
    }
    std::sort(coded.begin(), coded.end());
    std::vector<Index> order;
    order.reserve(coded.size());
    for (const auto& [code, t] : coded) order.push_back(t);
    return order;
}

const TriangleMesh& checked(const TriangleMesh& mesh) {
    check(mesh);
    return mesh;
}

} // namespace

Vec3 weighted_normal(const TriangleMesh& mesh, std::size_t triangle, std::size_t corner) {
    const auto c = mesh.corners(triangle);
    const double u = (c[(corner + 1) % 3] - c[corner]).squaredNorm(),
                 v = (c[(corner + 2) % 3] - c[corner]).squaredNorm();
    return area_vector(c) / (u * v);
}

ShellSurface::ShellSurface(const TriangleMesh& mesh, double crease_angle)
    : mesh_(&mesh), crease_cosine_(std::cos(crease_angle)), walker_(checked(mesh)) {
    if (!(crease_angle > 0 && crease_angle <= 3.1416))
        throw Error(Cause::invalid_argument, "crease_angle must be in (0, pi] rad", {.element = "option crease_angle"});
    order_ = curve_order(mesh, walker_);
    double sum = 0;
    for (const Index t : order_)
        area_up_to_.push_back(sum += 0.5 * std::sqrt(area_vector(mesh.corners(t)).squaredNorm()));
    if (!(sum > 0)) throw Error(Cause::empty, "no triangle has positive area");
    first_.assign(mesh.vertices.size() + 1, 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        if (!walker_.normal(t).isZero(0))
            for (const Index v : mesh.triangles[t]) ++first_[v + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    around_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        if (!walker_.normal(t).isZero(0))
            for (const Index v : mesh.triangles[t]) around_[next[v]++] = static_cast<Index>(t);
    find_creases();
}

void ShellSurface::find_creases() {
    for (const Index t : order_)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index other = walker_.across(t, k).triangle;
            if (other != no_index && other < t) continue; // already listed by the other triangle
            if (other != no_index && walker_.normal(t).dot(walker_.normal(other)) >= crease_cosine_) continue;
            const Index a = mesh_->triangles[t][k], b = mesh_->triangles[t][(k + 1) % 3];
            creases_.push_back({std::min(a, b), std::max(a, b), t});
        }
    const auto ends = [](const Crease& c) { return std::tie(c.start, c.end); };
    std::sort(creases_.begin(), creases_.end(), [](const Crease& a, const Crease& b) {
        return std::tie(a.start, a.end, a.triangle) < std::tie(b.start, b.end, b.triangle);
    });
    // An edge with more than two triangles is listed by each of them.
    const auto same = [&](const Crease& a, const Crease& b) { return ends(a) == ends(b); };
    creases_.erase(std::unique(creases_.begin(), creases_.end(), same), creases_.end());
}

namespace {

Vec3 folded_point(const std::array<Vec3, 3>& c, double u, double v) {
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    return c[0] + u * (c[1] - c[0]) + v * (c[2] - c[0]);
}

} // namespace

std::vector<SurfaceSpot> ShellSurface::random_spots(std::size_t count, Random& random) const {
    std::vector<SurfaceSpot> spots(count);
    for (SurfaceSpot& spot : spots) {
        const auto at = std::upper_bound(area_up_to_.begin(), area_up_to_.end(), random.uniform() * area());
        const auto i = std::min<std::ptrdiff_t>(at - area_up_to_.begin(), std::ssize(order_) - 1);
        spot.triangle = order_[static_cast<std::size_t>(i)];
        const double u = random.uniform(), v = random.uniform();
        spot.point = folded_point(mesh_->corners(spot.triangle), u, v);
    }
    return spots;
}

std::vector<SurfaceSpot> ShellSurface::spread_spots(std::size_t count, Random& random) const {
    const double phase = random.uniform();
    std::vector<SurfaceSpot> spots;
    spots.reserve(count);
    std::size_t i = 0;
    double u = random.uniform(), v = random.uniform();
    for (std::size_t k = 0; k < count; ++k) {
        const double target = (static_cast<double>(k) + phase) / static_cast<double>(count) * area();
        while (i + 1 < order_.size() && area_up_to_[i] <= target) ++i;
        u += 0.7548776662466927; // the additive recurrence of lowest discrepancy in two dimensions (Roberts 2018)
        v += 0.5698402909980532;
        u -= std::floor(u);
        v -= std::floor(v);
        spots.push_back({folded_point(mesh_->corners(order_[i]), u, v), order_[i]});
    }
    return spots;
}

Vec3 ShellSurface::corner_normal(std::size_t triangle, std::size_t corner) const {
    const Index vertex = mesh_->triangles[triangle][corner];
    const Vec3& own = walker_.normal(triangle);
    Vec3 sum = Vec3::Zero();
    for (const Index t : around(vertex)) {
        if (t != triangle && walker_.normal(t).dot(own) < crease_cosine_) continue;
        const Triangle& c = mesh_->triangles[t];
        sum += weighted_normal(*mesh_, t, static_cast<std::size_t>(std::find(c.begin(), c.end(), vertex) - c.begin()));
    }
    const double length = std::sqrt(sum.squaredNorm());
    return length > 0 && std::isfinite(length) ? Vec3(sum / length) : own;
}

Vec3 ShellSurface::normal_at(const SurfaceSpot& spot) const {
    const Vec3 weights = barycentric(spot.point, mesh_->corners(spot.triangle)).cwiseMax(0.0);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) sum += weights[static_cast<Eigen::Index>(k)] * corner_normal(spot.triangle, k);
    const double length = std::sqrt(sum.squaredNorm());
    return length > 0 && std::isfinite(length) ? Vec3(sum / length) : walker_.normal(spot.triangle);
}

// ---- Points at corners and along creases.

namespace {

// A crease at a vertex: index of the crease, and the vertex at its other end.
struct CreaseEnd {
    std::size_t crease;
    Index other;
};
using CreaseEnds = std::map<Index, std::vector<CreaseEnd>>;

CreaseEnds ends_of(const ShellSurface& surface) {
    CreaseEnds ends;
    const auto& creases = surface.creases();
    for (std::size_t i = 0; i < creases.size(); ++i) {
        ends[creases[i].start].push_back({i, creases[i].end});
        ends[creases[i].end].push_back({i, creases[i].start});
    }
    return ends;
}

// True if creases meet or end at the vertex, or if the crease through it turns sharply.
bool is_corner(const ShellSurface& surface, Index vertex, const std::vector<CreaseEnd>& ends) {
    if (ends.size() != 2) return true;
    const Vec3& p = surface.mesh().vertices[vertex];
    const Vec3 in = p - surface.mesh().vertices[ends[0].other], out = surface.mesh().vertices[ends[1].other] - p;
    return in.dot(out) < surface.crease_cosine() * std::sqrt(in.squaredNorm() * out.squaredNorm());
}

// A chain of creases between corners, or a loop without corners.
struct Chain {
    std::vector<Index> vertices;
    std::vector<Index> triangles; // one for each edge, so one fewer
};

Chain follow(const ShellSurface& surface, const CreaseEnds& ends, Index start, CreaseEnd next,
             std::vector<char>& used) {
    Chain chain{{start}, {}};
    while (!used[next.crease]) {
        used[next.crease] = 1;
        chain.vertices.push_back(next.other);
        chain.triangles.push_back(surface.creases()[next.crease].triangle);
        const auto& onward = ends.at(next.other);
        if (is_corner(surface, next.other, onward)) break;
        next = onward[onward[0].crease == next.crease ? 1 : 0];
    }
    return chain;
}

// Adds points at equal distances along the chain, without its ends. For a loop the start is the first point.
void add_along(const ShellSurface& surface, const Chain& chain, bool loop, double spacing,
               std::vector<SurfaceSpot>& spots) {
    const auto& vertices = surface.mesh().vertices;
    std::vector<double> length{0};
    for (std::size_t i = 0; i + 1 < chain.vertices.size(); ++i)
        length.push_back(length.back() +
                         std::sqrt((vertices[chain.vertices[i + 1]] - vertices[chain.vertices[i]]).squaredNorm()));
    const double steps = std::max(1.0, std::floor(length.back() / spacing + 0.5));
    std::size_t i = 0;
    for (double k = loop ? 0 : 1; k < steps; ++k) {
        const double target = length.back() * k / steps;
        while (i + 2 < length.size() && length[i + 1] <= target) ++i;
        const double t = (target - length[i]) / (length[i + 1] - length[i]);
        const Vec3 &a = vertices[chain.vertices[i]], &b = vertices[chain.vertices[i + 1]];
        spots.push_back({a + t * (b - a), chain.triangles[i]});
    }
}

} // namespace

std::vector<SurfaceSpot> corner_spots(const ShellSurface& surface) {
    std::vector<SurfaceSpot> spots;
    for (const auto& [vertex, ends] : ends_of(surface))
        if (is_corner(surface, vertex, ends))
            spots.push_back({surface.mesh().vertices[vertex], surface.around(vertex).front()});
    return spots;
}

std::vector<SurfaceSpot> crease_spots(const ShellSurface& surface, double spacing) {
    const CreaseEnds ends = ends_of(surface);
    std::vector<SurfaceSpot> spots = corner_spots(surface);
    std::vector<char> used(surface.creases().size(), 0);
    for (const bool corners : {true, false}) // after the chains from corners, the rest are loops
        for (const auto& [vertex, from] : ends)
            for (const CreaseEnd& first : from)
                if (!used[first.crease] && (!corners || is_corner(surface, vertex, from)))
                    add_along(surface, follow(surface, ends, vertex, first, used), !corners, spacing, spots);
    return spots;
}

} // namespace fathom
