// The HTML page of the viewer, which is built from web/ and embedded into the library, and documents as self-contained
// HTML files.
#pragma once

#include <fathom/show/viewer_packets.h>

#include <filesystem>
#include <string_view>

namespace fathom {

[[nodiscard]] bool has_viewer_page();
// Error{unsupported} if the library was built without the viewer.
[[nodiscard]] std::string_view viewer_page();

// Inserts all packets at the placeholder of the page. Error{malformed} if the page has no placeholder.
[[nodiscard]] std::string page_with_packets(std::string_view page, const PacketSource& packets);

// Writes one file that needs neither a server nor a network. Errors: as for viewer_page(), and Error{cannot_write}.
void write_viewer_html(const std::filesystem::path& path, const PacketSource& packets);
void write_viewer_html(const std::filesystem::path& path, ViewerDocument document);

} // namespace fathom
