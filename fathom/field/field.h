// Interface of all fields: signed distance, gradient, and range of values over a box; and how a field describes itself,
// so that callers need not know its type.
// Distances are signed, in metres: positive outside, negative inside. Points and boxes are in the field's own frame.
// Every call is const, thread-safe and does not allocate. A batch gives the same bits as its points one by one.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/base/primitives.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>

namespace fathom {

struct Sample {
    double distance = 0;          // signed distance (m)
    Vec3 gradient = Vec3::Zero(); // gradient of the field as evaluated; at kinks, one of its one-sided gradients
};

class AnalyticExpression;
class FieldSlopes;
struct GridData;
struct PlaneOver;
struct TriangleMesh;

enum class FieldKind { analytic, grid, neural, height, other };
enum class EvaluationCost { table, arithmetic, search }; // of one value, ascending

// Properties by which callers select algorithms. Only `convex` may be part of a proof.
struct FieldTraits {
    FieldKind kind = FieldKind::other;
    EvaluationCost cost = EvaluationCost::arithmetic;
    bool convex = false; // the interior is convex and the values are its distance: the field is a convex function
    bool smooth = false; // gradients are exact, and continuous but for kinks of the shape
    bool distance_like = false;     // the values are close to distances: proven or measured
    bool single_precision = false;  // the values are computed in float
    bool range_is_tighter = false;  // range() proves more than one value and lipschitz() do
    bool range_is_by_value = false; // range() is the bound by one value and lipschitz()
    double cheap_range = HUGE_VAL;  // side of the largest box whose range() costs about as much as one value (m)
};

// What one value proves about the field nearby; detect/bounds/clearance_radius.h derives the radius and explains the
// members.
struct ValueBounds {
    double lipschitz = HUGE_VAL;  // of the computed field
    double jump = 0;              // additional difference of two values, by rounding (m)
    double near_error = HUGE_VAL; // |value - distance| where |distance| <= band (m); infinity: no distance
    double far_error = HUGE_VAL;  // |value - distance| elsewhere (m)
    double band = HUGE_VAL;       // m
    double spread = 0;            // half the diagonal of a cell, if the errors contain that of interpolation (m)
    double max_slope = 1;         // Lipschitz bound on the distance, continued beyond the domain
};

// The octree whose cells suit the field: a cube around the interior, and how far to subdivide it.
struct FieldOctree {
    Box root{};
    int levels = 4; // by default
    int max_levels = 10;
    std::size_t max_nodes = 200'000;
};

struct FieldHalfSpace {
    Vec3 normal = Vec3::UnitZ(); // unit, outward
    double offset = 0;           // m
};

class Field {
public:
    virtual ~Field() = default;

    // Signed distance at p. Outside domain() it is a lower bound on the true distance.
    [[nodiscard]] virtual double distance(const Vec3& p) const = 0;

    // Signed distance and gradient at p.
    [[nodiscard]] virtual Sample sample(const Vec3& p) const = 0;

    // Batches of any size. Both spans have equal length.
    virtual void distances(std::span<const Vec3> points, std::span<double> out) const;
    virtual void samples(std::span<const Vec3> points, std::span<Sample> out) const;

    // Encloses distance(p) for every p of the box, inside or outside the domain, and tightens to distance(p) as the box
    // shrinks to p. An empty box gives an empty interval.
    [[nodiscard]] virtual Interval range(const Box& box) const = 0;
    virtual void ranges(std::span<const Box> boxes, std::span<Interval> out) const;

    // Lipschitz constant: |distance(p) - distance(q)| <= lipschitz() * |p - q| for all p, q. Infinity where no bound
    // holds.
    [[nodiscard]] virtual double lipschitz() const = 0;

    // Upper bound on |distance(p) - true signed distance| for p in domain(). Infinity if the values are not a distance;
    // then only their sign and range are meaningful.
    [[nodiscard]] virtual double error_bound() const = 0;

    // Box in which the error bound holds; infinite for analytic fields.
    [[nodiscard]] virtual Box domain() const = 0;

    // Box that contains the zero surface and the whole interior; infinite if none is known.
    [[nodiscard]] virtual Box bounds() const = 0;

    // ---- Descriptions, with defaults that hold for every field.

    [[nodiscard]] virtual FieldTraits traits() const;
    // As error_bound(), near the surface.
    [[nodiscard]] virtual double near_error_bound() const { return error_bound(); }
    // Length below which the field carries no information, for example the side of its cells (m). 0: no such length.
    [[nodiscard]] virtual double resolution() const { return 0; }
    // What one value proves about points where the field is above (or at most) `level`.
    [[nodiscard]] virtual ValueBounds value_bounds(double level) const;
    // Box that contains every point where the field is at most `level`, for level >= 0.
    [[nodiscard]] virtual Box level_bounds(double level) const;
    // Number of the element (triangle, brick) at the surface point closest to p; no_index if there are none.
    [[nodiscard]] virtual Index feature_at(const Vec3& p) const;
    // Bounds on gradients over boxes, built by this call; null if the field has none.
    [[nodiscard]] virtual std::shared_ptr<const FieldSlopes> slopes() const;
    // For each box its range, and a plane that bounds the interior in it. False, and nothing written: no planes are
    // known. At kinks many planes bound the interior; preferred are those that are normal to `facing` (unit, or 0: none
    // is preferred).
    virtual bool plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                              const Vec3& facing) const;
    [[nodiscard]] virtual FieldOctree octree() const;
    // As ranges(), for cells of octree(), with the effort that decides the most signs in a given time.
    virtual void octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const;
    // If the values are computed in single precision: the solid that they approximate, with values in double and bounds
    // that suit small boxes; else null. Values of the two differ by at most half of ValueBounds::jump.
    [[nodiscard]] virtual std::shared_ptr<const Field> in_double() const { return nullptr; }
    // The samples that the field interpolates; null if there are none.
    [[nodiscard]] virtual const GridData* grid_data() const { return nullptr; }
    // The triangles that are exactly the surface of the interior; null if there are none.
    [[nodiscard]] virtual std::shared_ptr<const TriangleMesh> surface() const { return nullptr; }
    // The expression that the field evaluates; null if it is not an analytic field.
    [[nodiscard]] virtual const AnalyticExpression* analytic_expression() const { return nullptr; }
    // The half-space that the interior is exactly, if it is one.
    [[nodiscard]] virtual std::optional<FieldHalfSpace> half_space() const { return std::nullopt; }
};

using FieldPtr = std::shared_ptr<const Field>;

// ---- Extension of a field that is known only in a box (its domain) to points outside of it.
// The interior of the shape lies in the domain, which is convex. Hence no interior point is closer to p than the
// hypotenuse over the gap from p to the domain and the distance at the nearest domain point. For values that are not a
// distance, sign and range are preserved. Thread-safe; does not allocate.

// Extended value at p; `value` is the field at `nearest`, the point of the domain nearest to p.
[[nodiscard]] inline double beyond_domain(const Vec3& p, const Vec3& nearest, double value) {
    const double gap = (p - nearest).norm();
    return value >= 0 ? std::hypot(gap, value) : value + gap;
}

// Extended value and gradient at p; `inside` is the sample at `nearest`. For p in the domain the result is `inside`
// itself.
[[nodiscard]] Sample beyond_domain(const Vec3& p, const Vec3& nearest, const Sample& inside);

// Encloses the extended field over `box`; `values` encloses the field at the domain points nearest to those of the box.
// Rounded outward.
[[nodiscard]] Interval beyond_domain(const Box& box, const Box& domain, const Interval& values);

} // namespace fathom
