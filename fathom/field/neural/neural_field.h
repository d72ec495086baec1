// A trained network as a field: neural implicits (Davies et al. 2021, DeepSDF, SIREN, NeRF-like
// occupancy). Its values are no proven distance: error_bound() is infinite, and only sign and range count. How near to
// a distance they are can be measured (measure()); how deep a point lies can be estimated (depth_estimate()). Outside
// of the network's domain the network is not asked: beyond_domain.h answers from the border. Cost: network_values.h and
// network_range.h. For many queries in one place, bake it into a grid. Where numbers overflow inside the network, its
// answers may be infinite or NaN.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>
#include <fathom/field/neural/network_range.h>
#include <fathom/field/neural/network_values.h>

#include <cstdint>

namespace fathom {

class NeuralField final : public Field {
public:
    // Error as check() and NetworkValues. Takes up to some ten thousand ranges, for bounds().
    explicit NeuralField(Network network);

    [[nodiscard]] double distance(const Vec3& p) const override;
    [[nodiscard]] Sample sample(const Vec3& p) const override;
    void distances(std::span<const Vec3> points, std::span<double> out) const override;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const override;
    [[nodiscard]] Interval
    range(const Box& box) const override; // as far as its sign needs; several at once are cheaper: ranges()
    void ranges(std::span<const Box> boxes, std::span<Interval> out) const override;
    // `planes`, of as many or none: over what is inside in each box, where it is in the domain.
    void ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                std::span<PlaneOver> planes = {}) const;

    // Of the exact network, and what follows from it beyond the domain. The answers are those of float arithmetic: two
    // points may differ by 2 * rounding_bound() more.
    [[nodiscard]] double lipschitz() const override { return lipschitz_; }
    [[nodiscard]] double rounding_bound() const {
        return rounding_bound_;
    } // |computed - exact network| (m), wherever it is asked
    [[nodiscard]] double error_bound() const override;
    [[nodiscard]] Box domain() const override { return network_.domain; }
    // Proven with ranges; to about 1/64 of the domain where those are tight. Empty where nothing is inside.
    [[nodiscard]] Box bounds() const override { return bounds_; }

    // As measure() finds it with two thousand points: then values are good estimates of distances, though not proven
    // ones.
    [[nodiscard]] bool distance_like() const { return distance_like_; }
    [[nodiscard]] const Network& network() const { return network_; }
    [[nodiscard]] std::size_t bytes() const { return values_.bytes(); } // of the weights as they are run

private:
    Network network_;
    NetworkValues values_;
    NetworkRange range_;
    double lipschitz_;
    double rounding_bound_;
    Box bounds_;
    bool distance_like_ = false;
};

// A network seen at random points of its domain: measured, not proven.
struct NetworkReport {
    double gradient_median = 0;
    double gradient_largest = 0;
    Interval values = Interval::none(); // m
    bool distance_like = false;         // nine of ten gradients are between 1/2 and 2 long
};

struct NetworkReportOptions {
    std::size_t points = 20000;
    std::uint64_t seed = 1;
};

[[nodiscard]] NetworkReport measure(const NeuralField& field, const NetworkReportOptions& options = {});

// |f| / |grad f|: to first order how far the surface is, whatever the values mean. An estimate, never a bound. Infinity
// where the field is flat and not 0; 0 where it is 0.
[[nodiscard]] double depth_estimate(const Sample& sample);

} // namespace fathom
