// fathom view: shows a scene, recording, field, mesh or tetrahedra in the browser, or in live mode shapes that the user
// drags.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/live_scene.h>
#include <tool/view_server.h>

#include <fathom/base/error.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/scene/simulation.h>

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
    int grid = 0; // cells of the grids of meshes; 0: meshes stay meshes
    bool live = false, open = false;
};

// Packets to show, and the objects that they refer to.
struct ViewSource {
    std::unique_ptr<Simulation> simulation;
    std::unique_ptr<ShapesScene> live;
    std::unique_ptr<PacketSource> packets;
};

ViewSource open_scene_source(const std::string& file, const ViewArguments& arguments, Session& session) {
    ViewSource source;
    source.simulation = std::make_unique<Simulation>(open_scene(file, arguments.scene, session), session.progress());
    try {
        source.simulation->run(session.progress());
    } catch (const Error& error) { // the recording up to the failure is shown
        fmt::print(stderr, "fathom: {}\n", error.what());
    }
    source.packets = std::make_unique<DocumentPackets>(
        recording_document(source.simulation->scene().name, source.simulation->recording()));
    return source;
}

ViewerDocument document_of(const std::string& text, const ViewArguments& arguments, Session& session) {
    const FieldSource source = open_field(text);
    if (source.tetrahedra) return tet_document(display_name(text), *source.tetrahedra);
    if (source.mesh) return mesh_document(display_name(text), *source.mesh);
    return field_document(display_name(text), source.field,
                          {.resolution = arguments.resolution, .progress = session.progress()});
}

// glTF is the only format that defines the up axis (y).
bool y_is_up(const ViewArguments& arguments) {
    const std::string extension = fs::path(arguments.sources.front()).extension().string();
    return arguments.up.empty() ? extension == ".glb" || extension == ".gltf" : arguments.up == "y";
}

std::unique_ptr<PacketSource> document_packets(ViewerDocument document, const ViewArguments& arguments) {
    document.y_is_up = y_is_up(arguments);
    return std::make_unique<DocumentPackets>(std::move(document));
}

LiveBody live_body(const std::string& text, const ViewArguments& arguments, Session& session) {
    FieldSource source = open_field(text);
    const bool as_grid = source.mesh && arguments.grid > 0;
    if (as_grid) mesh_to_grid(source, arguments.grid, session.progress());
    return {display_name(text),
            as_grid ? Shape(source.field) : shape_of(source),
            {},
            make_viewer_body(text, source, arguments.resolution, session.progress())};
}

// Bodies without --pose are placed side by side along x.
ViewSource open_live_source(const ViewArguments& arguments, Session& session) {
    if (arguments.poses.size() > arguments.sources.size())
        throw Error(Cause::invalid_argument, "there are more --pose options than shapes", {.element = "option --pose"});
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
    ViewSource source;
    source.live = std::make_unique<ShapesScene>(std::move(bodies));
    source.packets = document_packets(source.live->document(), arguments);
    return source;
}

ViewSource open_source(const ViewArguments& arguments, Session& session) {
    if (arguments.live) return open_live_source(arguments, session);
    if (arguments.sources.size() > 1)
        throw Error(Cause::invalid_argument, "several shapes require --live", {.element = arguments.sources[1]});
    const fs::path path = arguments.sources.front();
    std::error_code ignored;
    ViewSource source;
    if (fs::is_directory(path, ignored) || path.extension() == ".fathomview") {
        source.packets =
            std::make_unique<ViewerFile>(path.extension() == ".fathomview" ? path : path / recording_file_name);
        return source;
    }
    if (path.extension() == ".toml") return open_scene_source(path.string(), arguments, session);
    source.packets = document_packets(document_of(path.string(), arguments, session), arguments);
    return source;
}

void open_browser(const std::string& address) {
    std::string program = "xdg-open", page = address;
    char* argv[] = {program.data(), page.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, argv[0], nullptr, nullptr, argv, environ) != 0)
        fmt::print(stderr, "fathom: xdg-open is not available; open the address in a browser\n");
    else
        waitpid(child, nullptr, 0);
}

void serve(const ViewSource& source, const ViewArguments& arguments) {
    ViewServer server(*source.packets, source.live.get());
    const std::string address = fmt::format("http://127.0.0.1:{}/", server.listen(arguments.port));
    fmt::print("{}\n", address);
    std::fflush(stdout);
    fmt::print(stderr, "fathom: open this address in a browser; press Ctrl-C to stop\n");
    if (arguments.open) open_browser(address);
    server.run();
}

void run_view(const ViewArguments& arguments, Session& session) {
    if (arguments.live && !(arguments.html.empty() && arguments.out.empty()))
        throw Error(Cause::invalid_argument, "live mode requires the server and cannot be written to a file",
                    {.element = "option --live"});
    if (arguments.out.empty()) static_cast<void>(viewer_page()); // fails before a long run if the page was not built
    const ViewSource source = open_source(arguments, session);
    if (!arguments.out.empty()) {
        write_viewer_file(arguments.out, *source.packets);
        fmt::print("{}\n", arguments.out);
    }
    if (!arguments.html.empty()) {
        write_viewer_html(arguments.html, *source.packets);
        fmt::print("{}\n", arguments.html);
    }
    if (arguments.out.empty() && arguments.html.empty()) serve(source, arguments);
}

} // namespace

void add_view(const Command& program, Session& session) {
    const auto o = std::make_shared<ViewArguments>();
    const Command command = program.add_command(
        "view", "Show a scene, recording, field or mesh in the browser, or drag shapes in live mode");
    command.footer(R"~(Examples:
  fathom view scenes/bunny_drop.toml                 run the scene and show it; prints the address
  fathom view drop                                   the recording of `fathom simulate -o drop`
  fathom view bunny.obj --html bunny.html            write one self-contained HTML file
  fathom view "torus(0.5, 0.2)"                      a field with slices and its bounding volume hierarchy
  fathom view --live creature torus --pose 0,0,0     drag shapes; contacts are computed as they move

The server accepts connections from this machine only. Press Ctrl-C to stop it.)~");
    command
        .add_option(
            "SOURCE", o->sources,
            "Scene (.toml), output folder of `fathom simulate`, .fathomview file, or any input of `fathom field info`")
        .required();
    command.add_option("--html", o->html, "Write one self-contained HTML page instead of starting the server");
    command.add_option("-o,--output", o->out,
                       "Write a .fathomview file instead of starting the server; `fathom view` shows it later");
    command.add_option("--port", o->port, "Port of the server (0: any free port)")
        .show_default()
        .check(range(0, 65535));
    command.add_flag("--open", o->open, "Open the page in a browser");
    command.add_flag("--live", o->live, "Live mode: drag shapes and show their contacts");
    command
        .add_option("--pose", o->poses,
                    "With --live: POSE of the first, second, ... shape, x,y,z or x,y,z,qw,qx,qy,qz; may be repeated")
        .one_value_each();
    command
        .add_option("--grid", o->grid,
                    "With --live: sample meshes on grids with this many cells along the longest side; otherwise a mesh "
                    "stays a mesh")
        .check(range(8, 16384));
    command
        .add_option(
            "--up", o->up,
            "Initial up axis: z (default) or y (default for glTF files; common in scans); can be changed on the page")
        .check(one_of({"y", "z"}));
    command.add_option("-r,--resolution", o->resolution, "Cells along the longest side, for the surface of a field")
        .show_default()
        .check(range(8, 1024));
    add_scene_options(command, o->scene);
    command.run([o, &session] { run_view(*o, session); });
}

} // namespace fathom::tool
