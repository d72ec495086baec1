#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/field/tet/stuffing.h>
#include <fathom/field/tet/stuffing_lattice.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>

#include <field/analytic/shape_examples.h>
#include <support/models.h>
#include <support/plain_fields.h>
#include <support/test_counts.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numbers>
#include <utility>

namespace fathom::testing {
namespace stuffing_test {

AnalyticField formula(const std::string& text) { return AnalyticField(parse_shape(text)); }

// Pulling parts asunder turns angles by a few millionths.
constexpr double angle_rounding = 1e-3;

// The most tetrahedra that have one face in common, counted plainly.
std::ptrdiff_t most_at_a_face(const TetMesh& mesh) {
    std::vector<std::array<Index, 3>> faces;
    for (const Tetrahedron& t : mesh.tetrahedra)
        for (const auto& face : tetrahedron_faces) {
            faces.push_back({t[static_cast<std::size_t>(face[0])], t[static_cast<std::size_t>(face[1])],
                             t[static_cast<std::size_t>(face[2])]});
            std::sort(faces.back().begin(), faces.back().end());
        }
    std::sort(faces.begin(), faces.end());
    std::ptrdiff_t most = 0;
    for (auto first = faces.begin(); first != faces.end();) {
        const auto last = std::find_if(first, faces.end(), [&](const auto& face) { return face != *first; });
        most = std::max(most, last - std::exchange(first, last));
    }
    return most;
}

// Checks the properties that every result must have, for any field. Returns the report of the mesh.
MeshReport expect_sound(const TetMesh& mesh, const StuffingReport& report, const std::string& what) {
    const MeshReport found = mesh_report(mesh);
    EXPECT_TRUE(found.watertight) << what;
    EXPECT_EQ(found.nonmanifold_edges.count, 0U) << what;
    EXPECT_EQ(found.nonmanifold_vertices.count, 0U) << what;
    EXPECT_EQ(found.unreferenced_vertices.count, 0U) << what;
    EXPECT_EQ(found.inverted_tetrahedra.count + found.flat_tetrahedra.count, 0U) << what;
    EXPECT_EQ(found.inside_out_parts.count, 0U) << what;
    EXPECT_EQ(found.positions, mesh.vertices.size()) << what;
    EXPECT_GT(report.smallest_angle, stuffing_smallest_angle - angle_rounding) << what;
    EXPECT_LT(report.largest_angle, stuffing_largest_angle + angle_rounding) << what;
    EXPECT_EQ(report.tetrahedra, mesh.tetrahedra.size()) << what;
    EXPECT_EQ(report.vertices, mesh.vertices.size()) << what;
    EXPECT_EQ(report.boundary_triangles, found.triangles) << what;
    // The boundary holds as much as the tetrahedra: none overlap, and no face inside is open.
    EXPECT_NEAR(found.volume.value_or(0), report.volume, 1e-9 * report.volume) << what;
    EXPECT_EQ(most_at_a_face(mesh), 2) << what;
    return found;
}

std::vector<char> on_boundary(const TetMesh& mesh) {
    std::vector<char> result(mesh.vertices.size(), 0);
    for (const Triangle& t : boundary(mesh).triangles)
        for (const Index v : t) result[v] = 1;
    return result;
}

struct Known {
    const char* text;
    double volume;
    std::size_t genus;
};

constexpr double pi = std::numbers::pi;
const std::array<Known, 4> known = {
    {{"sphere(0.8)", 4.0 / 3 * pi * 0.8 * 0.8 * 0.8, 0},
     {"torus(0.7, 0.25)", 2 * pi* pi * 0.7 * 0.25 * 0.25, 1},
     {"capsule(-0.5, 0.2, 0.1, 0.6, -0.3, 0.4, 0.3)", pi * 0.09 * 1.244989959798873 + 4.0 / 3 * pi * 0.027, 0},
     {"rotate(0.5, 1, 2, 3, cylinder(0.6, 1.1))", pi * 0.36 * 1.1, 0}}};

TEST(Stuffing, fills_known_shapes_and_closes_in_on_their_volume) {
    for (const Known& shape : known) {
        const AnalyticField field = formula(shape.text);
        double last = 0;
        for (const int resolution : {10, 20, 40}) {
            StuffingReport report;
            const TetMesh mesh = tetrahedralize(field, {.resolution = resolution}, &report);
            const MeshReport found = expect_sound(mesh, report, shape.text);
            EXPECT_EQ(found.genus, shape.genus) << shape.text;
            EXPECT_EQ(found.components, 1U) << shape.text;
            EXPECT_EQ(report.parts, 1U) << shape.text;
            EXPECT_EQ(report.split_vertices + report.dropped_tetrahedra, 0U) << shape.text;
            const double error = std::abs(report.volume - shape.volume);
            EXPECT_NEAR(report.field_volume, shape.volume, 6 * report.field_volume_error) << shape.text;
            if (last > 0) {
                EXPECT_LT(error, 0.4 * last) << shape.text << " at " << resolution; // 0.25 is order 2
            }
            last = error;
        }
        EXPECT_LT(last, 0.005 * shape.volume) << shape.text;
    }
}

TEST(Stuffing, boundary_vertices_lie_on_the_surface_and_inner_ones_inside) {
    for (const Known& shape : known) {
        const AnalyticField field = formula(shape.text);
        StuffingReport report;
        const TetMesh mesh = tetrahedralize(field, {.resolution = 20}, &report);
        const std::vector<char> bare = on_boundary(mesh);
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            const double distance = field.distance(mesh.vertices[v]);
            ASSERT_LT(distance, bare[v] ? 2e-6 * report.cell : 0) << shape.text;
            ASSERT_GT(distance, bare[v] ? -2e-6 * report.cell : -HUGE_VAL) << shape.text;
        }
        EXPECT_LT(report.boundary_deviation, 0.5 * report.cell) << shape.text;
        EXPECT_LT(report.missed_deviation, 0.5 * report.cell) << shape.text;
        EXPECT_GT(report.boundary_deviation, 1e-3 * report.cell) << shape.text;
    }
}

TEST(Stuffing, a_box_on_lattice_planes_comes_out_exact) {
    StuffingReport report;
    const TetMesh mesh = tetrahedralize(formula("box(1, 1, 0.5)"), {.resolution = 16}, &report);
    expect_sound(mesh, report, "box");
    EXPECT_NEAR(report.volume, 0.5, 1e-9);
    EXPECT_NEAR(report.smallest_angle, 45, 1e-6);
    EXPECT_NEAR(report.largest_angle, 90, 1e-6);
}

TEST(Stuffing, random_shapes_of_any_size_keep_every_promise) {
    Random random(7);
    std::size_t filled = 0, pinched = 0;
    for (std::size_t n = 0; n < count_of(60, 2'000); ++n) {
        const double size = std::array{1e-3, 1.0, 1e3}[n % 3];
        const Pose pose{random.rotation(), size * random.in_ball()};
        const AnalyticExpression shape =
            shapes::transform(pose, sized(size, random_shape(random, 2 + static_cast<int>(random.below(8)))));
        const AnalyticField field(shape);
        const int resolution = 4 + static_cast<int>(random.below(16));
        try {
            StuffingReport report;
            const StuffingOptions options{.resolution = resolution,
                                          .box = Box::around(pose.translation, Vec3::Constant(1.3 * size)),
                                          .measure = n % 4 == 0};
            const TetMesh mesh = tetrahedralize(field, options, &report);
            expect_sound(mesh, report, shape.text());
            ++filled;
            pinched += report.split_vertices + report.dropped_tetrahedra > 0;
        } catch (const Error& error) {
            EXPECT_EQ(error.cause(), Cause::empty) << error.what() << "\n" << shape.text();
        }
    }
    EXPECT_GT(filled, count_of(60, 2'000) / 2);
    EXPECT_GT(pinched, 0U); // the hard case occurs
}

// Noise on the scale of the lattice: everything touches everything.
class Froth final : public ExactField {
public:
    explicit Froth(std::uint64_t seed) : seed_(seed) {}
    double distance(const Vec3& p) const override {
        if ((p.cwiseAbs().array() > 1).any()) return 1;
        const Vec3 q = (8 * p).array().round();
        return Random(seed_, static_cast<std::uint64_t>((q.x() + 20) + 64 * (q.y() + 20) + 4096 * (q.z() + 20)))
            .uniform(-1, 1);
    }
    Interval range(const Box&) const override { return {-1, 1}; }
    double lipschitz() const override { return HUGE_VAL; }
    Box bounds() const override { return Box::around(Vec3::Zero(), Vec3::Constant(1)); }

private:
    std::uint64_t seed_;
};

TEST(Stuffing, froth_finer_than_the_lattice_still_has_a_proper_boundary) {
    std::size_t split = 0, dropped = 0;
    for (std::uint64_t seed = 0; seed < count_of(6, 200); ++seed) {
        StuffingReport report;
        const TetMesh mesh = tetrahedralize(Froth(seed), {.resolution = 13}, &report);
        expect_sound(mesh, report, "froth");
        split += report.split_vertices;
        dropped += report.dropped_tetrahedra;
        EXPECT_GT(report.hidden_edges, 0U);
    }
    EXPECT_GT(split, 0U);
    EXPECT_GT(dropped, 0U);
}

TEST(Stuffing, is_the_same_for_any_number_of_threads) {
    const AnalyticField field = formula("smooth_union(sphere(0.6), translate(0.6, 0, 0, box(0.5, 0.8, 0.6)), 0.3)");
    set_thread_count(1);
    StuffingReport one, two;
    const TetMesh first = tetrahedralize(field, {.resolution = 30}, &one);
    set_thread_count(2);
    const TetMesh second = tetrahedralize(field, {.resolution = 30}, &two);
    set_thread_count(0);
    EXPECT_EQ(first, second);
    EXPECT_EQ(one.volume, two.volume);
    EXPECT_EQ(one.field_volume, two.field_volume);
    EXPECT_EQ(one.missed_deviation, two.missed_deviation);
}

TEST(Stuffing, size_can_be_given_as_cells_or_as_a_number_of_tetrahedra) {
    const AnalyticField field = formula("sphere(2)");
    StuffingReport by_cell, by_resolution;
    EXPECT_EQ(tetrahedralize(field, {.cell = 0.25}, &by_cell).tetrahedra.size(),
              tetrahedralize(field, {.resolution = 16}, &by_resolution).tetrahedra.size());
    EXPECT_EQ(by_cell.cell, 0.25);
    EXPECT_NEAR(by_resolution.cell, 0.25, 1e-12);
    for (const std::size_t wanted : {300U, 5'000U, 60'000U}) {
        const TetMesh mesh = tetrahedralize(field, {.tetrahedra = wanted, .measure = false});
        EXPECT_NEAR(static_cast<double>(mesh.tetrahedra.size()), static_cast<double>(wanted),
                    0.15 * static_cast<double>(wanted));
    }
}

TEST(Stuffing, walls_thinner_than_the_lattice_are_reported) {
    const AnalyticField thin = formula("shell(0.02, sphere(0.8))"), thick = formula("shell(0.3, sphere(0.8))");
    StuffingReport holes, whole;
    try {
        const TetMesh mesh = tetrahedralize(thin, {.resolution = 20}, &holes);
        expect_sound(mesh, holes, "thin");
        EXPECT_GT(holes.hidden_edges, 100U);
        EXPECT_LT(holes.volume, 0.8 * holes.field_volume);
    } catch (const Error& error) {
        EXPECT_EQ(error.cause(), Cause::empty);
    }
    const TetMesh mesh = tetrahedralize(thick, {.resolution = 24}, &whole);
    EXPECT_EQ(expect_sound(mesh, whole, "thick").components, 2U); // outer and inner skin
    EXPECT_EQ(whole.parts, 1U);
    EXPECT_EQ(whole.hidden_edges, 0U);
}

TEST(Stuffing, a_box_truncates_unbounded_fields) {
    StuffingReport report;
    const AnalyticField field = formula("infinite_cylinder(0.5)");
    const TetMesh mesh =
        tetrahedralize(field, {.resolution = 24, .box = Box::around(Vec3::Zero(), Vec3::Constant(1))}, &report);
    EXPECT_EQ(expect_sound(mesh, report, "cylinder").genus, 0U);
    EXPECT_NEAR(report.volume, pi * 0.25 * 2, 0.05);
}

// A ball that misbehaves.
class OddBall final : public ExactField {
public:
    enum class Fault { none, nan_far_inside, nan_everywhere, always_inside, always_outside, no_bounds };
    explicit OddBall(Fault fault) : fault_(fault) {}
    double distance(const Vec3& p) const override {
        if (fault_ == Fault::nan_everywhere || (fault_ == Fault::nan_far_inside && p.norm() < 0.3)) return std::nan("");
        if (fault_ == Fault::always_inside) return -1;
        if (fault_ == Fault::always_outside) return 1;
        return p.norm() - 1;
    }
    Interval range(const Box& box) const override {
        const double middle = box.center().norm() - 1, reach = box.half().norm();
        if (fault_ == Fault::always_inside || fault_ == Fault::always_outside) return distance(Vec3::Zero());
        if (fault_ == Fault::none || fault_ == Fault::no_bounds) return {middle - reach, middle + reach};
        return {-1, 1};
    }
    Box bounds() const override {
        return Box::around(Vec3::Zero(), Vec3::Constant(fault_ == Fault::no_bounds ? HUGE_VAL : 1));
    }

private:
    Fault fault_;
};

Cause cause_of(const Field& field, const StuffingOptions& options = {}) {
    try {
        (void)tetrahedralize(field, options);
    } catch (const Error& error) {
        EXPECT_FALSE(error.reason().empty());
        return error.cause();
    }
    ADD_FAILURE() << "nothing was thrown";
    return Cause::cancelled;
}

TEST(Stuffing, rejects_fields_that_cannot_be_filled_with_a_reason) {
    using Fault = OddBall::Fault;
    EXPECT_FALSE(tetrahedralize(OddBall(Fault::none), {.resolution = 8}).tetrahedra.empty());
    EXPECT_EQ(cause_of(OddBall(Fault::nan_far_inside)), Cause::non_finite);
    EXPECT_EQ(cause_of(OddBall(Fault::nan_everywhere)), Cause::non_finite);
    EXPECT_EQ(cause_of(OddBall(Fault::always_inside)), Cause::invalid_argument);
    EXPECT_EQ(cause_of(OddBall(Fault::always_outside)), Cause::empty);
    EXPECT_EQ(cause_of(OddBall(Fault::always_outside), {.tetrahedra = 1000}), Cause::empty);
    EXPECT_EQ(cause_of(OddBall(Fault::no_bounds)), Cause::invalid_argument);
    const OddBall ball(Fault::none);
    EXPECT_EQ(cause_of(ball, {.resolution = 0}), Cause::invalid_argument);
    EXPECT_EQ(cause_of(ball, {.cell = -1}), Cause::invalid_argument);
    EXPECT_EQ(cause_of(ball, {.cell = std::nan("")}), Cause::invalid_argument);
    EXPECT_EQ(cause_of(ball, {.cell = 1e-12}), Cause::too_large);
    EXPECT_EQ(cause_of(ball, {.resolution = 1024}), Cause::too_large);
    EXPECT_EQ(cause_of(ball, {.resolution = 32, .limit = 1000}), Cause::too_large);
    EXPECT_EQ(cause_of(ball, {.tetrahedra = 100'000'000}), Cause::too_large);
    EXPECT_EQ(cause_of(ball, {.box = Box::around(Vec3(9, 0, 0), Vec3::Constant(1))}), Cause::empty);
    EXPECT_EQ(cause_of(ball, {.box = Box::around(Vec3(0, 0, 0), Vec3(1, 0, 1))}), Cause::invalid_argument);
}

class StopAtOnce final : public Progress {
public:
    bool update(std::string_view, double) override { return false; }
};

TEST(Stuffing, can_be_cancelled) {
    StopAtOnce stop;
    EXPECT_EQ(cause_of(OddBall(OddBall::Fault::none), {.progress = &stop}), Cause::cancelled);
}

TEST(Stuffing, fills_a_scanned_rabbit) {
    FATHOM_NEEDS_MODELS();
    const GridField grid = build_grid(read_triangle_mesh(models() / "bunny.obj"), {.resolution = 96});
    StuffingReport report;
    const auto start = std::chrono::steady_clock::now();
    const TetMesh mesh = tetrahedralize(grid, {.resolution = 48}, &report);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    RecordProperty("tetrahedra", static_cast<int>(report.tetrahedra));
    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_EQ(expect_sound(mesh, report, "bunny").genus, 0U);
    EXPECT_EQ(report.parts, 1U);
    EXPECT_NEAR(report.volume, report.field_volume, 0.01 * report.field_volume);
    EXPECT_LT(report.missed_deviation, report.cell);
}

} // namespace stuffing_test
} // namespace fathom::testing
