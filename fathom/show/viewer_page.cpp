// The embedded page of the viewer; the only file that refers to its location.
#include <fathom/show/viewer_file.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>

#include <fmt/format.h>

#ifdef FATHOM_VIEWER_PAGE
// The assembler includes the file directly; a generated source would be several times larger and slow to compile.
asm(".pushsection .rodata\n"
    ".global fathom_viewer_page_begin\n"
    ".global fathom_viewer_page_end\n"
    "fathom_viewer_page_begin:\n"
    ".incbin \"" FATHOM_VIEWER_PAGE "\"\n"
    "fathom_viewer_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char fathom_viewer_page_begin[], fathom_viewer_page_end[];
#endif

namespace fathom {

#ifdef FATHOM_VIEWER_PAGE
bool has_viewer_page() { return true; }
std::string_view viewer_page() { return {fathom_viewer_page_begin, fathom_viewer_page_end}; }
#else
bool has_viewer_page() { return false; }
std::string_view viewer_page() {
    throw Error(Cause::unsupported,
                "Fathom was built without the viewer, which requires npm at build time (FATHOM_VIEWER=ON)");
}
#endif

std::string page_with_packets(std::string_view page, const PacketSource& packets) {
    constexpr std::string_view mark = "<!-- packets -->";
    const std::size_t at = page.rfind(mark);
    if (at == std::string_view::npos)
        throw Error(Cause::malformed, fmt::format("the page has no placeholder for packets: {}", mark));
    std::string whole(page.substr(0, at));
    for (std::size_t k = 0; k < packets.packet_count(); ++k)
        whole.append(fmt::format("<script type=\"application/x-fathom\" data-packet=\"{}\">", k))
            .append(as_base64(packets.packed_packet(k)))
            .append("</script>\n");
    return whole.append(page.substr(at + mark.size()));
}

void write_viewer_html(const std::filesystem::path& path, const PacketSource& packets) {
    write_whole_file(path, page_with_packets(viewer_page(), packets));
}
void write_viewer_html(const std::filesystem::path& path, ViewerDocument document) {
    write_viewer_html(path, DocumentPackets(std::move(document)));
}

} // namespace fathom
