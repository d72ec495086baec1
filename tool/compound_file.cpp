// Reading and writing of compound files.
#include <tool/compound_file.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

constexpr int deepest_file = 16;               // of files that name one another
constexpr std::size_t max_read_parts = 65'536; // of all files together, each as often as it is named

// Files that name one another many times would multiply: what is read is limited for all of them together.
struct Nesting {
    int depth = 0;
    std::size_t parts = 0; // read so far
};

// A part of a compound file, and its place for messages.
struct PartReader {
    const Json& json;
    Place place;

    [[noreturn]] void fail(const std::string& reason) const { throw Error(Cause::malformed, reason, place); }

    template <std::size_t N>
    [[nodiscard]] std::array<double, N> numbers(const char* key, const std::array<double, N>& fallback) const {
        if (!json.contains(key)) return fallback;
        const Json& list = json[key];
        if (!list.is_array() || list.size() != N ||
            !std::ranges::all_of(list, [](const Json& v) { return v.is_number(); }))
            fail(fmt::format("{}: expected {} numbers", key, N));
        std::array<double, N> values{};
        for (std::size_t k = 0; k < N; ++k) values[k] = list[k].get<double>();
        return values;
    }
    [[nodiscard]] std::uint64_t whole(const char* key, std::uint64_t fallback, std::uint64_t largest) const {
        if (!json.contains(key)) return fallback;
        const Json& value = json[key];
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > largest)
            fail(fmt::format("{}: expected a whole number from 0 to {}", key, largest));
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] std::string text(const char* key) const {
        if (!json.contains(key)) return {};
        if (!json[key].is_string()) fail(fmt::format("{}: expected a text", key));
        return json[key].get<std::string>();
    }
    [[nodiscard]] std::vector<Vec3> points(const char* key) const {
        if (!json[key].is_array()) fail(fmt::format("{}: expected a list of points", key));
        std::vector<Vec3> list;
        for (const Json& point : json[key]) {
            if (!point.is_array() || point.size() != 3 ||
                !std::ranges::all_of(point, [](const Json& v) { return v.is_number(); }))
                fail(fmt::format("{}: expected points of 3 numbers", key));
            list.emplace_back(point[0].get<double>(), point[1].get<double>(), point[2].get<double>());
        }
        return list;
    }
    void check_keys() const {
        if (!json.is_object()) fail("expected an object");
        constexpr std::array known = {"shape", "hull", "position", "rotation", "name", "user", "category", "mask"};
        for (const auto& entry : json.items())
            if (std::ranges::find(known, entry.key()) == known.end())
                fail(fmt::format("unknown key '{}'", entry.key()));
        if (json.contains("shape") && json.contains("hull")) fail("expected either shape or hull");
        if (!json.contains("hull") && text("shape").empty())
            fail("shape: expected a file, the name of a shape or an expression");
    }
};

Shape read_nested(const fs::path& file, Nesting& nesting);

Shape read_shape(const fs::path& folder, const std::string& text, Nesting& nesting) {
    std::error_code ignored;
    const fs::path beside = folder / text;
    const bool is_file = fs::is_regular_file(beside, ignored);
    if (is_compound_file(text)) return read_nested(is_file ? beside : fs::path(text), nesting);
    return shape_of(open_field(is_file ? beside.string() : text));
}

CompoundPart read_part(const PartReader& part, const fs::path& folder, Nesting& nesting) {
    part.check_keys();
    constexpr std::uint64_t all = 0xffff'ffffu;
    const auto p = part.numbers<3>("position", {0, 0, 0});
    const auto q = part.numbers<4>("rotation", {1, 0, 0, 0});
    return {.shape = part.json.contains("hull") ? Shape::convex_hull(part.points("hull"))
                                                : read_shape(folder, part.text("shape"), nesting),
            .pose = {Quat(q[0], q[1], q[2], q[3]), Vec3(p[0], p[1], p[2])},
            .name = part.text("name"),
            .user = part.whole("user", 0, ~std::uint64_t{0}),
            .category = static_cast<std::uint32_t>(part.whole("category", 1, all)),
            .mask = static_cast<std::uint32_t>(part.whole("mask", all, all))};
}

Shape read_nested(const fs::path& file, Nesting& nesting) {
    if (nesting.depth > deepest_file)
        throw Error(Cause::too_large, fmt::format("compound files may name one another {} deep", deepest_file),
                    {.file = file.string()});
    Bytes bytes = read_whole_file(file);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object() || !json.contains("parts") || !json["parts"].is_array())
        throw Error(Cause::malformed, "expected an object with a list \"parts\"", {.file = file.string()});
    if (nesting.parts += json["parts"].size(); nesting.parts > max_read_parts)
        throw Error(Cause::too_large, fmt::format("compound files have at most {} parts", max_read_parts),
                    {.file = file.string()});
    ++nesting.depth;
    std::vector<CompoundPart> parts;
    for (const Json& part : json["parts"]) {
        const Place place{.file = file.string(), .element = "part", .index = static_cast<std::int64_t>(parts.size())};
        parts.push_back(read_part({part, place}, file.parent_path(), nesting));
    }
    --nesting.depth;
    return Shape::compound(std::move(parts));
}

} // namespace

bool is_compound_file(const std::string& text) {
    std::string ending = fs::path(text).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending == ".json";
}

Shape read_compound(const std::string& file) {
    Nesting nesting;
    return read_nested(file, nesting);
}

void write_hulls(const std::string& file, std::span<const TriangleMesh> hulls, const std::string& prefix) {
    Json parts = Json::array();
    for (const TriangleMesh& hull : hulls) {
        Json points = Json::array();
        for (const Vec3& p : hull.vertices) points.push_back(as_json(p));
        parts.push_back({{"name", fmt::format("{}_{}", prefix, parts.size() + 1)}, {"hull", std::move(points)}});
    }
    write_whole_file(file, Json{{"parts", std::move(parts)}}.dump() + "\n");
}

void write_objects(const std::string& file, std::span<const TriangleMesh> meshes, const std::string& prefix) {
    std::string text;
    const auto out = std::back_inserter(text);
    std::size_t first = 1, number = 0;
    for (const TriangleMesh& mesh : meshes) {
        fmt::format_to(out, "o {}_{}\n", prefix, ++number);
        for (const Vec3& p : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", p.x(), p.y(), p.z());
        for (const Triangle& t : mesh.triangles)
            fmt::format_to(out, "f {} {} {}\n", first + t[0], first + t[1], first + t[2]);
        first += mesh.vertices.size();
    }
    write_whole_file(file, text);
}

std::string describe_compound(const Shape& shape) {
    return fmt::format("compound, {} parts", with_commas(shape.parts().size()));
}

} // namespace fathom::tool
