// A report as one web page that needs nothing beside it: words, figures, tables and pictures, light or dark
// as the reader has it. Everything is escaped: text is text, whatever it holds. The same report gives the same bytes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

struct ReportPicture {
    std::string caption;
    std::string type;  // "image/png", "image/svg+xml"
    std::string bytes; // of the file, which becomes part of the page
};

struct ReportLink {
    std::string words;
    std::string file; // beside the page
};

// Folded away until the reader opens it.
struct ReportTable {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

struct ReportSection {
    std::string title;
    std::string text{}; // what is shown, and why it is worth a look; blank lines part paragraphs
    std::vector<std::pair<std::string, std::string>> figures{}; // what it is, and how much: measured in this run
    std::vector<ReportPicture> pictures{};
    std::vector<ReportTable> tables{};
    std::vector<ReportLink> links{}; // pages of the viewer first: files that end in .html stand out
};

struct Report {
    std::string title;
    std::string introduction{};
    std::vector<std::pair<std::string, std::string>> figures{}; // of the whole
    std::vector<ReportSection> sections{};
};

[[nodiscard]] std::string to_html(const Report& report);

// Error{cannot_open} where the picture is not there; its type by the ending of its name, .png or .svg:
// Error{unknown_format} else.
[[nodiscard]] ReportPicture picture_from(const std::filesystem::path& file, std::string caption);

// Text as it stands between tags and in attributes.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace fathom
