// Tables `depth/maps` (time of a pass by size of map and mesh; comparison), `depth/projections` (what each choice of
// projections gets wrong, against exact crossings and exact inside tests) and `depth/particles` (Fabrizio, section 3.2;
// and drawing with and without collision).
#include <benchmarks/flight.h>
#include <benchmarks/report.h>
#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/mesh_mesh/mesh_mesh.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/simulate/scene/scene.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::bench {

namespace {

// Fills about 55 % of a square view, with waves on it so that neighbours differ in depth.
TriangleMesh bumpy_ball(std::size_t resolution) {
    return mapped(make_sphere({.radius = 0.5, .resolution = resolution}),
                  [](const Vec3& p) { return Vec3(p * (1 + 0.05 * std::sin(20 * p.x()) * std::sin(17 * p.y()))); });
}

std::unique_ptr<DepthBackend> opengl(Report& report) try {
    auto backend = make_gl_depth_backend();
    report.note("OpenGL: " + backend->name());
    return backend;
} catch (const Error& error) {
    report.note(std::string("OpenGL left out: ") + error.what());
    return nullptr;
}

double min_wall(const std::function<void()>& work) {
    double least = 1e9;
    for (int round = 0; round < 12; ++round) least = std::min(least, wall_seconds(work));
    return least;
}

void map_rows(Report& report, DepthBackend& cpu, DepthBackend* gl, std::size_t resolution, int pixels) {
    const TriangleMesh mesh = bumpy_ball(resolution);
    const DrawnBody object{std::make_shared<DrawnMesh>(mesh), {}, 0},
        beside{object.mesh, Pose::from_translation({0.3, 0.1, 0.4}), 1};
    DepthView view =
        view_of(Box::around(Vec3::Zero(), Vec3::Constant(0.6)), {}, Vec3::UnitZ(), {.pixels = pixels, .margin = 0});
    const auto pass = [&](DepthBackend& backend, DepthTarget& target, bool ids) {
        backend.draw(view, std::span(&object, 1),
                     {.keep = Keep::farthest, .faces = Faces::back, .ids = ids, .normals = ids}, target);
    };
    const std::string size = fmt::format("{}k-{}", mesh.triangles.size() / 1000, pixels),
                      words = fmt::format("{} triangles, {}^2", mesh.triangles.size(), pixels);
    const auto far = cpu.make_target(), near = cpu.make_target();
    const auto row = [&](const std::string& id, const std::string& what, const std::function<void()>& ours,
                         const std::function<void()>& peer, const std::string& error) {
        const double own = min_wall(ours);
        const double other = peer ? min_wall(peer) : 0;
        report.add({id + size, what + ", " + words, "ms", 1e3 * own, peer ? "OpenGL" : "", 1e3 * other,
                    peer ? ratio(own, other) : 0, error, 0});
    };
    std::unique_ptr<DepthTarget> gl_far, gl_near;
    std::string error = "-";
    if (gl) {
        gl_far = gl->make_target(), gl_near = gl->make_target();
        pass(cpu, *far, true), pass(*gl, *gl_far, true);
        std::size_t differing = 0;
        double depth = 0;
        for (std::size_t k = 0; k < view.pixel_count(); ++k) {
            differing += far->map().covered(k) != gl_far->map().covered(k);
            depth = std::max(depth, static_cast<double>(std::abs(far->map().depth[k] - gl_far->map().depth[k])));
        }
        error = fmt::format("{} pixels differ in coverage, depth by {:.1e} at most", differing, depth);
        gl->draw(view, std::span(&beside, 1), {}, *gl_near);
    }
    const auto with_gl = [&](const std::function<void()>& work) { return gl ? work : std::function<void()>(); };
    row(
        "depth-pass-", "object's far side", [&] { pass(cpu, *far, false); }, with_gl([&] {
            pass(*gl, *gl_far, false);
            (void)gl_far->map();
        }),
        error);
    row(
        "depth-ids-", "with ids and normals", [&] { pass(cpu, *far, true); }, with_gl([&] {
            pass(*gl, *gl_far, true);
            (void)gl_far->map();
        }),
        "-");
    pass(cpu, *far, false);
    cpu.draw(view, std::span(&beside, 1), {}, *near);
    std::string agreement = "-";
    if (gl)
        agreement = fmt::format("{} and {} pixels collide", cpu.compare(*far, *near).pixels,
                                gl->compare(*gl_far, *gl_near).pixels);
    row(
        "depth-compare-", "comparison", [&] { (void)cpu.compare(*far, *near); },
        with_gl([&] { (void)gl->compare(*gl_far, *gl_near); }), agreement);
}

void run_maps(Report& report) {
    const auto cpu = make_cpu_depth_backend();
    const auto gl = opengl(report);
    report.note(fmt::format("wall time, {} threads; least of 12", thread_count()));
    for (const std::size_t resolution : {22, 59})
        for (const int pixels : {128, 256, 512, 1024, 2048}) map_rows(report, *cpu, gl.get(), resolution, pixels);
}

// ---- Projections

struct Tally {
    std::size_t poses = 0, crossing = 0, missed = 0, invented = 0, pixels = 0, false_pixels = 0;
    double seconds = 0;
};

Tally tally(DepthBackend& backend, const TriangleMesh& mesh, std::span<const Projection> projections,
            std::size_t poses) {
    const Box box = bounds(mesh.vertices);
    const double size = box.diagonal();
    const TriangleMesh ball = make_sphere({.radius = 0.15 * size, .resolution = 12});
    const SurfaceTree tree(mesh), other(ball);
    DepthObject object(backend, mesh, projections, {.pixels = 256});
    const auto drawn = std::make_shared<DrawnMesh>(ball);
    Random random(5);
    Tally t;
    for (; t.poses < poses; ++t.poses) {
        const Pose pose{random.rotation(), Vec3::Zero()},
            place{random.rotation(), pose * (random.in_box(box.grown(0.1 * size)))};
        const DrawnBody body{drawn, place, 0};
        DepthCollision found;
        t.seconds +=
            wall_seconds([&] { found = collide(object, pose, std::span(&body, 1), {.goal = DepthGoal::pixels}); });
        const bool truth = mesh_mesh::meshes_cross(tree, pose, other, place) ||
                           tree.contains(pose.to_local(place.translation)) ||
                           other.contains(place.to_local(pose * mesh.vertices[0]));
        t.crossing += truth;
        t.missed += truth && found.status != Status::overlapping;
        t.invented += !truth && found.status == Status::overlapping;
        t.pixels += found.hits.size();
        for (const DepthHit& hit : found.hits) {
            const Vec3 p = pose.to_local(hit.point);
            t.false_pixels += !tree.contains(p) && tree.closest(p).squared_distance > found.tolerance * found.tolerance;
        }
    }
    return t;
}

void projection_rows(Report& report, DepthBackend& backend, const std::string& name, const TriangleMesh& mesh) {
    const auto row = [&](const std::string& kind, std::span<const Projection> projections, const std::string& note) {
        const Tally t = tally(backend, mesh, projections, 200);
        report.add(
            {fmt::format("{}-{}", name, kind), fmt::format("{} against a ball, {}", name, kind), "us",
             1e6 * t.seconds / static_cast<double>(t.poses), "", 0, 0,
             fmt::format("{} of {} missed, {} of {} invented, {:.1f} % of {} pixels false{}", t.missed, t.crossing,
                         t.invented, t.poses - t.crossing,
                         t.pixels ? 100.0 * static_cast<double>(t.false_pixels) / static_cast<double>(t.pixels) : 0.0,
                         t.pixels, note),
             0});
    };
    std::vector<Projection> axes;
    for (const Vec3& axis : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())})
        for (const double sign : {1.0, -1.0}) axes.push_back({sign * axis, DepthSides::both_sides});
    const Projection paper{Vec3::UnitX(), DepthSides::far_side}, layers{Vec3::UnitX(), DepthSides::layers};
    row("paper", std::span(&paper, 1), "");
    row("two-sides", std::span(axes).first(1), "");
    row("six", axes, "");
    const DirectionReport chosen = choose_directions(backend, mesh);
    row("automatic", chosen.projections(),
        fmt::format("; {} directions, {:.1f} % seen{}", chosen.chosen.size(), 100 * chosen.seen,
                    chosen.compliant ? "" : ", not compliant"));
    if (chosen.closed) row("layers", std::span(&layers, 1), "");
}

void run_projections(Report& report) {
    const auto cpu = make_cpu_depth_backend();
    projection_rows(report, *cpu, "ellipsoid", make_ellipsoid({}));
    projection_rows(report, *cpu, "torus", make_torus({}));
    projection_rows(report, *cpu, "pawn", make_pawn({}));
    projection_rows(report, *cpu, "skillet", make_skillet({}));
    projection_rows(report, *cpu, "ship", Flight("flight_tunnel").ship());
    projection_rows(report, *cpu, "creature", make_creature({}));
    projection_rows(report, *cpu, "bunny", read_triangle_mesh(model("bunny.obj")));
}

// ---- Particles

void run_particles(Report& report) {
    const auto scene = std::filesystem::path(FATHOM_SOURCE_DIR) / "scenes/fire_and_skillet.toml";
    ParticleWorld world = make_particle_world(read_scene(scene));
    double maps = 0, compare = 0, move = 0;
    std::size_t measured = 0, hits = 0, most = 0;
    for (std::size_t k = 0; k < 400; ++k) {
        world.step();
        most = std::max(most, world.positions().size());
        if (world.positions().size() < 40'000) continue;
        const ParticleReport& r = world.report();
        maps += r.map_seconds, compare += r.compare_seconds, move += r.move_seconds, hits += r.hits, ++measured;
    }
    const double count = static_cast<double>(std::max<std::size_t>(measured, 1));
    report.add({"particles-map", fmt::format("map of the skillet, {} steps, up to {} particles", measured, most), "ms",
                1e3 * maps / count, "paper, GPU", 2.0, 2.0 / (1e3 * maps / count),
                fmt::format("{:.0f} hits a step", static_cast<double>(hits) / count), 0});
    report.add({"particles-compare", "where particles run into it", "ms", 1e3 * compare / count, "", 0, 0, "-", 0});
    report.add({"particles-move", "wind, motion, bounces, births", "ms", 1e3 * move / count, "", 0, 0, "-", 0});

    const Flight valley("flight_valley");
    const auto cpu = make_cpu_depth_backend();
    const Projection p{Vec3::UnitX(), DepthSides::both_sides};
    DepthObject ship(*cpu, valley.ship(), std::span(&p, 1), {.pixels = 512});
    std::vector<DrawnBody> bodies;
    Box all;
    for (std::size_t o = 1; o < valley.bodies.size(); ++o) {
        bodies.push_back({std::make_shared<DrawnMesh>(valley.mesh(o)), {}, static_cast<Index>(o - 1)});
        all.extend(bounds(valley.mesh(o).vertices));
    }
    const DepthView screen = view_of(all, {}, Vec3(1, 0.3, -0.5), {.pixels = 1024});
    const auto picture = cpu->make_target();
    double draw = 0, both = 0;
    std::size_t touching = 0;
    for (std::size_t f = 0; f < valley.frames; f += 4) {
        for (std::size_t o = 0; o < bodies.size(); ++o) bodies[o].pose = valley.pose(o + 1, f);
        draw += wall_seconds([&] { cpu->draw(screen, bodies, {.ids = true, .normals = true}, *picture); });
        both += wall_seconds([&] {
            cpu->draw(screen, bodies, {.ids = true, .normals = true}, *picture);
            touching += collide(ship, valley.ship_pose(f), bodies).status == Status::overlapping;
        });
    }
    const double frames = static_cast<double>(valley.frames) / 4;
    report.add({"valley-draw", fmt::format("drawing {} triangles", valley.obstacle_triangles()), "ms",
                1e3 * draw / frames, "paper, GPU", 5.8, 5.8 / (1e3 * draw / frames), "-", 0});
    report.add({"valley-draw-collide", "the same with collision", "ms", 1e3 * both / frames, "paper, GPU", 6.4,
                6.4 / (1e3 * both / frames), fmt::format("{} of {} frames collide", touching, valley.frames / 4), 0});
}

const Registration maps("depth/maps", "passes and comparisons by size, CPU beside OpenGL", run_maps);
const Registration projections("depth/projections", "what choices of projections get wrong", run_projections);
const Registration particles("depth/particles", "fire around a skillet; a scene drawn with and without collision",
                             run_particles);

} // namespace

} // namespace fathom::bench
