// Benchmarks: the only file that knows OpenVDB.
#include <benchmarks/openvdb_peer.h>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/RayIntersector.h>

#include <cmath>
#include <limits>

namespace fathom::bench {

struct OpenVdbField::State {
    openvdb::FloatGrid::Ptr grid;
    double cell = 1;

    [[nodiscard]] openvdb::Vec3R index_point(const Vec3& p) const { return {p.x() / cell, p.y() / cell, p.z() / cell}; }
};

namespace {

double mix(double a, double b, double t) { return a + t * (b - a); }

} // namespace

OpenVdbField::OpenVdbField(const TriangleMesh& mesh, double cell) : state_(std::make_unique<State>()) {
    static const bool ready = (openvdb::initialize(), true);
    (void)ready;
    state_->cell = cell;
    std::vector<openvdb::Vec3s> points;
    points.reserve(mesh.vertices.size());
    for (const Vec3& v : mesh.vertices) points.emplace_back(state_->index_point(v));
    std::vector<openvdb::Vec3I> triangles;
    triangles.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
    const auto transform = openvdb::math::Transform::createLinearTransform(cell);
    state_->grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(adapter, *transform, 3.0f, 3.0f);
}

OpenVdbField::~OpenVdbField() = default;

void OpenVdbField::distances(std::span<const Vec3> points, std::span<double> out) const {
    const auto accessor = state_->grid->getConstAccessor();
    for (std::size_t k = 0; k < points.size(); ++k)
        out[k] = static_cast<double>(openvdb::tools::BoxSampler::sample(accessor, state_->index_point(points[k])));
}

void OpenVdbField::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    const auto accessor = state_->grid->getConstAccessor();
    for (std::size_t n = 0; n < points.size(); ++n) {
        const openvdb::Vec3R p = state_->index_point(points[n]);
        const double x = std::floor(p.x()), y = std::floor(p.y()), z = std::floor(p.z());
        const double u = p.x() - x, v = p.y() - y, w = p.z() - z;
        float c[2][2][2]; // by x, y, z
        openvdb::tools::BoxSampler::getValues(
            c, accessor, openvdb::Coord(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
        double edge[2][2], slope[2][2]; // by x, y: along z
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
                edge[i][j] = mix(c[i][j][0], c[i][j][1], w);
                slope[i][j] = c[i][j][1] - c[i][j][0];
            }
        const double low = mix(edge[0][0], edge[0][1], v), high = mix(edge[1][0], edge[1][1], v);
        const Vec3 gradient(high - low, mix(edge[0][1] - edge[0][0], edge[1][1] - edge[1][0], u),
                            mix(mix(slope[0][0], slope[0][1], v), mix(slope[1][0], slope[1][1], v), u));
        out[n] = {mix(low, high, u), gradient / state_->cell};
    }
}

void OpenVdbField::first_hits(std::span<const Segment> segments, std::span<double> out) const {
    using Intersector = openvdb::tools::LevelSetRayIntersector<openvdb::FloatGrid>;
    const Intersector intersector(*state_->grid);
    for (std::size_t k = 0; k < segments.size(); ++k) {
        const Segment& s = segments[k];
        const Vec3 d = s.end - s.start;
        const double length = d.norm();
        const openvdb::Vec3R origin(s.start.x(), s.start.y(), s.start.z()),
            direction(d.x() / length, d.y() / length, d.z() / length);
        const Intersector::RayType ray(origin, direction, 1e-9 * length, length); // its rays must not begin at 0
        double time = 0;
        out[k] = intersector.intersectsWS(ray, time) ? time / length : std::numeric_limits<double>::infinity();
    }
}

std::size_t OpenVdbField::bytes() const { return state_->grid->memUsage(); }

} // namespace fathom::bench
