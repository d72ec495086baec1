// Files of packets, written and read.
#include <fathom/show/viewer_file.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/hash.h>
#include <fathom/base/mapped_file.h>
#include <fathom/base/encode/byte_reader.h>
#include <fathom/base/encode/byte_writer.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/show/base64_text.h>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr std::string_view magic = "FTHMVIEW";
constexpr std::uint32_t version = 1;
constexpr std::size_t place_bytes = 24, checksum_bytes = 8;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// As gzip, unless it shrinks so much that a reader would take it for a bomb.
std::string packed(std::string plain) {
    std::string smaller = as_gzip(plain);
    return plain.size() <= most_unpacked(smaller.size()) ? smaller : plain;
}

} // namespace

void write_viewer_file(const std::filesystem::path& path, const PacketSource& packets) {
    const std::size_t count = packets.packet_count();
    std::string head(magic);
    append_little_endian(head, version);
    append_little_endian(head, static_cast<std::uint32_t>(count));
    // What comes first is known last: packets wait in a file of their own, which is gone in the end, whatever happens.
    struct Waiting {
        std::filesystem::path path;
        ~Waiting() {
            std::error_code ignored;
            std::filesystem::remove(path, ignored);
        }
    } waiting{std::filesystem::path(path).concat(".packets")};
    std::uint64_t offset = head.size() + count * place_bytes + checksum_bytes;
    {
        FileWriter body(waiting.path);
        for (std::size_t k = 0; k < count; ++k) {
            const std::string piece = packed(packets.packet(k));
            append_little_endian(head, offset);
            append_little_endian(head, static_cast<std::uint64_t>(piece.size()));
            append_little_endian(head, checksum(bytes_of(piece)));
            offset += piece.size();
            body.write(piece);
        }
        body.finish();
    }
    append_little_endian(head, checksum(bytes_of(head)));
    FileWriter file(path);
    file.write(head);
    file.write(MappedFile(waiting.path).bytes());
    file.finish();
}

ViewerFile::ViewerFile(const std::filesystem::path& path) : name_(path.string()) {
    auto file = std::make_shared<const MappedFile>(path);
    bytes_ = file->bytes();
    owner_ = std::move(file);
    read_places();
}

ViewerFile::ViewerFile(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner)
    : name_(std::move(name)), owner_(std::move(owner)), bytes_(bytes) {
    read_places();
}

void ViewerFile::read_places() {
    const Source source{bytes_, name_};
    if (source.text().substr(0, magic.size()) != magic)
        throw Error(Cause::unknown_format, "is no file of the viewer (.fathomview)", {.file = name_});
    ByteReader reader(source, magic.size());
    const auto stated = reader.read<std::uint32_t>("version");
    if (stated != version) reader.fail(Cause::unsupported, fmt::format("version {} of such files", stated));
    const std::size_t count =
        reader.believable_count(reader.read<std::uint32_t>("number of packets"), place_bytes, "packets");
    if (count == 0) reader.fail(Cause::malformed, "holds no packet");
    for (std::size_t k = 0; k < count; ++k) {
        const auto offset = reader.read<std::uint64_t>("offset"), size = reader.read<std::uint64_t>("size");
        if (offset > bytes_.size() || size > bytes_.size() - offset)
            reader.fail(Cause::truncated, "lies past the end of the file", "packet", static_cast<std::int64_t>(k));
        places_.push_back({offset, size, reader.read<std::uint64_t>("checksum")});
    }
    const std::size_t end = reader.offset();
    if (reader.read<std::uint64_t>("checksum") != checksum(bytes_.first(end)))
        reader.fail(Cause::malformed, "the list of packets was changed");
}

std::span<const std::byte> ViewerFile::stored(std::size_t k) const {
    const Place place{.file = name_, .element = "packet", .index = static_cast<std::int64_t>(k)};
    if (k >= places_.size()) throw Error(Cause::index_out_of_range, fmt::format("there are {}", places_.size()), place);
    const std::span<const std::byte> bytes = bytes_.subspan(places_[k].offset, places_[k].size);
    if (checksum(bytes) != places_[k].checksum) throw Error(Cause::malformed, "was changed", place);
    return bytes;
}

std::string ViewerFile::packet(std::size_t k) const {
    const Source source{stored(k), fmt::format("{}, packet {}", name_, k)};
    std::string plain(source.text());
    if (is_gzip(source.bytes)) {
        Bytes unpacked = unpacked_gzip(source);
        plain.assign(reinterpret_cast<const char*>(unpacked.data()), unpacked.size());
    }
    check_packet(plain, source.name);
    return plain;
}

std::string ViewerFile::packed_packet(std::size_t k) const {
    const std::string plain = packet(k); // checked, so that nothing else is handed on
    const Source source{stored(k), name_};
    return is_gzip(source.bytes) ? std::string(source.text()) : as_gzip(plain);
}

} // namespace fathom
