// Boxes as JSON. What is read is believed in nothing but its numbers.
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/base/encode/gltf_json.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t most_boxes = 65'536;
constexpr double largest = 1e15; // m

Vec3 vector_of(const GltfTable& table, const char* key) {
    (void)table.at(key); // must be there
    const std::array<double, 3> v = table.numbers<3>(key, {0, 0, 0});
    for (const double x : v) {
        if (!std::isfinite(x)) table.fail(Cause::non_finite, fmt::format("'{}' is not finite", key));
        if (std::abs(x) > largest) table.fail(Cause::too_large, fmt::format("'{}' is past 1e15", key));
    }
    return {v[0], v[1], v[2]};
}

OrientedBox box_of(const GltfTable& table) {
    OrientedBox box;
    box.pose.translation = vector_of(table, "center");
    box.half = vector_of(table, "half");
    if (box.half.minCoeff() < 0) table.fail(Cause::invalid_argument, "'half' is below 0");
    const std::array<double, 4> q = table.numbers<4>("rotation", {1, 0, 0, 0});
    const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (!std::isfinite(length)) table.fail(Cause::non_finite, "'rotation' is not finite");
    if (!(length > 1e-150)) table.fail(Cause::invalid_argument, "'rotation' has no length");
    box.pose.rotation = Quat(q[0] / length, q[1] / length, q[2] / length, q[3] / length);
    if (length == 1) box.pose.rotation = Quat(q[0], q[1], q[2], q[3]); // as it was written
    return box;
}

nlohmann::ordered_json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

} // namespace

Decomposition parse_boxes(std::span<const std::byte> json, const std::string& name) {
    const Source source{json, name};
    const Json root = parse_gltf_json(source, source.text());
    const GltfTable table(source, root, "decomposition");
    (void)table.at("boxes");
    const Json& boxes = table.list("boxes");
    if (boxes.size() > most_boxes)
        table.fail(Cause::too_large, fmt::format("{} boxes are past the limit of {}", boxes.size(), most_boxes));
    Decomposition result;
    for (std::size_t k = 0; k < boxes.size(); ++k) result.boxes.push_back(box_of(GltfTable(source, boxes, k, "box")));
    return result;
}

Decomposition read_boxes(const std::filesystem::path& path) {
    return parse_boxes(read_whole_file(path).span(), path.string());
}

void write_boxes(const std::filesystem::path& path, const Decomposition& decomposition) {
    auto boxes = nlohmann::ordered_json::array();
    for (const OrientedBox& box : decomposition.boxes) {
        const Quat& q = box.pose.rotation;
        boxes.push_back({{"center", list(box.pose.translation)},
                         {"rotation", {q.w(), q.x(), q.y(), q.z()}},
                         {"half", list(box.half)}});
    }
    const nlohmann::ordered_json json = {{"boxes", std::move(boxes)}, {"contained", decomposition.contained}};
    write_whole_file(path, json.dump(1) + "\n");
}

} // namespace fathom
