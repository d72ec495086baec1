// Passes the points of the spring system to the surfaces and converts their contacts into forces on points.
#include <fathom/simulate/surface/deforming_world.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/simulate/contact/contact_cache.h>
#include <fathom/simulate/springs/spring_bodies.h>

#include <numeric>

namespace fathom {

namespace {

// A range of points of the spring system.
struct Row {
    Index first = 0, count = 0;
};

SpringNetwork network_of(const DeformingBody& body) {
    SpringNetwork network = surface_network(body.mesh, body.material);
    fix_points(network, body.fixed, body.fixed_vertices);
    return network;
}

deformable::SurfaceQueries queries_of(const DeformingOptions& options) {
    deformable::SurfaceQueries queries{.vertices = deformable::CollidingVertexOptions{}, .self = options.self};
    if (options.thickness > 0) queries.proximities = deformable::SurfaceProximityOptions{.distance = options.thickness};
    return queries;
}

} // namespace

struct DeformingWorld::State {
    DeformingOptions options;
    std::vector<DeformingBody> bodies;
    std::vector<Body> obstacles;
    std::vector<Row> rows;
    std::vector<deformable::DeformingSurface> surfaces;
    World world; // surfaces, then obstacles
    deformable::SurfacePairs pairs;
    std::unique_ptr<SpringWorld> springs;
    std::vector<BodyContact> contacts;
    std::vector<WeightedContact> pushes;
    std::vector<double> areas; // by point: a third of the area of the triangles around it, at rest
    std::span<const Vec3> now;
    ContactCache memory;
    double detect_seconds = 0; // wall time of the last contact detection

    explicit State(const DeformingOptions& o) : options(o), world({.broad = o.broad}), pairs(queries_of(o)) {}

    SpringNetwork add_bodies(std::vector<Vec3>& velocities);
    void find(std::span<const Vec3> positions);
    void detect();
    void add_vertices(const deformable::BodyContacts& pair);
    void add_crossings(const deformable::BodyContacts& pair);
    void add_near_features(const deformable::BodyContacts& pair);
    void add_obstacles();
    void push(const BodyContact& contact, const WeightedContact& over);
    [[nodiscard]] Index point(Index body, Index vertex) const { return rows[body].first + vertex; }
};

// The network of all bodies, and the initial velocities of its points.
SpringNetwork DeformingWorld::State::add_bodies(std::vector<Vec3>& velocities) {
    SpringNetwork all;
    for (const DeformingBody& body : bodies) try {
            const SpringNetwork network = network_of(body);
            const Index first = append(all, network);
            rows.push_back({first, static_cast<Index>(network.size())});
            const std::vector<Vec3> own = rigid_velocities(network, body.velocity, body.spin);
            velocities.insert(velocities.end(), own.begin(), own.end());
            surfaces.emplace_back(body.mesh);
            world.add(Box{}, {.name = body.name, .is_static = body.fixed});
            areas.resize(all.size(), 0.0);
            for (std::size_t t = 0; t < body.mesh.triangles.size(); ++t)
                for (const Index v : body.mesh.triangles[t])
                    areas[first + v] += area_vector(body.mesh.corners(t)).norm() / 6;
        } catch (const Error& error) {
            throw named(error, body.name);
        }
    for (const Body& obstacle : obstacles)
        world.add(obstacle.shape->solid(), obstacle.pose, {.name = obstacle.name, .is_static = true});
    if (options.motion) add_random_motion(all, *options.motion, velocities);
    for (std::size_t k = 0; k < all.size(); ++k)
        if (all.fixed[k]) velocities[k] = Vec3::Zero();
    return all;
}

void DeformingWorld::State::push(const BodyContact& contact, const WeightedContact& over) {
    contacts.push_back(contact);
    pushes.push_back(over);
}

void DeformingWorld::State::add_vertices(const deformable::BodyContacts& pair) {
    for (const deformable::CollidingVertex& v : pair.vertices.vertices) {
        if (v.triangle == no_index) continue; // of a body wholly inside itself: there is no surface to push it out of
        const Index body = pair.bodies[v.of_b ? 1 : 0], other = pair.bodies[v.of_b ? 0 : 1];
        const Vec3 gap = v.point - now[point(body, v.vertex)];
        const Vec3 out = gap.isZero() ? v.separating_direction : gap.normalized();
        if (out.isZero()) continue;
        const Triangle& face = surfaces[other].triangle(v.triangle);
        WeightedContact over{.points = {point(body, v.vertex)},
                             .weights = {1},
                             .count = 4,
                             .separating_direction = out,
                             .depth = v.depth,
                             .area = areas[point(body, v.vertex)]};
        for (std::size_t k = 0; k < 3; ++k) {
            over.points[k + 1] = point(other, face[k]);
            over.weights[k + 1] = -v.barycentric[static_cast<Eigen::Index>(k)];
        }
        over.depth = memory.pressed({body, other, v.vertex}, over);
        push({body, other, v.vertex, v.triangle, v.point, -out, v.depth}, over);
    }
}

// Contacts without a vertex inside: edges through edges, and sheets without an interior.
void DeformingWorld::State::add_crossings(const deformable::BodyContacts& pair) {
    const auto [a, b] = pair.bodies;
    for (const deformable::SurfaceContact& c : pair.triangles.contacts) {
        if (c.from_bodies || c.separating_direction.isZero()) continue;
        const deformable::DeformingSurface &surface_a = surfaces[a], &surface_b = surfaces[b];
        const Vec3 middle = c.segment.at(0.5);
        const Vec3 shares_a = triangle_shares(surface_a.corners(c.triangle_a), middle),
                   shares_b = triangle_shares(surface_b.corners(c.triangle_b), middle);
        WeightedContact over{.count = 6, .separating_direction = c.separating_direction, .depth = c.depth};
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            over.points[k] = point(a, surface_a.triangle(c.triangle_a)[k]);
            over.points[k + 3] = point(b, surface_b.triangle(c.triangle_b)[k]);
            over.weights[k] = shares_a[axis];
            over.weights[k + 3] = -shares_b[axis];
            over.area += shares_a[axis] * areas[over.points[k]];
        }
        over.depth = memory.pressed({a, b, c.triangle_a, c.triangle_b}, over);
        push({a, b, no_index, no_index, middle, -c.separating_direction, c.depth}, over);
    }
}

void DeformingWorld::State::add_near_features(const deformable::BodyContacts& pair) {
    if (pair.vertices.status != Status::disjoint || pair.triangles.status != Status::disjoint) return;
    for (const deformable::SurfaceProximity& p : pair.proximities.pairs) {
        if (p.nearness.separating_direction.isZero()) continue;
        const bool vertex_face = p.features.kind == deformable::FeatureKind::vertex_face;
        const Index body = pair.bodies[p.features.swapped ? 1 : 0], other = pair.bodies[p.features.swapped ? 0 : 1];
        const std::size_t own = vertex_face ? 1 : 2;
        std::array<Index, 4> points;
        for (std::size_t k = 0; k < 4; ++k) points[k] = point(k < own ? body : other, p.features.vertices[k]);
        const WeightedContact over = weighted_contact(points, p.nearness, options.thickness, areas[points[0]]);
        push({body, other, vertex_face ? p.features.vertices[0] : no_index, p.features.triangle, p.nearness.point_a,
              -over.separating_direction, over.depth},
             over);
    }
}

void DeformingWorld::State::add_obstacles() {
    for (const auto& [body, obstacle] : pairs.candidates()) {
        if (obstacle < bodies.size()) continue;
        const auto [first, count] = rows[body];
        const Body& solid = obstacles[obstacle - bodies.size()];
        for (const PointInside& p : points_inside(solid.shape->solid(), solid.pose, now.subspan(first, count)))
            push({body, obstacle, p.point, no_index, now[first + p.point], -p.separating_direction, p.depth},
                 {.points = {first + p.point},
                  .weights = {1},
                  .count = 1,
                  .separating_direction = p.separating_direction,
                  .depth = p.depth,
                  .area = areas[first + p.point]});
    }
}

void DeformingWorld::State::find(std::span<const Vec3> positions) {
    now = positions;
    const std::size_t parts = springs && options.respond ? springs->report().parts : 1;
    memory.begin(positions, options.springs.step / static_cast<double>(parts), options.recovery_time);
    parallel_tasks(bodies.size(), [&](std::size_t b) {
        if (!bodies[b].fixed) surfaces[b].place(positions.subspan(rows[b].first, rows[b].count));
    });
    pairs.find(world, surfaces);
    contacts.clear();
    pushes.clear();
    for (const deformable::BodyContacts& pair : pairs.contacts()) {
        add_vertices(pair);
        add_crossings(pair);
        if (options.thickness > 0) add_near_features(pair);
    }
    add_obstacles();
    memory.end();
}

// Without a response the substeps of a step need no contacts: once per step is enough.
void DeformingWorld::State::detect() {
    const Stopwatch watch;
    find(springs->positions());
    detect_seconds = watch.seconds();
}

DeformingWorld::DeformingWorld(std::vector<DeformingBody> bodies, std::vector<Body> obstacles,
                               const DeformingOptions& options)
    : state_(std::make_unique<State>(options)) {
    if (bodies.empty()) throw Error(Cause::empty, "the world has no bodies");
    require_not_negative(options.thickness, "option thickness");
    require_positive(options.recovery_time, "option recovery_time");
    State& s = *state_;
    s.bodies = std::move(bodies);
    s.obstacles = std::move(obstacles);
    std::vector<Vec3> velocities;
    SpringNetwork network = s.add_bodies(velocities);
    SpringState start{network.points, std::move(velocities)};
    s.springs = std::make_unique<SpringWorld>(std::move(network), options.springs);
    s.springs->set_state(std::move(start));
    if (!options.respond) {
        s.detect();
        return;
    }
    s.springs->set_contact_finder(
        [&s](std::span<const Vec3> positions, std::span<const Vec3>, std::vector<WeightedContact>& contacts) {
            s.find(positions);
            contacts = s.pushes;
        });
}

DeformingWorld::~DeformingWorld() = default;
DeformingWorld::DeformingWorld(DeformingWorld&&) noexcept = default;

Fingerprint DeformingWorld::state_hash() const {
    Fingerprinter printer;
    printer.add(springs().state_hash().text());
    printer.add(std::as_bytes(state_->memory.known()));
    return printer.finish();
}

void DeformingWorld::step() {
    state_->springs->step();
    if (!state_->options.respond) state_->detect();
}

double DeformingWorld::detect_seconds() const {
    return state_->options.respond ? springs().report().contact_seconds : state_->detect_seconds;
}

Energy DeformingWorld::energy() const {
    const SpringEnergy e = springs().energy();
    return {e.kinetic, e.gravity, e.elastic()};
}

void DeformingWorld::set_motion(MotionHook hook) { state_->springs->set_motion(std::move(hook)); }

std::span<const DeformingBody> DeformingWorld::bodies() const { return state_->bodies; }
std::span<const Body> DeformingWorld::obstacles() const { return state_->obstacles; }
Index DeformingWorld::first_point(Index body) const { return state_->rows[body].first; }
std::span<const Vec3> DeformingWorld::vertices(Index body) const {
    return springs().positions().subspan(state_->rows[body].first, state_->rows[body].count);
}
const SpringWorld& DeformingWorld::springs() const { return *state_->springs; }
const deformable::SurfacePairs& DeformingWorld::detection() const { return state_->pairs; }
std::span<const BodyContact> DeformingWorld::contacts() const { return state_->contacts; }

// ---- Recording: copies the shapes and contacts of deforming objects into frames

namespace {

// The pose has its origin at the centre of mass.
BodyFrame frame_of(const DeformingWorld& world, Index body) {
    if (world.bodies()[body].fixed) return {};
    std::vector<Index> points(world.vertices(body).size());
    std::iota(points.begin(), points.end(), world.first_point(body));
    BodyFrame frame = mass_frame(world.springs(), points);
    for (const Vec3& v : world.vertices(body)) frame.vertices.push_back(v.cast<float>());
    return frame;
}

} // namespace

std::vector<RecordedBody> DeformingWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    for (const DeformingBody& body : bodies())
        all.push_back({body.name, std::make_shared<const TriangleMesh>(body.mesh), {}, Vec3::Zero(), body.fixed});
    for (const Body& obstacle : obstacles()) all.push_back(recorded(obstacle));
    return all;
}

RecordedStep DeformingWorld::recorded_step() const {
    const SpringReport& report = springs().report();
    double deepest = 0;
    for (const BodyContact& c : contacts()) deepest = std::max(deepest, c.depth);
    return {steps(),
            time(),
            energy(),
            deepest,
            contacts().size(),
            detect_seconds(),
            report.force_seconds + report.solve_seconds};
}

void DeformingWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    for (Index k = 0; k < bodies().size(); ++k) frame.bodies.push_back(frame_of(*this, k));
    for (const Body& obstacle : obstacles()) frame.bodies.push_back({.pose = obstacle.pose});
    if (with_contacts) frame.contacts.assign(contacts().begin(), contacts().end());
}

} // namespace fathom
