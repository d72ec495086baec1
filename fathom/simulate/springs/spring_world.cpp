// The step of a network: hook, borders, kick and drift or solve, creep, contacts, forces, energy guard.
#include <fathom/simulate/springs/spring_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t chunk = 4096;
constexpr int max_halvings = 10; // of a step of backward Euler
constexpr double no_length_yet = -1;
// Share of the largest stable step for parts of a divided step: bodies get stiffer as they stretch.
constexpr double stable_share = 0.7;

// Adds the time that passes in a scope.
struct Timer {
    double& sum;
    Stopwatch watch{};
    ~Timer() { sum += watch.seconds(); }
};

double plus(double sum, double part) { return sum + part; }

// Energy of the network at a strain of a tenth: the reference energy of a network that starts at rest.
double natural_energy(const SpringNetwork& network) {
    double sum = 0;
    for (const Spring& s : network.springs) sum += 0.005 * s.stiffness * s.rest * s.rest;
    for (const AreaTerm& a : network.areas) sum += 0.005 * a.stiffness * a.rest;
    for (const VolumeTerm& v : network.volumes) sum += 0.005 * v.stiffness * std::abs(v.rest);
    return sum;
}

// Upper bound on the increase of the square of the highest frequency by contacts: the largest sum over the contacts of
// a point.
double contact_frequency_square(std::span<const WeightedContact> contacts, std::span<const ContactStrength> strengths,
                                std::span<const double> inverse_masses) {
    std::vector<double> sums(inverse_masses.size(), 0);
    double most = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        double weights = 0;
        for (std::size_t k = 0; k < contacts[c].count; ++k) weights += std::abs(contacts[c].weights[k]);
        for (std::size_t k = 0; k < contacts[c].count; ++k) {
            const Index p = contacts[c].points[k];
            sums[p] += strengths[c].stiffness * std::abs(contacts[c].weights[k]) * weights * inverse_masses[p];
            most = std::max(most, sums[p]);
        }
    }
    return most;
}

} // namespace

struct SpringWorld::State {
    SpringOptions options;
    SpringNetwork network;
    SpringBlocks blocks;
    Lists parts; // the points of each object
    std::vector<double> inverse_masses, first_rest;
    StiffnessBounds bounds;
    SpringState state;
    std::vector<Vec3> forces, pushes;
    std::vector<WeightedContact> contacts;
    std::vector<ContactStrength> strengths;
    SpringEnergy energy;
    MotionHook hook;
    ContactFinder finder;
    SpringState before_hook;
    SpringMatrix matrix;
    SpringSolve solve;
    std::vector<Vec3> right, change;
    SpringReport report;
    std::size_t steps = 0;
    double time = 0;
    bool edited = true, stale = true, begun = false;
    double first_energy = 0, energy_scale = 0, given = 0;

    void prepare();
    void list_parts();
    void apply(const NetworkEdit& edit);
    void follow_points(const NetworkEdit& edit);
    void follow_bounds(const NetworkEdit& edit);
    void refuse_unstable() const;
    void find_contacts();
    void find_spring_forces();
    void add_contact_pushes();
    void find_forces();
    void renew();
    void call_hook(double h);
    void reflect_at_borders(double h);
    double kick(double h);
    void drift(double h);
    void move_verlet(double h);
    void creep_springs(double h);
    void accelerate_implicit(double h);
    void move_implicit(double h, int halvings);
    [[nodiscard]] bool gained(const SpringEnergy& before, std::span<const Vec3> old_positions) const;
    void couple_contacts(double h);
    void advance(double h);
    void count_work(double h);
    void guard() const;
    [[nodiscard]] bool verlet() const { return options.stepping == SpringStepping::verlet; }
    [[nodiscard]] double stable_step() const;
};

// Recomputes everything that depends on the topology.
void SpringWorld::State::prepare() {
    if (!edited) return;
    blocks = SpringBlocks(network);
    list_parts();
    inverse_masses.resize(network.size());
    for (Index k = 0; k < network.size(); ++k) inverse_masses[k] = network.inverse_mass(k);
    for (std::size_t s = first_rest.size(); s < network.springs.size(); ++s)
        first_rest.push_back(network.springs[s].rest);
    forces.resize(network.size());
    pushes.assign(network.size(), Vec3::Zero());
    if (verlet()) {
        bounds = stiffness_bounds(network, blocks, state.positions);
        refuse_unstable();
    } else {
        matrix = SpringMatrix(network, blocks);
    }
    edited = false;
    stale = true;
}

void SpringWorld::State::list_parts() {
    if (!options.environment.empty()) parts = grouped(network.part, network.part_count());
}

void SpringWorld::State::apply(const NetworkEdit& edit) {
    const double before = energy.total() - energy.contact;
    for (const auto& [number, spring] : edit.springs) {
        const bool known = number < network.springs.size() && network.springs[number].points == spring.points &&
                           network.springs[number].kind != SpringKind::removed;
        if (number >= first_rest.size()) first_rest.resize(std::size_t{number} + 1);
        if (!known) first_rest[number] = no_length_yet;
    }
    blocks.apply(edit, network);
    fathom::apply(edit, network);
    follow_points(edit);
    for (const auto& [number, spring] : edit.springs)
        if (first_rest[number] == no_length_yet)
            first_rest[number] = (network.points[spring.points[1]] - network.points[spring.points[0]]).norm();
    verlet() ? follow_bounds(edit) : matrix.apply(edit, network, blocks);
    renew();
    const double change = energy.total() - energy.contact - before;
    given += change;
    energy_scale += std::abs(change);
}

void SpringWorld::State::follow_points(const NetworkEdit& edit) {
    state.positions.resize(network.size());
    state.velocities.resize(network.size());
    inverse_masses.resize(network.size());
    forces.resize(network.size());
    pushes.resize(network.size(), Vec3::Zero());
    for (const NetworkEdit::Point& p : edit.points) {
        state.positions[p.number] = p.position;
        state.velocities[p.number] = p.velocity;
        inverse_masses[p.number] = network.inverse_mass(p.number);
    }
    list_parts();
}

void SpringWorld::State::follow_bounds(const NetworkEdit& edit) {
    std::vector<Index> points;
    for (const NetworkEdit::Point& p : edit.points) points.push_back(p.number);
    const auto add_points = [&](const auto& changes) {
        for (const auto& [number, element] : changes)
            points.insert(points.end(), element.points.begin(), element.points.end());
    };
    add_points(edit.springs);
    add_points(edit.areas);
    const StiffnessBounds round = stiffness_bounds_round(points, network, blocks, network.points);
    bounds.frequency = std::max(bounds.frequency, round.frequency);
    bounds.damping = std::max(bounds.damping, round.damping);
    refuse_unstable();
}

void SpringWorld::State::refuse_unstable() const {
    const double largest = bounds.largest_stable_step();
    if (options.unstable != UnstableStep::refuse || options.step <= largest) return;
    throw Error(Cause::invalid_argument,
                fmt::format("{} s is not stable: the largest stable Verlet step of this network is {:.6g} s (its "
                            "highest frequency is {:.6g} rad/s). Use a "
                            "smaller or divided step, softer springs, more mass or backward Euler",
                            options.step, largest, bounds.frequency),
                {.element = "option step"});
}

double SpringWorld::State::stable_step() const {
    StiffnessBounds both = bounds;
    if (!contacts.empty())
        both.frequency = std::sqrt(bounds.frequency * bounds.frequency +
                                   contact_frequency_square(contacts, strengths, inverse_masses));
    return both.largest_stable_step();
}

void SpringWorld::State::find_contacts() {
    const Timer timer{report.contact_seconds};
    contacts.clear();
    if (finder) finder(state.positions, state.velocities, contacts);
    check(contacts, network.size());
    report.contacts = contacts.size();
    report.deepest = 0;
    for (const WeightedContact& contact : contacts) report.deepest = std::max(report.deepest, contact.depth);
}

void SpringWorld::State::find_spring_forces() {
    const Timer timer{report.force_seconds};
    const SpringSurroundings around{.gravity = options.gravity, .air_friction = verlet() ? 0 : options.air_friction};
    energy = spring_forces(network, blocks, state.positions, state.velocities, around, forces);
    stale = false;
}

void SpringWorld::State::add_contact_pushes() {
    energy.contact =
        add_contact_forces(contacts, options.contact, inverse_masses, state.velocities, forces, &strengths);
}

void SpringWorld::State::find_forces() {
    find_spring_forces();
    add_contact_pushes();
}

void SpringWorld::State::renew() {
    find_contacts();
    find_forces();
}

void SpringWorld::State::call_hook(double h) {
    if (!hook) return;
    before_hook = state;
    std::fill(pushes.begin(), pushes.end(), Vec3::Zero());
    SpringMotion motion{time, h, state.positions, state.velocities, pushes};
    hook(motion);
    for (std::size_t k = 0; k < network.size(); ++k)
        if (!is_finite(state.positions[k]) || !is_finite(state.velocities[k]) || !is_finite(pushes[k]))
            throw Error(Cause::non_finite,
                        fmt::format("the motion hook returned a number that is not finite at step {}", steps),
                        {.element = "point", .index = static_cast<std::int64_t>(k)});
    if (state.positions == before_hook.positions && state.velocities == before_hook.velocities) return;
    const double before = energy.total();
    renew();
    given += energy.total() - before;
    energy_scale += std::abs(energy.total() - before);
}

void SpringWorld::State::reflect_at_borders(double h) {
    if (options.environment.empty()) return;
    const std::size_t turned =
        reflect(network, parts, options.environment, options.reflection, h, state.positions, state.velocities);
    report.reflections += turned;
    // Springs are damped by the new velocities.
    if (turned > 0 && options.reflection == Reflection::point && bounds.damping > 0) find_forces();
}

// Applies forces for h seconds; returns the kinetic energy afterwards.
double SpringWorld::State::kick(double h) {
    const auto some = [&](std::size_t begin, std::size_t end) {
        double kinetic = 0;
        for (std::size_t k = begin; k < end; ++k) {
            if (network.fixed[k]) continue;
            state.velocities[k] += h * inverse_masses[k] * (forces[k] + pushes[k]);
            kinetic += 0.5 * network.masses[k] * state.velocities[k].squaredNorm();
        }
        return kinetic;
    };
    return parallel_reduce(network.size(), chunk, 0.0, some, plus);
}

void SpringWorld::State::drift(double h) {
    parallel_for(network.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) state.positions[k] += h * state.velocities[k];
    });
}

void SpringWorld::State::creep_springs(double h) {
    if (options.plastic.active())
        report.crept += creep(network.springs, first_rest, state.positions, h, options.plastic);
}

void SpringWorld::State::move_verlet(double h) {
    const double calm = std::exp(-0.5 * h * options.air_friction);
    const auto slow = [&] {
        for (std::size_t k = 0; k < network.size() && calm < 1; ++k)
            if (!network.fixed[k]) state.velocities[k] *= calm;
    };
    slow();
    kick(0.5 * h);
    drift(h);
    creep_springs(h);
    renew();
    const double kinetic = kick(0.5 * h);
    slow();
    energy.kinetic = kinetic * calm * calm;
}

void SpringWorld::State::couple_contacts(double h) {
    std::vector<ContactBlock> couplings;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const WeightedContact& contact = contacts[c];
        if (strengths[c].stiffness == 0) continue;
        couplings.push_back({&contact, contact_step_matrix(contact, strengths[c], h)});
        double parting = 0;
        for (std::size_t k = 0; k < contact.count; ++k)
            parting += contact.weights[k] * contact.separating_direction.dot(state.velocities[contact.points[k]]);
        for (std::size_t k = 0; k < contact.count; ++k)
            right[contact.points[k]] -=
                contact.weights[k] * h * h * strengths[c].stiffness * parting * contact.separating_direction;
    }
    matrix.set_contacts(std::move(couplings));
}

void SpringWorld::State::accelerate_implicit(double h) {
    const Timer timer{report.solve_seconds};
    right.resize(network.size());
    change.resize(network.size());
    spring_product(network, blocks, state.positions, {.stiffness = -h * h}, state.velocities, right);
    for (std::size_t k = 0; k < right.size(); ++k) right[k] += h * (forces[k] + pushes[k]);
    matrix.assemble(network, blocks, state.positions,
                    {.mass = 1, .damping = h, .stiffness = h * h, .air_friction = options.air_friction});
    couple_contacts(h);
    for (std::size_t k = 0; k < right.size(); ++k)
        if (network.fixed[k]) right[k] = Vec3::Zero();
    report.solve = solve(matrix, right, change, options.solve);
    for (std::size_t k = 0; k < change.size(); ++k) state.velocities[k] += change[k];
}

// Whether a step has gained energy without an external source: backward Euler loses energy, unless the derivatives that
// it assumes constant were not. Contacts found since do not count.
bool SpringWorld::State::gained(const SpringEnergy& before, std::span<const Vec3> old_positions) const {
    double work = 0;
    for (std::size_t k = 0; k < network.size(); ++k)
        work += (state.positions[k] - old_positions[k])
                    .dot(network.fixed[k] ? Vec3(network.masses[k] * options.gravity - forces[k]) : pushes[k]);
    const double room = 0.01 * (before.kinetic + before.elastic() + std::abs(work)) + 1e-3 * energy_scale;
    return !(energy.total() <= before.total() + std::max(work, 0.0) + room);
}

void SpringWorld::State::move_implicit(double h, int halvings) {
    const SpringState old = state;
    const std::vector<Vec3> old_forces = forces;
    const SpringEnergy before = energy;
    accelerate_implicit(h);
    drift(h);
    find_spring_forces();
    if (halvings > 0 && gained(before, old.positions)) {
        state = old;
        forces = old_forces;
        energy = before;
        ++report.parts;
        move_implicit(0.5 * h, halvings - 1);
        move_implicit(0.5 * h, halvings - 1);
        return;
    }
    creep_springs(h);
    if (options.plastic.active()) find_spring_forces();
    find_contacts();
    add_contact_pushes();
}

// Adds the work of pushes and of moved fixed points: the support forces on the latter are the opposite of the network's
// forces on them.
void SpringWorld::State::count_work(double h) {
    const auto some = [&](std::size_t begin, std::size_t end) {
        double work = 0;
        for (std::size_t k = begin; k < end; ++k)
            work += h * state.velocities[k].dot(network.fixed[k] ? Vec3(network.masses[k] * options.gravity - forces[k])
                                                                 : pushes[k]);
        return work;
    };
    const double work = parallel_reduce(network.size(), chunk, 0.0, some, plus);
    given += work;
    energy_scale += std::abs(work);
}

void SpringWorld::State::guard() const {
    // A contact that is found late and deep has not yet moved anything.
    const double total = energy.total() - energy.contact;
    if (!std::isfinite(total))
        for (std::size_t k = 0; k < network.size(); ++k)
            if (!is_finite(state.positions[k]) || !std::isfinite(state.velocities[k].squaredNorm()))
                throw Error(Cause::non_finite, fmt::format("step {}: a position or velocity is not finite", steps),
                            {.element = "point", .index = static_cast<std::int64_t>(k)});
    if (std::isfinite(total) && total - first_energy - given <= options.energy_limit * energy_scale) return;
    throw Error(Cause::too_large,
                fmt::format("step {}: the energy has grown from {} J to {} J; hooks and moved points supplied {} J. {}",
                            steps, first_energy, total, given,
                            verlet() ? fmt::format("The largest stable step is now {:.6g} s", stable_step())
                                     : std::string("Use a smaller step or softer contact")));
}

void SpringWorld::State::advance(double h) {
    call_hook(h);
    reflect_at_borders(h);
    verlet() ? move_verlet(h) : move_implicit(h, options.unstable == UnstableStep::allow ? 0 : max_halvings);
    time += h;
    count_work(h);
}

SpringWorld::SpringWorld(SpringNetwork network, const SpringOptions& options) : state_(std::make_unique<State>()) {
    check(options);
    check(network);
    State& s = *state_;
    s.options = options;
    s.state = start_state(network);
    s.network = std::move(network);
    s.energy_scale = natural_energy(s.network);
    s.prepare();
    s.renew();
}
SpringWorld::~SpringWorld() = default;
SpringWorld::SpringWorld(SpringWorld&&) noexcept = default;

void SpringWorld::set_state(SpringState state) {
    check(state, state_->network);
    state_->state = std::move(state);
    state_->begun = false;
    state_->renew();
}
void SpringWorld::set_motion(MotionHook hook) {
    state_->hook = std::move(hook);
    std::fill(state_->pushes.begin(), state_->pushes.end(), Vec3::Zero());
}
void SpringWorld::set_contact_finder(ContactFinder finder) {
    state_->finder = std::move(finder);
    state_->renew();
}

void SpringWorld::step() {
    State& s = *state_;
    s.prepare();
    s.report = {};
    if (s.stale) s.renew();
    if (!s.begun) {
        s.begun = true;
        s.given = 0;
        s.first_energy = s.energy.total();
        s.energy_scale += s.energy.kinetic + s.energy.elastic();
    }
    ++s.steps;
    if (s.verlet() && s.options.unstable == UnstableStep::divide) {
        const double needed = std::ceil(s.options.step / (stable_share * s.stable_step()));
        if (!(needed <= static_cast<double>(s.options.max_parts)))
            throw Error(
                Cause::too_large,
                fmt::format("step {} requires {} parts; the maximum is {}", s.steps, needed, s.options.max_parts),
                {.element = "option max_parts"});
        s.report.parts = std::max<std::size_t>(1, static_cast<std::size_t>(needed));
    }
    const std::size_t parts = s.report.parts;
    for (std::size_t k = 0; k < parts; ++k) s.advance(s.options.step / static_cast<double>(parts));
    if (s.verlet()) s.report.largest_stable_step = s.stable_step();
    s.guard();
}

const SpringOptions& SpringWorld::options() const { return state_->options; }
const SpringNetwork& SpringWorld::network() const { return state_->network; }
std::span<const Vec3> SpringWorld::positions() const { return state_->state.positions; }
std::span<const Vec3> SpringWorld::velocities() const { return state_->state.velocities; }
std::span<const WeightedContact> SpringWorld::contacts() const { return state_->contacts; }
std::size_t SpringWorld::steps() const { return state_->steps; }
double SpringWorld::time() const { return state_->time; }
const SpringReport& SpringWorld::report() const { return state_->report; }
SpringEnergy SpringWorld::energy() const { return state_->energy; }
double SpringWorld::largest_stable_step() const {
    const State& s = *state_;
    return (s.verlet() && !s.edited ? s.bounds
                                    : stiffness_bounds(s.network, SpringBlocks(s.network), s.state.positions))
        .largest_stable_step();
}

Vec3 SpringWorld::momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < state_->network.size(); ++k)
        if (!state_->network.fixed[k]) sum += state_->network.masses[k] * state_->state.velocities[k];
    return sum;
}

Vec3 SpringWorld::angular_momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < state_->network.size(); ++k)
        if (!state_->network.fixed[k])
            sum += state_->network.masses[k] * state_->state.positions[k].cross(state_->state.velocities[k]);
    return sum;
}

Fingerprint SpringWorld::state_hash() const {
    Fingerprinter hash;
    const auto add = [&](const auto& values) { hash.add(std::as_bytes(std::span(values))); };
    add(state_->state.positions);
    add(state_->state.velocities);
    add(state_->forces);
    std::vector<double> rest(state_->network.springs.size());
    for (std::size_t s = 0; s < rest.size(); ++s) rest[s] = state_->network.springs[s].rest;
    add(rest);
    return hash.finish();
}

void SpringWorld::remove_spring(Index spring) {
    fathom::remove_spring(state_->network, spring);
    state_->stale = true; // blocks and matrix stay valid, and no frequency increases
}

Index SpringWorld::split_point(Index point, const PointSplit& split) {
    const Index twin = fathom::split_point(state_->network, point, split);
    SpringState& state = state_->state;
    const Vec3 position = state.positions[point], velocity = state.velocities[point];
    state.positions.push_back(position);
    state.velocities.push_back(velocity);
    state_->edited = true;
    return twin;
}

void SpringWorld::apply(const NetworkEdit& edit) {
    check(edit, state_->network);
    state_->prepare();
    state_->apply(edit);
}

void check(const SpringOptions& options) {
    require_positive(options.step, "option step");
    require(is_finite(options.gravity), options.gravity.norm(), "finite", {.element = "option gravity"});
    require_not_negative(options.air_friction, "option air_friction");
    require(options.max_parts > 0, 0, "above 0", {.element = "option max_parts"});
    require(options.energy_limit > 0, options.energy_limit, "above 0", {.element = "option energy_limit"});
    const bool boxed =
        !options.environment.lower.array().isNaN().any() && !options.environment.upper.array().isNaN().any();
    require(boxed, std::nan(""), "a box", {.element = "option environment"});
    check(options.plastic);
    check(options.contact);
    check(options.solve);
}

} // namespace fathom
