// Table `tets/response`: Marchal, Aubert & Chaillou 2004, figure 13 (how much of the time collisions take while a ring
// breaks on a cube, by points and by segments) and figure 16 (time against the number of colliding points).
#include <benchmarks/report.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/show/line_plot.h>
#include <fathom/simulate/scene/scene.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace fathom::bench {

namespace {

// ---- Figure 13. The paper: two minutes, of which 28 and 36 seconds are collisions.

void breaking_row(Report& report, const std::string& response, double published) {
    TetWorld world = make_tet_world(
        read_scene(std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes/figure13_torus_on_cube.toml",
                   {.overrides = {fmt::format("solids.response = \"{}\"", response), "solids.self = false"}}));
    const std::size_t steps = 500;
    double deepest = 0;
    for (std::size_t k = 0; k < steps; ++k) {
        world.step();
        for (const BodyContact& c : world.contacts()) deepest = std::max(deepest, c.depth);
    }
    const TetWorldStatistics& s = world.statistics();
    report.add({fmt::format("figure13-{}", response),
                fmt::format("7,000 tetrahedra break on a cube, by {}: share of collisions", response), "%",
                100 * s.collision_share(), "paper", published, ratio(100 * s.collision_share(), published),
                fmt::format("{} broken, {} pieces, deepest {:.3f} m", s.broken, world.pieces(1), deepest), 0});
    report.note(fmt::format("{}: {:.1f} ms a step, collisions {:.2f} ms, of which depths {:.2f} ms", response,
                            1e3 * s.seconds / steps, 1e3 * s.collision_seconds / steps, 1e3 * s.depth_seconds / steps));
}

// ---- Figure 16.

struct Side {
    TetMesh mesh;
    tet::TetTopology topology;
    BoundaryAreas areas;
    std::vector<Index> points;
    NodeDepths depths;

    Side(TetMesh m, Index first)
        : mesh(std::move(m)), topology(mesh), areas(boundary_areas(view())), points(mesh.vertices.size()),
          depths(mesh) {
        std::iota(points.begin(), points.end(), first);
    }
    [[nodiscard]] tet::TetBody view() const { return {mesh.vertices, topology}; }
};

struct Answer {
    double seconds = 0;
    std::size_t inside = 0; // points
    double unbalanced = 0;  // sum of all forces over the largest
};

std::vector<TetPush> answered(Side& in, Side& by, std::span<const tet::PointInTet> points,
                              const tet::SegmentsInTets& segments) {
    by.depths.compute(by.mesh.vertices, std::span<const Index>{});
    by.depths.fit_tree();
    const PushIntruder intruder{in.view(), in.points, in.areas};
    const PushHolder holder{by.view(), by.points, by.depths};
    std::vector<TetPush> pushes = point_pushes(intruder, holder, points);
    const std::vector<TetPush> more = segment_pushes(intruder, holder, segments);
    pushes.insert(pushes.end(), more.begin(), more.end());
    return pushes;
}

// The whole collision step: what is inside what, depths, pushes.
Answer answer(Side& a, Side& b, bool segments) {
    tet::TetCollider collider(
        {.pairs = false, .points = !segments, .segments = segments, .boundary_points_only = true});
    Answer best{.seconds = 1e9};
    for (int round = 0; round < 5; ++round) {
        std::vector<TetPush> pushes;
        best.seconds = std::min(best.seconds, wall_seconds([&] {
                                    const tet::TetCollision found = collider.collide(a.view(), b.view());
                                    pushes = answered(a, b, found.a_in_b, found.edges_of_a);
                                    const std::vector<TetPush> back = answered(b, a, found.b_in_a, found.edges_of_b);
                                    pushes.insert(pushes.end(), back.begin(), back.end());
                                    best.inside = found.a_in_b.size() + found.b_in_a.size();
                                }));
        std::vector<Vec3> forces(a.points.size() + b.points.size(), Vec3::Zero());
        Vec3 sum = Vec3::Zero();
        double largest = 0;
        for (const TetPush& p : pushes)
            for (std::size_t k = 0; k < p.contact.count; ++k)
                forces[p.contact.points[k]] +=
                    p.contact.weights[k] * p.contact.area * p.contact.depth * p.contact.separating_direction;
        for (const Vec3& f : forces) sum += f, largest = std::max(largest, f.norm());
        best.unbalanced = largest > 0 ? sum.norm() / largest : 0;
    }
    return best;
}

void growth_rows(Report& report) {
    const TetMesh ball = make_tet_ball({.resolution = 10});
    Curve of_points{"points", {}}, of_segments{"segments", {}};
    for (const double overlap : {0.03, 0.1, 0.2, 0.35, 0.5}) {
        TetMesh other = ball;
        for (Vec3& v : other.vertices) v += Vec3(1 - overlap, 0.013, 0.017);
        Side a(ball, 0), b(std::move(other), static_cast<Index>(ball.vertices.size()));
        const Answer points = answer(a, b, false), segments = answer(a, b, true);
        report.add({fmt::format("figure16-{}", points.inside),
                    fmt::format("two bodies of 20,000, {} points inside, by points", points.inside), "ms",
                    1e3 * points.seconds, "by segments", 1e3 * segments.seconds,
                    ratio(points.seconds, segments.seconds),
                    fmt::format("net force {:.0e}, {:.0e}", points.unbalanced, segments.unbalanced), 0});
        of_points.points.emplace_back(static_cast<double>(points.inside), 1e3 * points.seconds);
        of_segments.points.emplace_back(static_cast<double>(points.inside), 1e3 * segments.seconds);
    }
    if (report.plots.empty()) return;
    const LinePlot plot{.title = "Collision step of two bodies",
                        .x_label = "points inside",
                        .y_label = "time (ms)",
                        .curves = {of_points, of_segments}};
    write_svg(report.plots / "tet_response.svg", plot);
}

void run(Report& report) {
    set_thread_count(1);
    breaking_row(report, "points", 100 * 28.0 / 120);
    breaking_row(report, "segments", 100 * 36.0 / 120);
    growth_rows(report);
    set_thread_count(0);
}

const Registration registration("tets/response", "tetrahedra that answer: shares and growth; one thread", run);

} // namespace

} // namespace fathom::bench
