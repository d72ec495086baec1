// DeformingSurface: topology as linked corners, and queries on the current shape.
// The winding number is counted along a ray parallel to an axis that is displaced sideways by an infinitesimal (eps,
// eps^2), so that it hits no edge and no corner (Edelsbrunner & Mucke 1990). All signs are those of orient2d and
// orient3d, hence exact.
#include <fathom/detect/deformable/deforming_surface.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/triangle_exact.h>
#include <fathom/index/body_octree_pairs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::deformable {

// ---- The tree of the triangles, a BodyOctree.

namespace {

constexpr std::size_t visit_chunk = 512;

std::span<const Index> corners_of(std::span<const Triangle> triangles) {
    return {triangles.empty() ? nullptr : triangles.front().data(), 3 * triangles.size()};
}

} // namespace

void TriangleTree::build(const Moving& surface) {
    tree_ = BodyOctree(surface.end, corners_of(surface.triangles), 3, {.storage = PointStorage::views});
    refit(surface);
}

void TriangleTree::refit(const Moving& surface) {
    if (surface.start.data() == surface.end.data())
        tree_.update(surface.end);
    else
        tree_.update_swept(surface.start, surface.end);
    bounds_ = tree_.bounds();
}

void TriangleTree::add_vertices(std::span<const Vec3> vertices) {
    if (!vertices.empty()) static_cast<void>(tree_.add_points(vertices));
}

void TriangleTree::edit(std::span<const Index> changed, const Moving& surface) {
    std::vector<Index> sorted(changed.begin(), changed.end());
    std::sort(sorted.begin(), sorted.end()); // new triangles must be in order
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const Index t : sorted) {
        if (tree_.holds(t))
            tree_.change(t, surface.triangles[t]);
        else
            tree_.add(t, surface.triangles[t]);
    }
    refit(surface);
}

void TriangleTree::close_pairs(const TriangleTree& a, const TriangleTree& b, double reach, std::vector<IdPair>& out) {
    const auto keep = [&](Index i, Index j) {
        out.push_back({i, j});
        return true;
    };
    if (!(reach > 0)) {
        visit_overlapping_primitives(a.tree_, b.tree_, keep);
        return;
    }
    std::vector<Index> near;
    a.visit_overlapping(b.bounds().grown(reach), [&](Index i) {
        near.push_back(i);
        return true;
    });
    parallel_append(near.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        b.visit_overlapping(a.tree_.primitive_box(near[k]).grown(reach), [&](Index j) {
            part.push_back({near[k], j});
            return true;
        });
    });
}

void TriangleTree::close_pairs(const TriangleTree& tree, double reach, std::vector<IdPair>& out) {
    parallel_append(tree.size(), visit_chunk, out, [&](std::size_t k, std::vector<IdPair>& part) {
        const auto i = static_cast<Index>(k);
        tree.visit_overlapping(tree.tree_.primitive_box(i).grown(std::max(reach, 0.0)), [&](Index j) {
            if (j > i) part.push_back({i, j});
            return true;
        });
    });
}

namespace {

constexpr std::size_t chunk = 4096;

std::size_t corner_of(TriangleFeature feature) { return static_cast<std::size_t>(feature); }
std::size_t edge_of(TriangleFeature feature) {
    return static_cast<std::size_t>(feature) - static_cast<std::size_t>(TriangleFeature::edge_0);
}

double angle_at(const std::array<Vec3, 3>& corners, std::size_t k) {
    const Vec3 u = corners[(k + 1) % 3] - corners[k], v = corners[(k + 2) % 3] - corners[k];
    return std::atan2(u.cross(v).norm(), u.dot(v));
}

// orient2d of the point displaced by (eps, eps^2) along the two other axes; 0 only if the ends coincide in this
// projection.
int side_of_moved(const Vec3& a, const Vec3& b, const Vec3& point, int axis) {
    const int side = orient2d(a, b, point, axis);
    if (side != 0) return side;
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    if (a[k] != b[k]) return b[k] < a[k] ? 1 : -1;
    if (a[j] != b[j]) return b[j] > a[j] ? 1 : -1;
    return 0;
}

// Contribution of one triangle to the winding number: 1 if the ray leaves through it, -1 if it enters, 0 if it misses.
int crossing(const std::array<Vec3, 3>& t, const Vec3& point, int axis, bool up) {
    const int facing = side_of_moved(t[0], t[1], point, axis);
    if (facing == 0 || side_of_moved(t[1], t[2], point, axis) != facing ||
        side_of_moved(t[2], t[0], point, axis) != facing)
        return 0;
    const int side = up ? facing : -facing;
    return orient3d(t[0], t[1], t[2], point) == -side ? side : 0;
}

} // namespace

DeformingSurface::DeformingSurface(const TriangleMesh& mesh) : vertices_(mesh.vertices), triangles_(mesh.triangles) {
    check(mesh);
    present_.assign(triangles_.size(), 1);
    owned_.assign(triangles_.size(), 0);
    first_corner_.assign(vertices_.size(), no_index);
    next_corner_.assign(3 * triangles_.size(), no_index);
    for (std::size_t corner = next_corner_.size(); corner-- > 0;) {
        Index& first = first_corner_[triangles_[corner / 3][corner % 3]];
        next_corner_[corner] = first;
        first = static_cast<Index>(corner);
    }
    unbalanced_ = parallel_reduce(
        triangles_.size(), chunk, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::size_t count = 0;
            for (std::size_t k = begin; k < end; ++k) {
                const auto t = static_cast<Index>(k);
                claim(t);
                for (std::size_t side = 0; side < 3; ++side)
                    count += owns_side(t, side) && !balanced(triangles_[t][side], triangles_[t][(side + 1) % 3]);
            }
            return count;
        },
        std::plus<>{});
    find_parts();
    tree_.build({triangles_, vertices_, vertices_});
}

void DeformingSurface::expect_count(std::size_t vertices) const {
    if (vertices != vertices_.size())
        throw Error(Cause::count_mismatch, fmt::format("expected {1} vertices, got {0}", vertices, vertices_.size()));
}

void DeformingSurface::place(std::span<const Vec3> vertices) {
    expect_count(vertices.size());
    check_vertices(vertices, {});
    std::copy(vertices.begin(), vertices.end(), vertices_.begin());
    moving_ = false;
    stale_ = true;
}

void DeformingSurface::place(std::span<const Vec3> start, std::span<const Vec3> end) {
    expect_count(start.size());
    expect_count(end.size());
    check_vertices(start, {});
    check_vertices(end, {});
    // The start first: it may be the current vertices.
    start_.resize(start.size());
    if (start.data() != start_.data()) std::copy(start.begin(), start.end(), start_.begin());
    std::copy(end.begin(), end.end(), vertices_.begin());
    moving_ = true;
    stale_ = true;
}

void DeformingSurface::refit() {
    tree_.refit({triangles_, start_vertices(), vertices_});
    stale_ = false;
}

void DeformingSurface::update(std::span<const Vec3> vertices) {
    place(vertices);
    refit();
}

void DeformingSurface::update(std::span<const Vec3> start, std::span<const Vec3> end) {
    place(start, end);
    refit();
}

// ---- Topology.

void DeformingSurface::check_edit(const SurfaceEdit& change) const {
    const auto wrong = [](Cause cause, const char* reason, const char* element, std::size_t index) {
        return Error(cause, reason, {.element = element, .index = static_cast<std::int64_t>(index)});
    };
    std::vector<Index> sorted(change.remove.begin(), change.remove.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        if (!contains(sorted[k]))
            throw wrong(Cause::index_out_of_range, "no such triangle to remove", "triangle", sorted[k]);
        if (k > 0 && sorted[k] == sorted[k - 1])
            throw wrong(Cause::invalid_argument, "triangle is removed twice", "triangle", sorted[k]);
    }
    for (std::size_t k = 0; k < change.new_vertices.size(); ++k)
        if (!is_finite(change.new_vertices[k]))
            throw wrong(Cause::non_finite, "coordinate is not finite", "vertex", vertices_.size() + k);
    check_elements<3>(change.add, vertices_.size() + change.new_vertices.size(), "added triangle", {});
}

std::vector<Index> DeformingSurface::edit(const SurfaceEdit& change) {
    check_edit(change);
    tree_.add_vertices(change.new_vertices);
    vertices_.insert(vertices_.end(), change.new_vertices.begin(), change.new_vertices.end());
    if (moving_) start_.insert(start_.end(), change.new_vertices.begin(), change.new_vertices.end());
    first_corner_.resize(vertices_.size(), no_index);
    for (const Index t : change.remove) take_out(t);
    free_.insert(free_.end(), change.remove.begin(), change.remove.end());
    std::sort(free_.begin(), free_.end(), std::greater<>{});
    std::vector<Index> added;
    for (const Triangle& corners : change.add) {
        added.push_back(free_.empty() ? static_cast<Index>(triangles_.size()) : free_.back());
        if (free_.empty()) {
            triangles_.push_back(corners);
            present_.push_back(0);
            owned_.push_back(0);
            next_corner_.resize(next_corner_.size() + 3, no_index);
        } else {
            free_.pop_back();
        }
        put_in(added.back(), corners);
    }
    find_parts();
    std::vector<Index> changed(change.remove.begin(), change.remove.end());
    changed.insert(changed.end(), added.begin(), added.end());
    tree_.edit(changed, {triangles_, start_vertices(), vertices_});
    stale_ = false;
    return added;
}

bool DeformingSurface::balanced(Index from, Index to) const {
    int along = 0;
    visit_corners(from, [&](Index corner) {
        const Triangle& t = triangles_[corner / 3];
        if (names_a_vertex_twice(t)) return;
        along += (t[(corner % 3 + 1) % 3] == to) - (t[(corner % 3 + 2) % 3] == to);
    });
    return along == 0;
}

std::size_t DeformingSurface::unbalanced_edges(const Triangle& v) const {
    if (names_a_vertex_twice(v)) return 0;
    return std::size_t{!balanced(v[0], v[1])} + std::size_t{!balanced(v[1], v[2])} + std::size_t{!balanced(v[2], v[0])};
}

void DeformingSurface::take_out(Index t) {
    const Triangle corners = triangles_[t];
    unbalanced_ -= unbalanced_edges(corners);
    for (Index k = 0; k < 3; ++k) {
        Index* link = &first_corner_[corners[k]];
        while (*link != 3 * t + k) link = &next_corner_[*link];
        *link = next_corner_[3 * t + k];
    }
    unbalanced_ += unbalanced_edges(corners);
    triangles_[t] = {corners[0], corners[0], corners[0]};
    present_[t] = 0;
    owned_[t] = 0;
    claim_round(corners);
}

void DeformingSurface::put_in(Index t, const Triangle& corners) {
    unbalanced_ -= unbalanced_edges(corners);
    triangles_[t] = corners;
    for (Index k = 0; k < 3; ++k) {
        Index* link = &first_corner_[corners[k]];
        while (*link < 3 * t + k) link = &next_corner_[*link];
        next_corner_[3 * t + k] = *link;
        *link = 3 * t + k;
    }
    unbalanced_ += unbalanced_edges(corners);
    present_[t] = 1;
    claim_round(corners);
}

void DeformingSurface::claim_round(const Triangle& corners) {
    for (const Index v : corners) visit_corners(v, [&](Index corner) { claim(corner / 3); });
}

void DeformingSurface::claim(Index t) {
    const Triangle& v = triangles_[t];
    unsigned owned = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        if (first_corner_[v[k]] == 3 * t + k) owned |= 1u << k;
        if (names_a_vertex_twice(v)) continue;
        const Index other = v[(k + 1) % 3];
        bool first = true;
        for (Index corner = first_corner_[v[k]]; first && corner / 3 < t; corner = next_corner_[corner]) {
            const Triangle& lower = triangles_[corner / 3];
            first = names_a_vertex_twice(lower) || (lower[0] != other && lower[1] != other && lower[2] != other);
        }
        if (first) owned |= 8u << k;
    }
    owned_[t] = static_cast<std::uint8_t>(owned);
}

Index DeformingSurface::neighbour(Index t, std::size_t side) const {
    const Index from = triangles_[t][side], to = triangles_[t][(side + 1) % 3];
    if (names_a_vertex_twice(triangles_[t])) return no_index;
    Index found = no_index;
    std::size_t count = 0;
    visit_corners(from, [&](Index corner) {
        const Triangle& other = triangles_[corner / 3];
        if (corner / 3 == t || names_a_vertex_twice(other) || std::find(other.begin(), other.end(), to) == other.end())
            return;
        found = corner / 3;
        ++count;
    });
    return count == 1 ? found : no_index;
}

void DeformingSurface::find_parts() {
    part_.assign(vertices_.size(), no_index);
    component_samples_.clear();
    std::vector<Index> open;
    for (Index seed = 0; seed < part_.size(); ++seed) {
        if (part_[seed] != no_index || first_corner_[seed] == no_index) continue;
        const auto number = static_cast<Index>(component_samples_.size());
        component_samples_.push_back(seed);
        part_[seed] = number;
        open.push_back(seed);
        while (!open.empty()) {
            const Index v = open.back();
            open.pop_back();
            visit_corners(v, [&](Index corner) {
                const Triangle& t = triangles_[corner / 3];
                if (names_a_vertex_twice(t)) return;
                for (const Index w : t)
                    if (part_[w] == no_index) part_[w] = number, open.push_back(w);
            });
        }
    }
}

TriangleMesh DeformingSurface::mesh() const {
    TriangleMesh mesh{vertices_, {}};
    for (Index t = 0; t < triangles_.size(); ++t)
        if (present_[t]) mesh.triangles.push_back(triangles_[t]);
    return mesh;
}

// ---- Queries.

ClosestPoint DeformingSurface::nearest(const Vec3& point, double squared_radius) const {
    return nearest(point, squared_radius, [](Index) { return false; });
}

ClosestPoint DeformingSurface::nearest(const Vec3& point, double squared_radius, CallableRef<bool(Index)> skip) const {
    ClosestPoint best;
    double radius = squared_radius;
    tree_.visit_nearest(point, squared_radius, [&](Index t) {
        if (!present_[t]) return radius;
        const auto c = corners(t);
        const Box box{c[0].cwiseMin(c[1]).cwiseMin(c[2]), c[0].cwiseMax(c[1]).cwiseMax(c[2])};
        // Rejects most of a leaf at a tenth of the cost.
        if (inward(box.squared_distance(point)) > radius) return radius;
        const double distance = squared_distance(point, c);
        const bool nearer = distance < radius || (distance == radius && t < best.triangle);
        if (!nearer || skip(t)) return radius;
        best.triangle = t;
        return radius = distance;
    });
    if (!best.found()) return best;
    const ClosestOnTriangle on = closest_point(point, corners(best.triangle));
    return {on.point, radius, on.barycentric, best.triangle, on.feature};
}

Vec3 DeformingSurface::normal_at(const ClosestPoint& at) const {
    const Triangle& t = triangles_[at.triangle];
    if (at.feature == TriangleFeature::face) return unit_normal(corners(at.triangle));
    Vec3 sum = Vec3::Zero();
    if (at.feature < TriangleFeature::edge_0) {
        visit_corners(t[corner_of(at.feature)], [&](Index corner) {
            const auto around = corners(corner / 3);
            sum += angle_at(around, corner % 3) * unit_normal(around);
        });
    } else {
        const Index other = t[(edge_of(at.feature) + 1) % 3];
        visit_corners(t[edge_of(at.feature)], [&](Index corner) {
            const Triangle& beside = triangles_[corner / 3];
            if (std::find(beside.begin(), beside.end(), other) != beside.end()) sum += unit_normal(corners(corner / 3));
        });
    }
    return sum.stableNormalized();
}

int DeformingSurface::winding_along(const Vec3& point, int axis, bool up, Index skipped) const {
    Box path{point, point};
    (up ? path.upper : path.lower)[axis] = (up ? bounds().upper : bounds().lower)[axis];
    int count = 0;
    tree_.visit_overlapping(path, [&](Index t) {
        if (present_[t] && t != skipped) count += crossing(corners(t), point, axis, up);
        return true;
    });
    return count;
}

int DeformingSurface::winding(const Vec3& point) const {
    if (!bounds().contains(point)) return 0;
    const Vec3 up = bounds().upper - point, down = point - bounds().lower;
    int axis = 0;
    up.cwiseMin(down).minCoeff(&axis); // the ray with the shortest distance to the border hits the fewest triangles
    return winding_along(point, axis, up[axis] < down[axis], no_index);
}

int DeformingSurface::winding_above(const Vec3& point, Index triangle) const {
    const Vec3 normal = area_vector(corners(triangle));
    int axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    return winding_along(point, axis, normal[axis] > 0, triangle);
}

} // namespace fathom::deformable
