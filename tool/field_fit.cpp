// fathom field fit: trains a neural network on the signed distance of a mesh.
#include <tool/arguments.h>
#include <tool/commands.h>
#include <tool/field_source.h>
#include <tool/output.h>

#include <fathom/base/error.h>
#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural_io/network_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

namespace fathom::tool {

namespace {

struct FitCommandOptions {
    std::string in, out;
    std::string activation{name(FitOptions{}.activation)};
    FitOptions fit{};
    bool json = false;
};

constexpr std::array activations = {Activation::relu, Activation::elu, Activation::tanh, Activation::sine,
                                    Activation::softplus};

Activation activation_named(const std::string& wanted) {
    const auto found = std::ranges::find(activations, wanted, [](Activation a) { return name(a); });
    if (found == activations.end())
        throw Error(Cause::invalid_argument, fmt::format("'{}' is not one of relu, elu, tanh, sine, softplus", wanted),
                    {.element = "--activation"});
    return *found;
}

// Checked before the fit, which may take a minute.
void check_folder(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw Error(Cause::cannot_write, "the folder does not exist", {.file = file});
}

const char* stop_reason(const FitReport& report) {
    if (report.reached) return "target error reached";
    return report.cut_short ? "time limit reached early" : "as planned";
}

Json options_json(const FitCommandOptions& options, const FittedNetwork& fitted) {
    const FitReport& r = fitted.report;
    Json text = {{"file", options.out},
                 {"mesh", options.in},
                 {"layers", options.fit.layers},
                 {"width", options.fit.width},
                 {"activation", options.activation},
                 {"weights", fitted.network.weight_count()},
                 {"seed", options.fit.seed},
                 {"domain", as_json(fitted.network.domain)},
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

// Prints up to six entries of the error history, including the last.
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

void print_report(const FitCommandOptions& options, const FittedNetwork& fitted) {
    const FitReport& r = fitted.report;
    const auto percent = [&](double metres) { return 100 * metres / r.longest_side; };
    fmt::print("{} -> {}: {} x {} {}, {} weights\n", options.in, options.out, options.fit.layers, options.fit.width,
               options.activation, with_commas(fitted.network.weight_count()));
    fmt::print("  sign          {}\n", r.sign);
    fmt::print("  mean error    {:.4f} % of the longest side ({:.3g} m), within {:.3g} m of the surface\n",
               percent(r.mean_error), r.mean_error, fit_near * r.longest_side);
    fmt::print("  max error     {:.3f} % ({:.3g} m) in the same region; mean in the whole domain {:.4f} %\n",
               percent(r.max_error), r.max_error, percent(r.mean_domain_error));
    fmt::print("  wrong signs   {:.3f} % in the same region; {:.4f} % in the whole domain\n", 100 * r.near_sign_errors,
               100 * r.sign_errors);
    fmt::print("  overlap       {:.5f} (volume of the intersection / volume of the union)\n", r.overlap);
    fmt::print("  training      {} steps on {} samples in {:.1f} s; stopped: {}\n",
               with_commas(static_cast<std::size_t>(r.steps)), with_commas(r.samples), r.seconds, stop_reason(r));
    print_course(r);
}

void run(const FitCommandOptions& options, Session& session) {
    check_folder(options.out);
    const FieldSource source = open_field(options.in);
    if (!source.mesh)
        throw Error(
            Cause::invalid_argument,
            fmt::format("expected a mesh, got a field of kind '{}'; `fathom field mesh` extracts a mesh from a field",
                        source.kind),
            {.file = options.in});
    FitOptions fit = options.fit;
    fit.activation = activation_named(options.activation);
    fit.progress = session.progress();
    const FittedNetwork fitted = fit_network(*source.mesh, fit);
    write_network(options.out, fitted.network);
    if (options.json)
        fmt::print("{}\n", options_json(options, fitted).dump(2));
    else
        print_report(options, fitted);
}

} // namespace

void add_field_fit(const Command& field, Session& session) {
    const auto o = std::make_shared<FitCommandOptions>();
    const Command command = field.add_command("fit", "Train a neural network on the signed distance of a mesh");
    command.footer(R"~(Examples:
  fathom field fit bunny.obj -o bunny.fnet
  fathom field fit bunny.obj -o bunny.fnet --seconds 10 --json
  fathom field fit torus -o torus.onnx --layers 4 --width 16 --error 0.002
  fathom field fit bunny.obj -o same.fnet --steps 20480      reproducible to the bit

Errors are fractions of the longest side of the mesh, measured near the surface. The same seed, samples and steps give
the same network.)~");
    command.add_option("MESH", o->in, "Mesh file, or name of a generated shape (`fathom make --list`)").required();
    command.add_option("-o,--output", o->out, "Network file to write; the extension determines the format").required();
    command.add_option("--layers", o->fit.layers, "Number of hidden layers").show_default().check(range(1, 16));
    command.add_option("--width", o->fit.width, "Width of each hidden layer").show_default().check(range(1, 512));
    command.add_option("--activation", o->activation, "Activation: relu, elu, tanh, sine or softplus").show_default();
    command.add_option("--seconds", o->fit.seconds, "Limit of the total wall-clock time (s)")
        .show_default()
        .check(above_zero());
    command
        .add_option("--error", o->fit.error,
                    "Stop when the mean error is below this fraction of the longest side (0: never)")
        .show_default()
        .check(at_least_zero());
    command
        .add_option("--steps", o->fit.steps,
                    "Exact number of steps, regardless of time (0: as many as --seconds allows)")
        .check(range(0, 100'000'000));
    command.add_option("--samples", o->fit.samples, "Maximum number of training points").show_default();
    command.add_option("--seed", o->fit.seed, "Random seed").show_default();
    command.add_flag("--json", o->json, "Print the report as JSON");
    command.run([o, &session] { run(*o, session); });
}

} // namespace fathom::tool
