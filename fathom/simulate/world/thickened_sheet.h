// A thin closed hull round an open sheet, for depth maps, which know only solids: both faces, half the
// thickness away, and a strip along the border. O(n) to move. Thread-safe but for move().
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>
#include <vector>

namespace fathom {

class SheetHull {
public:
    // Thickness in metres; 0: a fifth of the mean edge.
    SheetHull(const TriangleMesh& sheet, double thickness = 0);

    void move(std::span<const Vec3> vertices); // of the sheet
    [[nodiscard]] double thickness() const { return 2 * half_; }
    [[nodiscard]] const TriangleMesh& mesh() const { return mesh_; } // vertex k on the front, k + n on the back
    [[nodiscard]] std::vector<Vec3>
    doubled(std::span<const Vec3> of_vertices) const; // what vertices have, for those of the hull

private:
    std::vector<Triangle> faces_;
    double half_ = 0;
    TriangleMesh mesh_;
};

[[nodiscard]] bool is_open(const TriangleMesh& mesh); // has an edge with one side alone

} // namespace fathom
