// Steps the systems of a simulation side by side.
#include <fathom/simulate/world/simulation_world.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>
namespace fathom {

// ---- A thin closed hull around an open sheet, for depth maps, which support only solids: both faces at half the
// thickness and a strip along the border. O(n) to move. Thread-safe except for move().
namespace {

class ThickenedSheet {
public:
    // Thickness in metres; 0: a fifth of the mean edge.
    explicit ThickenedSheet(const TriangleMesh& sheet, double thickness = 0);

    void move(std::span<const Vec3> vertices); // of the sheet
    [[nodiscard]] double thickness() const { return 2 * half_; }
    [[nodiscard]] const TriangleMesh& mesh() const { return mesh_; } // vertex k on the front, k + n on the back
    // Copies values of the sheet's vertices to those of the hull.
    [[nodiscard]] std::vector<Vec3> doubled(std::span<const Vec3> of_vertices) const;

private:
    std::vector<Triangle> faces_;
    double half_ = 0;
    TriangleMesh mesh_;
};

[[nodiscard]] bool is_open(const TriangleMesh& mesh); // has an edge with only one triangle

ThickenedSheet::ThickenedSheet(const TriangleMesh& sheet, double thickness)
    : faces_(sheet.triangles), half_(0.5 * thickness) {
    const auto n = static_cast<Index>(sheet.vertices.size());
    const EdgeTable table = edge_table(faces_, n);
    double length = 0;
    for (const Edge& e : table.edges) length += (sheet.vertices[e[1]] - sheet.vertices[e[0]]).norm();
    if (!(thickness > 0) && !table.edges.empty()) half_ = 0.1 * length / static_cast<double>(table.edges.size());
    mesh_.triangles = faces_;
    for (const Triangle& t : faces_) mesh_.triangles.push_back({t[0] + n, t[2] + n, t[1] + n});
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        if (table.sides[e].size() != 1) continue;
        const bool along = runs_along_edge(faces_, table.sides[e][0]);
        const Index a = table.edges[e][along ? 0 : 1], b = table.edges[e][along ? 1 : 0];
        mesh_.triangles.push_back({b, a, a + n});
        mesh_.triangles.push_back({b, a + n, b + n});
    }
    move(sheet.vertices);
}

void ThickenedSheet::move(std::span<const Vec3> vertices) {
    std::vector<Vec3> normals(vertices.size(), Vec3::Zero());
    for (const Triangle& t : faces_) {
        const Vec3 area = area_vector({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
        for (const Index v : t) normals[v] += area;
    }
    mesh_.vertices = doubled(vertices);
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const Vec3 out = half_ * normals[v].stableNormalized();
        mesh_.vertices[v] += out;
        mesh_.vertices[v + vertices.size()] -= out;
    }
}

std::vector<Vec3> ThickenedSheet::doubled(std::span<const Vec3> of_vertices) const {
    std::vector<Vec3> both(of_vertices.begin(), of_vertices.end());
    both.insert(both.end(), of_vertices.begin(), of_vertices.end());
    return both;
}

bool is_open(const TriangleMesh& mesh) {
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    for (std::size_t e = 0; e < table.edges.size(); ++e)
        if (table.sides[e].size() == 1) return true;
    return false;
}
} // namespace

// ---- The state of a SimulationWorld
namespace {

// Numbers of one world's bodies among all recorded bodies.
struct RecordedRow {
    std::vector<Index> number; // of each of its bodies
    std::vector<char> first;   // whether this world records it
};

// The shape of an open sheet for particles.
struct ShownBody {
    std::optional<ThickenedSheet> hull{};
    std::shared_ptr<const std::vector<Triangle>> torn{}, torn_hull{}; // null: the initial triangles
};

} // namespace

struct SimulationWorld::State {
    std::optional<RigidWorld> rigid;
    std::optional<TetWorld> solids;
    std::optional<DeformingWorld> surfaces;
    std::optional<ParticleWorld> particles;
    std::optional<ScriptedWorld> scripted;
    SimulationOptions options;
    std::optional<Coupling> coupling;
    std::vector<Wrench> pushes;     // external, on rigid bodies
    std::vector<Wrench> all_pushes; // with those of contacts between systems
    std::vector<ShownBody> shown;   // obstacles of the particles, in their order
    std::size_t seen = 0;           // bodies of the other worlds among the obstacles of the particles
    double step = 0;
    std::size_t steps = 0;
    double coupling_seconds = 0;
    double first_energy = 0, energy_scale = 0, given = 0;

    [[nodiscard]] CoupledWorlds worlds();
    [[nodiscard]] bool matters(Index rigid_body) const {
        return !rigid->bodies()[rigid_body].shape->mesh().vertices.empty();
    }
    void take_step();
    void begin_hooks();
    void begin_particles(ParticleSystem&& particles);
    void show_to_particles();
    void show(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
              const std::shared_ptr<const std::vector<Triangle>>& triangles);
    void count_pushes();
    void begin_guard();
    void guard() const;
    [[nodiscard]] Energy energy_of_bodies() const;

    // The worlds in the order of recording, and the numbers under which their bodies are recorded.
    [[nodiscard]] std::vector<const SimulatedWorld*> all() const;
    [[nodiscard]] std::vector<RecordedRow> rows() const;
};

namespace {

void add(Energy& sum, const Energy& part) {
    sum.kinetic += part.kinetic;
    sum.potential += part.potential;
    sum.stored += part.stored;
}

// Potential energy of a height equal to its own size.
double weight_times_size(const SpringWorld& springs) {
    const Box box = bounds(springs.positions());
    return box.empty() ? 0 : total_mass(springs.network()) * springs.options().gravity.norm() * box.diagonal();
}

TriangleMesh boundary_mesh(const TetWorld& world, Index body) {
    TriangleMesh mesh{{}, *world.surface(body)};
    for (const Index v : world.body(body).topology.boundary_vertices())
        mesh.vertices.push_back(world.body(body).vertices[v]);
    return mesh;
}
} // namespace

CoupledWorlds SimulationWorld::State::worlds() {
    return {rigid ? &*rigid : nullptr, solids ? &*solids : nullptr, surfaces ? &*surfaces : nullptr};
}

// The common step of all worlds.
void SimulationWorld::State::take_step() {
    const auto agree = [&](double other, const char* of) {
        if (step == 0) step = other;
        if (step != other)
            throw Error(Cause::invalid_argument, fmt::format("{} use a step of {} s, others of {} s", of, other, step),
                        {.element = "option step"});
    };
    if (rigid) agree(rigid->options().step, "rigid bodies");
    if (solids) agree(solids->springs().options().step, "solids");
    if (surfaces) agree(surfaces->springs().options().step, "surfaces");
    if (particles) agree(particles->options().step, "particles");
    if (scripted) agree(scripted->step_size(), "kinematic bodies");
    if (step == 0) throw Error(Cause::empty, "the simulation has no bodies");
}

void SimulationWorld::State::begin_hooks() {
    if (!coupling->possible()) return;
    const auto pushed_by = [](std::span<const Vec3> pushes, SpringMotion& motion) {
        for (std::size_t k = 0; k < pushes.size(); ++k) motion.pushes[k] += pushes[k];
    };
    if (solids)
        solids->set_motion([this, pushed_by](SpringMotion& motion) { pushed_by(coupling->on_solids(), motion); });
    if (surfaces)
        surfaces->set_motion([this, pushed_by](SpringMotion& motion) { pushed_by(coupling->on_surfaces(), motion); });
}

// ---- Obstacles of the particles

void SimulationWorld::State::begin_particles(ParticleSystem&& given_particles) {
    std::vector<Body> obstacles;
    const auto add_mesh = [&](const std::string& name, const TriangleMesh& mesh) {
        std::optional<ThickenedSheet>& hull = shown.emplace_back().hull;
        if (is_open(mesh)) hull.emplace(mesh);
        obstacles.push_back(
            {.shape = make_body_shape(Shape(hull ? hull->mesh() : mesh, MeshInside::open)), .name = name});
    };
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b) {
        const Body& body = rigid->bodies()[b];
        shown.emplace_back();
        obstacles.push_back({.shape = body.shape, .name = body.name, .pose = body.pose});
    }
    for (Index b = 0; b < worlds().solid_count(); ++b) {
        const std::size_t bodies = solids->bodies().size();
        add_mesh(b < bodies ? solids->bodies()[b].name : solids->membranes()[b - bodies].surface.name,
                 boundary_mesh(*solids, b));
    }
    for (Index b = 0; b < worlds().surface_count(); ++b)
        add_mesh(surfaces->bodies()[b].name, surfaces->bodies()[b].mesh);
    seen = obstacles.size();
    for (Body& own : given_particles.obstacles) obstacles.push_back(std::move(own));
    particles.emplace(std::move(given_particles.emitters), std::move(obstacles), given_particles.options,
                      std::move(given_particles.backend));
}

void SimulationWorld::State::show(std::size_t obstacle, std::span<const Vec3> vertices,
                                  std::span<const Vec3> velocities,
                                  const std::shared_ptr<const std::vector<Triangle>>& triangles) {
    auto& [hull, torn, torn_hull] = shown[obstacle];
    if (!hull) return particles->deform(obstacle, vertices, velocities, triangles);
    if (triangles != torn) {
        torn = triangles;
        hull.emplace(TriangleMesh{{vertices.begin(), vertices.end()}, *triangles}, hull->thickness());
        torn_hull = std::make_shared<const std::vector<Triangle>>(hull->mesh().triangles);
    }
    hull->move(vertices);
    particles->deform(obstacle, hull->mesh().vertices, hull->doubled(velocities), torn_hull);
}

void SimulationWorld::State::show_to_particles() {
    std::size_t obstacle = 0;
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b, ++obstacle)
        if (!rigid->bodies()[b].fixed) particles->place(obstacle, rigid->pose(b));
    std::vector<Vec3> vertices, velocities;
    for (Index b = 0; b < worlds().solid_count(); ++b, ++obstacle) {
        const tet::TetBody body = solids->body(b);
        const auto points = solids->points(b);
        vertices.clear(), velocities.clear();
        for (const Index v : body.topology.boundary_vertices()) {
            vertices.push_back(body.vertices[v]);
            velocities.push_back(solids->springs().velocities()[points[v]]);
        }
        show(obstacle, vertices, velocities, solids->broken(b) ? solids->surface(b) : nullptr);
    }
    for (Index b = 0; b < worlds().surface_count(); ++b, ++obstacle) {
        const auto now = surfaces->vertices(b);
        show(obstacle, now, surfaces->springs().velocities().subspan(surfaces->first_point(b), now.size()), nullptr);
    }
}

// ---- Energy guard

Energy SimulationWorld::State::energy_of_bodies() const {
    Energy sum;
    if (rigid) add(sum, rigid->energy());
    if (solids) add(sum, solids->energy());
    if (surfaces) add(sum, surfaces->energy());
    sum.stored += coupling->stored();
    return sum;
}

void SimulationWorld::State::begin_guard() {
    const Energy start = energy_of_bodies();
    first_energy = start.total();
    energy_scale = start.kinetic + start.stored;
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b)
        if (!rigid->bodies()[b].fixed)
            energy_scale += rigid->masses()[b].mass * rigid->options().gravity.norm() * rigid->bodies()[b].shape->reach;
    if (solids) energy_scale += weight_times_size(solids->springs());
    if (surfaces) energy_scale += weight_times_size(surfaces->springs());
}

void SimulationWorld::State::count_pushes() {
    for (Index b = 0; b < pushes.size(); ++b) {
        const BodyState& state = rigid->states()[b];
        const double work = step * (pushes[b].force.dot(state.velocity) + pushes[b].torque.dot(state.spin));
        given += work;
        energy_scale += std::abs(work);
    }
}

void SimulationWorld::State::guard() const {
    if (!coupling->possible()) return; // each system guards itself
    const double total = energy_of_bodies().total();
    if (std::isfinite(total) && total - first_energy - given <= options.energy_limit * energy_scale) return;
    throw Error(std::isfinite(total) ? Cause::too_large : Cause::non_finite,
                fmt::format("step {}: the energy of all bodies has grown from {} J to {} J; external forces added {} "
                            "J; use a smaller step, a softer contact or more damping",
                            steps, first_energy, total, given));
}

// ---- The world

SimulationWorld::SimulationWorld(SimulationSystems parts, const SimulationOptions& options)
    : state_(std::make_unique<State>()) {
    require_positive(options.energy_limit, "option energy_limit");
    State& s = *state_;
    s.options = options;
    if (parts.rigid) s.rigid.emplace(std::move(*parts.rigid));
    if (parts.solids) s.solids.emplace(std::move(*parts.solids));
    if (parts.surfaces) s.surfaces.emplace(std::move(*parts.surfaces));
    if (parts.particles) s.begin_particles(std::move(*parts.particles));
    if (parts.scripted) s.scripted.emplace(std::move(*parts.scripted));
    s.take_step();
    s.coupling.emplace(s.worlds(), options.coupling);
    s.coupling->find(s.step);
    s.begin_hooks();
    s.pushes.resize(s.worlds().rigid_count());
    s.begin_guard();
}
SimulationWorld::~SimulationWorld() = default;
SimulationWorld::SimulationWorld(SimulationWorld&&) noexcept = default;

void SimulationWorld::push(Index rigid_body, const Wrench& wrench) {
    if (rigid_body >= state_->pushes.size())
        throw Error(Cause::index_out_of_range, "no such rigid body",
                    {.element = "body", .index = static_cast<std::int64_t>(rigid_body)});
    if (!is_finite(wrench.force) || !is_finite(wrench.torque))
        throw Error(Cause::non_finite, "external force is not finite",
                    {.element = "body", .index = static_cast<std::int64_t>(rigid_body)});
    state_->pushes[rigid_body] = wrench;
}

void SimulationWorld::step() {
    State& s = *state_;
    ++s.steps;
    if (s.rigid) {
        s.all_pushes = s.pushes;
        const auto found = s.coupling->on_rigid();
        for (std::size_t b = 0; b < found.size(); ++b) s.all_pushes[b] += found[b];
        s.rigid->set_pushes(s.all_pushes);
        s.rigid->step();
        s.count_pushes();
    }
    if (s.solids) s.solids->step();
    if (s.surfaces) s.surfaces->step();
    const Stopwatch watch;
    s.coupling->find(s.step);
    s.coupling_seconds = watch.seconds();
    if (s.particles) {
        s.show_to_particles();
        s.particles->step();
    }
    if (s.scripted) s.scripted->step();
    s.guard();
}

std::size_t SimulationWorld::steps() const { return state_->steps; }
double SimulationWorld::time() const { return static_cast<double>(state_->steps) * state_->step; }

Energy SimulationWorld::energy() const {
    Energy sum = state_->energy_of_bodies();
    if (state_->particles) add(sum, state_->particles->energy());
    return sum;
}

Vec3 SimulationWorld::momentum() const {
    const State& s = *state_;
    Vec3 sum = Vec3::Zero();
    for (Index b = 0; s.rigid && b < s.rigid->bodies().size(); ++b)
        sum += s.rigid->masses()[b].mass * s.rigid->states()[b].velocity;
    if (s.solids) sum += s.solids->springs().momentum();
    if (s.surfaces) sum += s.surfaces->springs().momentum();
    return sum;
}

Fingerprint SimulationWorld::state_hash() const {
    const State& s = *state_;
    const auto systems = s.all();
    if (systems.size() == 1) return systems[0]->state_hash();
    Fingerprinter printer;
    for (const SimulatedWorld* world : systems) printer.add(world->state_hash().text());
    printer.add(std::as_bytes(s.coupling->known()));
    return printer.finish();
}

const RigidWorld* SimulationWorld::rigid() const { return state_->rigid ? &*state_->rigid : nullptr; }
const TetWorld* SimulationWorld::solids() const { return state_->solids ? &*state_->solids : nullptr; }
const DeformingWorld* SimulationWorld::surfaces() const { return state_->surfaces ? &*state_->surfaces : nullptr; }
const ParticleWorld* SimulationWorld::particles() const { return state_->particles ? &*state_->particles : nullptr; }
const ScriptedWorld* SimulationWorld::scripted() const { return state_->scripted ? &*state_->scripted : nullptr; }
const Coupling& SimulationWorld::coupling() const { return *state_->coupling; }

// ---- Recording: frames of several worlds combined, each body once

std::vector<const SimulatedWorld*> SimulationWorld::State::all() const {
    std::vector<const SimulatedWorld*> worlds;
    if (rigid) worlds.push_back(&*rigid);
    if (solids) worlds.push_back(&*solids);
    if (surfaces) worlds.push_back(&*surfaces);
    if (particles) worlds.push_back(&*particles);
    if (scripted) worlds.push_back(&*scripted);
    return worlds;
}

// Bodies of the first three kinds come first, then the obstacles of solids and surfaces that are not listed yet, then
// those that only particles have, the particles, and kinematic bodies.
std::vector<RecordedRow> SimulationWorld::State::rows() const {
    std::vector<RecordedRow> rows;
    Index next = 0;
    std::vector<std::pair<const Body*, Index>> fields; // static bodies that several worlds have
    const auto add_row = [&](std::size_t bodies) {
        rows.emplace_back();
        for (std::size_t k = 0; k < bodies; ++k) rows.back().number.push_back(next++), rows.back().first.push_back(1);
    };
    if (rigid) {
        add_row(rigid->bodies().size());
        for (Index b = 0; b < rigid->bodies().size(); ++b)
            if (!matters(b)) fields.emplace_back(&rigid->bodies()[b], b);
    }
    if (solids) add_row(solids->bodies().size() + solids->membranes().size());
    if (surfaces) add_row(surfaces->bodies().size());
    const auto add_obstacles = [&](RecordedRow& row, std::span<const Body> obstacles) {
        for (const Body& obstacle : obstacles) {
            const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& f) {
                return f.first->shape == obstacle.shape && f.first->name == obstacle.name;
            });
            row.first.push_back(known == fields.end());
            row.number.push_back(known == fields.end() ? next++ : known->second);
            if (row.first.back()) fields.emplace_back(&obstacle, row.number.back());
        }
    };
    if (solids) add_obstacles(rows[rigid ? 1 : 0], solids->obstacles());
    if (surfaces) add_obstacles(rows[(rigid ? 1u : 0u) + (solids ? 1u : 0u)], surfaces->obstacles());
    if (particles) {
        const auto cloud = static_cast<Index>(next + particles->obstacles().size() - seen);
        RecordedRow row{{cloud}, {1}};
        for (std::size_t k = 0; k < particles->obstacles().size(); ++k)
            row.number.push_back(k < seen ? static_cast<Index>(k) : next++), row.first.push_back(k >= seen);
        rows.push_back(std::move(row));
        next = cloud + 1;
    }
    if (scripted) add_row(scripted->bodies().size());
    return rows;
}

std::vector<RecordedBody> SimulationWorld::recorded_bodies() const {
    const auto rows = state_->rows();
    const auto worlds = state_->all();
    std::size_t count = 0;
    for (const RecordedRow& row : rows)
        for (const char first : row.first) count += first ? 1 : 0;
    std::vector<RecordedBody> bodies(count);
    for (std::size_t w = 0; w < worlds.size(); ++w) {
        std::vector<RecordedBody> own = worlds[w]->recorded_bodies();
        for (std::size_t k = 0; k < own.size(); ++k)
            if (rows[w].first[k]) bodies[rows[w].number[k]] = std::move(own[k]);
    }
    return bodies;
}

RecordedStep SimulationWorld::recorded_step() const {
    RecordedStep sum{.step = steps(), .time = time(), .energy = energy()};
    for (const SimulatedWorld* world : state_->all()) {
        const RecordedStep own = world->recorded_step();
        sum.deepest = std::max(sum.deepest, own.deepest);
        sum.contact_count += own.contact_count;
        sum.detect_seconds += own.detect_seconds;
        sum.respond_seconds += own.respond_seconds;
    }
    for (const BodyContact& c : coupling().contacts()) sum.deepest = std::max(sum.deepest, c.depth);
    sum.contact_count += coupling().contacts().size();
    sum.detect_seconds += state_->coupling_seconds;
    return sum;
}

void SimulationWorld::fill(RecordedFrame& frame, bool with_contacts) const {
    const auto rows = state_->rows();
    const auto worlds = state_->all();
    for (std::size_t w = 0; w < worlds.size(); ++w) {
        RecordedFrame own;
        worlds[w]->fill(own, with_contacts);
        for (std::size_t k = 0; k < own.bodies.size(); ++k) {
            if (!rows[w].first[k]) continue;
            frame.bodies.resize(std::max<std::size_t>(frame.bodies.size(), rows[w].number[k] + std::size_t{1}));
            frame.bodies[rows[w].number[k]] = std::move(own.bodies[k]);
        }
        for (BodyContact c : own.contacts) {
            c.a = rows[w].number[c.a];
            c.b = rows[w].number[c.b];
            frame.contacts.push_back(c);
        }
        for (const RecordedPair& p : own.pairs)
            frame.pairs.push_back({rows[w].number[p.a], rows[w].number[p.b], p.status, p.depth});
    }
    const auto between = coupling().contacts();
    if (with_contacts) frame.contacts.insert(frame.contacts.end(), between.begin(), between.end());
}
} // namespace fathom
