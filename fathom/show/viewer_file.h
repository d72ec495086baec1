// The packets of a document in one file, .fathomview: what a run leaves for the viewer, opened without
// being read as a whole. Layout, little endian: 8 bytes "FTHMVIEW"; u32 version (1); u32 number of packets; for each
// u64 offset, u64 bytes, u64 XXH3 of them; u64 XXH3 of all before; then the packets, as gzip or plain, one after the
// other.
#pragma once

#include <fathom/show/viewer_packets.h>

#include <filesystem>

namespace fathom {

inline constexpr const char* recording_file_name = "recording.fathomview"; // in the folder of a run

// Packets are made and packed one by one. Appears complete or not at all; Error{cannot_write}.
void write_viewer_file(const std::filesystem::path& path, const PacketSource& packets);

// Every byte is taken for hostile. Opening throws Error (cannot_open, unknown_format, unsupported, truncated,
// malformed) where the list of packets makes no sense; a packet that was changed, or that is none, is told when it is
// asked for. Immutable, thread-safe.
class ViewerFile final : public PacketSource {
public:
    explicit ViewerFile(const std::filesystem::path& path);
    // The same from memory that is kept alive by `owner`.
    ViewerFile(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner);

    [[nodiscard]] std::size_t packet_count() const override { return places_.size(); }
    [[nodiscard]] std::string packet(std::size_t k) const override;
    [[nodiscard]] std::string packed_packet(std::size_t k) const override;

private:
    void read_places();
    [[nodiscard]] std::span<const std::byte> stored(std::size_t k) const; // as its checksum says

    struct Packed {
        std::size_t offset = 0, size = 0;
        std::uint64_t checksum = 0;
    };
    std::string name_;
    std::shared_ptr<const void> owner_;
    std::span<const std::byte> bytes_;
    std::vector<Packed> places_;
};

} // namespace fathom
