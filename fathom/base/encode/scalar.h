// The number types that VTK's files name, and how to read one from bytes.
#pragma once

#include <fathom/base/encode/byte_reader.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {

enum class Scalar : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

[[nodiscard]] std::size_t size_of(Scalar type); // bytes
[[nodiscard]] inline bool is_whole(Scalar type) { return type < Scalar::float32; }

[[nodiscard]] std::optional<Scalar> legacy_scalar(std::string_view name); // "unsigned_char", "vtktypeint64", ...
[[nodiscard]] std::optional<Scalar> xml_scalar(std::string_view name);    // "UInt8", "Float64", ...

// The next value. read_integer() takes whole types only; what passes 2^63 - 1 comes out negative.
[[nodiscard]] double read_number(ByteReader& bytes, Scalar type);
[[nodiscard]] std::int64_t read_integer(ByteReader& bytes, Scalar type);

} // namespace fathom
