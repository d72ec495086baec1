// fathom matrix: which method answers which question about which pair of shapes, measured here and now.
#include <tool/json_values.h>
#include <tool/verbs.h>

#include <fathom/detect/check/matrix.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace fathom::tool {

namespace {

struct MatrixArguments {
    std::size_t poses = 10;
    std::uint64_t seed = 1;
    bool markdown = false, json = false;
};

Json cell_json(const MatrixCell& cell) {
    Json methods = Json::array();
    for (const PairMethod& m : cell.methods)
        methods.push_back({{"method", name(m.method)}, {"guarantee", m.guarantee}});
    return {{"question", name(cell.question)},
            {"methods", methods},
            {"microseconds", cell.microseconds},
            {"error", cell.error},
            {"undecided", cell.undecided}};
}

void print_json(const std::vector<MatrixRow>& rows) {
    Json all = Json::array();
    for (const MatrixRow& row : rows) {
        Json cells = Json::array();
        for (const MatrixCell& cell : row.cells) cells.push_back(cell_json(cell));
        all.push_back({{"a", name(row.a)}, {"b", name(row.b)}, {"questions", cells}});
    }
    fmt::print("{}\n", all.dump(2));
}

void print_lines(const std::vector<MatrixRow>& rows, bool measured) {
    for (const MatrixRow& row : rows) {
        fmt::print("{} x {}\n", name(row.a), name(row.b));
        for (const MatrixCell& cell : row.cells) {
            fmt::print("  {:<12} {:<17}", name(cell.question), name(cell.methods.front().method));
            if (measured) fmt::print("{:>10.4g} us", cell.microseconds);
            if (measured && cell.error > 0) fmt::print("  within {:.1g}", cell.error);
            if (measured && cell.undecided > 0) fmt::print("  {} undecided", cell.undecided);
            fmt::print("  ({})\n", cell.methods.front().guarantee);
        }
    }
}

} // namespace

void add_matrix(CLI::App& program, Session& session) {
    const auto o = std::make_shared<MatrixArguments>();
    CLI::App* verb = program.add_subcommand(
        "matrix", "Which method answers for which pair of shapes, with what guarantee, time and error");
    verb->footer(R"~(Examples:
  fathom matrix                 every pair, measured on small random shapes
  fathom matrix --poses 0       the table alone
  fathom matrix --markdown      as docs/matrix.md has it)~");
    verb->add_option("--poses", o->poses, "Poses of each pair to measure; 0: none")->check(CLI::Range(0, 100000));
    verb->add_option("--seed", o->seed, "Of the random shapes");
    verb->add_flag("--markdown", o->markdown, "As a table for documents");
    verb->add_flag("--json", o->json, "For machines, with all methods of each pair");
    verb->callback([o, &session] {
        const std::vector<MatrixRow> rows =
            measure_matrix({.poses = o->poses, .seed = o->seed, .progress = session.progress()});
        if (o->json)
            print_json(rows);
        else if (o->markdown)
            fmt::print("{}", matrix_markdown(rows, o->poses > 0));
        else
            print_lines(rows, o->poses > 0);
    });
}

} // namespace fathom::tool
