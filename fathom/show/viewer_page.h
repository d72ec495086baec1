// The page of the viewer, built from web/ and kept inside the library, and documents as pages that open
// with a double click.
#pragma once

#include <fathom/show/viewer_packets.h>

#include <filesystem>
#include <string_view>

namespace fathom {

[[nodiscard]] bool has_viewer_page();
// Error{unsupported} where the library was built without the viewer.
[[nodiscard]] std::string_view viewer_page();

// The page with all packets in it, where it says so. Error{malformed} where it does not.
[[nodiscard]] std::string page_with_packets(std::string_view page, const PacketSource& packets);

// One file that needs no server and no network. Throws Error as viewer_page() does, and Error{cannot_write}.
void write_viewer_html(const std::filesystem::path& path, const PacketSource& packets);
void write_viewer_html(const std::filesystem::path& path, ViewerDocument document);

} // namespace fathom
