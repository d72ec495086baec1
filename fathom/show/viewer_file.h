// The file format .fathomview: the packets of a viewer document in one file, which is opened without reading all of it.
// Layout, little endian: 8 bytes "FTHMVIEW"; u32 version (1); u32 number of packets; for each packet u64 offset, u64
// size in bytes, u64 XXH3 of these bytes; u64 XXH3 of all preceding bytes; then the packets, gzip or uncompressed, one
// after the other.
#pragma once

#include <fathom/show/viewer_packets.h>

#include <filesystem>
#include <string_view>

namespace fathom {

inline constexpr const char* recording_file_name = "recording.fathomview"; // in the folder of a run

// Packets are created and compressed one at a time. Writing is atomic; Error{cannot_write}.
void write_viewer_file(const std::filesystem::path& path, const PacketSource& packets);

// Reader of such a file. Input is not trusted: the constructor throws Error (cannot_open, unknown_format, unsupported,
// truncated, malformed) if the list of packets is invalid; a corrupt or invalid packet is reported when it is
// requested. Immutable, thread-safe.
class ViewerFile final : public PacketSource {
public:
    explicit ViewerFile(const std::filesystem::path& path);
    // Reads from memory that `owner` keeps alive.
    ViewerFile(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner);

    [[nodiscard]] std::size_t packet_count() const override { return places_.size(); }
    [[nodiscard]] std::string packet(std::size_t k) const override;
    [[nodiscard]] std::string packed_packet(std::size_t k) const override;

private:
    void read_places();
    [[nodiscard]] std::span<const std::byte> stored(std::size_t k) const; // verifies the checksum

    struct Packed {
        std::size_t offset = 0, size = 0;
        std::uint64_t checksum = 0;
    };
    std::string name_;
    std::shared_ptr<const void> owner_;
    std::span<const std::byte> bytes_;
    std::vector<Packed> places_;
};

// ---- The HTML page of the viewer, which is built from web/ and embedded into the library, and documents as
// self-contained HTML files.

[[nodiscard]] bool has_viewer_page();
// Error{unsupported} if the library was built without the viewer.
[[nodiscard]] std::string_view viewer_page();

// Inserts all packets at the placeholder of the page. Error{malformed} if the page has no placeholder.
[[nodiscard]] std::string page_with_packets(std::string_view page, const PacketSource& packets);

// Writes one file that needs neither a server nor a network. Errors: as for viewer_page(), and Error{cannot_write}.
void write_viewer_html(const std::filesystem::path& path, const PacketSource& packets);
void write_viewer_html(const std::filesystem::path& path, ViewerDocument document);

} // namespace fathom
