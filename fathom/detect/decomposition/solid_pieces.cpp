// Components with their cavities, and the directions of flat faces.
#include <fathom/detect/decomposition/solid_pieces.h>

#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/weld.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace fathom::decomposition {

namespace {

constexpr std::size_t max_pieces = 1000;

// The component that the part belongs to: itself, or the smallest one around a cavity.
std::optional<Index> solid_of(std::span<const Component> parts, Index part) {
    if (!parts[part].closed) return std::nullopt;
    if (parts[part].volume >= 0) return part;
    std::optional<Index> best;
    for (Index k = 0; k < parts.size(); ++k)
        if (parts[k].volume > -parts[part].volume && parts[k].bounds.contains(parts[part].bounds) &&
            (!best || parts[k].volume < parts[*best].volume))
            best = k;
    return best;
}

// Area of the faces in one direction, without its sign.
struct Direction {
    Vec3 normal = Vec3::Zero(); // of the largest triangle
    double largest = 0, area = 0;
};

std::vector<Direction> directions_of(const TriangleMesh& mesh) {
    constexpr std::size_t most = 12;
    std::map<std::array<int, 3>, Direction> bins;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Vec3 twice = area_vector(mesh.corners(t));
        const double area = 0.5 * twice.norm();
        if (!(area > 0)) continue;
        Vec3 n = twice / (2 * area);
        int first = 0;
        while (std::abs(n[first]) <= 1e-6) ++first;
        if (n[first] < 0) n = -n;
        const auto rounded = [](double x) { return static_cast<int>(std::lround(500 * x)); };
        Direction& bin = bins[{rounded(n.x()), rounded(n.y()), rounded(n.z())}];
        bin.area += area;
        if (area > bin.largest * (1 + 1e-9)) bin.largest = area, bin.normal = n;
    }
    std::vector<Direction> all;
    all.reserve(bins.size());
    for (const auto& [key, bin] : bins) all.push_back(bin);
    std::stable_sort(all.begin(), all.end(), [](const Direction& a, const Direction& b) {
        return static_cast<float>(a.area) > static_cast<float>(b.area);
    });
    if (all.size() > most) all.resize(most);
    return all;
}

double square_area(std::span<const Direction> directions, const Mat3& rotation) {
    double area = 0;
    for (const Direction& d : directions)
        if ((rotation * d.normal).cwiseAbs().maxCoeff() > 1 - 1e-9) area += d.area;
    return area;
}

} // namespace

std::vector<TriangleMesh> pieces_of(const TriangleMesh& mesh) {
    const Components found = components(mesh);
    if (found.parts.size() < 2 || found.parts.size() > max_pieces) return {mesh};
    std::map<Index, TriangleMesh> solids;
    for (Index part = 0; part < found.parts.size(); ++part) {
        const std::optional<Index> solid = solid_of(found.parts, part);
        if (!solid) return {mesh};
        TriangleMesh& piece = solids[*solid];
        piece.vertices = mesh.vertices;
        for (const Index t : found.triangles_of_part[part]) piece.triangles.push_back(mesh.triangles[t]);
    }
    std::vector<TriangleMesh> pieces;
    pieces.reserve(solids.size());
    for (const auto& [solid, piece] : solids) pieces.push_back(without_unreferenced_vertices(piece));
    return pieces;
}

Mat3 squaring_rotation(const TriangleMesh& mesh) {
    double total = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) total += 0.5 * area_vector(mesh.corners(t)).norm();
    const std::vector<Direction> directions = directions_of(mesh);
    Mat3 best = Mat3::Identity();
    double most = std::max(1.05 * square_area(directions, best), total / 3);
    for (const Direction& a : directions)
        for (const Direction& b : directions) {
            if (std::abs(a.normal.dot(b.normal)) > 1e-6) continue;
            Mat3 rotation;
            rotation.row(0) = a.normal;
            rotation.row(1) = (b.normal - a.normal.dot(b.normal) * a.normal).normalized();
            rotation.row(2) = a.normal.cross(Vec3(rotation.row(1)));
            const double area = square_area(directions, rotation);
            if (area > most * (1 + 1e-6)) most = area, best = rotation;
        }
    return best;
}

} // namespace fathom::decomposition
