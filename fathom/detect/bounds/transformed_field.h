// A field evaluated in another frame, with conservative bounds over spheres and boxes of that frame, rounding of the
// pose included.
// A rotated box is enclosed twice, by its sphere and by an axis-aligned box of the field's frame; either may prove it
// clear. Analytic expressions are evaluated through a tape that may have been shortened to a box (Tape::shorten).
// Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/analytic/tape.h>
#include <fathom/field/field.h>

#include <algorithm>
#include <memory>

namespace fathom {

// Axis-aligned box that contains pose * p for every p of `box`, which may be infinite.
[[nodiscard]] Box rotated_bounds(const Box& box, const Pose& pose);

using TapePtr = std::shared_ptr<const Tape>; // null for fields that are not analytic

class TransformedField {
public:
    // `pose` places the field in the frame; `slack` bounds the error of transformed points by rounding (m).
    TransformedField(const Field& field, const Pose& pose, double level, double slack);

    [[nodiscard]] const Field& field() const { return *field_; }
    [[nodiscard]] const ClearanceRadius& clearance_radius() const { return radius_; }
    [[nodiscard]] const TapePtr& tape() const { return tape_; }
    [[nodiscard]] double slack() const { return slack_; }
    [[nodiscard]] bool range_helps() const { return range_helps_; } // range() may prove more than a sphere does

    // Cost of an evaluation of the full expression, in evaluations through the shortened tape `part`.
    [[nodiscard]] double cost_of_whole(const TapePtr& part) const {
        return tape_ ? static_cast<double>(tape_->size()) / static_cast<double>(std::max<std::size_t>(part->size(), 1))
                     : 1.0;
    }

    [[nodiscard]] Vec3 to_field(const Vec3& p) const { return rotation_ * p + move_; }
    [[nodiscard]] Vec3 rotate_to_frame(const Vec3& v) const { return rotation_.transpose() * v; }
    [[nodiscard]] Box to_field(const Box& box) const;

    // A tape that has the same values as `tape` in a box of the frame, without the instructions that do not matter
    // there.
    [[nodiscard]] TapePtr shortened(const TapePtr& tape, const Box& box) const;

    // Points and boxes in the field's frame.
    void distances(const TapePtr& tape, std::span<const Vec3> points, std::span<double> out) const;
    [[nodiscard]] Sample sample(const TapePtr& tape, const Vec3& point) const;
    void ranges(const TapePtr& tape, std::span<const Box> boxes, std::span<Interval> out) const;

    // Radius about a point of the frame with this value, within which the field is proven to stay above the level.
    [[nodiscard]] double clear(double value) const { return radius_(value) - slack_; }
    // Upper bound on clear() at distance `offset` along the gradient from a point with this value.
    [[nodiscard]] double clear_upper_bound(double value, double offset) const { return clear(value + slope_ * offset); }
    // Radius about a point of the frame with this value, within which the field is proven to be at most the level.
    [[nodiscard]] double filled(double value) const { return radius_.inside(value) - slack_; }

private:
    const Field* field_;
    Mat3 rotation_; // from the frame to the field's frame
    Vec3 move_;
    bool is_moved_; // the pose is not the identity
    bool range_helps_;
    double slack_;
    ClearanceRadius radius_;
    double slope_; // slope of values along the gradient: 1 for distances
    TapePtr tape_;
};

// Given two spheres, each free of one of two bodies: radius about `center` within which no point is in both bodies.
// (A point x is in one of the spheres if a weighted mean of its powers is not positive: a sphere of their pencil.)
// Spheres that are far larger than the gap between two smooth bodies clear cells as large as the square root of the
// gap, while one sphere clears only cells as large as the gap. Negative: nothing is proven.
[[nodiscard]] double covered_radius(const Vec3& center, const Vec3& center_a, double radius_a, const Vec3& center_b,
                                    double radius_b);

// Best offset of the centres of two such spheres from the cell centre, for a cell of this radius at whose centre the
// values exceed their levels by `gap` in sum. 0 if the spheres would be too large for double precision.
[[nodiscard]] double sphere_offset(double cell_radius, double gap, double size);

// Whether two such spheres cover a cell. Their centres are offset from the cell along the normals of the bodies and, if
// these are not opposite (near edges and corners), along either one alone. free_a(q) and free_b(q) are radii of spheres
// about q that are free of the bodies.
template <class FreeOfA, class FreeOfB>
[[nodiscard]] bool two_spheres_cover(const Sphere& cell, const Vec3& normal_a, const Vec3& normal_b, double offset,
                                     const FreeOfA& free_a, const FreeOfB& free_b) {
    const auto covered = [&](const Vec3& to_a, const Vec3& to_b) {
        const Vec3 center_a = cell.center + offset * to_a, center_b = cell.center + offset * to_b;
        return covered_radius(cell.center, center_a, free_a(center_a), center_b, free_b(center_b)) > cell.radius;
    };
    if (covered(normal_a, normal_b)) return true;
    const bool opposite = normal_a.dot(normal_b) < -0.98;
    return !opposite && (covered(-normal_b, normal_b) || covered(normal_a, -normal_a));
}

// ---- Two fields in their poses, evaluated in the frame of the first. Cheap to construct; the fields must outlive it.

class FieldPair {
public:
    FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p);

    [[nodiscard]] Vec3 to_q(const Vec3& x) const { return rotation_ * x + move_; }

    [[nodiscard]] Vec3 from_q(const Vec3& direction) const {
        return rotation_.transpose() * direction;
    } // rotation only

    // Values at a point of P's frame; gradients in P's frame.
    [[nodiscard]] double distance_q(const Vec3& x) const { return q_->distance(to_q(x)); }
    [[nodiscard]] Sample sample_p(const Vec3& x) const { return p_->sample(x); }
    [[nodiscard]] Sample sample_q(const Vec3& x) const {
        const Sample s = q_->sample(to_q(x));
        return {s.distance, rotation_.transpose() * s.gradient};
    }
    // role 0: the first field, 1: the second.
    [[nodiscard]] Sample sample(int role, const Vec3& x) const { return role == 0 ? sample_p(x) : sample_q(x); }
    void samples(int role, std::span<const Vec3> points, std::span<Sample> out) const; // at most 16
    [[nodiscard]] const Field& field(int role) const { return role == 0 ? *p_ : *q_; }

private:
    const Field *p_, *q_;
    Mat3 rotation_; // from P's frame to Q's
    Vec3 move_;
};

} // namespace fathom
