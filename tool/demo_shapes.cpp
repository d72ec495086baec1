// The demo's shapes: made, checked, damaged and sampled.
#include <tool/demo_tour.h>
#include <tool/terminal.h>

#include <fathom/base/stopwatch.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/mesh_report.h>
#include <fathom/geometry/point_shell.h>
#include <fathom/geometry/shape_catalogue.h>
#include <fathom/geometry/surface_tree.h>
#include <fathom/show/mesh_picture.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

namespace fathom::tool {

namespace {

// One sentence on what a report found.
std::string verdict(const MeshReport& report) {
    if (report.watertight) return fmt::format("closed, genus {}", report.genus.value_or(0));
    return fmt::format("open, {} open edges", report.open_edges.count);
}

View view_of_size(int width, int height) {
    View view;
    view.width = width;
    view.height = height;
    return view;
}

} // namespace

// Every shape of the catalogue: made, checked, drawn.
void show_shapes(Tour& tour) {
    std::vector<Image> pictures;
    std::size_t triangles = 0, watertight = 0;
    ReportTable table{"All of them, with what the check found", {"shape", "what", "triangles", "report"}, {}};
    const auto shapes = shape_catalogue();
    Stage stage(tour.session.progress(), "making shapes", shapes.size());
    for (const CatalogueShape& shape : shapes) {
        const ShapeMesh made = make_shape(shape.name);
        const auto* volume = std::get_if<TetMesh>(&made);
        const TriangleMesh surface = volume ? boundary(*volume) : std::get<TriangleMesh>(made);
        const MeshReport report = mesh_report(surface);
        triangles += report.triangles;
        watertight += report.watertight;
        pictures.push_back(draw(surface, view_of_size(320, 260)));
        table.rows.push_back(
            {std::string(shape.name), std::string(shape.description), with_commas(report.triangles), verdict(report)});
        stage.step();
    }
    ReportSection section{
        .title = "Shapes",
        .text = "Everything begins with shapes: read from a file of a dozen formats, or generated, as these are. Each "
                "is checked as it comes in: is it closed, which way does it face, how many holes has it?"};
    section.figures = {{"shapes made", fmt::format("{}", shapes.size())},
                       {"triangles", with_commas(triangles)},
                       {"of them closed", fmt::format("{}", watertight)}};
    section.pictures.push_back(
        tour.picture("shapes.png", tiled(pictures, 5, 8), "Left to right and top to bottom as in the table."));
    section.tables.push_back(std::move(table));
    tour.add_view(section, "tetrahedra", "A ball of tetrahedra, to be cut open",
                  tet_document("tet_ball", std::get<TetMesh>(make_shape("tet_ball"))));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("shapes     {} made, {} triangles, {} watertight -> shapes.png", shapes.size(), triangles,
                         watertight));
}

// A large organic model: the stand-in for a scan.
TriangleMesh show_creature(Tour& tour) {
    const Stopwatch start;
    const TriangleMesh mesh = std::get<TriangleMesh>(make_shape("creature", {{"triangles", 200000}}));
    const double made = start.seconds();
    const Stopwatch checked;
    const MeshReport report = mesh_report(mesh);
    const double check_seconds = checked.seconds();
    ReportSection section{.title = "A creature",
                          .text = "A large closed mesh with limbs and hollows stands in for a scanned model; it is the "
                                  "body that the next sections ask about."};
    section.figures = {{"triangles", with_commas(report.triangles)},
                       {"made in", fmt::format("{:.2f} s", made)},
                       {"checked in", fmt::format("{:.2f} s", check_seconds)},
                       {"report", verdict(report)},
                       {"volume", fmt::format("{:.4f} m\u00b3", report.volume.value_or(0))}};
    section.pictures.push_back(
        tour.picture("creature.png", draw(mesh, view_of_size(900, 640)), "The creature, drawn by Fathom itself."));
    for (const char* name : {"creature.glb", "creature.ply", "creature.vtu"}) {
        write_mesh(tour.folder / name, mesh);
        section.links.push_back({name, name});
    }
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("creature   {} triangles made in {:.2f} s, checked in {:.2f} s: {}, volume {:.4f} m3 -> "
                         "creature.png, .glb, .ply, .vtu",
                         report.triangles, made, check_seconds, verdict(report), report.volume.value_or(0)));
    return mesh;
}

// A mesh with a hole and a flipped patch, and what the report says of it.
void show_damage(Tour& tour, const TriangleMesh& whole) {
    TriangleMesh broken = whole;
    const Box box = bounds(whole.vertices);
    const Vec3 wound = SurfaceTree(whole).closest(box.center() + Vec3(1, 0.7, 0.6) * box.diagonal()).point;
    std::erase_if(broken.triangles,
                  [&](const Triangle& t) { return (broken.vertices[t[0]] - wound).norm() < 0.07 * box.diagonal(); });
    const MeshReport report = mesh_report(broken, {.self_intersections = false, .first_count = 100000});
    std::vector<std::array<Vec3, 2>> edges;
    for (const Edge& e : report.open_edges.first) edges.push_back({broken.vertices[e[0]], broken.vertices[e[1]]});
    View view = view_of_size(900, 640);
    view.mark_size = 1.5;
    ReportSection section{.title = "A damaged mesh",
                          .text = "Real files have holes. Nothing is repaired in silence: the report names each open "
                                  "edge, and a query on such a mesh says what it can and cannot promise."};
    section.figures = {{"open edges found", with_commas(report.open_edges.count)},
                       {"triangles cut out", with_commas(whole.triangles.size() - broken.triangles.size())}};
    section.pictures.push_back(
        tour.picture("damaged.png", draw(broken, view, {.points = {}, .segments = edges}),
                     "A hole cut on purpose: its edges are red, and what is seen through it is the inside (brown)."));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("damage     a hole cut on purpose: {} open edges found (red); what is seen through it is the "
                         "inside (brown) -> damaged.png",
                         report.open_edges.count));
}

void show_point_shell(Tour& tour) {
    const TriangleMesh mesh = std::get<TriangleMesh>(make_shape("torus"));
    const PointShell even = repelled_shell(mesh, {.count = 1500}), random = random_shell(mesh, {.count = 1500});
    const ShellQuality quality = shell_quality(even, mesh), plain = shell_quality(random, mesh);
    View view = view_of_size(560, 420);
    view.mark_size = 2;
    const std::vector<Image> both = {draw(mesh, view, {.points = random.points, .segments = {}}),
                                     draw(mesh, view, {.points = even.points, .segments = {}})};
    ReportSection section{
        .title = "A point shell",
        .text = "Two of the methods test points of one body in the field of another. The points should cover the "
                "surface evenly, or something slips between them: they repel each other until they do."};
    section.figures = {{"points", "1500"},
                       {"closest two, repelled", fmt::format("{:.2f} of ideal", quality.smallest)},
                       {"closest two, at random", fmt::format("{:.2f} of ideal", plain.smallest)}};
    section.pictures.push_back(
        tour.picture("point_shell.png", tiled(both, 2, 8), "Left at random, right after repulsion."));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("points     1500 points: closest two at {:.2f} of the ideal spacing by repulsion (right), "
                         "{:.2f} at random (left) -> point_shell.png",
                         quality.smallest, plain.smallest));
}

} // namespace fathom::tool
