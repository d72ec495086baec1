// Readers and writers of binary numbers of either byte order. Reads never pass the end of the memory.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/error.h>
#include <fathom/base/vec.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace fathom {

class ByteReader {
public:
    explicit ByteReader(const Source& source, std::size_t start = 0, std::endian order = std::endian::little)
        : bytes_(source.bytes), name_(source.name), at_(start), order_(order) {}

    template <class T>
    requires std::is_arithmetic_v<T>
    [[nodiscard]] T read(std::string_view what) {
        T value;
        const std::span<const std::byte> raw = take(sizeof(T), what);
        std::memcpy(&value, raw.data(), sizeof(T));
        return order_ == std::endian::native ? value : swapped(value);
    }

    // The next `count` bytes. Throws Error{truncated} if there are fewer.
    [[nodiscard]] std::span<const std::byte> take(std::size_t count, std::string_view what) {
        if (count > left()) fail(Cause::truncated, std::string(what).append(" is truncated"));
        at_ += count;
        return bytes_.subspan(at_ - count, count);
    }

    [[nodiscard]] std::size_t offset() const { return at_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

    [[nodiscard]] std::size_t checked_count(std::uint64_t count, std::size_t min_bytes,
                                            std::string_view element) const {
        return checked_element_count(count, min_bytes, left(), element, place());
    }
    [[nodiscard]] Place place(std::string_view element = {}, std::int64_t index = -1) const {
        return {
            .file = name_, .element = std::string(element), .index = index, .offset = static_cast<std::int64_t>(at_)};
    }
    [[noreturn]] void fail(Cause cause, std::string_view reason, std::string_view element = {},
                           std::int64_t index = -1) const {
        throw Error(cause, std::string(reason), place(element, index));
    }

private:
    template <class T>
    [[nodiscard]] static T swapped(T value) {
        std::byte raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }

    std::span<const std::byte> bytes_;
    const std::string& name_;
    std::size_t at_;
    std::endian order_;
};

// Appends the bytes of a number in the given byte order.
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

// The position in float. Throws Error{too_large} naming the vertex if a coordinate exceeds the range of float.
[[nodiscard]] inline Vec3f as_float(const Vec3& p, std::size_t vertex) {
    Vec3f rounded = p.cast<float>();
    if (!rounded.allFinite())
        throw Error(Cause::too_large, "a coordinate exceeds the range of float (3.4e38), which the format stores",
                    {.element = "vertex", .index = static_cast<std::int64_t>(vertex)});
    return rounded;
}

// Number types named in VTK files, and readers of one value of such a type.
enum class Scalar : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

[[nodiscard]] std::size_t size_of(Scalar type); // bytes
[[nodiscard]] inline bool is_whole(Scalar type) { return type < Scalar::float32; }

[[nodiscard]] std::optional<Scalar> legacy_scalar(std::string_view name); // "unsigned_char", "vtktypeint64", ...
[[nodiscard]] std::optional<Scalar> xml_scalar(std::string_view name);    // "UInt8", "Float64", ...

// The next value. read_integer() accepts integer types only; values above 2^63 - 1 become negative.
[[nodiscard]] double read_number(ByteReader& bytes, Scalar type);
[[nodiscard]] std::int64_t read_integer(ByteReader& bytes, Scalar type);

} // namespace fathom
