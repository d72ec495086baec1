// Buffers, accessors and node transforms of a glTF file.
#include <fathom/geometry/io/gltf_scene.h>

#include <fathom/base/encode/base64.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace fathom {

// ---- Buffers and accessors.

namespace {

template <class T>
double scaled(const std::byte* from, bool normalized) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    if constexpr (std::is_integral_v<T>) {
        if (normalized) return std::max(-1.0, static_cast<double>(value) / std::numeric_limits<T>::max());
    }
    return static_cast<double>(value);
}

std::size_t component_size(int type) {
    switch (type) {
    case 5120:
    case 5121:
        return 1;
    case 5122:
    case 5123:
        return 2;
    case 5125:
    case 5126:
        return 4;
    default:
        return 0;
    }
}

std::vector<std::byte> decoded(const GltfTable& buffer) {
    const std::string_view uri = buffer.text("uri");
    const std::size_t comma = uri.find(',');
    if (!uri.starts_with("data:"))
        buffer.fail(Cause::unsupported, "is in another file; only embedded buffers are supported");
    if (comma == std::string_view::npos || !uri.substr(0, comma).ends_with(";base64"))
        buffer.fail(Cause::unsupported, "data URI is not base64");
    std::optional<std::vector<std::byte>> bytes = from_base64(uri.substr(comma + 1));
    if (!bytes) buffer.fail(Cause::malformed, "data URI is not valid base64");
    return std::move(*bytes);
}

} // namespace

double GltfAccessor::at(std::size_t element, std::size_t component) const {
    const std::byte* from = bytes.data() + element * stride + component * component_size;
    switch (component_type) {
    case 5120:
        return scaled<std::int8_t>(from, normalized);
    case 5121:
        return scaled<std::uint8_t>(from, normalized);
    case 5122:
        return scaled<std::int16_t>(from, normalized);
    case 5123:
        return scaled<std::uint16_t>(from, normalized);
    case 5125:
        return scaled<std::uint32_t>(from, normalized);
    default:
        return scaled<float>(from, normalized);
    }
}

GltfBuffers::GltfBuffers(const Source& source, const GltfTable& root, std::span<const std::byte> binary)
    : source_(source), root_(root) {
    const Json& buffers = root.list("buffers");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const GltfTable buffer(source, buffers, i, "buffer");
        if (!buffer.has("uri")) {
            if (i != 0 || binary.empty()) buffer.fail(Cause::malformed, "has neither a URI nor a binary chunk");
            buffers_.push_back(binary);
        } else {
            decoded_.push_back(decoded(buffer));
            buffers_.push_back(decoded_.back());
        }
        if (buffer.whole("byteLength") > buffers_.back().size())
            buffer.fail(Cause::truncated, fmt::format("states {} bytes, but contains {}", buffer.whole("byteLength"),
                                                      buffers_.back().size()));
    }
}

GltfBuffers::View GltfBuffers::view(std::size_t index) const {
    const GltfTable stated(source_, root_.list("bufferViews"), index, "bufferView");
    const std::size_t buffer = stated.whole("buffer");
    if (buffer >= buffers_.size()) stated.fail(Cause::index_out_of_range, "refers to a buffer that does not exist");
    const std::size_t offset = stated.whole("byteOffset", 0);
    const std::size_t length = stated.whole("byteLength");
    const std::span<const std::byte> whole = buffers_[buffer];
    if (offset > whole.size() || length > whole.size() - offset)
        stated.fail(Cause::truncated, "extends beyond the end of its buffer");
    return {whole.subspan(offset, length), stated.whole("byteStride", 0)};
}

GltfAccessor GltfBuffers::accessor(std::size_t index, std::string_view type, std::size_t components) const {
    const GltfTable stated(source_, root_.list("accessors"), index, "accessor");
    if (stated.has("sparse")) stated.fail(Cause::unsupported, "is sparse, which is not supported");
    if (!stated.has("bufferView")) stated.fail(Cause::unsupported, "has no data (compressed by an extension?)");
    if (stated.text("type") != type) stated.fail(Cause::malformed, fmt::format("is not of type {}", type));
    GltfAccessor out;
    out.component_type = static_cast<int>(std::min<std::size_t>(stated.whole("componentType"), 9999));
    out.component_size = component_size(out.component_type);
    if (out.component_size == 0) stated.fail(Cause::malformed, "has an unknown component type");
    out.normalized = stated.flag("normalized");
    out.count = stated.whole("count");
    const std::size_t size = components * out.component_size;
    const View whole = view(stated.whole("bufferView"));
    const std::span<const std::byte> bytes = whole.bytes;
    const std::size_t offset = stated.whole("byteOffset", 0);
    out.stride = whole.stride == 0 ? size : whole.stride;
    if (out.stride < size || out.stride > 1024) stated.fail(Cause::malformed, "elements overlap");
    // The last element may be shorter than the stride.
    const bool fits = offset <= bytes.size() &&
                      (out.count == 0 ||
                       (bytes.size() - offset >= size && out.count - 1 <= (bytes.size() - offset - size) / out.stride));
    if (!fits)
        stated.fail(Cause::count_mismatch,
                    fmt::format("states {} elements, more than its bytes can contain", out.count));
    out.bytes = bytes.subspan(offset);
    return out;
}

namespace {

using Matrix4 = Eigen::Matrix4d;

std::vector<std::size_t> roots(const Source& source, const GltfTable& root) {
    const Json& nodes = root.list("nodes");
    const Json& scenes = root.list("scenes");
    if (!scenes.empty())
        return GltfTable(source, scenes, root.whole("scene", 0), "scene").indices("nodes", nodes.size());
    std::vector<bool> is_child(nodes.size(), false);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const std::size_t child : GltfTable(source, nodes, i, "node").indices("children", nodes.size()))
            is_child[child] = true;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!is_child[i]) out.push_back(i);
    return out;
}

Matrix4 own_place(const GltfTable& node) {
    if (node.has("matrix")) {
        const std::array<double, 16> m = node.numbers<16>("matrix", {});
        return Eigen::Map<const Matrix4>(m.data()); // both are column-major
    }
    const std::array<double, 3> t = node.numbers<3>("translation", {0, 0, 0});
    const std::array<double, 4> r = node.numbers<4>("rotation", {0, 0, 0, 1});
    const std::array<double, 3> s = node.numbers<3>("scale", {1, 1, 1});
    Matrix4 place = Matrix4::Identity();
    place.topLeftCorner<3, 3>() = Quat(r[3], r[0], r[1], r[2]).toRotationMatrix() * Vec3(s[0], s[1], s[2]).asDiagonal();
    place.topRightCorner<3, 1>() = Vec3(t[0], t[1], t[2]);
    return place;
}

} // namespace

std::vector<GltfPlaced> gltf_scene(const Source& source, const GltfTable& root) {
    std::vector<GltfPlaced> out;
    const Json& nodes = root.list("nodes");
    if (nodes.empty()) {
        for (std::size_t i = 0; i < root.list("meshes").size(); ++i) out.push_back({i, Matrix4::Identity()});
        return out;
    }
    struct Visit {
        std::size_t node;
        Matrix4 parent;
    };
    std::vector<Visit> stack;
    for (const std::size_t node : roots(source, root)) stack.push_back({node, Matrix4::Identity()});
    std::reverse(stack.begin(), stack.end());
    std::vector<bool> seen(nodes.size(), false);
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        const GltfTable node(source, nodes, visit.node, "node");
        if (seen[visit.node]) node.fail(Cause::malformed, "has two parents or is its own ancestor");
        seen[visit.node] = true;
        const Matrix4 place = visit.parent * own_place(node);
        if (node.has("mesh")) out.push_back({node.whole("mesh"), place});
        const std::vector<std::size_t> children = node.indices("children", nodes.size());
        for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, place});
    }
    return out;
}

} // namespace fathom
