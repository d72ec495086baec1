// Whether bytes are a packet that the viewer could read.
#include <fathom/show/viewer_packets.h>

#include <fathom/base/encode/byte_reader.h>
#include <fathom/base/encode/gltf_json.h>

#include <fmt/format.h>

namespace fathom {

namespace {

std::size_t bytes_each(const std::string& type) {
    if (type == "f64") return 8;
    if (type == "f32" || type == "u32") return 4;
    return type == "u8" ? 1 : 0;
}

// An object that has a type of numbers, a count and an offset is an array; layers have types too, but those are words.
bool is_array(const Json& value) {
    return value.contains("type") && value["type"].is_string() && value.contains("offset");
}

void check_array(const Json& value, std::size_t available, const Source& source) {
    const GltfTable array(source, value, "array");
    const std::size_t each = bytes_each(array.text("type")), width = array.whole("width"), count = array.whole("count"),
                      offset = array.whole("offset");
    if (each == 0) array.fail(Cause::unsupported, fmt::format("its numbers are \"{}\"", array.text("type")));
    if (width < 1 || width > 16 || offset % 8 != 0)
        array.fail(Cause::malformed, fmt::format("{} wide at byte {}", width, offset));
    if (offset > available || count > (available - offset) / (each * width))
        array.fail(Cause::truncated,
                   fmt::format("{} rows at byte {}, but there are {} bytes", count, offset, available));
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
    if (packet.substr(0, 4) != "FTHM") throw Error(Cause::unknown_format, "is no packet of the viewer", {.file = name});
    ByteReader reader(source, 4);
    const auto version = reader.read<std::uint32_t>("version");
    if (version != viewer_packet_version)
        reader.fail(Cause::unsupported, fmt::format("version {} of the viewer's packets", version));
    const std::size_t length = reader.read<std::uint32_t>("length");
    const std::span<const std::byte> text = reader.take(length, "JSON");
    if (reader.offset() % 8 != 0) reader.fail(Cause::malformed, "arrays do not start at a multiple of 8 bytes");
    const Json document = parse_gltf_json(source, {reinterpret_cast<const char*>(text.data()), text.size()});
    if (!document.is_object()) reader.fail(Cause::malformed, "is not an object");
    check_arrays(document, reader.left(), source);
}

} // namespace fathom
