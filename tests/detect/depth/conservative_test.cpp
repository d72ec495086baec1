// Conservative drawing against exact clipping: of each primitive alone, every pixel that it touches, and no depth that
// it does not reach.
#include <support/test_counts.h>

#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/geometry/generate/generate.h>

#include <gmpxx.h>
#include <gtest/gtest.h>

namespace fathom {

namespace conservative_test {

using testing::count_of;

struct ExactPoint {
    mpq_class x, y, z; // pixels and depth
};

// On the map, as floats: rounding in there is not the drawing's.
ExactPoint on_map(const DepthView& view, const DrawnMesh& mesh, Index vertex) {
    const ClipMatrix m = clip_matrix(view, Pose::from_translation(mesh.origin()));
    const Vec3f& p = mesh.positions()[vertex];
    const auto row = [&](std::size_t r) { return ((m[r] * p.x() + m[r + 1] * p.y()) + m[r + 2] * p.z()) + m[r + 3]; };
    const float half_width = 0.5f * static_cast<float>(view.width),
                half_height = 0.5f * static_cast<float>(view.height);
    return {row(0) * half_width + half_width, row(4) * half_height + half_height, row(8)};
}

template <class Height>
std::vector<ExactPoint> cut(const std::vector<ExactPoint>& polygon, Height&& height) {
    std::vector<ExactPoint> kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
        const ExactPoint &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
        const mpq_class from = height(a), to = height(b);
        if (from >= 0) kept.push_back(a);
        if ((from > 0 && to < 0) || (from < 0 && to > 0)) {
            const mpq_class t = from / (from - to);
            kept.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)});
        }
    }
    return kept;
}

// What lies in the closed square of a pixel, grown by `margin` pixels on every side.
std::vector<ExactPoint> in_pixel(std::vector<ExactPoint> polygon, int column, int row, const mpq_class& margin) {
    const mpq_class left = column - margin, right = column + 1 + margin, top = row - margin, bottom = row + 1 + margin;
    polygon = cut(polygon, [&](const ExactPoint& p) -> mpq_class { return p.x - left; });
    polygon = cut(polygon, [&](const ExactPoint& p) -> mpq_class { return right - p.x; });
    polygon = cut(polygon, [&](const ExactPoint& p) -> mpq_class { return p.y - top; });
    return cut(polygon, [&](const ExactPoint& p) -> mpq_class { return bottom - p.y; });
}

struct Seen {
    std::size_t touched = 0, missed = 0, loose = 0;
};

void expect_enclosed(const DepthView& view, const DepthMap& map, const std::vector<ExactPoint>& polygon, Seen& seen) {
    const mpq_class margin(3, 256);
    for (int row = 0; row < view.height; ++row)
        for (int column = 0; column < view.width; ++column) {
            const auto pixel = static_cast<std::size_t>(row * view.width + column);
            const auto inside = in_pixel(polygon, column, row, 0);
            const bool covered = map.covered(pixel);
            if (inside.empty()) {
                ++seen.missed;
                seen.loose += covered;
                EXPECT_FALSE(covered && in_pixel(polygon, column, row, margin).empty())
                    << "pixel " << column << ", " << row;
                continue;
            }
            // What is out of the box is not drawn, and what reaches out of it is seen from its side on.
            const auto beyond = [&](auto out) { return std::all_of(inside.begin(), inside.end(), out); };
            if (beyond([](const ExactPoint& p) { return p.z < 0; }) ||
                beyond([](const ExactPoint& p) { return p.z > 1; }))
                continue;
            ++seen.touched;
            EXPECT_TRUE(covered) << "pixel " << column << ", " << row;
            if (!covered) continue;
            const mpq_class depth(map.depth[pixel]);
            for (const ExactPoint& p : inside)
                EXPECT_TRUE(map.keep == Keep::nearest ? depth <= std::max<mpq_class>(p.z, 0)
                                                      : depth >= std::min<mpq_class>(p.z, 1))
                    << depth.get_d() << " for " << p.z.get_d();
            const auto [nearest, farthest] = std::minmax_element(
                polygon.begin(), polygon.end(), [](const ExactPoint& a, const ExactPoint& b) { return a.z < b.z; });
            EXPECT_TRUE(depth >= nearest->z && depth <= farthest->z);
        }
}

// Of every size, some flat or upon a line, some with corners upon the borders of pixels.
std::vector<Vec3> random_corners(Random& random, int kind) {
    const double size = std::pow(10.0, random.uniform(-4, 0.3));
    const Vec3 middle = random.in_box(Box::around(Vec3::Zero(), Vec3(0.5, 0.5, 0.2)));
    std::vector<Vec3> corners;
    for (int k = 0; k < 3; ++k) {
        const Vec3 p = random.in_ball();
        corners.push_back(middle + Vec3(size * p.x(), size * p.y(), 0.25 * p.z()));
        if (kind == 1)
            corners.back().x() = std::round(corners.back().x() * 16) / 16,
            corners.back().y() = std::round(corners.back().y() * 12) / 12;
    }
    if (kind == 2) corners[2] = corners[0] + random.uniform(-1, 2) * (corners[1] - corners[0]);
    if (kind == 3) corners[2] = corners[1];
    if (kind == 4) corners[2] = corners[1] = corners[0];
    return corners;
}

DepthView small_view() {
    DepthView view;
    view.pose = Pose::from_translation(Vec3(0, 0, -0.5));
    view.width = 16;
    view.height = 12;
    return view;
}

TEST(ConservativeDepth, covers_every_pixel_that_a_primitive_touches_and_is_no_deeper) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target();
    Random random(31);
    Seen seen;
    const DepthView view = small_view();
    for (std::size_t k = 0; k < count_of(150, 20000); ++k) {
        const std::vector<Vec3> places = random_corners(random, static_cast<int>(k % 5));
        std::vector<DrawnMesh> meshes{DrawnMesh(TriangleMesh{places, {{0, 1, 2}}}),
                                      DrawnMesh::lines(std::span(places).first(2), std::array<Line, 1>{{{0, 1}}}),
                                      DrawnMesh::points(std::span(places).first(1))};
        for (const DrawnMesh& mesh : meshes)
            for (const Keep keep : {Keep::nearest, Keep::farthest}) {
                const DrawnBody body{std::make_shared<DrawnMesh>(mesh), {}, 0};
                backend->draw(view, std::span(&body, 1), {.keep = keep, .faces = Faces::both, .conservative = true},
                              *target);
                std::vector<ExactPoint> polygon;
                for (Index v = 0; v < mesh.positions().size(); ++v) polygon.push_back(on_map(view, mesh, v));
                expect_enclosed(view, target->map(), polygon, seen);
            }
    }
    EXPECT_GT(seen.touched, 1000u);
    EXPECT_GT(seen.missed, 1000u);
    EXPECT_LT(seen.loose, seen.touched / 20);
}

TEST(ConservativeDepth, follows_the_slope_of_a_triangle_within_a_pixel) {
    const auto backend = make_cpu_depth_backend();
    const auto target = backend->make_target();
    DepthView view = small_view();
    view.width = view.height = 64;
    const TriangleMesh mesh{{Vec3(-2, -2, -0.25), Vec3(2, -2, 0.15), Vec3(0, 3, 0.05)}, {{0, 1, 2}}};
    const DrawnBody body{std::make_shared<DrawnMesh>(mesh), {}, 0};
    backend->draw(view, std::span(&body, 1), {.faces = Faces::both}, *target);
    const std::vector<float> middle = target->map().depth;
    backend->draw(view, std::span(&body, 1), {.faces = Faces::both, .conservative = true}, *target);
    const double slope =
        std::abs(static_cast<double>(middle[1]) - middle[0]) + std::abs(static_cast<double>(middle[64]) - middle[0]);
    for (std::size_t k = 0; k < middle.size(); ++k) {
        EXPECT_LT(target->map().depth[k], middle[k] - 0.5 * slope + 1e-6);
        EXPECT_GT(target->map().depth[k], middle[k] - 0.52 * slope - 1e-6);
    }
}

TEST(ConservativeDepth, encloses_the_ordinary_drawing_and_misses_no_thin_part) {
    const auto backend = make_cpu_depth_backend();
    const auto plain = backend->make_target(), grown = backend->make_target();
    Random random(32);
    std::size_t more = 0, thin = 0;
    const TriangleMesh sphere = make_sphere({.radius = 0.3, .resolution = 16});
    // A blade a hundredth of a pixel thick.
    const TriangleMesh blade = mapped(sphere, [](const Vec3& p) -> Vec3 { return {1e-4 * p.x(), p.y(), p.z()}; });
    for (const bool turned : {true, false})
        for (std::size_t k = 0; k < count_of(20, 500); ++k) {
            const DrawnBody body{std::make_shared<DrawnMesh>(turned ? sphere : blade),
                                 {turned ? random.rotation() : Quat(1, 0, 0, 0), Vec3(random.uniform(-0.1, 0.1), 0, 0)},
                                 0};
            DepthView view = small_view();
            view.width = 61, view.height = 47;
            for (const auto& [keep, faces] :
                 {std::pair(Keep::nearest, Faces::front), std::pair(Keep::farthest, Faces::back)}) {
                backend->draw(view, std::span(&body, 1), {.keep = keep, .faces = faces}, *plain);
                backend->draw(view, std::span(&body, 1), {.keep = keep, .faces = faces, .conservative = true}, *grown);
                std::size_t here = 0;
                for (std::size_t p = 0; p < view.pixel_count(); ++p) {
                    here += grown->map().covered(p);
                    more += grown->map().covered(p) && !plain->map().covered(p);
                    if (!plain->map().covered(p)) continue;
                    EXPECT_TRUE(keep == Keep::nearest ? grown->map().depth[p] <= plain->map().depth[p]
                                                      : grown->map().depth[p] >= plain->map().depth[p]);
                }
                thin += here == 0;
            }
        }
    EXPECT_GT(more, 1000u);
    EXPECT_EQ(thin, 0u);
}

} // namespace conservative_test

} // namespace fathom
