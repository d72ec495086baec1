// Reports as self-contained web pages with text, figures, tables and images, in the reader's light or dark theme.
// All text is escaped. Equal reports give equal bytes.
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
    std::string bytes; // content of the image file, embedded into the page
};

struct ReportLink {
    std::string words;
    std::string file; // in the folder of the page
};

// A table that is collapsed until the reader opens it.
struct ReportTable {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
};

struct ReportSection {
    std::string title;
    std::string text{};                                         // description; blank lines separate paragraphs
    std::vector<std::pair<std::string, std::string>> figures{}; // label and value, measured in this run
    std::vector<ReportPicture> pictures{};
    std::vector<ReportTable> tables{};
    std::vector<ReportLink> links{}; // pages of the viewer first; links to .html files are highlighted
};

struct Report {
    std::string title;
    std::string introduction{};
    std::vector<std::pair<std::string, std::string>> figures{}; // label and value, of the whole report
    std::vector<ReportSection> sections{};
};

[[nodiscard]] std::string to_html(const Report& report);

// Reads an image file; the extension, .png or .svg, determines the type. Error{cannot_open} if the file cannot be read,
// Error{unknown_format} for other extensions.
[[nodiscard]] ReportPicture picture_from(const std::filesystem::path& file, std::string caption);

// Escapes text for use between tags and in attributes.
[[nodiscard]] std::string escaped(std::string_view text);

} // namespace fathom
