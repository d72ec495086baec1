// Poses as users write them.
#pragma once

#include <fathom/base/pose.h>

#include <string>

namespace fathom::tool {

// "x,y,z" or "x,y,z,qw,qx,qy,qz" (m; a unit quaternion, to three digits). Throws Error{invalid_argument} naming the
// option.
[[nodiscard]] Pose pose_from_text(const std::string& text, const std::string& option);

} // namespace fathom::tool
