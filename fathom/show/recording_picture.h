// Overview of a recorded simulation: a strip of images, and plots of energy and penetration depth.
#pragma once

#include <fathom/show/line_plot.h>
#include <fathom/show/mesh_picture.h>
#include <fathom/simulate/record/recording.h>

namespace fathom {

struct FilmOptions {
    int pictures = 6; // evenly spaced in time, including the first and the last frame
    int columns = 3;
    View view{.width = 420, .height = 360};
};

// Each body has its own colour, contacts are marked, and the camera does not move. An analytic body (the ground) is
// drawn within the extent of the other bodies. Points of clouds are dots that fade with age.
[[nodiscard]] Image film_strip(const Recording& recording, const FilmOptions& options = {});

// Kinetic energy, potential energy, energy of the contact springs, and their sum over time.
[[nodiscard]] LinePlot energy_plot(const Recording& recording);
// Maximum penetration depth over time.
[[nodiscard]] LinePlot penetration_plot(const Recording& recording);

// Plots of several runs of one scene: total energy, and maximum penetration depth.
struct NamedRecording {
    std::string name;
    const Recording* recording = nullptr;
};
[[nodiscard]] LinePlot energy_plot(std::span<const NamedRecording> runs);
[[nodiscard]] LinePlot penetration_plot(std::span<const NamedRecording> runs);

} // namespace fathom
