// Another peer of distance grids: the closest point of CGAL's tree of boxes.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <memory>

namespace fathom::bench {

class CgalTree {
public:
    explicit CgalTree(const TriangleMesh& mesh); // in float, its fastest kernel, with its points as hints
    ~CgalTree();

    [[nodiscard]] double closest(const Vec3& point) const; // distance (m)

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom::bench
