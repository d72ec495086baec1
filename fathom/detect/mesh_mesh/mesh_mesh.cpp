// Decides the pairs of triangles that the dual traversal cannot rule out.
#include <fathom/detect/mesh_mesh/mesh_mesh.h>

#include <fathom/base/error.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/mesh_mesh/dual_bvh_traversal.h>
#include <fathom/geometry/primitive/triangle_triangle.h>
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>

#include <algorithm>
#include <utility>

namespace fathom::mesh_mesh {

namespace {

using Corners = std::array<Vec3, 3>;

// The triangles by place, all in a's frame.
struct Pair {
    SurfaceView a, b;
    Pose b_in_a;

    Pair(const SurfaceTree& first, const Pose& pose_a, const SurfaceTree& second, const Pose& pose_b)
        : a(first), b(second), b_in_a(relative(pose_a, pose_b)) {
        if (!is_finite(pose_a) || !is_finite(pose_b)) throw Error(Cause::non_finite, "pose of a mesh is not finite");
    }

    [[nodiscard]] const Corners& corners_a(Index place) const { return a.corners[place]; }
    [[nodiscard]] Corners corners_b(Index place) const {
        const Corners& c = b.corners[place];
        return {b_in_a * c[0], b_in_a * c[1], b_in_a * c[2]};
    }
    [[nodiscard]] bool holds(const MeshPairHint& hint) const {
        return hint.place_a < a.corners.size() && hint.place_b < b.corners.size();
    }
    [[nodiscard]] bool touch(Index i, Index j, double margin) const {
        const Corners of_b = corners_b(j);
        return triangles_overlap(corners_a(i), of_b) ||
               (margin > 0 && closest_points(corners_a(i), of_b).squared_distance <= margin * margin);
    }
};

// The nearest pair of triangles so far.
class Nearest {
public:
    Nearest(const Pair& pair, double limit) : pair_(pair), least_(limit) {}

    // The minimum distance including this pair; negative if no pair can be nearer.
    double operator()(Index i, Index j) {
        const Corners &of_a = pair_.corners_a(i), of_b = pair_.corners_b(j);
        if (separated(of_a, of_b)) return least_;
        const ClosestPair near = closest_points(of_a, of_b);
        const double distance = std::sqrt(near.squared_distance);
        if (distance < least_ || distance == 0) {
            least_ = distance;
            best_ = near;
            places_ = {i, j};
            direction_ = (near.point_b - near.point_a).stableNormalized();
        }
        return distance > 0 ? least_ : -1;
    }

    [[nodiscard]] bool found() const { return pair_.holds(places_); }
    [[nodiscard]] const Vec3& point_b() const { return best_.point_b; }
    [[nodiscard]] MeshDistance answer(const Pose& pose_a) const {
        if (!found()) return {};
        return {least_,
                pose_a * best_.point_a,
                pose_a * best_.point_b,
                pair_.a.triangle(places_.place_a),
                pair_.b.triangle(places_.place_b),
                places_};
    }

private:
    // Many triangles may be equally near. For most of them six products show that they are not nearer than the best
    // pair along its line. Where rounding might hide a contact, the result is false.
    [[nodiscard]] bool separated(const Corners& of_a, const Corners& of_b) const {
        if (!found()) return false;
        double far = 0;
        const auto along = [&](const Vec3& p) {
            const Vec3 from = p - best_.point_a;
            far = std::max(far, from.cwiseAbs().maxCoeff());
            return direction_.dot(from);
        };
        const double last = std::max({along(of_a[0]), along(of_a[1]), along(of_a[2])}),
                     first = std::min({along(of_b[0]), along(of_b[1]), along(of_b[2])});
        return first - last > position_rounding(far) && first - last >= least_ * (1 - rounding_error(512));
    }

    const Pair& pair_;
    double least_;
    ClosestPair best_{Vec3::Zero(), Vec3::Zero(), 0};
    MeshPairHint places_{};
    Vec3 direction_ = Vec3::Zero(); // unit, from a to b
};

// Alternates between the closest point of a and the closest point of b, starting from a point near b, while the
// distance decreases. The points are soon close to each other, but not necessarily the closest. `reach` bounds the
// distance of the first point to a (m); later distances are not larger.
void approach(const SurfaceTree& a, const SurfaceTree& b, const Pose& b_in_a, Vec3 on_b, double reach,
              PairsQuery& query) {
    for (int k = 0; k < 4; ++k) {
        const ClosestPoint of_a = a.closest(on_b, reach);
        if (!of_a.found()) return;
        const ClosestPoint of_b = b.closest(b_in_a.to_local(of_a.point), reach);
        if (!of_b.found()) return;
        on_b = b_in_a * of_b.point;
        query.direction = on_b - of_a.point;
        const double rounding = position_rounding(on_b.cwiseAbs().maxCoeff(), b_in_a.translation.cwiseAbs().maxCoeff());
        const double last = std::exchange(reach, query.direction.norm() * (1 + 1e-9) + rounding);
        query.limit = std::min(query.limit, reach);
        if (reach > 0.9 * last) return;
    }
}

} // namespace

bool meshes_cross(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b, const Pose& pose_b, double margin) {
    const Pair pair(a, pose_a, b, pose_b);
    return !visit_near_pairs(a, b, pair.b_in_a, {.limit = margin},
                             [&](Index i, Index j) { return pair.touch(i, j, margin) ? -1.0 : margin; });
}

MeshCrossings mesh_crossings(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b, const Pose& pose_b,
                             std::size_t max_pairs, double margin) {
    const Pair pair(a, pose_a, b, pose_b);
    MeshCrossings found;
    found.more_contacts = !visit_near_pairs(a, b, pair.b_in_a, {.limit = margin}, [&](Index i, Index j) {
        if (!pair.touch(i, j, margin)) return margin;
        if (found.pairs.size() == max_pairs) return -1.0;
        found.pairs.push_back({pair.a.triangle(i), pair.b.triangle(j)});
        return margin;
    });
    std::sort(found.pairs.begin(), found.pairs.end());
    return found;
}

MeshDistance mesh_distance(const SurfaceTree& a, const Pose& pose_a, const SurfaceTree& b, const Pose& pose_b,
                           double limit, const MeshPairHint& hint) {
    const Pair pair(a, pose_a, b, pose_b);
    if (a.tree().empty() || b.tree().empty()) return {};
    Nearest nearest(pair, limit);
    PairsQuery query{PairsWanted::nearest, pair.holds(hint) ? nearest(hint.place_a, hint.place_b) : limit};
    if (nearest.found())
        approach(a, b, pair.b_in_a, nearest.point_b(), query.limit * (1 + 1e-9), query);
    else
        approach(a, b, pair.b_in_a, pair.b_in_a * b.tree().bounds().center(), std::numeric_limits<double>::infinity(),
                 query);
    if (query.limit >= 0) visit_near_pairs(a, b, pair.b_in_a, query, [&](Index i, Index j) { return nearest(i, j); });
    return nearest.answer(pose_a);
}

} // namespace fathom::mesh_mesh
