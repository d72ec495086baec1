// Room: simulate. What happened: states, energies and contacts of a simulation, for files, plots and pictures.
// Memory is bounded: every n-th step is kept, and where that would still be too many frames, every second one is dropped and n
// is doubled. The worst penetration and the highest energy are of all steps, kept or not.
#pragma once

#include <fathom/simulate/rigid_world.h>

#include <span>
#include <vector>

namespace fathom {

struct RecordingOptions {
    std::size_t every = 1;           // steps; the first and each n-th after it
    std::size_t most_frames = 10'000; // at least 2
    bool contacts = true;            // keep each contact too, not only their number
};

struct BodyFrame {
    Pose pose;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero(); // world
    bool asleep = false;
};

struct RecordedFrame {
    std::size_t step = 0;
    double time = 0; // s
    std::vector<BodyFrame> bodies;
    Energy energy;
    double deepest = 0; // as the bodies are in this frame (m)
    std::size_t contact_count = 0;
    std::vector<BodyContact> contacts;
};

class Recording {
public:
    // Error{invalid_argument} names an option that is 0.
    explicit Recording(const RecordingOptions& options = {});

    // To be called after each step, and once before the first.
    void add(const RigidWorld& world);

    [[nodiscard]] std::span<const RecordedFrame> frames() const { return frames_; }
    [[nodiscard]] std::size_t every() const { return every_; } // as it is now
    [[nodiscard]] std::size_t steps() const { return steps_; }
    [[nodiscard]] double worst_penetration() const { return worst_penetration_; } // m
    [[nodiscard]] double highest_energy() const { return highest_energy_; }       // of all bodies in sum (J)
    [[nodiscard]] double detect_seconds() const { return detect_seconds_; }       // of all steps
    [[nodiscard]] double respond_seconds() const { return respond_seconds_; }

private:
    void thin_out();

    RecordingOptions options_;
    std::size_t every_, steps_ = 0;
    double worst_penetration_ = 0, highest_energy_ = 0, detect_seconds_ = 0, respond_seconds_ = 0;
    std::vector<RecordedFrame> frames_;
};

} // namespace fathom
