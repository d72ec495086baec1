// Numbers in pictures: a font of 5 x 7 dots, so that a picture needs no font file.
#pragma once

#include <fathom/show/image.h>

#include <string_view>

namespace fathom {

// Digits, '.', '-', '+', 'e' and space, each dot `dot` pixels wide, from the top left; other characters are left blank
// and what falls outside the picture is left out.
void draw_text(Image& image, int x, int y, std::string_view text, Color color, int dot = 1);

} // namespace fathom
