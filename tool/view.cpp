// fathom view: anything in the browser: a scene that is run, what a run left, a field, a mesh, tetrahedra; or shapes
// that are dragged.
#include <tool/drawn_source.h>
#include <tool/live_scene.h>
#include <tool/pose_text.h>
#include <tool/scene_arguments.h>
#include <tool/verbs.h>
#include <tool/view_server.h>

#include <fathom/base/error.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_page.h>
#include <fathom/show/viewer_recording.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/simulation.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

namespace fathom::tool {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
    std::vector<std::string> sources, poses;
    std::string html, out, up;
    SceneArguments scene;
    int port = 0, resolution = 128;
    bool live = false, exact = false, open = false;
};

// What is shown, with all that its packets are read from.
struct Shown {
    std::unique_ptr<Simulation> simulation;
    std::unique_ptr<ShapesScene> live;
    std::unique_ptr<PacketSource> packets;
};

Shown shown_scene(const std::string& file, const ViewArguments& arguments, Session& session) {
    Shown shown;
    shown.simulation = std::make_unique<Simulation>(open_scene(file, arguments.scene, session), session.progress());
    try {
        shown.simulation->run(session.progress());
    } catch (const Error& error) { // what was recorded until then shows why
        fmt::print(stderr, "fathom: {}\n", error.what());
    }
    shown.packets = std::make_unique<DocumentPackets>(
        recording_document(shown.simulation->scene().name, shown.simulation->recording()));
    return shown;
}

ViewerDocument document_of(const std::string& text, const ViewArguments& arguments, Session& session) {
    const FieldSource source = open_field(text);
    if (source.tetrahedra) return tet_document(name_of(text), *source.tetrahedra);
    if (source.mesh) return mesh_document(name_of(text), *source.mesh);
    return field_document(name_of(text), source.field,
                          {.resolution = arguments.resolution, .progress = session.progress()});
}

// Of formats glTF alone says which axis is up.
bool y_is_up(const ViewArguments& arguments) {
    const std::string extension = fs::path(arguments.sources.front()).extension().string();
    return arguments.up.empty() ? extension == ".glb" || extension == ".gltf" : arguments.up == "y";
}

std::unique_ptr<PacketSource> upright_packets(ViewerDocument document, const ViewArguments& arguments) {
    document.y_is_up = y_is_up(arguments);
    return std::make_unique<DocumentPackets>(std::move(document));
}

// Closed meshes are asked by a grid of their distances, which answers while one drags; others, and all with --exact, by
// their triangles.
LiveBody live_body(const std::string& text, const ViewArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    Shape shape = source.mesh ? shape_of(source) : Shape(source.field);
    if (source.mesh && shape.kind() == ShapeKind::closed_mesh && !arguments.exact) {
        mesh_to_grid(source, arguments.resolution, session.progress());
        shape = Shape(source.field);
    }
    return {name_of(text), shape, {}, drawn_body(text, source, arguments.resolution, session.progress())};
}

// Without a --pose, side by side along x.
Shown shown_live(const ViewArguments& arguments, Session& session) {
    if (arguments.poses.size() > arguments.sources.size())
        throw Error(Cause::invalid_argument, "there are more poses than shapes", {.element = "option --pose"});
    std::vector<LiveBody> bodies;
    double next = 0;
    for (std::size_t k = 0; k < arguments.sources.size(); ++k) {
        LiveBody& body = bodies.emplace_back(live_body(arguments.sources[k], arguments, session));
        if (k < arguments.poses.size())
            body.pose = pose_from_text(arguments.poses[k], "--pose");
        else if (const Box box = body.shape.bounds(); body.shape.bounded() && !box.empty()) {
            body.pose.translation.x() = next - box.lower.x();
            next += 1.1 * box.size().x();
        }
    }
    Shown shown;
    shown.live = std::make_unique<ShapesScene>(std::move(bodies));
    shown.packets = upright_packets(shown.live->document(), arguments);
    return shown;
}

Shown shown_of(const ViewArguments& arguments, Session& session) {
    if (arguments.live) return shown_live(arguments, session);
    if (arguments.sources.size() > 1)
        throw Error(Cause::invalid_argument, "several shapes are shown with --live, which lets you drag them",
                    {.element = arguments.sources[1]});
    const fs::path path = arguments.sources.front();
    std::error_code ignored;
    Shown shown;
    if (fs::is_directory(path, ignored) || path.extension() == ".fathomview") {
        shown.packets =
            std::make_unique<ViewerFile>(path.extension() == ".fathomview" ? path : path / recording_file_name);
        return shown;
    }
    if (path.extension() == ".toml") return shown_scene(path.string(), arguments, session);
    shown.packets = upright_packets(document_of(path.string(), arguments, session), arguments);
    return shown;
}

void open_browser(const std::string& address) {
    std::string program = "xdg-open", page = address;
    char* words[] = {program.data(), page.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, words[0], nullptr, nullptr, words, environ) != 0)
        fmt::print(stderr, "fathom: no xdg-open here; please open the address yourself\n");
    else
        waitpid(child, nullptr, 0);
}

void serve(const Shown& shown, const ViewArguments& arguments) {
    ViewServer server(*shown.packets, shown.live.get());
    const std::string address = fmt::format("http://127.0.0.1:{}/", server.listen(arguments.port));
    fmt::print("{}\n", address);
    std::fflush(stdout);
    fmt::print(stderr, "fathom: open it in a browser; Ctrl-C ends\n");
    if (arguments.open) open_browser(address);
    server.run();
}

void run_view(const ViewArguments& arguments, Session& session) {
    if (arguments.live && !(arguments.html.empty() && arguments.out.empty()))
        throw Error(Cause::invalid_argument, "live mode needs the server: a file cannot compute what touches",
                    {.element = "option --live"});
    if (arguments.out.empty())
        static_cast<void>(viewer_page()); // before a long run: is there anything to show it with?
    const Shown shown = shown_of(arguments, session);
    if (!arguments.out.empty()) {
        write_viewer_file(arguments.out, *shown.packets);
        fmt::print("{}\n", arguments.out);
    }
    if (!arguments.html.empty()) {
        write_viewer_html(arguments.html, *shown.packets);
        fmt::print("{}\n", arguments.html);
    }
    if (arguments.out.empty() && arguments.html.empty()) serve(shown, arguments);
}

} // namespace

void add_view(CLI::App& program, Session& session) {
    const auto o = std::make_shared<ViewArguments>();
    CLI::App* verb = program.add_subcommand(
        "view", "Anything in the browser: scenes, recordings, fields, meshes, tetrahedra; live, shapes that you drag");
    verb->footer(R"~(Examples:
  fathom view scenes/bunny_drop.toml                 runs the scene and shows it; the address is printed
  fathom view drop                                   what `fathom simulate -o drop` left
  fathom view bunny.obj --html bunny.html            one file that opens with a double click
  fathom view "torus(0.5, 0.2)"                      a field: slices of its distances, its tree
  fathom view --live creature torus --pose 0,0,0     drag them: contacts are computed as they move

Only this machine can reach the server. Ctrl-C ends it.)~");
    verb->add_option("SOURCE", o->sources,
                     "A scene (.toml), a folder of `fathom simulate`, a .fathomview file, or what `fathom field` takes")
        ->required();
    verb->add_option("--html", o->html, "Write one self-contained page instead of serving");
    verb->add_option("-o,--output", o->out,
                     "Write a .fathomview file instead of serving: what `fathom view` shows later without computing");
    verb->add_option("--port", o->port, "Port to listen on (0: a free one)")
        ->capture_default_str()
        ->check(CLI::Range(0, 65535));
    verb->add_flag("--open", o->open, "Open the page in a browser");
    verb->add_flag("--live", o->live, "Shapes that can be dragged, with what they touch");
    verb->add_option("--pose", o->poses,
                     "POSE of the first, the second, ... shape of --live: x,y,z or x,y,z,qw,qx,qy,qz")
        ->allow_extra_args(false);
    verb->add_flag("--exact", o->exact,
                   "With --live: meshes by their triangles instead of grids of distances (slower)");
    verb->add_option("--up", o->up,
                     "Axis that is up at first: z, or y as in many scans (of glTF files y); the page can turn it")
        ->check(CLI::IsMember({"y", "z"}));
    verb->add_option("-r,--resolution", o->resolution,
                     "Cells of the surface of a field, or of the grid of a mesh in --live, along its longest side")
        ->capture_default_str()
        ->check(CLI::Range(8, 1024));
    add_scene_options(*verb, o->scene);
    verb->callback([o, &session] { run_view(*o, session); });
}

} // namespace fathom::tool
