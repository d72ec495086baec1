// The numbers of a network at points: values, and gradients by reverse mode, in float, many points at a
// time. Cost on one AVX2 core: 8 layers of 32 take about 0.2 us a point in batches, with gradient about twice that; a
// single point costs as much as three or four of a batch. Weights are kept twice more, packed for both directions. On
// one machine a point has the same bits in any batch and on any thread. Between CPU families the last bits may differ:
// sums are fused multiply-adds where the CPU has them. Errors of single operations: activation_error.h; dot products
// are rounded as any float sum of that length. Immutable and thread-safe once built; scratch memory belongs to the
// thread and is allocated only when it must grow.
#pragma once

#include <fathom/field/field.h>
#include <fathom/field/neural/network.h>

#include <memory>

namespace fathom {

struct PackedNetwork;

class NetworkValues {
public:
    // Error as check(); Error{invalid_argument} for a parameter past the limits of activation_error.h.
    explicit NetworkValues(const Network& network);

    // distance(p) = scale * net((p - center) / scale): the argument is rounded to float once. The network is asked
    // wherever p is, in its domain or not. Spans of equal length. NaN in, NaN out.
    void values(std::span<const Vec3> points, std::span<double> out) const;
    void samples(std::span<const Vec3> points, std::span<Sample> out) const; // values as above, bit for bit

    [[nodiscard]] std::size_t bytes() const; // of the packed weights

private:
    std::shared_ptr<const PackedNetwork> packed_;
};

} // namespace fathom
