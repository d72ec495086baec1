// A network fitted to a mesh: the mesh's signed distance in a few thousand numbers.
// Method: Davies et al. 2021 (points drawn near the surface, exact distances, dense layers), trained by
// network_optimizer.h. The error near the surface ends near 0.1 % of the longest side for a scan at 8 x 32; where
// errors must be proven or smaller, build a grid. The network is meant for the mesh's box grown by `fit_margin` on
// every side, and is right in sign there; its layers are plain (no skip), its output linear. Repeatable: a seed, a
// number of samples and of steps give the same weights, for any thread count (one instruction set: see
// network_training.h). Time only decides the number of steps: the rate of learning is held, then falls to zero over the
// last `fit_decay` of the steps (and a running mean of the weights is the result), and the fall may begin after steps
// of a coarse grid only (8, 9 ... 15 times a power of two, as ends of the whole), so that a second run mostly chooses
// the same; FitReport::steps given as FitOptions::steps repeats a run to the bit.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/neural/network.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstdint>
#include <string>

namespace fathom {

inline constexpr double fit_margin = 0.15; // of the longest side of the mesh: how far the domain reaches past its box
inline constexpr double fit_near = 0.02;   // of the longest side: points so far from the surface are "near"
inline constexpr double fit_decay = 0.4;   // of the steps

struct FitOptions {
    int layers = 8; // hidden ones, 1 to 16; one output layer follows
    int width = 32; // of each, 1 to 512
    // Relu leaves the smallest error for the time and the tightest ranges; elu and softplus are smooth.
    Activation activation = Activation::relu;
    double seconds = 60; // of the wall clock, all in all; at least one step is made
    double error = 0;    // stop when the mean error near the surface is below this share of the longest side; 0: never
    int steps = 0;       // exactly so many, whatever time they take; 0: as many as the seconds allow
    std::uint64_t seed = 1; // of samples, first weights and their order
    std::size_t samples =
        1 << 19; // points to learn from at most, 2^10 to 2^26; short fits draw fewer. 16 bytes, 3 us each
    Progress* progress = nullptr; // stages "measuring distances" and "fitting: error ..."
};

// Errors are measured on fresh points. Where shares are named, they are between 0 and 1.
struct FitReport {
    double longest_side = 0;      // m, of the box of the mesh: what errors are set against
    double mean_error = 0;        // m, near the surface
    double max_error = 0;         // m, near the surface: the largest seen
    double mean_domain_error = 0; // m, anywhere in the domain
    double near_sign_errors = 0;  // share of the points near the surface that are judged to be on its other side
    double sign_errors = 0;       // share of the points anywhere in the domain
    double overlap = 0;           // volume inside both network and mesh over volume inside either (IoU); 1 at best
    int steps = 0;
    std::size_t samples = 0;
    double seconds = 0;     // of the wall clock, in all
    bool reached = false;   // stopped because the error wanted was reached
    bool cut_short = false; // time ran out before the steps were done: the machine slowed down
    std::string sign{};     // how inside was told from outside
    struct Moment {
        int steps = 0;
        double seconds = 0; // since the start
        double error = 0;   // mean, near the surface (m)
    };
    std::vector<Moment> course{}; // of the error, on a smaller set of points
};

struct FittedNetwork {
    Network network;
    FitReport report;
};

// Open and crossing meshes: inside is what MeshField says (the winding number). Error{invalid_argument} naming the
// option, or where the mesh has no inside at all; Error{empty, non_finite, index_out_of_range} as for meshes;
// Error{cancelled}.
[[nodiscard]] FittedNetwork fit_network(const TriangleMesh& mesh, const FitOptions& options = {});

} // namespace fathom
