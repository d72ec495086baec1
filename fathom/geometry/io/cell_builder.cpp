// Conversion of cells to triangles and tetrahedra.
#include <fathom/geometry/io/cell_builder.h>

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr int none = -1;
using Face = std::array<int, 4>; // counter-clockwise from outside; the last entry of a triangle is `none`

constexpr std::array<Face, 5> pyramid_faces = {
    {{0, 3, 2, 1}, {0, 1, 4, none}, {1, 2, 4, none}, {2, 3, 4, none}, {3, 0, 4, none}}};
constexpr std::array<Face, 5> prism_faces = {
    {{0, 2, 1, none}, {3, 4, 5, none}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}};
constexpr std::array<Face, 6> hexahedron_faces = {
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

std::span<const Face> faces_of(CellKind kind) {
    if (kind == CellKind::pyramid) return pyramid_faces;
    if (kind == CellKind::prism) return prism_faces;
    return hexahedron_faces;
}

struct FaceCorners {
    std::array<Index, 4> corner;
    std::size_t count;
};

// The corners of a face in cyclic order, starting with the smallest.
FaceCorners face_corners(const Face& face, std::span<const Index> cell) {
    FaceCorners f{{}, 0};
    for (const int corner : face)
        if (corner != none) f.corner[f.count++] = cell[static_cast<std::size_t>(corner)];
    const auto end = f.corner.begin() + static_cast<std::ptrdiff_t>(f.count);
    std::rotate(f.corner.begin(), std::min_element(f.corner.begin(), end), end);
    return f;
}

bool all_differ(const Tetrahedron& t) {
    return t[0] != t[1] && t[0] != t[2] && t[0] != t[3] && t[1] != t[2] && t[1] != t[3] && t[2] != t[3];
}

} // namespace

std::size_t corner_count(CellKind kind) {
    constexpr std::array<std::size_t, 11> counts = {1, 2, 3, 4, 0, 0, 4, 5, 6, 8, 0};
    return counts[static_cast<std::size_t>(kind)];
}

std::size_t tetrahedra_of(CellKind kind) {
    constexpr std::array<std::size_t, 11> counts = {0, 0, 0, 0, 0, 0, 1, 2, 3, 6, 0};
    return counts[static_cast<std::size_t>(kind)];
}

std::size_t triangles_of(CellKind kind) {
    if (kind == CellKind::triangle) return 1;
    return kind == CellKind::quad ? 2 : 0;
}

CellBuilder::CellBuilder(std::vector<Vec3> vertices, const Source& source) : vertices_(std::move(vertices)) {
    check_vertices(vertices_, source.name);
}

void CellBuilder::reserve(std::size_t triangles, std::size_t tetrahedra) {
    mesh_.surface.triangles.reserve(triangles);
    mesh_.volume.tetrahedra.reserve(tetrahedra);
}

void CellBuilder::add(CellKind kind, std::span<const Index> nodes) {
    const std::size_t corners = corner_count(kind);
    if (kind > CellKind::line && corners != 0 && nodes.size() > corners) {
        ++reduced_;
        nodes = nodes.first(corners);
    }
    switch (kind) {
    case CellKind::point:
    case CellKind::line:
        ++points_and_lines_;
        break;
    case CellKind::triangle:
        mesh_.surface.triangles.push_back({nodes[0], nodes[1], nodes[2]});
        break;
    case CellKind::quad:
        add_quad(nodes);
        break;
    case CellKind::polygon:
        add_polygon(nodes);
        break;
    case CellKind::strip:
        add_strip(nodes);
        break;
    case CellKind::tetrahedron:
        mesh_.volume.tetrahedra.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
        break;
    case CellKind::pyramid:
    case CellKind::prism:
    case CellKind::hexahedron:
        cut(kind, nodes);
        break;
    case CellKind::other:
        ++others_;
        break;
    }
}

void CellBuilder::add_quad(std::span<const Index> corners) {
    std::array<Index, 4> q = {corners[0], corners[1], corners[2], corners[3]};
    std::rotate(q.begin(), std::min_element(q.begin(), q.end()), q.end());
    const auto at = [&](std::size_t k) -> const Vec3& { return vertices_[q[k]]; };
    const Vec3 normal = (at(2) - at(0)).cross(at(3) - at(1));
    const auto clashes = [&](std::size_t a, std::size_t b, std::size_t c) {
        return area_vector({at(a), at(b), at(c)}).dot(normal) < 0;
    };
    if (clashes(0, 1, 2) || clashes(0, 2, 3)) std::rotate(q.begin(), q.begin() + 1, q.end());
    mesh_.surface.triangles.push_back({q[0], q[1], q[2]});
    mesh_.surface.triangles.push_back({q[0], q[2], q[3]});
    ++mesh_.report.polygons;
}

void CellBuilder::add_polygon(std::span<const Index> corners) {
    if (corners.size() < 3) {
        ++mesh_.report.skipped_faces;
    } else if (corners.size() == 3) {
        add(CellKind::triangle, corners);
    } else if (corners.size() == 4) {
        add_quad(corners);
    } else {
        if (!triangulator_.triangulate(vertices_, corners, mesh_.surface.triangles)) ++unclean_;
        ++mesh_.report.polygons;
    }
}

void CellBuilder::add_strip(std::span<const Index> corners) {
    if (corners.size() < 3) ++mesh_.report.skipped_faces;
    for (std::size_t k = 2; k < corners.size(); ++k) {
        const std::size_t turn = k % 2; // every second triangle of a strip has the opposite orientation
        mesh_.surface.triangles.push_back({corners[k - 2 + turn], corners[k - 1 - turn], corners[k]});
    }
}

void CellBuilder::cut(CellKind kind, std::span<const Index> corners) {
    ++cut_;
    const Index apex = *std::min_element(corners.begin(), corners.end());
    for (const Face& face : faces_of(kind)) {
        const FaceCorners f = face_corners(face, corners);
        if (f.corner[0] == apex) continue;
        for (std::size_t k = 2; k < f.count; ++k) {
            const Tetrahedron t = {apex, f.corner[0], f.corner[k - 1], f.corner[k]};
            if (all_differ(t))
                mesh_.volume.tetrahedra.push_back(t);
            else
                ++collapsed_;
        }
    }
}

void CellBuilder::tell() {
    if (points_and_lines_ > 0) note(fmt::format("skipped {} points and lines", points_and_lines_));
    if (others_ > 0) note(fmt::format("skipped {} cells that are neither surface nor volume", others_));
    if (reduced_ > 0) note(fmt::format("reduced {} cells of higher order to their corners", reduced_));
    if (cut_ > 0) note(fmt::format("subdivided {} pyramids, prisms and hexahedra into tetrahedra", cut_));
    if (unclean_ > 0)
        note(fmt::format("{} polygons intersect themselves or are too complex; their triangles overlap", unclean_));
    if (collapsed_ > 0) note(fmt::format("omitted {} flat tetrahedra of collapsed cells", collapsed_));
    if (mesh_.surface.triangles.empty() && mesh_.volume.tetrahedra.empty())
        note(fmt::format("contains neither triangles nor tetrahedra"));
}

MeshFile CellBuilder::finish(std::string format) && {
    tell();
    mesh_.report.format = std::move(format);
    if (mesh_.volume.tetrahedra.empty()) {
        mesh_.surface.vertices = std::move(vertices_);
        return std::move(mesh_);
    }
    if (!mesh_.surface.triangles.empty()) mesh_.surface.vertices = vertices_;
    mesh_.volume.vertices = std::move(vertices_);
    mesh_.report.flipped_tetrahedra = orient(mesh_.volume);
    return std::move(mesh_);
}

// ---- Cell types of VTK files.

namespace {

constexpr std::int64_t pixel = 8, voxel = 11, wedge = 13;

template <std::size_t N>
std::array<Index, N> reordered(std::span<const Index> nodes, const std::array<std::size_t, N>& order) {
    std::array<Index, N> out;
    for (std::size_t k = 0; k < N; ++k) out[k] = nodes[order[k]];
    return out;
}

// A cell of higher order keeps its additional nodes after the corners, so that it is counted as reduced.
template <std::size_t N>
void add_reordered(CellBuilder& cells, CellKind kind, std::span<const Index> nodes,
                   const std::array<std::size_t, N>& order) {
    const std::array<Index, N> corners = reordered(nodes, order);
    if (nodes.size() == N) return cells.add(kind, corners);
    std::vector<Index> all(nodes.begin(), nodes.end());
    std::copy(corners.begin(), corners.end(), all.begin());
    cells.add(kind, all);
}

} // namespace

CellKind vtk_cell_kind(std::int64_t type) {
    struct Row {
        CellKind kind;
        std::array<std::int64_t, 7> types; // linear, quadratic, Lagrange, Bezier; unused entries are 0
    };
    static constexpr std::array<Row, 10> rows = {{{CellKind::point, {1, 2}},
                                                  {CellKind::line, {3, 4, 21, 35, 68, 75}},
                                                  {CellKind::triangle, {5, 22, 34, 69, 76}},
                                                  {CellKind::strip, {6}},
                                                  {CellKind::polygon, {7}},
                                                  {CellKind::quad, {pixel, 9, 23, 28, 30, 70, 77}},
                                                  {CellKind::tetrahedron, {10, 24, 71, 78}},
                                                  {CellKind::hexahedron, {voxel, 12, 25, 29, 33, 72, 79}},
                                                  {CellKind::prism, {wedge, 26, 31, 32, 73, 80}},
                                                  {CellKind::pyramid, {14, 27, 37, 74, 81}}}};
    for (const Row& row : rows)
        if (type > 0 && std::find(row.types.begin(), row.types.end(), type) != row.types.end()) return row.kind;
    return CellKind::other;
}

bool add_vtk_cell(CellBuilder& cells, std::int64_t type, std::span<const Index> nodes) {
    const CellKind kind = vtk_cell_kind(type);
    const bool thin = kind == CellKind::point || kind == CellKind::line; // any number of nodes
    if (!thin && nodes.size() < corner_count(kind)) return false;
    if (type == pixel)
        add_reordered<4>(cells, kind, nodes, {0, 1, 3, 2});
    else if (type == voxel)
        add_reordered<8>(cells, kind, nodes, {0, 1, 3, 2, 4, 5, 7, 6});
    else if (kind == CellKind::prism)
        add_reordered<6>(cells, kind, nodes, {0, 2, 1, 3, 5, 4}); // the first face of VTK's wedge faces outward
    else
        cells.add(kind, nodes);
    return true;
}

} // namespace fathom
