// Benchmarks: the only file that knows CGAL.
#include <benchmarks/cgal_peer.h>

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include <cmath>
#include <vector>

namespace fathom::bench {

namespace {

using Kernel = CGAL::Simple_cartesian<float>;
using Facets = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Facets::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

Kernel::Point_3 point_of(const Vec3& p) {
    return {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
}

} // namespace

struct CgalTree::State {
    Facets facets;
    Tree tree;
};

CgalTree::CgalTree(const TriangleMesh& mesh) : state_(std::make_unique<State>()) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        const Kernel::Triangle_3 facet(point_of(c[0]), point_of(c[1]), point_of(c[2]));
        if (!facet.is_degenerate()) state_->facets.push_back(facet);
    }
    state_->tree.insert(state_->facets.begin(), state_->facets.end());
    state_->tree.build();
    state_->tree.accelerate_distance_queries();
}

CgalTree::~CgalTree() = default;

double CgalTree::closest(const Vec3& point) const {
    return std::sqrt(static_cast<double>(state_->tree.squared_distance(point_of(point))));
}

} // namespace fathom::bench
