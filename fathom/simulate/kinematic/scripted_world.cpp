// Moves the bodies along their paths and asks about every pair that may touch.
#include <fathom/simulate/kinematic/scripted_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/detect/world/world.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

namespace fathom {

namespace {

// Methods of moving shapes alone.
bool is_sweep(Method method) { return method == Method::point_field || method == Method::conservative_advancement; }

// The paths of Xu & Barbic 2014 are straight; other methods follow screws.
SweepOptions sweep_options(Method method) {
    return {.method = method, .path = method == Method::point_field ? Path::straight : Path::screw};
}

// The two shapes of a query: the solids of both bodies, or the points or triangles of one and the solid of the other.
struct Role {
    const Shape *a = nullptr, *b = nullptr;
};

std::vector<Role> roles(const BodyShape& a, const BodyShape& b, Method method) {
    const auto surface = [&](const BodyShape& body) -> const Shape* {
        if (method == Method::mesh_field) return is_surface(body.shape.kind()) ? &body.shape : nullptr;
        return is_sweep(method) && body.shell ? &*body.shell : nullptr;
    };
    std::vector<Role> found;
    if (const Shape* of_a = surface(a); of_a && has_field(b.solid().kind())) found.push_back({of_a, &b.solid()});
    if (const Shape* of_b = surface(b); of_b && has_field(a.solid().kind())) found.push_back({&a.solid(), of_b});
    if (found.empty()) found.push_back({&a.solid(), &b.solid()});
    return found;
}

void take(Status status, ScriptedPair& pair) {
    if (status == Status::overlapping || pair.status == Status::disjoint) pair.status = status;
}

void take(const CollideResult& result, ScriptedPair& pair) {
    take(result.status, pair);
    pair.depth = std::max(pair.depth, result.local_depth);
    for (const Contact& c : result.contacts)
        pair.contacts.push_back(
            {pair.a, pair.b, c.feature_a.element, c.feature_b.element, c.point_a, c.normal, c.depth});
    if (result.status == Status::overlapping && result.contacts.empty())
        pair.contacts.push_back({.a = pair.a, .b = pair.b, .position = result.witness});
}

void take(const SweepResult& result, ScriptedPair& pair) {
    take(result.status, pair);
    if (result.status == Status::overlapping)
        pair.contacts.push_back({.a = pair.a, .b = pair.b, .position = result.point, .normal = result.normal});
}

} // namespace

struct ScriptedWorld::State {
    std::vector<Body> bodies;
    ScriptedOptions options;
    double step = 0;
    World world;                     // its ids are the numbers of the bodies
    std::vector<Motion> motions;     // over the last step
    std::vector<ScriptedPair> pairs; // sorted
    std::size_t steps = 0;
    double seconds = 0;
    std::string history; // fingerprint of all results so far

    void add_bodies();
    void list_pairs();
    void set_bounds();
    void answer(ScriptedPair& pair) const;
    void run();
    [[nodiscard]] ScriptedPair& pair(Index a, Index b) {
        return *std::ranges::lower_bound(pairs, std::pair(a, b), {},
                                         [](const ScriptedPair& p) { return std::pair(p.a, p.b); });
    }
    [[nodiscard]] double time(std::size_t at) const { return static_cast<double>(at) * step; }
};

void ScriptedWorld::State::add_bodies() {
    constexpr std::uint32_t part = 2, other = 4;
    for (Index b = 0; b < bodies.size(); ++b) {
        BodyOptions body{.name = bodies[b].name, .is_static = bodies[b].stationary()};
        if (options.objects > 0) body.category = b < options.objects ? part : other;
        if (options.objects > 0) body.mask = ~body.category;
        motions.push_back(Motion::stationary(bodies[b].pose_at(0)));
        world.add(bodies[b].shape->solid(), motions.back().end, body);
    }
}

void ScriptedWorld::State::list_pairs() {
    const Question question = is_sweep(options.method) ? Question::sweep_first : Question::collide;
    for (Index a = 0; a < bodies.size(); ++a)
        for (Index b = a + 1; b < bodies.size(); ++b) {
            if (bodies[a].stationary() && bodies[b].stationary()) continue;
            if (options.objects > 0 && (a < options.objects) == (b < options.objects)) continue;
            for (const Role& role : roles(*bodies[a].shape, *bodies[b].shape, options.method))
                (void)choose(role.a->kind(), role.b->kind(), question, options.method);
            pairs.push_back({a, b});
        }
}

// A ball about the moving centre contains all representations of a body, and its points on their straight lines; on
// screws they deviate from those by no more than the length of the path.
void ScriptedWorld::State::set_bounds() {
    for (Index b = 0; b < bodies.size(); ++b) {
        world.move(b, motions[b].end);
        if (!is_sweep(options.method) && options.method != Method::mesh_field) continue;
        const Vec3& center = bodies[b].shape->mass.center;
        const Vec3 start = motions[b].start * center, end = motions[b].end * center;
        const double bend = options.method == Method::point_field ? 0 : (end - start).norm();
        world.set_bounds(b, Box{start.cwiseMin(end), start.cwiseMax(end)}.grown(bodies[b].shape->reach + bend));
    }
}

void ScriptedWorld::State::answer(ScriptedPair& pair) const {
    for (const Role& role : roles(*bodies[pair.a].shape, *bodies[pair.b].shape, options.method))
        if (is_sweep(options.method))
            take(sweep(*role.a, motions[pair.a], *role.b, motions[pair.b], sweep_options(options.method)), pair);
        else
            take(collide(
                     *role.a, motions[pair.a].end, *role.b, motions[pair.b].end,
                     {.goal = CollideGoal::contacts, .method = options.method, .max_contacts = options.max_contacts}),
                 pair);
    std::ranges::stable_sort(pair.contacts, std::greater<>(), &BodyContact::depth);
    if (pair.contacts.size() > options.max_contacts) pair.contacts.resize(options.max_contacts);
}

void ScriptedWorld::State::run() {
    for (ScriptedPair& pair : pairs) pair = {pair.a, pair.b};
    const Stopwatch watch;
    set_bounds();
    const std::span<const IdPair> found = world.candidates();
    parallel_tasks(found.size(), [&](std::size_t k) { answer(pair(found[k][0], found[k][1])); });
    seconds = watch.seconds();
    Fingerprinter printer;
    printer.add(history);
    for (const ScriptedPair& pair : pairs) {
        const std::array<std::size_t, 2> answer = {static_cast<std::size_t>(pair.status), pair.contacts.size()};
        printer.add(std::as_bytes(std::span(answer)));
    }
    history = printer.finish().text();
}

ScriptedWorld::ScriptedWorld(std::vector<Body> bodies, double step, const ScriptedOptions& options) {
    if (bodies.empty()) throw Error(Cause::empty, "the world has no bodies");
    require_positive(step, "option step");
    if (options.objects > bodies.size())
        throw Error(Cause::invalid_argument,
                    fmt::format("{} is more than the number of bodies, {}", options.objects, bodies.size()),
                    {.element = "option objects"});
    for (const Body& body : bodies) check_motion(body);
    state_ = std::make_unique<State>();
    state_->options = options;
    state_->step = step;
    state_->bodies = std::move(bodies);
    state_->add_bodies();
    state_->list_pairs();
    state_->run();
}
ScriptedWorld::~ScriptedWorld() = default;
ScriptedWorld::ScriptedWorld(ScriptedWorld&&) noexcept = default;

void ScriptedWorld::step() {
    State& s = *state_;
    ++s.steps;
    for (std::size_t b = 0; b < s.bodies.size(); ++b) s.motions[b] = {s.motions[b].end, s.bodies[b].pose_at(time())};
    s.run();
}

double ScriptedWorld::step_size() const { return state_->step; }
std::size_t ScriptedWorld::steps() const { return state_->steps; }
double ScriptedWorld::time() const { return state_->time(state_->steps); }
std::span<const Body> ScriptedWorld::bodies() const { return state_->bodies; }
const Pose& ScriptedWorld::pose(Index body) const { return state_->motions[body].end; }
std::span<const ScriptedPair> ScriptedWorld::pairs() const { return state_->pairs; }
double ScriptedWorld::query_seconds() const { return state_->seconds; }

Fingerprint ScriptedWorld::state_hash() const {
    Fingerprinter printer;
    printer.add(std::as_bytes(std::span(&state_->steps, 1)));
    for (const Motion& motion : state_->motions) {
        printer.add(std::as_bytes(std::span(motion.end.translation.data(), 3)));
        printer.add(std::as_bytes(std::span(motion.end.rotation.coeffs().data(), 4)));
    }
    printer.add(state_->history);
    return printer.finish();
}

std::vector<RecordedBody> ScriptedWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const Body& body : bodies()) {
        all.push_back(recorded(body));
        all.back().fixed = body.stationary();
    }
    return all;
}

RecordedStep ScriptedWorld::recorded_step() const {
    RecordedStep step{.step = steps(), .time = time(), .detect_seconds = query_seconds()};
    for (const ScriptedPair& pair : pairs()) {
        step.deepest = std::max(step.deepest, pair.depth);
        step.contact_count += pair.contacts.size();
    }
    return step;
}

void ScriptedWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    for (const Motion& motion : state_->motions) {
        const Vec3 velocity = (motion.end.translation - motion.start.translation) / state_->step;
        frame.bodies.push_back({.pose = motion.end, .velocity = velocity});
    }
    for (const ScriptedPair& pair : pairs()) {
        frame.pairs.push_back({pair.a, pair.b, pair.status, pair.depth});
        if (with_contacts) frame.contacts.insert(frame.contacts.end(), pair.contacts.begin(), pair.contacts.end());
    }
}
} // namespace fathom
