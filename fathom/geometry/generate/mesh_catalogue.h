// The generated shapes by name, with parameters that can be listed: for the command line, the demo,
// tests and benchmarks. To add a shape: a generator in generate.h and an entry in shape_catalogue.cpp. Thread-safe.
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
    double fallback; // where no value is given
    double minimum;
    double maximum;
    std::string unit; // "m", or "" for counts and switches
    std::string meaning;
    bool whole = false; // only whole numbers
};

using ShapeValues = std::map<std::string, double, std::less<>>; // by parameter name
using ShapeMesh = std::variant<TriangleMesh, TetMesh>;

struct CatalogueShape {
    std::string name;
    std::string description; // one line
    std::vector<ShapeParameter> parameters;
    bool volume;                                        // tetrahedra instead of triangles
    std::function<bool(const ShapeValues&)> closed;     // a surface without border
    std::function<ShapeMesh(const ShapeValues&)> build; // takes a value for every parameter
};

[[nodiscard]] std::span<const CatalogueShape> shape_catalogue(); // sorted by name

// Error{invalid_argument} names the shapes that there are.
[[nodiscard]] const CatalogueShape& find_shape(std::string_view name);

// Every parameter's value: the given one, or its fallback. Error{invalid_argument} for an unknown name, a value outside
// its range, or a broken count.
[[nodiscard]] ShapeValues completed(const CatalogueShape& shape, const ShapeValues& given);

[[nodiscard]] ShapeMesh make_shape(std::string_view name, const ShapeValues& values = {});

} // namespace fathom
