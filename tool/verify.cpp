// fathom verify: compares all methods with each other, on random shapes of every kind or on given shapes.
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <tool/verify/referee.h>

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

struct ShapePair {
    std::string a, b;
    std::function<Shape(Random&)> make_a, make_b;
};

std::vector<ShapePair> pairs_of_kinds() {
    std::vector<ShapePair> pairs;
    for (const ShapeKind a : all_shape_kinds)
        for (const ShapeKind b : all_shape_kinds)
            if (a <= b)
                pairs.push_back({std::string(name(a)), std::string(name(b)),
                                 [a](Random& random) { return random_shape(a, random); },
                                 [b](Random& random) { return random_shape(b, random); }});
    return pairs;
}

// All pairs of files, including each file with itself.
std::vector<ShapePair> pairs_of_files(const std::vector<std::string>& files) {
    std::vector<Shape> shapes;
    shapes.reserve(files.size());
    for (const std::string& file : files) shapes.push_back(shape_of(open_field(file)));
    std::vector<ShapePair> pairs;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t j = i; j < files.size(); ++j)
            pairs.push_back(
                {files[i], files[j], [s = shapes[i]](Random&) { return s; }, [s = shapes[j]](Random&) { return s; }});
    return pairs;
}

RefereeReport verify_pair(const ShapePair& pair, const VerifyArguments& arguments) {
    Random random(arguments.seed);
    RefereeReport all;
    for (std::size_t k = 0; k < arguments.poses; ++k) {
        const Shape a = pair.make_a(random), b = pair.make_b(random);
        const RandomPoses now = random_poses(a, b, random), later = random_poses(a, b, random);
        all.add(judge(a, now.a, b, now.b, later.b, random, {.sweeps = arguments.sweeps, .sampling = k % 5 == 0}));
    }
    return all;
}

Json report_json(const ShapePair& pair, const RefereeReport& r) {
    return {{"a", pair.a},
            {"b", pair.b},
            {"claims", r.claims},
            {"touching", r.touching},
            {"apart", r.apart},
            {"open", r.open},
            {"moving_contacts", r.contacts_in_motion},
            {"unproven", r.unproven},
            {"contradictions", r.contradictions}};
}

void print_line(const ShapePair& pair, const RefereeReport& r) {
    fmt::print("{:<28} {:>6} claims, {:>3} overlapping, {:>3} disjoint, {:>3} undecided, {:>3} unproven: {}\n",
               pair.a + " x " + pair.b, with_commas(r.claims), r.touching, r.apart, r.open, r.unproven,
               r.contradictions.empty() ? "consistent" : fmt::format("{} CONTRADICTIONS", r.contradictions.size()));
    for (std::size_t k = 0; k < std::min<std::size_t>(r.contradictions.size(), 3); ++k)
        fmt::print("    {}\n", r.contradictions[k]);
}

void run_verify(const VerifyArguments& arguments, Session& session) {
    const std::vector<ShapePair> pairs = arguments.files.empty() ? pairs_of_kinds() : pairs_of_files(arguments.files);
    RefereeReport all;
    Json rows = Json::array();
    {
        Stage stage(session.progress(), "verifying", pairs.size());
        for (const ShapePair& pair : pairs) {
            const RefereeReport report = verify_pair(pair, arguments);
            if (arguments.json)
                rows.push_back(report_json(pair, report));
            else
                print_line(pair, report);
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
        throw Error(Cause::malformed, fmt::format("{} contradictions between methods", all.contradictions.size()));
}

} // namespace

void add_verify(const Command& program, Session& session) {
    const auto o = std::make_shared<VerifyArguments>();
    const Command command =
        program.add_command("verify", "Compare all methods with each other, on random or given shapes");
    command.footer(R"~(Examples:
  fathom verify                       random shapes, all pairs of kinds, both orders
  fathom verify bunny.obj torus.vtu   these two shapes, and each with itself
  fathom verify "sphere(1)" --poses 200

A claim is one statement of a result: "disjoint", a witness point, a bound on the distance, a contact interval. The
exit code is 1 if any two claims contradict each other.)~");
    command.add_option("SHAPES", o->files, field_help);
    command.add_option("--poses", o->poses, "Number of random poses per pair").check(range(1, 1000000));
    command.add_option("--seed", o->seed, "Seed of the random shapes and poses");
    command.add_flag("!--no-sweeps", o->sweeps, "Do not test moving shapes");
    command.add_flag("--json", o->json, "Print JSON");
    command.run([o, &session] { run_verify(*o, session); });
}

} // namespace fathom::tool
