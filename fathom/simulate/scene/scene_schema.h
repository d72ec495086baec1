// What a scene file may hold, for editors and readers: made from the table of keys that the reader
// itself goes by (scene_keys.h), so that neither can say what the other does not.
#pragma once

#include <string>

namespace fathom {

// JSON Schema, draft 2020-12, of a scene file taken as JSON. It refuses unknown keys, wrong types, values out of range,
// and keys that a stated kind of body does not have; what hangs on several keys at once only the reader knows.
[[nodiscard]] std::string scene_schema();

// A chapter of Markdown for each table: key, meaning, unit, range, and what if it is absent.
[[nodiscard]] std::string scene_key_chapters();

} // namespace fathom
