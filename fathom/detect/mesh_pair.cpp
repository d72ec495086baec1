// Room: detect. Walks two trees of balls over triangles together.
#include <fathom/detect/mesh_pair.h>

#include <fathom/base/error.h>
#include <fathom/geometry/triangle_triangle.h>

#include <algorithm>

namespace fathom {

namespace {

// Bounds are computed in doubles from centres that were moved by one pose: far more than that loses.
constexpr double rounding = 1e-14;

// The trees as one walk sees them: all in a's frame.
struct Pair {
    const ContactMesh& a;
    const ContactMesh& b;
    Pose b_in_a;

    Pair(const ContactMesh& first, const Pose& pose_a, const ContactMesh& second, const Pose& pose_b)
        : a(first), b(second), b_in_a(relative(pose_a, pose_b)) {
        if (!is_finite(pose_a) || !is_finite(pose_b)) throw Error(Cause::non_finite, "pose of a mesh");
    }

    [[nodiscard]] Sphere node_a(Index node) const { return {a.tree().sphere(a.tree().nodes()[node]).center, a.reach(node)}; }
    [[nodiscard]] Sphere node_b(Index node) const { return {b_in_a * b.tree().sphere(b.tree().nodes()[node]).center, b.reach(node)}; }
    [[nodiscard]] Sphere ball_b(std::size_t place) const {
        const Sphere ball = b.ball(place);
        return {b_in_a * ball.center, ball.radius};
    }
    [[nodiscard]] std::array<Vec3, 3> corners_b(std::size_t place) const {
        const auto c = b.corners(place);
        return {b_in_a * c[0], b_in_a * c[1], b_in_a * c[2]};
    }
};

// What is in the two balls is at least this far apart; below 0 where they overlap.
double gap(const Sphere& a, const Sphere& b) {
    const Vec3 way = b.center - a.center;
    return way.norm() - (a.radius + b.radius) - rounding * (a.center.cwiseAbs().maxCoeff() + b.center.cwiseAbs().maxCoeff());
}

struct Entry {
    double gap;
    Index a, b;
};

// visit(place of a, place of b) for all triangles whose balls are nearer than limit(), nearer nodes first; false stops.
template <class Limit, class Visit>
bool walk(const Pair& pair, const Limit& limit, const Visit& visit) {
    if (pair.a.size() == 0 || pair.b.size() == 0) return true;
    std::vector<Entry> open = {{gap(pair.node_a(0), pair.node_b(0)), 0, 0}};
    const auto leaves = [&](const SphereNode& a, const SphereNode& b) {
        for (Index i = a.first; i < a.first + a.size(); ++i) {
            const Sphere ball = pair.a.ball(i);
            for (Index j = b.first; j < b.first + b.size(); ++j)
                if (gap(ball, pair.ball_b(j)) <= limit() && !visit(i, j)) return false;
        }
        return true;
    };
    while (!open.empty()) {
        const Entry top = open.back();
        open.pop_back();
        if (top.gap > limit()) continue;
        const SphereNode &a = pair.a.tree().nodes()[top.a], &b = pair.b.tree().nodes()[top.b];
        if (a.is_leaf() && b.is_leaf()) {
            if (!leaves(a, b)) return false;
            continue;
        }
        const bool open_a = b.is_leaf() || (!a.is_leaf() && pair.a.reach(top.a) >= pair.b.reach(top.b));
        const SphereNode& parent = open_a ? a : b;
        const Sphere other = open_a ? pair.node_b(top.b) : pair.node_a(top.a);
        const auto first_new = static_cast<std::ptrdiff_t>(open.size());
        for (Index child = parent.first; child < parent.first + parent.size(); ++child) {
            const double bound = open_a ? gap(pair.node_a(child), other) : gap(other, pair.node_b(child));
            if (bound <= limit()) open.push_back(open_a ? Entry{bound, child, top.b} : Entry{bound, top.a, child});
        }
        std::sort(open.begin() + first_new, open.end(), [](const Entry& p, const Entry& q) { return p.gap > q.gap; });
    }
    return true;
}

bool cross(const Pair& pair, std::size_t i, std::size_t j) { return triangles_overlap(pair.a.corners(i), pair.corners_b(j)); }

} // namespace

bool meshes_cross(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b) {
    const Pair pair(a, pose_a, b, pose_b);
    return !walk(pair, [] { return 0.0; }, [&](std::size_t i, std::size_t j) { return !cross(pair, i, j); });
}

MeshCrossings mesh_crossings(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b, std::size_t most, double margin) {
    const Pair pair(a, pose_a, b, pose_b);
    MeshCrossings found;
    const auto near = [&](std::size_t i, std::size_t j) { return margin > 0 && closest_points(a.corners(i), pair.corners_b(j)).squared_distance <= margin * margin; };
    found.truncated = !walk(pair, [&] { return margin; }, [&](std::size_t i, std::size_t j) {
        if (!cross(pair, i, j) && !near(i, j)) return true;
        if (found.pairs.size() == most) return false;
        found.pairs.push_back({a.triangle(i), b.triangle(j)});
        return true;
    });
    std::sort(found.pairs.begin(), found.pairs.end());
    return found;
}

MeshDistance mesh_distance(const ContactMesh& a, const Pose& pose_a, const ContactMesh& b, const Pose& pose_b, double limit) {
    const Pair pair(a, pose_a, b, pose_b);
    MeshDistance best;
    double least = limit;
    walk(pair, [&] { return least; }, [&](std::size_t i, std::size_t j) {
        const ClosestPair near = closest_points(a.corners(i), pair.corners_b(j));
        const double distance = std::sqrt(near.squared_distance);
        if (!(distance < least) && !(distance == 0 && best.triangle_a == no_index)) return true;
        least = distance;
        best = {distance, pose_a * near.point_a, pose_a * near.point_b, a.triangle(i), b.triangle(j)};
        return distance > 0;
    });
    return best;
}

} // namespace fathom
