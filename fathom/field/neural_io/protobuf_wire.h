// Wire format of protocol buffers: fields of a number and a value each, in any order.
// Format: "Encoding" in Google's documentation of protocol buffers. The deprecated groups are rejected.
#pragma once

#include <fathom/base/encode/bytes.h>

#include <cstdint>
#include <string_view>

namespace fathom {

enum class Wire : unsigned { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
    std::uint64_t number = 0;
    Wire wire = Wire::varint;
    std::uint64_t value = 0;            // bits of a varint, fixed64 or fixed32
    std::span<const std::byte> bytes{}; // of bytes: text, a message or packed numbers

    [[nodiscard]] std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

// Reads the fields of one message in a file. The name must outlive the reader.
class WireReader {
public:
    WireReader(std::span<const std::byte> message, const std::string& name) : source_{message, name}, bytes_(source_) {}
    WireReader(const WireReader&) = delete;
    WireReader& operator=(const WireReader&) = delete;

    [[nodiscard]] bool next(WireField& field) {
        if (bytes_.at_end()) return false;
        const std::uint64_t key = varint();
        field = {.number = key >> 3, .wire = static_cast<Wire>(key & 7)};
        switch (field.wire) {
        case Wire::varint:
            field.value = varint();
            return true;
        case Wire::fixed64:
            field.value = bytes_.read<std::uint64_t>("a protobuf field");
            return true;
        case Wire::fixed32:
            field.value = bytes_.read<std::uint32_t>("a protobuf field");
            return true;
        case Wire::bytes:
            field.bytes = bytes_.take(static_cast<std::size_t>(varint()), "a protobuf field");
            return true;
        }
        bytes_.fail(Cause::malformed, "not a protobuf field");
    }

    [[nodiscard]] bool at_end() const { return bytes_.at_end(); }
    [[nodiscard]] std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint64_t byte = bytes_.read<std::uint8_t>("a protobuf number");
            value |= (byte & 127) << shift;
            if (byte < 128) return value;
        }
        bytes_.fail(Cause::malformed, "a protobuf number of more than 64 bits");
    }

private:
    Source source_;
    ByteReader bytes_;
};

inline void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 128; value >>= 7) out.push_back(static_cast<char>(value | 128));
    out.push_back(static_cast<char>(value));
}
inline void append_wire(std::string& out, unsigned number, std::uint64_t value) {
    append_varint(out, number << 3);
    append_varint(out, value);
}
inline void append_wire(std::string& out, unsigned number, std::string_view bytes) {
    append_varint(out, (number << 3) | static_cast<unsigned>(Wire::bytes));
    append_varint(out, bytes.size());
    out.append(bytes);
}
inline void append_wire(std::string& out, unsigned number, float value) {
    append_varint(out, (number << 3) | static_cast<unsigned>(Wire::fixed32));
    append_little_endian(out, value);
}

// Metadata keys of our ONNX files for properties that the format cannot represent: numbers as text, in metres.

inline constexpr std::string_view onnx_center_key = "fathom.center"; // x y z
inline constexpr std::string_view onnx_scale_key = "fathom.scale";
inline constexpr std::string_view onnx_domain_key = "fathom.domain"; // lower x y z, upper x y z

} // namespace fathom
