// Room: geometry. Appends numbers to a string, least significant byte first.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/vec.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

namespace fathom {

template <class T>
requires std::is_arithmetic_v<T>
void append_little_endian(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big)
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
    bytes.append(raw, sizeof(T));
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
