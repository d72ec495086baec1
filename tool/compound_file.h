// Compound shapes in JSON files: {"parts": [{"shape": "link.obj", "position": [x,y,z], "rotation": [w,x,y,z],
// "name": "link", "user": 1, "category": 1, "mask": 4294967295}, ...]}. Only "shape" is required: a file, relative to
// the folder of the JSON file, another compound file, the name of a generated shape, or an analytic expression. Metres.
#pragma once

#include <fathom/detect/query/shape.h>

#include <string>

namespace fathom::tool {

// Whether the name ends in .json, in any case of its letters.
[[nodiscard]] bool is_compound_file(const std::string& text);
// Error (cannot_open, malformed, too_large, and as the shapes of the parts throw) names the file and the part.
[[nodiscard]] Shape read_compound(const std::string& file);
// "compound, 12 parts"
[[nodiscard]] std::string describe_compound(const Shape& shape);

} // namespace fathom::tool
