// Construction, refit and queries of SurfaceTree.
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/interval.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>
#include <fathom/index/space_order.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

// Conversion of triangles to packs, with their condition numbers.

namespace {

struct LocalTriangle {
    Vec3 corner, edge_1, edge_2;
    double condition, reach;
    double dropped = 0; // height of a triangle that is replaced by its longest edge
};

// Rotates the corners so that the longest edge is opposite to corner 0.
std::array<Vec3, 3> turned(const std::array<Vec3, 3>& c) {
    const double opposite[3] = {(c[2] - c[1]).squaredNorm(), (c[0] - c[2]).squaredNorm(), (c[1] - c[0]).squaredNorm()};
    const std::size_t k =
        opposite[1] > opposite[0] ? (opposite[2] > opposite[1] ? 2u : 1u) : (opposite[2] > opposite[0] ? 2u : 0u);
    return {c[k], c[(k + 1) % 3], c[(k + 2) % 3]};
}

LocalTriangle local_triangle(const BvhFrame& frame, const std::array<Vec3, 3>& world) {
    const std::array<Vec3, 3> c = turned(world);
    const Vec3 edge_1 = (c[1] - c[0]) * frame.scale, edge_2 = (c[2] - c[0]) * frame.scale;
    const double longest = ((c[2] - c[1]) * frame.scale).norm();
    const double doubled_area = edge_1.cross(edge_2).norm();
    const double height = longest > 0 ? doubled_area / longest : 0.0; // the smallest height
    const double condition = edge_1.norm() * edge_2.norm() / doubled_area;
    // A thin triangle may be replaced by its longest edge: the error of its distance is then its height only.
    const double thin_condition = 1 + height * 0x1p16;
    if (thin_condition < condition || longest < 0x1p-20 || !(doubled_area > 0))
        return {frame.to_local(c[1]), (c[2] - c[1]) * frame.scale,     Vec3::Zero(),
                thin_condition,       longest * (1 + height * 0x1p19), height};
    return {frame.to_local(c[0]), edge_1, edge_2, condition, longest};
}

void set_lane(float (&rows)[3][8], std::size_t lane, const Vec3& value) {
    for (int axis = 0; axis < 3; ++axis) rows[axis][lane] = static_cast<float>(value[axis]);
}

} // namespace

TrianglePack pack_of(const BvhFrame& frame, std::span<const std::array<Vec3, 3>> corners, Index first) {
    TrianglePack pack;
    double condition = 1, reach = 0, height = 0;
    for (std::size_t lane = 0; lane < 8; ++lane) {
        LocalTriangle triangle;
        if (lane < corners.size()) {
            triangle = local_triangle(frame, corners[lane]);
            condition = std::max(condition, triangle.condition);
            reach = std::max(reach, triangle.reach);
            height = std::max(height, triangle.dropped);
        } else {
            triangle.corner = triangle.edge_1 = triangle.edge_2 =
                Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
        }
        set_lane(pack.corner, lane, triangle.corner);
        set_lane(pack.edge_1, lane, triangle.edge_1);
        set_lane(pack.edge_2, lane, triangle.edge_2);
    }
    pack.condition = float_up(condition);
    pack.reach = float_up(reach);
    pack.height = float_up(height);
    pack.first = first;
    pack.count = static_cast<Index>(corners.size());
    return pack;
}

namespace {

constexpr std::size_t chunk = 1024;
constexpr std::size_t query_chunk = 256;

// Directions that are unlikely to lie along an axis, plane or diagonal of a modelled surface.
const Vec3& parity_direction(std::size_t k) {
    static const auto directions = [] {
        std::array<Vec3, 16> all;
        Random random(0x7061726974790000u);
        for (Vec3& direction : all) direction = random.direction();
        return all;
    }();
    return directions[k];
}
constexpr std::size_t parity_attempts = 16;

void expect_same_size(std::size_t questions, std::size_t answers) {
    if (questions != answers)
        throw Error(Cause::count_mismatch, fmt::format("expected {1} results, got space for {0}", answers, questions));
}

std::vector<Box> boxes_of(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    std::vector<Box> boxes(triangles.size());
    parallel_for(triangles.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            for (const Index v : triangles[k]) boxes[k].extend(vertices[v]);
    });
    return boxes;
}

} // namespace

SurfaceTree::SurfaceTree() = default;
SurfaceTree::~SurfaceTree() = default;
SurfaceTree::SurfaceTree(const SurfaceTree&) = default;
SurfaceTree::SurfaceTree(SurfaceTree&&) noexcept = default;
SurfaceTree& SurfaceTree::operator=(const SurfaceTree&) = default;
SurfaceTree& SurfaceTree::operator=(SurfaceTree&&) noexcept = default;

SurfaceTree::SurfaceTree(const TriangleMesh& mesh) {
    check(mesh);
    vertex_count_ = mesh.vertices.size();
    tree_ = Bvh(boxes_of(mesh.vertices, mesh.triangles), {.leaf_size = 8, .keep_boxes = false});
    triangles_.resize(tree_.size());
    for (std::size_t k = 0; k < tree_.size(); ++k) triangles_[k] = mesh.triangles[tree_.order()[k]];
    fill(mesh.vertices);
}

void SurfaceTree::refit(std::span<const Vec3> vertices) {
    if (vertices.size() != vertex_count_)
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {1} vertices, got {0}", vertices.size(), vertex_count_));
    const std::vector<Box> by_position = boxes_of(vertices, triangles_);
    std::vector<Box> by_id(by_position.size());
    for (std::size_t k = 0; k < by_id.size(); ++k) by_id[tree_.order()[k]] = by_position[k];
    check_vertices(vertices, {});
    tree_.refit(by_id);
    fill(vertices);
}

void SurfaceTree::rename(std::span<const Index> numbers, std::span<const Triangle> triangles,
                         std::size_t vertex_count) {
    std::vector<Index> position(tree_.size());
    for (std::size_t k = 0; k < position.size(); ++k) position[tree_.order()[k]] = static_cast<Index>(k);
    for (const Index number : numbers)
        if (number < position.size()) triangles_[position[number]] = triangles[number];
    vertex_count_ = vertex_count;
}

void SurfaceTree::fill(std::span<const Vec3> vertices) {
    corners_.resize(triangles_.size());
    packs_.resize(tree_.leaf_count());
    parallel_for(packs_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            const Index first = tree_.leaf_begin(leaf), last = tree_.leaf_begin(leaf + 1);
            for (Index k = first; k < last; ++k)
                for (std::size_t corner = 0; corner < 3; ++corner)
                    corners_[k][corner] = vertices[triangles_[k][corner]];
            packs_[leaf] = pack_of(tree_.frame(), std::span(corners_).subspan(first, last - first), first);
        }
    });
}

ClosestPoint SurfaceTree::closest(const Vec3& point, double max_distance) const {
    ClosestPoint answer;
    const Index first = 0;
    if (!tree_.empty() && max_distance >= 0)
        visit_closest(SurfaceView(*this), {&point, 1}, {&first, 1}, max_distance, {&answer, 1});
    return answer;
}

void SurfaceTree::closest(std::span<const Vec3> points, std::span<ClosestPoint> out, double max_distance) const {
    expect_same_size(points.size(), out.size());
    if (tree_.empty() || !(max_distance >= 0)) return std::fill(out.begin(), out.end(), ClosestPoint{});
    const std::vector<Index> order = order_in_space(points);
    parallel_for(points.size(), query_chunk, [&](std::size_t begin, std::size_t end) {
        visit_closest(SurfaceView(*this), points, std::span(order).subspan(begin, end - begin), max_distance, out);
    });
}

SurfaceHit SurfaceTree::first_hit(const Ray& ray, double t_max) const {
    SurfaceHit hit;
    if (!tree_.empty() && t_max >= 0) visit_first_hit(SurfaceView(*this), {&ray, 1}, t_max, {&hit, 1});
    return hit;
}

bool SurfaceTree::any_hit(const Ray& ray, double t_max) const {
    return !tree_.empty() && t_max >= 0 && visit_any_hit(SurfaceView(*this), ray, t_max);
}

std::vector<SurfaceHit> SurfaceTree::all_hits(const Ray& ray, double t_max) const {
    std::vector<SurfaceHit> hits;
    if (tree_.empty() || !(t_max >= 0)) return hits;
    visit_all_hits(SurfaceView(*this), ray, t_max, [&](const RayIntersection& intersection) {
        if (intersection.hit) hits.push_back(intersection.where);
        return true;
    });
    std::sort(hits.begin(), hits.end(), [](const SurfaceHit& a, const SurfaceHit& b) {
        return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    });
    return hits;
}

void SurfaceTree::first_hits(std::span<const Ray> rays, std::span<SurfaceHit> out, double t_max) const {
    expect_same_size(rays.size(), out.size());
    if (tree_.empty() || !(t_max >= 0)) return std::fill(out.begin(), out.end(), SurfaceHit{});
    parallel_for(rays.size(), query_chunk, [&](std::size_t begin, std::size_t end) {
        visit_first_hit(SurfaceView(*this), rays.subspan(begin, end - begin), t_max, out.subspan(begin, end - begin));
    });
}

std::vector<Index> SurfaceTree::overlapping(const Box& box) const {
    std::vector<Index> found;
    tree_.visit_overlapping_leaves(box, [&](std::uint32_t leaf) {
        for (Index k = tree_.leaf_begin(leaf); k < tree_.leaf_begin(leaf + 1); ++k) {
            Box bounds;
            for (const Vec3& corner : corners_[k]) bounds.extend(corner);
            if (bounds.overlaps(box)) found.push_back(tree_.order()[k]);
        }
        return true;
    });
    std::sort(found.begin(), found.end());
    return found;
}

SurfaceTree::Crossings SurfaceTree::crossings(const Vec3& point) const {
    if (tree_.empty() || !tree_.bounds().contains(point)) return {};
    for (std::size_t attempt = 0;; ++attempt) {
        const bool last = attempt + 1 == parity_attempts;
        Crossings found;
        bool unclear = false;
        visit_all_hits(SurfaceView(*this), Ray{point, parity_direction(attempt)}, no_limit,
                       [&](const RayIntersection& intersection) {
                           found.on_surface = intersection.hit && intersection.where.t == 0;
                           unclear = unclear || intersection.on_border;
                           if (intersection.hit)
                               ++found.count, found.outward += intersection.where.from_behind ? 1 : -1;
                           return !found.on_surface && (!unclear || last);
                       });
        if (found.on_surface || !unclear || last) return found;
    }
}

bool SurfaceTree::contains(const Vec3& point) const {
    const Crossings found = crossings(point);
    return found.on_surface || found.count % 2 == 1;
}

int SurfaceTree::winding(const Vec3& point) const {
    const Crossings found = crossings(point);
    return found.on_surface ? 1 : found.outward;
}

std::size_t SurfaceTree::memory_bytes() const {
    return tree_.memory_bytes() + packs_.size() * sizeof(TrianglePack) + triangles_.size() * sizeof(Triangle) +
           corners_.size() * sizeof(corners_[0]);
}

} // namespace fathom
