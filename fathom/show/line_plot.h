// Line plots as SVG files, for energies, penetration depths and timings.
// Equal curves give equal bytes. O(points).
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fathom {

struct Curve {
    std::string name;
    std::vector<std::pair<double, double>> points; // x ascending; a point that is not finite leaves a gap
};

struct LinePlot {
    std::string title;
    std::string x_label; // with unit, e.g. "time (s)"
    std::string y_label;
    std::vector<Curve> curves;
    bool log_y = false; // values <= 0 leave a gap
    // Values above this limit leave a gap, so that a diverging curve does not compress the others.
    double highest_y = std::numeric_limits<double>::infinity();
    int width = 760;  // pixels
    int height = 380; // pixels
};

[[nodiscard]] std::string to_svg(const LinePlot& plot);

// Throws Error{cannot_write}.
void write_svg(const std::filesystem::path& path, const LinePlot& plot);

} // namespace fathom
