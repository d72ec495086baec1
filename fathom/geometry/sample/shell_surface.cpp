// A mesh made ready for point shells.
#include <fathom/base/error.h>
#include <fathom/geometry/sample/shell_surface.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace fathom {

namespace {

// The bits of x, two zeros between each.
std::uint64_t spaced_out(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

// Triangles with area in Morton order of their middles.
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
        throw Error(Cause::invalid_argument, "crease_angle must lie in (0, pi] rad",
                    {.element = "option crease_angle"});
    order_ = curve_order(mesh, walker_);
    double sum = 0;
    for (const Index t : order_)
        area_up_to_.push_back(sum += 0.5 * std::sqrt(area_vector(mesh.corners(t)).squaredNorm()));
    if (!(sum > 0)) throw Error(Cause::empty, "no triangle has area");
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
            if (other != no_index && other < t) continue; // listed from the other side
            if (other != no_index && walker_.normal(t).dot(walker_.normal(other)) >= crease_cosine_) continue;
            const Index a = mesh_->triangles[t][k], b = mesh_->triangles[t][(k + 1) % 3];
            creases_.push_back({std::min(a, b), std::max(a, b), t});
        }
    const auto ends = [](const Crease& c) { return std::tie(c.start, c.end); };
    std::sort(creases_.begin(), creases_.end(), [](const Crease& a, const Crease& b) {
        return std::tie(a.start, a.end, a.triangle) < std::tie(b.start, b.end, b.triangle);
    });
    // An edge of many triangles is listed from each of them.
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

} // namespace fathom
