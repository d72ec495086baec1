// The last word on one triangle, in double: how far is it, does a ray hit it? The same answer at an
// edge or corner whichever of its triangles is asked.
#pragma once

#include <fathom/geometry/surface_tree/surface_tree.h>

namespace fathom {

// The squared distance alone, three times as fast as closest_point: nothing is branched on, nothing described.
[[nodiscard]] double squared_distance(const Vec3& point, const std::array<Vec3, 3>& corners);

struct RayMeeting {
    bool hit = false;
    bool on_border =
        false;          // exactly on an edge or corner of the sheared triangle, or in its plane: then perhaps no hit
    SurfaceHit where{}; // of a hit
};

// A ray sheared so that it runs along its longest axis (Woop, Benthin & Wald 2013).
class ShearedRay {
public:
    explicit ShearedRay(const Ray& ray);

    // Hits at t in [0, t_max].
    [[nodiscard]] RayMeeting meet(const std::array<Vec3, 3>& corners, double t_max) const;

private:
    Vec3 origin_;
    int x_, y_, z_;
    double shear_x_, shear_y_, shear_z_;
    bool mirrored_; // the ray runs down its longest axis
};

} // namespace fathom
