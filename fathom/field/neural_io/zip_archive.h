// The files in a zip file, stored or deflated; as much of PKWARE's APPNOTE as .npz files use.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/file.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace fathom {

struct ZipEntry {
    std::string name;
    std::span<const std::byte> packed; // in the zip file
    std::size_t size = 0;              // unpacked; at most what deflate can make of the packed bytes
    bool deflated = false;
    std::uint32_t checksum = 0;
};

// In the order of the directory. Error{unsupported}: encrypted, other methods, more than 4 GB; malformed: names that
// occur twice, entries that take more bytes than the file has. What all entries unpack to is thus bounded by the file.
[[nodiscard]] std::vector<ZipEntry> zip_entries(const Source& source);

// Error{malformed} where the data are damaged.
[[nodiscard]] Bytes unpacked(const ZipEntry& entry, const Source& source);

// Names and contents, stored, dated 1980: the same bytes every time. Together below 4 GB, else Error{too_large}.
[[nodiscard]] std::string written_zip(std::span<const std::pair<std::string, std::string>> files);

} // namespace fathom
