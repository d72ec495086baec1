// What the verbs take, as the viewer draws it.
#pragma once

#include <tool/field_source.h>

#include <fathom/show/viewer_document.h>

#include <string>

namespace fathom::tool {

// A file's name without its folders; what is no file as it is.
[[nodiscard]] std::string name_of(const std::string& text);

// A mesh as it is; of anything else the surface, with so many cells along its longest side.
[[nodiscard]] ViewerBody drawn_body(const std::string& text, const FieldSource& source, int resolution,
                                    Progress* progress);

constexpr const char* html_help = "Write a page of the viewer that shows it all and opens with a double click";

} // namespace fathom::tool
