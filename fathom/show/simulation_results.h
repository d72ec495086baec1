// Writes all results of a simulation to a folder: the one writer of the command line and of Python.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/simulate/scene/simulation.h>

#include <filesystem>
#include <string>

namespace fathom {

// A folder for results. The constructor creates it, so that a path that cannot be written fails before a long run:
// Error{cannot_write}.
class ResultsFolder {
public:
    explicit ResultsFolder(std::filesystem::path path);

    [[nodiscard]] std::filesystem::path operator/(const char* file) const { return path_ / file; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// Writes summary.json; energy.csv, states.csv, contacts.csv, and points.csv of the final state if there are particles;
// frames.pvd for ParaView; animation.glb for Blender and browsers; film.png, energy.svg, penetration.svg; and
// recording.fathomview for the viewer. Returns the text of summary.json.
std::string write_results(const Simulation& simulation, const ResultsFolder& folder, Progress* progress = nullptr);

} // namespace fathom
