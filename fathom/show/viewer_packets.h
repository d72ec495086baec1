// Binary packets of a viewer document (docs/viewer.md defines the format). Packet 0 is the document; the others contain
// frames, about four megabytes each, and are created on request. Equal documents give equal bytes. JSON never contains
// numbers that are not finite: such coordinates, poses and bounds become 0.
#pragma once

#include <fathom/show/viewer_document.h>

#include <string>

namespace fathom {

inline constexpr std::uint32_t viewer_packet_version = 1;

// Source of packets: a document in memory, or a file (viewer_file.h). Thread-safe.
class PacketSource {
public:
    virtual ~PacketSource() = default;
    [[nodiscard]] virtual std::size_t packet_count() const = 0;
    // Packet k, uncompressed or compressed with gzip. Error{index_out_of_range} for k >= packet_count().
    [[nodiscard]] virtual std::string packet(std::size_t k) const = 0;
    [[nodiscard]] virtual std::string packed_packet(std::size_t k) const;
};

struct PacketOptions {
    std::size_t chunk_bytes = std::size_t{4} << 20; // target size of a packet of frames; at least one frame each
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

// Throws Error (unknown_format, unsupported, truncated, malformed, too_large, index_out_of_range) if the bytes are not
// a packet that the viewer can read; every array must lie within the packet. `name` appears in messages.
void check_packet(std::string_view packet, const std::string& name);

} // namespace fathom
