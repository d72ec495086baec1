// Where the meshes of a glTF file stand.
#include <fathom/geometry/io/gltf_scene.h>

#include <algorithm>

namespace fathom {

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
        return Eigen::Map<const Matrix4>(m.data()); // both column by column
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
