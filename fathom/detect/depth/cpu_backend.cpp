// Room: detect. Draws depth maps on the CPU, in main memory.
#include <fathom/detect/depth/depth_backend.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

struct CpuTarget final : DepthTarget {
    DepthMap drawn;
    [[nodiscard]] const DepthView& view() const override { return drawn.view; }
    [[nodiscard]] const DepthMap& map() const override { return drawn; }
};

const DepthMap* limit_of(const DepthTarget* target, const DepthView& view) {
    if (!target) return nullptr;
    const auto* own = dynamic_cast<const CpuTarget*>(target);
    if (!own || own->drawn.view.width != view.width || own->drawn.view.height != view.height)
        throw Error(Cause::invalid_argument, "must be a target of this backend with as many pixels", {.element = "option after or until"});
    return &own->drawn;
}

struct Corner {
    std::int64_t x, y; // 1/256 pixels
    double wx, wy, z;
};

class Painter {
public:
    Painter(const DepthView& view, const DrawOptions& options, DepthMap& map)
        : view_(view), options_(options), map_(map), after_(limit_of(options.after, view)), until_(limit_of(options.until, view)) {}

    void paint(const DrawnBody& body) {
        const Pose frame = body.pose * Pose::at(body.mesh->origin());
        const ClipMatrix m = clip_matrix(view_, frame);
        const auto positions = body.mesh->positions();
        for (std::size_t t = 0; t < body.mesh->triangles().size(); ++t) {
            std::array<Corner, 3> c;
            const Triangle& triangle = body.mesh->triangles()[t];
            for (std::size_t k = 0; k < 3; ++k) c[k] = corner(m, positions[triangle[k]]);
            const Vec3f a = positions[triangle[0]], normal = (positions[triangle[1]] - a).cross(positions[triangle[2]] - a);
            const Vec3 world = frame.turn(normal.cast<double>().normalized());
            paint(c, {body.id, static_cast<Index>(t)}, world.cast<float>());
        }
    }

private:
    [[nodiscard]] Corner corner(const ClipMatrix& m, const Vec3f& p) const {
        const auto row = [&](std::size_t r) { return ((m[r] * p.x() + m[r + 1] * p.y()) + m[r + 2] * p.z()) + m[r + 3]; };
        const float half_width = 0.5f * static_cast<float>(view_.width), half_height = 0.5f * static_cast<float>(view_.height);
        const float x = row(0) * half_width + half_width, y = row(4) * half_height + half_height;
        return {std::llrint(x * 256.0f), std::llrint(y * 256.0f), x, y, row(8)};
    }

    void paint(std::array<Corner, 3> c, const DepthId& id, const Vec3f& normal) {
        const auto cross = [](const Corner& a, const Corner& b, std::int64_t x, std::int64_t y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); };
        std::int64_t area = cross(c[0], c[1], c[2].x, c[2].y);
        if (area == 0) return;
        const bool front = area < 0; // the frame of a view mirrors
        if (options_.faces != Faces::both && front != (options_.faces == Faces::front)) return;
        if (area < 0) std::swap(c[1], c[2]), area = -area;
        const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
        const auto [top, bottom] = std::minmax({c[0].y, c[1].y, c[2].y});
        const auto first = [](std::int64_t edge) { return std::max<std::int64_t>(0, (edge - 128) >> 8); };
        for (std::int64_t j = first(top); j < std::min<std::int64_t>(view_.height, (bottom >> 8) + 1); ++j)
            for (std::int64_t i = first(left); i < std::min<std::int64_t>(view_.width, (right >> 8) + 1); ++i) {
                const std::int64_t x = 256 * i + 128, y = 256 * j + 128;
                bool inside = true;
                std::array<double, 3> weight{};
                for (std::size_t k = 0; k < 3 && inside; ++k) {
                    const Corner &a = c[(k + 1) % 3], &b = c[(k + 2) % 3];
                    const std::int64_t e = cross(a, b, x, y);
                    const bool owns = (a.y == b.y && b.x > a.x) || b.y < a.y; // top-left
                    inside = e > 0 || (e == 0 && owns);
                    weight[k] = static_cast<double>(e) / static_cast<double>(area);
                }
                if (inside) put(static_cast<std::size_t>(j * view_.width + i), static_cast<float>(weight[0] * c[0].z + weight[1] * c[1].z + weight[2] * c[2].z), id, normal);
            }
    }

    void put(std::size_t pixel, float z, const DepthId& id, const Vec3f& normal) {
        if (!(z >= 0 && z <= 1)) return;
        if (after_ && !(z > after_->depth[pixel])) return;
        if (until_ && !(z <= until_->depth[pixel])) return;
        float& depth = map_.depth[pixel];
        if (options_.keep == Keep::nearest ? !(z < depth) : !(z > depth)) return;
        depth = z;
        if (options_.ids) map_.ids[pixel] = id;
        if (options_.normals) map_.normals[pixel] = normal;
    }

    const DepthView& view_;
    const DrawOptions& options_;
    DepthMap& map_;
    const DepthMap *after_, *until_;
};

class CpuBackend final : public DepthBackend {
public:
    [[nodiscard]] std::string name() const override { return "CPU"; }
    [[nodiscard]] std::unique_ptr<DepthTarget> make_target() override { return std::make_unique<CpuTarget>(); }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options, DepthTarget& target) override {
        check(view);
        if (options.conservative) throw Error(Cause::unsupported, "conservative drawing");
        auto* own = dynamic_cast<CpuTarget*>(&target);
        if (!own) throw Error(Cause::invalid_argument, "must be a target of this backend", {.element = "target"});
        DepthMap map{view, options.keep, {}, {}, {}};
        map.depth.assign(view.pixel_count(), map.nothing());
        if (options.ids) map.ids.assign(view.pixel_count(), {});
        if (options.normals) map.normals.assign(view.pixel_count(), Vec3f::Zero());
        Painter painter(view, options, map);
        for (const DrawnBody& body : bodies) painter.paint(body);
        own->drawn = std::move(map);
    }

    [[nodiscard]] DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) override {
        const DepthMap &a = object.map(), &b = environment.map();
        if (a.depth.size() != b.depth.size()) throw Error(Cause::invalid_argument, "must have as many pixels", {.element = "environment"});
        DepthOverlap overlap;
        for (std::size_t k = 0; k < a.depth.size(); ++k) {
            if (!a.covered(k) || !b.covered(k) || b.depth[k] > a.depth[k]) continue;
            if (overlap.pixels == 0 || a.depth[k] - b.depth[k] > overlap.deepest) overlap.deepest = a.depth[k] - b.depth[k], overlap.deepest_pixel = k;
            ++overlap.pixels;
        }
        return overlap;
    }
};

} // namespace

std::unique_ptr<DepthBackend> make_cpu_depth_backend() { return std::make_unique<CpuBackend>(); }

} // namespace fathom
