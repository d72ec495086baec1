// A depth backend that draws by clipping each triangle to each pixel's column, in double: slow, and the oracle of
// conservative drawing. Plain drawing is left to the CPU backend.
#pragma once

#include <fathom/base/error.h>
#include <fathom/detect/depth/depth_backend.h>

#include <algorithm>
#include <cmath>

namespace fathom::testing {

class ClippingBackend final : public DepthBackend {
public:
    [[nodiscard]] std::string name() const override { return "clipping"; }
    [[nodiscard]] std::unique_ptr<DepthTarget> make_target() override {
        return std::make_unique<Target>(plain_->make_target());
    }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
              DepthTarget& target) override {
        Target& own = dynamic_cast<Target&>(target);
        if (options.conservative) return draw_columns(view, bodies, options, own);
        DrawOptions inner = options;
        std::unique_ptr<DepthTarget> after, until;
        if (options.after) inner.after = as_plain(*options.after, after);
        if (options.until) inner.until = as_plain(*options.until, until);
        plain_->draw(view, bodies, inner, *own.plain);
        own.columns = {};
    }

    [[nodiscard]] DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) override {
        std::unique_ptr<DepthTarget> a, b;
        return plain_->compare(*as_plain(object, a), *as_plain(environment, b));
    }

private:
    struct Target final : DepthTarget {
        explicit Target(std::unique_ptr<DepthTarget> inner) : plain(std::move(inner)) {}
        std::unique_ptr<DepthTarget> plain;
        DepthMap columns; // of a conservative drawing, else empty
        [[nodiscard]] const DepthMap& map() const override { return columns.depth.empty() ? plain->map() : columns; }
        [[nodiscard]] const DepthView& view() const override { return map().view; }
        [[nodiscard]] const void* owner() const override { return plain.get(); } // unlike any backend's
    };

    // A map as a target of the plain backend: a quad a pixel at its depth.
    const DepthTarget* as_plain(const DepthTarget& target, std::unique_ptr<DepthTarget>& made) {
        const Target& own = dynamic_cast<const Target&>(target);
        if (own.columns.depth.empty()) return own.plain.get();
        const DepthMap& map = own.columns;
        TriangleMesh quads;
        for (std::size_t k = 0; k < map.depth.size(); ++k) {
            if (!map.covered(k)) continue;
            const auto columns = static_cast<std::size_t>(map.view.width);
            const Vec3 at(static_cast<double>(k % columns), static_cast<double>(k / columns),
                          static_cast<double>(map.depth[k]));
            const Index first = static_cast<Index>(quads.vertices.size());
            for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)})
                quads.vertices.push_back(map.view.to_world(at + corner));
            quads.triangles.push_back({first, first + 1, first + 2});
            quads.triangles.push_back({first, first + 2, first + 3});
        }
        made = plain_->make_target();
        plain_->draw(map.view, std::array{DrawnBody{std::make_shared<DrawnMesh>(quads), {}, 0}},
                     {.keep = map.keep, .faces = Faces::both}, *made);
        return made.get();
    }

    static std::vector<Vec3> cut(const std::vector<Vec3>& polygon, int axis, double sign, double limit) {
        std::vector<Vec3> kept;
        for (std::size_t k = 0; k < polygon.size(); ++k) {
            const Vec3 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
            const double over_a = sign * (a[axis] - limit), over_b = sign * (b[axis] - limit);
            if (over_a <= 0) kept.push_back(a);
            if (over_a * over_b < 0) kept.push_back(a + over_a / (over_a - over_b) * (b - a));
        }
        return kept;
    }

    // Clipped to the box of the view too: what sticks out of it is not drawn, the rest is.
    void draw_columns(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
                      Target& target) {
        if (options.ids || options.normals || options.faces != Faces::both)
            throw Error(Cause::unsupported, "only depths of both faces");
        DepthMap map{view, options.keep, {}, {}, {}};
        map.depth.assign(view.pixel_count(), map.nothing());
        for (const DrawnBody& body : bodies)
            for (const Triangle& t : body.mesh->triangles()) {
                std::vector<Vec3> triangle;
                Box box;
                for (const Index corner : t) {
                    triangle.push_back(
                        view.to_map(body.pose * (body.mesh->origin() + body.mesh->positions()[corner].cast<double>())));
                    box.extend(triangle.back());
                }
                triangle = cut(cut(triangle, 2, -1, 0), 2, 1, 1);
                const auto clamped = [](double edge, int count) {
                    return static_cast<int>(std::clamp(std::floor(edge), -1.0, static_cast<double>(count)));
                };
                for (int j = std::max(0, clamped(box.lower.y(), view.height));
                     j <= std::min(view.height - 1, clamped(box.upper.y(), view.height)); ++j)
                    for (int i = std::max(0, clamped(box.lower.x(), view.width));
                         i <= std::min(view.width - 1, clamped(box.upper.x(), view.width)); ++i)
                        put(cut(cut(cut(cut(triangle, 0, -1, i), 0, 1, i + 1), 1, -1, j), 1, 1, j + 1),
                            static_cast<std::size_t>(j * view.width + i), options, map);
            }
        target.columns = std::move(map);
    }

    static void put(const std::vector<Vec3>& part, std::size_t pixel, const DrawOptions& options, DepthMap& map) {
        if (part.empty()) return;
        const auto [first, last] = std::ranges::minmax(part, {}, [](const Vec3& p) { return p.z(); });
        const float z = static_cast<float>(options.keep == Keep::nearest ? first.z() : last.z());
        if (options.after && !(z > options.after->map().depth[pixel])) return;
        if (options.until && !(z <= options.until->map().depth[pixel])) return;
        map.depth[pixel] =
            options.keep == Keep::nearest ? std::min(map.depth[pixel], z) : std::max(map.depth[pixel], z);
    }

    std::unique_ptr<DepthBackend> plain_ = make_cpu_depth_backend();
};

} // namespace fathom::testing
