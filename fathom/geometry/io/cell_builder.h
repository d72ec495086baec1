// Converts the cells of a volume file to triangles and tetrahedra.
// Pyramids, prisms and hexahedra are subdivided from the corner with the smallest vertex index (Dompierre, Labbe,
// Vallet & Camarero 1999): every quadrilateral face is split at its own smallest corner, so neighbours agree and the
// tetrahedra conform. Quadrilaterals of the surface follow the same rule unless they are concave. Not thread-safe: use
// one object per thread.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/triangulate.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Corners are in the order of VTK and gmsh. A strip is a triangle strip; cells of kind `other` are skipped and counted.
enum class CellKind : std::uint8_t {
    point,
    line,
    triangle,
    quad,
    polygon,
    strip,
    tetrahedron,
    pyramid,
    prism,
    hexahedron,
    other
};

// Number of corners; 0 if the kind does not determine it.
[[nodiscard]] std::size_t corner_count(CellKind kind);

// Maximum number of tetrahedra or triangles of a cell; 0 if the kind does not determine it.
[[nodiscard]] std::size_t tetrahedra_of(CellKind kind);
[[nodiscard]] std::size_t triangles_of(CellKind kind);

class CellBuilder {
public:
    // `vertices` are all vertices of the file, in file order. They are checked: Error{non_finite} names the first
    // vertex that is not finite.
    CellBuilder(std::vector<Vec3> vertices, const Source& source);

    [[nodiscard]] std::size_t vertex_count() const { return vertices_.size(); }
    void reserve(std::size_t triangles, std::size_t tetrahedra);

    // `nodes` are valid vertex indices, at least corner_count(kind) of them. Nodes after the corners belong to cells of
    // higher order: they are ignored, and the cell is counted as reduced.
    void add(CellKind kind, std::span<const Index> nodes);
    void pass_over(std::size_t count = 1) { others_ += count; } // cells that are neither surface nor volume

    // Adds a sentence to the report, in addition to those on cells that were subdivided, reduced or skipped.
    void note(std::string sentence) { mesh_.report.notes.push_back(std::move(sentence)); }

    // Tetrahedra are oriented to positive volume. A surface or volume without elements has no vertices, except that a
    // file without any cells keeps its vertices in the surface.
    [[nodiscard]] MeshFile finish(std::string format) &&;

private:
    void add_quad(std::span<const Index> corners);
    void add_polygon(std::span<const Index> corners);
    void add_strip(std::span<const Index> corners);
    void cut(CellKind kind, std::span<const Index> corners);
    void tell();

    std::vector<Vec3> vertices_;
    MeshFile mesh_;
    PolygonTriangulator triangulator_;
    std::size_t points_and_lines_ = 0;
    std::size_t others_ = 0;
    std::size_t reduced_ = 0;   // cells of higher order reduced to their corners
    std::size_t cut_ = 0;       // subdivided pyramids, prisms and hexahedra
    std::size_t unclean_ = 0;   // polygons without a valid triangulation
    std::size_t collapsed_ = 0; // flat tetrahedra of subdivided cells with a repeated corner
};

// Converts the vertex index `stated` of a file, where the first vertex is number `first`, to an Index. `reader` has a
// method fail() that reports the position in the file.
template <class Reader>
[[nodiscard]] Index checked_vertex(std::int64_t stated, std::int64_t first, std::size_t vertex_count,
                                   const Reader& reader, std::string_view element, std::size_t index) {
    if (stated < first || static_cast<std::uint64_t>(stated - first) >= vertex_count)
        reader.fail(Cause::index_out_of_range,
                    std::string("refers to vertex ")
                        .append(std::to_string(stated))
                        .append(", but there are ")
                        .append(std::to_string(vertex_count)),
                    element, static_cast<std::int64_t>(index));
    return static_cast<Index>(stated - first);
}

// ---- Cell types of VTK files (vtkCellType.h), for legacy .vtk and for .vtu.

// The kind of a VTK cell type; CellKind::other for polyhedra and for cells that are neither surface nor volume.
[[nodiscard]] CellKind vtk_cell_kind(std::int64_t type);

// Adds the cell, with its corners reordered for the builder. Returns false if `nodes` are too few for the type.
[[nodiscard]] bool add_vtk_cell(CellBuilder& cells, std::int64_t type, std::span<const Index> nodes);

} // namespace fathom
