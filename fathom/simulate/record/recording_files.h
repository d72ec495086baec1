// Recordings as files: tables for plots, a summary, and scenes that ParaView, Blender and browsers
// play. Each file appears complete or not at all; Error{cannot_write} names it.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/base/progress.h>
#include <fathom/simulate/record/recording.h>

#include <filesystem>

namespace fathom {

// step, time, kinetic, potential, stored, total, deepest, contacts: a row a frame.
void write_energy_csv(const std::filesystem::path& path, const Recording& recording);
// step, time, body, position of its centre of mass, rotation (w x y z), velocity, spin: a row a moving body a frame.
void write_states_csv(const std::filesystem::path& path, const Recording& recording);
// step, time, body, other body, point, position, normal, depth: a row a contact.
void write_contacts_csv(const std::filesystem::path& path, const Recording& recording);
// body, position, velocity, age: a row a point of the clouds in a frame.
void write_points_csv(const std::filesystem::path& path, const RecordedFrame& frame);
// Steps, times, energies, worst penetration, state of each body in the frame `end` (which may be one that was not
// kept), state hash.
void write_summary_json(const std::filesystem::path& path, const Recording& recording, const RecordedFrame& end,
                        const Fingerprint& state_hash);

// `name`.pvd with the times, and in the folder `name` a .vtu of the moving and deforming bodies and one of the contacts
// a frame, and one of the fixed bodies for all. Cells carry the number of their body; contacts carry normal, depth and
// the numbers of both bodies. Where there are clouds, a .vtu of their points a frame, with velocity and age.
void write_vtk(const std::filesystem::path& pvd, const Recording& recording, Progress* progress = nullptr);

struct GlbOptions {
    std::size_t max_poses = 2'000;                 // key frames of what moves as a whole, at least 2
    std::size_t max_shapes = 60;                   // of what deforms, breaks or is a cloud, at least 2;
    std::size_t max_bytes = std::size_t{64} << 20; // and fewer where they would take more than this
};
struct GlbReport {
    std::size_t frames = 0;     // of the recording
    std::size_t pose_keys = 0;  // of them kept for poses,
    std::size_t shape_keys = 0; // and for shapes; 0 where nothing changes its shape
};
// One animated file for Blender, three.js and other viewers (y up, as they have it). Rigid bodies are nodes that move;
// bodies that deform have a morph target a key frame; those that break, and clouds, a mesh a key frame, shown in turns.
// Fewer frames than were recorded may be kept, evenly spread; frames with numbers that are not finite never are. The
// file states the counts, as the report does.
GlbReport write_glb(const std::filesystem::path& path, const Recording& recording, const GlbOptions& options = {});

} // namespace fathom
