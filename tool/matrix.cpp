// fathom matrix: lists the methods for each query and pair of shape kinds, with timings measured on this machine.
#include <tool/commands.h>
#include <tool/output.h>

#include <tool/verify/referee.h>

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
            if (measured && cell.error > 0) fmt::print("  error {:.1g}", cell.error);
            if (measured && cell.undecided > 0) fmt::print("  {} undecided", cell.undecided);
            fmt::print("  ({})\n", cell.methods.front().guarantee);
        }
    }
}

} // namespace

void add_matrix(const Command& program, Session& session) {
    const auto o = std::make_shared<MatrixArguments>();
    const Command command =
        program.add_command("matrix", "List the methods for each pair of shape kinds, with guarantee, time and error");
    command.footer(R"~(Examples:
  fathom matrix                 all pairs, measured on small random shapes
  fathom matrix --poses 0       the table without measurements
  fathom matrix --markdown      in the form of docs/matrix.md)~");
    command.add_option("--poses", o->poses, "Number of random poses measured per pair; 0: no measurements")
        .check(range(0, 100000));
    command.add_option("--seed", o->seed, "Seed of the random shapes");
    command.add_flag("--markdown", o->markdown, "Print a Markdown table");
    command.add_flag("--json", o->json, "Print JSON with all methods of each pair");
    command.run([o, &session] {
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
