// Appends numbers to a string as bytes in a stated order.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/vec.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace fathom {

template <class T>
requires std::is_arithmetic_v<T>
void append_bytes(std::string& bytes, T value, std::endian order) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

template <class T>
void append_little_endian(std::string& bytes, T value) {
    append_bytes(bytes, value, std::endian::little);
}

// The position in float; Error{too_large} names the vertex whose coordinates a float cannot hold.
[[nodiscard]] inline Vec3f as_float(const Vec3& p, std::size_t vertex) {
    const Vec3f rounded = p.cast<float>();
    if (!rounded.allFinite())
        throw Error(Cause::too_large, "the format stores float, which ends at 3.4e38",
                    {.element = "vertex", .index = static_cast<std::int64_t>(vertex)});
    return rounded;
}

} // namespace fathom
