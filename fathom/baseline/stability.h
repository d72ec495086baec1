// Largest stable time step of continuous and discrete contact (Xu & Barbic 2014, section 5 and figure 6).
// A run is stable if the sum of kinetic, potential and spring energy never exceeds its initial value by more than a
// small fraction of weight times size of the bodies, and if the bodies are at rest at the end. The largest stable step
// of a method is the end of the first range of stable steps, found by increasing the step and then by bisection. Both
// methods are explicit and use the same contact law and bodies. O(runs * steps).
#pragma once

#include <fathom/base/progress.h>
#include <fathom/simulate/scene/scene.h>

namespace fathom {

struct StabilityOptions {
    double energy_tolerance = 0.02; // admissible energy rise above the start, relative to weight times size
    double rest = 0.01;             // admissible kinetic energy at the end, relative to weight times size
    double smallest_step = 1e-3;    // s; if it is not stable, the result is 0
    double largest_step = 0.1;      // s
    double growth = 1.2;            // factor of the step from run to run
    int bisections = 5;
};

struct StabilityRun {
    bool stable = false;
    double worst_penetration = 0; // largest penetration depth at the ends of steps (m)
    double energy_rise = 0;       // largest energy above the start, relative to weight times size
    double energy_left = 0;       // kinetic energy at the end, relative to weight times size
};

// The bodies of a scene, built once and run with many options.
class StabilityScene {
public:
    explicit StabilityScene(const Scene& scene, const StabilityOptions& options = {});

    // `softness` divides the stiffness of every body, and its square root the damping, so that the damping ratio is
    // constant. Every step is recorded if a recording is given.
    [[nodiscard]] StabilityRun run(const RigidOptions& options, double softness = 1,
                                   Recording* recording = nullptr) const;
    [[nodiscard]] double largest_stable_step(RigidOptions options) const; // s; 0 if the smallest step is not stable
    // The largest step, from options.step downwards, that is stable with at most this penetration depth (m); 0 if none.
    [[nodiscard]] double largest_step_within(RigidOptions options, double penetration) const;
    // The smallest softness (from 1 to 1e6) with which the options are stable; 0 if none.
    [[nodiscard]] double min_softness(const RigidOptions& options) const;

    [[nodiscard]] const Scene& scene() const { return scene_; }

private:
    Scene scene_;
    StabilityOptions options_;
    std::vector<Body> bodies_;
    double energy_scale_ = 0;
};

struct StabilityReport {
    double discrete_step = 0, continuous_step = 0; // largest stable steps (s)
    double paper_order_step = 0; // largest stable step with forces of the previous step instead of the coming one (s)
    StabilityRun discrete, continuous; // each at its largest stable step
    StabilityRun discrete_exploding;   // discrete contact at the continuous step
    double softness = 0;               // makes discrete contact stable at the continuous step
    StabilityRun soft;                 // the run with that softness
    // Largest stable continuous step that penetrates no deeper than discrete contact at its own step (s).
    double matched_step = 0;

    [[nodiscard]] double step_ratio() const { return continuous_step / discrete_step; }
    [[nodiscard]] double penetration_ratio() const { return soft.worst_penetration / continuous.worst_penetration; }
    [[nodiscard]] double matched_ratio() const { return matched_step / discrete_step; }
};

[[nodiscard]] StabilityReport compare_stability(const StabilityScene& scene, Progress* progress = nullptr);

} // namespace fathom
