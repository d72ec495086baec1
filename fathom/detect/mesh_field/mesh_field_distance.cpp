// Closest points of a surface and a solid by alternating projection, then a proof of the lower bound.
#include <fathom/detect/mesh_field/mesh_field_distance.h>

#include <fathom/base/rounding.h>

#include <algorithm>
#include <cmath>

namespace fathom::mesh_field {

namespace {

constexpr int max_steps = 64;                  // of a descent to the solid
constexpr int max_rounds = 60;                 // of the refinement of two points
constexpr std::size_t max_evaluations = 5'000; // of one proof of a lower bound
constexpr double deepest_settled = 1e-12;      // of 1 m and the coordinates: depth that counts as on the surface
constexpr double settling_move = 1e-13;        // of 1 m and the coordinates: move beyond the surface

class Problem {
public:
    Problem(const TriangleSphereTree& surface, const SurfaceTree& tree, const Pose& surface_pose,
            const FieldSphereTree& solid, const Pose& solid_pose)
        : surface_(surface), tree_(tree), surface_pose_(surface_pose), solid_(solid), solid_pose_(solid_pose),
          to_solid_(relative(solid_pose, surface_pose)) {}

    MeshFieldDistance solve(double tolerance) const {
        const MeshContactResult least = contacts({.goal = MeshGoal::deepest});
        if (least.contacts.empty()) return {HUGE_VAL, HUGE_VAL};
        const MeshContact& lowest = least.contacts.front();
        MeshFieldDistance result{-HUGE_VAL, -lowest.depth, lowest.point, lowest.point - lowest.depth * lowest.normal,
                                 lowest.normal};
        if (lowest.depth >= 0) return result;
        refine(result);
        const double value = -lowest.depth, slope = slope_outside();
        result.lower = std::max(by_levels(value, tolerance) / slope, 0.0);
        result.lower = std::min(result.lower, result.upper);
        return result;
    }

private:
    [[nodiscard]] MeshContactResult contacts(const MeshContactOptions& options) const {
        return mesh_contacts(surface_, surface_pose_, solid_.field(), solid_pose_, options);
    }

    // Slope to divide by; 1 for a field that is a distance up to its error, which is stated in the result.
    [[nodiscard]] double slope_outside() const {
        return std::isfinite(solid_.surface_error()) ? 1 : std::max(solid_.field().lipschitz(), 1e-300);
    }

    // Smallest move of a point (m); with less, it would stay outside by rounding of its coordinates.
    [[nodiscard]] double min_move(const Vec3& at) const {
        return position_rounding(at.norm(), solid_.bounded() && !solid_.empty() ? solid_.bounds().size().norm() : 0);
    }

    // Descends from a point outside to the solid, in its frame. Returns false if it does not arrive.
    bool walk_down(const Vec3& from, Vec3& arrived) const {
        Vec3 outside = from, at = from;
        double value = 0;
        for (int step = 0; step < max_steps; ++step) {
            const Sample s = solid_.field().sample(at);
            value = s.distance;
            if (value <= 0) break;
            const double slope = s.gradient.squaredNorm();
            if (!(slope > 0) || !std::isfinite(value)) return false;
            outside = at;
            at -= (value + min_move(at)) / slope * s.gradient;
        }
        if (value > 0) return false;
        for (int step = 0; step < 60 && value < 0; ++step) { // bisection for the surface on the last segment
            const Vec3 middle = 0.5 * (outside + at);
            if (middle == outside || middle == at) break;
            const double there = solid_.field().distance(middle);
            (there <= 0 ? at : outside) = middle;
        }
        arrived = at;
        return true;
    }

    // Moves a nearby point onto the solid's surface, slightly inside. Returns false if that fails.
    bool settle(Vec3& at) const {
        for (int step = 0; step < max_steps; ++step) {
            const Sample s = solid_.field().sample(at);
            const double slope = s.gradient.squaredNorm();
            if (!(slope > 0)) return false;
            if (s.distance <= 0 && s.distance > -deepest_settled * (1 + at.norm())) return true;
            at -= (s.distance + settling_move * (1 + at.norm())) / slope * s.gradient;
        }
        return solid_.field().distance(at) <= 0;
    }

    struct PointPair {
        Vec3 on_surface, on_solid; // in the solid's frame
        double distance = HUGE_VAL;
    };
    [[nodiscard]] PointPair pair_at(const Vec3& on_solid) const {
        const ClosestPoint near = tree_.closest(to_solid_.to_local(on_solid));
        if (!near.found()) return {};
        const Vec3 on_surface = to_solid_ * near.point;
        return {on_surface, on_solid, (on_solid - on_surface).norm()};
    }

    // Moves the point of the solid along its surface towards the other point, while the distance decreases.
    [[nodiscard]] PointPair slide(PointPair now) const {
        double share = 1;
        for (int round = 0; round < max_rounds && share > 1e-4; ++round) {
            const Vec3 gap = now.on_surface - now.on_solid,
                       normal = solid_.field().sample(now.on_solid).gradient.stableNormalized();
            const Vec3 aside = gap - normal.dot(gap) * normal;
            if (aside.norm() <= 1e-7 * now.distance) break;
            Vec3 next = now.on_solid + share * aside;
            const PointPair then = settle(next) ? pair_at(next) : PointPair{};
            if (then.distance < now.distance)
                now = then, share = std::min(1.0, 1.5 * share);
            else
                share *= 0.4;
        }
        return now;
    }

    void refine(MeshFieldDistance& result) const {
        Vec3 arrived;
        PointPair best;
        if (walk_down(solid_pose_.to_local(result.on_surface), arrived)) best = slide(pair_at(arrived));
        result.upper = best.distance;
        if (!std::isfinite(best.distance)) return;
        result.on_surface = solid_pose_ * best.on_surface, result.on_solid = solid_pose_ * best.on_solid;
        result.normal = (result.on_solid - result.on_surface).stableNormalized();
    }

    // A level that the field is proven to stay above on the whole surface. The level approaches the minimum as long as
    // the proof is inexpensive; the proof needs pieces of triangles about as small as the remaining difference.
    [[nodiscard]] double by_levels(double value, double tolerance) const {
        double proven = -HUGE_VAL;
        for (double step = value;; step *= 0.25) {
            const double level = std::max(value - step, 0.0);
            if (contacts({.goal = MeshGoal::any, .margin = level, .max_evaluations = max_evaluations}).status !=
                Status::disjoint)
                break;
            proven = level;
            if (step <= 0.5 * tolerance) break;
        }
        return proven;
    }

    const TriangleSphereTree& surface_;
    const SurfaceTree& tree_;
    Pose surface_pose_;
    const FieldSphereTree& solid_;
    Pose solid_pose_;
    Pose to_solid_; // from the surface's frame to the solid's
};

} // namespace

MeshFieldDistance mesh_field_distance(const TriangleSphereTree& surface, const SurfaceTree& tree,
                                      const Pose& surface_pose, const FieldSphereTree& solid, const Pose& solid_pose,
                                      double tolerance) {
    return Problem(surface, tree, surface_pose, solid, solid_pose).solve(tolerance);
}

} // namespace fathom::mesh_field
