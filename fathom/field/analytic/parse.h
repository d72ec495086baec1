// The text form of shapes, as files, the command line and Python carry it:
//     let r = 0.2;                       # a comment; numbers and shapes may have names
//     smooth_union(sphere(1), translate(x = 1, 0, 0, box([1, 2, 3] )), r / 2)
// Names and numbers are those of shapes.h, in order or by name; shapes and numbers may be mixed, [a, b, c] is three
// numbers. Arithmetic: + - * / ( ), pi, sqrt, sin, cos, tan, degrees (to radians). Metres, radians. Text is hostile
// until read: depth, size and time are bounded (Formula::max_depth, Formula::max_weight). O(length). Thread-safe.
#pragma once

#include <fathom/field/analytic/analytic_expression.h>

namespace fathom {

// Error{malformed} with the line in its place and the column in its reason; Error{invalid_argument} and {too_large} of
// the shapes themselves likewise. `source` names the text in messages.
[[nodiscard]] Formula parse_shape(std::string_view text, std::string_view source = {});

} // namespace fathom
