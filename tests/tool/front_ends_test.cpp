// The same queries through the library, the command line and the live server give the same results, to the last digit.
// Python is compared with the command line in tests/python/test_front_ends.py.
#include <tool/program.h>
#include <tool/running_server.h>
#include <tool/written_page.h>

#include <fathom/base/random.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/grid_field.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <tool/verify/referee.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace front_ends_test {

using nlohmann::json;

// A shape, and the argument that names it on the command line.
struct NamedShape {
    Shape shape;
    std::string argument;
    Pose pose{};
};

// The shape as the command line reads it: meshes, grids and networks pass through a file.
NamedShape named_shape(ShapeKind kind, Random& random, const Folder& folder, std::size_t number, double size = 1) {
    Shape made = random_shape(kind, random, size);
    while (kind == ShapeKind::convex && !made.field()->analytic_expression()) made = random_shape(kind, random, size);
    const auto file = [&](const char* ending) { return folder.file(fmt::format("{}{}", number, ending)); };
    switch (kind) {
    case ShapeKind::grid: {
        write_grid_file(dynamic_cast<const GridField&>(*made.field()), file(".fathom"));
        return {Shape(std::make_shared<GridField>(read_grid_file(file(".fathom")).field)), file(".fathom")};
    }
    case ShapeKind::neural: {
        write_network(file(".fnet"), dynamic_cast<const NeuralField&>(*made.field()).network());
        return {Shape(std::make_shared<NeuralField>(read_network_file(file(".fnet")).network)), file(".fnet")};
    }
    case ShapeKind::closed_mesh:
    case ShapeKind::open_mesh:
        write_mesh(file(".obj"), made.mesh());
        return {Shape(read_mesh(file(".obj")).surface), file(".obj")};
    case ShapeKind::tetrahedra:
        write_mesh(file(".msh"), made.tetrahedra());
        return {Shape(read_mesh(file(".msh")).volume), file(".msh")};
    default: { // shapes that have an expression
        const std::string text = made.field()->analytic_expression()->text();
        return {Shape(std::make_shared<AnalyticField>(parse_shape(text, "expression"))), text};
    }
    }
}

// A random pose whose quaternion is not changed by normalization.
Pose random_pose(Random& random, double size = 1) {
    Pose pose{random.rotation(), 0.8 * size * random.in_ball()};
    for (int k = 0; pose.rotation.normalized().coeffs() != pose.rotation.coeffs(); ++k)
        pose.rotation =
            k % 8 < 7 ? Quat(pose.rotation.normalized()) : random.rotation(); // rounding may alternate for ever
    return pose;
}

std::vector<double> numbers(const Pose& pose) {
    const Vec3& t = pose.translation;
    const Quat& q = pose.rotation;
    return {t.x(), t.y(), t.z(), q.w(), q.x(), q.y(), q.z()};
}

std::string pose_text(const Pose& pose) {
    std::string text;
    for (const double value : numbers(pose)) text += fmt::format("{}{:.17g}", text.empty() ? "" : ",", value);
    return text;
}

// The kinds that have a file or an expression.
constexpr std::array named_kinds = {ShapeKind::analytic,   ShapeKind::convex,      ShapeKind::grid,
                                    ShapeKind::neural,     ShapeKind::closed_mesh, ShapeKind::open_mesh,
                                    ShapeKind::tetrahedra, ShapeKind::half_space};

// Three shapes of each.
std::vector<NamedShape> shapes_in(const Folder& folder, std::uint64_t seed) {
    Random random(seed);
    std::vector<NamedShape> all;
    for (int copy = 0; copy < 3; ++copy)
        for (const ShapeKind kind : named_kinds) {
            all.push_back(named_shape(kind, random, folder, all.size()));
            all.back().pose = random_pose(random);
        }
    return all;
}

json answer(const std::string& command, const NamedShape& a, const NamedShape& b, const std::string& options) {
    const Outcome outcome =
        run(fmt::format("{} {} {} {} --json", command, quoted(a.argument), quoted(b.argument), options),
            "FATHOM_CACHE=off");
    EXPECT_EQ(outcome.exit_code, 0) << a.argument << " " << b.argument << ": " << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

const char* text_of(Status status) {
    return status == Status::disjoint ? "disjoint" : status == Status::overlapping ? "overlapping" : "undecided";
}

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
json vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

void expect_same(const json& found, const CollideResult& expected, const std::string& where) {
    EXPECT_EQ(found["status"], text_of(expected.status)) << where;
    EXPECT_EQ(found["proven"], expected.proven) << where;
    EXPECT_EQ(found["note"], expected.note) << where;
    EXPECT_EQ(found["depth"], number(expected.depth)) << where;
    EXPECT_EQ(found["local_depth"], number(expected.local_depth)) << where;
    EXPECT_EQ(found["local_depth_bound"], number(expected.local_depth_bound)) << where;
    EXPECT_EQ(found["separates"], name(expected.separates)) << where;
    if (expected.separates != Separates::unknown) {
        EXPECT_EQ(found["normal"], vector(expected.normal)) << where;
    }
    ASSERT_EQ(found["contacts"].size(), expected.contacts.size()) << where;
    for (std::size_t k = 0; k < expected.contacts.size(); ++k) {
        EXPECT_EQ(found["contacts"][k]["point_a"], vector(expected.contacts[k].point_a)) << where;
        EXPECT_EQ(found["contacts"][k]["normal"], vector(expected.contacts[k].normal)) << where;
        EXPECT_EQ(found["contacts"][k]["depth"], expected.contacts[k].depth) << where;
    }
}

void expect_same(const json& found, const DistanceResult& expected, const std::string& where) {
    EXPECT_EQ(found["status"], text_of(expected.status)) << where;
    EXPECT_EQ(found["proven"], expected.proven) << where;
    EXPECT_EQ(found["note"], expected.note) << where;
    EXPECT_EQ(found["method"], name(expected.method)) << where;
    EXPECT_EQ(found["lower_bound"], number(expected.lower_bound)) << where;
    EXPECT_EQ(found["upper_bound"], number(expected.upper_bound)) << where;
    EXPECT_EQ(found["converged"], expected.converged) << where;
}

std::string described(const char* through, const NamedShape& a, const NamedShape& b) {
    return fmt::format("{}: {} and {}, poses {} and {}", through, a.argument, b.argument, pose_text(a.pose),
                       pose_text(b.pose));
}

bool both_unbounded(const NamedShape& a, const NamedShape& b) { return !a.shape.bounded() && !b.shape.bounded(); }

TEST(FrontEnds, library_command_line_and_live_server_give_the_same_results_for_200_pairs) {
    FATHOM_NEEDS_VIEWER();
    const Folder folder;
    const std::vector<NamedShape> shapes = shapes_in(folder, 1);
    std::vector<std::string> arguments = {"view", "--live"};
    for (const NamedShape& s : shapes) arguments.push_back(s.argument);
    for (const NamedShape& s : shapes) arguments.insert(arguments.end(), {"--pose", pose_text(s.pose)});
    RunningServer server(arguments);
    const json live = json::parse(body_of(server.get("/live")), nullptr, false);
    std::size_t overlapping = 0, disjoint = 0, pairs = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (std::size_t j = i + 1; j < shapes.size(); ++j) {
            const NamedShape &a = shapes[i], &b = shapes[j];
            const CollideResult touch = collide(a.shape, a.pose, b.shape, b.pose, {.goal = CollideGoal::separation});
            ++pairs;
            overlapping += touch.status == Status::overlapping;
            disjoint += touch.status == Status::disjoint;
            const std::string poses = fmt::format("--pose-a={} --pose-b={}", pose_text(a.pose), pose_text(b.pose));
            const json printed = answer("collide", a, b, poses);
            expect_same(printed, touch, described("collide", a, b));
            EXPECT_EQ(printed["method"], name(touch.method));
            const json& pair = live["pairs"][pairs - 1];
            ASSERT_TRUE(pair["a"] == i && pair["b"] == j);
            expect_same(pair, collide(a.shape, a.pose, b.shape, b.pose, {.goal = CollideGoal::contacts}),
                        described("live", a, b));
            if (both_unbounded(a, b)) continue;
            const DistanceResult apart = distance(a.shape, a.pose, b.shape, b.pose, {.depth = true});
            if (touch.status != Status::overlapping) expect_same(pair["distance"], apart, described("live", a, b));
            if (pairs % 2 == 0) expect_same(answer("distance", a, b, poses), apart, described("distance", a, b));
        }
    EXPECT_GE(pairs, 200u);
    EXPECT_GE(overlapping, 50u);
    EXPECT_GE(disjoint, 50u);
}

// The referee of tests/detect/query/agreement_test.cpp judges what the library says in the same cases.
TEST(FrontEnds, the_command_line_gives_the_result_of_every_method_at_three_scales_in_both_orders) {
    const Folder folder;
    Random random(4);
    std::size_t number = 0, overlapping = 0, disjoint = 0;
    for (const ShapeKind kind_a : named_kinds)
        for (const ShapeKind kind_b : named_kinds) {
            const double size = std::array{1e-3, 1.0, 1e3}[number % 3];
            NamedShape a = named_shape(kind_a, random, folder, 2 * number, size),
                       b = named_shape(kind_b, random, folder, 2 * number + 1, size);
            ++number;
            a.pose = random_pose(random, size), b.pose = random_pose(random, size);
            for (const PairMethod& method : methods_for(a.shape.kind(), b.shape.kind(), Question::collide)) {
                if (method.method == Method::depth_maps || method.method == Method::dual_gradient) continue; // slow
                const CollideResult expected =
                    collide(a.shape, a.pose, b.shape, b.pose, {.goal = CollideGoal::contacts, .method = method.method});
                const json found = answer("collide", a, b,
                                          fmt::format("--pose-a={} --pose-b={} --method {} --goal contacts",
                                                      pose_text(a.pose), pose_text(b.pose), name(method.method)));
                expect_same(found, expected, described(std::string(name(method.method)).c_str(), a, b));
                overlapping += expected.status == Status::overlapping;
                disjoint += expected.status == Status::disjoint;
            }
        }
    EXPECT_GE(overlapping, 30u);
    EXPECT_GE(disjoint, 10u);
}

TEST(FrontEnds, library_and_command_line_find_the_same_times_of_impact) {
    const Folder folder;
    const std::vector<NamedShape> shapes = shapes_in(folder, 2);
    Random random(3);
    std::size_t contacts = 0, disjoint = 0;
    for (std::size_t k = 0; k < 30; ++k) {
        const NamedShape &a = shapes[random.below(shapes.size())], &b = shapes[random.below(shapes.size())];
        if (both_unbounded(a, b)) continue;
        const Motion motion_a = Motion::stationary(a.pose);
        const Motion motion_b{Pose{b.pose.rotation, Vec3(2 * random.direction())}, b.pose};
        const SweepResult expected = sweep(a.shape, motion_a, b.shape, motion_b);
        const json found = answer("sweep", a, b,
                                  fmt::format("--first --from-a={} --from-b={} --to-b={}", pose_text(motion_a.start),
                                              pose_text(motion_b.start), pose_text(motion_b.end)));
        const std::string where = described("sweep", a, b);
        EXPECT_EQ(found["status"], text_of(expected.status)) << where;
        EXPECT_EQ(found["method"], name(expected.method)) << where;
        contacts += expected.status == Status::overlapping;
        disjoint += expected.status == Status::disjoint;
        if (expected.status == Status::disjoint) continue;
        EXPECT_EQ(found["time"], expected.time) << where;
        EXPECT_EQ(found["error"], expected.error) << where;
    }
    EXPECT_GE(contacts, 5u);
    EXPECT_GE(disjoint, 2u);
}

} // namespace front_ends_test
} // namespace fathom::testing
