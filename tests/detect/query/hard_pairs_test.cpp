#include "support/hard_pairs.h"
#include "support/models.h"
#include "support/test_counts.h"
#include <fathom/detect/field_field/field_field.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace fathom {
namespace hard_pairs_test {

using testing::HardBody;
using testing::HardPair;
using testing::HardPairs;
using testing::OracleBody;
using testing::Truth;

// A body with its field and what is known of it.
struct Side {
    const OracleBody* oracle;
    const FieldSphereTree* solid;
    double error; // m: |body of the field - mesh|, near the surface
    Pose pose;
};

struct Tally {
    std::size_t pairs = 0, meeting = 0, apart = 0, in_band = 0;
    std::size_t undecided = 0,
                too_near = 0; // undecided, but closer to touching than the requested tolerance
    std::size_t missed = 0, invented = 0;
    std::size_t evaluations = 0;

    void print(const char* what) const {
        std::printf("    %-28s %6zu pairs: %zu meet, %zu apart, %zu in the band; missed %zu, invented %zu, undecided "
                    "%zu + %zu below the "
                    "tolerance; %.0f evaluations a pair\n",
                    what, pairs, meeting, apart, in_band, missed, invented, undecided, too_near,
                    static_cast<double>(evaluations) / static_cast<double>(std::max<std::size_t>(pairs, 1)));
    }
    void expect_right() const {
        EXPECT_EQ(missed, 0u);
        EXPECT_EQ(invented, 0u);
        EXPECT_LE(undecided, pairs / 1000);
        EXPECT_LE(too_near, pairs / 100);
        EXPECT_GT(meeting, (meeting + apart) / 5);
        EXPECT_GT(apart, (meeting + apart) / 5);
    }
};

// "Disjoint" is a proof: no point that we can think of is inside both fields.
bool shares_a_point(const Side& a, const Side& b, Random& random) {
    const auto inside_both = [&](const Vec3& p) {
        return a.solid->field().distance(a.pose.to_local(p)) <= 0 && b.solid->field().distance(b.pose.to_local(p)) <= 0;
    };
    for (const Side* side : {&a, &b}) {
        const auto& vertices = side->oracle->mesh().vertices;
        for (std::size_t k = 0; k < std::min<std::size_t>(vertices.size(), 300); ++k)
            if (inside_both(side->pose * vertices[random.below(vertices.size())])) return true;
    }
    Box common_a, common_b;
    for (int k = 0; k < 8; ++k)
        common_a.extend(a.pose * a.solid->field().bounds().corner(k)),
            common_b.extend(b.pose * b.solid->field().bounds().corner(k));
    const Box common = intersection(common_a, common_b);
    for (int k = 0; k < 300 && !common.empty(); ++k)
        if (inside_both(random.in_box(common))) return true;
    return false;
}

void judge(const Side& a, const Side& b, const std::string& what, Random& random, Tally& tally) {
    const field_field::CollideResult result =
        field_field::collide(*a.solid, a.pose, *b.solid, b.pose, {.goal = field_field::CollideGoal::any});
    const Truth truth = testing::truth_of(*a.oracle, a.error, *b.oracle, b.error, relative(a.pose, b.pose));
    ++tally.pairs;
    tally.meeting += truth == Truth::meeting;
    tally.apart += truth == Truth::apart;
    tally.in_band += truth == Truth::in_band;
    if (result.status == Status::undecided) {
        const double tolerance =
            1e-6 * std::min(a.solid->bounds().diagonal(), b.solid->bounds().diagonal()); // CollideOptions' own
        const Truth nearly = testing::truth_of(*a.oracle, tolerance, *b.oracle, tolerance, relative(a.pose, b.pose));
        ++(nearly == Truth::in_band ? tally.too_near : tally.undecided);
    }
    tally.evaluations += result.evaluations;
    const bool missed = result.status == Status::disjoint && (truth == Truth::meeting || shares_a_point(a, b, random));
    bool invented = result.status == Status::overlapping && truth == Truth::apart;
    if (result.status == Status::overlapping)
        for (const Side* side : {&a, &b}) {
            const Vec3 p = side->pose.to_local(result.witness);
            invented = invented || side->oracle->exact().distance(p) >
                                       side->error + 1e-12 * (p.norm() + side->pose.translation.norm());
        }
    tally.missed += missed;
    tally.invented += invented;
    EXPECT_FALSE(missed) << what;
    EXPECT_FALSE(invented) << what;

    const field_field::CollideResult full = field_field::collide(*a.solid, a.pose, *b.solid, b.pose);
    EXPECT_EQ(full.status, result.status) << what;
    if (truth == Truth::meeting && full.status == Status::overlapping) {
        EXPECT_FALSE(full.contacts.empty()) << what;
    }
}

std::string described(const HardPair& pair, double scale, std::size_t k) {
    return pair.a->name + " and " + pair.b->name + ", kind " + std::to_string(static_cast<int>(pair.kind)) +
           ", scale " + std::to_string(scale) + ", pair " + std::to_string(k);
}

constexpr double scales[] = {1, 1e-3, 1e3};

// Most at scale 1; the slice of a run that has to build grids leaves the others out.
std::size_t count_at(double scale, std::size_t slice, std::size_t slice_elsewhere, std::size_t whole) {
    return scale == 1 ? testing::count_of(slice, whole) : testing::count_of(slice_elsewhere, whole / 4);
}

TEST(HardPairs, formulas_are_never_missed_and_never_invented) {
    Tally tally;
    for (const double scale : scales) {
        HardPairs pairs(scale, 1);
        std::map<const HardBody*, FieldSphereTree> solids;
        for (const auto& body : pairs.bodies()) solids.emplace(body.get(), FieldSphereTree(body->formula));
        Random random(2);
        for (std::size_t k = 0; k < count_at(scale, 200, 50, 7000); ++k) {
            const HardPair pair = pairs.next();
            judge({&pair.a->oracle, &solids.at(pair.a), pair.a->mesh_error, pair.pose_a},
                  {&pair.b->oracle, &solids.at(pair.b), pair.b->mesh_error, pair.pose_b}, described(pair, scale, k),
                  random, tally);
        }
    }
    tally.print("formula and formula");
    tally.expect_right();
}

TEST(HardPairs, grids_are_never_missed_and_never_invented) {
    Tally tally, mixed;
    for (const double scale : scales) {
        HardPairs pairs(scale, 3);
        std::map<const HardBody*, FieldSphereTree> grids, formulas;
        const int resolution = testing::long_run() ? 96 : 64;
        const auto grid_of = [&](const HardBody* body) -> const FieldSphereTree& {
            const auto found = grids.find(body);
            return found != grids.end() ? found->second
                                        : grids.emplace(body, FieldSphereTree(body->grid(resolution))).first->second;
        };
        for (const auto& body : pairs.bodies()) formulas.emplace(body.get(), FieldSphereTree(body->formula));
        Random random(4);
        for (std::size_t k = 0; k < count_at(scale, 80, 0, 7000); ++k) {
            const HardPair pair = pairs.next();
            const Side a{&pair.a->oracle, &grid_of(pair.a), pair.a->grid(resolution)->near_error_bound(), pair.pose_a};
            const Side b{&pair.b->oracle, &grid_of(pair.b), pair.b->grid(resolution)->near_error_bound(), pair.pose_b};
            judge(a, b, described(pair, scale, k), random, tally);
            judge({&pair.a->oracle, &formulas.at(pair.a), pair.a->mesh_error, pair.pose_a}, b,
                  described(pair, scale, k), random, mixed);
        }
    }
    tally.print("grid and grid");
    mixed.print("formula and grid");
    for (const Tally* t : {&tally, &mixed}) t->expect_right();
}

// A scan of longest extent 1 about the origin.
TriangleMesh sized(const TriangleMesh& mesh) {
    const Box box = bounds(mesh.vertices);
    const Vec3 center = box.center();
    const double size = box.size().maxCoeff();
    return mapped(mesh, [&](const Vec3& p) -> Vec3 { return (p - center) / size; });
}

struct Scan {
    OracleBody oracle;
    std::shared_ptr<const GridField> grid;
    FieldSphereTree solid;

    explicit Scan(const TriangleMesh& mesh)
        : oracle(mesh), grid(std::make_shared<GridField>(
                            cached_grid(mesh, {.resolution = testing::long_run() ? 256 : 128}).file.field)),
          solid(grid) {}
};

// Open meshes have no inside to be sure of: the surface that a grid sees takes their place.
TriangleMesh closed_by_a_grid(const TriangleMesh& mesh) {
    return contour(build_grid(mesh, {.resolution = 96, .sign = SignMethod::wrap}));
}

Tally judge_scans(const Scan& a, const Scan& b, double half_width, std::uint64_t seed, std::size_t count) {
    Random random(seed), other(seed + 1);
    Tally tally;
    for (std::size_t k = 0; k < count; ++k) {
        const Pose pose{random.rotation(), random.in_box(Box::around(Vec3::Zero(), Vec3::Constant(half_width)))};
        judge({&a.oracle, &a.solid, a.grid->near_error_bound(), {}},
              {&b.oracle, &b.solid, b.grid->near_error_bound(), pose}, "pose " + std::to_string(k), other, tally);
    }
    return tally;
}

TEST(HardPairs, scans_in_random_poses_are_never_missed_and_never_invented) {
    FATHOM_NEEDS_MODELS();
    const auto read = [](const char* name) { return sized(read_triangle_mesh(testing::models() / name)); };
    const std::size_t count = testing::count_of(15, 3334);
    const Scan bunny(read("bunny.obj"));
    const auto check = [&](const char* what, const Scan& a, const Scan& b, double half_width, std::uint64_t seed) {
        const Tally tally = judge_scans(a, b, half_width, seed, count);
        tally.print(what);
        tally.expect_right();
    };
    check("bunny and bunny", bunny, bunny, 0.82, 5);
    const Scan armadillo(read("armadillo.off"));
    check("bunny and armadillo", bunny, armadillo, 0.78, 6);
    const Scan dragon(read("dragon.obj")), teapot(sized(closed_by_a_grid(read("teapot.obj"))));
    check("dragon and teapot", dragon, teapot, 0.55, 7);
}

} // namespace hard_pairs_test
} // namespace fathom
