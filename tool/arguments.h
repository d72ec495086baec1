// Option values shared by several commands: poses and the options of scenes.
#pragma once

#include <tool/commands.h>

#include <fathom/base/pose.h>
#include <fathom/simulate/scene/scene.h>

#include <string>
#include <vector>

namespace fathom::tool {

// Parses "x,y,z" or "x,y,z,qw,qx,qy,qz" (m; unit quaternion, accepted to within 2e-3 of length 1 and normalized).
// Throws Error{invalid_argument} that names the option.
[[nodiscard]] Pose pose_from_text(const std::string& text, const std::string& option);

// Options of the commands that run a scene.
struct SceneArguments {
    std::string models;           // folder of the models that scenes name; empty: none
    double seconds = 0, step = 0; // (s); 0: the values of the scene file
    std::vector<std::string> set;
};

// `arguments` must outlive the parsing.
void add_scene_options(const Command& command, SceneArguments& arguments);

// Reads a scene file. Unless the session is quiet, models that the scene names and that were not found are listed on
// stderr; generated shapes replace them.
[[nodiscard]] Scene open_scene(const std::string& file, const SceneArguments& arguments, const Session& session);

} // namespace fathom::tool
