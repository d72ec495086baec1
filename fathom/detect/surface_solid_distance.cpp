// Room: detect. Draws a point of a surface and one of a solid together, then proves how near they can be at most.
#include <fathom/detect/surface_solid_distance.h>

#include <algorithm>
#include <cmath>
#include <queue>

namespace fathom {

namespace {

constexpr int most_steps = 64;         // of a walk down to the solid
constexpr int most_rounds = 8;         // of drawing two points together
constexpr int most_levels = 8;         // tried from below
constexpr std::size_t most_balls = 20'000;

class Problem {
public:
    Problem(const ContactMesh& surface, const SurfaceTree& tree, const Pose& surface_pose, const Solid& solid, const Pose& solid_pose)
        : surface_(surface), tree_(tree), surface_pose_(surface_pose), solid_(solid), solid_pose_(solid_pose), to_solid_(relative(solid_pose, surface_pose)) {}

    SurfaceSolidDistance solve(double tolerance) const {
        const MeshContactResult least = contacts({.goal = MeshGoal::deepest});
        if (least.contacts.empty()) return {HUGE_VAL, HUGE_VAL};
        const MeshContact& lowest = least.contacts.front();
        SurfaceSolidDistance result{-HUGE_VAL, -lowest.depth, lowest.point, lowest.point - lowest.depth * lowest.normal, lowest.normal};
        if (lowest.depth >= 0) return result;
        draw_together(result);
        const double value = -lowest.depth, slope = slope_outside();
        result.lower = std::max(by_levels(value, tolerance) / slope, 0.0);
        if (result.upper - result.lower > tolerance) result.lower = std::max(result.lower, by_balls(result.upper));
        result.lower = std::min(result.lower, result.upper);
        return result;
    }

private:
    [[nodiscard]] MeshContactResult contacts(const MeshContactOptions& options) const {
        return mesh_contacts(surface_, surface_pose_, solid_.field(), solid_pose_, options);
    }

    // A field that is a distance but for its error needs no division: the error is stated.
    [[nodiscard]] double slope_outside() const { return std::isfinite(solid_.surface_error()) ? 1 : std::max(solid_.field().lipschitz(), 1e-300); }

    // From a point outside down to the solid, in its frame; false where the walk does not arrive.
    bool walk_down(const Vec3& from, Vec3& arrived) const {
        Vec3 outside = from, at = from;
        double value = 0;
        for (int step = 0; step < most_steps; ++step) {
            const Sample s = solid_.field().sample(at);
            value = s.distance;
            if (value <= 0) break;
            const double slope = s.gradient.squaredNorm();
            if (!(slope > 0) || !std::isfinite(value)) return false;
            outside = at;
            at -= (value / slope + 1e-15 * value) * s.gradient;
        }
        if (value > 0) return false;
        for (int step = 0; step < 60 && value < 0; ++step) { // the border on the last stretch
            const Vec3 middle = 0.5 * (outside + at);
            if (middle == outside || middle == at) break;
            const double there = solid_.field().distance(middle);
            (there <= 0 ? at : outside) = middle;
        }
        arrived = at;
        return true;
    }

    void draw_together(SurfaceSolidDistance& result) const {
        double best = HUGE_VAL;
        Vec3 on_surface = to_solid_ * surface_pose_.to_local(result.on_surface);
        for (int round = 0; round < most_rounds; ++round) {
            Vec3 on_solid;
            if (!walk_down(on_surface, on_solid)) break;
            const ClosestPoint near = tree_.closest(to_solid_.to_local(on_solid));
            if (!near.found()) break;
            on_surface = to_solid_ * near.point;
            const double distance = (on_solid - on_surface).norm();
            if (!(distance < best * (1 - 1e-9))) break;
            best = distance;
            result.on_surface = solid_pose_ * on_surface, result.on_solid = solid_pose_ * on_solid;
            result.normal = (result.on_solid - result.on_surface).stableNormalized();
        }
        result.upper = best;
    }

    // The highest level that the field is proven to stay above on the whole surface, of a few below its least value.
    [[nodiscard]] double by_levels(double value, double tolerance) const {
        double step = std::min(0.5 * tolerance, 1e-3 * value);
        for (int k = 0; k < most_levels && step < value; ++k, step *= 4)
            if (contacts({.goal = MeshGoal::any, .margin = value - step}).verdict == Verdict::disjoint) return value - step;
        return contacts({.goal = MeshGoal::any}).verdict == Verdict::disjoint ? 0 : -HUGE_VAL;
    }

    // Pairs of balls, the nearest first, down to the leaves.
    [[nodiscard]] double by_balls(double upper) const {
        if (!solid_.bounded() || solid_.nodes().empty()) return -HUGE_VAL;
        struct Entry {
            double gap;
            Index mesh, solid;
            bool operator<(const Entry& other) const { return gap > other.gap; }
        };
        const auto gap = [&](Index m, Index s) {
            const Sphere a{to_solid_ * surface_.tree().sphere(surface_.tree().nodes()[m]).center, surface_.reach(m)}, b = solid_.ball(solid_.nodes()[s]);
            return (a.center - b.center).norm() - (a.radius + b.radius) * (1 + 1e-14);
        };
        std::priority_queue<Entry> open;
        open.push({gap(0, 0), 0, 0});
        for (std::size_t taken = 0; !open.empty() && taken < most_balls; ++taken) {
            const Entry top = open.top();
            const SphereNode& m = surface_.tree().nodes()[top.mesh];
            const SolidNode& s = solid_.nodes()[top.solid];
            const bool whole_mesh = m.is_leaf(), whole_solid = s.children == 0;
            if (whole_mesh && whole_solid) return top.gap;
            open.pop();
            const bool cut_mesh = whole_solid || (!whole_mesh && surface_.reach(top.mesh) >= solid_.ball(s).radius);
            const Index first = cut_mesh ? m.first : s.first, count = cut_mesh ? m.size() : s.children;
            for (Index k = first; k < first + count; ++k) {
                const Entry child = cut_mesh ? Entry{gap(k, top.solid), k, top.solid} : Entry{gap(top.mesh, k), top.mesh, k};
                if (child.gap <= upper) open.push(child);
            }
        }
        return open.empty() ? upper : open.top().gap;
    }

    const ContactMesh& surface_;
    const SurfaceTree& tree_;
    Pose surface_pose_;
    const Solid& solid_;
    Pose solid_pose_;
    Pose to_solid_; // from the surface's frame to the solid's
};

} // namespace

SurfaceSolidDistance surface_solid_distance(const ContactMesh& surface, const SurfaceTree& tree, const Pose& surface_pose, const Solid& solid,
                                            const Pose& solid_pose, double tolerance) {
    return Problem(surface, tree, surface_pose, solid, solid_pose).solve(tolerance);
}

} // namespace fathom
