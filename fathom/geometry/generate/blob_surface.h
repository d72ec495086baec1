// A smooth closed surface as the level set of blended blobs, and its mesh with a wanted number of
// triangles. Method: soft objects (Wyvill, McPheeters & Wyvill 1986) around tapered segments; marching tetrahedra on
// Kuhn's cut of a cubic lattice (always a closed manifold), edges collapsed shortest first (Hoppe et al. 1993),
// relaxed, then refined 1 to 4. For shapes known to be resolved by the lattice; not for thin or sharp ones.
// Thread-safe; same bytes for any thread count.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

namespace fathom {

// A tapered segment with round ends, flattened along one direction. Alone it makes the surface at its own radius.
struct Blob {
    Vec3 start = Vec3::Zero(), end = Vec3::Zero();
    double start_radius = 1, end_radius = 1;
    Vec3 flat_axis = Vec3::UnitZ(); // unit
    double flatness = 1; // the radius along flat_axis is this many times smaller; the segment is not along it
    double weight = 1;   // below 0: carves
};

class BlobSurface {
public:
    explicit BlobSurface(std::vector<Blob> blobs);

    struct Sample {
        double value;  // below 0 inside, 0 on the surface, 1 far away; no distance
        Vec3 gradient; // points outward on the surface
    };
    [[nodiscard]] double value(const Vec3& p) const { return sample(p).value; }
    [[nodiscard]] Sample sample(const Vec3& p) const;
    [[nodiscard]] Vec3 normal(const Vec3& p) const; // unit

    // The point of the surface near p, by Newton steps along the gradient, none longer than `reach`.
    [[nodiscard]] Vec3 project(const Vec3& p, double reach, int steps = 3) const;

    // How coarse triangles may be near p: the blended radius of the blobs there (m).
    [[nodiscard]] double thickness(const Vec3& p) const;

    [[nodiscard]] Box bounds() const { return bounds_; } // encloses the surface

private:
    struct Prepared {
        Vec3 start, axis; // in the flattened frame
        double inverse_length_squared, start_radius, taper, weight, smallest_radius;
        Mat3 flatten;
        Vec3 center; // of a ball around all it can influence
        double influence_squared;
    };
    std::vector<Prepared> blobs_;
    Box bounds_;
};

struct BlobMeshOptions {
    std::size_t triangles = 20'000; // met within 0.5 %
    double lattice = 0.01;          // edge of the cells that see the surface first (m); finer than its thinnest part
};

[[nodiscard]] TriangleMesh mesh_of(const BlobSurface& surface, const BlobMeshOptions& options = {});

} // namespace fathom
