// Poses at which expanding polytopes of other libraries were reported to fail (FCL 319, 390, 391, 399, 493; Drake
// 18704, 21234, 21673), and the same pairs moved to all small distances on both sides of contact.
#include <fathom/detect/convex/convex_pair.h>
#include <fathom/detect/convex/difference.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::convex {
namespace hard_poses_test {

struct HardPose {
    std::string name;
    Body a, b;
    Pose pose_a, pose_b;
};

Pose pose(const std::array<double, 9>& rotation, const Vec3& translation) {
    return {Quat(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation.data())).normalized(),
            translation};
}

Body cylinder(double radius, double height) { return frustum(radius, radius, height); }

Body hexagonal_prism() {
    const double h = 0.866025;
    const std::vector<Vec3> corners = {{0.5, 0.5, -h},   {0.5, -0.5, -h}, {0.5, 1, 0},    {-0.5, -0.5, h},
                                       {-0.5, 0.5, h},   {-0.5, -1, 0},   {0.5, -0.5, h}, {-0.5, 0.5, -h},
                                       {-0.5, -0.5, -h}, {-0.5, 1, 0},    {0.5, -1, 0},   {0.5, 0.5, h}};
    return polyhedron(std::make_shared<Hull>(make_hull(corners)));
}

std::vector<HardPose> hard_poses() {
    const std::array<double, 9> tilted = {0.96193976625564348026,  0.15401279915737359216,  0.22572537250328919556,
                                          -0.19134171618254486313, 0.96936494951283913579,  0.15401279915737359216,
                                          -0.19509032201612822033, -0.19134171618254486313, 0.96193976625564348026};
    const std::array<double, 9> quarter = {6.1232339957367660359e-17, -1, 0, 1, 6.1232339957367660359e-17, 0, 0, 0, 1};
    const std::array<double, 9> nearly_quarter = {0.00079632671073326442932,
                                                  -0.99999968293183538748,
                                                  0,
                                                  0.99999968293183538748,
                                                  0.00079632671073326442932,
                                                  0,
                                                  0,
                                                  0,
                                                  1};
    return {
        {"boxes of equal rotation", box({0.5, 0.5, 0.5}), box({0.5, 0.5, 0.5}),
         pose(tilted, {2.0770063995786869349, 0.48468247475641951239, 1.1543291419087275962}),
         pose(tilted, {2, 0, 1.25})},
        {"box and cylinder",
         box({0.05, 0.39, 1.47}),
         cylinder(0.18, 0.18),
         {Quat(0.707107, 0, 0, 0.707107).normalized(), {0.8, -0.385, 0.735}},
         {Quat(0.991445, 0, 0, -0.130526).normalized(), {0.4, -0.4, 0.93}}},
        {"cylinder and small box", cylinder(0.05, 0.06), box({0.025, 0.35, 1.845}),
         pose({-0.97313010759279283679, -0.12202804064972551379, 0.19526123781136842106, 0.20950801135757171623,
               -0.11745920593569325607, 0.97072639199619581429, -0.095520609678929752073, 0.98555187191549953329,
               0.13986894183635001365},
              {0.87472781461138560122, -0.4038687881347159947, 1.5871328698116491385}),
         pose(quarter, {0.80000000000000004441, -0.45750000000000001776, 0.9225})},
        {"cylinder and sphere", cylinder(0.03, 0.65), sphere(0.055), Pose::from_translation({0.6, 0, 0.325}),
         Pose::from_translation({0.5419794018, -0.0621175025, 0.6016236576})},
        {"boxes on one plane", box({0.23768037557601928711, 0.15702305734157562256, 0.25}),
         box({0.01, 0.78165709972381591797, 0.25}),
         pose({-0.099432387353076273628, 0.99504432079443971837, 0, -0.99504432079443971837, -0.099432387353076273628,
               0, 0, 0, 1},
              {0.29526406526565551758, -0.013230856508016586304, 0}),
         pose({0.99506598442099225554, 0.099215354901756730444, 0, -0.099215354901756730444, 0.99506598442099225554, 0,
               0, 0, 1},
              {0.22759585694545214629, 0.14974093549228112421, 0})},
        {"cylinder and plate", cylinder(0.041, 0.17), box({0.3, 0.6, 0.016}),
         pose({0.62286449762754547699, 0.71651535568044355529, -0.31407891153229777759, -0.20605566270224237591,
               -0.23703718387333412837, -0.94939688083050233214, -0.75470582445316081177, 0.65606334948423605802,
               4.0172294049188053423e-17},
              {0.20238033346825459735, 0.027845683594011010065, 0.3114233939246693339}),
         Pose::from_translation({0.4, 0, 0.26885})},
        {"boxes on one floor", box({0.05, 0.55, 0.3}), box({0.25, 0.2, 0.15}),
         pose(nearly_quarter, {0.75000000000000055511, -2.4083553715553102684e-15, 0.15}),
         Pose::from_translation({0.75, 0, 0.075})},
        {"cylinders side by side", cylinder(0.01, 1), cylinder(0.01, 1),
         pose({0.070736898150081176095, 0, -0.99749500812791291882, 0, 1, 0, 0.99749500812791291882, 0,
               0.070736898150081176095},
              {0.24874750406395645941, 0, -0.035368449075040588048}),
         pose({0.070736898153116234411, 0, 0.99749500812769764657, 0, 1, 0, -0.99749500812769764657, 0,
               0.070736898153116234411},
              {-0.24874750406384882329, 0, -0.035368449075040588048})},
        {"hexagonal prisms", hexagonal_prism(), hexagonal_prism(), {}, Pose::from_translation({1, 0, 0})},
        {"hexagonal prisms in one place", hexagonal_prism(), hexagonal_prism(), {}, {}},
    };
}

TEST(HardPoses, end_in_a_status_that_fits_the_distance) {
    for (const HardPose& p : hard_poses()) {
        const PairDistance start = signed_distance({p.a, p.pose_a}, {p.b, p.pose_b});
        EXPECT_LE(start.lower, start.upper) << p.name;
        EXPECT_NEAR(start.normal.norm(), 1, 1e-12) << p.name;
        // A direction that separates by less would refute the depth.
        const Difference d(p.a, p.pose_a, p.b, p.pose_b);
        const double height = d.height(d.core_a.rotate_to_local(start.normal)) + p.a.radius + p.b.radius;
        EXPECT_NEAR(height, -start.lower, 1e-12) << p.name;
        EXPECT_LE(start.upper - start.lower, 1e-9) << p.name;
    }
}

TEST(HardPoses, at_every_small_distance_the_status_is_right) {
    std::size_t disjoint = 0, overlapping = 0;
    for (const HardPose& p : hard_poses()) {
        const PairDistance start = signed_distance({p.a, p.pose_a}, {p.b, p.pose_b});
        for (double magnitude = 1e-17; magnitude < 1e-2; magnitude *= 10)
            for (const double sign : {1.0, -1.0}) {
                const double distance = sign * magnitude;
                Pose moved = p.pose_b;
                moved.translation += (distance - start.lower) * start.normal;
                const PairDistance found = signed_distance({p.a, p.pose_a}, {p.b, moved});
                const Overlap status = overlap({p.a, p.pose_a}, {p.b, moved});
                const double within = 4 * (start.rounding + found.rounding) + 1e-15 * moved.translation.norm();
                EXPECT_NEAR(found.lower, distance, within + 1e-9 * magnitude) << p.name << " at " << distance;
                EXPECT_NE(status.status, Status::undecided) << p.name << " at " << distance;
                EXPECT_EQ(status.status == Status::disjoint, found.lower > 0) << p.name << " at " << distance;
                (status.status == Status::disjoint ? disjoint : overlapping) += 1;
                if (magnitude > within) {
                    EXPECT_EQ(found.lower > 0, distance > 0) << p.name << " at " << distance;
                }
            }
    }
    EXPECT_GT(disjoint, 50u);
    EXPECT_GT(overlapping, 50u);
}

} // namespace hard_poses_test
} // namespace fathom::convex
