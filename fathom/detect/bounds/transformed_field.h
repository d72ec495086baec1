// A field seen from another frame: what it proves about balls and boxes there, rounding of the pose
// included. A box that turns is enclosed twice, by its ball and by an axis box of the field's frame; each proof counts.
// Formulas are asked through a tape that may have been cut down to a box (Tape::shorten). Thread-safe.
#pragma once

#include <fathom/base/pose.h>
#include <fathom/base/primitives.h>
#include <fathom/detect/bounds/clearance_radius.h>
#include <fathom/field/analytic/tape.h>
#include <fathom/field/field.h>

#include <algorithm>
#include <memory>

namespace fathom {

// The axis box round a turned box: it holds pose * p for every p of the box, which may be infinite.
[[nodiscard]] Box turned_bounds(const Box& box, const Pose& pose);

// Holds all p with field(p) <= level; infinite where no such box is known.
[[nodiscard]] Box level_bounds(const Field& field, double level);

using TapePtr = std::shared_ptr<const Tape>; // null for fields that are no formula

class TransformedField {
public:
    // `pose` places the field in the frame; `slack` is how far rounding may misplace a point on the way (m).
    TransformedField(const Field& field, const Pose& pose, double level, double slack);

    [[nodiscard]] const Field& field() const { return *field_; }
    [[nodiscard]] const ClearanceRadius& clearance_radius() const { return radius_; }
    [[nodiscard]] const TapePtr& tape() const { return tape_; }
    [[nodiscard]] double slack() const { return slack_; }
    [[nodiscard]] bool range_helps() const { return range_helps_; } // beyond what a ball tells

    // Of the whole formula, in look-ups through a tape cut from it.
    [[nodiscard]] double cost_of_whole(const TapePtr& part) const {
        return tape_ ? static_cast<double>(tape_->size()) / static_cast<double>(std::max<std::size_t>(part->size(), 1))
                     : 1.0;
    }

    [[nodiscard]] Vec3 to_field(const Vec3& p) const { return turn_ * p + move_; }
    [[nodiscard]] Vec3 turn_to_frame(const Vec3& v) const { return turn_.transpose() * v; }
    [[nodiscard]] Box to_field(const Box& box) const;

    // A tape that answers as `tape` does in a box of the frame, with what it cannot need there left out.
    [[nodiscard]] TapePtr shortened(const TapePtr& tape, const Box& box) const;

    // Points and boxes in the field's frame.
    void distances(const TapePtr& tape, std::span<const Vec3> points, std::span<double> out) const;
    [[nodiscard]] Sample sample(const TapePtr& tape, const Vec3& point) const;
    void ranges(const TapePtr& tape, std::span<const Box> boxes, std::span<Interval> out) const;

    // How far from a point of the frame the field certainly stays above the level, or at most at it, given its value
    // there.
    [[nodiscard]] double clear(double value) const { return radius_(value) - slack_; }
    // The most that clear() can hope to be `offset` farther out than a point with this value.
    [[nodiscard]] double hoped_clear(double value, double offset) const { return clear(value + slope_ * offset); }
    [[nodiscard]] double filled(double value) const { return radius_.inside(value) - slack_; }

private:
    const Field* field_;
    Mat3 turn_; // from the frame to the field's
    Vec3 move_;
    bool turned_;
    bool range_helps_;
    double slack_;
    ClearanceRadius radius_;
    double slope_; // of values along their gradient: 1 for distances
    TapePtr tape_;
};

// Two balls that are each free of one of two bodies: around `center`, no point within the answer is in both bodies.
// (x is in one of the balls where a weighted mean of their powers is not above 0: a sphere of their pencil.) Balls that
// are far larger than the gap between two smooth bodies clear cells as large as its square root, where one ball clears
// only cells as large as the gap. Less than 0: nothing is proven.
[[nodiscard]] double covered_radius(const Vec3& center, const Vec3& center_a, double radius_a, const Vec3& center_b,
                                    double radius_b);

// How far off the surfaces the centres of two such balls best lie, for a cell of this radius where the values at its
// centre add up to `gap` above their levels; 0 where the balls had to be too large for double precision.
[[nodiscard]] double ball_offset(double cell_radius, double gap, double size);

// Whether two such balls cover a cell: centred off it along the bodies' own normals and, where those are not opposite
// (beside edges and corners), along either one alone. free_a(q) and free_b(q) are radii of balls about q that are free
// of the bodies.
template <class FreeOfA, class FreeOfB>
[[nodiscard]] bool two_balls_cover(const Sphere& cell, const Vec3& normal_a, const Vec3& normal_b, double offset,
                                   const FreeOfA& free_a, const FreeOfB& free_b) {
    const auto covered = [&](const Vec3& to_a, const Vec3& to_b) {
        const Vec3 center_a = cell.center + offset * to_a, center_b = cell.center + offset * to_b;
        return covered_radius(cell.center, center_a, free_a(center_a), center_b, free_b(center_b)) > cell.radius;
    };
    if (covered(normal_a, normal_b)) return true;
    const bool opposite = normal_a.dot(normal_b) < -0.98;
    return !opposite && (covered(-normal_b, normal_b) || covered(normal_a, -normal_a));
}

// Two fields in their poses, asked in the frame of the first. Cheap to make; keeps neither alive.

class FieldPair {
public:
    FieldPair(const Field& p, const Field& q, const Pose& q_seen_from_p);

    [[nodiscard]] Vec3 to_q(const Vec3& x) const { return turn_ * x + move_; }

    [[nodiscard]] Vec3 from_q(const Vec3& direction) const { return turn_.transpose() * direction; } // turns only

    // At a point of P's frame, gradients in P's frame.
    [[nodiscard]] double distance_q(const Vec3& x) const { return q_->distance(to_q(x)); }
    [[nodiscard]] Sample sample_p(const Vec3& x) const { return p_->sample(x); }
    [[nodiscard]] Sample sample_q(const Vec3& x) const {
        const Sample s = q_->sample(to_q(x));
        return {s.distance, turn_.transpose() * s.gradient};
    }
    // role 0: the first field, 1: the second.
    [[nodiscard]] Sample sample(int role, const Vec3& x) const { return role == 0 ? sample_p(x) : sample_q(x); }
    void samples(int role, std::span<const Vec3> points, std::span<Sample> out) const; // at most 16
    [[nodiscard]] const Field& field(int role) const { return role == 0 ? *p_ : *q_; }

private:
    const Field *p_, *q_;
    Mat3 turn_; // from P's frame to Q's
    Vec3 move_;
};

} // namespace fathom
