// The step: move, find pairs, sweep both roles, compute forces, energy guard.
#include <fathom/simulate/rigid/rigid_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/detect/world/world.h>
#include <fathom/response/continuous_penalty.h>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>
namespace fathom {

namespace {

void check_number(bool good, double value, const char* range, std::string element) {
    if (!good)
        throw Error(Cause::invalid_argument, fmt::format("{} is not {}", value, range),
                    {.element = std::move(element)});
}

void check_options(const RigidOptions& options) {
    check_number(std::isfinite(options.step) && options.step > 0, options.step, "a finite number above 0",
                 "option step");
    check_number(is_finite(options.gravity), options.gravity.norm(), "finite", "option gravity");
    check_number(options.energy_limit > 0, options.energy_limit, "above 0", "option energy_limit");
    check_number(options.sleep_speed >= 0, options.sleep_speed, "a number from 0", "option sleep_speed");
    check_number(options.sleep_steps >= 1, options.sleep_steps, "a number from 1", "option sleep_steps");
    check(options.law);
}

void check_body(const Body& body, std::size_t number) {
    const auto element = [&](const char* what) { return fmt::format("body {} ({}) {}", number, body.name, what); };
    if (!body.shape) throw Error(Cause::invalid_argument, "has no shape", {.element = element("shape")});
    const bool placed = is_finite(body.pose) && body.pose.rotation.norm() > 0;
    check_number(placed, body.pose.translation.norm(), "a finite pose", element("pose"));
    check_number(is_finite(body.velocity), body.velocity.norm(), "finite", element("velocity"));
    check_number(is_finite(body.spin), body.spin.norm(), "finite", element("spin"));
    check_number(std::isfinite(body.density) && body.density > 0, body.density, "a finite number above 0",
                 element("density"));
    for (const auto& [value, name] :
         {std::pair{body.stiffness, "stiffness"}, {body.damping, "damping"}, {body.friction, "friction"}})
        check_number(std::isfinite(value) && value >= 0, value, "a finite number from 0", element(name));
    if (body.fixed) return;
    check_number(body.shape->mass.volume > 0, body.shape->mass.volume, "a volume above 0, as a moving body requires",
                 element("shape"));
    if (!body.shape->shell)
        throw Error(Cause::invalid_argument, "a moving body must have points", {.element = element("shape")});
}

// One role of one pair, with reused buffers.
struct Job {
    Index shell_body = no_index, field_body = no_index;
    point_field::ShellSweepResult sweep;
    ContactResponse response;
    std::vector<ContactRecord> records;
};
} // namespace

struct RigidWorld::State {
    RigidOptions options;
    std::vector<Body> bodies;
    std::vector<BodyMass> masses;
    std::vector<BodyState> states;
    std::vector<MovingBody> moving; // over the last step
    std::vector<Wrench> wrenches;
    std::vector<Wrench> pushes; // external; empty: none
    std::vector<ContactSlope> slopes;
    std::vector<Box> boxes; // over the step
    World world;            // its ids are the numbers of the bodies
    std::vector<Job> jobs;  // the first job_count belong to this step
    std::size_t job_count = 0;
    std::vector<BodyContact> contacts;
    StepReport report;
    std::size_t steps = 0;
    double first_energy = 0, energy_scale = 0, given = 0;

    void accelerate(Index k);
    void take_pushes();
    void move(Index k);
    void predict(Index k);
    void begin_jobs(std::span<const IdPair> found);
    void add_job(Index shell_body, Index field_body);
    void detect(Job& job);
    void respond(Job& job);
    void gather();
    void put_to_sleep();
    void guard();
    [[nodiscard]] Energy energy() const;
    [[nodiscard]] bool predicts() const {
        return options.mode == ContactMode::continuous && options.span == ContactSpan::coming;
    }
    [[nodiscard]] double prediction_steps() const;
    [[nodiscard]] bool idle(Index k) const { return bodies[k].fixed || states[k].asleep; }
};

void RigidWorld::State::accelerate(Index k) {
    BodyState& state = states[k];
    const BodyMass& mass = masses[k];
    const double h = options.step;
    if (options.stepping == Stepping::symplectic) {
        state.velocity += h * (wrenches[k].force / mass.mass + options.gravity);
        state.angular_momentum += h * wrenches[k].torque;
        return;
    }
    const Mat3 inertia = mass.world_inertia(state.rotation);
    Mat6 matrix = h * slopes[k].damping + h * h * slopes[k].stiffness;
    matrix.topLeftCorner<3, 3>().diagonal().array() += mass.mass;
    matrix.bottomRightCorner<3, 3>() += inertia;
    Vec6 push;
    push << wrenches[k].force + mass.mass * options.gravity, wrenches[k].torque;
    const Vec6 change = matrix.ldlt().solve(h * (push + prediction_steps() * h * slopes[k].rate));
    state.velocity += change.head<3>();
    state.angular_momentum += inertia * change.tail<3>();
}

// Adds the pushes to the contact forces for this step.
void RigidWorld::State::take_pushes() {
    for (Index k = 0; k < pushes.size(); ++k) {
        if (bodies[k].fixed || (pushes[k].force.isZero(0) && pushes[k].torque.isZero(0))) continue;
        if (states[k].asleep) states[k].asleep = false;
        states[k].calm_steps = 0;
        wrenches[k] += pushes[k];
        const double work =
            options.step * (pushes[k].force.dot(states[k].velocity) + pushes[k].torque.dot(states[k].spin));
        const double own = 0.5 * options.step * options.step * pushes[k].force.squaredNorm() / masses[k].mass;
        given += work + own;
        energy_scale += std::abs(work) + own;
    }
    pushes.clear();
}

// Steps from the time of the computed forces to the end of the step in which they are applied.
double RigidWorld::State::prediction_steps() const {
    if (options.mode == ContactMode::discrete) return 1;
    return predicts() ? 0.5 : 1.5;
}

void RigidWorld::State::move(Index k) {
    BodyState& state = states[k];
    MovingBody& body = moving[k];
    body.motion.start = pose_of(state, *bodies[k].shape);
    body.velocity_start = state.velocity;
    body.spin_start = state.spin;
    if (!idle(k)) {
        accelerate(k);
        coast(state, masses[k], options.step);
    }
    body.motion.end = pose_of(state, *bodies[k].shape);
    body.velocity_end = state.velocity;
    body.spin_end = state.spin;
    if (predicts()) predict(k);
    const Vec3 start = body.motion.start * body.center, end = body.motion.end * body.center;
    // A rotating body stays in the ball about its moving centre; chords of points do too, since balls are convex. Screw
    // paths of both centre and points deviate by no more than the length of the path.
    const double bend = options.law.path == PathInTime::screw ? (end - start).norm() : 0;
    boxes[k] = Box{start.cwiseMin(end), start.cwiseMax(end)}.grown(bodies[k].shape->reach + bend);
}

void RigidWorld::State::predict(Index k) {
    MovingBody& body = moving[k];
    body.motion.start = body.motion.end;
    body.velocity_start = body.velocity_end;
    body.spin_start = body.spin_end;
    if (idle(k)) return;
    BodyState free = states[k];
    coast(free, masses[k], options.step);
    body.motion.end = pose_of(free, *bodies[k].shape);
    body.velocity_end = free.velocity;
    body.spin_end = free.spin;
}

void RigidWorld::State::add_job(Index shell_body, Index field_body) {
    if (!bodies[shell_body].shape->shell || !has_field(bodies[field_body].shape->solid().kind())) return;
    if (job_count == jobs.size()) jobs.emplace_back();
    jobs[job_count].shell_body = shell_body;
    jobs[job_count++].field_body = field_body;
}

void RigidWorld::State::begin_jobs(std::span<const IdPair> found) {
    job_count = 0;
    report.pairs = found.size();
    for (const auto& [a, b] : found) {
        add_job(a, b);
        add_job(b, a);
    }
}

void RigidWorld::State::detect(Job& job) {
    Motion shell = moving[job.shell_body].motion, field = moving[job.field_body].motion;
    if (options.mode == ContactMode::discrete)
        shell = Motion::stationary(shell.end), field = Motion::stationary(field.end);
    point_field::ShellSweepOptions sweep_options{.goal = SweepGoal::all, .tree = options.tree};
    if (options.law.path == PathInTime::screw) sweep_options.path = Path::screw;
    sweep(bodies[job.shell_body].shape->shell->points(), shell, bodies[job.field_body].shape->solid().caster(), field,
          job.sweep, sweep_options);
}

void RigidWorld::State::respond(Job& job) {
    const Body &shell = bodies[job.shell_body], &field = bodies[job.field_body];
    ContactLaw law = options.law;
    law.stiffness = shell.stiffness;
    law.damping = shell.damping;
    law.friction = std::sqrt(shell.friction * field.friction);
    const ContactRole role{shell.shape->points(), shell.shape->normals, moving[job.shell_body],
                           *field.shape->solid().field(), moving[job.field_body]};
    if (law.handle != HandleCenter::moving) law.handle = predicts() ? HandleCenter::start : HandleCenter::end;
    job.records.clear();
    const ContactOutput output{predicts() ? 0.0 : 1.0, options.stepping == Stepping::implicit, &job.records};
    job.response = options.mode == ContactMode::discrete
                       ? discrete_penalty(job.sweep.contacts, role, options.step, law, output)
                       : continuous_penalty(job.sweep.contacts, role, options.step, law, output);
}

void RigidWorld::State::gather() {
    std::fill(wrenches.begin(), wrenches.end(), Wrench{});
    if (options.stepping == Stepping::implicit) std::fill(slopes.begin(), slopes.end(), ContactSlope{});
    contacts.clear();
    report.contacts = report.evaluations = report.points_tested = 0;
    report.deepest = report.deepest_now = 0;
    for (std::size_t k = 0; k < job_count; ++k) {
        const Job& job = jobs[k];
        report.evaluations += job.sweep.evaluations;
        report.points_tested += job.sweep.points_tested;
        if (job.sweep.contacts.empty()) continue;
        wrenches[job.shell_body] += job.response.on_shell;
        wrenches[job.field_body] += job.response.on_field;
        report.deepest = std::max(report.deepest, job.response.deepest);
        report.deepest_now = std::max(report.deepest_now, job.response.deepest_now);
        report.contacts += job.sweep.contacts.size();
        for (const ContactRecord& r : job.records)
            contacts.push_back({job.shell_body, job.field_body, r.point, no_index, r.position, r.normal, r.depth});
        if (options.stepping != Stepping::implicit) continue;
        ContactSlope shell = job.response.shell_slope, field = job.response.field_slope;
        const double split = idle(job.shell_body) || idle(job.field_body) ? 1 : 2;
        for (ContactSlope* slope : {&shell, &field}) slope->stiffness *= split, slope->damping *= split;
        slopes[job.shell_body] += shell;
        slopes[job.field_body] += field;
    }
}

void RigidWorld::State::put_to_sleep() {
    const auto speed = [&](Index k) {
        return states[k].velocity.norm() + states[k].spin.norm() * bodies[k].shape->reach;
    };
    for (std::size_t k = 0; k < job_count; ++k)
        if (!jobs[k].sweep.contacts.empty())
            for (const auto& [sleeper, other] :
                 {std::pair{jobs[k].shell_body, jobs[k].field_body}, {jobs[k].field_body, jobs[k].shell_body}})
                if (states[sleeper].asleep && !idle(other) && speed(other) > options.sleep_speed)
                    states[sleeper].asleep = false, states[sleeper].calm_steps = 0;
    for (Index k = 0; k < bodies.size(); ++k) {
        BodyState& state = states[k];
        if (idle(k)) continue;
        const bool touched = wrenches[k].force != Vec3::Zero();
        state.calm_steps = touched && speed(k) < options.sleep_speed ? state.calm_steps + 1 : 0;
        if (state.calm_steps < options.sleep_steps) continue;
        state.asleep = true;
        state.velocity = state.spin = state.angular_momentum = Vec3::Zero();
    }
}

Energy RigidWorld::State::energy() const {
    Energy sum;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (bodies[k].fixed) continue;
        sum.kinetic += masses[k].kinetic_energy(states[k]);
        sum.potential -= masses[k].mass * options.gravity.dot(states[k].center);
    }
    for (std::size_t k = 0; k < job_count; ++k)
        sum.stored += jobs[k].sweep.contacts.empty() ? 0 : jobs[k].response.stored;
    return sum;
}

void RigidWorld::State::guard() {
    Index fastest = 0;
    double most = -1;
    for (Index k = 0; k < bodies.size(); ++k) {
        const double kinetic = masses[k].kinetic_energy(states[k]);
        if (!std::isfinite(kinetic) || !is_finite(states[k].center))
            throw Error(
                Cause::non_finite,
                fmt::format("step {}: body {} ({}) has a kinetic energy of {} J", steps, k, bodies[k].name, kinetic),
                {.element = "body", .index = k});
        if (kinetic > most) most = kinetic, fastest = k;
    }
    const double total = energy().total();
    if (steps == 1) {
        first_energy = total - given;
        energy_scale += energy().kinetic + energy().stored;
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (!bodies[k].fixed) energy_scale += masses[k].mass * options.gravity.norm() * bodies[k].shape->reach;
    }
    if (std::isfinite(total) && total - first_energy - given <= options.energy_limit * energy_scale) return;
    throw Error(Cause::too_large,
                fmt::format("step {}: the energy of all bodies has grown from {} J to {} J; body {} ({}) alone moves "
                            "with {} J. Use a smaller step, a softer contact, "
                            "more damping or implicit stepping",
                            steps, first_energy, total, fastest, bodies[fastest].name, most),
                {.element = "body", .index = fastest});
}

RigidWorld::RigidWorld(const RigidOptions& options) : state_(std::make_unique<State>()) {
    check_options(options);
    state_->options = options;
}
RigidWorld::~RigidWorld() = default;
RigidWorld::RigidWorld(RigidWorld&&) noexcept = default;

Index RigidWorld::add(Body body) {
    State& s = *state_;
    check_body(body, s.bodies.size());
    // What detection needs is built now, so that no step takes longer than the others.
    if (has_field(body.shape->solid().kind())) (void)body.shape->solid().caster();
    s.masses.emplace_back(body);
    s.states.push_back(start_state(body, s.masses.back()));
    s.moving.emplace_back();
    s.moving.back().center = body.shape->mass.center;
    s.wrenches.emplace_back();
    s.slopes.emplace_back();
    s.boxes.emplace_back();
    s.world.add(Box{}, {.name = body.name});
    s.bodies.push_back(std::move(body));
    return static_cast<Index>(s.bodies.size() - 1);
}

void RigidWorld::step() {
    State& s = *state_;
    s.take_pushes();
    for (Index k = 0; k < s.bodies.size(); ++k) s.move(k);
    Stopwatch watch;
    ++s.steps;
    for (Index k = 0; k < s.bodies.size(); ++k)
        if (!s.boxes[k].lower.allFinite() && !s.bodies[k].fixed) s.job_count = 0, s.guard();
    for (Index k = 0; k < s.bodies.size(); ++k) {
        s.world.set_bounds(k, s.boxes[k]);
        s.world.set_static(k, s.idle(k)); // two idle bodies cannot start a contact
    }
    s.begin_jobs(s.world.candidates());
    if (s.job_count < 4) {
        for (std::size_t k = 0; k < s.job_count; ++k) s.detect(s.jobs[k]);
    } else {
        parallel_tasks(s.job_count, [&](std::size_t k) { s.detect(s.jobs[k]); });
    }
    s.report.detect_seconds = watch.lap();
    for (std::size_t k = 0; k < s.job_count; ++k) s.respond(s.jobs[k]);
    s.gather();
    s.report.respond_seconds = watch.lap();
    if (s.options.sleep_speed > 0) s.put_to_sleep();
    s.guard();
}

void RigidWorld::set_pushes(std::span<const Wrench> pushes) {
    if (!pushes.empty() && pushes.size() != state_->bodies.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("got {} pushes for {} bodies", pushes.size(), state_->bodies.size()),
                    {.element = "pushes"});
    state_->pushes.assign(pushes.begin(), pushes.end());
}

const RigidOptions& RigidWorld::options() const { return state_->options; }
std::size_t RigidWorld::steps() const { return state_->steps; }
double RigidWorld::time() const { return static_cast<double>(state_->steps) * state_->options.step; }
std::span<const Body> RigidWorld::bodies() const { return state_->bodies; }
std::span<const BodyState> RigidWorld::states() const { return state_->states; }
std::span<const BodyMass> RigidWorld::masses() const { return state_->masses; }
Pose RigidWorld::pose(Index body) const { return pose_of(state_->states[body], *state_->bodies[body].shape); }
std::span<const Wrench> RigidWorld::contact_wrenches() const { return state_->wrenches; }
std::span<const BodyContact> RigidWorld::contacts() const { return state_->contacts; }
std::span<const MovingBody> RigidWorld::swept() const { return state_->moving; }
const StepReport& RigidWorld::report() const { return state_->report; }
Energy RigidWorld::energy() const { return state_->energy(); }

Fingerprint RigidWorld::state_hash() const {
    Fingerprinter hash;
    const auto add = [&](const auto& values) {
        hash.add(std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))));
    };
    for (std::size_t k = 0; k < state_->bodies.size(); ++k) {
        const BodyState& state = state_->states[k];
        for (const Vec3& v : {state.center, state.velocity, state.angular_momentum, state_->wrenches[k].force,
                              state_->wrenches[k].torque})
            add(v);
        add(state.rotation.coeffs());
        const std::array<int, 2> sleep = {state.asleep, state.calm_steps};
        add(sleep);
    }
    return hash.finish();
}

// Copies poses and contacts of rigid bodies into frames.
std::vector<RecordedBody> RigidWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const Body& body : bodies()) all.push_back(recorded(body));
    return all;
}

RecordedStep RigidWorld::recorded_step() const {
    const StepReport& now = report();
    return {steps(), time(), energy(), now.deepest_now, now.contacts, now.detect_seconds, now.respond_seconds};
}

void RigidWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    for (Index k = 0; k < bodies().size(); ++k) {
        const BodyState& state = states()[k];
        frame.bodies.push_back({pose(k), state.velocity, state.spin, state.asleep});
    }
    if (with_contacts) frame.contacts.assign(contacts().begin(), contacts().end());
}
} // namespace fathom
