// OpenGL and the CPU draw the same maps: each is the other's oracle.
#include <detect/depth/gl/gl_support.h>
#include <support/models.h>
#include <support/test_counts.h>

#include <fathom/base/random.h>
#include <fathom/geometry/generate.h>
#include <fathom/geometry/mesh_file.h>

#include <cmath>

namespace fathom {

namespace {

using testing::count_of;
using testing::shared_gl;

// The depth is stated to be right only where a triangle is not so steep that the rounding of floats is multiplied (boxes per pixel).
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
            c[k] = view_.to_map(body_.pose * (body_.mesh->origin() + body_.mesh->positions()[body_.mesh->triangles()[triangle][k]].cast<double>()));
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
        if (cpu.ids[k] != gl.ids[k]) ++(difference <= tolerance || silhouette ? sum.close_ids : sum.ids);
        else if (!((cpu.normals[k] - gl.normals[k]).norm() < 1e-4f)) ++sum.normals;
    }
}

std::vector<TriangleMesh> models() {
    std::vector<TriangleMesh> meshes = {make_heart({.resolution = 24}), make_torus(), make_pawn(), make_skillet(), make_creature()};
    if (!testing::models().empty())
        for (const char* name : {"bunny.obj", "horse.ply", "rocker-arm.obj", "teapot.obj", "fish.obj"}) meshes.push_back(read_triangle_mesh(testing::models() / name));
    return meshes;
}

void expect_agreement(const Differences& sum, const char* what) {
    std::printf("%s: %zu covered pixels, %zu differ in coverage; depth differs by at most %.2g, at the %.3f %% that are steep by %.2g; %zu ids differ where surfaces are that close\n", what,
                sum.covered, sum.coverage, sum.worst, 100.0 * static_cast<double>(sum.steep_pixels) / static_cast<double>(sum.covered), sum.worst_steep, sum.close_ids);
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
            const DrawOptions options{.keep = far ? Keep::farthest : Keep::nearest, .faces = k % 3 == 2 ? Faces::both : far ? Faces::back : Faces::front, .ids = true, .normals = true};
            cpu->draw(view, {&body, 1}, options, *a);
            gl.draw(view, {&body, 1}, options, *b);
            add(sum, a->map(), b->map(), body);
        }
    }
    expect_agreement(sum, "512 x 512");
}

} // namespace

} // namespace fathom
