// fathom field fit: a network that has learned the distances of a mesh.
#include <tool/field_source.h>
#include <tool/json_values.h>
#include <tool/number_checks.h>
#include <tool/terminal.h>
#include <tool/verbs.h>

#include <fathom/base/error.h>
#include <fathom/field/neural/network_file.h>
#include <fathom/field/neural/network_fit.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace fathom::tool {

namespace {

struct FitVerbOptions {
    std::string in, out;
    std::string activation{name(FitOptions{}.activation)};
    FitOptions fit{};
    bool json = false;
};

constexpr std::array learners = {Activation::relu, Activation::elu, Activation::tanh, Activation::sine,
                                 Activation::softplus};

Activation activation_named(const std::string& wanted) {
    const auto found = std::ranges::find(learners, wanted, [](Activation a) { return name(a); });
    if (found == learners.end())
        throw Error(Cause::invalid_argument, fmt::format("'{}' is none of relu, elu, tanh, sine, softplus", wanted),
                    {.element = "--activation"});
    return *found;
}

// Told before a minute is spent on what cannot be kept.
void check_folder(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw Error(Cause::cannot_write, "its folder does not exist", {.file = file});
}

const char* ending(const FitReport& report) {
    if (report.reached) return "the error wanted was reached";
    return report.cut_short ? "time ran out early" : "as planned";
}

Json as_json(const FitVerbOptions& options, const FittedNetwork& fitted) {
    const FitReport& r = fitted.report;
    Json text = {{"file", options.out},
                 {"mesh", options.in},
                 {"layers", options.fit.layers},
                 {"width", options.fit.width},
                 {"activation", options.activation},
                 {"weights", fitted.network.weight_count()},
                 {"seed", options.fit.seed},
                 {"domain", tool::as_json(fitted.network.domain)},
                 {"sign", r.sign},
                 {"longest_side", r.longest_side},
                 {"near", fit_near * r.longest_side},
                 {"mean_error", r.mean_error},
                 {"max_error", r.max_error},
                 {"mean_error_share", r.mean_error / r.longest_side},
                 {"max_error_share", r.max_error / r.longest_side},
                 {"mean_domain_error", r.mean_domain_error},
                 {"near_sign_errors", r.near_sign_errors},
                 {"sign_errors", r.sign_errors},
                 {"iou", r.overlap},
                 {"steps", r.steps},
                 {"samples", r.samples},
                 {"seconds", r.seconds},
                 {"reached", r.reached},
                 {"cut_short", r.cut_short},
                 {"course", Json::array()}};
    for (const FitReport::Moment& m : r.course)
        text["course"].push_back({{"steps", m.steps}, {"seconds", m.seconds}, {"error", m.error}});
    return text;
}

// A few moments of the course, the last among them.
void print_course(const FitReport& report) {
    constexpr std::size_t lines = 6;
    const std::size_t stride = std::max<std::size_t>(1, (report.course.size() + lines - 2) / (lines - 1));
    const auto print = [&](const FitReport::Moment& m) {
        fmt::print("    {:>8} {:>8.2f} {:>9.4f}\n", with_commas(static_cast<std::size_t>(m.steps)), m.seconds,
                   100 * m.error / report.longest_side);
    };
    fmt::print("    {:>8} {:>8} {:>9}\n", "steps", "seconds", "error %");
    for (std::size_t i = 0; i + 1 < report.course.size(); i += stride) print(report.course[i]);
    print(report.course.back());
}

void print_report(const FitVerbOptions& options, const FittedNetwork& fitted) {
    const FitReport& r = fitted.report;
    const auto percent = [&](double metres) { return 100 * metres / r.longest_side; };
    fmt::print("{} -> {}: {} x {} {}, {} weights\n", options.in, options.out, options.fit.layers, options.fit.width,
               options.activation, with_commas(fitted.network.weight_count()));
    fmt::print("  sign          {}\n", r.sign);
    fmt::print("  mean error    {:.4f} % of the longest side ({:.3g} m), within {:.3g} m of the surface\n",
               percent(r.mean_error), r.mean_error, fit_near * r.longest_side);
    fmt::print("  max error     {:.3f} % ({:.3g} m) there; mean anywhere {:.4f} %\n", percent(r.max_error), r.max_error,
               percent(r.mean_domain_error));
    fmt::print("  wrong signs   {:.3f} % there; {:.4f} % anywhere\n", 100 * r.near_sign_errors, 100 * r.sign_errors);
    fmt::print("  overlap       {:.5f} (volume of both over volume of either)\n", r.overlap);
    fmt::print("  course        {} steps on {} samples in {:.1f} s; ended: {}\n",
               with_commas(static_cast<std::size_t>(r.steps)), with_commas(r.samples), r.seconds, ending(r));
    print_course(r);
}

void run(const FitVerbOptions& options, Session& session) {
    check_folder(options.out);
    const FieldSource source = open_field(options.in);
    if (!source.mesh)
        throw Error(Cause::invalid_argument,
                    fmt::format("a mesh is needed, and this is a {}; `fathom field mesh` makes one of it", source.kind),
                    {.file = options.in});
    FitOptions fit = options.fit;
    fit.activation = activation_named(options.activation);
    fit.progress = session.progress();
    const FittedNetwork fitted = fit_network(*source.mesh, fit);
    write_network(options.out, fitted.network);
    if (options.json)
        fmt::print("{}\n", as_json(options, fitted).dump(2));
    else
        print_report(options, fitted);
}

} // namespace

void add_field_fit(CLI::App& field, Session& session) {
    const auto o = std::make_shared<FitVerbOptions>();
    CLI::App* verb = field.add_subcommand("fit", "A network that learns the distances of a mesh");
    verb->footer(R"~(Examples:
  fathom field fit bunny.obj -o bunny.fnet
  fathom field fit bunny.obj -o bunny.fnet --seconds 10 --json
  fathom field fit torus -o torus.onnx --layers 4 --width 16 --error 0.002
  fathom field fit bunny.obj -o same.fnet --steps 20480      what a run of that many steps gave, to the bit

Errors are shares of the mesh's longest side, near the surface. Same seed, samples and steps, same network.)~");
    verb->add_option("MESH", o->in, "A mesh file, or a shape of `fathom make`")->required();
    verb->add_option("-o,--output", o->out, "Network to write; its ending tells the format")->required();
    verb->add_option("--layers", o->fit.layers, "Hidden layers")->capture_default_str()->check(CLI::Range(1, 16));
    verb->add_option("--width", o->fit.width, "Of each layer")->capture_default_str()->check(CLI::Range(1, 512));
    verb->add_option("--activation", o->activation, "relu, elu, tanh, sine or softplus")->capture_default_str();
    verb->add_option("--seconds", o->fit.seconds, "Of the wall clock, in all")
        ->capture_default_str()
        ->check(above_zero());
    verb->add_option("--error", o->fit.error,
                     "Stop when the mean error is below this share of the longest side (0: never)")
        ->capture_default_str()
        ->check(at_least_zero());
    verb->add_option("--steps", o->fit.steps,
                     "Exactly so many, whatever time they take (0: as many as the seconds allow)")
        ->check(CLI::Range(0, 100'000'000));
    verb->add_option("--samples", o->fit.samples, "Points to learn from at most")->capture_default_str();
    verb->add_option("--seed", o->fit.seed, "Another seed, another network")->capture_default_str();
    verb->add_flag("--json", o->json, "The report as JSON on stdout");
    verb->callback([o, &session] { run(*o, session); });
}

} // namespace fathom::tool
