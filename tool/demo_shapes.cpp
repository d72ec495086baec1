// Demo of shapes: generation, reports, defects and surface samples.
#include <tool/demo.h>
#include <tool/output.h>

#include <fathom/base/progress.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/sample/point_shell.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/show/mesh_picture.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

namespace fathom::tool {

namespace {

// Short summary of a report.
std::string summary(const MeshReport& report) {
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

// Generates, checks and draws every shape of the catalogue.
void show_shapes(Demo& demo) {
    std::vector<Image> pictures;
    std::size_t triangles = 0, watertight = 0;
    ReportTable table{"All shapes with their reports", {"shape", "description", "triangles", "report"}, {}};
    const auto shapes = shape_catalogue();
    Stage stage(demo.session.progress(), "making shapes", shapes.size());
    for (const CatalogueShape& shape : shapes) {
        const ShapeMesh made = make_shape(shape.name);
        const auto* volume = std::get_if<TetMesh>(&made);
        const TriangleMesh surface = volume ? boundary(*volume) : std::get<TriangleMesh>(made);
        const MeshReport report = mesh_report(surface);
        triangles += report.triangles;
        watertight += report.watertight;
        pictures.push_back(draw(surface, view_of_size(320, 260)));
        table.rows.push_back(
            {std::string(shape.name), std::string(shape.description), with_commas(report.triangles), summary(report)});
        stage.step();
    }
    ReportSection section{.title = "Shapes",
                          .text = "Shapes are read from files in a dozen formats, or generated like these. Each shape "
                                  "is checked on input: is it "
                                  "closed, how is it oriented, and what is its genus?"};
    section.figures = {{"shapes", fmt::format("{}", shapes.size())},
                       {"triangles", with_commas(triangles)},
                       {"closed shapes", fmt::format("{}", watertight)}};
    section.pictures.push_back(demo.picture("shapes.png", tiled(pictures, 5, 8),
                                            "Left to right and top to bottom, in the order of the table."));
    section.tables.push_back(std::move(table));
    demo.add_view(section, "tetrahedra", "A tetrahedral ball with a movable cut",
                  tet_document("tet_ball", std::get<TetMesh>(make_shape("tet_ball"))));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(fmt::format("shapes     {} generated, {} triangles, {} watertight -> shapes.png", shapes.size(),
                                triangles, watertight));
}

// A large organic model that represents a scanned object.
TriangleMesh show_creature(Demo& demo) {
    const Stopwatch start;
    TriangleMesh mesh = std::get<TriangleMesh>(make_shape("creature", {{"triangles", 200000}}));
    const double made = start.seconds();
    const Stopwatch checked;
    const MeshReport report = mesh_report(mesh);
    const double check_seconds = checked.seconds();
    ReportSection section{.title = "A large mesh",
                          .text = "A large closed mesh with limbs and concavities represents a scanned model. The next "
                                  "sections use it."};
    section.figures = {{"triangles", with_commas(report.triangles)},
                       {"generated in", fmt::format("{:.2f} s", made)},
                       {"checked in", fmt::format("{:.2f} s", check_seconds)},
                       {"report", summary(report)},
                       {"volume", fmt::format("{:.4f} m\u00b3", report.volume.value_or(0))}};
    section.pictures.push_back(
        demo.picture("creature.png", draw(mesh, view_of_size(900, 640)), "The creature, rendered by Fathom."));
    for (const char* name : {"creature.glb", "creature.ply", "creature.vtu"}) {
        write_mesh(demo.folder / name, mesh);
        section.links.push_back({name, name});
    }
    demo.report.sections.push_back(std::move(section));
    demo.print_line(
        fmt::format("creature   {} triangles generated in {:.2f} s, checked in {:.2f} s: {}, volume {:.4f} m3 -> "
                    "creature.png, .glb, .ply, .vtu",
                    report.triangles, made, check_seconds, summary(report), report.volume.value_or(0)));
    return mesh;
}

// Cuts a hole into a mesh and shows the open edges that the report finds.
void show_defects(Demo& demo, const TriangleMesh& whole) {
    TriangleMesh broken = whole;
    const Box box = bounds(whole.vertices);
    const Vec3 cut_center = SurfaceTree(whole).closest(box.center() + Vec3(1, 0.7, 0.6) * box.diagonal()).point;
    std::erase_if(broken.triangles, [&](const Triangle& t) {
        return (broken.vertices[t[0]] - cut_center).norm() < 0.07 * box.diagonal();
    });
    const MeshReport report = mesh_report(broken, {.self_intersections = false, .first_count = 100000});
    std::vector<std::array<Vec3, 2>> edges;
    for (const Edge& e : report.open_edges.first) edges.push_back({broken.vertices[e[0]], broken.vertices[e[1]]});
    View view = view_of_size(900, 640);
    view.mark_size = 1.5;
    ReportSection section{.title = "Mesh defects",
                          .text = "Real files have holes. Nothing is repaired silently: the report lists every open "
                                  "edge, and queries on such a mesh state their guarantees."};
    section.figures = {{"open edges found", with_commas(report.open_edges.count)},
                       {"triangles removed", with_commas(whole.triangles.size() - broken.triangles.size())}};
    section.pictures.push_back(
        demo.picture("damaged.png", draw(broken, view, {.points = {}, .segments = edges}),
                     "A deliberately cut hole: its edges are red; the inner side of the surface is brown."));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(
        fmt::format("defects    deliberately cut hole: {} open edges found (red), inner side of the surface in "
                    "brown -> damaged.png",
                    report.open_edges.count));
}

void show_point_shell(Demo& demo) {
    const TriangleMesh mesh = std::get<TriangleMesh>(make_shape("torus"));
    const PointShell even = repelled_shell(mesh, {.count = 1500}), random = random_shell(mesh, {.count = 1500});
    const ShellQuality quality = shell_quality(even, mesh), plain = shell_quality(random, mesh);
    View view = view_of_size(560, 420);
    view.mark_size = 2;
    const std::vector<Image> both = {draw(mesh, view, {.points = random.points, .segments = {}}),
                                     draw(mesh, view, {.points = even.points, .segments = {}})};
    ReportSection section{.title = "A point shell",
                          .text = "Two methods test points of one body in the field of another. The points should "
                                  "cover the surface evenly, or "
                                  "small features pass between them. An iterative repulsion distributes them evenly."};
    section.figures = {{"points", "1500"},
                       {"smallest spacing, repelled", fmt::format("{:.2f} of ideal", quality.smallest)},
                       {"smallest spacing, random", fmt::format("{:.2f} of ideal", plain.smallest)}};
    section.pictures.push_back(
        demo.picture("point_shell.png", tiled(both, 2, 8), "Left: random. Right: after repulsion."));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(
        fmt::format("points     1500 points: smallest spacing {:.2f} of the ideal with repulsion (right), {:.2f} "
                    "at random (left) -> point_shell.png",
                    quality.smallest, plain.smallest));
}

} // namespace fathom::tool
