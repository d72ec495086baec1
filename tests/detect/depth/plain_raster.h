// Reference rasteriser of depth maps: every pixel of a primitive's box is tested in 128-bit integers and in double. It
// is the oracle of the CPU backend and too slow for other use.
#pragma once

#include <fathom/detect/depth/depth_backend.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::testing {

struct PlainMap {
    DepthMap map;
    std::vector<float> tolerance; // of depth, pixel by pixel: what cpu_raster.h allows for the primitive that won
};

class PlainRaster {
public:
    __extension__ using Wide = __int128;

    struct Corner {
        std::int64_t x, y; // 1/256 pixels
        double z;
    };

    PlainRaster(const DepthView& view, const DrawOptions& options, const PlainMap* after = nullptr,
                const PlainMap* until = nullptr)
        : options_(options), after_(after), until_(until) {
        const std::size_t count = view.pixel_count();
        result_.map.view = view;
        result_.map.keep = options.keep;
        result_.map.depth.assign(count, result_.map.nothing());
        result_.map.ids.assign(count, {});
        result_.map.normals.assign(count, Vec3f::Zero());
        result_.tolerance.assign(count, 0x1p-22f);
    }

    void paint(const DrawnBody& body) {
        for (const Index number : body.mesh->numbers()) paint(body, number);
    }
    void paint(const DrawnBody& body, Index number) {
        const DrawnMesh& mesh = *body.mesh;
        const Pose frame = body.pose * Pose::from_translation(mesh.origin());
        matrix_ = clip_matrix(result_.map.view, frame);
        id_ = {body.id, number};
        normal_ = (-result_.map.view.direction()).cast<float>();
        if (mesh.kind() == Primitives::points) return point(corner(mesh.positions()[number]));
        if (mesh.kind() == Primitives::lines)
            return line(corner(mesh.positions()[mesh.edges()[number][0]]),
                        corner(mesh.positions()[mesh.edges()[number][1]]));
        const Triangle& t = mesh.triangles()[number];
        const auto p = mesh.positions();
        const Vec3 a = p[t[0]].cast<double>(), normal = (p[t[1]].cast<double>() - a).cross(p[t[2]].cast<double>() - a);
        normal_ = frame.rotate(normal.stableNormalized()).cast<float>();
        triangle({corner(p[t[0]]), corner(p[t[1]]), corner(p[t[2]])});
    }

    [[nodiscard]] const PlainMap& result() const { return result_; }

private:
    [[nodiscard]] Corner corner(const Vec3f& p) const {
        const auto& m = matrix_;
        const DepthView& view = result_.map.view;
        const auto row = [&](std::size_t r) {
            return ((m[r] * p.x() + m[r + 1] * p.y()) + m[r + 2] * p.z()) + m[r + 3];
        };
        const float half_width = 0.5f * static_cast<float>(view.width),
                    half_height = 0.5f * static_cast<float>(view.height);
        const float x = row(0) * half_width + half_width, y = row(4) * half_height + half_height;
        return {std::llrint(x * 256.0f), std::llrint(y * 256.0f), row(8)};
    }

    static Wide cross(const Corner& a, const Corner& b, std::int64_t x, std::int64_t y) {
        return static_cast<Wide>(b.x - a.x) * (y - a.y) - static_cast<Wide>(b.y - a.y) * (x - a.x);
    }

    void triangle(std::array<Corner, 3> c) {
        Wide area = cross(c[0], c[1], c[2].x, c[2].y);
        if (area == 0) return;
        const bool front = area < 0;
        if (options_.faces != Faces::both && front != (options_.faces == Faces::front)) return;
        if (area < 0) std::swap(c[1], c[2]), area = -area;
        const DepthView& view = result_.map.view;
        const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
        const auto [top, bottom] = std::minmax({c[0].y, c[1].y, c[2].y});
        const auto first = [](std::int64_t edge) { return std::max<std::int64_t>(0, (edge - 128) >> 8); };
        const auto last = [](std::int64_t edge, int count) { return std::min<std::int64_t>(count - 1, edge >> 8); };
        const std::int64_t first_row = first(top), last_row = last(bottom, view.height), first_column = first(left),
                           last_column = last(right, view.width);
        const auto weight = [&](std::size_t k, std::int64_t x, std::int64_t y) {
            return static_cast<double>(cross(c[(k + 1) % 3], c[(k + 2) % 3], x, y)) / static_cast<double>(area);
        };
        const auto depth = [&](std::int64_t x, std::int64_t y) {
            return weight(0, x, y) * c[0].z + weight(1, x, y) * c[1].z + weight(2, x, y) * c[2].z;
        };
        const double rise =
            std::abs(depth(256, 0) - depth(0, 0)) * static_cast<double>(last_column - first_column + 1) +
            std::abs(depth(0, 256) - depth(0, 0)) * static_cast<double>(last_row - first_row + 1);
        tolerance_ = static_cast<float>(0x1p-22 * (1 + rise) + 1e-12);
        const auto [nearest, farthest] = std::minmax({c[0].z, c[1].z, c[2].z});
        for (std::int64_t j = first_row; j <= last_row; ++j)
            for (std::int64_t i = first_column; i <= last_column; ++i) {
                bool inside = true;
                for (std::size_t k = 0; k < 3 && inside; ++k) {
                    const Corner &a = c[(k + 1) % 3], &b = c[(k + 2) % 3];
                    const Wide e = cross(a, b, 256 * i + 128, 256 * j + 128);
                    const bool owns = (a.y == b.y && b.x > a.x) || b.y < a.y; // top-left
                    inside = e > 0 || (e == 0 && owns);
                }
                if (inside) put(i, j, std::clamp(depth(256 * i + 128, 256 * j + 128), nearest, farthest));
            }
    }

    void line(Corner a, Corner b) {
        const bool steep = std::abs(b.y - a.y) > std::abs(b.x - a.x);
        if (steep) std::swap(a.x, a.y), std::swap(b.x, b.y);
        if (a.x > b.x) std::swap(a, b);
        tolerance_ = 0x1p-23f;
        const int count = steep ? result_.map.view.height : result_.map.view.width;
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t middle = 256 * k + 128;
            if (middle < a.x || middle >= b.x) continue;
            const Wide scaled = static_cast<Wide>(b.y - a.y) * (middle - a.x) + static_cast<Wide>(a.y) * (b.x - a.x),
                       one = static_cast<Wide>(256) * (b.x - a.x);
            const auto other = static_cast<std::int64_t>(scaled >= 0 ? scaled / one : -((one - 1 - scaled) / one));
            const double share = static_cast<double>(middle - a.x) / static_cast<double>(b.x - a.x);
            steep ? put(other, k, a.z + share * (b.z - a.z)) : put(k, other, a.z + share * (b.z - a.z));
        }
    }

    void point(const Corner& a) {
        tolerance_ = 0;
        put(a.x >> 8, a.y >> 8, a.z);
    }

    void put(std::int64_t column, std::int64_t row, double depth) {
        const DepthView& view = result_.map.view;
        if (column < 0 || row < 0 || column >= view.width || row >= view.height) return;
        const auto pixel = static_cast<std::size_t>(row * view.width + column);
        const auto z = static_cast<float>(depth);
        if (!(z >= 0 && z <= 1)) return;
        if (after_ && !(z > after_->map.depth[pixel])) return;
        if (until_ && !(z <= until_->map.depth[pixel])) return;
        float& kept = result_.map.depth[pixel];
        if (options_.keep == Keep::nearest ? !(z < kept) : !(z > kept)) return;
        kept = z;
        result_.map.ids[pixel] = id_;
        result_.map.normals[pixel] = normal_;
        result_.tolerance[pixel] = tolerance_;
    }

    DrawOptions options_;
    const PlainMap *after_, *until_;
    PlainMap result_;
    ClipMatrix matrix_{};
    DepthId id_{};
    Vec3f normal_ = Vec3f::Zero();
    float tolerance_ = 0;
};

[[nodiscard]] inline PlainMap plain_draw(const DepthView& view, std::span<const DrawnBody> bodies,
                                         const DrawOptions& options, const PlainMap* after = nullptr,
                                         const PlainMap* until = nullptr) {
    PlainRaster raster(view, options, after, until);
    for (const DrawnBody& body : bodies) raster.paint(body);
    return raster.result();
}

} // namespace fathom::testing
