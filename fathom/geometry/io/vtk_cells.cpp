// The cell types of VTK's files.
#include <fathom/geometry/io/vtk_cells.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::int64_t pixel = 8, voxel = 11, wedge = 13;

template <std::size_t N>
std::array<Index, N> reordered(std::span<const Index> nodes, const std::array<std::size_t, N>& order) {
    std::array<Index, N> out;
    for (std::size_t k = 0; k < N; ++k) out[k] = nodes[order[k]];
    return out;
}

// A cell of higher order keeps its extra nodes behind the corners, so that it is counted as reduced.
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
        std::array<std::int64_t, 7> types; // linear, quadratic, Lagrange, Bezier; 0 fills up
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
    const bool thin = kind == CellKind::point || kind == CellKind::line; // of any number of nodes
    if (!thin && nodes.size() < corner_count(kind)) return false;
    if (type == pixel)
        add_reordered<4>(cells, kind, nodes, {0, 1, 3, 2});
    else if (type == voxel)
        add_reordered<8>(cells, kind, nodes, {0, 1, 3, 2, 4, 5, 7, 6});
    else if (kind == CellKind::prism)
        add_reordered<6>(cells, kind, nodes, {0, 2, 1, 3, 5, 4}); // its first face looks outward
    else
        cells.add(kind, nodes);
    return true;
}

} // namespace fathom
