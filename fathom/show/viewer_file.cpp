// Writer and reader of viewer files, and the check of packets.
#include <fathom/show/viewer_file.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gltf_json.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/hash.h>
#include <fathom/show/viewer_packets.h>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr std::string_view magic = "FTHMVIEW";
constexpr std::uint32_t version = 1;
constexpr std::size_t place_bytes = 24, checksum_bytes = 8;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Compressed with gzip, unless the ratio is so large that a reader would reject the packet as a decompression bomb.
std::string packed(const std::string& plain) {
    std::string smaller = as_gzip(plain);
    return plain.size() <= max_unpacked(smaller.size()) ? smaller : plain;
}

} // namespace

void write_viewer_file(const std::filesystem::path& path, const PacketSource& packets) {
    const std::size_t count = packets.packet_count();
    std::string head(magic);
    append_little_endian(head, version);
    append_little_endian(head, static_cast<std::uint32_t>(count));
    // The header is complete only after all packets. They are first written to a temporary file, which is always
    // removed.
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
        throw Error(Cause::unknown_format, "is not a viewer file (.fathomview)", {.file = name_});
    ByteReader reader(source, magic.size());
    const auto stated = reader.read<std::uint32_t>("version");
    if (stated != version)
        reader.fail(Cause::unsupported, fmt::format("unsupported version {} of viewer files", stated));
    const std::size_t count =
        reader.checked_count(reader.read<std::uint32_t>("number of packets"), place_bytes, "packets");
    if (count == 0) reader.fail(Cause::malformed, "contains no packet");
    for (std::size_t k = 0; k < count; ++k) {
        const auto offset = reader.read<std::uint64_t>("offset"), size = reader.read<std::uint64_t>("size");
        if (offset > bytes_.size() || size > bytes_.size() - offset)
            reader.fail(Cause::truncated, "extends beyond the end of the file", "packet", static_cast<std::int64_t>(k));
        places_.push_back({offset, size, reader.read<std::uint64_t>("checksum")});
    }
    const std::size_t end = reader.offset();
    if (reader.read<std::uint64_t>("checksum") != checksum(bytes_.first(end)))
        reader.fail(Cause::malformed, "the list of packets is corrupt");
}

std::span<const std::byte> ViewerFile::stored(std::size_t k) const {
    const Place place{.file = name_, .element = "packet", .index = static_cast<std::int64_t>(k)};
    if (k >= places_.size())
        throw Error(Cause::index_out_of_range, fmt::format("index is not below {}", places_.size()), place);
    const std::span<const std::byte> bytes = bytes_.subspan(places_[k].offset, places_[k].size);
    if (checksum(bytes) != places_[k].checksum) throw Error(Cause::malformed, "is corrupt", place);
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
    const std::string plain = packet(k); // packet() checks the content
    const Source source{stored(k), name_};
    return is_gzip(source.bytes) ? std::string(source.text()) : as_gzip(plain);
}

// ---- Check of packets.

namespace {

std::size_t bytes_each(const std::string& type) {
    if (type == "f64") return 8;
    if (type == "f32" || type == "u32") return 4;
    return type == "u8" ? 1 : 0;
}

// An object with a type and an offset is an array; layers also have a type, but no offset.
bool is_array(const Json& value) {
    return value.contains("type") && value["type"].is_string() && value.contains("offset");
}

void check_array(const Json& value, std::size_t available, const Source& source) {
    const GltfTable array(source, value, "array");
    const std::size_t each = bytes_each(array.text("type")), width = array.whole("width"), count = array.whole("count"),
                      offset = array.whole("offset");
    if (each == 0) array.fail(Cause::unsupported, fmt::format("unsupported number type \"{}\"", array.text("type")));
    if (width < 1 || width > 16 || offset % 8 != 0)
        array.fail(Cause::malformed, fmt::format("invalid width {} or offset {}", width, offset));
    if (offset > available || count > (available - offset) / (each * width))
        array.fail(Cause::truncated,
                   fmt::format("{} rows at offset {} exceed the {} bytes available", count, offset, available));
}

void check_arrays(const Json& root, std::size_t available, const Source& source) {
    std::vector<const Json*> open = {&root};
    while (!open.empty()) {
        const Json& value = *open.back();
        open.pop_back();
        if (value.is_object() && is_array(value))
            check_array(value, available, source);
        else if (value.is_structured())
            for (const Json& inner : value) open.push_back(&inner);
    }
}

} // namespace

void check_packet(std::string_view packet, const std::string& name) {
    const Source source{std::as_bytes(std::span(packet)), name};
    if (packet.substr(0, 4) != "FTHM") throw Error(Cause::unknown_format, "is not a viewer packet", {.file = name});
    ByteReader reader(source, 4);
    const auto version = reader.read<std::uint32_t>("version");
    if (version != viewer_packet_version)
        reader.fail(Cause::unsupported, fmt::format("unsupported version {} of viewer packets", version));
    const std::size_t length = reader.read<std::uint32_t>("length");
    const std::span<const std::byte> text = reader.take(length, "JSON");
    if (reader.offset() % 8 != 0) reader.fail(Cause::malformed, "arrays do not start at a multiple of 8 bytes");
    const Json document = parse_gltf_json(source, {reinterpret_cast<const char*>(text.data()), text.size()});
    if (!document.is_object()) reader.fail(Cause::malformed, "is not an object");
    check_arrays(document, reader.left(), source);
}

} // namespace fathom
