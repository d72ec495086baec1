// Shapes, options and results of the commands collide, distance and sweep.
#include <tool/compound_file.h>
#include <tool/pair_query.h>

#include <fathom/base/error.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::tool {

namespace {

std::vector<std::string> method_names() {
    std::vector<std::string> names = {std::string(name(Method::automatic))};
    for (const Method method : all_methods) names.emplace_back(name(method));
    return names;
}

Json index_or_null(Index index) { return index == no_index ? Json(nullptr) : Json(index); }
Json feature_json(const Feature& f) { return {{"element", index_or_null(f.element)}, {"part", index_or_null(f.part)}}; }

Json contact_json(const Contact& c) {
    return {{"point_a", as_json(c.point_a)},
            {"point_b", as_json(c.point_b)},
            {"normal", as_json(c.normal)},
            {"depth", c.depth},
            {"region", c.region},
            {"feature_a", feature_json(c.feature_a)},
            {"feature_b", feature_json(c.feature_b)}};
}

template <class Result>
Json head_json(const Result& result) {
    return {{"status", status_text(result.status)},
            {"proven", result.proven},
            {"note", result.note},
            {"method", name(result.method)}};
}

} // namespace

void add_pair_options(const Command& command, PairArguments& arguments) {
    command.add_option("A", arguments.a, field_help).required();
    command.add_option("B", arguments.b, field_help).required();
    command.add_option("--method", arguments.method, "Force a method of the table (`fathom matrix` prints it)")
        .check(one_of(method_names()))
        .show_default();
    command
        .add_option("--effort", arguments.effort,
                    "Multiply the limit on evaluations before a result is undecided or not converged")
        .check(range(1e-3, 1e6))
        .show_default();
    command
        .add_option("--grid", arguments.grid,
                    "Sample meshes on grids with this many cells along the longest side; otherwise a mesh stays a mesh")
        .check(range(8, 16384));
    command.add_option("--html", arguments.html, html_help);
    command.add_flag("--json", arguments.json, "Print JSON");
}

NamedShape open_shape(const std::string& text, const PairArguments& arguments, Session& session) {
    if (is_compound_file(text)) {
        if (!arguments.html.empty())
            throw Error(Cause::unsupported, "--html does not show compound shapes", {.file = text});
        Shape shape = read_compound(text);
        return {describe_compound(shape), std::move(shape)};
    }
    FieldSource source = open_field(text);
    std::string description = fmt::format("{}: {}", source.kind, source.description);
    if (source.mesh && arguments.grid > 0) {
        mesh_to_grid(source, arguments.grid, session.progress());
        description += fmt::format(", sampled on a grid with {} cells along the longest side", arguments.grid);
    }
    ViewerBody body;
    if (!arguments.html.empty())
        body = make_viewer_body(text, source, arguments.grid > 0 ? std::min(arguments.grid, 128) : 128,
                                session.progress());
    const bool as_grid = source.mesh && arguments.grid > 0;
    return {std::move(description), as_grid ? Shape(source.field) : shape_of(source), std::move(body)};
}

Method method_from_text(const std::string& text) {
    for (const Method method : all_methods)
        if (name(method) == text) return method;
    return Method::automatic; // the parser has refused every other text
}

Json to_json(const CollideResult& result) {
    Json json = head_json(result);
    const bool separated = result.separates != Separates::unknown;
    json["depth"] = finite_or_null(result.depth);
    json["normal"] = separated ? as_json(result.normal) : Json(nullptr);
    json["separates"] = name(result.separates);
    json["unique"] = result.unique;
    json["local_depth"] = finite_or_null(result.local_depth);
    json["local_depth_bound"] = finite_or_null(result.local_depth_bound);
    json["witness"] = result.status == Status::overlapping ? as_json(result.witness) : Json(nullptr);
    json["error_bound"] = finite_or_null(result.error_bound);
    json["more_contacts"] = result.more_contacts;
    json["budget_exhausted"] = result.budget_exhausted;
    json["contacts"] = Json::array();
    for (const Contact& c : result.contacts) json["contacts"].push_back(contact_json(c));
    return json;
}

Json to_json(const DistanceResult& result) {
    Json json = head_json(result);
    json["lower_bound"] = finite_or_null(result.lower_bound);
    json["upper_bound"] = finite_or_null(result.upper_bound);
    const bool found = std::isfinite(result.upper_bound);
    json["point_a"] = found ? as_json(result.point_a) : Json(nullptr);
    json["point_b"] = found ? as_json(result.point_b) : Json(nullptr);
    json["normal"] = found ? as_json(result.normal) : Json(nullptr);
    json["error_bound"] = finite_or_null(result.error_bound);
    json["converged"] = result.converged;
    return json;
}

Json to_json(const SweepResult& result) {
    const bool contact = result.status != Status::disjoint;
    Json json = head_json(result);
    json["time"] = contact ? Json(result.time) : Json(nullptr);
    json["error"] = contact ? Json(result.error) : Json(nullptr);
    json["point"] = result.status == Status::overlapping ? as_json(result.point) : Json(nullptr);
    json["normal"] = result.status == Status::overlapping ? as_json(result.normal) : Json(nullptr);
    json["intervals"] = Json::array();
    for (const ContactInterval& i : result.intervals)
        json["intervals"].push_back({{"start", i.start}, {"end", i.end}, {"proven", i.proven}});
    json["error_bound"] = finite_or_null(result.error_bound);
    json["budget_exhausted"] = result.budget_exhausted;
    return json;
}

void add_interiors(Json& json, const NamedShape& a, const NamedShape& b) {
    for (const auto& [key, shape] : {std::pair("interior_a", &a.shape), std::pair("interior_b", &b.shape)})
        json[key] = {{"interior", name(shape->interior())}, {"reason", shape->interior_reason()}};
}

void print_head(Status status, bool proven, std::string_view note, const NamedShape& a, const NamedShape& b) {
    fmt::print("{}{}\n", status_text(status),
               proven                        ? ", proven"
               : status == Status::undecided ? ": neither contact nor its absence is proven"
               : note.empty()                ? ", not proven: see the error"
                                             : ", not proven: see the note");
    for (const auto& [letter, named] : {std::pair('A', &a), std::pair('B', &b)}) {
        const Shape& shape = named->shape;
        fmt::print("  {}          {} ({})\n", letter, named->description, name(shape.kind()));
        if (!shape.interior_reason().empty() && shape.interior() != MeshInterior::closed)
            fmt::print("             {}: {}\n", name(shape.interior()), shape.interior_reason());
    }
    if (!note.empty()) fmt::print("  note       {}\n", note);
}

void print_method(Method method, Question question, const NamedShape& a, const NamedShape& b) {
    const std::vector<PairMethod> methods = methods_for(a.shape.kind(), b.shape.kind(), question);
    const auto row =
        std::find_if(methods.begin(), methods.end(), [&](const PairMethod& m) { return m.method == method; });
    fmt::print("  method     {}{}\n", name(method),
               row == methods.end() ? std::string() : fmt::format(": {}", row->guarantee));
}

void print_error(double error_bound, const NamedShape& a, const NamedShape& b) {
    if (!std::isfinite(error_bound))
        fmt::print("  error      unknown: an interior is guessed, or the values of a field are not a distance\n");
    else if (error_bound > 0)
        fmt::print("  error      at most {:.3g} m: {}\n", error_bound,
                   a.shape.error_bound() > 0 || b.shape.error_bound() > 0 ? "of the shapes as they are sampled"
                                                                          : "of the computation");
    else
        fmt::print("  error      0: the shapes are exact\n");
}

} // namespace fathom::tool
