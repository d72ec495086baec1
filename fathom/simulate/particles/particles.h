// Particle simulation with collision against moving obstacles, for tens of thousands of particles and more.
// Method: Fabrizio, "Easy real-time collision detection", sections 2 and 3.2: all particles share height maps of the
// obstacles (detect/depth/particle_maps.h), which are drawn again in each step since obstacles move. If the step of a
// particle hits an obstacle, its velocity is reflected at the stored normal. Obstacles follow their prescribed motion,
// or the caller places and deforms them. Particles do not collide with each other, and exert no forces on obstacles.
// Limits: those of the maps; an obstacle that moves farther in a step than its thickness may pass over a particle.
// A step costs the drawing of the maps and O(particles). Each particle has its own stream of random numbers, so results
// depend neither on the number of other particles nor on the number of threads. Not thread-safe; parallel inside.
#pragma once

#include <fathom/detect/depth/particle_maps.h>
#include <fathom/simulate/contact/body.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// Emits particles from a disc (radius 0: a point) perpendicular to `direction`.
struct ParticleEmitter {
    Vec3 center = Vec3::Zero();     // m
    Vec3 direction = Vec3::UnitZ(); // any length except 0
    double radius = 0;              // m
    double rate = 10'000;           // particles per second, from `start` to `end`
    std::size_t burst = 0;          // number of particles emitted at once at `start`
    double start = 0, end = 1e30;   // s
    double speed = 1;               // m/s
    double speed_spread = 0;        // maximum relative deviation of the speed, 0 to 1
    double spread = 0;              // half angle of the cone of directions (rad), uniformly filled; pi: all directions
    double life = 1;                // s
    double life_spread = 0;         // maximum relative deviation of the life, 0 to 1
    std::uint64_t seed = 1;

    [[nodiscard]] std::uint64_t emitted_by(double time) const; // total number of particles emitted up to a time (s)
};

enum class ParticleImpact { bounce, slide, die };

struct ParticleOptions {
    double step = 1.0 / 60;               // s
    Vec3 gravity = {0, 0, -9.81};         // m/s^2; upward for buoyant particles
    double drag = 0;                      // 1/s
    double turbulence = 0;                // root mean square acceleration of each component of the wind (m/s^2)
    double turbulence_size = 0.5;         // period of the wind (m); eddies are from a quarter to an eighth of it
    Vec3 turbulence_drift = Vec3::Zero(); // velocity of the wind pattern (m/s)
    ParticleImpact impact = ParticleImpact::bounce;
    double restitution = 0.3; // coefficient of restitution, 0 to 1
    double friction = 0;      // Coulomb coefficient: tangential speed lost per change of normal speed
    int max_impacts = 4;      // per step and particle; after the last the particle stops until the next step
    std::size_t max_particles = 1'000'000; // maximum number of live particles; further ones are not emitted
    double mass = 1e-6;                    // mass of a particle (kg), for the energy
    std::uint64_t seed = 1;                // of the wind

    Vec3 view_direction = Vec3::UnitZ(); // direction of the map: upward
    bool around = false;                 // six maps instead, around the centroid of all particles
    Box region{};                        // region of the maps (m); empty: the present bounds of all obstacles
    int pixels = 1024;                   // of a map, along its longer side
    ParticleMapOptions maps{};
};

// Statistics of the last step. Times are wall time (s).
struct ParticleReport {
    std::size_t emitted = 0, died = 0;
    std::size_t hits = 0;    // particles that hit an obstacle
    std::size_t bounces = 0; // total number of impacts
    std::size_t pushed = 0;  // particles among `hits` that an obstacle moved into
    double map_seconds = 0, compare_seconds = 0, move_seconds = 0;
};

class ParticleWorld final : public SimulatedWorld {
public:
    // Obstacles must be closed meshes, unless the maps have no exits. Error{invalid_argument, non_finite} names the
    // invalid option, emitter or obstacle. Without a backend the CPU backend is used.
    ParticleWorld(std::vector<ParticleEmitter> emitters, std::vector<Body> obstacles,
                  const ParticleOptions& options = {}, std::shared_ptr<DepthBackend> backend = nullptr);
    ~ParticleWorld() override;
    ParticleWorld(ParticleWorld&&) noexcept;

    // Sets the pose of an obstacle at the end of the next step. From then on its prescribed motion is not used.
    void place(std::size_t obstacle, const Pose& pose);
    // Sets the surface of an obstacle at the end of the next step (m, world) and the velocities of its vertices (m/s).
    // From then on the obstacle deforms only by calls of this function. Another number of vertices requires other
    // triangles; null keeps the present ones. Error{count_mismatch}, and errors as for check(mesh).
    void deform(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
                std::shared_ptr<const std::vector<Triangle>> triangles = nullptr);

    // Error{too_large} if a coordinate of a particle exceeds 1e12 m.
    void step() override;

    [[nodiscard]] const ParticleOptions& options() const;
    [[nodiscard]] std::span<const Body> obstacles() const;
    [[nodiscard]] Pose obstacle_pose(std::size_t obstacle) const; // at the present time
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    // Data of the live particles, in the order of emission.
    [[nodiscard]] std::span<const Vec3> positions() const;  // m
    [[nodiscard]] std::span<const Vec3> velocities() const; // m/s
    [[nodiscard]] std::span<const double> ages() const;     // s
    [[nodiscard]] std::span<const double> lives() const;    // age at which the particle is removed (s)
    [[nodiscard]] const ParticleMaps& maps() const;         // as drawn in the last step
    [[nodiscard]] const ParticleReport& report() const;
    // The first hit of each particle in the last step. Particle indices are those before dead particles were removed.
    [[nodiscard]] std::span<const ParticleHit> hits() const;
    [[nodiscard]] std::uint64_t total_hits() const;
    [[nodiscard]] Energy energy() const override;
    [[nodiscard]] Fingerprint state_hash() const override;
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool with_contacts) const override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
