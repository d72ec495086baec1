// fathom field: builds, describes, slices, meshes, samples and converts distance fields.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>
#include <fathom/field/file/grid_file.h>
#include <fathom/field/file/npy_file.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/show/field_slice.h>

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
    double memory = 0; // MB; 0: the library's default
    SliceOptions slice{};
    char axis = 'z';
    double position = 0, level = 0;
    bool no_lines = false;
    GridReadOptions read{};
};

Json description(const FieldSource& source, const Field& field) {
    Json text = {{"kind", source.kind},
                 {"what", source.description},
                 {"bounds", as_json(field.bounds())},
                 {"lipschitz", finite_or_null(field.lipschitz())},
                 {"error_bound", finite_or_null(field.error_bound())}};
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
    text["near_error_bound"] = finite_or_null(data.near_error);
    if (!source.note.empty()) {
        const Json note = Json::parse(source.note, nullptr, false);
        text["note"] = note.is_discarded() ? Json(source.note) : note;
    }
    return text;
}

// Sign method and its confidence, from a note written by `field build`; empty if the note has none.
std::string sign_text(const std::string& note) {
    const Json text = Json::parse(note, nullptr, false);
    if (!text.is_object() || !text.contains("sign") || !text["sign"].is_object()) return {};
    const Json& sign = text["sign"];
    return fmt::format("{} ({:.0f} % confidence): {}", sign.value("method", "?"), 100 * sign.value("confidence", 0.0),
                       sign.value("reason", "?"));
}

void print_grid(const FieldSource& source) {
    const GridData& data = source.grid->data();
    const double all = static_cast<double>(data.layout.brick_count());
    fmt::print("  cells         {} x {} x {} of {:.6g} m\n", data.layout.cells(0), data.layout.cells(1),
               data.layout.cells(2), data.layout.cell);
    fmt::print("  domain        {} to {}\n", vector_text(source.field->domain().lower),
               vector_text(source.field->domain().upper));
    fmt::print("  stored        {} of {} bricks ({:.1f} %), {:.1f} MB, {}\n", with_commas(data.stored_bricks()),
               with_commas(data.layout.brick_count()), 100 * static_cast<double>(data.stored_bricks()) / all,
               static_cast<double>(data.bytes()) * 1e-6,
               data.storage == GridStorage::code16 ? "16-bit codes" : "floats");
    fmt::print("  near error    {:.3g} m, within {:.3g} m of the surface\n", data.near_error, data.band);
    if (const std::string sign = sign_text(source.note); !sign.empty()) fmt::print("  sign          {}\n", sign);
}

void run_info(const FieldOptions& options) {
    FieldSource source = open_field(options.in);
    const FieldPtr field = field_of(source);
    if (options.json) return fmt::print("{}\n", description(source, *field).dump(2));
    fmt::print("{}: {}, {}\n", options.in, source.kind, source.description);
    for (const std::string& remark : source.remarks) fmt::print("  {}\n", remark);
    fmt::print("  bounds        {} to {}\n", vector_text(field->bounds().lower), vector_text(field->bounds().upper));
    fmt::print("  error bound   {:.3g} m, Lipschitz constant {:.4g}\n", field->error_bound(), field->lipschitz());
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

GridFile build_field(const FieldSource& source, const FieldOptions& options, Session& session) {
    const GridOptions grid = grid_options(options, session);
    if (source.mesh) {
        const FieldCache cache = options.no_cache ? FieldCache(std::filesystem::path()) : FieldCache();
        CachedGrid made = cached_grid(*source.mesh, grid, cache);
        if (made.found) print_status(session.quiet, "read from the cache");
        if (!made.not_kept.empty()) print_status(session.quiet, "not written to the cache: {}", made.not_kept);
        return {std::move(made.file.field), "fathom", std::move(made.file.note), {}};
    }
    BakeOptions bake_options{.box = grid.box,
                             .resolution = grid.resolution,
                             .band = grid.band,
                             .dense = grid.dense,
                             .storage = grid.storage,
                             .memory_limit = grid.memory_limit,
                             .progress = grid.progress};
    return {bake(*source.field, bake_options),
            "fathom",
            Json{{"from", source.kind}, {"what", source.description}}.dump(),
            {}};
}

void run_build(const FieldOptions& options, Session& session) {
    const FieldSource source = open_field(options.in);
    const Stopwatch start;
    GridFile file = build_field(source, options, session);
    const double seconds = start.seconds();
    write_grid_file(file.field, options.out, {.note = file.note});
    const auto grid = std::make_shared<const GridField>(file.field);
    const FieldSource result{"grid", "fathom", file.note, {}, {}, grid, grid};
    std::optional<BakedError> certified; // if the error bound of the source is unknown
    if (source.field && !std::isfinite(source.field->error_bound()))
        certified = baked_error(file.field, *source.field, {.progress = session.progress()});
    if (options.json) {
        Json text = description(result, *result.field);
        text["seconds"] = seconds;
        text["file"] = options.out;
        if (certified) text["certified_error"] = finite_or_null(certified->largest);
        return fmt::print("{}\n", text.dump(2));
    }
    const GridData& data = file.field.data();
    print_status(session.quiet, "{} x {} x {} cells, {} bricks stored, {:.1f} MB, {:.2f} s -> {}", data.layout.cells(0),
                 data.layout.cells(1), data.layout.cells(2), with_commas(data.stored_bricks()),
                 static_cast<double>(data.bytes()) * 1e-6, seconds, options.out);
    if (const std::string sign = sign_text(file.note); !sign.empty()) print_status(session.quiet, "sign: {}", sign);
    if (certified)
        print_status(session.quiet,
                     "certified: error at most {:.3g} m in all {} cells near the surface, relative to the {} field",
                     certified->largest, with_commas(certified->cells), source.kind);
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
    print_status(session.quiet, "{} x {} pixels, contour spacing {:.3g} m -> {}", image.width, image.height,
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
    print_status(session.quiet, "level {:.4g} m: {} vertices, {} triangles -> {}", options.level,
                 with_commas(mesh.vertices.size()), with_commas(mesh.triangles.size()), options.out);
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
    print_status(session.quiet, "{} points -> {}", with_commas(points.size()), options.out);
}

void run_convert(const FieldOptions& options, const Session& session) {
    const GridFile file = read_grid_file(options.in, options.read);
    for (const std::string& remark : file.remarks) print_status(session.quiet, "{}", remark);
    write_grid_file(file.field, options.out, {.note = file.note});
    print_status(session.quiet, "{} ({}) -> {}", options.in, file.format, options.out);
}

Command add_command(const Command& field, const char* name, const char* about, const char* example) {
    const Command command = field.add_command(name, about);
    command.footer(example);
    return command;
}

void add_build(const Command& field, Session& session) {
    const auto o = std::make_shared<FieldOptions>();
    const Command command =
        add_command(field, "build", "Sample the signed distance of a mesh or field on a grid", R"~(Examples:
  fathom field build bunny.obj -r 256 -o bunny.fathom
  fathom field build scan.stl -r 512 -o scan.vti --sign winding
  fathom field build "smooth_union(sphere(1), box(1, 2, 3), 0.2)" -r 128 -o blend.fathom

The sign method is chosen from the topology of the mesh and reported. Grids of meshes are stored in a cache
(FATHOM_CACHE, ~/.cache/fathom).)~");
    command.add_option("FIELD", o->in, field_help).required();
    command.add_option("-o,--output", o->out, "Grid file to write; the extension determines the format").required();
    command.add_option("-r,--resolution", o->grid.resolution, "Cells along the longest side")
        .show_default()
        .check(range(1, 16384));
    command.add_flag("--dense", o->grid.dense, "Store every sample, so that all samples are exact");
    command.add_option("--sign", o->sign, "Sign method: auto, pseudo_normal, parity, winding, wrap or thickness")
        .show_default();
    command.add_option("--band", o->grid.band, "Every sample within this distance of the surface is exact (cells)")
        .show_default();
    command.add_option("--margin", o->grid.margin, "Free space around the mesh, as a fraction of its longest side")
        .show_default();
    command.add_option("--thickness", o->grid.thickness,
                       "With --sign thickness: thickness of the sheet (m; 0: two cells)");
    command.add_option("--wrap", o->grid.wrap,
                       "With --sign wrap: holes up to twice this width are closed (m; 0: two cells)");
    command.add_flag("--float", o->floats, "Store floats instead of 16-bit codes");
    command.add_option("--memory-limit", o->memory, "Fail if the grid would need more memory (MB)");
    command.add_flag("--no-cache", o->no_cache, "Neither read nor write the cache");
    command.add_flag("--json", o->json, "Print a description of the grid as JSON");
    command.run([o, &session] { run_build(*o, session); });
}

void add_slice_and_mesh(const Command& field, Session& session) {
    const auto s = std::make_shared<FieldOptions>();
    const Command slice = add_command(field, "slice", "Draw a slice with contour lines, coloured by sign", R"~(Examples:
  fathom field slice bunny.fathom -o bunny.png
  fathom field slice "torus(1, 0.3)" -o torus.png --axis y --at 0 --cells)~");
    slice.add_option("FIELD", s->in, field_help).required();
    slice.add_option("-o,--output", s->out, "PNG file to write").required();
    slice.add_option("--axis", s->axis, "Axis normal to the slice: x, y or z")
        .show_default()
        .check(one_of({"x", "y", "z"}));
    const Option at =
        slice.add_option("--at", s->position, "Position along that axis (m); default: centre of the bounds");
    slice.add_option("--size", s->slice.size, "Length of the longer side (pixels)").show_default();
    slice.add_option("--spacing", s->slice.spacing, "Spacing of contour lines (m); 0: automatic");
    slice.add_flag("--cells", s->slice.cells, "Outline the bricks and cells of a grid");
    slice.add_flag("--no-lines", s->no_lines, "Draw only the zero contour");
    slice.run([s, at, &session] { run_slice(*s, at.given(), session); });

    const auto m = std::make_shared<FieldOptions>();
    const Command mesh = add_command(field, "mesh", "Extract the isosurface at a level as a closed mesh", R"~(Examples:
  fathom field mesh bunny.fathom -o surface.ply
  fathom field mesh bunny.fathom -o grown.ply --level 0.02
  fathom field mesh "heart()" -o heart.glb -r 200)~");
    mesh.add_option("FIELD", m->in, field_help).required();
    mesh.add_option("-o,--output", m->out, "Mesh file to write; the extension determines the format").required();
    mesh.add_option("--level", m->level, "Signed distance of the isosurface (m)").show_default();
    mesh.add_option("-r,--resolution", m->grid.resolution,
                    "Cells along the longest side, for fields that are not grids")
        .show_default()
        .check(range(1, 16384));
    mesh.run([m, &session] { run_mesh(*m, session); });
}

void add_info_sample_convert(const Command& field, Session& session) {
    const auto i = std::make_shared<FieldOptions>();
    const Command info = add_command(field, "info", "Describe a field: kind, bounds and error bound",
                                     "Example:\n  fathom field info bunny.fathom");
    info.add_option("FIELD", i->in, field_help).required();
    info.add_flag("--json", i->json, "Print JSON");
    info.run([i] { run_info(*i); });

    const auto p = std::make_shared<FieldOptions>();
    const Command sample =
        add_command(field, "sample", "Evaluate distances, and optionally gradients, at points", R"~(Example:
  fathom field sample bunny.fathom points.npy -o distances.npy --gradient

POINTS has shape (N, 3). The result has shape (N, 1), or (N, 4) with --gradient: distance, then gradient. float64.)~");
    sample.add_option("FIELD", p->in, field_help).required();
    sample.add_option("POINTS", p->points, "NumPy file with points (m)").required();
    sample.add_option("-o,--output", p->out, "NumPy file to write").required();
    sample.add_flag("--gradient", p->gradient, "Also write the gradient");
    sample.run([p, &session] { run_sample(*p, session); });

    const auto c = std::make_shared<FieldOptions>();
    const Command convert = add_command(field, "convert", "Convert a grid between file formats", R"~(Examples:
  fathom field convert bunny.fathom bunny.vti                  for ParaView
  fathom field convert volume.npy volume.fathom --cell 0.01)~");
    convert.add_option("IN", c->in, "Grid file to read: .fathom .npy .nrrd .vti .sdf .dist .vdb").required();
    convert.add_option("OUT", c->out, "Grid file to write; the extension determines the format").required();
    convert.add_option("--cell", c->read.cell, "Cell size of an .npy array, which does not contain it (m)")
        .check(above_zero());
    convert.run([c, &session] { run_convert(*c, session); });
}

} // namespace

void add_field(const Command& program, Session& session) {
    const Command field =
        program.add_command("field", "Build, fit, describe, slice, mesh, sample and convert distance fields");
    field.require_command();
    field.footer("Example:\n  fathom field build bunny.obj -r 256 -o bunny.fathom\n  fathom field slice bunny.fathom "
                 "-o bunny.png\n\nRun `fathom field COMMAND --help` for the options of a command.");
    add_build(field, session);
    add_field_fit(field, session);
    add_slice_and_mesh(field, session);
    add_info_sample_convert(field, session);
}

} // namespace fathom::tool
