// fathom demo: a tour of the library that writes pictures, viewer pages and data files, and a report that explains
// them.
#include <tool/demo.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/base/version.h>
#include <fathom/show/viewer_file.h>

#include <fmt/format.h>

namespace fathom::tool {

namespace fs = std::filesystem;

void Demo::print_line(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

ReportPicture Demo::picture(const std::string& file, const Image& image, const std::string& caption) const {
    write_png(folder / file, image);
    return picture_from(folder / file, caption);
}

void Demo::add_view(ReportSection& section, const std::string& name, const std::string& label,
                    ViewerDocument document) const {
    if (!has_viewer_page()) return;
    write_viewer_html(folder / (name + ".html"), std::move(document));
    section.links.push_back({label, name + ".html"});
}

namespace {

constexpr const char* introduction =
    "Fathom computes contacts, penetration depth, separating directions, distances and times of impact for rigid, "
    "deformable, fracturing and rendered geometry. Its central idea: every shape is treated as a signed "
    "distance field, and a field bounds not only the value at a point but also the range of values over a whole box. "
    "Therefore the result \"disjoint\" is a proof.\n\n"
    "This page was written by the demo that has just run on this machine. Every figure was measured in that run. "
    "Pictures are embedded in the page; the buttons open interactive 3-D views (files next to this page, no network "
    "connection needed): rotate the view with the mouse, play recordings, and click on objects for details.";

void run_demo(const fs::path& folder, Session& session) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(Cause::cannot_write, failure.message(), {.file = folder.string()});
    const Stopwatch start;
    Demo demo{folder, session, {.title = "Fathom: a tour", .introduction = introduction}};
    demo.print_line(fmt::format(
        "Tour of Fathom: generated shapes, mesh reports, distance fields, collision queries, simulations of "
        "rigid, soft and fracturing bodies, and depth maps ({} threads).\n",
        thread_count()));
    show_shapes(demo);
    const TriangleMesh creature = show_creature(demo);
    show_defects(demo, creature);
    show_point_shell(demo);
    const std::shared_ptr<const GridField> field = show_field(demo, creature);
    show_sweep(demo, field);
    show_collision(demo, field);
    show_rigid_drop(demo);
    show_soft_bodies(demo);
    show_fracture(demo);
    show_depth_maps(demo);
    show_particles(demo);
    demo.report.figures = {{"version", version},
                           {"threads", fmt::format("{}", thread_count())},
                           {"total time", fmt::format("{:.1f} s", start.seconds())}};
    write_whole_file(folder / "report.html", to_html(demo.report));
    demo.print_line(fmt::format("\nDone in {:.1f} s. Open {} in a browser for explanations. {}creature.vtu and "
                                "drop.pvd open in ParaView, drop.glb in any glTF viewer.",
                                start.seconds(), (fs::absolute(folder) / "report.html").lexically_normal().string(),
                                has_viewer_page() ? "" : "(Built without the viewer: no interactive pages.) "));
}

} // namespace

void add_demo(const Command& program, Session& session) {
    const Command command =
        program.add_command("demo", "Run a tour of the library and write a report with pictures and data files");
    auto folder = std::make_shared<std::string>("out");
    command.add_option("-o,--output", *folder, "Output folder for the report, viewer pages, pictures and data files")
        .show_default();
    command.footer("Example:\n  fathom demo -o out    writes out/report.html");
    command.run([folder, &session] { run_demo(*folder, session); });
}

} // namespace fathom::tool
