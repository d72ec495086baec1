// fathom field: distance fields built, told about, drawn, meshed, sampled and converted.
#include <tool/field_source.h>
#include <tool/json_values.h>
#include <tool/number_checks.h>
#include <tool/terminal.h>
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/base/stopwatch.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/file/npy_file.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/baked_error.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/cached_grid.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/show/field_slice.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

namespace fathom::tool {

namespace {

struct FieldOptions {
    std::string in, points, out;
    GridOptions grid{};
    std::string sign = "auto";
    bool floats = false, no_cache = false, json = false, gradient = false;
    double memory = 0; // MB; 0: as the library has it
    SliceOptions slice{};
    char axis = 'z';
    double position = 0, level = 0;
    bool no_lines = false;
    GridReadOptions read{};
};

template <class... Arguments>
void say(const Session& session, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!session.quiet) fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

Json description(const FieldSource& source, const Field& field) {
    Json text = {{"kind", source.kind},
                 {"what", source.what},
                 {"bounds", as_json(field.bounds())},
                 {"lipschitz", bound(field.lipschitz())},
                 {"error_bound", bound(field.error_bound())}};
    if (!source.grid) return text;
    const GridData& data = source.grid->data();
    text["domain"] = as_json(field.domain());
    text["cells"] = {data.layout.cells(0), data.layout.cells(1), data.layout.cells(2)};
    text["cell"] = data.layout.cell;
    text["storage"] = data.storage == GridStorage::code16 ? "code16" : "float32";
    text["bricks"] = data.layout.brick_count();
    text["stored_bricks"] = data.stored_bricks();
    text["bytes"] = data.bytes();
    text["band"] = data.band;
    text["near_error_bound"] = bound(data.near_error);
    if (!source.note.empty()) {
        const Json note = Json::parse(source.note, nullptr, false);
        text["note"] = note.is_discarded() ? Json(source.note) : note;
    }
    return text;
}

// Of a note that build wrote: by which method the sign was found, and how sure.
std::string sign_of(const std::string& note) {
    const Json text = Json::parse(note, nullptr, false);
    if (!text.is_object() || !text.contains("sign") || !text["sign"].is_object()) return {};
    const Json& sign = text["sign"];
    return fmt::format("{} ({:.0f} % sure): {}", sign.value("method", "?"), 100 * sign.value("confidence", 0.0),
                       sign.value("reason", "?"));
}

void print_grid(const FieldSource& source) {
    const GridData& data = source.grid->data();
    const double all = static_cast<double>(data.layout.brick_count());
    fmt::print("  cells         {} x {} x {} of {:.6g} m\n", data.layout.cells(0), data.layout.cells(1),
               data.layout.cells(2), data.layout.cell);
    fmt::print("  domain        {} to {}\n", shown(source.field->domain().lower), shown(source.field->domain().upper));
    fmt::print("  stored        {} of {} bricks ({:.1f} %), {:.1f} MB, {}\n", with_commas(data.stored_bricks()),
               with_commas(data.layout.brick_count()), 100 * static_cast<double>(data.stored_bricks()) / all,
               static_cast<double>(data.bytes()) * 1e-6,
               data.storage == GridStorage::code16 ? "16-bit codes" : "floats");
    fmt::print("  near error    {:.3g} m within {:.3g} m of the surface\n", data.near_error, data.band);
    if (const std::string sign = sign_of(source.note); !sign.empty()) fmt::print("  sign          {}\n", sign);
}

void run_info(const FieldOptions& options) {
    FieldSource source = open_field(options.in);
    const FieldPtr field = field_of(source);
    if (options.json) return fmt::print("{}\n", description(source, *field).dump(2));
    fmt::print("{}: {}, {}\n", options.in, source.kind, source.what);
    for (const std::string& remark : source.remarks) fmt::print("  {}\n", remark);
    fmt::print("  bounds        {} to {}\n", shown(field->bounds().lower), shown(field->bounds().upper));
    fmt::print("  error         {:.3g} m, Lipschitz {:.4g}\n", field->error_bound(), field->lipschitz());
    if (source.grid) print_grid(source);
}

GridOptions grid_options(const FieldOptions& options, Session& session) {
    GridOptions grid = options.grid;
    grid.sign = sign_method_named(options.sign);
    if (options.floats) grid.storage = GridStorage::float32;
    if (options.memory > 0) grid.memory_limit = static_cast<std::size_t>(options.memory * 1e6);
    grid.progress = session.progress();
    return grid;
}

GridFile built(const FieldSource& source, const FieldOptions& options, Session& session) {
    const GridOptions grid = grid_options(options, session);
    if (source.mesh) {
        const FieldCache cache = options.no_cache ? FieldCache(std::filesystem::path()) : FieldCache();
        CachedGrid made = cached_grid(*source.mesh, grid, cache);
        if (made.found) say(session, "found in the cache");
        if (!made.not_kept.empty()) say(session, "not kept in the cache: {}", made.not_kept);
        return {std::move(made.file.field), "fathom", std::move(made.file.note), {}};
    }
    BakeOptions bake_options{.box = grid.box,
                             .resolution = grid.resolution,
                             .band = grid.band,
                             .dense = grid.dense,
                             .storage = grid.storage,
                             .memory_limit = grid.memory_limit,
                             .progress = grid.progress};
    return {bake(*source.field, bake_options), "fathom", Json{{"from", source.kind}, {"what", source.what}}.dump(), {}};
}

void run_build(const FieldOptions& options, Session& session) {
    const FieldSource source = open_field(options.in);
    const Stopwatch start;
    GridFile file = built(source, options, session);
    const double seconds = start.seconds();
    write_grid_file(file.field, options.out, {.note = file.note});
    const auto grid = std::make_shared<const GridField>(file.field);
    const FieldSource result{"grid", "fathom", file.note, {}, {}, grid, grid};
    std::optional<BakedError> certified; // where no error is known beforehand
    if (source.field && !std::isfinite(source.field->error_bound()))
        certified = baked_error(file.field, *source.field, {.progress = session.progress()});
    if (options.json) {
        Json text = description(result, *result.field);
        text["seconds"] = seconds;
        text["file"] = options.out;
        if (certified) text["certified_error"] = bound(certified->largest);
        return fmt::print("{}\n", text.dump(2));
    }
    const GridData& data = file.field.data();
    say(session, "{} x {} x {} cells, {} bricks stored, {:.1f} MB, {:.2f} s -> {}", data.layout.cells(0),
        data.layout.cells(1), data.layout.cells(2), with_commas(data.stored_bricks()),
        static_cast<double>(data.bytes()) * 1e-6, seconds, options.out);
    if (const std::string sign = sign_of(file.note); !sign.empty()) say(session, "sign by {}", sign);
    if (certified)
        say(session, "certified: nowhere in {} cells near the surface more than {:.3g} m from the {}",
            with_commas(certified->cells), certified->largest, source.kind);
}

void run_slice(const FieldOptions& options, bool has_position, const Session& session) {
    FieldSource source = open_field(options.in);
    SliceOptions slice = options.slice;
    slice.axis = options.axis - 'x';
    slice.lines = !options.no_lines;
    if (has_position) slice.position = options.position;
    const FieldPtr field = field_of(source);
    const Image image = draw_slice(*field, slice);
    write_png(options.out, image);
    say(session, "{} x {} pixels, lines every {:.3g} m -> {}", image.width, image.height,
        slice_frame(*field, slice).spacing, options.out);
}

void run_mesh(const FieldOptions& options, Session& session) {
    FieldSource source = open_field(options.in);
    const ContourOptions contour_options{.level = options.level, .progress = session.progress()};
    TriangleMesh mesh;
    if (source.grid) {
        mesh = contour(*source.grid, contour_options);
    } else {
        const FieldPtr field = field_of(source);
        const Box bounds = field->bounds();
        mesh = contour(*field, bounds.grown(0.05 * bounds.size().maxCoeff() + std::max(0.0, options.level)),
                       options.grid.resolution, contour_options);
    }
    write_mesh(options.out, mesh);
    say(session, "level {:.4g} m: {} vertices, {} triangles -> {}", options.level, with_commas(mesh.vertices.size()),
        with_commas(mesh.triangles.size()), options.out);
}

void run_sample(const FieldOptions& options, const Session& session) {
    FieldSource source = open_field(options.in);
    const FieldPtr field = field_of(source);
    const std::vector<Vec3> points = read_npy_points(options.points);
    std::vector<double> table(points.size());
    if (options.gradient) {
        std::vector<Sample> samples(points.size());
        field->samples(points, samples);
        table.clear();
        for (const Sample& s : samples)
            table.insert(table.end(), {s.distance, s.gradient.x(), s.gradient.y(), s.gradient.z()});
    } else {
        field->distances(points, table);
    }
    write_npy_table(options.out, table, options.gradient ? 4 : 1);
    say(session, "{} points -> {}", with_commas(points.size()), options.out);
}

void run_convert(const FieldOptions& options, const Session& session) {
    const GridFile file = read_grid_file(options.in, options.read);
    for (const std::string& remark : file.remarks) say(session, "{}", remark);
    write_grid_file(file.field, options.out, {.note = file.note});
    say(session, "{} ({}) -> {}", options.in, file.format, options.out);
}

CLI::App* add(CLI::App* field, const char* name, const char* about, const char* example) {
    CLI::App* verb = field->add_subcommand(name, about);
    verb->footer(example);
    return verb;
}

void add_build(CLI::App* field, Session& session) {
    const auto o = std::make_shared<FieldOptions>();
    CLI::App* verb = add(field, "build", "A grid of distances from a mesh, a formula or another field", R"~(Examples:
  fathom field build bunny.obj -r 256 -o bunny.fathom
  fathom field build scan.stl -r 512 -o scan.vti --sign winding
  fathom field build "smooth_union(sphere(1), box(1, 2, 3), 0.2)" -r 128 -o blend.fathom

The sign is chosen by what the mesh is, and told. Fields of meshes are kept in a cache (FATHOM_CACHE, ~/.cache/fathom).)~");
    verb->add_option("FIELD", o->in, field_help)->required();
    verb->add_option("-o,--output", o->out, "File to write; its ending tells the format")->required();
    verb->add_option("-r,--resolution", o->grid.resolution, "Cells along the longest side")
        ->capture_default_str()
        ->check(CLI::Range(1, 16384));
    verb->add_flag("--dense", o->grid.dense, "Store every sample, exact everywhere");
    verb->add_option("--sign", o->sign, "auto, pseudo_normal, parity, winding, wrap or thickness")
        ->capture_default_str();
    verb->add_option("--band", o->grid.band, "Cells from the surface within which every sample is exact")
        ->capture_default_str();
    verb->add_option("--margin", o->grid.margin, "Free space round the mesh, as a share of its size")
        ->capture_default_str();
    verb->add_option("--thickness", o->grid.thickness, "Of sheets, with --sign thickness (m; 0: two cells)");
    verb->add_option("--wrap", o->grid.wrap, "With --sign wrap: holes up to twice this are closed (m; 0: two cells)");
    verb->add_flag("--float", o->floats, "Store floats instead of 16-bit codes");
    verb->add_option("--memory-limit", o->memory, "Refuse what would take more (MB)");
    verb->add_flag("--no-cache", o->no_cache, "Neither look into the cache nor keep the field there");
    verb->add_flag("--json", o->json, "What was built, as JSON on stdout");
    verb->callback([o, &session] { run_build(*o, session); });
}

void add_looks(CLI::App* field, Session& session) {
    const auto s = std::make_shared<FieldOptions>();
    CLI::App* slice = add(field, "slice", "A picture of a slice: sign colours and contour lines", R"~(Examples:
  fathom field slice bunny.fathom -o bunny.png
  fathom field slice "torus(1, 0.3)" -o torus.png --axis y --at 0 --cells)~");
    slice->add_option("FIELD", s->in, field_help)->required();
    slice->add_option("-o,--output", s->out, "PNG to write")->required();
    slice->add_option("--axis", s->axis, "At right angles to x, y or z")
        ->capture_default_str()
        ->check(CLI::IsMember({'x', 'y', 'z'}));
    CLI::Option* at = slice->add_option("--at", s->position, "Where along that axis (m); default: the middle");
    slice->add_option("--size", s->slice.size, "Longer side in pixels")->capture_default_str();
    slice->add_option("--spacing", s->slice.spacing, "Between contour lines (m); 0: a round number");
    slice->add_flag("--cells", s->slice.cells, "Outline the bricks and cells of a grid");
    slice->add_flag("--no-lines", s->no_lines, "Only the zero line");
    slice->callback([s, at, &session] { run_slice(*s, at->count() > 0, session); });

    const auto m = std::make_shared<FieldOptions>();
    CLI::App* mesh = add(field, "mesh", "The surface at a level, closed", R"~(Examples:
  fathom field mesh bunny.fathom -o surface.ply
  fathom field mesh bunny.fathom -o grown.ply --level 0.02
  fathom field mesh "heart()" -o heart.glb -r 200)~");
    mesh->add_option("FIELD", m->in, field_help)->required();
    mesh->add_option("-o,--output", m->out, "Mesh to write; its ending tells the format")->required();
    mesh->add_option("--level", m->level, "Distance of the surface (m)")->capture_default_str();
    mesh->add_option("-r,--resolution", m->grid.resolution, "Cells along the longest side, where the field is no grid")
        ->capture_default_str()
        ->check(CLI::Range(1, 16384));
    mesh->callback([m, &session] { run_mesh(*m, session); });
}

void add_data(CLI::App* field, Session& session) {
    const auto i = std::make_shared<FieldOptions>();
    CLI::App* info =
        add(field, "info", "What a field is, how large and how exact", "Example:\n  fathom field info bunny.fathom");
    info->add_option("FIELD", i->in, field_help)->required();
    info->add_flag("--json", i->json, "As JSON");
    info->callback([i] { run_info(*i); });

    const auto p = std::make_shared<FieldOptions>();
    CLI::App* sample = add(field, "sample", "Distances, and gradients, at points", R"~(Example:
  fathom field sample bunny.fathom points.npy -o distances.npy --gradient

POINTS.npy has shape (N, 3); the result (N, 1), or (N, 4) with the gradient behind the distance. float64.)~");
    sample->add_option("FIELD", p->in, field_help)->required();
    sample->add_option("POINTS", p->points, "NumPy array of points (m)")->required();
    sample->add_option("-o,--output", p->out, "NumPy array to write")->required();
    sample->add_flag("--gradient", p->gradient, "Columns: distance, then the gradient");
    sample->callback([p, &session] { run_sample(*p, session); });

    const auto c = std::make_shared<FieldOptions>();
    CLI::App* convert = add(field, "convert", "A grid from one format to another", R"~(Examples:
  fathom field convert bunny.fathom bunny.vti      for ParaView
  fathom field convert volume.npy volume.fathom --cell 0.01)~");
    convert->add_option("IN", c->in, "Grid to read: .fathom .npy .nrrd .vti .sdf .dist .vdb")->required();
    convert->add_option("OUT", c->out, "Grid to write; its ending tells the format")->required();
    convert->add_option("--cell", c->read.cell, "Of an .npy array, which does not carry it (m)")->check(above_zero());
    convert->callback([c, &session] { run_convert(*c, session); });
}

} // namespace

void add_field(CLI::App& program, Session& session) {
    CLI::App* field =
        program.add_subcommand("field", "Distance fields: build, fit, info, slice, mesh, sample, convert");
    field->require_subcommand(1);
    field->footer("Example:\n  fathom field build bunny.obj -r 256 -o bunny.fathom\n  fathom field slice bunny.fathom "
                  "-o bunny.png\n\n`fathom field VERB --help` says more.");
    add_build(field, session);
    add_field_fit(*field, session);
    add_looks(field, session);
    add_data(field, session);
}

} // namespace fathom::tool
