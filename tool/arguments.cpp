// Parsing of numbers, poses and scene options.
#include <tool/arguments.h>

#include <fathom/base/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

namespace fathom::tool {

namespace {

std::vector<double> pose_numbers(const std::string& text, const std::string& option) {
    std::vector<double> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        while (at < end && *at == ' ') ++at;
        double value = 0;
        const auto [rest, problem] = std::from_chars(at, end, value);
        if (problem != std::errc() || !std::isfinite(value))
            throw Error(Cause::invalid_argument,
                        fmt::format("{}: '{}' is not a pose: expected a number at character {}", option, text,
                                    at - text.data() + 1));
        values.push_back(value);
        at = rest;
        if (at == end) return values;
        if (*at++ != ',')
            throw Error(Cause::invalid_argument, fmt::format("{}: '{}' is not a pose: expected a comma at character {}",
                                                             option, text, at - text.data()));
    }
}

} // namespace

Pose pose_from_text(const std::string& text, const std::string& option) {
    const std::vector<double> v = pose_numbers(text, option);
    if (v.size() != 3 && v.size() != 7)
        throw Error(Cause::invalid_argument,
                    fmt::format("{}: '{}' is not a pose: expected 3 numbers (x,y,z) or 7 (x,y,z,qw,qx,qy,qz), got {}",
                                option, text, v.size()));
    Pose pose = Pose::from_translation({v[0], v[1], v[2]});
    if (v.size() == 3) return pose;
    const Quat rotation(v[3], v[4], v[5], v[6]);
    if (std::abs(rotation.norm() - 1) > 2e-3)
        throw Error(Cause::invalid_argument,
                    fmt::format("{}: the quaternion of '{}' has length {:.4g}, not 1", option, text, rotation.norm()));
    pose.rotation = rotation.normalized();
    return pose;
}

void add_scene_options(const Command& command, SceneArguments& arguments) {
    command
        .add_option("--models", arguments.models,
                    "Folder with the meshes that scenes name; generated shapes replace missing ones")
        .environment("FATHOM_MODELS")
        .check(existing_directory());
    command.add_option("--seconds", arguments.seconds, "Simulated time, overrides the scene (s)").check(above_zero());
    command.add_option("--step", arguments.step, "Time step, overrides the scene (s)").check(above_zero());
    command
        .add_option("--set", arguments.set,
                    "Line in the syntax of scene files that overrides the scene; may be repeated")
        .one_value_each();
}

Scene open_scene(const std::string& file, const SceneArguments& arguments, const Session& session) {
    SceneOptions options{arguments.models, arguments.set};
    if (arguments.seconds > 0) options.overrides.push_back(fmt::format("duration = {}", arguments.seconds));
    if (arguments.step > 0) options.overrides.push_back(fmt::format("step = {}", arguments.step));
    Scene scene = read_scene(file, options);
    if (const auto absent = absent_models(scene); !absent.empty() && !session.quiet)
        fmt::print(stderr, "fathom: models not found, replaced by generated shapes: {} (see --models)\n",
                   fmt::join(absent, ", "));
    return scene;
}

} // namespace fathom::tool
