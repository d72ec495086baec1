// OpenGL and the CPU draw the same maps: each is the other's oracle.
#include <detect/depth_gl/gl_support.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <fathom/base/random.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace gl_agreement_test {

using testing::count_of;
using testing::shared_gl;

// The depth is stated to be right only where a triangle is not so steep that the rounding of floats is multiplied
// (boxes per pixel).
constexpr double steep = 0.01;
constexpr double tolerance = 1e-6; // of the box

struct Differences {
    std::size_t covered = 0, coverage = 0, steep_pixels = 0, depth = 0, ids = 0, close_ids = 0, normals = 0;
    double worst = 0, worst_steep = 0;
};

// How much depth changes over a pixel in the triangle of an id, seen in a view.
class Slopes {
public:
    Slopes(const DepthView& view, const DrawnBody& body) : view_(view), body_(body) {}
    [[nodiscard]] double operator()(Index triangle) const {
        std::array<Vec3, 3> c;
        for (std::size_t k = 0; k < 3; ++k)
            c[k] = view_.to_map(
                body_.pose *
                (body_.mesh->origin() + body_.mesh->positions()[body_.mesh->triangles()[triangle][k]].cast<double>()));
        const Vec3 normal = (c[1] - c[0]).cross(c[2] - c[0]);
        return normal.head<2>().norm() / std::max(std::abs(normal.z()), 1e-300);
    }

private:
    const DepthView& view_;
    const DrawnBody& body_;
};

void add(Differences& sum, const DepthMap& cpu, const DepthMap& gl, const DrawnBody& body) {
    const Slopes slope(cpu.view, body);
    for (std::size_t k = 0; k < cpu.depth.size(); ++k) {
        if (cpu.covered(k) != gl.covered(k)) ++sum.coverage;
        if (!cpu.covered(k) || !gl.covered(k)) continue;
        ++sum.covered;
        const double difference = std::abs(static_cast<double>(cpu.depth[k]) - static_cast<double>(gl.depth[k]));
        const bool silhouette = std::max(slope(cpu.ids[k].primitive), slope(gl.ids[k].primitive)) > steep;
        sum.steep_pixels += silhouette;
        (silhouette ? sum.worst_steep : sum.worst) = std::max(silhouette ? sum.worst_steep : sum.worst, difference);
        if (!silhouette && difference > tolerance) ++sum.depth;
        if (cpu.ids[k] != gl.ids[k])
            ++(difference <= tolerance || silhouette ? sum.close_ids : sum.ids);
        else if (!((cpu.normals[k] - gl.normals[k]).norm() < 1e-4f))
            ++sum.normals;
    }
}

std::vector<TriangleMesh> models() {
    std::vector<TriangleMesh> meshes = {make_heart({.resolution = 24}), make_torus(), make_pawn(), make_skillet(),
                                        make_creature()};
    if (!testing::models().empty())
        for (const char* name : {"bunny.obj", "horse.ply", "rocker-arm.obj", "teapot.obj", "fish.obj"})
            meshes.push_back(read_triangle_mesh(testing::models() / name));
    return meshes;
}

void expect_agreement(const Differences& sum, const char* what) {
    std::printf("%s: %zu covered pixels, %zu differ in coverage; depth differs by at most %.2g, at the %.3f %% that "
                "are steep by %.2g; %zu ids differ where surfaces are that close\n",
                what, sum.covered, sum.coverage, sum.worst,
                100.0 * static_cast<double>(sum.steep_pixels) / static_cast<double>(sum.covered), sum.worst_steep,
                sum.close_ids);
    EXPECT_GT(sum.covered, 1000u);
    EXPECT_EQ(sum.coverage, 0u);
    EXPECT_EQ(sum.depth, 0u);
    EXPECT_EQ(sum.ids, 0u);
    EXPECT_EQ(sum.normals, 0u);
    EXPECT_LT(sum.steep_pixels, sum.covered / 5);
}

TEST(GlAgreement, covers_the_pixels_that_the_cpu_covers_at_the_same_depth_by_the_same_triangle) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto cpu = make_cpu_depth_backend();
    const auto a = cpu->make_target(), b = gl.make_target();
    Random random(1);
    Differences sum;
    for (const TriangleMesh& mesh : models()) {
        const auto drawn = std::make_shared<DrawnMesh>(mesh);
        for (std::size_t k = 0; k < count_of(3, 100); ++k) {
            const DrawnBody body{drawn, {random.rotation(), 5 * random.direction()}, 3};
            DepthView view = view_of(drawn->bounds(), body.pose, random.direction(), {.pixels = 512});
            view.width = view.height = 512;
            const bool far = k % 2 == 1;
            const DrawOptions options{.keep = far ? Keep::farthest : Keep::nearest,
                                      .faces = k % 3 == 2 ? Faces::both
                                               : far      ? Faces::back
                                                          : Faces::front,
                                      .ids = true,
                                      .normals = true};
            cpu->draw(view, {&body, 1}, options, *a);
            gl.draw(view, {&body, 1}, options, *b);
            add(sum, a->map(), b->map(), body);
        }
    }
    expect_agreement(sum, "512 x 512");
}

// Any number of pixels, and boxes that cut through the body: only what is inside is drawn, by both alike. Here a depth
// can fall on either side of the box's near and far side, so pixels count as different only where the surface is away
// from them, and not steep.
TEST(GlAgreement, cuts_a_body_to_the_box_pixel_by_pixel) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto cpu = make_cpu_depth_backend();
    const auto a = cpu->make_target(), b = gl.make_target();
    const auto drawn = std::make_shared<DrawnMesh>(make_heart({.resolution = 20}));
    Random random(2);
    std::size_t covered = 0, different = 0, cut = 0;
    for (std::size_t k = 0; k < count_of(20, 500); ++k) {
        const DrawnBody body{drawn, {random.rotation(), 5 * random.direction()}, 3};
        DepthView view = view_of(drawn->bounds(), body.pose, random.direction(), {.pixels = 300});
        view.width = 50 + static_cast<int>(random.below(400));
        view.height = 50 + static_cast<int>(random.below(400));
        view.size =
            view.size.cwiseProduct(Vec3(random.uniform(0.6, 1.2), random.uniform(0.6, 1.2), random.uniform(0.2, 0.8)));
        view.pose.translation += random.uniform(0, 0.5) * view.direction();
        const DrawOptions options{.keep = k % 2 ? Keep::farthest : Keep::nearest, .faces = Faces::both, .ids = true};
        cpu->draw(view, {&body, 1}, options, *a);
        gl.draw(view, {&body, 1}, options, *b);
        const DepthMap &left = a->map(), &right = b->map();
        const Slopes slope(view, body);
        const auto is_steep = [&](const DepthMap& map, std::size_t p) {
            return map.covered(p) && slope(map.ids[p].primitive) > steep;
        };
        for (std::size_t p = 0; p < left.depth.size(); ++p) {
            covered += left.covered(p);
            const double gap = std::abs(static_cast<double>(left.depth[p]) - static_cast<double>(right.depth[p]));
            const auto near_a_side = [&](float z) { return z < 1e-4f || z > 1 - 1e-4f; };
            if (left.covered(p) == right.covered(p) && gap < 1e-4) continue;
            ++(near_a_side(left.depth[p]) || near_a_side(right.depth[p]) || is_steep(left, p) || is_steep(right, p)
                   ? cut
                   : different);
        }
    }
    std::printf("cut bodies: %zu covered pixels, %zu differ where the box cuts or it is steep, %zu elsewhere\n",
                covered, cut, different);
    EXPECT_GT(covered, 10000u);
    EXPECT_LT(cut, covered / 10000);
    EXPECT_EQ(different, 0u);
}

// Spheres in one another: as many layers behind each pixel, each deeper than the last, and the map that is drawn into
// may be the limit.
TEST(GlAgreement, peels_as_many_layers) {
    FATHOM_NEEDS_GL();
    Random random(3);
    std::vector<DrawnBody> bodies;
    for (const double radius : {0.5, 0.35, 0.2})
        bodies.push_back({std::make_shared<DrawnMesh>(make_sphere({.radius = radius, .resolution = 10})),
                          {random.rotation(), Vec3::Zero()},
                          static_cast<Index>(bodies.size())});
    const DepthView view = view_of(Box::around(Vec3::Zero(), Vec3::Constant(0.5)), {}, Vec3(1, 2, 3), {.pixels = 150});
    const auto layers = [&](DepthBackend& backend) {
        const auto target = backend.make_target();
        std::vector<int> counts(view.pixel_count());
        std::vector<float> last(view.pixel_count(), -1.0f);
        for (int layer = 0; layer < 8; ++layer) {
            backend.draw(view, bodies, {.faces = Faces::both, .ids = true, .after = layer ? target.get() : nullptr},
                         *target);
            const DepthMap& map = target->map();
            for (std::size_t k = 0; k < counts.size(); ++k) {
                if (!map.covered(k)) continue;
                EXPECT_GT(map.depth[k], last[k]);
                last[k] = map.depth[k];
                ++counts[k];
            }
        }
        return counts;
    };
    const std::vector<int> cpu = layers(*make_cpu_depth_backend()), gl = layers(*shared_gl().backend);
    EXPECT_EQ(*std::max_element(gl.begin(), gl.end()), 6);
    std::size_t different = 0;
    for (std::size_t k = 0; k < gl.size(); ++k) different += cpu[k] != gl[k];
    EXPECT_EQ(different, 0u);
}

// Renderers clip triangles that reach far beyond the view, and round the result. The test states the tolerance for it.
TEST(GlAgreement, differs_by_few_pixels_in_triangles_far_larger_than_the_view) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto cpu = make_cpu_depth_backend();
    const auto a = cpu->make_target(), b = gl.make_target();
    Random random(4);
    std::size_t covered = 0, different = 0;
    for (std::size_t k = 0; k < count_of(30, 1000); ++k) {
        TriangleMesh mesh;
        for (int c = 0; c < 3; ++c) mesh.vertices.push_back(20 * random.direction());
        mesh.triangles = {{0, 1, 2}};
        const DrawnBody body{std::make_shared<DrawnMesh>(mesh),
                             Pose::from_translation(-(mesh.vertices[0] + mesh.vertices[1]) / 2),
                             0}; // an edge through the middle
        const DepthView view =
            view_of(Box::around(Vec3::Zero(), Vec3::Constant(1)), {}, random.direction(), {.pixels = 256});
        cpu->draw(view, {&body, 1}, {.faces = Faces::both}, *a);
        gl.draw(view, {&body, 1}, {.faces = Faces::both}, *b);
        for (std::size_t p = 0; p < a->map().depth.size(); ++p) {
            covered += a->map().covered(p);
            different += a->map().covered(p) != b->map().covered(p);
        }
    }
    std::printf("large triangles: %zu covered pixels, %zu differ in coverage\n", covered, different);
    EXPECT_GT(covered, 10000u);
    EXPECT_LT(different, covered / 1000);
}

// The rules for ends of lines differ a little from renderer to renderer; points have but one pixel to be in.
TEST(GlAgreement, draws_lines_and_points_of_meshes_where_the_cpu_does) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto cpu = make_cpu_depth_backend();
    const auto a = cpu->make_target(), b = gl.make_target();
    Random random(6);
    std::vector<Vec3> places;
    std::vector<Line> lines;
    for (Index k = 0; k < 400; ++k) {
        places.push_back(random.uniform(0, 1) * random.direction());
        if (k % 2) lines.push_back({k - 1, k});
    }
    const DepthView view =
        view_of(Box::around(Vec3::Zero(), Vec3::Constant(1)), {}, random.direction(), {.pixels = 300});
    for (const bool points : {true, false}) {
        const DrawnBody body{
            std::make_shared<DrawnMesh>(points ? DrawnMesh::points(places) : DrawnMesh::lines(places, lines)), {}, 5};
        cpu->draw(view, {&body, 1}, {.ids = true, .normals = true}, *a);
        gl.draw(view, {&body, 1}, {.ids = true, .normals = true}, *b);
        std::size_t covered = 0, different = 0, ids = 0;
        for (std::size_t k = 0; k < a->map().depth.size(); ++k) {
            const bool left = a->map().covered(k), right = b->map().covered(k);
            covered += left, different += left != right;
            if (!left || !right) continue;
            ids += a->map().ids[k] != b->map().ids[k];
            EXPECT_LT((a->map().normals[k] - b->map().normals[k]).norm(), 1e-5f);
            EXPECT_NEAR(a->map().depth[k], b->map().depth[k], points ? 1e-6 : 1);
        }
        std::printf("%s: %zu covered pixels, %zu differ in coverage, %zu ids\n", points ? "points" : "lines", covered,
                    different, ids);
        EXPECT_GT(covered, 300u);
        EXPECT_LE(different, points ? 0 : covered / 20);
        EXPECT_LE(ids, points ? 0 : covered / 50);
    }
}

TEST(GlAgreement, a_mesh_that_moves_or_dies_is_sent_again) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto cpu = make_cpu_depth_backend();
    const auto a = cpu->make_target(), b = gl.make_target();
    const DepthView view = view_of(Box::around(Vec3::Zero(), Vec3::Constant(1)), {}, Vec3(1, 2, 3), {.pixels = 64});
    Random random(5);
    TriangleMesh mesh = make_sphere({.radius = 0.5, .resolution = 6});
    auto drawn = std::make_shared<DrawnMesh>(mesh);
    std::vector<float> last;
    for (int k = 0; k < 12; ++k) {
        if (k % 3 == 0) drawn = std::make_shared<DrawnMesh>(mesh);
        for (Vec3& vertex : mesh.vertices) vertex += 0.03 * random.direction();
        drawn->move(mesh.vertices);
        const DrawnBody body{drawn, {}, 0};
        cpu->draw(view, {&body, 1}, {}, *a);
        gl.draw(view, {&body, 1}, {}, *b);
        for (std::size_t p = 0; p < a->map().depth.size(); ++p) EXPECT_NEAR(a->map().depth[p], b->map().depth[p], 1e-3);
        EXPECT_NE(b->map().depth, last);
        last = b->map().depth;
    }
}

TEST(GlAgreement, draws_the_same_bits_again) {
    FATHOM_NEEDS_GL();
    GlDepthBackend& gl = *shared_gl().backend;
    const auto again = make_gl_depth_backend();
    const auto a = gl.make_target(), b = again->make_target();
    const DrawnBody body{std::make_shared<DrawnMesh>(make_pawn()), {}, 9};
    const DepthView view = view_of(body.mesh->bounds(), {}, Vec3(1, 2, 3), {.pixels = 333});
    const DrawOptions options{.faces = Faces::both, .ids = true, .normals = true};
    gl.draw(view, {&body, 1}, options, *a);
    again->draw(view, {&body, 1}, options, *b);
    EXPECT_EQ(a->map().depth, b->map().depth);
    EXPECT_EQ(a->map().ids, b->map().ids);
    EXPECT_EQ(a->map().normals, b->map().normals);
}

} // namespace gl_agreement_test

} // namespace fathom
