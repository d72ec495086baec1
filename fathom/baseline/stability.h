// How large a step may be: continuous against discrete contact (Xu & Barbic 2014, section 5 and figure
// 6). A run is stable where the energy of motion, height and springs never rises above that at the start by more than a
// small share of what the bodies weigh times their size, and where the bodies have come to rest at the end. A method's
// largest stable step is the end of the first stretch of stable steps, found by growing the step and then by bisection.
// Both methods are explicit, with the same law and the same bodies. O(runs * steps).
#pragma once

#include <fathom/base/progress.h>
#include <fathom/simulate/scene/scene.h>

namespace fathom {

struct StabilityOptions {
    double energy_tolerance = 0.02; // of weight times size, above the energy at the start
    double rest = 0.01;             // of the same: kinetic energy at the end
    double smallest_step = 1e-3;    // s; where this is not stable the answer is 0
    double largest_step = 0.1;      // s
    double growth = 1.2;            // of the step from run to run
    int bisections = 5;
};

struct StabilityRun {
    bool stable = false;
    double worst_penetration = 0; // at the ends of steps (m)
    double energy_rise = 0;       // above the start, of weight times size
    double energy_left = 0;       // kinetic at the end, of weight times size
};

// The bodies of a scene, built once and run with many options.
class StabilityScene {
public:
    explicit StabilityScene(const Scene& scene, const StabilityOptions& options = {});

    // `softness` divides the stiffness of every body, and its root the damping, so that both stay in proportion.
    // Records every step where a recording is given.
    [[nodiscard]] StabilityRun run(const RigidOptions& options, double softness = 1,
                                   Recording* recording = nullptr) const;
    [[nodiscard]] double largest_stable_step(RigidOptions options) const; // 0 where the smallest is not stable
    // The largest, from options.step downwards, that is stable and penetrates no deeper than this (m), or 0.
    [[nodiscard]] double largest_step_within(RigidOptions options, double penetration) const;
    // The least softness (from 1 on, at most 1e6) at which the options are stable, or 0.
    [[nodiscard]] double least_softness(const RigidOptions& options) const;

    [[nodiscard]] const Scene& scene() const { return scene_; }

private:
    Scene scene_;
    StabilityOptions options_;
    std::vector<RigidBody> bodies_;
    double energy_scale_ = 0;
};

struct StabilityReport {
    double discrete_step = 0, continuous_step = 0; // largest stable ones (s)
    double paper_order_step = 0;                   // continuous over the last step instead of the coming one
    StabilityRun discrete, continuous,
        discrete_exploding;  // each at its step; the last one discrete at the continuous step
    double softness = 0;     // that makes discrete stable at the continuous step
    StabilityRun soft;       // and how it then goes
    double matched_step = 0; // largest stable continuous one that penetrates no deeper than discrete at its own

    [[nodiscard]] double step_ratio() const { return continuous_step / discrete_step; }
    [[nodiscard]] double penetration_ratio() const { return soft.worst_penetration / continuous.worst_penetration; }
    [[nodiscard]] double matched_ratio() const { return matched_step / discrete_step; }
};

[[nodiscard]] StabilityReport compare_stability(const StabilityScene& scene, Progress* progress = nullptr);

} // namespace fathom
