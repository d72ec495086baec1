#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/cell_sheets.h>
#include <fathom/field/grid/contour.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>

namespace fathom {
namespace contour_test {

using testing::BallField;
using testing::grid_of;
using testing::TorusField;

double volume(const TriangleMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        sum += c[0].dot(c[1].cross(c[2])) / 6;
    }
    return sum;
}

// What holds for any closed surface: each edge twice, once in each direction; one fan of triangles at each vertex.
struct AnalyticExpression {
    bool closed = true;
    bool one_fan = true;
    bool all_used = true;
    bool degenerate = false;
    std::size_t edges = 0;
};

AnalyticExpression shape_of(const TriangleMesh& mesh) {
    AnalyticExpression shape;
    std::vector<std::array<Index, 2>> edges;
    std::vector<std::vector<std::array<Index, 2>>> fans(mesh.vertices.size());
    for (std::size_t n = 0; n < mesh.triangles.size(); ++n) {
        const Triangle& t = mesh.triangles[n];
        shape.degenerate |= !(area_vector(mesh.corners(n)).norm() > 0);
        for (std::size_t k = 0; k < 3; ++k) {
            edges.push_back({t[k], t[(k + 1) % 3]});
            fans[t[k]].push_back({t[(k + 1) % 3], t[(k + 2) % 3]});
        }
    }
    std::sort(edges.begin(), edges.end());
    shape.closed = std::adjacent_find(edges.begin(), edges.end()) == edges.end();
    for (const auto& e : edges)
        shape.closed &= std::binary_search(edges.begin(), edges.end(), std::array<Index, 2>{e[1], e[0]});
    shape.edges = edges.size() / 2;
    for (const auto& fan : fans) {
        shape.all_used &= !fan.empty();
        if (fan.empty()) continue;
        Index at = fan[0][0];
        std::size_t turned = 0;
        do {
            const auto next = std::find_if(fan.begin(), fan.end(), [&](const auto& f) { return f[0] == at; });
            if (next == fan.end()) break;
            at = (*next)[1];
            ++turned;
        } while (at != fan[0][0] && turned <= fan.size());
        shape.one_fan &= turned == fan.size();
    }
    return shape;
}

void expect_closed(const TriangleMesh& mesh, const std::string& what) {
    const AnalyticExpression shape = shape_of(mesh);
    EXPECT_TRUE(shape.closed) << what;
    EXPECT_TRUE(shape.one_fan) << what;
    EXPECT_TRUE(shape.all_used) << what;
    EXPECT_FALSE(shape.degenerate) << what;
}

long euler(const TriangleMesh& mesh) {
    return static_cast<long>(mesh.vertices.size() + mesh.triangles.size()) - static_cast<long>(shape_of(mesh).edges);
}

TEST(Contour, a_sphere_is_closed_with_the_right_topology_and_volume_at_every_scale_and_storage) {
    for (const double scale : {1e-3, 1.0, 1e3})
        for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
            const BallField ball(scale * Vec3(0.3, -0.2, 0.1), scale);
            const TriangleMesh mesh = contour(bake(ball, {.box = {}, .resolution = 64, .storage = storage}));
            expect_closed(mesh, "ball");
            EXPECT_EQ(euler(mesh), 2);
            EXPECT_NEAR(volume(mesh) / (4.0 / 3 * std::numbers::pi * std::pow(scale, 3)), 1, 2e-3);
        }
}

TEST(Contour, a_torus_has_a_hole) {
    const TorusField torus(1, 0.4);
    const TriangleMesh mesh = contour(bake(torus, {.box = {}, .resolution = 64}));
    expect_closed(mesh, "torus");
    EXPECT_EQ(euler(mesh), 0);
}

TEST(Contour, the_volume_converges_with_the_square_of_the_cell) {
    const TorusField torus(1, 0.4);
    const double truth = 2 * std::numbers::pi * std::numbers::pi * 0.4 * 0.4;
    std::vector<double> errors;
    for (const int resolution : {32, 64, 128})
        errors.push_back(std::abs(volume(contour(torus, torus.bounds().grown(0.1), resolution)) - truth) / truth);
    EXPECT_LT(errors[2], 2e-3);
    EXPECT_GT(errors[0] / errors[1], 3);
    EXPECT_GT(errors[1] / errors[2], 3);
}

TEST(Contour, vertices_lie_on_the_level_and_triangles_face_outward) {
    const TorusField torus(1, 0.4);
    for (const GridStorage storage : {GridStorage::code16, GridStorage::float32}) {
        const GridField grid = bake(torus, {.box = torus.bounds().grown(0.5), .resolution = 96, .storage = storage});
        for (const double level : {-0.21, -0.05, 0.0, 0.02, 0.3}) {
            const TriangleMesh mesh = contour(grid, {.level = level});
            ASSERT_FALSE(mesh.triangles.empty());
            expect_closed(mesh, "torus at a level");
            EXPECT_EQ(euler(mesh), 0);
            const double tolerance = grid.data().step + 2.01e-3 * grid.layout().cell * grid.lipschitz();
            double worst = 0, mean = 0;
            for (const Vec3& v : mesh.vertices) {
                const double error = std::abs(grid.distance(v) - level);
                worst = std::max(worst, error);
                mean += error / static_cast<double>(mesh.vertices.size());
            }
            EXPECT_LE(worst, tolerance);
            EXPECT_LE(mean, 0.02 * tolerance + 0.1 * grid.data().step) << "only the nudged samples cost anything";
            std::size_t outward = 0;
            for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
                const auto c = mesh.corners(t);
                outward += area_vector(c).dot(torus.sample((c[0] + c[1] + c[2]) / 3).gradient) > 0;
            }
            EXPECT_GE(static_cast<double>(outward), 0.999 * static_cast<double>(mesh.triangles.size()));
        }
    }
}

TEST(Contour, stays_closed_where_the_level_runs_through_bricks_that_keep_only_corners) {
    const BallField ball(Vec3(0.05, 0.02, -0.03), 1);
    const GridField grid = bake(ball, {.box = ball.bounds().grown(0.8), .resolution = 96});
    std::size_t mixed = 0;
    for (double level = -0.8; level <= 0.7; level += 0.137) {
        const TriangleMesh mesh = contour(grid, {.level = level});
        expect_closed(mesh, "ball at level " + std::to_string(level));
        EXPECT_EQ(euler(mesh), 2);
        std::size_t stored = 0;
        for (const Vec3& v : mesh.vertices) stored += grid.cell_at(v).box.size().x() < 2 * grid.layout().cell;
        mixed += stored > 0 && stored < mesh.vertices.size();
        EXPECT_NEAR(std::cbrt(volume(mesh) * 3 / 4 / std::numbers::pi), 1 + level, 8 * grid.layout().cell);
    }
    EXPECT_GE(mixed, 3u) << "some levels must pass from stored to absent bricks";
}

// Random samples within three bricks a side, surrounded by outside.
GridField noise(std::uint64_t seed, double scale, int smoothness, bool few_values, GridStorage storage,
                bool some_absent) {
    GridLayout layout;
    layout.cell = scale;
    layout.bricks = {3, 2, 3};
    layout.origin = Vec3::Constant(-10 * scale);
    const auto value = [=](int i, int j, int k) {
        if (i <= 0 || j <= 0 || k <= 0 || i >= 24 || j >= 16 || k >= 24) return 2 * scale;
        const std::uint64_t block =
            static_cast<std::uint64_t>((k / smoothness * 64 + j / smoothness) * 64 + i / smoothness);
        Random random(seed, block);
        const double v = random.uniform(-1, 1);
        return scale * (few_values ? std::round(v * 1.5) : v);
    };
    Random random(seed, 1u << 30);
    std::vector<bool> absent(layout.brick_count());
    for (std::size_t b = 0; b < absent.size(); ++b) absent[b] = some_absent && random.chance(0.3);
    return grid_of(layout, storage, value, [&](std::size_t b) { return !absent[b]; });
}

TEST(Contour, any_samples_give_a_closed_manifold) {
    std::size_t triangles = 0;
    const std::size_t rounds = testing::count_of(14, 2000);
    for (std::size_t seed = 0; seed < rounds; ++seed) {
        const double scale = seed % 3 == 0 ? 1e-3 : seed % 3 == 1 ? 1 : 1e3;
        const bool few_values = seed % 2 == 1; // -1, 0 and 1 only: most samples at the level
        const GridField grid = noise(seed, scale, 1 + static_cast<int>(seed % 5 == 4), few_values,
                                     seed % 4 < 2 ? GridStorage::code16 : GridStorage::float32, seed % 7 == 6);
        for (const double level : {0.0, 0.31 * scale, -scale}) {
            const TriangleMesh mesh = contour(grid, {.level = level});
            expect_closed(mesh, "noise " + std::to_string(seed));
            triangles += mesh.triangles.size();
        }
    }
    EXPECT_GT(triangles, 5000 * rounds);
}

// A sum of waves, within a block.
class Waves final : public testing::ExactField {
public:
    Waves(std::uint64_t seed, double scale) : scale_(scale), block_(Vec3::Zero(), Vec3::Constant(scale)) {
        Random random(seed);
        for (auto& [wave, phase] : waves_) {
            wave = random.uniform(2, 9) / scale * random.direction();
            phase = random.uniform(0, 7);
        }
    }
    double distance(const Vec3& p) const override {
        double sum = 0;
        for (const auto& [wave, phase] : waves_)
            sum += std::sin(wave.dot(p) + phase) / (wave.norm() * static_cast<double>(waves_.size()));
        return std::max(sum, block_.distance(p));
    }
    double error_bound() const override { return HUGE_VAL; }
    Box bounds() const override { return Box::around(Vec3::Zero(), Vec3::Constant(scale_)); }

private:
    double scale_;
    testing::BlockField block_;
    std::array<std::pair<Vec3, double>, 5> waves_;
};

TEST(Contour, random_smooth_fields_are_closed_sampled_or_baked) {
    for (std::uint64_t seed = 0; seed < testing::count_of(12, 1000); ++seed) {
        const double scale = seed % 3 == 0 ? 1e-3 : seed % 3 == 1 ? 1 : 1e3;
        const Waves waves(seed, scale);
        const double level = 0.02 * scale * static_cast<double>(seed % 2);
        const TriangleMesh sampled = contour(waves, waves.bounds().grown(0.217 * scale), 40, {.level = level});
        const TriangleMesh baked =
            contour(bake(waves, {.box = waves.bounds().grown(0.217 * scale), .resolution = 40}), {.level = level});
        ASSERT_GT(sampled.triangles.size(), 1000u);
        expect_closed(sampled, "waves " + std::to_string(seed));
        expect_closed(baked, "baked waves " + std::to_string(seed));
        EXPECT_NEAR(volume(sampled), volume(baked), 1e-3 * volume(sampled));
        double worst = 0;
        for (const Vec3& v : sampled.vertices) worst = std::max(worst, std::abs(waves.distance(v) - level));
        EXPECT_LE(worst, 0.7 * 2.434 * scale / 40) << "less than a cell, at the sharp edges";
    }
}

TEST(Contour, vertices_lie_on_the_level_of_noise_too) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const GridField grid = noise(seed, 1, 1, false, GridStorage::float32, false);
        for (const Vec3& v : contour(grid, {.level = 0.1, .nudge = 0}).vertices)
            ASSERT_NEAR(grid.distance(v), 0.1, 1e-6);
    }
}

TEST(Contour, every_cell_case_puts_each_crossed_edge_on_one_sheet) {
    std::array<int, 5> with_sheets{};
    int with_arcs = 0;
    for (unsigned key = 0; key < (1 << 14); ++key) {
        const CellSheets& sheets = cell_sheets(static_cast<std::uint16_t>(key));
        ASSERT_LE(sheets.count, 4);
        ++with_sheets[static_cast<std::size_t>(sheets.count)];
        with_arcs += sheets.arcs != 0;
        std::array<int, 4> edges{};
        for (const std::int8_t s : sheets.sheet_of)
            if (s >= 0) ++edges[static_cast<std::size_t>(s)];
        for (int s = 0; s < sheets.count; ++s) ASSERT_GE(edges[static_cast<std::size_t>(s)], 3) << key;
    }
    for (const int count : with_sheets) EXPECT_GT(count, 0);
    EXPECT_GT(with_arcs, 0);
}

TEST(Contour, a_level_that_hits_samples_exactly_leaves_no_flat_triangles) {
    // A cube whose faces, edges and corners lie on samples, and a plane of samples at the level.
    GridLayout layout;
    layout.bricks = {2, 2, 2};
    const auto cube = [](int i, int j, int k) {
        return std::max({std::abs(i - 8), std::abs(j - 8), std::abs(k - 8)}) - 4.0;
    };
    const GridField grid = grid_of(layout, GridStorage::float32, cube, [](std::size_t) { return true; });
    for (const double level : {-2.0, 0.0, 1.0, 0.5}) {
        const TriangleMesh mesh = contour(grid, {.level = level});
        expect_closed(mesh, "cube");
        EXPECT_EQ(euler(mesh), 2);
        const double side = 2 * (4 + level);
        EXPECT_LE(volume(mesh), side * side * side * 1.001);
        EXPECT_GE(volume(mesh), side * side * side * 0.9);
    }
}

TEST(Contour, no_surface_gives_an_empty_mesh) {
    const BallField ball(Vec3::Zero(), 1);
    const GridField grid = bake(ball, {.box = {}, .resolution = 32});
    for (const double level : {100.0, -100.0}) {
        EXPECT_TRUE(contour(grid, {.level = level}).vertices.empty());
        EXPECT_TRUE(contour(ball, ball.bounds().grown(0.1), 32, {.level = level}).triangles.empty());
    }
}

TEST(Contour, the_mesh_is_open_but_valid_where_the_level_leaves_the_domain) {
    const BallField ball(Vec3::Zero(), 1);
    const TriangleMesh mesh = contour(ball, {Vec3(0, -1.5, -1.5), Vec3(1.5, 1.5, 1.5)}, 48);
    ASSERT_FALSE(mesh.triangles.empty());
    const AnalyticExpression shape = shape_of(mesh);
    EXPECT_FALSE(shape.closed);
    EXPECT_TRUE(shape.all_used);
    check(mesh);
}

TEST(Contour, one_and_two_threads_give_the_same_bytes) {
    const TorusField torus(1, 0.4);
    const GridField grid = bake(torus, {.box = {}, .resolution = 96});
    set_thread_count(1);
    const TriangleMesh one = contour(grid), one_sampled = contour(torus, torus.bounds().grown(0.1), 100);
    set_thread_count(2);
    const TriangleMesh two = contour(grid), two_sampled = contour(torus, torus.bounds().grown(0.1), 100);
    set_thread_count(0);
    EXPECT_EQ(one, two);
    EXPECT_EQ(one_sampled, two_sampled);
}

TEST(Contour, can_be_cancelled_and_refuses_senseless_options_by_name) {
    struct Stop final : Progress {
        bool update(std::string_view, double) override { return false; }
    } stop;
    const BallField ball(Vec3::Zero(), 1);
    const GridField grid = bake(ball, {.box = {}, .resolution = 64});
    const auto cause = [&](const ContourOptions& options) {
        try {
            (void)contour(grid, options);
        } catch (const Error& error) {
            return error.cause();
        }
        return Cause::empty;
    };
    EXPECT_EQ(cause({.progress = &stop}), Cause::cancelled);
    EXPECT_EQ(cause({.level = NAN}), Cause::invalid_argument);
    EXPECT_EQ(cause({.nudge = 1}), Cause::invalid_argument);
    EXPECT_THROW((void)contour(ball, Box{}, 10), Error);
}

} // namespace contour_test
} // namespace fathom
