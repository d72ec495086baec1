// Steps of the particle simulation: emission, motion, drawing of the maps, impacts, removal; and recording.
#include <fathom/simulate/particles/particles.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/progress.h>
#include <fathom/base/random.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/simulate/particles/particle_wind.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr std::size_t chunk = 1024;
constexpr double farthest = 1e12; // largest allowed coordinate (m)

void check_range(const std::string& what, double value, double low, double high) {
    if (!(value >= low && value <= high))
        throw Error(Cause::invalid_argument, fmt::format("{} is not between {} and {}", value, low, high),
                    {.element = what});
}

void check_finite(const std::string& what, const Vec3& value) {
    if (!is_finite(value)) throw Error(Cause::non_finite, "vector is not finite", {.element = what});
}

void check_emitter(const ParticleEmitter& e, std::size_t number) {
    const auto named = [&](const char* what) { return fmt::format("{} of emitter {}", what, number); };
    check_finite(named("center"), e.center);
    check_finite(named("direction"), e.direction);
    if (!(e.direction.norm() > 0))
        throw Error(Cause::invalid_argument, "vector has zero length", {.element = named("direction")});
    check_range(named("radius"), e.radius, 0, 1e9);
    check_range(named("rate"), e.rate, 0, 1e12);
    check_range(named("burst"), static_cast<double>(e.burst), 0, 1e9);
    check_range(named("start"), e.start, 0, 1e30);
    check_range(named("end"), e.end, e.start, 1e30);
    check_range(named("speed"), e.speed, 0, 1e9);
    check_range(named("speed_spread"), e.speed_spread, 0, 1);
    check_range(named("spread"), e.spread, 0, std::numbers::pi);
    check_range(named("life"), e.life, 1e-9, 1e9);
    check_range(named("life_spread"), e.life_spread, 0, 1);
}

void check_options(const ParticleOptions& o) {
    check_range("option step", o.step, 1e-9, 10);
    check_finite("option gravity", o.gravity);
    check_finite("option turbulence_drift", o.turbulence_drift);
    check_range("option drag", o.drag, 0, 1e9);
    check_range("option turbulence", o.turbulence, 0, 1e9);
    check_range("option turbulence_size", o.turbulence_size, 1e-9, 1e9);
    check_range("option restitution", o.restitution, 0, 1);
    check_range("option friction", o.friction, 0, 1e3);
    check_range("option max_impacts", o.max_impacts, 1, 100);
    check_range("option max_particles", static_cast<double>(o.max_particles), 1, 1e8);
    check_range("option mass", o.mass, 0, 1e9);
    check_range("option pixels", o.pixels, 1, 16384);
    check_finite("option view_direction", o.view_direction);
    if (!(o.view_direction.norm() > 0))
        throw Error(Cause::invalid_argument, "vector has zero length", {.element = "option view_direction"});
    if (!o.region.empty() && (!is_finite(o.region.lower) || !is_finite(o.region.upper)))
        throw Error(Cause::non_finite, "box is not finite", {.element = "option region"});
}

struct Newborn {
    Vec3 position, velocity;
    double life = 0;
};

// Initial state of particle number `serial` of an emitter; a pure function of its arguments.
Newborn born(const ParticleEmitter& e, std::uint64_t serial) {
    Random random(e.seed, serial);
    const Vec3 axis = e.direction.normalized(), side = any_perpendicular(axis), other = axis.cross(side);
    const double around = random.uniform(0, 2 * std::numbers::pi), out = e.radius * std::sqrt(random.uniform());
    const double height = 1 - random.uniform() * (1 - std::cos(e.spread)),
                 turn = random.uniform(0, 2 * std::numbers::pi);
    const double width = std::sqrt(std::max(0.0, 1 - height * height));
    const Vec3 direction = height * axis + width * (std::cos(turn) * side + std::sin(turn) * other);
    const double speed = e.speed * (1 + e.speed_spread * random.uniform(-1, 1)),
                 life = e.life * (1 + e.life_spread * random.uniform(-1, 1));
    return {e.center + out * (std::cos(around) * side + std::sin(around) * other), speed * direction, life};
}

// The present surface of a deforming obstacle.
struct ObstacleSurface {
    std::shared_ptr<DrawnMesh> mesh; // null: the obstacle is rigid
    std::vector<Vec3> vertices, velocities;
    std::shared_ptr<const std::vector<Triangle>> triangles;

    [[nodiscard]] Vec3 velocity_at(const ParticleHit& hit) const {
        const Triangle& t = mesh->triangles()[hit.id.primitive];
        const Vec3 shares = triangle_shares({vertices[t[0]], vertices[t[1]], vertices[t[2]]}, hit.point);
        return shares[0] * velocities[t[0]] + shares[1] * velocities[t[1]] + shares[2] * velocities[t[2]];
    }
};

} // namespace

std::uint64_t ParticleEmitter::emitted_by(double time) const {
    if (time < start) return 0;
    return burst + static_cast<std::uint64_t>(std::floor(rate * std::max(0.0, std::min(time, end) - start)));
}

struct ParticleWorld::State {
    ParticleOptions options;
    std::vector<ParticleEmitter> emitters;
    std::vector<Body> obstacles;
    std::vector<DrawnBody> drawn;
    std::vector<Pose> before;                // poses of the obstacles at the start of the step
    std::vector<std::optional<Pose>> placed; // poses set by place()
    std::vector<ObstacleSurface> surfaces;   // one for each obstacle
    ParticleMaps maps;
    ParticleWind wind;
    bool still = true;  // all obstacles are static: the maps are drawn once
    bool fresh = false; // the maps have been drawn

    std::size_t steps = 0;
    std::vector<std::uint64_t> emitted; // number of particles of each emitter so far
    std::vector<Vec3> positions, velocities, targets;
    std::vector<double> ages, lives;
    std::vector<ParticleHit> hits;
    std::uint64_t total_hits = 0;
    ParticleReport report;

    State(const ParticleOptions& o, std::shared_ptr<DepthBackend> backend)
        : options(o), maps(std::move(backend), o.maps), wind(o.seed) {}

    [[nodiscard]] double time() const { return static_cast<double>(steps) * options.step; }

    void emit(double until);
    void move();
    void draw(double at);
    void respond();
    std::size_t bounce(ParticleHit& first);
    [[nodiscard]] Vec3 surface_velocity(const ParticleHit& hit) const;
    [[nodiscard]] Vec3 turned_back(const Vec3& velocity, const ParticleHit& hit) const;
    void bury();
};

// The age of a new particle refers to the start of the step and is negative, so that it moves only for the rest of the
// step.
void ParticleWorld::State::emit(double until) {
    for (std::size_t k = 0; k < emitters.size(); ++k) {
        const ParticleEmitter& e = emitters[k];
        const std::uint64_t begin = emitted[k], end = e.emitted_by(until);
        emitted[k] = end;
        const std::size_t room = options.max_particles - std::min(options.max_particles, positions.size()),
                          first = positions.size();
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - std::min(begin, end), room));
        positions.resize(first + count), velocities.resize(first + count), ages.resize(first + count),
            lives.resize(first + count);
        parallel_for(count, chunk, [&](std::size_t low, std::size_t high) {
            for (std::size_t n = low; n < high; ++n) {
                const std::uint64_t serial = begin + n;
                const double birth =
                    serial < e.burst ? e.start : e.start + static_cast<double>(serial - e.burst + 1) / e.rate;
                const Newborn particle = born(e, serial);
                positions[first + n] = particle.position;
                velocities[first + n] = particle.velocity;
                ages[first + n] = std::clamp(until - birth, 0.0, options.step) - options.step;
                lives[first + n] = particle.life;
            }
        });
        report.emitted += count;
    }
}

void ParticleWorld::State::move() {
    targets.resize(positions.size());
    const double h = options.step, now = time();
    std::atomic<bool> lost = false;
    parallel_for(positions.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const double dt = std::min(h, ages[k] + h);
            Vec3 push = options.gravity;
            if (options.turbulence > 0)
                push += options.turbulence *
                        wind((positions[k] - now * options.turbulence_drift) / options.turbulence_size);
            velocities[k] = (velocities[k] + dt * push) / (1 + dt * options.drag);
            targets[k] = positions[k] + dt * velocities[k];
            ages[k] += h;
            if (!(targets[k].cwiseAbs().maxCoeff() <= farthest)) lost = true;
        }
    });
    if (lost)
        throw Error(Cause::too_large,
                    fmt::format("a particle is farther than {} m from the origin in step {}", farthest, steps));
}

void ParticleWorld::State::draw(double at) {
    for (std::size_t k = 0; k < obstacles.size(); ++k) {
        before[k] = drawn[k].pose;
        if (!surfaces[k].mesh) drawn[k].pose = placed[k] ? *placed[k] : obstacles[k].pose_at(at);
    }
    if (drawn.empty() || (fresh && still && !options.around)) return;
    Box box = options.region;
    if (box.empty())
        for (const DrawnBody& body : drawn)
            for (int c = 0; !body.mesh->bounds().empty() && c < 8; ++c)
                box.extend(body.pose * body.mesh->bounds().corner(c));
    if (box.empty()) return;
    // Without a margin, surfaces that lie on the faces of the box could be lost by rounding.
    const ViewOptions views{.pixels = options.pixels, .margin = 1e-3};
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : positions) middle += p;
    if (!positions.empty()) middle /= static_cast<double>(positions.size());
    maps.draw(options.around ? views_around(box, middle, views) : views_along(box, options.view_direction, views),
              drawn);
    fresh = true;
}

Vec3 ParticleWorld::State::surface_velocity(const ParticleHit& hit) const {
    if (surfaces[hit.id.body].mesh) return surfaces[hit.id.body].velocity_at(hit);
    const Pose &from = before[hit.id.body], &to = drawn[hit.id.body].pose;
    return (hit.point - from * to.to_local(hit.point)) / options.step;
}

// Velocity after an impact. The reflection is relative to the surface, which may move.
Vec3 ParticleWorld::State::turned_back(const Vec3& velocity, const ParticleHit& hit) const {
    const Vec3 surface = surface_velocity(hit);
    const Vec3 relative_velocity = velocity - surface;
    const double into = relative_velocity.dot(hit.normal);
    if (into >= 0) return velocity;
    const bool slide = options.impact == ParticleImpact::slide;
    const Vec3 along = relative_velocity - into * hit.normal;
    const double turned = (1 + options.restitution) * -into, speed = along.norm();
    const double kept = slide || speed == 0 ? 1 : std::max(0.0, 1 - options.friction * turned / speed);
    return surface + kept * along - (slide ? 0.0 : options.restitution) * into * hit.normal;
}

// Returns the number of impacts. Sets `first` to the first hit with the motion of the obstacles taken into account.
std::size_t ParticleWorld::State::bounce(ParticleHit& first) {
    const std::size_t k = first.particle;
    const double skin = 1e-3 * maps.pixel_size();
    double rest = std::min(options.step, ages[k]); // remaining time of the step; ages are already those at its end
    Vec3 place = positions[k], goal = targets[k];
    std::optional<ParticleHit> hit = first;
    if (first.inside) {
        // Start from the position that the particle would have if it had moved with the obstacle: there it is outside,
        // and it hits the side of the obstacle that moved towards it.
        const bool deforms = surfaces[first.id.body].mesh != nullptr;
        place = deforms ? Vec3(place + options.step * surface_velocity(first))
                        : drawn[first.id.body].pose * before[first.id.body].to_local(place);
        hit = maps.first_hit(place, goal);
        if (hit) first = *hit, first.particle = static_cast<Index>(k), first.inside = true;
    }
    int impacts = 0;
    for (; hit; ++impacts) {
        if (impacts == options.max_impacts) {
            goal = place;
            break;
        }
        const double length = (goal - place).norm();
        place = hit->inside ? Vec3(hit->point + skin * hit->normal)
                            : Vec3(place + std::max(0.0, hit->at - skin / std::max(length, skin)) * (goal - place));
        if (options.impact == ParticleImpact::die) {
            lives[k] = -1;
            goal = place;
            ++impacts;
            break;
        }
        velocities[k] = turned_back(velocities[k], *hit);
        rest *= 1 - hit->at;
        goal = place + rest * velocities[k];
        hit = maps.first_hit(place, goal);
    }
    targets[k] = goal;
    return static_cast<std::size_t>(impacts);
}

void ParticleWorld::State::respond() {
    report.bounces = parallel_reduce(
        hits.size(), 256, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::size_t bounces = 0;
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t impacts = bounce(hits[k]);
                if (impacts == 0) hits[k].particle = no_index; // the moving obstacle did not reach it
                bounces += impacts;
            }
            return bounces;
        },
        [](std::size_t a, std::size_t b) { return a + b; });
    std::erase_if(hits, [](const ParticleHit& hit) { return hit.particle == no_index; });
    report.hits = hits.size();
    report.pushed = static_cast<std::size_t>(
        std::count_if(hits.begin(), hits.end(), [](const ParticleHit& hit) { return hit.inside; }));
    total_hits += hits.size();
    positions.swap(targets);
}

void ParticleWorld::State::bury() {
    std::size_t alive = 0;
    for (std::size_t k = 0; k < positions.size(); ++k) {
        if (ages[k] > lives[k]) continue;
        if (alive != k)
            positions[alive] = positions[k], velocities[alive] = velocities[k], ages[alive] = ages[k],
            lives[alive] = lives[k];
        ++alive;
    }
    report.died = positions.size() - alive;
    positions.resize(alive), velocities.resize(alive), ages.resize(alive), lives.resize(alive);
}

ParticleWorld::ParticleWorld(std::vector<ParticleEmitter> emitters, std::vector<Body> obstacles,
                             const ParticleOptions& options, std::shared_ptr<DepthBackend> backend) {
    check_options(options);
    for (std::size_t k = 0; k < emitters.size(); ++k) check_emitter(emitters[k], k);
    for (const Body& obstacle : obstacles) check_motion(obstacle);
    state_ = std::make_unique<State>(options, backend ? std::move(backend) : make_cpu_depth_backend());
    State& s = *state_;
    s.emitted.resize(emitters.size());
    s.emitters = std::move(emitters);
    s.obstacles = std::move(obstacles);
    for (std::size_t k = 0; k < s.obstacles.size(); ++k) {
        s.drawn.push_back({std::make_shared<DrawnMesh>(s.obstacles[k].shape->mesh()), s.obstacles[k].pose_at(0),
                           static_cast<Index>(k)});
        s.before.push_back(s.drawn.back().pose);
        s.still = s.still && s.obstacles[k].stationary();
    }
    s.placed.resize(s.obstacles.size());
    s.surfaces.resize(s.obstacles.size());
}

ParticleWorld::~ParticleWorld() = default;
ParticleWorld::ParticleWorld(ParticleWorld&&) noexcept = default;

void ParticleWorld::place(std::size_t obstacle, const Pose& pose) {
    if (!is_finite(pose))
        throw Error(Cause::non_finite, "pose is not finite",
                    {.element = fmt::format("obstacle '{}'", state_->obstacles.at(obstacle).name)});
    state_->placed.at(obstacle) = pose;
    state_->still = false;
}

void ParticleWorld::deform(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
                           std::shared_ptr<const std::vector<Triangle>> triangles) {
    State& s = *state_;
    ObstacleSurface& surface = s.surfaces.at(obstacle);
    if (velocities.size() != vertices.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {} velocities, got {}", vertices.size(), velocities.size()),
                    {.element = fmt::format("obstacle '{}'", s.obstacles[obstacle].name)});
    const bool other = triangles && triangles != surface.triangles;
    if (other) surface.triangles = std::move(triangles);
    if (!surface.mesh || other) {
        const auto& faces = surface.triangles ? *surface.triangles : s.obstacles[obstacle].shape->mesh().triangles;
        surface.mesh = std::make_shared<DrawnMesh>(TriangleMesh{{vertices.begin(), vertices.end()}, faces});
        s.drawn[obstacle].mesh = surface.mesh;
        s.drawn[obstacle].pose = {};
    } else {
        surface.mesh->move(vertices);
    }
    surface.vertices.assign(vertices.begin(), vertices.end());
    surface.velocities.assign(velocities.begin(), velocities.end());
    s.still = false;
}

void ParticleWorld::step() {
    State& s = *state_;
    s.report = {};
    const double until = static_cast<double>(s.steps + 1) * s.options.step;
    Stopwatch watch;
    s.emit(until);
    s.move();
    s.report.move_seconds = watch.lap();
    s.draw(until);
    s.report.map_seconds = watch.lap();
    s.maps.first_hits(s.positions, s.targets, s.hits);
    s.report.compare_seconds = watch.lap();
    s.respond();
    s.bury();
    ++s.steps;
    s.report.move_seconds += watch.lap();
}

const ParticleOptions& ParticleWorld::options() const { return state_->options; }
std::span<const Body> ParticleWorld::obstacles() const { return state_->obstacles; }
Pose ParticleWorld::obstacle_pose(std::size_t obstacle) const { return state_->drawn.at(obstacle).pose; }
std::size_t ParticleWorld::steps() const { return state_->steps; }
double ParticleWorld::time() const { return state_->time(); }
std::span<const Vec3> ParticleWorld::positions() const { return state_->positions; }
std::span<const Vec3> ParticleWorld::velocities() const { return state_->velocities; }
std::span<const double> ParticleWorld::ages() const { return state_->ages; }
std::span<const double> ParticleWorld::lives() const { return state_->lives; }
const ParticleMaps& ParticleWorld::maps() const { return state_->maps; }
const ParticleReport& ParticleWorld::report() const { return state_->report; }
std::span<const ParticleHit> ParticleWorld::hits() const { return state_->hits; }
std::uint64_t ParticleWorld::total_hits() const { return state_->total_hits; }

Energy ParticleWorld::energy() const {
    const State& s = *state_;
    return parallel_reduce(
        s.positions.size(), chunk, Energy{},
        [&](std::size_t begin, std::size_t end) {
            Energy part;
            for (std::size_t k = begin; k < end; ++k) {
                part.kinetic += 0.5 * s.options.mass * s.velocities[k].squaredNorm();
                part.potential -= s.options.mass * s.options.gravity.dot(s.positions[k]);
            }
            return part;
        },
        [](Energy a, const Energy& b) {
            return Energy{a.kinetic + b.kinetic, a.potential + b.potential, 0};
        });
}

Fingerprint ParticleWorld::state_hash() const {
    const State& s = *state_;
    Fingerprinter printer;
    printer.add(std::as_bytes(std::span(&s.steps, 1)));
    printer.add(std::as_bytes(std::span(s.emitted)));
    printer.add(std::as_bytes(std::span(s.positions)));
    printer.add(std::as_bytes(std::span(s.velocities)));
    printer.add(std::as_bytes(std::span(s.ages)));
    printer.add(std::as_bytes(std::span(s.lives)));
    return printer.finish();
}

// ---- Recording: copies particles, obstacles and hits into frames. The cloud of particles is body 0.

namespace {

// The pose of the cloud is at the centroid of all particles.
BodyFrame cloud_of(const ParticleWorld& world) {
    BodyFrame frame;
    const std::size_t count = world.positions().size();
    frame.vertices.reserve(count), frame.velocities.reserve(count), frame.ages.reserve(count);
    Vec3 middle = Vec3::Zero(), motion = Vec3::Zero();
    for (std::size_t k = 0; k < count; ++k) {
        middle += world.positions()[k];
        motion += world.velocities()[k];
        frame.vertices.push_back(world.positions()[k].cast<float>());
        frame.velocities.push_back(world.velocities()[k].cast<float>());
        frame.ages.push_back(static_cast<float>(world.ages()[k]));
    }
    if (count > 0)
        frame.pose.translation = middle / static_cast<double>(count),
        frame.velocity = motion / static_cast<double>(count);
    return frame;
}

} // namespace

std::vector<RecordedBody> ParticleWorld::recorded_bodies() const {
    std::vector<RecordedBody> all;
    all.push_back({"particles", std::make_shared<const TriangleMesh>(), {}, Vec3::Zero(), false, true});
    for (const Body& obstacle : obstacles())
        all.push_back(
            {obstacle.name, {obstacle.shape, &obstacle.shape->mesh()}, {}, Vec3::Zero(), obstacle.stationary()});
    return all;
}

RecordedStep ParticleWorld::recorded_step() const {
    const ParticleReport& now = report();
    return {steps(), time(), energy(), 0, now.hits, now.map_seconds + now.compare_seconds, now.move_seconds};
}

void ParticleWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    frame.bodies.push_back(cloud_of(*this));
    for (std::size_t k = 0; k < obstacles().size(); ++k)
        frame.bodies.push_back(
            {.pose = obstacle_pose(k), .velocity = obstacles()[k].velocity, .spin = obstacles()[k].spin});
    if (!with_contacts) return;
    for (const ParticleHit& hit : hits())
        frame.contacts.push_back({0, hit.id.body + 1, hit.particle, hit.id.primitive, hit.point, -hit.normal, 0});
}

} // namespace fathom
