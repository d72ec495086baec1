// fathom verify: the methods held against each other, on random shapes of every kind or on the user's own.
#include <tool/field_source.h>
#include <tool/json_values.h>
#include <tool/terminal.h>
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/detect/check/random_shape.h>
#include <fathom/detect/check/referee.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <functional>
#include <memory>

namespace fathom::tool {

namespace {

struct VerifyArguments {
    std::vector<std::string> files;
    std::size_t poses = 20;
    std::uint64_t seed = 1;
    bool sweeps = true, json = false;
};

struct Duel {
    std::string a, b;
    std::function<Shape(Random&)> make_a, make_b;
};

std::vector<Duel> duels_of_kinds() {
    std::vector<Duel> duels;
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds)
            if (a <= b)
                duels.push_back({std::string(name(a)), std::string(name(b)),
                                 [a](Random& random) { return random_shape(a, random); },
                                 [b](Random& random) { return random_shape(b, random); }});
    return duels;
}

// Every file against every other and itself.
std::vector<Duel> duels_of_files(const std::vector<std::string>& files) {
    std::vector<Shape> shapes;
    for (const std::string& file : files) shapes.push_back(shape_of(open_field(file)));
    std::vector<Duel> duels;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t j = i; j < files.size(); ++j)
            duels.push_back(
                {files[i], files[j], [s = shapes[i]](Random&) { return s; }, [s = shapes[j]](Random&) { return s; }});
    return duels;
}

RefereeReport fight(const Duel& duel, const VerifyArguments& arguments) {
    Random random(arguments.seed);
    RefereeReport all;
    for (std::size_t k = 0; k < arguments.poses; ++k) {
        const Shape a = duel.make_a(random), b = duel.make_b(random);
        const RandomPoses now = random_poses(a, b, random), later = random_poses(a, b, random);
        all.add(judge(a, now.a, b, now.b, later.b, random, {.sweeps = arguments.sweeps, .depth_maps = k % 5 == 0}));
    }
    return all;
}

Json report_json(const Duel& duel, const RefereeReport& r) {
    return {{"a", duel.a},
            {"b", duel.b},
            {"claims", r.claims},
            {"touching", r.touching},
            {"apart", r.apart},
            {"open", r.open},
            {"moving_contacts", r.contacts_in_motion},
            {"unproven", r.unproven},
            {"contradictions", r.contradictions}};
}

void print_line(const Duel& duel, const RefereeReport& r) {
    fmt::print("{:<28} {:>6} claims, {:>3} touch, {:>3} apart, {:>3} open, {:>3} unproven: {}\n",
               duel.a + " x " + duel.b, with_commas(r.claims), r.touching, r.apart, r.open, r.unproven,
               r.contradictions.empty() ? "agree" : fmt::format("{} CONTRADICTIONS", r.contradictions.size()));
    for (std::size_t k = 0; k < std::min<std::size_t>(r.contradictions.size(), 3); ++k)
        fmt::print("    {}\n", r.contradictions[k]);
}

void run_verify(const VerifyArguments& arguments, Session& session) {
    const std::vector<Duel> duels = arguments.files.empty() ? duels_of_kinds() : duels_of_files(arguments.files);
    RefereeReport all;
    Json rows = Json::array();
    {
        Stage stage(session.progress(), "verifying", duels.size());
        for (const Duel& duel : duels) {
            const RefereeReport report = fight(duel, arguments);
            if (arguments.json)
                rows.push_back(report_json(duel, report));
            else
                print_line(duel, report);
            all.add(report);
            stage.step();
        }
    }
    if (arguments.json)
        fmt::print(
            "{}\n",
            Json{{"pairs", rows}, {"claims", all.claims}, {"contradictions", all.contradictions.size()}}.dump(2));
    else
        fmt::print("{} claims, {} contradictions\n", with_commas(all.claims), all.contradictions.size());
    if (!all.contradictions.empty())
        throw Error(Cause::malformed, fmt::format("methods contradict each other {} times", all.contradictions.size()));
}

} // namespace

void add_verify(CLI::App& program, Session& session) {
    const auto o = std::make_shared<VerifyArguments>();
    CLI::App* verb =
        program.add_subcommand("verify", "All methods held against each other, on random shapes or on yours");
    verb->footer(R"~(Examples:
  fathom verify                       random shapes of every kind, every pair, both orders
  fathom verify bunny.obj torus.vtu   these two, and each with itself
  fathom verify "sphere(1)" --poses 200

A claim is what an answer states: "disjoint", a witness, bounds of a distance, times of contact. Ends with 1 where any two exclude each other.)~");
    verb->add_option("SHAPES", o->files, field_help);
    verb->add_option("--poses", o->poses, "Random poses of each pair")->check(CLI::Range(1, 1000000));
    verb->add_option("--seed", o->seed, "Of shapes and poses");
    verb->add_flag("!--no-sweeps", o->sweeps, "Leave out moving shapes");
    verb->add_flag("--json", o->json, "For machines");
    verb->callback([o, &session] { run_verify(*o, session); });
}

} // namespace fathom::tool
