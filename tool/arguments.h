// What the verbs that run a scene share: its options, and the scene that they make.
#pragma once

#include <tool/verbs.h>

#include <fathom/simulate/scene.h>

#include <string>
#include <vector>

namespace fathom::tool {

struct SceneArguments {
    std::string models;
    double seconds = 0, step = 0; // 0: the scene's
    std::vector<std::string> set;
};

// `arguments` must outlive the parsing.
void add_scene_options(CLI::App& verb, SceneArguments& arguments);

// Reads the scene, and says on stderr which of the models that it names are not there, unless the session is quiet.
[[nodiscard]] Scene open_scene(const std::string& file, const SceneArguments& arguments, const Session& session);

} // namespace fathom::tool
