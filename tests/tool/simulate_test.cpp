#include <tool/program.h>

#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace simulate_test {

constexpr const char* fall = R"(
name = "fall"
step = 0.002
duration = 0.2
ground = 0.0
[[body]]
name = "ball"
shape = "sphere"
size = 0.2
resolution = 24
position = [0, 0, 0.12]
)";

TEST(SimulateCommand, records_a_fall_in_every_output_format) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall), out = folder.file("out");
    const Outcome outcome = run("simulate " + quoted(scene) + " -o " + quoted(out) + " --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto summary = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(summary["steps"], 100);
    EXPECT_GT(summary["worst_penetration"].get<double>(), 0);
    for (const char* name : {"frames.pvd", "film.png", "energy.svg", "penetration.svg", "energy.csv", "states.csv",
                             "contacts.csv", "summary.json", "animation.glb", "recording.fathomview"})
        EXPECT_GT(std::filesystem::file_size(out + "/" + name), 20u) << name;
    EXPECT_EQ(content_of(out + "/summary.json"), outcome.out);
}

TEST(SimulateCommand, output_does_not_depend_on_the_number_of_threads) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall);
    ASSERT_EQ(run("--threads 1 simulate " + quoted(scene) + " -o " + quoted(folder.file("one"))).exit_code, 0);
    ASSERT_EQ(run("--threads 2 simulate " + quoted(scene) + " -o " + quoted(folder.file("two"))).exit_code, 0);
    for (const char* name : {"/energy.csv", "/states.csv", "/contacts.csv"})
        EXPECT_EQ(content_of(folder.file("one") + name), content_of(folder.file("two") + name)) << name;
}

TEST(SimulateCommand, command_line_overrides_replace_lines_of_the_scene_file) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall);
    const Outcome outcome = run("simulate " + quoted(scene) + " -o " + quoted(folder.file("out")) +
                                " --seconds 0.1 --step 0.001 --set 'gravity = [0, 0, 0]' --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto summary = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(summary["steps"], 100);
    EXPECT_EQ(summary["worst_penetration"], 0.0);
}

TEST(SimulateCommand, an_override_may_precede_the_scene) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall);
    const Outcome outcome = run("simulate --seconds 0.01 --set 'gravity = [0, 0, 0]' " + quoted(scene) + " -o " +
                                quoted(folder.file("out")));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(SimulateCommand, lists_the_models_that_generated_shapes_replace) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", std::string(fall) + "model = \"ball.obj\"\n"),
                      rest = "simulate " + quoted(scene) + " --seconds 0.002 -o " + quoted(folder.file("out"));
    const std::string without = "env -u FATHOM_MODELS", with = "env FATHOM_MODELS=" + quoted(folder.file("models"));
    const Outcome absent = run(rest, without);
    EXPECT_EQ(absent.exit_code, 0) << absent.err;
    EXPECT_NE(absent.err.find("replaced by generated shapes: ball.obj"), std::string::npos) << absent.err;
    EXPECT_EQ(run("--quiet " + rest, without).err, "");
    EXPECT_EQ(run(rest, with).exit_code, 2) << "the folder does not exist";
    std::filesystem::create_directory(folder.file("models"));
    ASSERT_EQ(run("make sphere -o " + quoted(folder.file("models/ball.obj"))).exit_code, 0);
    EXPECT_EQ(run(rest, with).err, "");
    EXPECT_EQ(run(rest + " --models " + quoted(folder.file("models")), without).err, "");
}

TEST(SimulateCommand, checks_the_output_folder_before_the_run) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall), taken = folder.written("taken", "a file");
    const Outcome outcome = run("simulate " + quoted(scene) + " --seconds 1e6 -o " + quoted(taken));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("taken"), std::string::npos) << outcome.err;
}

TEST(SimulateCommand, errors_name_file_line_and_key) {
    const Folder folder;
    const std::string scene = folder.written("bad.toml", "name = \"bad\"\nstepp = 1\n");
    const Outcome outcome = run("simulate " + quoted(scene) + " -o " + quoted(folder.file("out")));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("bad.toml"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("stepp"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("2"), std::string::npos) << outcome.err;
    EXPECT_EQ(run("simulate no_such_scene.toml -o " + quoted(folder.file("out"))).exit_code, 1);
    EXPECT_EQ(run("simulate " + quoted(scene)).exit_code, 2);
}

TEST(SimulateCommand, stops_an_unstable_simulation_and_keeps_the_recording) {
    const Folder folder;
    const std::string scene = folder.written("fall.toml", fall);
    const Outcome outcome = run("simulate " + quoted(scene) + " -o " + quoted(folder.file("out")) +
                                " --seconds 2 --step 0.02 --set 'contact.stiffness = 1e9'");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("ball"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("step"), std::string::npos) << outcome.err;
    EXPECT_GT(std::filesystem::file_size(folder.file("out") + "/energy.csv"), 20u);
}

} // namespace simulate_test
} // namespace fathom::testing
