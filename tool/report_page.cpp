// Reports as HTML pages.
#include <tool/report_page.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr std::string_view style = R"~(
:root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2329;--soft:#5b6670;--line:#e3e4df;--accent:#1f5f99;--on-accent:#fff;--plate:#f4f5f1}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2026;--ink:#e5e8eb;--soft:#9aa5b0;--line:#2e343c;--accent:#7ab8ee;--on-accent:#10202e;--plate:#242931}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main{max-width:70rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3.5rem;padding-bottom:1rem}
h1{font-size:2.4rem;line-height:1.15;letter-spacing:-.02em;margin:0 0 1rem}
h2{font-size:1.35rem;line-height:1.3;letter-spacing:-.01em;margin:0 0 .5rem}
p{margin:0 0 .8rem;max-width:46rem}
header p{font-size:1.08rem;color:var(--soft)}
a{color:var(--accent)}
nav{display:flex;flex-wrap:wrap;gap:.4rem 1.1rem;padding:.9rem 0 0;font-size:.95rem}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:1.6rem 1.8rem;margin:0 0 1.4rem}
.figures{display:flex;flex-wrap:wrap;gap:.6rem;margin:1.1rem 0}
.figures div{border:1px solid var(--line);border-radius:10px;padding:.5rem .9rem;min-width:7.5rem;background:var(--plate)}
.figures dt{font-size:.8rem;color:var(--soft)}
.figures dd{margin:0;font-size:1.15rem;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
figure{margin:1.1rem 0 0}
figure img{display:block;max-width:100%;height:auto;border-radius:8px;background:#fafaf8}
figcaption{font-size:.88rem;color:var(--soft);margin-top:.4rem}
.links{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem .9rem;margin:1.1rem 0 0;font-size:.92rem}
.links a.view{background:var(--accent);color:var(--on-accent);text-decoration:none;font-weight:600;padding:.45rem 1rem;border-radius:999px}
.links a.view:hover,.links a.view:focus-visible{filter:brightness(1.12)}
details{margin-top:1.1rem;overflow-x:auto}
summary{cursor:pointer;color:var(--accent);font-size:.92rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}
@media (max-width:40rem){section{padding:1.1rem}h1{font-size:1.9rem}}
@media print{section{break-inside:avoid}nav,.links{display:none}}
)~";

void add_paragraphs(std::string& page, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find("\n\n");
        page += fmt::format("<p>{}</p>\n", escaped(text.substr(0, end)));
        text = end == std::string_view::npos ? "" : text.substr(end + 2);
    }
}

void add_figures(std::string& page, const std::vector<std::pair<std::string, std::string>>& figures) {
    if (figures.empty()) return;
    page += "<dl class=\"figures\">\n";
    for (const auto& [name, value] : figures)
        page += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
    page += "</dl>\n";
}

void add_picture(std::string& page, const ReportPicture& picture) {
    page +=
        fmt::format("<figure><img alt=\"{}\" src=\"data:{};base64,", escaped(picture.caption), escaped(picture.type));
    page += as_base64(picture.bytes);
    page += fmt::format("\"><figcaption>{}</figcaption></figure>\n", escaped(picture.caption));
}

void add_table(std::string& page, const ReportTable& table) {
    const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
        page += "<tr>";
        for (const std::string& cell : cells) page += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
        page += "</tr>\n";
    };
    page += fmt::format("<details><summary>{}</summary><table>\n", escaped(table.title));
    row(table.head, "th");
    for (const auto& cells : table.rows) row(cells, "td");
    page += "</table></details>\n";
}

// The name of a file as a URL: all bytes except letters, digits and "-_.~/" are percent-encoded, so that the link
// refers to that file only.
std::string address_of(std::string_view file) {
    std::string address = "./";
    for (const char c : file) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-_.~/").find(c) != std::string_view::npos;
        if (plain)
            address += c;
        else
            address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return address;
}

void add_links(std::string& page, const std::vector<ReportLink>& links) {
    if (links.empty()) return;
    page += "<div class=\"links\">";
    for (const ReportLink& link : links)
        page += fmt::format("<a{} href=\"{}\">{}</a>\n", link.file.ends_with(".html") ? " class=\"view\"" : "",
                            address_of(link.file), escaped(link.words));
    page += "</div>\n";
}

} // namespace

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) switch (c) {
        case '&':
            safe += "&amp;";
            break;
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '"':
            safe += "&quot;";
            break;
        case '\'':
            safe += "&#39;";
            break;
        default:
            safe += c;
        }
    return safe;
}

std::string to_html(const Report& report) {
    std::string page =
        fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                    "content=\"width=device-width, initial-scale=1\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                    "'unsafe-inline'; img-src data:\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
                    escaped(report.title), style);
    page += fmt::format("<header>\n<h1>{}</h1>\n", escaped(report.title));
    add_paragraphs(page, report.introduction);
    add_figures(page, report.figures);
    page += "<nav aria-label=\"Contents\">";
    for (std::size_t k = 0; k < report.sections.size(); ++k)
        page += fmt::format("<a href=\"#part-{}\">{}</a>\n", k + 1, escaped(report.sections[k].title));
    page += "</nav>\n</header>\n<main>\n";
    for (std::size_t k = 0; k < report.sections.size(); ++k) {
        const ReportSection& section = report.sections[k];
        page += fmt::format("<section id=\"part-{}\">\n<h2>{}</h2>\n", k + 1, escaped(section.title));
        add_paragraphs(page, section.text);
        add_figures(page, section.figures);
        for (const ReportPicture& picture : section.pictures) add_picture(page, picture);
        for (const ReportTable& table : section.tables) add_table(page, table);
        add_links(page, section.links);
        page += "</section>\n";
    }
    return page + "</main>\n</body>\n</html>\n";
}

ReportPicture picture_from(const std::filesystem::path& file, std::string caption) {
    const std::string ending = file.extension().string();
    if (ending != ".png" && ending != ".svg")
        throw Error(Cause::unknown_format, "is neither .png nor .svg", {.file = file.string()});
    Bytes bytes = read_whole_file(file);
    return {std::move(caption),
            ending == ".png" ? "image/png" : "image/svg+xml",
            {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

} // namespace fathom
