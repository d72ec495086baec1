// Interface of all fields: signed distance, gradient, and range of values over a box.
// Distances are signed, in metres: positive outside, negative inside. Points and boxes are in the field's own frame.
// Every call is const, thread-safe and does not allocate. A batch gives the same bits as its points one by one.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/base/primitives.h>

#include <memory>
#include <span>

namespace fathom {

struct Sample {
    double distance = 0;          // signed distance (m)
    Vec3 gradient = Vec3::Zero(); // gradient of the field as evaluated; at kinks, one of its one-sided gradients
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
};

using FieldPtr = std::shared_ptr<const Field>;

} // namespace fathom
