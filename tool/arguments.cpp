// Options of scenes, and the note about stand-ins.
#include <tool/number_checks.h>
#include <tool/scene_arguments.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom::tool {

void add_scene_options(CLI::App& verb, SceneArguments& arguments) {
    verb.add_option("--models", arguments.models,
                    "Folder with the real meshes that scenes name; without it generated shapes stand in")
        ->envname("FATHOM_MODELS")
        ->check(CLI::ExistingDirectory);
    verb.add_option("--seconds", arguments.seconds, "Simulated time instead of the scene's")->check(above_zero());
    verb.add_option("--step", arguments.step, "Step instead of the scene's (s)")->check(above_zero());
    verb.add_option("--set", arguments.set, "A line as in the scene file, in place of the one there")
        ->allow_extra_args(false);
}

Scene open_scene(const std::string& file, const SceneArguments& arguments, const Session& session) {
    SceneOptions options{arguments.models, arguments.set};
    if (arguments.seconds > 0) options.overrides.push_back(fmt::format("duration = {}", arguments.seconds));
    if (arguments.step > 0) options.overrides.push_back(fmt::format("step = {}", arguments.step));
    Scene scene = read_scene(file, options);
    if (const auto absent = absent_models(scene); !absent.empty() && !session.quiet)
        fmt::print(stderr, "fathom: generated shapes stand in for {}, which --models did not bring\n",
                   fmt::join(absent, ", "));
    return scene;
}

} // namespace fathom::tool
