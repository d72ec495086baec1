// A font of 5 x 7 dots.
#include <fathom/show/tiny_text.h>

namespace fathom {

namespace {

using Glyph = std::array<const char*, 7>;

constexpr std::string_view characters = "0123456789.-+e";
constexpr std::array<Glyph, 14> glyphs = {{
    {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},
    {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "},
    {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"},
    {" ### ", "#   #", "    #", "  ## ", "    #", "#   #", " ### "},
    {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "},
    {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "},
    {" ### ", "#    ", "#    ", "#### ", "#   #", "#   #", " ### "},
    {"#####", "    #", "    #", "   # ", "  #  ", "  #  ", "  #  "},
    {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "},
    {" ### ", "#   #", "#   #", " ####", "    #", "    #", " ### "},
    {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "},
    {"     ", "     ", "     ", "#####", "     ", "     ", "     "},
    {"     ", "  #  ", "  #  ", "#####", "  #  ", "  #  ", "     "},
    {"     ", "     ", " ### ", "#   #", "#####", "#    ", " ####"},
}};

} // namespace

void draw_text(Image& image, int x, int y, std::string_view text, Color color, int dot) {
    for (const char c : text) {
        const std::size_t n = characters.find(c);
        for (int row = 0; n != std::string_view::npos && row < 7 * dot; ++row)
            for (int column = 0; column < 5 * dot; ++column) {
                const int px = x + column, py = y + row;
                const bool set = glyphs[n][static_cast<std::size_t>(row / dot)][column / dot] == '#';
                if (set && px >= 0 && px < image.width && py >= 0 && py < image.height) image.at(px, py) = color;
            }
        x += 6 * dot;
    }
}

} // namespace fathom
