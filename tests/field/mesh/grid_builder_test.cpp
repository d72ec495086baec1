#include <contract/field_contract.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <support/small_meshes.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace fathom {
namespace grid_builder_test {

using testing::check_field_contract;
using testing::count_of;
using testing::FieldContract;

TriangleMesh creature(double scale, std::size_t triangles = 4000) {
    TriangleMesh mesh = make_creature({.triangles = triangles});
    for (Vec3& v : mesh.vertices) v = scale * (v + Vec3(0.2, 0.1, -0.3));
    return mesh;
}

std::vector<GridOptions> variants() {
    std::vector<GridOptions> all(4);
    for (GridOptions& options : all) options.resolution = 48;
    all[1].dense = true;
    all[2].storage = GridStorage::float32;
    all[3].band = 1;
    return all;
}

TEST(BuildGrid, keeps_the_contract_at_every_scale) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const GridOptions& options : variants()) {
            const GridField field = build_grid(creature(scale), options);
            FieldContract contract;
            contract.name = options.dense ? "dense" : "sparse";
            contract.region = field.domain().grown(0.3 * field.domain().diagonal());
            contract.boxes = count_of(1000, 1000000);
            contract.smooth_share = 0.3;
            check_field_contract(field, contract);
        }
}

TEST(BuildGrid, errs_no_more_than_it_states_and_never_in_sign_beyond_that) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const GridOptions& options : variants()) {
            const TriangleMesh mesh = creature(scale);
            const MeshField exact(mesh);
            const GridField field = build_grid(mesh, options);
            Random random(5);
            double near = 0, far = 0;
            int inside = 0;
            for (std::size_t i = 0; i < count_of(3000, 200000); ++i) {
                const Vec3 beside =
                    mesh.vertices[random.below(mesh.vertices.size())] + 2 * field.layout().cell * random.in_ball();
                const Vec3 p = i % 2 ? random.in_box(field.domain()) : field.domain().closest(beside);
                const double value = field.distance(p), truth = exact.distance(p);
                inside += truth < 0;
                far = std::max(far, std::abs(value - truth));
                if (std::abs(truth) <= field.data().band) near = std::max(near, std::abs(value - truth));
                const double bound =
                    std::abs(truth) <= field.data().band ? field.near_error_bound() : field.error_bound();
                ASSERT_TRUE(std::abs(value) <= bound || (value < 0) == (truth < 0));
            }
            EXPECT_LE(near, field.near_error_bound());
            EXPECT_LE(far, field.error_bound());
            EXPECT_EQ(field.error_bound() < field.layout().cell,
                      options.dense);                         // only a dense grid errs little everywhere
            EXPECT_GT(near, 0.01 * field.near_error_bound()); // the bound means something
            EXPECT_GT(inside, 50);
        }
}

TEST(BuildGrid, samples_near_the_surface_are_exact) {
    const TriangleMesh mesh = creature(1);
    const MeshField exact(mesh);
    GridOptions options;
    options.resolution = 64;
    options.storage = GridStorage::float32;
    GridReport report;
    const GridField field = build_grid(mesh, options, &report);
    EXPECT_EQ(report.sign.method, SignMethod::pseudo_normal);
    EXPECT_LT(report.sample_error, 1e-6 * field.domain().diagonal());
    std::size_t checked = 0;
    for (int k = 0; k <= field.layout().cells(2); k += 3)
        for (int j = 0; j <= field.layout().cells(1); j += 2)
            for (int i = 0; i <= field.layout().cells(0); ++i) {
                const double truth = exact.distance(field.layout().sample_position({i, j, k}));
                if (std::abs(truth) > field.data().band) continue;
                ++checked;
                ASSERT_NEAR(field.sample_value({i, j, k}), truth, report.sample_error);
            }
    EXPECT_GT(checked, 1000u);
}

TEST(BuildGrid, has_the_same_bytes_for_any_number_of_threads) {
    const TriangleMesh mesh = creature(1);
    const auto bytes = [&](std::size_t threads) {
        set_thread_count(threads);
        const GridField field = build_grid(mesh, {.resolution = 96});
        set_thread_count(0);
        std::string all(reinterpret_cast<const char*>(field.data().codes.data()), field.data().codes.size_bytes());
        all.append(reinterpret_cast<const char*>(field.data().corners.data()), field.data().corners.size_bytes());
        all.append(reinterpret_cast<const char*>(field.data().brick_of.data()), field.data().brick_of.size_bytes());
        all.append(reinterpret_cast<const char*>(field.data().block_ranges.data()),
                   field.data().block_ranges.size_bytes());
        return all;
    };
    const std::string one = bytes(1);
    EXPECT_GT(one.size(), 100000u);
    EXPECT_EQ(one, bytes(2));
    EXPECT_EQ(one, bytes(3));
}

TEST(BuildGrid, an_inside_out_mesh_gives_the_same_field) {
    const TriangleMesh mesh = creature(1);
    GridReport report;
    const GridField right = build_grid(mesh, {.resolution = 48}),
                    turned = build_grid(flipped(mesh), {.resolution = 48}, &report);
    EXPECT_TRUE(report.sign.flipped);
    ASSERT_EQ(right.data().codes.size(), turned.data().codes.size());
    Random random(4);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.in_box(right.domain());
        EXPECT_NEAR(right.distance(p), turned.distance(p), 1e-3 * right.layout().cell);
    }
}

// A sphere of separate triangles with gaps and clashing windings: a soup that only wrapping can close.
TriangleMesh sphere_soup(double shrink) {
    TriangleMesh soup = testing::as_soup(testing::sphere_mesh(3));
    Random random(8);
    for (Triangle& t : soup.triangles) {
        const Vec3 middle = (soup.vertices[t[0]] + soup.vertices[t[1]] + soup.vertices[t[2]]) / 3;
        for (const Index v : t) soup.vertices[v] = middle + shrink * (soup.vertices[v] - middle);
        if (random.chance(0.5)) std::swap(t[1], t[2]);
    }
    return soup;
}

TEST(BuildGrid, wraps_a_soup_into_a_closed_body) {
    for (const double scale : {1e-3, 1e3}) {
        TriangleMesh soup = sphere_soup(0.9);
        for (Vec3& v : soup.vertices) v *= scale;
        GridReport report;
        const GridField field = build_grid(soup, {.resolution = 96, .sign = SignMethod::wrap}, &report);
        EXPECT_EQ(report.sign.method, SignMethod::wrap);
        EXPECT_LT(field.distance(Vec3::Zero()), -0.8 * scale);
        EXPECT_GT(field.distance(Vec3(1.1, 0.3, 0.2) * scale), 0);
        const TriangleMesh surface = contour(field);
        EXPECT_TRUE(mesh_report(surface).watertight);
        EXPECT_NEAR(mass_properties(surface).volume, 4.0 / 3 * 3.14159 * scale * scale * scale,
                    0.15 * 4.2 * scale * scale * scale);
    }
}

TEST(BuildGrid, chooses_to_wrap_where_windings_clash) {
    TriangleMesh soup = testing::sphere_mesh(4);
    Random random(8);
    for (Triangle& t : soup.triangles)
        if (random.chance(0.5)) std::swap(t[1], t[2]);
    soup.triangles.resize(soup.triangles.size() - 20); // open too
    GridReport report;
    const GridField field = build_grid(soup, {.resolution = 64, .wrap = 0.2}, &report);
    EXPECT_EQ(report.sign.method, SignMethod::wrap);
    EXPECT_LT(report.sign.confidence, 1);
    EXPECT_LT(field.distance(Vec3::Zero()), -0.7);
}

TEST(BuildGrid, gives_a_sheet_the_requested_thickness) {
    GridReport report;
    const GridField field = build_grid(make_cloth(), {.resolution = 96, .thickness = 0.1}, &report);
    EXPECT_EQ(report.sign.method, SignMethod::thickness);
    const Vec3 middle = field.domain().center();
    EXPECT_NEAR(field.distance(middle), -0.05, 0.02);
    EXPECT_GT(mass_properties(contour(field)).volume, 0);
    EXPECT_TRUE(mesh_report(contour(field)).watertight);
}

TEST(BuildGrid, the_inside_of_an_open_sphere_is_found_by_winding) {
    TriangleMesh mesh = testing::sphere_mesh(4);
    std::erase_if(mesh.triangles, [&](const Triangle& t) { return mesh.vertices[t[0]].z() > 0.9; });
    GridReport report;
    const GridField field = build_grid(mesh, {.resolution = 64}, &report);
    EXPECT_EQ(report.sign.method, SignMethod::winding);
    EXPECT_FALSE(report.sign.sealed);
    const MeshField exact(mesh);
    Random random(6);
    int wrong = 0, inside = 0;
    for (int i = 0; i < 3000; ++i) {
        const Vec3 p = random.in_box(field.domain());
        const double truth = exact.distance(p);
        inside += truth < 0;
        wrong += (field.distance(p) < 0) != (truth < 0) && std::abs(truth) > 2 * field.layout().cell;
        EXPECT_LE(std::abs(field.distance(p) - truth), field.error_bound());
    }
    EXPECT_LE(wrong, 15); // the sheet that the sign changes on in the hole is known to a brick only
    EXPECT_GT(inside, 300);
}

class Stopper final : public Progress {
public:
    bool update(std::string_view, double) override { return ++calls < 5; }
    int calls = 0;
};

TEST(BuildGrid, rejects_sizes_that_do_not_fit_and_can_be_cancelled) {
    const TriangleMesh mesh = creature(1);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.resolution = 4096, .dense = true})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.resolution = 256, .memory_limit = 1000})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.resolution = 0})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.margin = -1})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.band = std::nan("")})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(TriangleMesh{})), Error);
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.box = Box::around(Vec3::Zero(), Vec3::Constant(1e-3))})), Error);
    Stopper stopper;
    EXPECT_THROW(static_cast<void>(build_grid(mesh, {.resolution = 128, .progress = &stopper})), Error);
    const GridField dense = build_grid(mesh, {.resolution = 32, .dense = true});
    EXPECT_NEAR(static_cast<double>(min_grid_bytes(mesh, {.resolution = 32, .dense = true})),
                static_cast<double>(dense.bytes()), 0.05 * static_cast<double>(dense.bytes()));
}

TEST(BuildGrid, degenerate_meshes_have_a_field_too) {
    TriangleMesh point;
    point.vertices = {Vec3(1, 2, 3), Vec3(1, 2, 3), Vec3(1, 2, 3)};
    point.triangles = {{0, 1, 2}};
    TriangleMesh needle;
    needle.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0, 0)};
    needle.triangles = {{0, 1, 2}};
    EXPECT_THROW(static_cast<void>(build_grid(point, {.resolution = 32})), Error);
    const GridField dot = build_grid(
        point, {.resolution = 32, .box = Box::around(Vec3(1, 2, 3), Vec3::Ones()), .sign = SignMethod::thickness});
    EXPECT_NEAR(dot.distance(Vec3(1.5, 2, 3)), 0.5 - dot.layout().cell, 0.1);
    const GridField line = build_grid(needle, {.resolution = 32, .sign = SignMethod::thickness});
    EXPECT_NEAR(line.distance(Vec3(0.5, 0.04, 0)), 0.04 - line.layout().cell, 0.02);
}

} // namespace grid_builder_test
} // namespace fathom
