// Bytes as text that pages can hold: base64 (RFC 4648), and gzip (RFC 1952) before it where that pays.
#pragma once

#include <string>
#include <string_view>

namespace fathom {

[[nodiscard]] std::string as_base64(std::string_view bytes); // padded
[[nodiscard]] std::string as_gzip(std::string_view bytes);   // the same bytes for the same content: no name, no time

} // namespace fathom
