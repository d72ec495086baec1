// Curves over a common axis as an SVG picture: energies, penetrations, timings. Opens in any browser.
// The same curves give the same bytes. O(points).
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fathom {

struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points; // x ascending; one that is not finite leaves a gap
};

struct LinePlot {
    std::string title;
    std::string x_label; // with unit, e.g. "time (s)"
    std::string y_label;
    std::vector<Curve> curves;
    bool log_y = false; // values of 0 or less leave a gap
    double highest_y =
        std::numeric_limits<double>::infinity(); // values above it leave a gap: a curve that runs away hides no other
    int width = 760;                             // pixels
    int height = 380;
};

[[nodiscard]] std::string to_svg(const LinePlot& plot);

// Throws Error{cannot_write}.
void write_svg(const std::filesystem::path& path, const LinePlot& plot);

} // namespace fathom
