// Encoding of documents as packets: JSON, followed by the arrays.
#include <fathom/show/viewer_packets.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/bytes.h>
#include <fathom/base/error.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace fathom {

namespace {

using Text = nlohmann::ordered_json;

constexpr std::string_view packet_magic = "FTHM";
constexpr std::size_t head_bytes = 12, alignment = 8;
static_assert(std::endian::native == std::endian::little); // arrays are copied from memory

double finite(double value) { return std::isfinite(value) ? value : 0; }
float finite_float(double value) {
    const float rounded = static_cast<float>(value);
    return std::isfinite(rounded) ? rounded : 0;
}

Text numbers(const Pose& pose) {
    if (!is_finite(pose)) return {0, 0, 0, 1, 0, 0, 0};
    const Quat& q = pose.rotation;
    return {pose.translation.x(), pose.translation.y(), pose.translation.z(), q.w(), q.x(), q.y(), q.z()};
}

Text numbers(const Box& box) {
    Text list = Text::array();
    for (const Vec3& corner : {box.lower, box.upper})
        for (const double value : corner) list.push_back(finite(value));
    return list;
}

Text text_of(const ViewerInfo& info) {
    Text object = Text::object();
    for (const auto& [name, value] : info)
        if (const auto* number = std::get_if<double>(&value))
            object[name] = std::isfinite(*number) ? Text(*number) : Text("not a number");
        else
            object[name] = std::get<std::string>(value);
    return object;
}

// Collects the arrays of a packet.
class PacketBuilder {
public:
    Text floats(std::size_t width, std::span<const float> values) { return array("f32", width, values); }
    Text doubles(std::span<const double> values) { return array("f64", 1, values); }
    Text bytes(std::span<const std::uint8_t> values) { return array("u8", 1, values); }
    template <std::size_t Width>
    Text indices(std::span<const std::array<Index, Width>> rows) {
        return array("u32", Width, std::span(rows.empty() ? nullptr : rows.front().data(), Width * rows.size()));
    }
    template <class Row>
    Text points(std::span<const Row> rows) {
        std::vector<float> values;
        values.reserve(3 * rows.size());
        for (const Row& row : rows)
            for (const auto value : row) values.push_back(finite_float(static_cast<double>(value)));
        return floats(3, values);
    }
    // For rows that outlive this object: rows shared by several frames are sent once.
    template <class Row, class Make>
    Text once(std::span<const Row> rows, const Make& make) {
        const auto [place, is_new] = sent_.try_emplace({static_cast<const void*>(rows.data()), rows.size()});
        if (is_new) place->second = make(rows);
        return place->second;
    }

    [[nodiscard]] std::string finish(const Text& text) const {
        std::string json = text.dump(-1, ' ', false, Text::error_handler_t::replace);
        json.resize((head_bytes + json.size() + alignment - 1) / alignment * alignment - head_bytes, ' ');
        std::string packet(packet_magic);
        append_little_endian(packet, viewer_packet_version);
        append_little_endian(packet, static_cast<std::uint32_t>(json.size()));
        return packet.append(json).append(binary_);
    }

private:
    template <class T>
    Text array(const char* type, std::size_t width, std::span<const T> values) {
        const std::size_t offset = binary_.size();
        if (!values.empty()) binary_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
        binary_.resize((binary_.size() + alignment - 1) / alignment * alignment);
        return {{"type", type}, {"width", width}, {"count", values.size() / width}, {"offset", offset}};
    }

    std::string binary_;
    std::map<std::pair<const void*, std::size_t>, Text> sent_;
};

template <class T>
std::span<const T> all(const std::vector<T>& values) {
    return values;
}

void add_contacts(Text& text, std::span<const BodyContact> contacts, PacketBuilder& arrays) {
    std::vector<Vec3> positions, normals;
    std::vector<float> depths;
    std::vector<std::array<Index, 2>> bodies;
    for (const BodyContact& c : contacts) {
        positions.push_back(c.position);
        normals.push_back(c.normal);
        depths.push_back(finite_float(c.depth));
        bodies.push_back({c.a, c.b});
    }
    text["positions"] = arrays.points(all(positions));
    text["normals"] = arrays.points(all(normals));
    text["depths"] = arrays.floats(1, depths);
    text["bodies"] = arrays.indices(all(bodies));
}

// Encoding of each kind of layer: its type and its data.
class LayerWriter {
public:
    LayerWriter(Text& text, PacketBuilder& arrays) : text_(text), arrays_(arrays) {}

    void operator()(const BoxesLayer& layer) const {
        std::vector<float> values;
        for (const Box& box : layer.boxes)
            for (const Vec3& corner : {box.lower, box.upper})
                for (const double value : corner) values.push_back(finite_float(value));
        text_["type"] = "boxes";
        text_["boxes"] = arrays_.floats(6, values);
        text_["levels"] = arrays_.bytes(layer.levels);
    }
    void operator()(const SpheresLayer& layer) const {
        std::vector<float> values;
        for (const Sphere& sphere : layer.spheres) {
            for (const double value : sphere.center) values.push_back(finite_float(value));
            values.push_back(finite_float(sphere.radius));
        }
        text_["type"] = "spheres";
        text_["spheres"] = arrays_.floats(4, values);
        text_["levels"] = arrays_.bytes(layer.levels);
    }
    void operator()(const PathLayer& layer) const {
        std::vector<float> times;
        for (const double time : layer.times) times.push_back(finite_float(time));
        text_["type"] = "path";
        text_["points"] = arrays_.points(all(layer.points));
        text_["times"] = arrays_.floats(1, times);
        if (!layer.judged) return;
        text_["intervals"] = Text::array();
        for (const ContactInterval& i : layer.intervals)
            text_["intervals"].push_back({finite(i.start), finite(i.end), i.proven ? 1 : 0});
    }
    void operator()(const ContactsLayer& layer) const {
        text_["type"] = "contacts";
        add_contacts(text_, layer.contacts, arrays_);
    }
    void operator()(const VolumeLayer& layer) const {
        std::vector<float> values;
        for (const float value : layer.values) values.push_back(finite_float(static_cast<double>(value)));
        text_["type"] = "volume";
        text_["box"] = numbers(layer.box);
        text_["size"] = layer.size;
        text_["values"] = arrays_.floats(1, values);
    }
    // Rows of the map run along its y, which is up in the viewer's box, so the rows need not be reordered.
    void operator()(const DepthMapLayer& layer) const {
        const DepthMap& map = layer.map;
        std::vector<float> depths(map.depth);
        for (std::size_t k = 0; k < depths.size(); ++k)
            if (!map.covered(k)) depths[k] = std::numeric_limits<float>::quiet_NaN();
        const Vec3 half = 0.5 * map.view.size;
        text_["type"] = "depth_map";
        text_["width"] = map.view.width;
        text_["height"] = map.view.height;
        text_["depths"] = arrays_.floats(1, depths);
        text_["pose"] = numbers(map.view.pose);
        text_["extent"] = numbers(Box{{-half.x(), -half.y(), 0}, {half.x(), half.y(), map.view.size.z()}});
    }

private:
    Text& text_;
    PacketBuilder& arrays_;
};

Text text_of(const ViewerBody& body, PacketBuilder& arrays) {
    Text text = {{"name", body.name}, {"fixed", body.fixed}};
    text["vertices"] = arrays.points(all(body.vertices));
    if (!body.triangles.empty()) text["triangles"] = arrays.indices(all(body.triangles));
    if (!body.tetrahedra.empty()) text["tetrahedra"] = arrays.indices(all(body.tetrahedra));
    if (body.cloud) text["cloud"] = true;
    if (body.glass) text["glass"] = true;
    text["pose"] = numbers(body.pose);
    text["info"] = text_of(body.info);
    return text;
}

Text text_of(const ViewerLayer& layer, PacketBuilder& arrays) {
    Text text = {{"name", layer.name}};
    std::visit(LayerWriter(text, arrays), layer.content);
    if (layer.body) text["body"] = *layer.body;
    text["visible"] = layer.visible;
    text["info"] = text_of(layer.info);
    return text;
}

const char* word(ViewerKind kind) {
    constexpr std::array words = {"recording", "mesh", "field", "sweep", "depth", "tetrahedra", "live"};
    return words[static_cast<std::size_t>(kind)];
}

struct Extent {
    Box box;

    void operator()(const BoxesLayer& layer) {
        for (const Box& b : layer.boxes) box.extend(b);
    }
    void operator()(const SpheresLayer& layer) {
        for (const Sphere& s : layer.spheres) box.extend(Box::around(s.center, Vec3::Constant(s.radius)));
    }
    void operator()(const PathLayer& layer) {
        for (const Vec3& p : layer.points) box.extend(p);
    }
    void operator()(const ContactsLayer& layer) {
        for (const BodyContact& c : layer.contacts) box.extend(c.position);
    }
    void operator()(const VolumeLayer& layer) { box.extend(layer.box); }
    void operator()(const DepthMapLayer& layer) {
        for (const double x : {0, layer.map.view.width})
            for (const double y : {0, layer.map.view.height})
                for (const double z : {0, 1}) box.extend(layer.map.view.to_world({x, y, z}));
    }
};

// Bounds of the bodies, or of the layers if there are no bodies.
Box bounds_of(const ViewerDocument& document) {
    if (!document.bounds.empty()) return document.bounds;
    Extent extent;
    for (const ViewerBody& body : document.bodies)
        for (const Vec3f& v : body.vertices)
            if (v.allFinite()) extent.box.extend(body.pose * v.cast<double>());
    if (extent.box.empty())
        for (const ViewerLayer& layer : document.layers) std::visit(extent, layer.content);
    return extent.box.empty() ? Box::around(Vec3::Zero(), Vec3::Ones()) : extent.box;
}

std::string document_packet(const ViewerDocument& document, std::span<const DocumentPackets::Chunk> chunks) {
    PacketBuilder arrays;
    Text text = {{"title", document.title},
                 {"subtitle", document.subtitle},
                 {"kind", word(document.kind)},
                 {"bounds", numbers(bounds_of(document))}};
    if (document.y_is_up) text["up"] = "y";
    text["bodies"] = Text::array();
    for (const ViewerBody& body : document.bodies) text["bodies"].push_back(text_of(body, arrays));
    text["layers"] = Text::array();
    for (const ViewerLayer& layer : document.layers) text["layers"].push_back(text_of(layer, arrays));
    if (document.frames) {
        std::vector<double> times;
        for (std::size_t k = 0; k < document.frames->count(); ++k) times.push_back(finite(document.frames->time(k)));
        Text frames = {{"count", times.size()}, {"times", arrays.doubles(times)}, {"chunks", Text::array()}};
        for (std::size_t k = 0; k < chunks.size(); ++k)
            frames["chunks"].push_back({{"packet", k + 1}, {"first", chunks[k].first}, {"count", chunks[k].count}});
        text["frames"] = std::move(frames);
    }
    text["series"] = Text::array();
    for (const ViewerSeries& s : document.series)
        text["series"].push_back(
            {{"name", s.name}, {"unit", s.unit}, {"group", s.group}, {"values", arrays.doubles(s.values)}});
    if (document.kind == ViewerKind::live) text["live"] = true;
    return arrays.finish(text);
}

// A list with one value per frame; null for frames without a value.
Text& entry(Text& object, const std::string& body, const char* key, std::size_t frames) {
    Text& list = object[body][key];
    if (list.is_null()) list = Text(frames, Text(nullptr));
    return list;
}

std::string chunk_packet(const ViewerFrames& frames, const DocumentPackets::Chunk& chunk) {
    PacketBuilder arrays;
    std::vector<float> poses;
    Text deformed = Text::object(), contacts = Text::array();
    for (std::size_t k = 0; k < chunk.count; ++k) {
        const ViewerFrame frame = frames.frame(chunk.first + k);
        for (const Pose& pose : frame.poses)
            for (const Text& number : numbers(pose)) poses.push_back(finite_float(number.get<double>()));
        for (const DeformedBody& d : frame.deformed) {
            const std::string body = fmt::format("{}", d.body);
            entry(deformed, body, "vertices", chunk.count)[k] =
                arrays.once(d.vertices, [&](auto rows) { return arrays.points(rows); });
            Text& triangles = entry(deformed, body, "triangles", chunk.count);
            if (d.triangles) triangles[k] = arrays.once(*d.triangles, [&](auto rows) { return arrays.indices(rows); });
            if (!d.shades.empty()) entry(deformed, body, "shades", chunk.count)[k] = arrays.bytes(d.shades);
        }
        contacts.push_back(nullptr);
        if (!frame.contacts.empty()) add_contacts(contacts.back(), frame.contacts, arrays);
    }
    Text text = {{"first", chunk.first}, {"count", chunk.count}, {"poses", arrays.floats(7, poses)}};
    text["deformed"] = std::move(deformed);
    text["contacts"] = std::move(contacts);
    return arrays.finish(text);
}

std::size_t bytes_of(const ViewerFrame& frame) {
    std::size_t bytes = 7 * sizeof(float) * frame.poses.size() + 40 * frame.contacts.size();
    for (const DeformedBody& d : frame.deformed)
        bytes += d.vertices.size_bytes() + (d.triangles ? d.triangles->size_bytes() : 0) + d.shades.size();
    return bytes;
}

} // namespace

std::string PacketSource::packed_packet(std::size_t k) const { return as_gzip(packet(k)); }

DocumentPackets::DocumentPackets(ViewerDocument document, const PacketOptions& options)
    : document_(std::move(document)) {
    std::size_t bytes = 0;
    const std::size_t frames = document_.frames ? document_.frames->count() : 0;
    for (std::size_t k = 0; k < frames; ++k) {
        const std::size_t more = bytes_of(document_.frames->frame(k));
        if (chunks_.empty() || bytes + more > options.chunk_bytes) {
            chunks_.push_back({k, 0});
            bytes = 0;
        }
        ++chunks_.back().count;
        bytes += more;
    }
}

std::string DocumentPackets::packet(std::size_t k) const {
    if (k >= packet_count())
        throw Error(Cause::index_out_of_range, fmt::format("index is not below {}", packet_count()),
                    {.element = "packet", .index = static_cast<std::int64_t>(k)});
    return k == 0 ? document_packet(document_, chunks_) : chunk_packet(*document_.frames, chunks_[k - 1]);
}

} // namespace fathom
