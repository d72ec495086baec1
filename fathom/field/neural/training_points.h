// Points to fit and to judge a network by, with their exact signed distances from a mesh.
// Method: Davies et al. 2021 weigh points by exp(-beta |distance|); here they are drawn from that density outright (a
// place on the surface, moved along its normal), and some lie anywhere in the domain, so that the sign is right far
// from the surface too. Some three microseconds a point; in parallel, the same points for any number of threads.
// Thread-safe.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/neural/network_training.h>
#include <fathom/geometry/sample/shell_surface.h>

namespace fathom {

// Shares of the points, and how far they lie from the surface on average (as shares of the longest side of the mesh).
struct PointMix {
    double near = 0.75, near_distance = 0.01;
    double middle = 0.15, middle_distance = 0.08; // the rest lies anywhere in the domain
};

class TrainingSource {
public:
    // `network` tells frame and domain; both must outlive the source. Error{empty} where no triangle has area.
    TrainingSource(const MeshField& mesh, const Network& network);

    // What would lie outside of the domain is put onto its border.
    [[nodiscard]] TrainingPoints mixed(std::size_t count, std::uint64_t seed, const PointMix& mix = {},
                                       Progress* progress = nullptr) const;
    // Up to `reach` metres from the surface, evenly along its normals.
    [[nodiscard]] TrainingPoints near(std::size_t count, double reach, std::uint64_t seed) const;
    // Evenly in the domain.
    [[nodiscard]] TrainingPoints anywhere(std::size_t count, std::uint64_t seed) const;

private:
    template <class Place>
    TrainingPoints measured(std::size_t count, std::uint64_t seed, Progress* progress, const Place& place) const;

    const MeshField& mesh_;
    const Network& network_;
    ShellSurface surface_;
};

} // namespace fathom
