// RGB images in memory, PNG files, and text in images.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

using Color = std::array<std::uint8_t, 3>; // red, green, blue (sRGB)

struct Image {
    int width = 0;             // pixels
    int height = 0;            // pixels
    std::vector<Color> pixels; // row by row, from the top left

    Image() = default;
    Image(int w, int h, Color fill)
        : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill) {}

    [[nodiscard]] Color& at(int x, int y) { return pixels[index(x, y)]; }
    [[nodiscard]] const Color& at(int x, int y) const { return pixels[index(x, y)]; }

private:
    [[nodiscard]] std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    }
};

// Arranges images of equal size in a table, row by row, `gap` pixels apart.
[[nodiscard]] Image tiled(std::span<const Image> images, int columns, int gap = 0, Color background = {255, 255, 255});

// Averages blocks of `factor` x `factor` pixels.
[[nodiscard]] Image shrunk(const Image& image, int factor);

// Equal pixels give equal bytes. Throws Error{cannot_write}.
void write_png(const std::filesystem::path& path, const Image& image);

// Draws numbers in a built-in font of 5 x 7 dots, each `dot` pixels wide, with the top left corner at (x, y). The font
// has the digits, '.', '-', '+', 'e' and space; other characters are left blank. Text outside the image is clipped.
void draw_text(Image& image, int x, int y, std::string_view text, Color color, int dot = 1);

} // namespace fathom
