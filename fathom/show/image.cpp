// Images and PNG files; the only file that uses libpng.
#include <fathom/show/image.h>

#include <fathom/base/error.h>

#include <png.h>

#include <algorithm>
#include <cstring>

namespace fathom {

Image tiled(std::span<const Image> images, int columns, int gap, Color background) {
    if (images.empty()) return {};
    const int w = images[0].width, h = images[0].height, count = static_cast<int>(images.size());
    columns = std::clamp(columns, 1, count);
    const int rows = (count + columns - 1) / columns;
    Image sheet(columns * w + (columns - 1) * gap, rows * h + (rows - 1) * gap, background);
    for (int k = 0; k < count; ++k) {
        const Image& image = images[static_cast<std::size_t>(k)];
        const int left = (k % columns) * (w + gap), top = (k / columns) * (h + gap);
        for (int y = 0; y < std::min(h, image.height); ++y)
            for (int x = 0; x < std::min(w, image.width); ++x) sheet.at(left + x, top + y) = image.at(x, y);
    }
    return sheet;
}

Image shrunk(const Image& image, int factor) {
    Image small(image.width / factor, image.height / factor, {});
    for (int y = 0; y < small.height; ++y)
        for (int x = 0; x < small.width; ++x)
            for (std::size_t c = 0; c < 3; ++c) {
                int sum = 0;
                for (int k = 0; k < factor * factor; ++k)
                    sum += image.at(x * factor + k % factor, y * factor + k / factor)[c];
                small.at(x, y)[c] = static_cast<std::uint8_t>((sum + factor * factor / 2) / (factor * factor));
            }
    return small;
}

void write_png(const std::filesystem::path& path, const Image& image) {
    png_image png;
    std::memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&png, path.c_str(), 0, image.pixels.data(), 0, nullptr))
        throw Error(Cause::cannot_write, png.message, {.file = path.string()});
}

// ---- Text: a font of 5 x 7 dots.

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
