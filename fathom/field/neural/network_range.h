// Sound range of a network over a box, and bounds on its slope.
// Method: affine arithmetic through the layers after Sharp & Jacobson 2022 ("Spelunking the deep"), here with the box's
// three coordinates kept exactly and one radius per unit for everything else. Then the derivatives of the result are
// propagated backward through the linear bounds of the activations, as in DeepPoly (Singh et al. 2019), so that the
// contributions of single units may cancel.
// Boxes are in the field's frame (m), inside the network's domain. Every interval contains scale * net((p - centre) /
// scale) for each p of the box, both the exact value and the value that float kernels compute (the point rounded to
// float once, sums in any order, fused or not, activations within activation_error). In a box where every unit is
// linear it is exact up to rounding. A box whose numbers might overflow gets an infinite interval, an empty box an
// empty interval. A single box gives the same bits as in a batch.
// Cost: see RangeEffort; boxes are cheapest in batches of 8 or more. Immutable and thread-safe; scratch memory belongs
// to the thread.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/field.h>
#include <fathom/field/neural/range_program.h>
#include <fathom/field/plane_over.h>

#include <array>
#include <memory>
#include <mutex>
#include <span>

namespace fathom {

// Effort spent on tightening. The interval of each level contains that of the next.
enum class RangeEffort : unsigned char {
    affine, // forward only: five times the multiplications of a value, 6 to 7.5 times its time
    // Derivatives of the result are also propagated backward through all units: 10 to 13 times the time of a value; the
    // interval is 3 to 20 times narrower.
    backward,
    // Repeated with up to 32 units of each layer as separate coordinates: 3 to 20 times the cost; in large boxes the
    // interval is up to a hundred times narrower. Octrees of depth 6 over fox (8 x 32 relu) and bunny (8 x 64 elu): 7
    // and 5 times fewer cells than backward, in 0.6 and 2 times the time; affine alone leaves another 1.5 to 2 times as
    // many leaves undecided.
    refined
};

struct RangeOptions {
    RangeEffort effort = RangeEffort::refined;
    // false: stop tightening a box once its sign is known and the interval is not extremely loose.
    bool every_box = false;
    // Direction (unit) along which planes are to bound the inside most tightly, where they can be chosen: in networks
    // whose hidden units are all ReLU. 0: none is preferred.
    Vec3 facing = Vec3::Zero();
};

class NetworkRange {
public:
    explicit NetworkRange(const Network& network); // packs the weights twice; the network need not outlive it

    // Where a box leaves the domain, its range is that of the points of the domain nearest to it. `planes` is empty or
    // has one entry per box: a plane over the inside in that box, of the field as it is extended beyond its domain.
    void ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options = {},
                std::span<PlaneOver> planes = {}) const;

    // In double: value and gradient at a point of the domain, and bounds over boxes as by ranges() with the effort
    // `backward`, but of the exact network and of what exact_sample() computes; for small boxes. Upper ends are loose.
    [[nodiscard]] Sample exact_sample(const Vec3& p, bool gradient = true) const;
    void exact_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                      const Vec3& facing) const;

    // Proven bound on the length of the exact network's gradient over its domain (m/m); infinite if none was found. Far
    // above the true maximum slope for deep networks: about the product of the layers' spectral norms. The first call
    // evaluates up to some thousand boxes (a tenth of a second, on all threads); later calls are free.
    [[nodiscard]] double lipschitz() const;

private:
    struct Frame {
        PositionalEncoding encoding;
        Vec3 center = Vec3::Zero();
        double scale = 1;
        Activation last = Activation::none;
        float parameter = 1;
        bool bounded = true; // false: float kernels reject the parameters
    };
    struct MaxSlope {
        std::once_flag once;
        double bound = 0;
    };
    struct Side {
        double middle, half;
    };
    [[nodiscard]] Side in_frame(const Box& box, int axis) const;
    [[nodiscard]] Side exactly_in_frame(const Box& box, int axis) const;
    void enter_exactly(const std::array<Side, 3>& sides, std::span<double> entered) const;
    void enter(const Box& box, float* entered) const;
    void ranges_of_block(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                         std::span<PlaneOver> planes) const;
    void face(const Box& box, std::span<const float> entered, const Vec3& direction, Interval& range,
              PlaneOver& plane) const;
    [[nodiscard]] Box in_domain(const Box& box) const;
    [[nodiscard]] Interval leave(const RangeSphere& sphere) const;
    // `sides`: of the part of the box in the domain.
    [[nodiscard]] PlaneOver plane_of(const RangeSphere& sphere, const Box& box, const std::array<Side, 3>& sides) const;
    [[nodiscard]] PlaneOver plane_of(const RangeSphere& sphere, const Box& box) const;
    RangeSphere refined(std::span<const float> entered, std::size_t symbols, std::span<float> columns) const;
    [[nodiscard]] double encoded_slope(const Box& box, std::span<const double> centre,
                                       std::span<const double> radius) const;
    [[nodiscard]] double slope_bound(const Box& box, std::span<const double> norms) const;
    [[nodiscard]] double slope_bound_by_splitting(const Box& domain, std::span<const double> norms) const;
    [[nodiscard]] double norm_product(std::span<const double> norms) const;

    Frame frame_;
    Box domain_;
    std::shared_ptr<const RangeProgram> program_;
    std::shared_ptr<MaxSlope> max_slope_;
};

} // namespace fathom
