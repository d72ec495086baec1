// The names under which our ONNX files keep what the format has no place for: numbers as text, in metres.
#pragma once

#include <string_view>

namespace fathom {

inline constexpr std::string_view onnx_center_key = "fathom.center"; // x y z
inline constexpr std::string_view onnx_scale_key = "fathom.scale";
inline constexpr std::string_view onnx_domain_key = "fathom.domain"; // lower x y z, upper x y z

} // namespace fathom
