// Reports: the page is valid HTML for any text, and its pictures are embedded.
#include <fathom/show/image.h>
#include <support/scratch_folder.h>
#include <support/sources.h>
#include <tool/report_page.h>

#include <gtest/gtest.h>

namespace fathom::testing {
namespace report_page_test {

constexpr const char* hostile = "<script>alert(1)</script>\" onload='x' &";

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

TEST(ReportPage, no_text_becomes_part_of_the_page) {
    Report report{.title = hostile, .introduction = hostile, .figures = {{hostile, hostile}}};
    report.sections.push_back({.title = hostile,
                               .text = hostile,
                               .figures = {{hostile, hostile}},
                               .pictures = {{hostile, "image/png", "bytes"}},
                               .tables = {{hostile, {hostile}, {{hostile}}}},
                               .links = {{hostile, hostile}, {"away", "javascript:alert(1)"}}});
    const std::string page = to_html(report);
    EXPECT_EQ(count(page, "<script"), 0u);
    EXPECT_EQ(count(page, "&lt;script&gt;"), 16u);
    EXPECT_EQ(count(page, "onload='"), 0u);
    EXPECT_EQ(count(page, "href=\"./javascript%3Aalert%281%29\""), 1u); // the name of a file, never a program
    EXPECT_EQ(count(page, "<section"), count(page, "</section>"));
}

TEST(ReportPage, pictures_lie_in_the_page_and_viewers_stand_out) {
    const ScratchFolder folder;
    write_png(folder / "dot.png", Image(2, 2, {1, 2, 3}));
    Report report{.title = "r"};
    report.sections.push_back({.title = "s",
                               .text = "one\n\ntwo",
                               .pictures = {picture_from(folder / "dot.png", "a dot")},
                               .links = {{"look", "drop.html"}, {"file", "drop.pvd"}}});
    const std::string page = to_html(report);
    EXPECT_EQ(count(page, "src=\"data:image/png;base64,iVBORw0KGgo"), 1u); // how every PNG begins
    EXPECT_EQ(count(page, "<p>"), 2u);
    EXPECT_EQ(count(page, "<a class=\"view\" href=\"./drop.html\">look</a>"), 1u);
    EXPECT_EQ(count(page, "<a href=\"./drop.pvd\">file</a>"), 1u);
    EXPECT_EQ(count(page, "http://") + count(page, "https://"), 0u); // needs no network
    EXPECT_EQ(page, to_html(report));
    EXPECT_EQ(error_of([&] { static_cast<void>(picture_from(folder / "dot.jpg", "")); }).cause(),
              Cause::unknown_format);
    EXPECT_EQ(error_of([&] { static_cast<void>(picture_from(folder / "none.png", "")); }).cause(), Cause::cannot_open);
}

} // namespace report_page_test
} // namespace fathom::testing
