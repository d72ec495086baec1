// Output of recordings to files: tables for plots, a summary, and animations for ParaView, Blender and browsers.
// Each file is written atomically; Error{cannot_write} names it.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/base/progress.h>
#include <fathom/simulate/record/recording.h>

#include <filesystem>

namespace fathom {

// Columns: step, time, kinetic, potential, stored, total, deepest, contacts. One row per frame.
void write_energy_csv(const std::filesystem::path& path, const Recording& recording);
// Columns: step, time, body, position of its centre of mass, rotation (w x y z), velocity, spin. One row per moving
// body and frame.
void write_states_csv(const std::filesystem::path& path, const Recording& recording);
// Columns: step, time, bodies a and b, their features, position, normal from a to b, depth, status. One row per
// contact, and one per recorded pair without contacts.
void write_contacts_csv(const std::filesystem::path& path, const Recording& recording);
// Columns: body, position, velocity, age. One row per point of the clouds in a frame.
void write_points_csv(const std::filesystem::path& path, const RecordedFrame& frame);
// The text of summary.json: steps, times, energies, worst penetration, the state of each body in the frame `end` (which
// need not be one of the kept frames), and the state hash.
[[nodiscard]] std::string summary_json(const Recording& recording, const RecordedFrame& end,
                                       const Fingerprint& state_hash);

// Writes `name`.pvd with the times; and to the folder `name`, for each frame, a .vtu of the moving and deforming bodies
// and one of the contacts, and one .vtu of the fixed bodies for all frames. Cells have the index of their body;
// contacts have normal, depth and the indices of both bodies, a and b. If there are clouds, also a .vtu of their points
// for each frame, with velocity and age.
void write_vtk(const std::filesystem::path& pvd, const Recording& recording, Progress* progress = nullptr);

struct GlbOptions {
    std::size_t max_poses = 2'000;                 // key frames of rigid bodies, at least 2
    std::size_t max_shapes = 60;                   // key frames of deforming and breaking bodies and clouds, at least 2
    std::size_t max_bytes = std::size_t{64} << 20; // size limit of these shapes; fewer key frames if they exceed it
};
struct GlbReport {
    std::size_t frames = 0;     // of the recording
    std::size_t pose_keys = 0;  // key frames of poses in the file
    std::size_t shape_keys = 0; // key frames of shapes in the file; 0 if no body changes its shape
};
// Writes one animated file for Blender, three.js and other viewers, with y up. Rigid bodies are animated nodes;
// deforming bodies have one morph target per key frame; breaking bodies and clouds have one mesh per key frame, of
// which one is shown at a time. The file may contain fewer, evenly spaced frames than the recording; frames with values
// that are not finite are left out. The file contains the counts of the report.
GlbReport write_glb(const std::filesystem::path& path, const Recording& recording, const GlbOptions& options = {});

} // namespace fathom
