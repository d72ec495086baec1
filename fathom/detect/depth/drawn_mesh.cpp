// Meshes in float, for drawing.
#include <fathom/detect/depth/drawn_mesh.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace fathom {

// ---- Divides meshes into clusters and finds those that a view may see.

namespace {

constexpr std::size_t run = 32; // clusters
constexpr std::size_t lanes = 8;

DrawnBox box_of(const Vec3f& lower, const Vec3f& upper) {
    return {0.5f * lower + 0.5f * upper, 0.5f * upper - 0.5f * lower};
}

// The box on the map along one axis, as centre and half width, in -1..1 (0..1 for depth). Its corners, rounded as in
// drawing, are inside: each of at most six roundings is below 2^-24 of the sum of all magnitudes.
struct Projected {
    float middle, reach;

    Projected(const ClipMatrix& m, std::size_t row, const DrawnBox& box) {
        const Vec3f axis(m[row], m[row + 1], m[row + 2]);
        const float radius = axis.cwiseAbs().dot(box.half);
        const float magnitude = axis.cwiseProduct(box.middle).cwiseAbs().sum() + std::abs(m[row + 3]) + radius;
        middle = axis.dot(box.middle) + m[row + 3];
        reach = radius + 0x1p-20f * magnitude;
    }
    // Also correct if numbers overflow.
    [[nodiscard]] bool misses(float low, float high) const { return middle + reach < low || middle - reach > high; }
};

// The first and the last pixel along an axis with `count` pixels, with a margin of one.
std::pair<int, int> pixels(const Projected& axis, float count) {
    const float low = (axis.middle - axis.reach + 1) * 0.5f * count - 1,
                high = (axis.middle + axis.reach + 1) * 0.5f * count + 1;
    return {low > 0 ? static_cast<int>(low) : 0, high < count ? static_cast<int>(high) : static_cast<int>(count) - 1};
}

} // namespace

DrawnClusters::DrawnClusters(std::span<const Vec3f> positions, std::size_t count, std::size_t corners_each, bool sorted,
                             CornerOf corner) {
    numbers_.resize(count);
    std::iota(numbers_.begin(), numbers_.end(), Index{0});
    if (sorted && count > 0) {
        std::vector<Vec3f> middles(count, Vec3f::Zero());
        for (std::size_t t = 0; t < count; ++t)
            for (std::size_t k = 0; k < corners_each; ++k)
                middles[t] += positions[corner(t, k)] / static_cast<float>(corners_each);
        sort(middles, numbers_.data(), numbers_.data() + count);
    }
    gather(corners_each, corner);
    for (auto& axis : places_) axis.resize(vertices_.size());
    boxes_.resize(clusters_.size());
    runs_.resize((clusters_.size() + run - 1) / run);
    refit(positions);
}

// All clusters except the last are full, so that they begin at multiples of their size.
void DrawnClusters::sort(std::span<const Vec3f> middles, Index* begin, Index* end) {
    const auto count = static_cast<std::size_t>(end - begin);
    if (count <= DrawnCluster::max_primitives) return std::sort(begin, end);
    Vec3f lower = middles[*begin], upper = lower;
    for (const Index* at = begin; at != end; ++at)
        lower = lower.cwiseMin(middles[*at]), upper = upper.cwiseMax(middles[*at]);
    int axis = 0;
    (upper - lower).maxCoeff(&axis);
    Index* const middle = begin + (count + DrawnCluster::max_primitives - 1) / DrawnCluster::max_primitives / 2 *
                                      DrawnCluster::max_primitives;
    std::nth_element(begin, middle, end,
                     [&](Index a, Index b) { return std::pair(middles[a][axis], a) < std::pair(middles[b][axis], b); });
    sort(middles, begin, middle);
    sort(middles, middle, end);
}

void DrawnClusters::gather(std::size_t corners_each, CornerOf corner) {
    const std::size_t count = numbers_.size();
    for (std::size_t k = 0; k < corners_each; ++k) corners_[k].assign(count + lanes, 0);
    std::vector<Index> found; // position among the corners, by vertex
    for (std::size_t begin = 0; begin < count; begin += DrawnCluster::max_primitives) {
        const std::size_t end = std::min(count, begin + DrawnCluster::max_primitives), first = vertices_.size();
        for (std::size_t t = begin; t < end; ++t)
            for (std::size_t k = 0; k < corners_each; ++k) {
                const Index vertex = corner(numbers_[t], k);
                if (vertex >= found.size()) found.resize(vertex + std::size_t{1}, no_index);
                if (found[vertex] == no_index || found[vertex] < first)
                    found[vertex] = static_cast<Index>(vertices_.size()), vertices_.push_back(vertex);
                corners_[k][t] = static_cast<std::uint16_t>(found[vertex] - first);
            }
        while ((vertices_.size() - first) % lanes != 0) vertices_.push_back(vertices_.back());
        clusters_.push_back({{static_cast<Index>(begin), static_cast<Index>(end)},
                             static_cast<Index>(first),
                             static_cast<Index>(vertices_.size() - first)});
    }
}

void DrawnClusters::refit(std::span<const Vec3f> positions) {
    Vec3f run_lower = Vec3f::Zero(), run_upper = Vec3f::Zero();
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        const DrawnCluster& cluster = clusters_[c];
        Vec3f lower = positions[vertices_[cluster.first_corner]], upper = lower;
        for (std::size_t k = cluster.first_corner; k < cluster.first_corner + cluster.corner_count; ++k) {
            const Vec3f& p = positions[vertices_[k]];
            for (int axis = 0; axis < 3; ++axis) places_[static_cast<std::size_t>(axis)][k] = p[axis];
            lower = lower.cwiseMin(p), upper = upper.cwiseMax(p);
        }
        boxes_[c] = box_of(lower, upper);
        run_lower = c % run == 0 ? lower : run_lower.cwiseMin(lower);
        run_upper = c % run == 0 ? upper : run_upper.cwiseMax(upper);
        runs_[c / run] = box_of(run_lower, run_upper);
    }
}

void DrawnClusters::visit(const DepthView& view, const ClipMatrix& matrix,
                          CallableRef<void(Index, const DrawnReach&)> visitor) const {
    const auto width = static_cast<float>(view.width), height = static_cast<float>(view.height);
    const float wide = 1 + 2 / width, high = 1 + 2 / height;
    const auto sees = [&](const Projected& x, const Projected& y, const Projected& z) {
        return !x.misses(-wide, wide) && !y.misses(-high, high) && !z.misses(0, 1);
    };
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        if (!sees({matrix, 0, runs_[r]}, {matrix, 4, runs_[r]}, {matrix, 8, runs_[r]})) continue;
        for (std::size_t c = r * run; c < std::min(clusters_.size(), (r + 1) * run); ++c) {
            const Projected x(matrix, 0, boxes_[c]), y(matrix, 4, boxes_[c]), z(matrix, 8, boxes_[c]);
            if (!sees(x, y, z)) continue;
            const auto [top, bottom] = pixels(y, height);
            const auto [left, right] = pixels(x, width);
            visitor(static_cast<Index>(c), {top, bottom, left, right, z.middle - z.reach, z.middle + z.reach});
        }
    }
}

DrawnMesh::DrawnMesh(const TriangleMesh& mesh) : triangles_(mesh.triangles) {
    check(mesh);
    place(mesh.vertices);
    sort();
}

DrawnMesh::DrawnMesh(Primitives kind, std::span<const Vec3> vertices, std::span<const Line> lines)
    : kind_(kind), lines_(lines.begin(), lines.end()) {
    check_vertices(vertices, {});
    check_elements<2>(lines, vertices.size(), "line", {});
    place(vertices);
    sort();
}

DrawnMesh DrawnMesh::lines(std::span<const Vec3> vertices, std::span<const Line> lines) {
    return {Primitives::lines, vertices, lines};
}
DrawnMesh DrawnMesh::points(std::span<const Vec3> points) { return {Primitives::points, points, {}}; }

void DrawnMesh::move(std::span<const Vec3> vertices) {
    if (vertices.size() != positions_.size())
        throw Error(Cause::count_mismatch, "the number of vertices has changed", {.element = "vertices"});
    check_vertices(vertices, {});
    place(vertices);
    clusters_.refit(positions_);
}

void DrawnMesh::place(std::span<const Vec3> vertices) {
    static std::atomic<std::uint64_t> versions{0};
    bounds_ = fathom::bounds(vertices);
    origin_ = vertices.empty() ? Vec3::Zero().eval() : bounds_.center();
    positions_.resize(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) positions_[v] = (vertices[v] - origin_).cast<float>();
    version_ = ++versions;
}

void DrawnMesh::sort() {
    if (kind_ == Primitives::triangles)
        clusters_ = DrawnClusters(positions_, triangles_.size(), 3, true,
                                  [&](std::size_t t, std::size_t k) { return triangles_[t][k]; });
    else if (kind_ == Primitives::lines)
        clusters_ = DrawnClusters(positions_, lines_.size(), 2, true,
                                  [&](std::size_t t, std::size_t k) { return lines_[t][k]; });
    else
        clusters_ = DrawnClusters(positions_, positions_.size(), 1, false,
                                  [](std::size_t t, std::size_t) { return static_cast<Index>(t); });
}

void DrawnMesh::visible(const DepthView& view, const Pose& pose, std::vector<DrawnRange>& ranges) const {
    ranges.clear();
    clusters_.visit(view, clip_matrix(view, pose * Pose::from_translation(origin_)),
                    [&](Index cluster, const DrawnReach&) {
                        const DrawnRange& seen = clusters_.clusters()[cluster].primitives;
                        if (!ranges.empty() && ranges.back().end == seen.begin)
                            ranges.back().end = seen.end;
                        else
                            ranges.push_back(seen);
                    });
}

} // namespace fathom
