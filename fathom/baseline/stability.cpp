// Repeated runs of a scene to find the largest stable step.
#include <fathom/baseline/stability.h>

#include <fathom/base/error.h>

#include <cmath>

namespace fathom {

StabilityScene::StabilityScene(const Scene& scene, const StabilityOptions& options) : scene_(scene), options_(options) {
    const RigidWorld world = make_rigid_world(scene);
    bodies_.assign(world.bodies().begin(), world.bodies().end());
    for (const Body& body : bodies_)
        if (!body.fixed) energy_scale_ += BodyMass(body).mass * scene.options.gravity.norm() * body.shape->reach;
}

StabilityRun StabilityScene::run(const RigidOptions& options, double softness, Recording* recording) const {
    RigidWorld world(options);
    for (Body body : bodies_) {
        body.stiffness /= softness;
        body.damping /= std::sqrt(softness);
        world.add(std::move(body));
    }
    StabilityRun result;
    const double start = world.energy().total();
    const auto steps = static_cast<std::size_t>(std::llround(scene_.duration / options.step));
    try {
        for (std::size_t k = 0; k < steps; ++k) {
            world.step();
            if (recording) world.record(*recording);
            result.worst_penetration = std::max(result.worst_penetration, world.report().deepest_now);
            result.energy_rise = std::max(result.energy_rise, (world.energy().total() - start) / energy_scale_);
            if (result.energy_rise > options_.energy_tolerance && !recording) return result;
        }
    } catch (const Error& error) {
        if (error.cause() != Cause::too_large && error.cause() != Cause::non_finite) throw;
        return result;
    }
    result.energy_left = world.energy().kinetic / energy_scale_;
    result.stable = result.energy_rise <= options_.energy_tolerance && result.energy_left <= options_.rest;
    return result;
}

double StabilityScene::largest_stable_step(RigidOptions options) const {
    const auto good = [&](double step) {
        options.step = step;
        return run(options).stable;
    };
    double low = 0, high = options_.largest_step;
    for (double step = options_.smallest_step; step < options_.largest_step; step *= options_.growth) {
        if (!good(step)) {
            high = step;
            break;
        }
        low = step;
    }
    if (low == 0) return 0;
    for (int k = 0; k < options_.bisections; ++k) {
        const double middle = std::sqrt(low * high);
        (good(middle) ? low : high) = middle;
    }
    return low;
}

double StabilityScene::largest_step_within(RigidOptions options, double penetration) const {
    for (; options.step >= options_.smallest_step; options.step /= 1 + (options_.growth - 1) / 4) {
        const StabilityRun found = run(options);
        if (found.stable && found.worst_penetration <= penetration) return options.step;
    }
    return 0;
}

double StabilityScene::min_softness(const RigidOptions& options) const {
    double stiff = 1, soft = 1;
    while (!run(options, soft).stable) {
        stiff = soft;
        soft *= options_.growth;
        if (soft > 1e6) return 0;
    }
    for (int k = 0; k < options_.bisections && soft > 1; ++k) {
        const double middle = std::sqrt(stiff * soft);
        (run(options, middle).stable ? soft : stiff) = middle;
    }
    return soft;
}

StabilityReport compare_stability(const StabilityScene& scene, Progress* progress) {
    Stage stage(progress, "comparing stability", 5);
    StabilityReport report;
    RigidOptions continuous = scene.scene().options, discrete = continuous;
    continuous.mode = ContactMode::continuous;
    continuous.span = ContactSpan::last;
    report.paper_order_step = scene.largest_stable_step(continuous);
    stage.step();
    continuous.span = ContactSpan::coming;
    report.continuous_step = continuous.step = scene.largest_stable_step(continuous);
    stage.step();
    discrete.mode = ContactMode::discrete;
    report.discrete_step = discrete.step = scene.largest_stable_step(discrete);
    stage.step();
    if (report.continuous_step == 0 || report.discrete_step == 0) return report;
    report.continuous = scene.run(continuous);
    report.discrete = scene.run(discrete);
    report.matched_step = scene.largest_step_within(continuous, report.discrete.worst_penetration);
    stage.step();
    discrete.step = continuous.step;
    report.discrete_exploding = scene.run(discrete);
    report.softness = scene.min_softness(discrete);
    if (report.softness > 0) report.soft = scene.run(discrete, report.softness);
    stage.step();
    return report;
}

} // namespace fathom
