// Gathers the cells of a volume file and gives triangles and tetrahedra.
// Pyramids, prisms and hexahedra are cut by pulling at the corner of the smallest vertex index (Dompierre, Labbe,
// Vallet & Camarero 1999): every quadrilateral face is cut at its own smallest corner, so neighbours agree and the
// tetrahedra conform. Quadrilaterals of the surface follow the same rule unless they are concave. One object a thread.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/io/triangulate.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

// Corners in the order of VTK and gmsh. A strip is a row of triangles; `other` is passed over and counted.
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

// 0 where the kind does not fix it.
[[nodiscard]] std::size_t corner_count(CellKind kind);

// What the cells of a kind become at most; 0 where their kind does not fix it.
[[nodiscard]] std::size_t tetrahedra_of(CellKind kind);
[[nodiscard]] std::size_t triangles_of(CellKind kind);

class CellBuilder {
public:
    // All vertices of the file in its order, checked: Error{non_finite} names the first that is not finite.
    CellBuilder(std::vector<Vec3> vertices, const Source& source);

    [[nodiscard]] std::size_t vertex_count() const { return vertices_.size(); }
    void reserve(std::size_t triangles, std::size_t tetrahedra);

    // `nodes` are valid vertex indices, at least corner_count(kind) of them. Nodes past the corners belong to cells of
    // higher order: they are left out and the cell is counted.
    void add(CellKind kind, std::span<const Index> nodes);
    void pass_over(std::size_t count = 1) { others_ += count; } // cells of a kind that is neither surface nor volume

    // A sentence for the report, beside those about cells that were cut, reduced or passed over.
    void note(std::string sentence) { mesh_.report.notes.push_back(std::move(sentence)); }

    // Tetrahedra are oriented; a surface or volume without elements has no vertices, except that a file without any
    // cells keeps its vertices in the surface.
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
    std::size_t reduced_ = 0;   // higher order to corners
    std::size_t cut_ = 0;       // pyramids, prisms, hexahedra
    std::size_t unclean_ = 0;   // polygons without a clean cut
    std::size_t collapsed_ = 0; // flat tetrahedra of cut cells with a repeated corner
};

// A vertex index as a file states it, counted from `first`. `reader` is whatever has fail() and knows the place.
template <class Reader>
[[nodiscard]] Index checked_vertex(std::int64_t stated, std::int64_t first, std::size_t vertex_count,
                                   const Reader& reader, std::string_view element, std::size_t index) {
    if (stated < first || static_cast<std::uint64_t>(stated - first) >= vertex_count)
        reader.fail(Cause::index_out_of_range,
                    std::string("names vertex ")
                        .append(std::to_string(stated))
                        .append(" of ")
                        .append(std::to_string(vertex_count)),
                    element, static_cast<std::int64_t>(index));
    return static_cast<Index>(stated - first);
}

// The cell types of VTK's files (vtkCellType.h), for legacy .vtk and for .vtu.

// What a type number becomes; CellKind::other for what is neither surface nor volume, polyhedra included.
[[nodiscard]] CellKind vtk_cell_kind(std::int64_t type);

// Adds the cell, its corners brought into the builder's order. False where `nodes` are too few for the type.
[[nodiscard]] bool add_vtk_cell(CellBuilder& cells, std::int64_t type, std::span<const Index> nodes);

} // namespace fathom
