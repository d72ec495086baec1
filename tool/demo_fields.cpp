// Demo of distance fields: construction, slices, a sweep through a field, and the collision of two fields.
#include <tool/demo.h>
#include <tool/output.h>

#include <fathom/base/progress.h>
#include <fathom/detect/query/query.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/show/depth_picture.h>
#include <fathom/show/field_slice.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <numbers>

namespace fathom::tool {

namespace {

constexpr const char* ring_expression = "torus(0.28, 0.07)";

// Isosurface coarser than the original mesh, to keep the pages small.
TriangleMesh surface_of(const Field& field, int resolution) {
    const Box box = field.bounds();
    return contour(field, box.grown(0.05 * box.size().maxCoeff()), resolution);
}

} // namespace

// Samples the distance field of the creature on a grid, draws a slice, and writes the grid; also draws an analytic
// field.
std::shared_ptr<const GridField> show_field(Demo& demo, const TriangleMesh& mesh) {
    const Stopwatch start;
    GridReport report;
    auto made = std::make_shared<const GridField>(
        build_grid(mesh, {.resolution = 256, .progress = demo.session.progress()}, &report));
    const GridField& field = *made;
    const double seconds = start.seconds();
    write_field(field, demo.folder / "creature.fathom");
    const std::string cells =
        fmt::format("{} x {} x {}", field.layout().cells(0), field.layout().cells(1), field.layout().cells(2));
    ReportSection section{
        .title = "A distance field",
        .text = "Every shape is treated as a signed distance field, whose value at a point is the distance to the "
                "surface, negative inside. Here the distances of the creature are sampled on a grid. Each brick of the "
                "grid also stores the minimum and the maximum of its values, so that one test excludes a whole region, "
                "with proof. An analytic expression is a field as well."};
    section.figures = {{"cells", cells},
                       {"built in", fmt::format("{:.2f} s", seconds)},
                       {"memory", fmt::format("{:.1f} MB", static_cast<double>(field.bytes()) * 1e-6)},
                       {"sign method", std::string(name(report.sign.method))}};
    section.pictures.push_back(demo.picture("field.png", draw_slice(field, {.axis = 1, .size = 900}),
                                            "Slice through the creature with contour lines of the distance."));
    const AnalyticExpression blend =
        parse_shape("smooth_union(torus(0.5, 0.16), translate(0, 0, 0.2, box(0.5, 0.5, 0.5)), 0.15)");
    section.pictures.push_back(
        demo.picture("analytic.png", draw_slice(AnalyticField(blend), {.axis = 1, .size = 600}), blend.text()));
    demo.add_view(section, "field", "The field with movable slices and its bounding volume hierarchy",
                  field_document("creature", made, {.resolution = 96, .samples = 97}));
    section.links.push_back({"creature.fathom", "creature.fathom"});
    demo.report.sections.push_back(std::move(section));
    demo.print_line(fmt::format(
        "field      distances on {} cells in {:.2f} s, {:.1f} MB; sign method {}: {} -> field.png, creature.fathom",
        cells, seconds, static_cast<double>(field.bytes()) * 1e-6, name(report.sign.method), report.sign.reason));
    demo.print_line(fmt::format("analytic   {} -> analytic.png", blend.text()));
    return made;
}

// Finds the contact intervals of a ring of points that moves through the creature.
void show_sweep(Demo& demo, const std::shared_ptr<const GridField>& creature) {
    const AnalyticField ring(parse_shape(ring_expression));
    const TriangleMesh surface = surface_of(ring, 48);
    const Shape points(surface.vertices), body(creature);
    const Motion motion{Pose::from_axis_angle(0.4, Vec3::UnitY(), {-1.1, 0.1, 0.1}),
                        Pose::from_axis_angle(2.2, Vec3(0.2, 1, 0).normalized(), {1.1, -0.05, 0})};
    points.prepare();
    body.prepare();
    const Stopwatch start;
    const SweepResult found =
        sweep(points, motion, body, Motion::stationary({}), {.goal = SweepGoal::all, .method = Method::point_field});
    const double seconds = start.seconds();
    double in_contact = 0;
    for (const ContactInterval& i : found.intervals) in_contact += i.end - i.start;
    ReportSection section{
        .title = "Moving points against a field",
        .text =
            "A ring rotates and moves through the creature. Each of its points is followed along its whole path, not "
            "sampled at a few instants: every contact interval of every point is found, at any speed. A tree of "
            "bounding spheres excludes most points with one test. (After Xu and Barbi\u010d, 2014.)"};
    section.figures = {{"points", with_commas(surface.vertices.size())},
                       {"status", status_text(found.status)},
                       {"time of impact", fmt::format("{:.4f} of 1", found.time)},
                       {"contact intervals", fmt::format("{}", found.intervals.size())},
                       {"fraction of time in contact", fmt::format("{:.0f} %", 100 * in_contact)},
                       {"computed in", fmt::format("{:.1f} ms", 1e3 * seconds)}};
    SweptView view{.a = viewer_body("ring", surface),
                   .b = viewer_body("creature", surface_of(*creature, 96)),
                   .motion_a = motion,
                   .motion_b = Motion::stationary({}),
                   .intervals = found.intervals};
    view.b.fixed = true;
    if (found.status == Status::overlapping) {
        view.first_time = found.time + found.error;
        view.first = {.a = 0, .b = 1, .position = found.point, .normal = found.normal};
    }
    demo.add_view(section, "sweep", "The moving ring; its path is coloured where it collides",
                  sweep_document("ring through the creature", std::move(view)));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(fmt::format(
        "sweep      {} points of a ring through the creature: {}, time of impact {:.4f}, {} contact "
        "intervals, computed in {:.1f} ms",
        surface.vertices.size(), status_text(found.status), found.time, found.intervals.size(), 1e3 * seconds));
}

// Collides a grid with an analytic field and draws the octree of their intersection.
void show_collision(Demo& demo, const std::shared_ptr<const GridField>& creature) {
    const auto ring = std::make_shared<AnalyticField>(parse_shape(ring_expression));
    const FieldSphereTree a(creature), b(ring);
    const Pose there = Pose::from_axis_angle(std::numbers::pi / 2, Vec3(0.1, 1, 0).normalized(), {0.15, 0.03, 0});
    const Stopwatch start;
    const field_field::CollideResult found = field_field::collide(a, {}, b, there);
    const double seconds = start.seconds();
    const field_field::FieldOverlap cells = field_field::field_overlap(*creature, {}, *ring, there, {.depth = 5});
    OverlapPictureOptions options{.resolution = 160};
    options.view.width = 900;
    options.view.height = 640;
    ReportSection section{
        .title = "Collision of two fields",
        .text = "A grid and an analytic field are tested directly; neither is converted to a mesh. A common point "
                "proves that they overlap. If every bounding sphere of one body is clear of the field of the other, "
                "they are proven disjoint. The deepest points of each contact region and the separating directions "
                "are then computed. (After Liu et al., 2024, with proof.)"};
    section.figures = {{"status", status_text(found.status)},
                       {"depth", fmt::format("{:.3f} m", found.depth)},
                       {"contacts", fmt::format("{}", found.contacts.size())},
                       {"computed in", fmt::format("{:.0f} \u00b5s", 1e6 * seconds)},
                       {"cells inside both", with_commas(cells.inside_count)},
                       {"cells on the boundary", with_commas(cells.border_count)}};
    section.pictures.push_back(
        demo.picture("overlap.png", draw_overlap(*creature, {}, *ring, there, cells, options),
                     "Cells proven to be inside both bodies (green), and cells on the boundary."));
    ViewerDocument document{.title = "creature and ring",
                            .subtitle = fmt::format("{}, {:.3f} m deep", status_text(found.status), found.depth),
                            .kind = ViewerKind::field};
    document.bodies = {viewer_body("creature", surface_of(*creature, 96)),
                       viewer_body("ring", surface_of(*ring, 64), there)};
    document.layers = {contacts_layer(found.contacts), spheres_layer(b, 5000)};
    document.layers.back().body = 1;
    demo.add_view(section, "collision", "Both bodies with their contacts", std::move(document));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(fmt::format("collision  grid of the creature and analytic ring: {}, {:.3f} m deep, {} contacts in "
                                "{:.0f} us; {} cells inside both, {} on the boundary -> overlap.png",
                                status_text(found.status), found.depth, found.contacts.size(), 1e6 * seconds,
                                cells.inside_count, cells.border_count));
}

} // namespace fathom::tool
