// Queries at the command line whose truth is known without the library's queries: meshes that cross slightly, wires
// through balls, thrown bars and plates, and turning bars. Oracles: exact triangle tests, separating axes, and the
// closed form of the distance between a point and a box.
#include <support/mesh_oracle.h>
#include <support/small_meshes.h>
#include <support/test_counts.h>
#include <tool/program.h>

#include <fathom/base/random.h>
#include <fathom/geometry/io/mesh_file.h>
#include <tool/verify/referee.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>
#include <optional>

namespace fathom::testing {
namespace crossings_test {

using nlohmann::json;

std::string pose_argument(const Pose& pose) {
    const Vec3& t = pose.translation;
    const Quat& q = pose.rotation;
    return fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}", t.x(), t.y(), t.z(), q.w(), q.x(),
                       q.y(), q.z());
}

json result_of(const std::string& arguments) {
    const Outcome outcome = run(arguments + " --json", "FATHOM_CACHE=off");
    EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

// Counts of one test: how often each truth occurred, and how often the evaluation limit was reached. A result may then
// be undecided or less accurate, but never wrong.
struct Tally {
    std::size_t overlapping = 0, disjoint = 0, undecided = 0, exhausted = 0;

    void add(bool truth, const json& found, const std::string& arguments) {
        ++(truth ? overlapping : disjoint);
        const bool stopped = found.value("budget_exhausted", false);
        exhausted += stopped;
        if (found["status"] == "undecided") {
            ++undecided;
            EXPECT_TRUE(stopped) << arguments;
            EXPECT_EQ(found["proven"], false) << arguments;
            return;
        }
        EXPECT_EQ(found["status"], truth ? "overlapping" : "disjoint") << arguments;
        EXPECT_EQ(found["proven"], true) << arguments;
    }
    void expect_both_outcomes(std::size_t max_exhausted = 0) const {
        std::printf("    %zu overlapping, %zu disjoint; evaluation limit reached %zu times, undecided %zu times\n",
                    overlapping, disjoint, exhausted, undecided);
        EXPECT_GE(overlapping, (overlapping + disjoint) / 5);
        EXPECT_GE(disjoint, (overlapping + disjoint) / 5);
        EXPECT_LE(exhausted, max_exhausted);
    }
};

// ---- Meshes that cross, or miss each other, by a small share of their size.

// B is moved along a line to where the solids begin to touch, then by `step` farther in or out (m).
std::optional<Pose> near_contact(const OracleBody& a, const OracleBody& b, double step, Random& random) {
    const Quat rotation = random.rotation().normalized();
    const Vec3 along = random.direction(), aside = 0.3 * random.in_ball();
    const auto pose = [&](double t) { return Pose{rotation, aside + t * along}; };
    double near = 0, far = 4;
    if (!solids_meet(a, b, pose(near)) || solids_meet(a, b, pose(far))) return std::nullopt;
    for (int k = 0; k < 45; ++k) {
        const double middle = 0.5 * (near + far);
        (solids_meet(a, b, pose(middle)) ? near : far) = middle;
    }
    return pose(near + step);
}

void check_crossings(double share) {
    const Folder folder;
    Random random(7);
    Tally tally;
    const std::size_t count = count_of(60, 1000);
    for (std::size_t k = 0; k < count;) {
        const TriangleMesh mesh_a = random_shape(ShapeKind::closed_mesh, random).mesh(),
                           mesh_b = random_shape(ShapeKind::closed_mesh, random).mesh();
        const OracleBody a(mesh_a), b(mesh_b);
        const auto pose = near_contact(a, b, random.chance(0.5) ? -share : share, random);
        if (!pose) continue;
        write_mesh(folder.file("a.obj"), mesh_a);
        write_mesh(folder.file("b.obj"), mesh_b);
        const std::string arguments = fmt::format("collide {} {} --pose-b={}", quoted(folder.file("a.obj")),
                                                  quoted(folder.file("b.obj")), pose_argument(*pose));
        tally.add(solids_meet(a, b, *pose), result_of(arguments), arguments);
        ++k;
    }
    tally.expect_both_outcomes();
}

TEST(Crossings, meshes_that_cross_by_a_ten_thousandth_of_their_size_are_found) { check_crossings(1e-4); }
TEST(Crossings, meshes_that_cross_by_a_thousandth_of_their_size_are_found) { check_crossings(1e-3); }

// ---- Boxes.

struct PosedBox {
    Vec3 half;
    Pose pose{};

    [[nodiscard]] double distance(const Vec3& world) const { // 0 inside
        return (pose.to_local(world).cwiseAbs() - half).cwiseMax(0.0).norm();
    }
    [[nodiscard]] double extent(const Vec3& axis) const {
        return half.dot((pose.rotation.conjugate() * axis).cwiseAbs());
    }
    [[nodiscard]] std::string written(const Folder& folder, const std::string& name) const {
        write_mesh(folder.file(name), box_mesh({-half, half}));
        return quoted(folder.file(name));
    }
};

// The times in [0, 1] in which two boxes overlap while a moves by `way` and neither rotates: an interval for each of
// the fifteen separating axes, intersected.
struct TimeSpan {
    double begin = 0, end = 1;
};
TimeSpan contact_times(const PosedBox& a, const PosedBox& b, const Vec3& way) {
    TimeSpan times;
    const Mat3 axes_a = a.pose.rotation.toRotationMatrix(), axes_b = b.pose.rotation.toRotationMatrix();
    std::vector<Vec3> axes;
    for (int i = 0; i < 3; ++i) {
        axes.insert(axes.end(), {axes_a.col(i), axes_b.col(i)});
        for (int j = 0; j < 3; ++j) axes.emplace_back(axes_a.col(i).cross(axes_b.col(j)));
    }
    for (const Vec3& axis : axes) {
        if (axis.norm() < 1e-9) continue;
        const double reach = a.extent(axis) + b.extent(axis);
        const double start = axis.dot(a.pose.translation - b.pose.translation), speed = axis.dot(way);
        if (std::abs(speed) < 1e-12) {
            if (std::abs(start) > reach) return {1, 0};
            continue;
        }
        const double t0 = (-reach - start) / speed, t1 = (reach - start) / speed;
        times.begin = std::max(times.begin, std::min(t0, t1));
        times.end = std::min(times.end, std::max(t0, t1));
    }
    return times;
}

// A bar, a plate or a wire.
PosedBox thin_box(Random& random) {
    const double thin = 0.5 * std::pow(10.0, random.uniform(-3, -1));
    const bool is_plate = random.chance(0.5);
    return {{is_plate ? random.uniform(0.3, 1.0) : thin, thin, random.uniform(0.3, 1.0)},
            {random.rotation().normalized(), Vec3::Zero()}};
}

TEST(Crossings, thrown_bars_and_plates_touch_when_their_separating_axes_say) {
    const Folder folder;
    Random random(11);
    Tally tally;
    const std::size_t count = count_of(60, 1000);
    for (std::size_t k = 0; k < count;) {
        PosedBox a = thin_box(random), b = thin_box(random);
        a.pose.translation = random.uniform(1.5, 4.0) * random.direction();
        const Vec3 way = 3 * random.in_ball() - 2 * a.pose.translation;
        const TimeSpan truth = contact_times(a, b, way);
        if (std::abs(truth.end - truth.begin) < 1e-5) continue; // a grazing contact
        const Pose to{a.pose.rotation, a.pose.translation + way};
        const std::string arguments =
            fmt::format("sweep {} {} --from-a={} --to-a={} --from-b={}", a.written(folder, "a.obj"),
                        b.written(folder, "b.obj"), pose_argument(a.pose), pose_argument(to), pose_argument(b.pose));
        const json found = result_of(arguments);
        const bool touches = truth.begin <= truth.end;
        tally.add(touches, found, arguments);
        ++k;
        if (!touches || found["status"] != "overlapping") continue;
        EXPECT_LE(found["time"].get<double>(), truth.begin + 1e-9) << arguments;
        EXPECT_GE(found["time"].get<double>() + found["error"].get<double>(), truth.begin - 1e-9) << arguments;
        EXPECT_LE(found["error"].get<double>(), 1e-5) << arguments;
        EXPECT_GE(found["intervals"].back()["end"].get<double>(), truth.end - 1e-9) << arguments;
        if (found["budget_exhausted"] == false) {
            EXPECT_NEAR(found["intervals"].back()["end"].get<double>(), truth.end, 1e-5) << arguments;
        }
    }
    tally.expect_both_outcomes(count / 100);
}

// A ball as an expression, and a wire as a mesh of twelve triangles.
TEST(Crossings, wires_through_balls_are_found) {
    const Folder folder;
    Random random(13);
    Tally tally;
    const std::size_t count = count_of(60, 1000);
    for (std::size_t k = 0; k < count;) {
        const double radius = random.uniform(0.1, 1.0), thin = 0.5 * std::pow(10.0, random.uniform(-4, -1.5));
        const PosedBox wire{{thin, thin, 2}, {random.rotation().normalized(), 1.5 * radius * random.in_ball()}};
        const double distance = wire.distance(Vec3::Zero());
        if (std::abs(distance - radius) < 1e-6 * radius) continue;
        const std::string arguments = fmt::format("collide {} 'sphere({:.17g})' --pose-a={}",
                                                  wire.written(folder, "wire.obj"), radius, pose_argument(wire.pose));
        tally.add(distance < radius, result_of(arguments), arguments);
        ++k;
    }
    tally.expect_both_outcomes();
}

// A bar that turns about the z axis, and a ball that stands beside the axis.
TEST(Crossings, turning_bars_touch_a_standing_ball_on_its_surface_and_in_time) {
    const Folder folder;
    Random random(17);
    Tally tally;
    const std::size_t count = count_of(60, 1000);
    for (std::size_t k = 0; k < count;) {
        const double thin = 0.5 * std::pow(10.0, random.uniform(-2.5, -1)), angle = random.uniform(0.5, 3.0);
        const double radius = random.uniform(0.05, 0.3), out = random.uniform(0.2, 1.4),
                     where = random.uniform(-std::numbers::pi, std::numbers::pi);
        const PosedBox bar{{1, thin, thin}};
        const Vec3 ball(out * std::cos(where), out * std::sin(where), random.uniform(-0.3, 0.3));
        const auto gap = [&](double t) { // in the frame of the bar the ball turns back
            return bar.distance(Eigen::AngleAxisd(-angle * t, Vec3::UnitZ()) * ball) - radius;
        };
        constexpr int samples = 4000;
        double first = 2, lowest = gap(0);
        for (int i = 1; i <= samples && lowest > 0; ++i) {
            const double t = static_cast<double>(i) / samples;
            lowest = std::min(lowest, gap(t));
            if (lowest <= 0) first = t;
        }
        const double change = angle * ball.norm() / samples; // largest change of the gap between two samples
        if (gap(0) <= 1e-3 || std::abs(lowest) < change * (lowest > 0 ? 1.0 : 1e-3)) continue;
        const Pose to{Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())), Vec3::Zero()};
        const std::string arguments =
            fmt::format("sweep {} 'sphere({:.17g})' --to-a={} --from-b={},{},{}", bar.written(folder, "bar.obj"),
                        radius, pose_argument(to), fmt::format("{:.17g}", ball.x()), fmt::format("{:.17g}", ball.y()),
                        fmt::format("{:.17g}", ball.z()));
        const json found = result_of(arguments);
        tally.add(first <= 1, found, arguments);
        ++k;
        if (first > 1 || found["status"] != "overlapping") continue;
        double before = first - 1.0 / samples, after = first;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (before + after);
            (gap(middle) <= 0 ? after : before) = middle;
        }
        EXPECT_LE(found["time"].get<double>(), after + 1e-9) << arguments;
        EXPECT_GE(found["time"].get<double>() + found["error"].get<double>(), after - 1e-9) << arguments;
        if (found["budget_exhausted"] == false) {
            EXPECT_LE(found["error"].get<double>(), 1e-5) << arguments;
        }
        const auto p = found["point"].get<std::vector<double>>();
        EXPECT_NEAR((Vec3(p[0], p[1], p[2]) - ball).norm(), radius, 1e-3 * radius) << arguments;
    }
    tally.expect_both_outcomes(count / 8); // grazing contacts, and ends of contact
}

} // namespace crossings_test
} // namespace fathom::testing
