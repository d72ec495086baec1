// What the verbs of `fathom field` accept as a field: a grid file, a network, a mesh, the name of a generated shape, or
// a formula.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/detect/shape.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/geometry/tet_mesh.h>
#include <fathom/geometry/triangle_mesh.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::tool {

struct FieldSource {
    std::string kind; // "grid", "network", "mesh" or "formula"
    std::string what; // one line: "npy float32", "obj, 69,666 triangles", "smooth_union(...)"
    std::string note; // of a .fathom file
    std::vector<std::string> remarks;
    std::optional<TriangleMesh> mesh;
    std::shared_ptr<const GridField> grid;
    FieldPtr field;                      // of grids, networks and formulas, and of meshes once field_of() asked for it
    std::optional<TetMesh> tetrahedra{}; // of files and shapes that have them; `mesh` is then their boundary
};

constexpr const char* field_help = "A grid file (.fathom .npy .nrrd .vti .sdf .dist .vdb), a network (.fnet .npz .h5 "
                                   ".onnx), a mesh file, a shape of `fathom make`, or a formula";

// A file where one of that name exists (formulas in files end in .shape or .txt), else the name of a generated shape,
// else a formula. Throws fathom::Error.
[[nodiscard]] FieldSource open_field(const std::string& text);

// Of a mesh, the field becomes a grid of it, from the cache where it is kept there. Of other sources nothing changes.
void mesh_to_grid(FieldSource& source, int resolution, Progress* progress);

// The source as it is: a mesh stays a mesh, tetrahedra stay tetrahedra.
[[nodiscard]] Shape shape_of(const FieldSource& source);

// The field of any source; of a mesh, the exact distance through its tree.
[[nodiscard]] FieldPtr field_of(FieldSource& source);

} // namespace fathom::tool
