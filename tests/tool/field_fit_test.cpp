#include <tool/program.h>

#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace field_fit_test {

// A small network: a fit takes a second or less.
Outcome fit(const std::string& arguments, const std::string& before = "") {
    return run(before + "field fit " + arguments + " --layers 3 --width 12 --samples 20000");
}

TEST(FieldFitCommand, writes_a_network_and_reports_its_error) {
    const Folder folder;
    const std::string file = folder.file("torus.npz");
    const Outcome outcome = fit("torus --steps 200 --json -o " + quoted(file));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["steps"], 200);
    EXPECT_EQ(report["width"], 12);
    EXPECT_GT(report["iou"].get<double>(), 0.7);
    EXPECT_LT(report["mean_error_share"].get<double>(), 0.02);
    EXPECT_LT(report["mean_error"].get<double>(), report["max_error"].get<double>());
    EXPECT_EQ(report["course"].back()["steps"], 200);
    EXPECT_FALSE(content_of(file).empty());
    const Outcome words = fit("torus --steps 64 -o " + quoted(file));
    for (const char* word : {"mean error", "wrong signs", "overlap", "64 steps", "as planned"})
        EXPECT_NE(words.out.find(word), std::string::npos) << words.out;
}

TEST(FieldFitCommand, threads_do_not_change_a_byte_of_the_file_and_seeds_do) {
    const Folder folder;
    const auto content = [&](const std::string& name, const std::string& before, const std::string& options) {
        EXPECT_EQ(fit("torus --steps 50 " + options + " -o " + quoted(folder.file(name)), before).exit_code, 0);
        return content_of(folder.file(name));
    };
    const std::string one = content("1.npz", "--threads 1 ", "");
    EXPECT_EQ(one, content("2.npz", "--threads 2 ", ""));
    EXPECT_NE(one, content("3.npz", "", "--seed 2"));
}

TEST(FieldFitCommand, stops_at_the_target_error_and_reports_it) {
    const Folder folder;
    const Outcome outcome = fit("sphere --error 0.02 --seconds 30 --json -o " + quoted(folder.file("s.npz")));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["reached"], true);
}

TEST(FieldFitCommand, rejects_invalid_input) {
    const Folder folder;
    const std::string out = " -o " + quoted(folder.file("x.npz"));
    EXPECT_NE(fit("'sphere(1)'" + out).err.find("expected a mesh"), std::string::npos);
    EXPECT_NE(fit("torus --activation cubic" + out).err.find("not one of relu"), std::string::npos);
    EXPECT_NE(fit("torus -o " + quoted(folder.file("none/x.npz"))).err.find("folder does not exist"),
              std::string::npos);
    EXPECT_NE(run("field fit torus --width 0" + out).exit_code, 0);
}

} // namespace field_fit_test
} // namespace fathom::testing
