// Every scene of the project, shortened, ends in the state that tests/golden/scenes.txt names, for any number of
// threads. After a change that is meant to change results: FATHOM_WRITE_GOLDEN=1 fathom_test_simulate
// --gtest_filter=Golden.*
#include <fathom/base/parallel.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>

#include <index/simd_targets.h>
#include <support/models.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace fathom {
namespace golden_test {

namespace fs = std::filesystem;

const fs::path golden_file = fs::path(FATHOM_SOURCE_DIR) / "tests/golden/scenes.txt";

std::vector<fs::path> scene_files() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(FATHOM_SOURCE_DIR) / "scenes"))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

bool touched(const Recording& recording) {
    const auto frames = recording.frames();
    return recording.worst_penetration() > 0 ||
           std::any_of(frames.begin(), frames.end(),
                       [](const RecordedFrame& frame) { return frame.contact_count > 0; });
}

// After as much time as it takes to touch; objects that only drift or are moved may take longer.
std::string hash_of(const fs::path& file, std::size_t threads) {
    set_thread_count(threads);
    const Scene whole = read_scene(file);
    const bool drifts = whole.springs && !whole.springs->options.respond;
    const bool short_run = whole.springs || whole.solids || whole.particles;
    Simulation simulation(read_scene(file, {.overrides = {drifts         ? "duration = 0.1"
                                                          : whole.motion ? "duration = 0.3"
                                                          : short_run    ? "duration = 0.25"
                                                                         : "duration = 0.45"}}));
    simulation.run();
    set_thread_count(0);
    EXPECT_TRUE(drifts || whole.motion || touched(simulation.recording())) << file;
    return simulation.world().state_hash().text();
}

std::map<std::string, std::string> golden() {
    std::map<std::string, std::string> lines;
    std::ifstream stream(golden_file);
    for (std::string name, hash; stream >> name >> hash;) lines[name] = hash;
    return lines;
}

TEST(Golden, every_scene_ends_in_its_golden_state_on_one_thread_and_on_two) {
    const bool writing = std::getenv("FATHOM_WRITE_GOLDEN") != nullptr;
    std::map<std::string, std::string> wanted = golden();
    const auto files = scene_files();
    ASSERT_GE(files.size(), 39u);
    for (const fs::path& file : files) {
        const std::string name = file.stem().string(), one = hash_of(file, 1), two = hash_of(file, 2);
        EXPECT_EQ(one, two) << name;
        if (writing) wanted[name] = one;
        EXPECT_EQ(one, wanted[name]) << name;
    }
    if (!writing) return;
    std::ofstream out(golden_file);
    for (const auto& [name, hash] : wanted) out << name << ' ' << hash << '\n';
}

TEST(Golden, no_instruction_set_changes_a_state) {
    std::vector<std::string> hashes;
    testing::for_each_simd_target(
        [&](const char*) { hashes.push_back(hash_of(fs::path(FATHOM_SOURCE_DIR) / "scenes/bunny_drop.toml", 1)); });
    EXPECT_GE(hashes.size(), 1u);
    for (const std::string& hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

// The real meshes are other than their stand-ins in size, creases and slivers; a few steps show that a scene takes
// them.
TEST(RealModels, every_scene_that_names_one_runs_with_it) {
    FATHOM_NEEDS_MODELS();
    std::size_t with_models = 0;
    for (const fs::path& file : scene_files()) {
        const Scene scene = read_scene(file, {.model_folder = testing::models()});
        const bool names_one = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                           [](const SceneBody& body) { return !body.model.empty(); });
        if (!names_one || !absent_models(scene).empty()) continue;
        ++with_models;
        SimulationWorld world = make_world(scene);
        for (int k = 0; k < 3; ++k) EXPECT_NO_THROW(world.step()) << file;
        EXPECT_EQ(world.steps(), 3u) << file;
    }
    EXPECT_GE(with_models, 12u);
}

} // namespace golden_test
} // namespace fathom
