// fathom demo: a tour of what the library does, with pictures, pages of the viewer and files to open, and a report that
// explains them.
#include <tool/demo_tour.h>
#include <tool/terminal.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/base/stopwatch.h>
#include <fathom/base/version.h>
#include <fathom/show/viewer_page.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace fathom::tool {

namespace fs = std::filesystem;

void Tour::say(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

ReportPicture Tour::picture(const std::string& file, const Image& image, const std::string& caption) const {
    write_png(folder / file, image);
    return picture_from(folder / file, caption);
}

void Tour::add_view(ReportSection& section, const std::string& name, const std::string& words,
                    ViewerDocument document) const {
    if (!has_viewer_page()) return;
    write_viewer_html(folder / (name + ".html"), std::move(document));
    section.links.push_back({words, name + ".html"});
}

namespace {

constexpr const char* introduction =
    "Fathom tells whether shapes touch, when they first touch, where, how deep, and which way is out: for rigid, "
    "deforming, breaking and drawn geometry. Its one idea: "
    "everything is a field of distances, and a field can say not only how far it is at a point, but what it can be in "
    "a whole box. So \"they do not touch\" is a proof.\n\n"
    "This page was written by the demo that has just run on this machine. Every figure was measured in that run. "
    "Pictures are part of the page; the buttons open what they show in three "
    "dimensions (files beside this page, no network needed): turn it with the mouse, play it, click on what you want "
    "to know.";

void run_demo(const fs::path& folder, Session& session) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure) throw Error(Cause::cannot_write, failure.message(), {.file = folder.string()});
    const Stopwatch start;
    Tour tour{folder, session, {.title = "Fathom: what it does", .introduction = introduction}};
    tour.say(fmt::format("Fathom shows shapes made, checked, sampled and written, fields of distances that meet, "
                         "bodies that fall, dent and break, and depth maps ({} threads).\n",
                         thread_count()));
    show_shapes(tour);
    const TriangleMesh creature = show_creature(tour);
    show_damage(tour, creature);
    show_point_shell(tour);
    const std::shared_ptr<const GridField> field = show_field(tour, creature);
    show_passing(tour, field);
    show_meeting(tour, field);
    show_drop(tour);
    show_soft_heap(tour);
    show_breaking(tour);
    show_flight(tour);
    show_fire(tour);
    tour.report.figures = {{"version", version},
                           {"threads", fmt::format("{}", thread_count())},
                           {"all of it took", fmt::format("{:.1f} s", start.seconds())}};
    write_whole_file(folder / "report.html", to_html(tour.report));
    tour.say(fmt::format("\nDone in {:.1f} s. Open {} in a browser: it explains all of this. {}creature.vtu and "
                         "drop.pvd open in ParaView, drop.glb in any 3-D viewer.",
                         start.seconds(), (fs::absolute(folder) / "report.html").lexically_normal().string(),
                         has_viewer_page() ? "" : "(Built without the viewer: no pages in three dimensions.) "));
}

} // namespace

void add_demo(CLI::App& program, Session& session) {
    CLI::App* verb =
        program.add_subcommand("demo", "A tour: shapes made, checked, drawn and written; fields built, sliced and made "
                                       "to meet; bodies dropped, dented and broken; depth maps");
    auto folder = std::make_shared<std::string>("out");
    verb->add_option("-o,--output", *folder, "Folder for the report, the pages of the viewer, pictures and files")
        ->capture_default_str();
    verb->footer("Example:\n  fathom demo -o out    then open out/report.html");
    verb->callback([folder, &session] { run_demo(*folder, session); });
}

} // namespace fathom::tool
