// A recorded simulation at a glance: a strip of pictures, and curves of energy and penetration.
#pragma once

#include <fathom/show/line_plot.h>
#include <fathom/show/mesh_picture.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

struct FilmOptions {
    int pictures = 6; // evenly over the time, the first and the last frame among them
    int columns = 3;
    View view{.width = 420, .height = 360};
};

// Each body in its colour, contacts marked, the camera still. A body that is a formula (the ground) is drawn as far as
// the others reach. Points of clouds are dots that fade with their age.
[[nodiscard]] Image film_strip(const Recording& recording, const FilmOptions& options = {});

[[nodiscard]] LinePlot energy_plot(const Recording& recording);      // kinetic, height, springs and their sum over time
[[nodiscard]] LinePlot penetration_plot(const Recording& recording); // the deepest point over time

// Several runs of one scene in one plot: the sum of energy, and the deepest point.
struct NamedRecording {
    std::string name;
    const Recording* recording = nullptr;
};
[[nodiscard]] LinePlot energy_plot(std::span<const NamedRecording> runs);
[[nodiscard]] LinePlot penetration_plot(std::span<const NamedRecording> runs);

} // namespace fathom
