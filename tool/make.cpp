// fathom make: generates a shape and writes it to a file.
#include <tool/commands.h>

#include <fathom/base/error.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/geometry/io/mesh_file.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace fathom::tool {

namespace {

struct MakeOptions {
    std::string shape;
    std::string file;
    std::optional<double> resolution, triangles, seed;
    std::vector<std::string> settings; // name=value
    bool list = false;
    bool json = false;
};

constexpr const char* make_examples = R"(Examples:
  fathom make --list                                     list the shapes and their parameters
  fathom make torus -o torus.ply                         default parameters
  fathom make torus -o thin.obj --resolution 200 --set tube=0.05
  fathom make creature -o big.ply --triangles 1000000 --seed 7
  fathom make tet_box -o block.msh --set width=2 five=1

Lengths are in metres. The file extension determines the format.)";

std::pair<std::string, double> parse_setting(const std::string& setting) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    double value = 0;
    if (equals == std::string::npos || name.empty() || !parse_number(setting.substr(equals + 1), value))
        throw Error(Cause::invalid_argument, fmt::format("'{}' does not have the form name=value", setting),
                    {.element = "--set"});
    return {name, value};
}

ShapeValues shape_values(const MakeOptions& options) {
    ShapeValues values;
    if (options.resolution) values["resolution"] = *options.resolution;
    if (options.triangles) values["triangles"] = *options.triangles;
    if (options.seed) values["seed"] = *options.seed;
    for (const std::string& setting : options.settings)
        values.insert_or_assign(parse_setting(setting).first, parse_setting(setting).second);
    return values;
}

void print_list() {
    for (const CatalogueShape& shape : shape_catalogue()) {
        fmt::print("{} - {}{}\n", shape.name, shape.description, shape.volume ? " (volume)" : "");
        for (const ShapeParameter& p : shape.parameters)
            fmt::print("    {:<11} {:>8} {:<1}  {}{}\n", p.name, fmt::format("{:g}", p.fallback), p.unit, p.meaning,
                       p.whole && p.maximum < 1e9 ? fmt::format(" ({:.0f} to {:.0f})", p.minimum, p.maximum) : "");
    }
}

void print_list_as_json() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const CatalogueShape& shape : shape_catalogue()) {
        nlohmann::ordered_json entry{{"name", shape.name},
                                     {"description", shape.description},
                                     {"kind", shape.volume ? "volume" : "surface"},
                                     {"parameters", nlohmann::ordered_json::array()}};
        for (const ShapeParameter& p : shape.parameters)
            entry["parameters"].push_back({{"name", p.name},
                                           {"default", p.fallback},
                                           {"minimum", p.minimum},
                                           {"maximum", p.maximum},
                                           {"unit", p.unit},
                                           {"whole", p.whole},
                                           {"meaning", p.meaning}});
        list.push_back(std::move(entry));
    }
    fmt::print("{}\n", list.dump(2));
}

void report(const MakeOptions& options, const ShapeMesh& mesh, const Session& session) {
    const bool volume = std::holds_alternative<TetMesh>(mesh);
    const std::size_t vertices = std::visit([](const auto& m) { return m.vertices.size(); }, mesh);
    const std::size_t elements =
        volume ? std::get<TetMesh>(mesh).tetrahedra.size() : std::get<TriangleMesh>(mesh).triangles.size();
    if (options.json)
        fmt::print("{}\n", nlohmann::ordered_json{{"shape", options.shape},
                                                  {"file", options.file},
                                                  {"vertices", vertices},
                                                  {"triangles", volume ? 0 : elements},
                                                  {"tetrahedra", volume ? elements : 0}}
                               .dump(2));
    else if (!session.quiet)
        fmt::print(stderr, "{}: {} {}, {} vertices -> {}\n", options.shape, elements,
                   volume ? "tetrahedra" : "triangles", vertices, options.file);
}

void run(const MakeOptions& options, const Session& session) {
    if (options.list) return options.json ? print_list_as_json() : print_list();
    if (options.shape.empty())
        throw Error(Cause::invalid_argument, "SHAPE is missing; --list shows the available shapes");
    if (options.file.empty()) throw Error(Cause::invalid_argument, "output file is missing; use -o FILE");
    const ShapeMesh mesh = make_shape(options.shape, shape_values(options));
    std::visit([&](const auto& m) { write_mesh(options.file, m); }, mesh);
    report(options, mesh, session);
}

} // namespace

void add_make(const Command& program, Session& session) {
    const Command command = program.add_command("make", "Generate a shape and write it to a file");
    const auto options = std::make_shared<MakeOptions>();
    command.add_option("SHAPE", options->shape, "Name of the shape (see --list)");
    command.add_option("-o,--output", options->file, "File to write; the extension determines the format");
    command.add_option("--resolution", options->resolution, "Resolution; --list shows its meaning for each shape");
    command.add_option("--triangles", options->triangles, "Number of triangles, for shapes that have this parameter");
    command.add_option("--seed", options->seed, "Random seed, for shapes that have this parameter");
    command.add_option("--set", options->settings, "Other parameters: name=value ...");
    command.add_flag("--list", options->list, "List the shapes and their parameters");
    command.add_flag("--json", options->json, "Print the list, or a summary of the generated mesh, as JSON");
    command.footer(make_examples);
    command.run([options, &session] { run(*options, session); });
}

} // namespace fathom::tool
