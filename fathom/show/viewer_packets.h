// Documents as the packets that the viewer reads (docs/viewer.md has the format, byte by byte). Packet 0 is
// the document, the others are frames, about four megabytes each, made when they are asked for. The same document gives
// the same bytes. Numbers that are not finite never reach the JSON: coordinates, poses and bounds of them become 0.
#pragma once

#include <fathom/show/viewer_document.h>

#include <string>

namespace fathom {

inline constexpr std::uint32_t viewer_packet_version = 1;

// What the page is fed from: a document in memory, or a file (viewer_file.h). Packets may be asked for from several
// threads at once.
class PacketSource {
public:
    virtual ~PacketSource() = default;
    [[nodiscard]] virtual std::size_t packet_count() const = 0;
    // Plain, or gzip. Error{index_out_of_range} past the last.
    [[nodiscard]] virtual std::string packet(std::size_t k) const = 0;
    [[nodiscard]] virtual std::string packed_packet(std::size_t k) const;
};

struct PacketOptions {
    std::size_t chunk_bytes = std::size_t{4} << 20; // of frames; a chunk holds at least one frame
};

class DocumentPackets final : public PacketSource {
public:
    explicit DocumentPackets(ViewerDocument document, const PacketOptions& options = {});

    [[nodiscard]] const ViewerDocument& document() const { return document_; }
    [[nodiscard]] std::size_t packet_count() const override { return 1 + chunks_.size(); }
    [[nodiscard]] std::string packet(std::size_t k) const override;

    struct Chunk {
        std::size_t first = 0, count = 0; // frames
    };

private:
    ViewerDocument document_;
    std::vector<Chunk> chunks_;
};

// Throws Error (unknown_format, unsupported, truncated, malformed, too_large, index_out_of_range) where bytes are no
// packet that the viewer could read: every array must lie within the packet. `name` serves the messages.
void check_packet(std::string_view packet, const std::string& name);

} // namespace fathom
