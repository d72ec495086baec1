// The Minkowski difference A - B of two convex cores, in the frame of A's core. Private to this folder.
// The cores overlap where the difference contains the origin. For a unit vector n, height(n) is the largest n . w over
// the difference; B moved by more than height(n) along n is disjoint from A. The signed distance of the cores is minus
// the least height of all directions: negative for cores that overlap.
#pragma once

#include <fathom/detect/convex/convex_body.h>

namespace fathom::convex {

// A point of the difference: w = a - b. Not initialised: arrays of them are large.
struct DifferencePoint {
    Vec3 w, a, b;
    int piece_a, piece_b;

    [[nodiscard]] bool same_pieces(const DifferencePoint& other) const {
        return piece_a == other.piece_a && piece_b == other.piece_b;
    }
};

class Difference {
public:
    Difference(const Body& a, const Pose& pose_a, const Body& b, const Pose& pose_b);

    const Body &a, &b;
    Mat3 turn;       // rotates vectors of B's core to the frame of A's core
    Vec3 move;       // origin of B's core in the frame of A's core (m)
    Pose core_a;     // A's core in the world
    double size;     // extents and radii of both bodies, and the distance of their origins (m)
    double rounding; // bound on the error of a height (m)

    // The farthest point in a direction, which need not be a unit vector. The hints are pieces that are probably near.
    [[nodiscard]] DifferencePoint farthest(const Vec3& direction, int hint_a = -1, int hint_b = -1) const {
        return joined(support(a, direction, hint_a), support(b, -(turn.transpose() * direction), hint_b));
    }
    // As farthest(), by scans of all vertices: heights that a proof may rest on.
    [[nodiscard]] DifferencePoint certainly_farthest(const Vec3& direction) const {
        return joined(certain_support(a, direction), certain_support(b, -(turn.transpose() * direction)));
    }
    [[nodiscard]] double height(const Vec3& direction) const { return certainly_farthest(direction).w.dot(direction); }

private:
    [[nodiscard]] DifferencePoint joined(const Support& of_a, const Support& of_b) const {
        DifferencePoint p;
        p.a = of_a.point, p.piece_a = of_a.piece, p.piece_b = of_b.piece;
        p.b.noalias() = turn * of_b.point + move;
        p.w = p.a - p.b;
        return p;
    }
};

// Points of the difference with shares that sum to 1: their mean is a point of the difference.
struct Simplex {
    DifferencePoint points[4];
    double shares[4] = {};
    int count = 0;

    [[nodiscard]] Vec3 mean() const { return sum(&DifferencePoint::w); }
    [[nodiscard]] Vec3 on_a() const { return sum(&DifferencePoint::a); }
    [[nodiscard]] Vec3 on_b() const { return sum(&DifferencePoint::b); }

private:
    [[nodiscard]] Vec3 sum(Vec3 DifferencePoint::*member) const {
        Vec3 total = shares[0] * points[0].*member;
        for (int k = 1; k < count; ++k) total += shares[k] * points[k].*member;
        return total;
    }
};

// A direction of small height, and points of both cores that are `height` apart along it.
struct Direction {
    Vec3 normal = Vec3::Zero(); // unit, from A to B
    double height = HUGE_VAL;   // m
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
};

// The direction of locally least height near `normal`, by Newton's method on the conditions of optimality: a mean of
// the active support points is parallel to the normal, and all of them have the same height. `near` holds support
// points near the minimum and their shares. It converges quadratically for curved cores, and is exact for polyhedra.
// The height is that of the whole difference; if the search fails it may be larger than that of `normal`.
[[nodiscard]] Direction refined(const Difference& difference, const Simplex& near, const Vec3& normal);

} // namespace fathom::convex
