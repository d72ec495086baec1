// What the commands collide, distance and sweep share: two shapes named on the command line, the options of every
// query, and the results as text and JSON. The JSON keys are the names of the members of the results in
// detect/query/query.h.
#pragma once

#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/detect/query/query.h>

#include <optional>
#include <string>

namespace fathom::tool {

struct PairArguments {
    std::string a, b;
    std::string method = "automatic";
    std::string html; // output file; empty: not written
    int grid = 0;     // cells along the longest side of meshes; 0: meshes stay meshes
    double effort = 1;
    bool json = false;
};

// Adds A, B, --method, --effort, --grid, --html and --json. `arguments` must outlive the parsing.
void add_pair_options(const Command& command, PairArguments& arguments);

struct NamedShape {
    std::string description;
    Shape shape;
    ViewerBody viewer_body{}; // for --html
};

// Opens a shape. With --grid a mesh is sampled on a grid.
[[nodiscard]] NamedShape open_shape(const std::string& text, const PairArguments& arguments, Session& session);

[[nodiscard]] Method method_from_text(const std::string& text); // a name of the table, or "automatic"

[[nodiscard]] Json to_json(const CollideResult& result);
[[nodiscard]] Json to_json(const DistanceResult& result);
[[nodiscard]] Json to_json(const SweepResult& result);
// How the interior of each shape was determined.
void add_interiors(Json& json, const NamedShape& a, const NamedShape& b);

// First lines of a report: the status and whether it is proven, and both shapes.
void print_head(Status status, bool proven, std::string_view note, const NamedShape& a, const NamedShape& b);
// Last lines of a report: the method with its guarantee, and the error of the shapes.
void print_method(Method method, Question question, const NamedShape& a, const NamedShape& b);
void print_error(double error_bound, const NamedShape& a, const NamedShape& b);

} // namespace fathom::tool
