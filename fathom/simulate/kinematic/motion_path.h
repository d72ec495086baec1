// Where a body is told to be: key frames, even and straight between them, turning the shorter way.
#pragma once

#include <fathom/base/pose.h>

#include <vector>

namespace fathom {

struct MotionKey {
    double time = 0; // s
    Pose pose{};
};

struct MotionPath {
    std::vector<MotionKey> keys; // times increase

    // As in the first key before it, as in the last after it; the origin without keys. O(log keys).
    [[nodiscard]] Pose at(double time) const;
};

// Error{invalid_argument} where times do not increase, {non_finite}.
void check(const MotionPath& path);

} // namespace fathom
