// Files in a zip archive, stored or deflated; the subset of PKWARE's APPNOTE that .npz files use.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/file.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace fathom {

struct ZipEntry {
    std::string name;
    std::span<const std::byte> packed; // bytes in the archive
    std::size_t size = 0; // unpacked size; at most the largest size to which deflate can expand the packed bytes
    bool deflated = false;
    std::uint32_t checksum = 0;
};

// Entries in the order of the directory. Throws Error{unsupported} for encryption, other compression methods and more
// than 4 GB; Error{malformed} for repeated names and for entries that exceed the file. The total unpacked size is thus
// bounded by the size of the file.
[[nodiscard]] std::vector<ZipEntry> zip_entries(const Source& source);

// Throws Error{malformed} if the data are damaged.
[[nodiscard]] Bytes unpacked(const ZipEntry& entry, const Source& source);

// Names and contents, stored, dated 1980: the same bytes every time. The total must be below 4 GB, else
// Error{too_large}.
[[nodiscard]] std::string written_zip(std::span<const std::pair<std::string, std::string>> files);

} // namespace fathom
