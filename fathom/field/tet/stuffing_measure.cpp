// Counts, angles, volumes and distances for the report of tetrahedralize().
#include <fathom/base/parallel.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/tet/stuffing_measure.h>
#include <fathom/geometry/mesh/disjoint_sets.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/mesh/weld.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

AngleRange all_angles(const TetMesh& mesh) {
    const auto wider = [](AngleRange a, const AngleRange& b) {
        return AngleRange{std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
    };
    return parallel_reduce(
        mesh.tetrahedra.size(), 4096, AngleRange{},
        [&](std::size_t begin, std::size_t end) {
            AngleRange range;
            for (std::size_t t = begin; t < end; ++t) range = wider(range, dihedral_angles(mesh.corners(t)));
            return range;
        },
        wider);
}

double volume_of(const TetMesh& mesh) {
    return parallel_reduce(
        mesh.tetrahedra.size(), 4096, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t t = begin; t < end; ++t) sum += signed_volume(mesh.corners(t));
            return sum;
        },
        [](double a, double b) { return a + b; });
}

std::size_t part_count(const TetMesh& mesh) {
    DisjointSets sets(mesh.vertices.size());
    for (const Tetrahedron& t : mesh.tetrahedra)
        for (std::size_t k = 1; k < 4; ++k) sets.join(t[0], t[k]);
    return sets.count();
}

// By value over slope: the values themselves where they are distances.
double largest_distance(const Field& field, const std::vector<Vec3>& points) {
    const auto larger = [](double a, double b) { return std::max(a, b); };
    return parallel_reduce(
        points.size(), 1024, 0.0,
        [&](std::size_t begin, std::size_t end) {
            std::vector<Sample> samples(end - begin);
            field.samples(std::span(points).subspan(begin, end - begin), samples);
            double largest = 0;
            for (const Sample& s : samples) {
                const double slope = s.gradient.norm();
                largest = std::max(largest, std::abs(s.distance) / (slope > 1e-6 ? slope : 1.0));
            }
            return largest;
        },
        larger);
}

double boundary_deviation(const Field& field, const TriangleMesh& skin) {
    std::vector<Vec3> points = skin.vertices;
    for (std::size_t t = 0; t < skin.triangles.size(); ++t) {
        const auto c = skin.corners(t);
        points.push_back((c[0] + c[1] + c[2]) / 3);
    }
    return largest_distance(field, points);
}

double missed_deviation(const Field& field, const StuffingLattice& lattice, const TriangleMesh& skin,
                        Progress* progress) {
    const Box box = lattice.box();
    const int resolution = static_cast<int>(std::lround(2 * box.size().maxCoeff() / lattice.cell()));
    const TriangleMesh finer = contour(field, box, resolution, {.progress = progress});
    std::vector<ClosestPoint> nearest(finer.vertices.size());
    SurfaceTree(skin).closest(finer.vertices, nearest);
    double largest = 0;
    for (const ClosestPoint& p : nearest) largest = std::max(largest, p.squared_distance);
    return std::sqrt(largest);
}

} // namespace

StuffingReport measured(const Field& field, const StuffingLattice& lattice, const TetMesh& mesh,
                        const TriangleMesh& boundary, const PinchCounts& pinches, const StuffingOptions& options) {
    const TriangleMesh skin = without_unreferenced_vertices(boundary);
    const AngleRange angles = all_angles(mesh);
    StuffingReport report;
    report.cell = lattice.cell();
    report.tetrahedra = mesh.tetrahedra.size();
    report.vertices = mesh.vertices.size();
    report.boundary_triangles = skin.triangles.size();
    report.parts = part_count(mesh);
    report.smallest_angle = angles.smallest;
    report.largest_angle = angles.largest;
    report.volume = volume_of(mesh);
    report.split_vertices = pinches.split_vertices;
    report.dropped_tetrahedra = pinches.dropped_tetrahedra;
    if (!options.measure) return report;
    const StuffingLattice::Volume volume = lattice.volume_of(field);
    report.hidden_edges = lattice.hidden_edges(field);
    report.field_volume = volume.value;
    report.field_volume_error = volume.deviation;
    report.boundary_deviation = boundary_deviation(field, skin);
    report.missed_deviation = missed_deviation(field, lattice, skin, options.progress);
    return report;
}

} // namespace fathom
