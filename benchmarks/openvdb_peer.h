// The peer of grid fields: OpenVDB's narrow band, three voxels on either side of the surface, and its trilinear
// sampler.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/field/field.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>
#include <span>

namespace fathom::bench {

class OpenVdbField {
public:
    // By meshToVolume, in as many threads as set_thread_count() allows: both sit on the same TBB.
    OpenVdbField(const TriangleMesh& mesh, double cell);
    ~OpenVdbField();

    // By BoxSampler through an accessor. Beyond the band the answer is plus or minus three cells.
    void distances(std::span<const Vec3> points, std::span<double> out) const;
    // Its eight values once, and the gradient from them: there is no such call, but a careful user writes it.
    void samples(std::span<const Vec3> points, std::span<Sample> out) const;
    // The first crossing of each segment as a fraction by LevelSetRayIntersector; infinity for none.
    void first_hits(std::span<const Segment> segments, std::span<double> out) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
