// The peer of surface queries: Embree's nearest triangle and first hit, as a careful user calls them.
#pragma once

#include <fathom/base/primitives.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace fathom::bench {

class EmbreeScene {
public:
    explicit EmbreeScene(const TriangleMesh& mesh); // built on one thread, medium quality
    ~EmbreeScene();

    // Distance by rtcPointQuery within `radius` (m); infinity where nothing is.
    [[nodiscard]] double closest(const Vec3& point, double radius = std::numeric_limits<double>::infinity()) const;
    // Parameter of the first hit by rtcIntersect1; infinity for none.
    [[nodiscard]] double first_hit(const Ray& ray) const;

    // Segments: the first hit as a fraction by rtcIntersect1, infinity for none; one after the other.
    void first_hits(std::span<const Segment> segments, std::span<double> out) const;
    // Every hit of each segment, ascending, one for each triangle: a filter that collects, then sort and drop
    // duplicates. Returns their number; `out` holds those of the last segment.
    std::size_t all_hits(std::span<const Segment> segments, std::vector<float>& out) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
