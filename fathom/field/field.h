// The heart: a field answers how far, which way, and what range over a box.
// Distances are signed, in metres: positive outside, negative inside. Points and boxes are in the field's own frame.
// Every call is const, thread-safe and free of allocation. A batch gives the same bits as its points one by one.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/base/primitives.h>

#include <memory>
#include <span>

namespace fathom {

struct Sample {
    double distance = 0;          // m
    Vec3 gradient = Vec3::Zero(); // of the field as it answers; at kinks, one of its one-sided gradients
};

class Field {
public:
    virtual ~Field() = default;

    // How far. Outside domain() a lower bound on the true distance, never more.
    [[nodiscard]] virtual double distance(const Vec3& p) const = 0;

    // Which way: distance and gradient together.
    [[nodiscard]] virtual Sample sample(const Vec3& p) const = 0;

    // Spans of equal length, any number of points.
    virtual void distances(std::span<const Vec3> points, std::span<double> out) const;
    virtual void samples(std::span<const Vec3> points, std::span<Sample> out) const;

    // What it can be in this box: encloses distance(p) for every p of the box, in or outside the domain, and tightens
    // to distance(p) as the box shrinks to p. An empty box gives an empty interval.
    [[nodiscard]] virtual Interval range(const Box& box) const = 0;
    virtual void ranges(std::span<const Box> boxes, std::span<Interval> out) const;

    // |distance(p) - distance(q)| <= lipschitz() * |p - q| for all p, q. Infinity where no bound holds.
    [[nodiscard]] virtual double lipschitz() const = 0;

    // |distance(p) - true signed distance| for p in domain(). Infinity where the values are no distance at all: then
    // only the sign and the range mean something.
    [[nodiscard]] virtual double error_bound() const = 0;

    // Where the error bound holds; infinite for formulas.
    [[nodiscard]] virtual Box domain() const = 0;

    // A box that holds the whole zero surface and everything inside it; infinite where none is known.
    [[nodiscard]] virtual Box bounds() const = 0;
};

using FieldPtr = std::shared_ptr<const Field>;

} // namespace fathom
