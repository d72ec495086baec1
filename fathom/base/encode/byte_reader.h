// Reads numbers of either byte order from memory, never past its end.
#pragma once

#include <fathom/base/encode/source.h>

#include <bit>
#include <cstring>
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

    // The next `count` bytes; Error{truncated} where there are fewer.
    [[nodiscard]] std::span<const std::byte> take(std::size_t count, std::string_view what) {
        if (count > left()) fail(Cause::truncated, std::string(what).append(" is cut off"));
        at_ += count;
        return bytes_.subspan(at_ - count, count);
    }

    [[nodiscard]] std::size_t offset() const { return at_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

    [[nodiscard]] std::size_t believable_count(std::uint64_t count, std::size_t least_bytes,
                                               std::string_view element) const {
        return believable(count, least_bytes, left(), element, place());
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

} // namespace fathom
