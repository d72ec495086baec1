// Vectors, boxes and bounds as JSON.
#pragma once

#include <fathom/base/box.h>

#include <nlohmann/json.hpp>

#include <cmath>

namespace fathom::tool {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json as_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
[[nodiscard]] inline Json as_json(const Box& b) { return {{"lower", as_json(b.lower)}, {"upper", as_json(b.upper)}}; }
// JSON knows no infinity: a bound that does not exist is null.
[[nodiscard]] inline Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

} // namespace fathom::tool
