// Steps worlds of several kinds side by side.
#include <fathom/simulate/world/mixed_state.h>

#include <fathom/base/error.h>
#include <fathom/base/stopwatch.h>
#include <fathom/base/option_checks.h>

#include <fmt/format.h>

#include <cmath>

namespace fathom {

namespace {

void add(Energy& sum, const Energy& part) {
    sum.kinetic += part.kinetic;
    sum.potential += part.potential;
    sum.stored += part.stored;
}

// Height of its own size.
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

CoupledWorlds MixedWorld::State::worlds() {
    return {rigid ? &*rigid : nullptr, solids ? &*solids : nullptr, surfaces ? &*surfaces : nullptr};
}

// The one step that all agree on.
void MixedWorld::State::take_step() {
    const auto agree = [&](double other, const char* of) {
        if (step == 0) step = other;
        if (step != other)
            throw Error(Cause::invalid_argument, fmt::format("{} step by {} s and others by {} s", of, other, step),
                        {.element = "option step"});
    };
    if (rigid) agree(rigid->options().step, "rigid bodies");
    if (solids) agree(solids->springs().options().step, "solids");
    if (surfaces) agree(surfaces->springs().options().step, "surfaces");
    if (particles) agree(particles->options().step, "particles");
    if (step == 0) throw Error(Cause::empty, "a world without worlds");
}

void MixedWorld::State::begin_hooks() {
    const auto pushed_by = [](std::span<const Vec3> pushes, SpringMotion& motion) {
        for (std::size_t k = 0; k < pushes.size(); ++k) motion.pushes[k] += pushes[k];
    };
    if (solids)
        solids->set_motion([this, pushed_by](SpringMotion& motion) { pushed_by(coupling->on_solids(), motion); });
    if (surfaces)
        surfaces->set_motion([this, pushed_by](SpringMotion& motion) { pushed_by(coupling->on_surfaces(), motion); });
}

// ---- What particles see

void MixedWorld::State::begin_particles(MixedParticles&& given_particles) {
    std::vector<MovingObstacle> obstacles;
    const auto add_mesh = [&](const std::string& name, const TriangleMesh& mesh) {
        std::optional<SheetHull>& hull = shown.emplace_back().hull;
        if (is_open(mesh)) hull.emplace(mesh);
        obstacles.push_back({.name = name, .mesh = std::make_shared<const TriangleMesh>(hull ? hull->mesh() : mesh)});
    };
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b) {
        const RigidBody& body = rigid->bodies()[b];
        shown.emplace_back();
        obstacles.push_back({.name = body.name, .mesh = {body.shape, &body.shape->mesh}, .pose = body.pose});
    }
    for (Index b = 0; b < worlds().solid_count(); ++b) {
        const std::size_t bodies = solids->bodies().size();
        add_mesh(b < bodies ? solids->bodies()[b].name : solids->tissues()[b - bodies].surface.name,
                 boundary_mesh(*solids, b));
    }
    for (Index b = 0; b < worlds().surface_count(); ++b)
        add_mesh(surfaces->bodies()[b].name, surfaces->bodies()[b].mesh);
    seen = obstacles.size();
    for (MovingObstacle& own : given_particles.obstacles) obstacles.push_back(std::move(own));
    particles.emplace(std::move(given_particles.emitters), std::move(obstacles), given_particles.options,
                      std::move(given_particles.backend));
}

void MixedWorld::State::show(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
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

void MixedWorld::State::show_to_particles() {
    std::size_t obstacle = 0;
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b, ++obstacle)
        if (!rigid->bodies()[b].fixed) particles->place(obstacle, rigid->pose(b));
    std::vector<Vec3> vertices, velocities;
    for (Index b = 0; b < worlds().solid_count(); ++b, ++obstacle) {
        const TetBody body = solids->body(b);
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

// ---- Guard

Energy MixedWorld::State::energy_of_bodies() const {
    Energy sum;
    if (rigid) add(sum, rigid->energy());
    if (solids) add(sum, solids->energy());
    if (surfaces) add(sum, surfaces->energy());
    sum.stored += coupling->stored();
    return sum;
}

void MixedWorld::State::begin_guard() {
    const Energy start = energy_of_bodies();
    first_energy = start.total();
    energy_scale = start.kinetic + start.stored;
    for (Index b = 0; rigid && b < rigid->bodies().size(); ++b)
        if (!rigid->bodies()[b].fixed)
            energy_scale += rigid->masses()[b].mass * rigid->options().gravity.norm() * rigid->bodies()[b].shape->reach;
    if (solids) energy_scale += weight_times_size(solids->springs());
    if (surfaces) energy_scale += weight_times_size(surfaces->springs());
}

void MixedWorld::State::count_pushes() {
    for (Index b = 0; b < pushes.size(); ++b) {
        const BodyState& state = rigid->states()[b];
        const double work = step * (pushes[b].force.dot(state.velocity) + pushes[b].torque.dot(state.spin));
        given += work;
        energy_scale += std::abs(work);
    }
}

void MixedWorld::State::guard() const {
    const double total = energy_of_bodies().total();
    if (std::isfinite(total) && total - first_energy - given <= options.energy_limit * energy_scale) return;
    throw Error(std::isfinite(total) ? Cause::too_large : Cause::non_finite,
                fmt::format("step {}: the energy of all bodies has grown from {} J to {} J; pushes gave {} J. A "
                            "smaller step, a softer contact or more damping helps",
                            steps, first_energy, total, given));
}

// ---- The world

MixedWorld::MixedWorld(MixedParts parts, const MixedOptions& options) : state_(std::make_unique<State>()) {
    require_positive(options.energy_limit, "option energy_limit");
    State& s = *state_;
    s.options = options;
    if (parts.rigid) s.rigid.emplace(std::move(*parts.rigid));
    if (parts.solids) s.solids.emplace(std::move(*parts.solids));
    if (parts.surfaces) s.surfaces.emplace(std::move(*parts.surfaces));
    if (parts.particles) s.begin_particles(std::move(*parts.particles));
    s.take_step();
    s.coupling.emplace(s.worlds(), options.coupling);
    s.coupling->find(s.step);
    s.begin_hooks();
    s.pushes.resize(s.worlds().rigid_count());
    s.begin_guard();
}
MixedWorld::~MixedWorld() = default;
MixedWorld::MixedWorld(MixedWorld&&) noexcept = default;

void MixedWorld::push(Index rigid_body, const Wrench& wrench) {
    if (rigid_body >= state_->pushes.size())
        throw Error(Cause::index_out_of_range, "there is no such rigid body",
                    {.element = "body", .index = static_cast<std::int64_t>(rigid_body)});
    if (!is_finite(wrench.force) || !is_finite(wrench.torque))
        throw Error(Cause::non_finite, "a push", {.element = "body", .index = static_cast<std::int64_t>(rigid_body)});
    state_->pushes[rigid_body] = wrench;
}

void MixedWorld::step() {
    State& s = *state_;
    ++s.steps;
    if (s.rigid) {
        std::vector<Wrench> pushes(s.coupling->on_rigid().begin(), s.coupling->on_rigid().end());
        for (std::size_t b = 0; b < pushes.size(); ++b) pushes[b] += s.pushes[b];
        s.rigid->set_pushes(pushes);
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
    s.guard();
}

std::size_t MixedWorld::steps() const { return state_->steps; }
double MixedWorld::time() const { return static_cast<double>(state_->steps) * state_->step; }

Energy MixedWorld::energy() const {
    Energy sum = state_->energy_of_bodies();
    if (state_->particles) add(sum, state_->particles->energy());
    return sum;
}

Vec3 MixedWorld::momentum() const {
    const State& s = *state_;
    Vec3 sum = Vec3::Zero();
    for (Index b = 0; s.rigid && b < s.rigid->bodies().size(); ++b)
        sum += s.rigid->masses()[b].mass * s.rigid->states()[b].velocity;
    if (s.solids) sum += s.solids->springs().momentum();
    if (s.surfaces) sum += s.surfaces->springs().momentum();
    return sum;
}

Fingerprint MixedWorld::state_hash() const {
    const State& s = *state_;
    Fingerprinter printer;
    for (const SimulatedWorld* world : s.all()) printer.add(world->state_hash().text());
    printer.add(std::as_bytes(s.coupling->known()));
    return printer.finish();
}

const RigidWorld* MixedWorld::rigid() const { return state_->rigid ? &*state_->rigid : nullptr; }
const TetWorld* MixedWorld::solids() const { return state_->solids ? &*state_->solids : nullptr; }
const DeformingWorld* MixedWorld::surfaces() const { return state_->surfaces ? &*state_->surfaces : nullptr; }
const ParticleWorld* MixedWorld::particles() const { return state_->particles ? &*state_->particles : nullptr; }
const Coupling& MixedWorld::coupling() const { return *state_->coupling; }

} // namespace fathom
