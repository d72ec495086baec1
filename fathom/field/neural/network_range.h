// The sound range of a network over a box, and how fast the network can change.
// Method: affine arithmetic through the layers after Sharp & Jacobson 2022 ("Spelunking the deep"), here with the box's
// three coordinates kept exactly and one radius a unit for all else; then the slopes of the result are run back through
// the straight lines that stand for the activations, as in DeepPoly (Singh et al. 2019), so that what single units add
// may cancel on its way. Boxes are in the field's frame (m), inside the network's domain. Every interval holds scale *
// net((p - centre) / scale) for each p of the box, both the exact value and what float kernels compute (the point
// rounded to float once, sums in any order, fused or not, activations within activation_error); in a box where every
// unit is linear it is exact but for rounding. A box whose numbers might overflow gets an infinite interval, an empty
// one an empty interval. A box alone gives the same bits as in a batch. Cost: see RangeEffort; boxes are cheapest in
// batches of 8 or more. Immutable and thread-safe; scratch memory belongs to the thread.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/neural/range_program.h>
#include <fathom/field/plane_over.h>

#include <memory>
#include <span>

namespace fathom {

// How much is tried. Each contains what follows it.
enum class RangeEffort : unsigned char {
    affine,   // forward only: five multiplications for each of a value, 6 to 7.5 times its time
    backward, // slopes of the result back through all units: 10 to 13 times the time of a value, and an interval 3 to
              // 20 times narrower
    refined // again with up to 32 units of each layer as coordinates of their own: 3 to 20 times the cost, and in large
            // boxes an interval up to a hundred times narrower. Octrees of depth 6 over fox (8 x 32 relu) and bunny (8
            // x 64 elu): 7 and 5 times fewer cells than backward, in 0.6 and 2 times the time; affine alone leaves
            // another 1.5 to 2 times as many leaves open
};

struct RangeOptions {
    RangeEffort effort = RangeEffort::refined;
    bool every_box =
        false; // false: no more effort on a box as soon as its sign is known and the interval is not extremely loose
};

// The network, or what is left of it inside a box.
class NetworkPart {
public:
    NetworkPart() = default; // answers nothing; storage for shorten()
    explicit NetworkPart(const Network& network);

    // `planes`, of as many or none: over what is inside in each box.
    void ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options = {},
                std::span<PlaneOver> planes = {}) const;

    // Makes `part` the network as it acts inside `box`: units that are off are dropped, and units that are linear are
    // folded into those that follow. Returns the range over the box. For boxes inside it the part's answers are valid
    // and about as tight as those of the whole. Where too few units are decided the part is the whole. A part can be
    // shortened again. Its storage is reused. `part` must not be this. Cost: up to one value of the network for each
    // unit that is left. Not for octrees over 8 x 32 ReLU or 8 x 64 ELU: with refined ranges it gained nothing there,
    // and without them it took up to twice as long as the whole.
    Interval shorten(const Box& box, NetworkPart& part) const;

    // The exact network's gradient is nowhere in the box longer than this (m/m). Looks at some thousand pieces of the
    // box.
    [[nodiscard]] double steepest_slope(const Box& box) const;

    [[nodiscard]] std::size_t multiplications() const {
        return program_ ? program_->multiplications() : 0;
    } // of a value

private:
    friend class NetworkRange;

    struct Frame {
        PositionalEncoding encoding;
        Vec3 center = Vec3::Zero();
        double scale = 1;
        Activation last = Activation::none;
        float parameter = 1;
        bool bounded = true; // false: parameters that float kernels refuse
    };

    struct Side {
        double middle, half;
    };
    [[nodiscard]] Side in_frame(const Box& box, int axis) const;
    void enter(const Box& box, float* entered) const;
    void ranges_of_block(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options,
                         std::span<PlaneOver> planes) const;
    [[nodiscard]] Interval leave(const RangeBall& ball) const;
    [[nodiscard]] PlaneOver plane_of(const RangeBall& ball, const Box& box) const;
    RangeBall refined(std::span<const float> entered, std::size_t symbols, std::span<float> columns) const;
    [[nodiscard]] double encoded_slope(const Box& box, std::span<const double> centre,
                                       std::span<const double> radius) const;
    [[nodiscard]] double slope_bound(const Box& box, std::span<const double> norms) const;
    [[nodiscard]] double slope_bound_by_splitting(const Box& domain, std::span<const double> norms) const;
    [[nodiscard]] double norm_product(std::span<const double> norms) const;

    Frame frame_;
    std::shared_ptr<const RangeProgram> program_;
    std::shared_ptr<RangeProgram> storage_; // of the program, where this part made its own
};

class NetworkRange {
public:
    explicit NetworkRange(const Network& network); // packs the weights twice; the network may go afterwards

    void ranges(std::span<const Box> boxes, std::span<Interval> out, const RangeOptions& options = {},
                std::span<PlaneOver> planes = {}) const {
        whole_.ranges(boxes, out, options, planes);
    }
    Interval shorten(const Box& box, NetworkPart& part) const { return whole_.shorten(box, part); }
    [[nodiscard]] const NetworkPart& whole() const { return whole_; }

    // A proven bound on the length of the exact network's gradient over its domain (m/m); infinite where none was
    // found. Far above the steepest slope for deep networks: about the product of the layers' spectral norms. The first
    // call looks at up to some thousand boxes (a tenth of a second, on all threads); later ones cost nothing.
    [[nodiscard]] double lipschitz() const;

private:
    struct Steepest;

    NetworkPart whole_;
    Box domain_;
    std::shared_ptr<Steepest> steepest_;
};

} // namespace fathom
