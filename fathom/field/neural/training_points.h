// Room: field. Points to fit and to judge a network by, with their exact signed distances from a mesh.
// Method: Davies et al. 2021 weigh points by exp(-beta |distance|); here they are drawn from that density outright (a place on the
// surface, moved along its normal), and some lie anywhere in the domain, so that the sign is right far from the surface too.
// A microsecond or two a point; in parallel, the same points for any number of threads.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/network_training.h>

namespace fathom {

// Shares of the points, and how far they lie from the surface on average (as shares of the longest side of the mesh).
struct PointMix {
    double near = 0.6, near_distance = 0.008;
    double middle = 0.25, middle_distance = 0.05; // the rest lies anywhere in the domain
};

// `network` tells frame and domain; what would lie outside of the domain is put onto its border.
[[nodiscard]] TrainingPoints fitting_points(const MeshField& mesh, const Network& network, std::size_t count, std::uint64_t seed,
                                            const PointMix& mix = {}, Progress* progress = nullptr);

// Up to `reach` metres from the surface, evenly over the offset.
[[nodiscard]] TrainingPoints near_points(const MeshField& mesh, const Network& network, std::size_t count, double reach, std::uint64_t seed);

// Evenly in the domain.
[[nodiscard]] TrainingPoints domain_points(const MeshField& mesh, const Network& network, std::size_t count, std::uint64_t seed);

} // namespace fathom
