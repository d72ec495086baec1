// Catalogue of the mesh generators by name, with listable parameters, for the command line, the demo, tests and
// benchmarks. To add a shape, add a generator to generate.h and an entry to mesh_catalogue.cpp. Thread-safe.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom {

struct ShapeParameter {
    std::string name;
    double fallback; // default value
    double minimum;
    double maximum;
    std::string unit; // "m", or "" for counts and switches
    std::string meaning;
    bool whole = false; // only integers are allowed
};

using ShapeValues = std::map<std::string, double, std::less<>>; // by parameter name
using ShapeMesh = std::variant<TriangleMesh, TetMesh>;

struct CatalogueShape {
    std::string name;
    std::string description; // one line
    std::vector<ShapeParameter> parameters;
    bool volume;                                        // true: tetrahedra; false: triangles
    std::function<bool(const ShapeValues&)> closed;     // true if the surface has no border
    std::function<ShapeMesh(const ShapeValues&)> build; // needs a value for every parameter
};

[[nodiscard]] std::span<const CatalogueShape> shape_catalogue(); // sorted by name

// Error{invalid_argument} for an unknown name; the message lists the available shapes.
[[nodiscard]] const CatalogueShape& find_shape(std::string_view name);

// The value of every parameter: the given one, or its default. Error{invalid_argument} for an unknown name, a value
// outside its range, or a count that is not an integer.
[[nodiscard]] ShapeValues completed(const CatalogueShape& shape, const ShapeValues& given);

[[nodiscard]] ShapeMesh make_shape(std::string_view name, const ShapeValues& values = {});

} // namespace fathom
