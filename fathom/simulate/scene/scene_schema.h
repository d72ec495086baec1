// JSON Schema and documentation of scene files, for editors and readers. Both are generated from the table of keys that
// the reader uses (scene_keys.h), so that all three agree.
#pragma once

#include <string>

namespace fathom {

// JSON Schema, draft 2020-12, of a scene file taken as JSON. It rejects unknown keys, wrong types, values out of range,
// and keys that do not apply to a stated kind of body. Conditions on several keys are checked by the reader only.
[[nodiscard]] std::string scene_schema();

// A section of Markdown for each table: key, meaning, unit, range and default.
[[nodiscard]] std::string scene_key_chapters();

} // namespace fathom
