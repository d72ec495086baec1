// Depth between the nodes of a tetrahedral body: linear in every tetrahedron (Marchal et al. 2004, section 5.1), with
// extra samples where linear interpolation gives 0 inside. Two boundary nodes may be connected through the inside, by
// an edge, a face or a whole tetrahedron: the depth between them then interpolates to 0, and a contact there has no
// force.
//   none     plain linear interpolation, with the defect;
//   paper    tetrahedra of four boundary nodes are divided into four about their centre (section 6.2): inner edges and
//            faces still have depth 0;
//   samples  depths are also measured at the centres of such edges, faces and tetrahedra, which are divided about them
//            for interpolation only: no new nodes, no new degrees of freedom. Neighbours agree on the division of their
//            common face, so the depth is continuous.
// Cost: a sample costs as much as a node. Reading is thread-safe and allocates nothing.
#pragma once

#include <fathom/base/interval.h>
#include <fathom/field/tet/node_depths.h>

#include <algorithm>

namespace fathom {

enum class DefectHandling : std::uint8_t { none, paper, samples };

using TetWeights = std::array<double, 4>; // barycentric weights of the corners

class TetInterpolant {
public:
    TetInterpolant() = default;
    // `topology` must be that of the same mesh. Keeps a copy of the tetrahedra.
    TetInterpolant(std::span<const Tetrahedron> tetrahedra, const BodyTopology& topology,
                   DefectHandling handling = DefectHandling::samples);

    // Copies the depths, and measures the extra samples at these positions with the same method. Unknown depths count
    // as 0.
    void update(const NodeDepths& depths, std::span<const Vec3> positions);

    // Depth (m, >= 0) at a point of a tetrahedron, given its weights (non-negative, sum 1).
    [[nodiscard]] double depth(Index tetrahedron, const TetWeights& weights) const {
        const TetWeights s = slopes(tetrahedron, weights);
        return s[0] * weights[0] + s[1] * weights[1] + s[2] * weights[2] + s[3] * weights[3];
    }
    // Derivatives of the depth with respect to the weights at that point: constant in a tetrahedron without extra
    // samples, else in each of its pieces. depth = sum of slopes times weights; gradient = sum of slopes times
    // gradients of the weights.
    [[nodiscard]] TetWeights slopes(Index tetrahedron, const TetWeights& weights) const;

    // Smallest and largest depth in a tetrahedron.
    [[nodiscard]] Interval range(Index tetrahedron) const;
    // Calls the visitor with the slopes of each piece of a tetrahedron.
    template <class Visitor>
    void visit_pieces(Index tetrahedron, const Visitor& visitor) const;

    [[nodiscard]] bool has_samples(Index tetrahedron) const { return cut_of_[tetrahedron] != no_index; }
    [[nodiscard]] std::size_t sample_count() const { return parents_.size(); }
    [[nodiscard]] std::span<const Tetrahedron> tetrahedra() const { return tetrahedra_; }

private:
    using Parents = std::array<Index, 4>; // nodes whose centre is the sample, then no_index

    // The samples of a tetrahedron: at its centre, at its faces (face k is opposite corner k) and at its edges (see
    // edge_between).
    struct Cut {
        Index center = no_index;
        std::array<Index, 4> faces = {no_index, no_index, no_index, no_index};
        std::array<Index, 6> edges = {no_index, no_index, no_index, no_index, no_index, no_index};
    };

    void find_cuts(const BodyTopology& topology);
    void find_centers(const BodyTopology& topology);

    std::vector<Tetrahedron> tetrahedra_;
    std::vector<Index> cut_of_; // by tetrahedron
    std::vector<Cut> cuts_;
    std::vector<Parents> parents_;
    std::vector<double> depths_; // by node
    std::vector<double> sample_depths_;
};

template <class Visitor>
void TetInterpolant::visit_pieces(Index tetrahedron, const Visitor& visitor) const {
    if (!has_samples(tetrahedron)) return visitor(slopes(tetrahedron, {0.25, 0.25, 0.25, 0.25}));
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    do {
        TetWeights inside{};
        for (std::size_t k = 0; k < 4; ++k) inside[order[k]] = 0.1 * static_cast<double>(k + 1);
        visitor(slopes(tetrahedron, inside));
    } while (std::next_permutation(order.begin(), order.end()));
}

} // namespace fathom
