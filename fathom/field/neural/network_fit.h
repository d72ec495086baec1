// Fits a network to the signed distance of a mesh; the result is a few thousand numbers.
// Method: Davies et al. 2021 (points drawn near the surface, exact distances, dense layers), trained by
// network_optimizer.h. For a scan at 8 x 32 the final error near the surface is about 0.1 % of the longest side; where
// errors must be proven or smaller, build a grid. The domain of the network is the mesh's box grown by `fit_margin` on
// every side, and its sign is right there; its layers are plain (no skip), its output is linear.
// Repeatable: a seed, a number of samples and a number of steps give the same weights for any thread count (one
// instruction set: see network_training.h). Time decides only the number of steps. The learning rate is constant at
// first and falls to zero over the last `fit_decay` of the steps; the result is a running mean of the weights. The
// decay can begin only at step counts of a coarse grid (the total is 8, 9 ... 15 times a power of two), so that a
// second run mostly chooses the same count. FitReport::steps passed as FitOptions::steps repeats a run to the bit.
#pragma once

#include <fathom/base/progress.h>
#include <fathom/field/neural/network.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstdint>
#include <string>

namespace fathom {

// Distance by which the domain extends past the mesh's box, as a share of the mesh's longest side.
inline constexpr double fit_margin = 0.15;
// Points within this distance of the surface count as "near", as a share of the longest side.
inline constexpr double fit_near = 0.02;
inline constexpr double fit_decay = 0.4; // share of the steps

struct FitOptions {
    int layers = 8; // hidden layers, 1 to 16; one output layer follows
    int width = 32; // outputs of each hidden layer, 1 to 512
    // Relu gives the smallest error for the time and the tightest ranges; elu and softplus are smooth.
    Activation activation = Activation::relu;
    double seconds = 60; // total wall time (s); at least one step is made
    // Stop when the mean error near the surface is below this share of the longest side; 0: never.
    double error = 0;
    int steps = 0;          // exact number of steps, whatever time they take; 0: as many as `seconds` allow
    std::uint64_t seed = 1; // of samples, initial weights and the order of samples
    // Maximum number of training points, 2^10 to 2^26; short fits draw fewer. Each takes 16 bytes and 3 us.
    std::size_t samples = 1 << 19;
    Progress* progress = nullptr; // stages "measuring distances" and "fitting: error ..."
};

// Errors are measured on points that were not used for training. Shares are between 0 and 1.
struct FitReport {
    double longest_side = 0;      // longest side of the mesh's box (m); the reference for errors
    double mean_error = 0;        // m, near the surface
    double max_error = 0;         // largest error seen near the surface (m)
    double mean_domain_error = 0; // m, anywhere in the domain
    // Share of the points near the surface that the network puts on the wrong side.
    double near_sign_errors = 0;
    double sign_errors = 0; // the same share over the whole domain
    // Volume inside both network and mesh over volume inside either (IoU); 1 is a perfect match.
    double overlap = 0;
    int steps = 0;
    std::size_t samples = 0;
    double seconds = 0;     // total wall time (s)
    bool reached = false;   // stopped because the requested error was reached
    bool cut_short = false; // time ran out before the steps were done because the machine slowed down
    std::string sign{};     // how inside and outside were distinguished
    struct Moment {
        int steps = 0;
        double seconds = 0; // since the start
        double error = 0;   // mean error near the surface (m)
    };
    std::vector<Moment> course{}; // history of the error, on a smaller set of points
};

struct FittedNetwork {
    Network network;
    FitReport report;
};

// For open and self-intersecting meshes the inside is that of MeshField (winding number). Throws
// Error{invalid_argument} if an option is out of range (it is named) or the mesh has no inside; Error{empty,
// non_finite, index_out_of_range} as for meshes; Error{cancelled}.
[[nodiscard]] FittedNetwork fit_network(const TriangleMesh& mesh, const FitOptions& options = {});

} // namespace fathom
