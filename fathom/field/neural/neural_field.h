// A trained network as a field: neural implicits (Davies et al. 2021, DeepSDF, SIREN, NeRF-like occupancy). Its values
// are not proven distances: error_bound() is infinite, and only sign and range are reliable. measure() measures how
// close they are to distances; depth_estimate() estimates the depth of a point. Outside of its domain the network is
// not evaluated: the field is extended from the border (beyond_domain()). Cost: see network_values.h and
// network_range.h. For many queries in one place, sample it into a grid. If numbers overflow inside the network,
// results may be infinite or NaN.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>

#include <cstdint>

#include <memory>

namespace fathom {

class NetworkRange;
class NetworkValues;
struct PlaneOver;
struct RangeOptions;

class NeuralField final : public Field {
public:
    // Throws Error as check() and NetworkValues do. Evaluates up to some ten thousand ranges, for bounds().
    explicit NeuralField(Network network);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const override;
    // Tightened only until the sign is known. Several boxes at once are cheaper: ranges().
    [[nodiscard]] Interval range(const Box& box) const override;
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    // `planes` is empty or has one entry per box: a plane over the inside in that box, for the part of the box in the
    // domain.
    void ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                std::span<PlaneOver> planes = {}) const;

    // Bound for the exact network, extended beyond the domain. Values are computed in float arithmetic: those of two
    // points may differ by 2 * rounding_bound() more.
    [[nodiscard]] double lipschitz() const override { return lipschitz_; }
    // Bound on |computed - exact network| (m), at every point.
    [[nodiscard]] double rounding_bound() const { return rounding_bound_; }
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override { return network_.domain; }
    // Proven with ranges; accurate to about 1/64 of the domain where those are tight. Empty if nothing is inside.
    [[nodiscard]] Box bounds() const override { return bounds_; }

    [[nodiscard]] FieldTraits traits() const override;
    [[nodiscard]] ValueBounds value_bounds(double level) const override;
    bool plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                      const Vec3& facing) const override;
    [[nodiscard]] FieldOctree octree() const override; // deeper than by default: evaluations are expensive
    void octree_ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    // The exact network: the solid whose distance is computed where float is not accurate enough.
    [[nodiscard]] std::shared_ptr<const Field> in_double() const override { return exact_; }

    // Result of measure() with two thousand points. If true, values are good estimates of distances, though not proven
    // ones.
    [[nodiscard]] bool distance_like() const { return distance_like_; }
    [[nodiscard]] const Network& network() const { return network_; }
    [[nodiscard]] std::size_t bytes() const; // of the packed weights

private:
    Network network_;
    std::shared_ptr<const NetworkValues> values_;
    std::shared_ptr<const NetworkRange> range_;
    double lipschitz_;
    double rounding_bound_;
    Box bounds_;
    std::shared_ptr<const Field> exact_;
    bool distance_like_ = false;
};

// Statistics of a network at random points of its domain: measured, not proven.
struct NetworkReport {
    double gradient_median = 0;
    double gradient_largest = 0;
    Interval values = Interval::none(); // m
    bool distance_like = false;         // nine of ten gradients have a length between 1/2 and 2
};

struct NetworkReportOptions {
    std::size_t points = 20000;
    std::uint64_t seed = 1;
};

[[nodiscard]] NetworkReport measure(const NeuralField& field, const NetworkReportOptions& options = {});

// |f| / |grad f|: first-order estimate of the distance to the surface, whatever the values mean. Not a bound. Infinity
// where the gradient is 0 and f is not; 0 where f is 0.
[[nodiscard]] double depth_estimate(const Sample& sample);

} // namespace fathom
