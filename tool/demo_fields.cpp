// The demo's fields: built, sliced, passed through and made to meet.
#include <tool/demo_tour.h>
#include <tool/terminal.h>
#include <tool/verdict_text.h>

#include <fathom/base/stopwatch.h>
#include <fathom/detect/query.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/shape_catalogue.h>
#include <fathom/show/field_slice.h>
#include <fathom/show/overlap_picture.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/show/viewer_sweep.h>

#include <fmt/format.h>

#include <numbers>

namespace fathom::tool {

namespace {

constexpr const char* ring_formula = "torus(0.28, 0.07)";

// Coarser than the mesh it came from: pages stay small.
TriangleMesh surface_of(const Field& field, int resolution) {
    const Box box = field.bounds();
    return contour(field, box.grown(0.05 * box.size().maxCoeff()), resolution);
}

} // namespace

// The creature as a field of distances: built, drawn as a slice, and written; and a field that is a formula.
std::shared_ptr<const GridField> show_field(Tour& tour, const TriangleMesh& mesh) {
    const Stopwatch start;
    GridReport report;
    const auto made = std::make_shared<const GridField>(
        build_grid(mesh, {.resolution = 256, .progress = tour.session.progress()}, &report));
    const GridField& field = *made;
    const double seconds = start.seconds();
    write_field(field, tour.folder / "creature.fathom");
    const std::string cells =
        fmt::format("{} x {} x {}", field.layout().cells(0), field.layout().cells(1), field.layout().cells(2));
    ReportSection section{
        .title = "A field of distances",
        .text = "Everything is a field: at each point it tells how far the surface is, less than nothing inside. Here "
                "the creature's distances are kept on a grid whose bricks also know the least and "
                "the greatest value in them, so that whole regions are ruled out at one look, with proof. A formula is "
                "a field just as well."};
    section.figures = {{"cells", cells},
                       {"built in", fmt::format("{:.2f} s", seconds)},
                       {"memory", fmt::format("{:.1f} MB", static_cast<double>(field.bytes()) * 1e-6)},
                       {"inside told by", std::string(name(report.sign.method))}};
    section.pictures.push_back(tour.picture("field.png", draw_slice(field, {.axis = 1, .size = 900}),
                                            "A slice through the creature: lines of equal distance."));
    const Formula blend = parse_shape("smooth_union(torus(0.5, 0.16), translate(0, 0, 0.2, box(0.5, 0.5, 0.5)), 0.15)");
    section.pictures.push_back(
        tour.picture("formula.png", draw_slice(AnalyticField(blend), {.axis = 1, .size = 600}), blend.text()));
    tour.add_view(section, "field", "The field: drag slices through it, see its tree",
                  field_document("creature", made, {.resolution = 96, .samples = 97}));
    section.links.push_back({"creature.fathom", "creature.fathom"});
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format(
        "field      distances on {} cells in {:.2f} s, {:.1f} MB; sign by {}: {} -> field.png, creature.fathom", cells,
        seconds, static_cast<double>(field.bytes()) * 1e-6, name(report.sign.method), report.sign.reason));
    tour.say(fmt::format("formula    {} -> formula.png", blend.text()));
    return made;
}

// A ring of points flies through the creature: in which pieces of time is any of them inside?
void show_passing(Tour& tour, const std::shared_ptr<const GridField>& creature) {
    const AnalyticField ring(parse_shape(ring_formula));
    const TriangleMesh surface = surface_of(ring, 48);
    const Shape points(surface.vertices), body(creature);
    const Motion motion{Pose::turned(0.4, Vec3::UnitY(), {-1.1, 0.1, 0.1}),
                        Pose::turned(2.2, Vec3(0.2, 1, 0).normalized(), {1.1, -0.05, 0}), Path::screw};
    points.prepare();
    body.prepare();
    const Stopwatch start;
    const Sweep found =
        sweep(points, motion, body, Motion::still({}), {.goal = SweepGoal::all, .method = Method::points_in_field});
    const double seconds = start.seconds();
    double in_contact = 0;
    for (const ContactInterval& i : found.intervals) in_contact += i.end - i.start;
    ReportSection section{
        .title = "Points against a field, over time",
        .text = "A ring turns and flies through the creature. Each of its points is followed along its whole way, not "
                "tested at a few instants: every piece of time in which any of them is inside is found, "
                "however fast they move. Spheres nested over the points drop most of them after one look. (After Xu "
                "and Barbi\u010d, 2014.)"};
    section.figures = {{"points", with_commas(surface.vertices.size())},
                       {"verdict", word(found.verdict)},
                       {"first contact at time", fmt::format("{:.4f} of 1", found.time)},
                       {"pieces of time inside", fmt::format("{}", found.intervals.size())},
                       {"share of time inside", fmt::format("{:.0f} %", 100 * in_contact)},
                       {"found in", fmt::format("{:.1f} ms", 1e3 * seconds)}};
    SweptView view{.a = viewer_body("ring", surface),
                   .b = viewer_body("creature", surface_of(*creature, 96)),
                   .motion_a = motion,
                   .motion_b = Motion::still({}),
                   .intervals = found.intervals};
    view.b.fixed = true;
    if (found.verdict == Verdict::overlapping) {
        view.first_time = found.time + found.error;
        view.first = {found.point, found.normal, 0, {0, 1}};
    }
    tour.add_view(section, "sweep", "The ring on its way: the path is coloured where it collides",
                  sweep_document("a ring through the creature", std::move(view)));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("passing    {} points of a ring through the creature: {}, first at time {:.4f}, {} pieces of "
                         "time inside, found in {:.1f} ms",
                         surface.vertices.size(), word(found.verdict), found.time, found.intervals.size(),
                         1e3 * seconds));
}

// A grid and a formula meet: whether, how deep and where, and the octree of what they have in common.
void show_meeting(Tour& tour, const std::shared_ptr<const GridField>& creature) {
    const auto ring = std::make_shared<AnalyticField>(parse_shape(ring_formula));
    const Solid a(creature), b(ring);
    const Pose there = Pose::turned(std::numbers::pi / 2, Vec3(0.1, 1, 0).normalized(), {0.15, 0.03, 0});
    const Stopwatch start;
    const CollideResult found = collide(a, {}, b, there);
    const double seconds = start.seconds();
    const FieldOverlap cells = field_overlap(*creature, {}, *ring, there, {.depth = 5});
    OverlapPictureOptions options{.resolution = 160};
    options.view.width = 900;
    options.view.height = 640;
    ReportSection section{
        .title = "Two fields meet",
        .text =
            "A grid and a formula, asked directly: no mesh is made of either. A common point proves that they overlap; "
            "where every ball of one body's tree is clear of the other's field, it is proven that they do not. "
            "Then the deepest points of each region of contact are found, and the way out. (After Liu et al., 2024, "
            "with proof.)"};
    section.figures = {{"verdict", word(found.verdict)},
                       {"depth", fmt::format("{:.3f} m", found.depth)},
                       {"contacts", fmt::format("{}", found.contacts.size())},
                       {"answered in", fmt::format("{:.0f} \u00b5s", 1e6 * seconds)},
                       {"cells inside both", with_commas(cells.inside_count)},
                       {"cells on the border", with_commas(cells.border_count)}};
    section.pictures.push_back(tour.picture("overlap.png", draw_overlap(*creature, {}, *ring, there, cells, options),
                                            "Cells proven inside both bodies (green), and those on the border."));
    ViewerDocument document{.title = "creature and ring",
                            .subtitle = fmt::format("{}, {:.3f} m deep", word(found.verdict), found.depth),
                            .kind = ViewerKind::field};
    document.bodies = {viewer_body("creature", surface_of(*creature, 96)),
                       viewer_body("ring", surface_of(*ring, 64), there)};
    document.layers = {contacts_layer(found.contacts), balls_layer(b, 5000)};
    document.layers.back().body = 1;
    tour.add_view(section, "meeting", "Both bodies with their contacts", std::move(document));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("meeting    the creature's grid and a ring by formula: {}, {:.3f} m deep, {} contacts in "
                         "{:.0f} us; {} cells inside both, {} on the border -> overlap.png",
                         word(found.verdict), found.depth, found.contacts.size(), 1e6 * seconds, cells.inside_count,
                         cells.border_count));
}

} // namespace fathom::tool
