// Looks up bodies, primitives and normals by key.
#include <fathom/detect/depth/cpu_resolve.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// What the last key stood for: neighbours mostly share it.
class Lookup {
public:
    explicit Lookup(const Resolve& resolve) : resolve_(resolve) {}

    void set(std::int32_t key) {
        if (key == key_) return;
        key_ = key;
        const auto bodies = resolve_.raster.bodies;
        if (key == 0) return void((id_ = {}, normal_ = Vec3f::Zero()));
        if (!holds(key)) {
            // Of bodies with equal first keys all but the last are empty.
            const auto next = std::upper_bound(bodies.begin(), bodies.end(), key,
                                               [](std::int32_t k, const RasterBody& b) { return k < b.first_key; });
            body_ = static_cast<std::size_t>(next - bodies.begin()) - 1;
        }
        const DrawnMesh& mesh = *bodies[body_].mesh;
        const Index number = mesh.numbers()[static_cast<std::size_t>(key - bodies[body_].first_key)];
        id_ = {resolve_.bodies[body_].id, number};
        if (!resolve_.map.normals.empty()) normal_ = normal_of(mesh, number);
    }
    [[nodiscard]] const DepthId& id() const { return id_; }
    [[nodiscard]] const Vec3f& normal() const { return normal_; }

private:
    [[nodiscard]] bool holds(std::int32_t key) const {
        const RasterBody& body = resolve_.raster.bodies[body_];
        return key >= body.first_key && static_cast<std::size_t>(key - body.first_key) < body.mesh->size();
    }
    [[nodiscard]] Vec3f normal_of(const DrawnMesh& mesh, Index number) const {
        if (mesh.kind() != Primitives::triangles) return (-resolve_.map.view.direction()).cast<float>();
        const auto p = mesh.positions();
        const Triangle& t = mesh.triangles()[number];
        // In double: the square of a small length would vanish.
        const Vec3 a = p[t[0]].cast<double>(), normal = (p[t[1]].cast<double>() - a).cross(p[t[2]].cast<double>() - a);
        const double length = std::sqrt(normal.squaredNorm());
        return length > 0 ? (resolve_.turns[body_] * (normal / length)).cast<float>().eval() : Vec3f::Zero().eval();
    }

    const Resolve& resolve_;
    std::int32_t key_ = 0;
    std::size_t body_ = 0;
    DepthId id_{};
    Vec3f normal_ = Vec3f::Zero();
};

} // namespace

void resolve_rows(const Resolve& resolve, const RasterRows& rows) {
    Lookup lookup(resolve);
    DepthMap& map = resolve.map;
    const auto width = static_cast<std::size_t>(resolve.raster.width);
    for (int row = rows.first; row <= rows.last; ++row) {
        const std::int32_t* keys = rows.keys + rows.at(row, 0);
        const std::size_t first = static_cast<std::size_t>(row) * width;
        for (std::size_t column = 0, end = 0; column < width; column = end) {
            end = column + 1;
            while (end < width && keys[end] == keys[column]) ++end;
            lookup.set(keys[column]);
            if (!map.ids.empty()) std::fill(map.ids.data() + first + column, map.ids.data() + first + end, lookup.id());
            if (!map.normals.empty())
                std::fill(map.normals.data() + first + column, map.normals.data() + first + end, lookup.normal());
        }
    }
}

} // namespace fathom
