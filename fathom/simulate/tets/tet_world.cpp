// Passes the points of the springs to the bodies, their contacts back as pushes, and fractures to the springs.
#include <fathom/simulate/tets/tet_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/simulate/contact/contact_cache.h>
#include <fathom/simulate/springs/spring_bodies.h>
#include <fathom/simulate/tets/simulated_membrane.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::uint32_t of_membranes = 2; // category of bodies that do not collide with each other

// Collision of a pair of bodies, or of a body with itself.
struct BodyCollision {
    Index a = no_index, b = no_index;
    tet::TetCollision found;
};

constexpr tet::TetCollisionOptions points_alone{
    .pairs = false, .points = true, .segments = false, .boundary_points_only = true};
constexpr tet::TetCollisionOptions edges_alone{
    .pairs = false, .points = false, .segments = true, .boundary_points_only = true};

tet::TetCollisionOptions collision_options(const TetWorldOptions& options) {
    return options.response == TetResponse::points ? points_alone : edges_alone;
}

} // namespace

struct TetWorld::State {
    TetWorldOptions options;
    std::vector<TetWorldBody> bodies;
    std::vector<Body> obstacles;
    std::vector<TetWorldMembrane> membranes_at_start;
    std::vector<SimulatedTets> tets;
    std::vector<SimulatedMembrane> membranes;
    NetworkCounts counts;
    std::unique_ptr<SpringWorld> springs;
    World world; // bodies, membranes, obstacles
    tet::TetCollider collider, point_collider, edge_collider;
    std::span<const IdPair> candidates;
    std::vector<BodyCollision> collisions;
    std::vector<Vec3> places; // of boundary vertices
    std::vector<BodyContact> contacts;
    std::vector<WeightedContact> pushes;
    ContactCache memory;
    SpringReport report;
    TetWorldStatistics statistics;

    explicit State(const TetWorldOptions& o)
        : options(o), world({.broad = o.broad}), collider(collision_options(o)), point_collider(points_alone),
          edge_collider(edges_alone) {}

    // Bodies, and then membranes. `read` is called with either.
    [[nodiscard]] std::size_t count() const { return tets.size() + membranes.size(); }
    template <class Read>
    [[nodiscard]] auto of(Index body, const Read& read) const {
        return body < tets.size() ? read(tets[body]) : read(membranes[body - tets.size()]);
    }
    [[nodiscard]] tet::TetBody view(Index body) const {
        return of(body, [](const auto& b) { return b.view(); });
    }
    [[nodiscard]] bool is_membrane(Index body) const { return body >= tets.size(); }
    [[nodiscard]] PushIntruder intruder(Index body) const {
        return of(body, [](const auto& b) { return PushIntruder{b.view(), b.points(), b.areas()}; });
    }

    void add_bodies();
    void begin_springs();
    void find(std::span<const Vec3> positions);
    void detect_contacts();
    void update_sides();
    void detect_self_contacts(Index body);
    void measure_depths();
    void answer(const BodyCollision& collision);
    void answer(Index intruder, Index holder, std::span<const tet::PointInTet> points,
                const tet::SegmentsInTets& segments);
    void answer_guest(const TetGuest& guest, Index holder, std::vector<TetGuestPush>& pushes);
    void push(const TetPush& found, BodyContact contact, const ContactKey& key);
    void add_obstacles();
    void break_bodies();
    void gather(auto& body, NetworkEdit& edit);
    void broke(Index body, NetworkEdit& edit);
};

// ---- Bodies and springs

void TetWorld::State::add_bodies() {
    for (const TetWorldBody& body : bodies) try {
            tets.emplace_back(body, options.breaking.has_value() && !body.fixed).number(counts);
            world.add(Box{}, {.name = body.name, .is_static = body.fixed});
        } catch (const Error& error) {
            throw named(error, body.name);
        }
    for (const TetWorldMembrane& membrane : membranes_at_start) try {
            membranes.emplace_back(membrane).number(counts);
            world.add(Box{}, {.name = membrane.surface.name,
                              .category = of_membranes,
                              .mask = ~of_membranes,
                              .is_static = membrane.surface.fixed});
        } catch (const Error& error) {
            throw named(error, membrane.surface.name);
        }
    for (const Body& obstacle : obstacles)
        world.add(obstacle.shape->solid(), obstacle.pose, {.name = obstacle.name, .is_static = true});
}

void TetWorld::State::begin_springs() {
    // The points of all bodies are numbered consecutively; bodies may take numbers in any order.
    SpringNetwork all;
    SpringState state{std::vector<Vec3>(counts.points, Vec3::Zero()), std::vector<Vec3>(counts.points, Vec3::Zero())};
    for (const SimulatedTets& body : tets) body.add_to(all, state);
    for (const SimulatedMembrane& membrane : membranes) membrane.add_to(all, state);
    springs = std::make_unique<SpringWorld>(std::move(all), options.springs);
    springs->set_state(std::move(state));
    springs->set_contact_finder(
        [this](std::span<const Vec3> positions, std::span<const Vec3>, std::vector<WeightedContact>& found) {
            find(positions);
            if (options.response != TetResponse::none) found = pushes;
        });
}

// ---- Contacts

void TetWorld::State::find(std::span<const Vec3> positions) {
    const Stopwatch watch;
    const std::size_t parts = springs ? springs->report().parts : 1;
    memory.begin(positions, options.springs.step / static_cast<double>(parts), options.recovery_time);
    parallel_tasks(tets.size(), [&](std::size_t b) { tets[b].move(positions); });
    for (SimulatedMembrane& membrane : membranes) membrane.move(positions);
    detect_contacts();
    measure_depths();
    contacts.clear();
    pushes.clear();
    for (const BodyCollision& collision : collisions) answer(collision);
    add_obstacles();
    memory.end();
    statistics.collision_seconds += watch.seconds();
}

void TetWorld::State::detect_contacts() {
    for (Index b = 0; b < count(); ++b) world.set_bounds(b, bounds(view(b)));
    candidates = world.candidates();
    if (!membranes.empty()) update_sides();
    collisions.clear();
    for (const IdPair& pair : candidates) {
        if (pair[1] >= count()) continue;
        tet::TetCollision found = collider.collide(view(pair[0]), view(pair[1]));
        if (!found.empty()) collisions.push_back({pair[0], pair[1], std::move(found)});
    }
    for (Index b = 0; options.self && b < tets.size(); ++b)
        if (!bodies[b].fixed) detect_self_contacts(b);
}

void TetWorld::State::update_sides() {
    for (SimulatedMembrane& membrane : membranes) membrane.begin_sides(tets.size());
    for (const auto& [body, other] : candidates)
        if (other < count() && is_membrane(other)) membranes[other - tets.size()].update_sides(body, tets[body]);
    for (SimulatedMembrane& membrane : membranes) membrane.end_sides();
    for (SimulatedTets& body : tets) body.remember();
}

void TetWorld::State::detect_self_contacts(Index b) {
    const tet::TetBody body = tets[b].view();
    const tet::TetZone& zone = tets[b].zone();
    BodyCollision collision{b, b, {}};
    if (options.response == TetResponse::points)
        collision.found.a_in_b = tet::points_in_tets(body, body, zone, {.boundary_only = true});
    else
        collision.found.edges_of_a = tet::segments_in_tets(body, body.topology.boundary_edges(), body, zone);
    if (!collision.found.empty()) collisions.push_back(std::move(collision));
}

void TetWorld::State::measure_depths() {
    const Stopwatch watch;
    for (SimulatedTets& body : tets) body.clear_requests();
    for (const BodyCollision& m : collisions) {
        if (!is_membrane(m.b)) tets[m.b].request_depths(m.found.a_in_b, m.found.edges_of_a, m.a == m.b);
        if (m.a != m.b) tets[m.a].request_depths(m.found.b_in_a, m.found.edges_of_b, false);
    }
    for (SimulatedTets& body : tets) body.measure(options.depth, options.push);
    statistics.depth_seconds += watch.seconds();
}

void TetWorld::State::answer(const BodyCollision& collision) {
    const auto& [a, b, found] = collision;
    answer(a, b, found.a_in_b, found.edges_of_a);
    if (a != b) answer(b, a, found.b_in_a, found.edges_of_b);
}

void TetWorld::State::answer(Index intruder, Index holder, std::span<const tet::PointInTet> points,
                             const tet::SegmentsInTets& segments) {
    if (points.empty() && segments.chains.empty()) return;
    SimulatedTets& b = tets[holder];
    const PushIntruder in = this->intruder(intruder);
    const PushHolder by{b.view(), b.points(), b.depths(intruder == holder),
                        SimulatedTets::method(options.depth, intruder == holder)};
    std::vector<TetPush> of_points = point_pushes(in, by, points, options.push),
                         of_chains = segment_pushes(in, by, segments, options.push);
    if (is_membrane(intruder)) {
        const auto depths = [&]() -> const NodeDepths& { return b.fitted_depths(); };
        membranes[intruder - tets.size()].keep_sides(holder, points, of_points, depths);
        membranes[intruder - tets.size()].keep_sides(holder, segments, of_chains, depths);
    }
    for (std::size_t k = 0; k < points.size(); ++k)
        push(of_points[k], {intruder, holder, points[k].vertex}, {intruder, holder, points[k].vertex});
    // Further chains of an edge are identified by higher numbers of the holder.
    Index again = 0;
    for (std::size_t k = 0; k < of_chains.size(); ++k) {
        const Edge& edge = in.body.topology.boundary_edges()[segments.chains[k].edge];
        again = k > 0 && segments.chains[k].edge == segments.chains[k - 1].edge ? again + 1 : 0;
        const auto known_as = static_cast<Index>(holder + again * count());
        push(of_chains[k], {intruder, holder, edge[0]}, {intruder, known_as, edge[0], edge[1]});
    }
}

void TetWorld::State::push(const TetPush& found, BodyContact contact, const ContactKey& key) {
    if (!(found.contact.depth > 0)) return;
    contact.position = found.position;
    contact.normal = -found.contact.separating_direction;
    contact.depth = found.contact.depth;
    WeightedContact moving = found.contact; // approaches at the rate at which its depth grows
    moving.separating_direction *= found.rate;
    WeightedContact pushed = found.contact;
    pushed.depth = memory.pressed(key, moving);
    contacts.push_back(contact);
    pushes.push_back(pushed);
}

void TetWorld::State::add_obstacles() {
    for (const auto& [b, obstacle] : candidates) {
        if (obstacle < count()) continue;
        const PushIntruder in = intruder(b);
        const auto vertices = in.body.topology.boundary_vertices();
        places.clear();
        for (const Index v : vertices) places.push_back(in.body.vertices[v]);
        const Body& solid = obstacles[obstacle - count()];
        for (const PointInside& p : points_inside(solid.shape->solid(), solid.pose, places)) {
            const Index v = vertices[p.point];
            contacts.push_back({b, obstacle, v, no_index, places[p.point], -p.separating_direction, p.depth});
            pushes.push_back({.points = {in.points[v]},
                              .weights = {1},
                              .count = 1,
                              .separating_direction = p.separating_direction,
                              .depth = p.depth,
                              .area = in.areas.of_vertex[v]});
        }
    }
}

void TetWorld::State::answer_guest(const TetGuest& guest, Index holder, std::vector<TetGuestPush>& pushes) {
    SimulatedTets& b = tets[holder];
    const PushIntruder& in = guest.surface;
    const tet::TetCollision found = (guest.by_points ? point_collider : edge_collider).collide(in.body, b.view());
    if (found.a_in_b.empty() && found.edges_of_a.chains.empty()) return;
    b.clear_requests();
    b.request_depths(found.a_in_b, found.edges_of_a, false);
    b.measure(options.depth, options.push);
    const PushHolder by{b.view(), b.points(), b.depths(false), SimulatedTets::method(options.depth, false)};
    const std::vector<TetPush> of_points = point_pushes(in, by, found.a_in_b, options.push),
                               of_chains = segment_pushes(in, by, found.edges_of_a, options.push);
    for (std::size_t k = 0; k < of_points.size(); ++k)
        pushes.push_back({{found.a_in_b[k].vertex, no_index}, 0, of_points[k]});
    const auto& chains = found.edges_of_a.chains;
    Index again = 0;
    for (std::size_t k = 0; k < of_chains.size(); ++k) {
        again = k > 0 && chains[k].edge == chains[k - 1].edge ? again + 1 : 0;
        pushes.push_back({in.body.topology.boundary_edges()[chains[k].edge], again, of_chains[k]});
    }
}

// ---- Fracture

void TetWorld::State::break_bodies() {
    NetworkEdit edit;
    for (Index b = 0; b < tets.size(); ++b) {
        if (!tets[b].breakable()) continue;
        tets[b].follow(*springs);
        const BreakReport found = tets[b].break_stretched(*options.breaking);
        statistics.broken += found.broken;
        if (found.opened > 0) broke(b, edit);
    }
    for (SimulatedMembrane& membrane : membranes) {
        if (!membrane.breakable()) continue;
        membrane.follow(*springs);
        const BreakReport found = membrane.break_stretched();
        statistics.broken += found.broken;
        if (found.opened > 0) gather(membrane, edit);
    }
    if (!edit.empty()) springs->apply(edit);
}

void TetWorld::State::gather(auto& body, NetworkEdit& edit) {
    body.number(counts);
    body.add_to(edit, !options.springs.environment.empty());
}

void TetWorld::State::broke(Index body, NetworkEdit& edit) {
    gather(tets[body], edit);
    const TetEdit& change = tets[body].last_edit();
    if (change.new_tets.empty() && change.removed_tets.empty()) return;
    for (SimulatedMembrane& membrane : membranes) membrane.forget_sides(body);
}

TetWorld::TetWorld(std::vector<TetWorldBody> bodies, std::vector<Body> obstacles, const TetWorldOptions& options)
    : TetWorld(std::move(bodies), {}, std::move(obstacles), options) {}

TetWorld::TetWorld(std::vector<TetWorldBody> bodies, std::vector<TetWorldMembrane> membranes,
                   std::vector<Body> obstacles, const TetWorldOptions& options)
    : state_(std::make_unique<State>(options)) {
    if (bodies.empty() && membranes.empty()) throw Error(Cause::empty, "the world has no bodies");
    require_positive(options.recovery_time, "option recovery_time");
    if (options.breaking) require_positive(options.breaking->strain, "option strain");
    State& s = *state_;
    s.bodies = std::move(bodies);
    s.membranes_at_start = std::move(membranes);
    s.obstacles = std::move(obstacles);
    s.add_bodies();
    s.begin_springs();
    s.statistics = {};
}

TetWorld::~TetWorld() = default;
TetWorld::TetWorld(TetWorld&&) noexcept = default;

void TetWorld::step() {
    State& s = *state_;
    const Stopwatch watch;
    s.springs->step();
    s.report = s.springs->report();
    s.break_bodies();
    s.statistics.seconds += watch.seconds();
}

CutReport TetWorld::cut(Index body, const CutPlane& plane, const CutOptions& options) {
    State& s = *state_;
    const Place place{.element = "body", .index = static_cast<std::int64_t>(body)};
    if (body >= s.tets.size()) throw Error(Cause::index_out_of_range, "the body does not exist", place);
    if (!s.tets[body].breakable())
        throw Error(Cause::invalid_argument,
                    "the body cannot be cut: the world has no `breaking`, or the body is fixed", place);
    s.tets[body].follow(*s.springs);
    const CutReport report = s.tets[body].cut(plane, options);
    NetworkEdit edit;
    s.broke(body, edit);
    if (!edit.empty()) s.springs->apply(edit);
    return report;
}

std::vector<TetGuestPush> TetWorld::find_guest(const TetGuest& guest, Index body) {
    std::vector<TetGuestPush> pushes;
    state_->answer_guest(guest, body, pushes);
    std::erase_if(pushes, [](const TetGuestPush& p) { return !(p.push.contact.depth > 0); });
    return pushes;
}

std::size_t TetWorld::steps() const { return springs().steps(); }
double TetWorld::time() const { return springs().time(); }

Energy TetWorld::energy() const {
    const SpringEnergy e = springs().energy();
    return {e.kinetic, e.gravity, e.elastic()};
}

Fingerprint TetWorld::state_hash() const {
    Fingerprinter printer;
    printer.add(springs().state_hash().text());
    printer.add(std::as_bytes(state_->memory.known()));
    for (const SimulatedTets& body : state_->tets) printer.add(std::as_bytes(body.view().topology.tetrahedra()));
    for (const SimulatedMembrane& membrane : state_->membranes) {
        printer.add(std::as_bytes(membrane.view().topology.boundary()));
        for (Index b = 0; b < membrane.known_bodies(); ++b) printer.add(std::as_bytes(membrane.sides(b)));
    }
    return printer.finish();
}

void TetWorld::set_motion(MotionHook hook) { state_->springs->set_motion(std::move(hook)); }

const TetWorldOptions& TetWorld::options() const { return state_->options; }
std::span<const TetWorldBody> TetWorld::bodies() const { return state_->bodies; }
std::span<const Body> TetWorld::obstacles() const { return state_->obstacles; }
std::span<const TetWorldMembrane> TetWorld::membranes() const { return state_->membranes_at_start; }
tet::TetBody TetWorld::body(Index body) const { return state_->view(body); }
std::span<const Index> TetWorld::points(Index body) const { return state_->intruder(body).points; }
const BoundaryAreas& TetWorld::areas(Index body) const { return state_->intruder(body).areas; }
std::size_t TetWorld::pieces(Index body) const {
    return state_->of(body, [](const auto& b) { return b.pieces(); });
}
bool TetWorld::broken(Index body) const {
    return state_->of(body, [](const auto& b) { return b.broken(); });
}
std::shared_ptr<const std::vector<Triangle>> TetWorld::surface(Index body) const {
    return state_->of(body, [](const auto& b) { return b.surface_triangles(); });
}
const SpringWorld& TetWorld::springs() const { return *state_->springs; }
const SpringReport& TetWorld::report() const { return state_->report; }
std::span<const BodyContact> TetWorld::contacts() const { return state_->contacts; }
const TetWorldStatistics& TetWorld::statistics() const { return state_->statistics; }

// Copies the boundaries and contacts of tetrahedral bodies into frames.

namespace {

struct Named {
    std::string name;
    bool fixed;
};

// Bodies, and then membranes.
Named named(const TetWorld& world, Index b) {
    const std::size_t bodies = world.bodies().size();
    if (b < bodies) return {world.bodies()[b].name, world.bodies()[b].fixed};
    const DeformingBody& surface = world.membranes()[b - bodies].surface;
    return {surface.name, surface.fixed};
}

RecordedBody recorded_body(const TetWorld& world, Index b) {
    const tet::TetBody body = world.body(b);
    TriangleMesh surface{{}, *world.surface(b)};
    for (const Index v : body.topology.boundary_vertices()) surface.vertices.push_back(body.vertices[v]);
    const auto& [name, fixed] = named(world, b);
    return {name, std::make_shared<const TriangleMesh>(std::move(surface)), {}, Vec3::Zero(), fixed};
}

BodyFrame frame_of(const TetWorld& world, Index b) {
    if (named(world, b).fixed) return {};
    const tet::TetBody body = world.body(b);
    BodyFrame frame = mass_frame(world.springs(), world.points(b));
    for (const Index v : body.topology.boundary_vertices()) frame.vertices.push_back(body.vertices[v].cast<float>());
    if (world.broken(b)) frame.triangles = world.surface(b);
    return frame;
}

} // namespace

std::vector<RecordedBody> TetWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (Index b = 0; b < bodies().size() + membranes().size(); ++b) all.push_back(recorded_body(*this, b));
    for (const Body& obstacle : obstacles()) all.push_back(recorded(obstacle));
    return all;
}

RecordedStep TetWorld::recorded_step() const {
    double deepest = 0;
    for (const BodyContact& c : contacts()) deepest = std::max(deepest, c.depth);
    return {steps(),
            time(),
            energy(),
            deepest,
            contacts().size(),
            report().contact_seconds,
            report().force_seconds + report().solve_seconds};
}

void TetWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    for (Index b = 0; b < bodies().size() + membranes().size(); ++b) frame.bodies.push_back(frame_of(*this, b));
    for (const Body& obstacle : obstacles()) frame.bodies.push_back({.pose = obstacle.pose});
    if (with_contacts) frame.contacts.assign(contacts().begin(), contacts().end());
}

} // namespace fathom
