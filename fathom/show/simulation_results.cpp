// Results of a simulation: tables, animations, pictures, plots and the document of the viewer.
#include <fathom/show/simulation_results.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/show/recording_picture.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/scene/scene.h>

#include <optional>

namespace fathom {

ResultsFolder::ResultsFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code problem;
    std::filesystem::create_directories(path_, problem);
    if (problem || !std::filesystem::is_directory(path_, problem))
        throw Error(Cause::cannot_write, "not a directory and cannot be created", {.file = path_.string()});
}

namespace {

// The present state: the last frame of the recording, or a frame of its own if the last step was not kept.
class LastFrame {
public:
    explicit LastFrame(const Simulation& simulation) {
        const auto frames = simulation.recording().frames();
        if (!frames.empty() && frames.back().step == simulation.world().steps()) {
            kept_ = &frames.back();
            return;
        }
        static_cast<RecordedStep&>(own_.emplace()) = simulation.world().recorded_step();
        simulation.world().fill(*own_, false);
    }
    [[nodiscard]] const RecordedFrame& operator*() const { return kept_ ? *kept_ : *own_; }

private:
    const RecordedFrame* kept_ = nullptr;
    std::optional<RecordedFrame> own_;
};

} // namespace

std::string write_results(const Simulation& simulation, const ResultsFolder& folder, Progress* progress) {
    const Recording& recording = simulation.recording();
    const LastFrame last(simulation);
    std::string summary = summary_json(recording, *last, simulation.world().state_hash());
    write_whole_file(folder / "summary.json", summary);
    write_energy_csv(folder / "energy.csv", recording);
    write_states_csv(folder / "states.csv", recording);
    write_contacts_csv(folder / "contacts.csv", recording);
    if (simulation.scene().particles) write_points_csv(folder / "points.csv", *last);
    write_vtk(folder / "frames.pvd", recording, progress);
    write_glb(folder / "animation.glb", recording);
    write_png(folder / "film.png", film_strip(recording));
    write_svg(folder / "energy.svg", energy_plot(recording));
    write_svg(folder / "penetration.svg", penetration_plot(recording));
    write_viewer_file(folder / recording_file_name,
                      DocumentPackets(recording_document(simulation.scene().name, recording)));
    return summary;
}

} // namespace fathom
