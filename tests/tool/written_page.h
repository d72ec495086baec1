// Check of the pages that --html writes, for all commands.
#pragma once

#include <tool/program.h>

#include <fathom/show/viewer_file.h>

namespace fathom::testing {

// Expects that the page is written, that its name is printed, and that it contains at least `packets` packets; and that
// the command fails if the folder does not exist.
inline void expect_page(const std::string& command, int packets) {
    if (!has_viewer_page()) GTEST_SKIP() << "built without the viewer";
    const Folder folder;
    const std::string page = folder.file("page.html");
    const Outcome outcome = run(command + " --html " + quoted(page), "FATHOM_CACHE=off");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(page), std::string::npos) << outcome.out;
    EXPECT_NE(content_of(page).find("data-packet=\"" + std::to_string(packets - 1) + "\""), std::string::npos)
        << command;
    EXPECT_EQ(run(command + " --html " + quoted(folder.file("none/page.html")), "FATHOM_CACHE=off").exit_code, 1);
}

} // namespace fathom::testing
