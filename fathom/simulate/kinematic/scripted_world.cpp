// Moves bodies along their ways and asks about every pair.
#include <fathom/simulate/kinematic/scripted_world.h>

#include <fathom/base/error.h>
#include <fathom/base/stopwatch.h>
#include <fathom/simulate/kinematic/scripted_queries.h>
#include <fathom/simulate/record/recording.h>
#include <fathom/base/option_checks.h>

#include <algorithm>
#include <array>
#include <string>

namespace fathom {

struct MovedWorld::State {
    std::vector<MovedBody> bodies;
    MovedOptions options;
    double step = 0;
    std::unique_ptr<MovedQuery> query;
    std::vector<Motion> motions; // over the last step
    std::vector<MovedPair> pairs;
    std::size_t steps = 0;
    double seconds = 0;
    std::string history; // fingerprint of all answers so far

    void list_pairs();
    void ask();
    [[nodiscard]] double time(std::size_t at) const { return static_cast<double>(at) * step; }
};

void MovedWorld::State::list_pairs() {
    for (Index a = 0; a < bodies.size(); ++a)
        for (Index b = a + 1; b < bodies.size(); ++b) {
            const bool asked =
                options.method != MovedMethod::depth_maps || (a < options.objects && b >= options.objects);
            if (asked && !(bodies[a].still() && bodies[b].still())) pairs.push_back({a, b});
        }
}

void MovedWorld::State::ask() {
    for (MovedPair& pair : pairs) pair = {pair.a, pair.b};
    const Stopwatch watch;
    query->ask(motions, pairs);
    seconds = watch.seconds();
    Fingerprinter printer;
    printer.add(history);
    for (const MovedPair& pair : pairs) {
        const std::array<std::size_t, 2> answer = {static_cast<std::size_t>(pair.verdict), pair.contacts.size()};
        printer.add(std::as_bytes(std::span(answer)));
    }
    history = printer.finish().text();
}

MovedWorld::MovedWorld(std::vector<MovedBody> bodies, double step, const MovedOptions& options)
    : state_(std::make_unique<State>()) {
    if (bodies.empty()) throw Error(Cause::empty, "a world without bodies");
    require_positive(step, "option step");
    for (MovedBody& body : bodies) {
        if (!body.told.mesh) body.told.mesh = std::make_shared<const TriangleMesh>();
        check(body.told);
        check(body.path);
    }
    State& s = *state_;
    s.bodies = std::move(bodies);
    s.options = options;
    s.step = step;
    s.query = make_moved_query(s.bodies, options);
    s.list_pairs();
    for (const MovedBody& body : s.bodies) s.motions.push_back(Motion::still(body.at(0)));
    s.ask();
}
MovedWorld::~MovedWorld() = default;
MovedWorld::MovedWorld(MovedWorld&&) noexcept = default;

void MovedWorld::step() {
    State& s = *state_;
    ++s.steps;
    for (std::size_t b = 0; b < s.bodies.size(); ++b) s.motions[b] = {s.motions[b].end, s.bodies[b].at(time())};
    s.ask();
}

std::size_t MovedWorld::steps() const { return state_->steps; }
double MovedWorld::time() const { return state_->time(state_->steps); }
std::span<const MovedBody> MovedWorld::bodies() const { return state_->bodies; }
const Pose& MovedWorld::pose(Index body) const { return state_->motions[body].end; }
std::span<const MovedPair> MovedWorld::pairs() const { return state_->pairs; }
double MovedWorld::query_seconds() const { return state_->seconds; }

Fingerprint MovedWorld::state_hash() const {
    Fingerprinter printer;
    printer.add(std::as_bytes(std::span(&state_->steps, 1)));
    for (const Motion& motion : state_->motions) {
        printer.add(std::as_bytes(std::span(motion.end.translation.data(), 3)));
        printer.add(std::as_bytes(std::span(motion.end.rotation.coeffs().data(), 4)));
    }
    printer.add(state_->history);
    return printer.finish();
}

std::vector<RecordedBody> MovedWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const MovedBody& body : bodies())
        all.push_back({body.told.name, body.told.mesh, body.told.mesh->triangles.empty() ? body.field : nullptr,
                       Vec3::Zero(), body.still()});
    return all;
}

RecordedStep MovedWorld::recorded_step() const {
    RecordedStep step{.step = steps(), .time = time(), .detect_seconds = query_seconds()};
    for (const MovedPair& pair : pairs()) {
        step.deepest = std::max(step.deepest, pair.depth);
        step.contact_count += pair.contacts.size();
    }
    return step;
}

void MovedWorld::fill(RecordedFrame& frame, bool wanted) const {
    for (const Motion& motion : state_->motions) {
        const Vec3 velocity = (motion.end.translation - motion.start.translation) / state_->step;
        frame.bodies.push_back({.pose = motion.end, .velocity = velocity});
    }
    for (const MovedPair& pair : pairs()) {
        frame.pairs.push_back({pair.a, pair.b, pair.verdict, pair.depth});
        for (const MovedContact& c : pair.contacts)
            if (wanted) frame.contacts.push_back({pair.a, pair.b, c.point, c.position, c.normal, c.depth});
    }
}

} // namespace fathom
