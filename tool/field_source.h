// Input of the commands: a grid file, a neural network file, a mesh file, the name of a generated shape, or an analytic
// expression.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/query/shape.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/show/viewer_document.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::tool {

struct FieldSource {
    std::string kind;                 // "grid", "neural", "mesh" or "analytic"
    std::string description;          // one line: "npy float32", "obj, 69,666 triangles", "smooth_union(...)"
    std::string note;                 // note stored in a .fathom file
    std::vector<std::string> remarks; // remarks of the file reader
    std::optional<TriangleMesh> mesh;
    std::shared_ptr<const GridField> grid;
    FieldPtr field;                      // for a mesh, null until field_of() or mesh_to_grid() has been called
    std::optional<TetMesh> tetrahedra{}; // if the source has them; `mesh` is then their boundary
};

constexpr const char* field_help =
    "Grid file (.fathom .npy .nrrd .vti .sdf .dist .vdb), neural network (.fnet .npz .h5 .onnx), mesh file, name of a "
    "generated shape (`fathom make --list`), or analytic expression such as \"sphere(1)\"; for collide, distance and "
    "sweep also a compound file (.json)";
constexpr const char* html_help = "Write a self-contained HTML page with an interactive view of the result";

// Opens the file if one of that name exists (.shape and .txt files contain analytic expressions). Otherwise the text is
// the name of a generated shape, or an analytic expression. Throws fathom::Error.
[[nodiscard]] FieldSource open_field(const std::string& text);

// Replaces the field of a mesh by a grid sampled from it, read from the cache if present. Other sources are unchanged.
// `resolution` is the number of cells along the longest side.
void mesh_to_grid(FieldSource& source, int resolution, Progress* progress);

// Shape of the source without conversion: a mesh remains a mesh, tetrahedra remain tetrahedra.
[[nodiscard]] Shape shape_of(const FieldSource& source);

// Field of any source. The field of a mesh computes the exact distance with a bounding volume hierarchy.
[[nodiscard]] FieldPtr field_of(FieldSource& source);

// File name without its folders if the file exists, otherwise the text itself.
[[nodiscard]] std::string display_name(const std::string& text);

// Body for the viewer: the mesh itself, or the surface of a field extracted with `resolution` cells along its longest
// side.
[[nodiscard]] ViewerBody make_viewer_body(const std::string& text, const FieldSource& source, int resolution,
                                          Progress* progress);

} // namespace fathom::tool
