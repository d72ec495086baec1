// fathom demo: a tour of what the library does, with pictures and files to open.
#include <tool/depth_pictures.h>
#include <tool/terminal.h>
#include <tool/verbs.h>
#include <tool/verdict_text.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/stopwatch.h>
#include <fathom/detect/collide.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/depth/gl_backend.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/mesh_report.h>
#include <fathom/geometry/point_shell.h>
#include <fathom/geometry/shape_catalogue.h>
#include <fathom/geometry/surface_tree.h>
#include <fathom/show/field_slice.h>
#include <fathom/show/mesh_picture.h>
#include <fathom/show/overlap_picture.h>
#include <fathom/show/recording_picture.h>
#include <fathom/simulate/flight.h>
#include <fathom/simulate/particles.h>
#include <fathom/simulate/recording_files.h>
#include <fathom/simulate/simulation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <numbers>

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

// What the demo made, for the summary and the page.
struct Tour {
    fs::path folder;
    Session& session;
    std::string page; // body of index.html

    void say(const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    }
    void show(const std::string& title, const std::string& text, const std::string& picture, const Image& image) {
        write_png(folder / picture, image);
        page += fmt::format("<h2>{}</h2>\n<p>{}</p>\n<img src=\"{}\" alt=\"{}\">\n", title, text, picture, title);
    }
};

// One sentence on what a report found.
std::string verdict(const MeshReport& report) {
    if (report.watertight) return fmt::format("closed, genus {}", report.genus.value_or(0));
    return fmt::format("open, {} open edges", report.open_edges.count);
}

View thumbnail() {
    View view;
    view.width = 320;
    view.height = 260;
    return view;
}

// Every shape of the catalogue: made, checked, drawn.
void show_shapes(Tour& tour) {
    std::vector<Image> pictures;
    std::size_t triangles = 0, watertight = 0;
    std::string table;
    const auto shapes = shape_catalogue();
    Stage stage(tour.session.progress(), "making shapes", shapes.size());
    for (const CatalogueShape& shape : shapes) {
        const ShapeMesh made = make_shape(shape.name);
        const auto* volume = std::get_if<TetMesh>(&made);
        const TriangleMesh surface = volume ? boundary(*volume) : std::get<TriangleMesh>(made);
        const MeshReport report = mesh_report(surface);
        triangles += report.triangles;
        watertight += report.watertight;
        pictures.push_back(draw(surface, thumbnail()));
        table += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", shape.name, shape.description, report.triangles, verdict(report));
        stage.step();
    }
    tour.show("Shapes", fmt::format("{} generated shapes, left to right and top to bottom as in the table below.", shapes.size()), "shapes.png", tiled(pictures, 5, 8));
    tour.page += "<table><tr><th>shape</th><th>what</th><th>triangles</th><th>report</th></tr>\n" + table + "</table>\n";
    tour.say(fmt::format("shapes     {} made, {} triangles, {} watertight -> shapes.png", shapes.size(), triangles, watertight));
}

// A large organic model: the stand-in for a scan.
TriangleMesh show_creature(Tour& tour) {
    const Stopwatch start;
    const TriangleMesh mesh = std::get<TriangleMesh>(make_shape("creature", {{"triangles", 200000}}));
    const double made = start.seconds();
    const Stopwatch checked;
    const MeshReport report = mesh_report(mesh);
    const std::string text = fmt::format("{} triangles made in {:.2f} s, checked in {:.2f} s: {}, volume {:.4f} m3", report.triangles, made,
                                         checked.seconds(), verdict(report), report.volume.value_or(0));
    View view;
    view.width = 900;
    view.height = 640;
    tour.show("A creature", text, "creature.png", draw(mesh, view));
    for (const char* name : {"creature.glb", "creature.ply", "creature.vtu"}) write_mesh(tour.folder / name, mesh);
    tour.say(fmt::format("creature   {} -> creature.png, .glb, .ply, .vtu", text));
    return mesh;
}

// A mesh with a hole and a flipped patch, and what the report says of it.
void show_damage(Tour& tour, const TriangleMesh& whole) {
    TriangleMesh broken = whole;
    const Box box = bounds(whole.vertices);
    const Vec3 wound = SurfaceTree(whole).closest(box.center() + Vec3(1, 0.7, 0.6) * box.diagonal()).point;
    std::erase_if(broken.triangles, [&](const Triangle& t) { return (broken.vertices[t[0]] - wound).norm() < 0.07 * box.diagonal(); });
    const MeshReport report = mesh_report(broken, {.self_intersections = false, .first_count = 100000});
    std::vector<std::array<Vec3, 2>> edges;
    for (const Edge& e : report.open_edges.first) edges.push_back({broken.vertices[e[0]], broken.vertices[e[1]]});
    View view;
    view.width = 900;
    view.height = 640;
    view.mark_size = 1.5;
    const std::string text = fmt::format("a hole cut on purpose: {} open edges found (red); what is seen through it is the inside (brown)", report.open_edges.count);
    tour.show("A damaged mesh", text, "damaged.png", draw(broken, view, {.points = {}, .segments = edges}));
    tour.say(fmt::format("damage     {} -> damaged.png", text));
}

void show_point_shell(Tour& tour) {
    const TriangleMesh mesh = std::get<TriangleMesh>(make_shape("torus"));
    const PointShell even = repelled_shell(mesh, {.count = 1500}), random = random_shell(mesh, {.count = 1500});
    const ShellQuality quality = shell_quality(even, mesh), plain = shell_quality(random, mesh);
    View view;
    view.width = 560;
    view.height = 420;
    view.mark_size = 2;
    const std::vector<Image> both = {draw(mesh, view, {.points = random.points, .segments = {}}), draw(mesh, view, {.points = even.points, .segments = {}})};
    const std::string text = fmt::format("1500 points: closest two at {:.2f} of the ideal spacing by repulsion (right), {:.2f} at random (left)", quality.smallest, plain.smallest);
    tour.show("A point shell", text, "point_shell.png", tiled(both, 2, 8));
    tour.say(fmt::format("points     {} -> point_shell.png", text));
}

// The creature as a field of distances: built, drawn as a slice, meshed again, and written.
std::shared_ptr<const GridField> show_field(Tour& tour, const TriangleMesh& mesh) {
    const Stopwatch start;
    GridReport report;
    const auto made = std::make_shared<const GridField>(build_grid(mesh, {.resolution = 256, .progress = tour.session.progress()}, &report));
    const GridField& field = *made;
    const double seconds = start.seconds();
    write_field(field, tour.folder / "creature.fathom");
    const std::string text = fmt::format("distances on {} x {} x {} cells in {:.2f} s, {:.1f} MB; sign by {}: {}", field.layout().cells(0),
                                         field.layout().cells(1), field.layout().cells(2), seconds, static_cast<double>(field.bytes()) * 1e-6,
                                         name(report.sign.method), report.sign.reason);
    tour.show("A field of distances", text, "field.png", draw_slice(field, {.axis = 1, .size = 900}));
    tour.say(fmt::format("field      {} -> field.png, creature.fathom", text));
    const Formula blend = parse_shape("smooth_union(torus(0.5, 0.16), translate(0, 0, 0.2, box(0.5, 0.5, 0.5)), 0.15)");
    const AnalyticField formula(blend);
    tour.show("A field by formula", blend.text(), "formula.png", draw_slice(formula, {.axis = 1, .size = 600}));
    tour.say(fmt::format("formula    {} -> formula.png", blend.text()));
    return made;
}

// A grid and a formula meet: whether, how deep and where, and the octree of what they have in common.
void show_meeting(Tour& tour, const std::shared_ptr<const GridField>& creature) {
    const auto ring = std::make_shared<AnalyticField>(parse_shape("torus(0.28, 0.07)"));
    const Solid a(creature), b(ring);
    const Pose there = Pose::turned(std::numbers::pi / 2, Vec3(0.1, 1, 0).normalized(), {0.15, 0.03, 0});
    const Stopwatch start;
    const CollideResult found = collide(a, {}, b, there);
    const double seconds = start.seconds();
    const FieldOverlap cells = field_overlap(*creature, {}, *ring, there, {.depth = 5});
    OverlapPictureOptions options{.resolution = 160};
    options.view.width = 900;
    options.view.height = 640;
    const std::string text = fmt::format("the creature's grid and a ring by formula: {}, {:.3f} m deep, {} contacts in {:.0f} us; {} cells inside both, {} on the border",
                                         word(found.verdict), found.depth, found.contacts.size(), 1e6 * seconds, cells.inside_count, cells.border_count);
    tour.show("Two fields meet", text, "overlap.png", draw_overlap(*creature, {}, *ring, there, cells, options));
    tour.say(fmt::format("meeting    {} -> overlap.png", text));
}

// What a scene leaves: its film NAME.png, its energy NAME_energy.svg and its frames NAME.pvd. `tell(simulation, seconds)` says what
// happened.
template <class Tell>
void show_scene(Tour& tour, const std::string& name, const std::string& title, std::string_view scene, const Tell& tell) {
    Simulation simulation(parse_scene(scene, name), tour.session.progress());
    const Stopwatch start;
    simulation.run(tour.session.progress());
    const std::string text = tell(simulation, start.seconds());
    const Recording& recording = simulation.recording();
    write_vtk(tour.folder / (name + ".pvd"), recording);
    write_svg(tour.folder / (name + "_energy.svg"), energy_plot(recording));
    tour.show(title, text, name + ".png", film_strip(recording));
    tour.page += fmt::format("<img src=\"{}_energy.svg\" alt=\"Energy over time\">\n", name);
    tour.say(fmt::format("{:<10} {} -> {}.png, {}_energy.svg, {}.pvd", name, text, name, name, name));
}

// Creatures and bowls in a heap: contact found over time, forces from it, a film of it.
void show_drop(Tour& tour) {
    constexpr std::string_view scene = R"~(
name = "drop"
step = 0.001
duration = 1.2
ground = 0.0
record_every = 12
[contact]
stiffness = 2e3
damping = 4
[[body]]
name = "creature"
shape = "creature"
parameters = { triangles = 2000 }
size = 0.5
position = [-0.3, -0.3, 0.5]
copies = [2, 2, 1]
spacing = [0.6, 0.6, 0.4]
turn_seed = 5
[[body]]
name = "bowl"
shape = "bowl"
size = 0.6
position = [0, 0, 1.0]
turn_axis = [1, 0, 0]
turn_degrees = 160
)~";
    show_scene(tour, "drop", "A drop", scene, [](const Simulation& simulation, double seconds) {
        const Recording& recording = simulation.recording();
        return fmt::format("{:.1f} s of {} bodies in {:.2f} s, {} steps; every point is followed over the whole step, deepest {:.1f} mm", simulation.world().time(),
                           recording.bodies().size(), seconds, simulation.world().steps(), 1e3 * recording.worst_penetration());
    });
}

// Soft shapes fall on each other: springs move them, their own trees find what touches, penalties answer.
void show_soft_heap(Tour& tour) {
    constexpr std::string_view scene = R"~(
name = "soft"
step = 0.002
duration = 1.1
ground = 0.0
record_every = 10
[springs]
stretch = 2000.0
bending = 400.0
area = 2000.0
damping_time = 0.002
air_friction = 0.3
stepping = "backward_euler"
[contact]
stiffness = 4e4
damping_ratio = 0.3
friction = 0.5
[[body]]
name = "ball"
shape = "sphere"
parameters = { resolution = 6 }
size = 0.6
position = [0, 0, 0.4]
[[body]]
name = "ring"
shape = "torus"
parameters = { resolution = 24 }
size = 0.9
position = [0.15, 0.1, 0.9]
turn_axis = [1, 0.3, 0]
turn_degrees = 20
[[body]]
name = "heart"
shape = "heart"
parameters = { resolution = 8 }
size = 0.7
position = [0.05, 0, 1.5]
)~";
    show_scene(tour, "soft", "Soft shapes meet", scene, [](const Simulation& simulation, double seconds) {
        const Recording& recording = simulation.recording();
        return fmt::format("{:.1f} s of {} soft shapes in {:.2f} s ({:.2f} ms of detection a step); deepest {:.1f} mm", simulation.world().time(), recording.bodies().size() - 1,
                           seconds, 1e3 * recording.detect_seconds() / static_cast<double>(simulation.world().steps()), 1e3 * recording.worst_penetration());
    });
}

// A ball of tetrahedra falls through a sheet that tears under it.
void show_breaking(Tour& tour) {
    constexpr std::string_view scene = R"~(
name = "breaking"
step = 0.002
duration = 0.42
ground = -0.7
record_every = 5
[solids]
stretch = 2e5
volume = 2e5
damping_time = 0.001
stepping = "backward_euler"
[contact]
scaling = "area"
stiffness = 2e6
damping_ratio = 0.1
friction = 0.2
[[body]]
name = "ball"
shape = "tet_ball"
parameters = { radius = 0.25, resolution = 4 }
density = 500
position = [0.01, 0.02, 0.35]
velocity = [0, 0, -2.5]
[[body]]
name = "sheet"
kind = "tissue"
shape = "cloth"
parameters = { width = 1.2, depth = 1.2, resolution = 22 }
density = 2.0
stretch = 6e3
bending = 100.0
area = 1e3
damping_time = 0.002
hold_border = true
strain_limit = 0.2
)~";
    show_scene(tour, "breaking", "A sheet breaks", scene, [](const Simulation& simulation, double seconds) {
        const auto& world = dynamic_cast<const TetWorld&>(simulation.world());
        return fmt::format("{:.2f} s of a ball of {} tetrahedra on a sheet of {} triangles in {:.2f} s: {} springs break, {} pieces of sheet; {:.0f} % of the time in collision",
                           world.time(), world.body(0).topology.tetrahedra().size(), world.body(1).topology.boundary().size(), seconds, world.statistics().broken,
                           world.pieces(1), 100 * world.statistics().collision_share());
    });
}

// A ship flies through a tunnel: both are drawn into depth maps, and the pixels tell where they meet.
void show_flight(Tour& tour) {
    constexpr std::size_t shown_frame = 200, every = 4;
    const Flight flight = make_tunnel_flight();
    const auto backend = make_depth_backend();
    const DirectionReport report = choose_directions(*backend, *flight.ship, {.most = 2});
    DepthObject ship(*backend, *flight.ship, report.projections(), {.pixels = 512});
    const std::vector<DrawnBody> tunnel = {{std::make_shared<DrawnMesh>(*flight.obstacles.front().mesh), {}, 0}};
    std::size_t collided = 0, asked = 0;
    const Stopwatch start;
    for (std::size_t frame = 0; frame < flight.frames; frame += every, ++asked)
        collided += collide(ship, flight.ship_pose(frame), tunnel, {.goal = DepthGoal::verdict}).verdict == Verdict::overlapping;
    const double each = start.seconds() / static_cast<double>(asked);

    const DepthCollision found = collide(ship, flight.ship_pose(shown_frame), tunnel);
    const DepthBodyHit hit = found.bodies.empty() ? DepthBodyHit{} : found.bodies.front();
    const DepthPictures maps = depth_pictures(ship, hit.projection, flight.ship_pose(shown_frame), tunnel);
    const std::string text = fmt::format("a ship of {} triangles in a tunnel of {}: {} of {} frames collide, {:.2f} ms a frame, drawn by {}; in the one shown {} pixels, {:.3f} m deep",
                                         flight.ship->triangles.size(), flight.obstacle_triangles(), collided, asked, 1e3 * each, backend->name(), hit.pixels, hit.depth);
    tour.show("Depth maps", text + ". Heights of the ship and of the tunnel, where they meet, the tunnel's normals there.", "depth.png",
              tiled(std::vector<Image>{maps.object, maps.environment, maps.hits, maps.normals}, 4, 8));
    tour.say(fmt::format("depth      {} -> depth.png", text));
}

// Fire under a skillet that moves: all particles share one map of it.
void show_fire(Tour& tour) {
    constexpr std::string_view scene = R"~(
name = "fire"
step = 0.016666666666666666
duration = 2.0
gravity = [0, 0, 0.6]
record_every = 4
record_contacts = false
[particles]
drag = 1.2
turbulence = 1.6
turbulence_size = 0.3
turbulence_drift = [0, 0, 0.5]
restitution = 0.2
friction = 0.05
pixels = 512
[[emitter]]
rate = 15000.0
radius = 0.05
speed = 0.75
speed_spread = 0.3
spread_degrees = 25.0
life = 0.8
life_spread = 0.3
[[body]]
name = "skillet"
shape = "skillet"
parameters = { radius = 0.15, handle = 0.2, resolution = 64 }
position = [0.04, 0, 0.13]
sway = [0.1, 0.03, 0]
sway_period = 2.0
)~";
    show_scene(tour, "fire", "Fire and skillet", scene, [](const Simulation& simulation, double seconds) {
        const auto& world = dynamic_cast<const ParticleWorld&>(simulation.world());
        return fmt::format("{:.1f} s of {} particles in {:.2f} s, {} steps: {} times one of them ran into the skillet", world.time(), world.positions().size(), seconds, world.steps(),
                           world.total_hits());
    });
}

void write_page(const Tour& tour) {
    std::ofstream page(tour.folder / "index.html");
    page << "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Fathom: the demo</title>\n"
            "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}"
            "img{max-width:100%}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ddd}</style>\n"
            "<h1>Fathom: the demo</h1>\n"
         << tour.page << "</html>\n";
    if (!page) throw Error(Cause::cannot_write, "cannot write the page", {.file = (tour.folder / "index.html").string()});
}

void run_demo(const fs::path& folder, Session& session) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(Cause::cannot_write, failure.message(), {.file = folder.string()});
    const Stopwatch start;
    Tour tour{folder, session, {}};
    tour.say(fmt::format("Fathom shows shapes made, checked, sampled and written, fields of distances that meet, bodies that fall, dent and break, and depth maps ({} threads).\n", thread_count()));
    show_shapes(tour);
    const TriangleMesh creature = show_creature(tour);
    show_damage(tour, creature);
    show_point_shell(tour);
    const std::shared_ptr<const GridField> field = show_field(tour, creature);
    show_meeting(tour, field);
    show_drop(tour);
    show_soft_heap(tour);
    show_breaking(tour);
    show_flight(tour);
    show_fire(tour);
    write_page(tour);
    tour.say(fmt::format("\nDone in {:.1f} s. Everything is in {}: open index.html in a browser, creature.glb in any 3-D viewer, creature.vtu and drop.pvd in ParaView.",
                         start.seconds(), fs::absolute(folder).string()));
}

} // namespace

void add_demo(CLI::App& program, Session& session) {
    CLI::App* verb = program.add_subcommand("demo", "A tour: shapes made, checked, drawn and written; fields built, sliced and made to meet; bodies dropped, dented and broken; depth maps");
    auto folder = std::make_shared<std::string>("out");
    verb->add_option("-o,--output", *folder, "Folder for the pictures and files")->capture_default_str();
    verb->footer("Example:\n  fathom demo -o out    then open out/index.html");
    verb->callback([folder, &session] { run_demo(*folder, session); });
}

} // namespace fathom::tool
