// Compound shapes in JSON files: {"parts": [{"shape": "link.obj", "position": [x,y,z], "rotation": [w,x,y,z],
// "name": "link", "user": 1, "category": 1, "mask": 4294967295}, ...]}. Only "shape" is required: a file, relative to
// the folder of the JSON file, another compound file, the name of a generated shape, or an analytic expression. Instead
// of "shape", a part may have "hull": a list of points [x,y,z], of which it is the convex hull. Metres.
#pragma once

#include <fathom/detect/query/shape.h>

#include <span>
#include <string>

namespace fathom::tool {

// Whether the name ends in .json, in any case of its letters.
[[nodiscard]] bool is_compound_file(const std::string& text);
// Error (cannot_open, malformed, too_large, and as the shapes of the parts throw) names the file and the part.
[[nodiscard]] Shape read_compound(const std::string& file);
// Writes a compound file with the convex hulls of the vertices of meshes, which are named "prefix_1" and so on.
void write_hulls(const std::string& file, std::span<const TriangleMesh> hulls, const std::string& prefix);
// Writes a Wavefront OBJ file with one object per mesh, named alike.
void write_objects(const std::string& file, std::span<const TriangleMesh> meshes, const std::string& prefix);
// "compound, 12 parts"
[[nodiscard]] std::string describe_compound(const Shape& shape);

} // namespace fathom::tool
