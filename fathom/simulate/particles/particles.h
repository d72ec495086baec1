// Particles by the ten thousand: emitted, blown about, and thrown back by what stands in their way.
// Method: Fabrizio, "Easy real-time collision detection", sections 2 and 3.2: all particles share height maps of the
// obstacles (detect/depth/particle_maps.h), drawn anew each step since obstacles move; where a step runs into one, the
// stored normal turns the velocity. Obstacles move by themselves, or where the caller puts and deforms them. Particles
// do not meet each other, and do not push obstacles. Limits: those of the maps; an obstacle that moves farther in a
// step than it is thick may leap over a particle. A step costs the drawing of the maps and O(particles). Each
// particle's random numbers come from its own stream, so nothing depends on how many others there are, nor on threads.
// Not thread-safe; parallel inside.
#pragma once

#include <fathom/detect/depth/particle_maps.h>
#include <fathom/simulate/contact/obstacle.h>
#include <fathom/simulate/record/simulated_world.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fathom {

// Particles leave a disc (radius 0: a point) about `direction`.
struct ParticleEmitter {
    Vec3 center = Vec3::Zero();     // m
    Vec3 direction = Vec3::UnitZ(); // any length but 0
    double radius = 0;              // m
    double rate = 10'000;           // 1/s, from `start` to `end`
    std::size_t burst = 0;          // all at once, at `start`
    double start = 0, end = 1e30;   // s
    double speed = 1;               // m/s
    double speed_spread = 0;        // share of the speed by which it may differ, 0 to 1
    double spread = 0;              // rad: half the opening of the cone, evenly filled; up to pi: all ways
    double life = 1;                // s
    double life_spread = 0;         // share of the life by which it may differ, 0 to 1
    std::uint64_t seed = 1;

    [[nodiscard]] std::uint64_t emitted_by(double time) const; // in all, since the beginning
};

enum class ParticleImpact { bounce, slide, die };

struct ParticleOptions {
    double step = 1.0 / 60;               // s
    Vec3 gravity = {0, 0, -9.81};         // m/s^2; upward for what is hot
    double drag = 0;                      // 1/s
    double turbulence = 0;                // m/s^2: mean (square) push of the wind, each way
    double turbulence_size = 0.5;         // m: period of the wind; eddies are from a quarter to an eighth of it
    Vec3 turbulence_drift = Vec3::Zero(); // m/s: the wind pattern moves as a whole
    ParticleImpact impact = ParticleImpact::bounce;
    double restitution = 0.3;     // share of the speed along the normal that comes back, 0 to 1
    double friction = 0;          // Coulomb's: speed lost along the surface over speed turned back, at most all of it
    int max_impacts = 4;          // in a step; then a particle waits where it is for the next
    std::size_t most = 1'000'000; // alive at once; what would be more is not emitted
    double mass = 1e-6;           // kg of a particle, for the energy
    std::uint64_t seed = 1;       // of the wind

    Vec3 look = Vec3::UnitZ(); // direction of the map, "to the sky"
    bool around = false;       // six maps instead, about the middle of all particles
    Box region{};              // where maps are drawn (m); empty: around all obstacles, wherever they are
    int pixels = 1024;         // of a map, along its longer side
    ParticleMapOptions maps{};
};

// What the last step did. Times are wall time (s).
struct ParticleReport {
    std::size_t emitted = 0, died = 0;
    std::size_t hits = 0;    // particles that ran into something
    std::size_t bounces = 0; // all their impacts
    std::size_t pushed = 0;  // of them, those that an obstacle moved into
    double map_seconds = 0, compare_seconds = 0, move_seconds = 0;
};

class ParticleWorld final : public SimulatedWorld {
public:
    // Obstacles are closed meshes, unless the maps have no exits. Error{invalid_argument, non_finite} names the option,
    // emitter or obstacle that is at fault. Without a backend: the CPU's.
    ParticleWorld(std::vector<ParticleEmitter> emitters, std::vector<KinematicObstacle> obstacles,
                  const ParticleOptions& options = {}, std::shared_ptr<DepthBackend> backend = nullptr);
    ~ParticleWorld() override;
    ParticleWorld(ParticleWorld&&) noexcept;

    // Where an obstacle is at the end of the next step, in place of what its own motion says, from then on.
    void place(std::size_t obstacle, const Pose& pose);
    // Its surface at the end of the next step (m, world) and how fast its vertices move (m/s): from then on it deforms
    // as it is told. Another number of vertices wants other triangles too; null: those that it has.
    // Error{count_mismatch}, and as check(mesh).
    void deform(std::size_t obstacle, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
                std::shared_ptr<const std::vector<Triangle>> triangles = nullptr);

    // Error{too_large} where a particle flies off beyond what numbers can follow.
    void step() override;

    [[nodiscard]] const ParticleOptions& options() const;
    [[nodiscard]] std::span<const KinematicObstacle> obstacles() const;
    [[nodiscard]] Pose obstacle_pose(std::size_t obstacle) const; // now
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    // Of those alive, in the order of their birth.
    [[nodiscard]] std::span<const Vec3> positions() const;  // m
    [[nodiscard]] std::span<const Vec3> velocities() const; // m/s
    [[nodiscard]] std::span<const double> ages() const;     // s
    [[nodiscard]] std::span<const double> lives() const;    // s, at which they die
    [[nodiscard]] const ParticleMaps& maps() const;         // as drawn in the last step
    [[nodiscard]] const ParticleReport& report() const;
    [[nodiscard]] std::span<const ParticleHit>
    hits() const; // the first of each particle in the last step, by their numbers before the dead left
    [[nodiscard]] std::uint64_t total_hits() const;
    [[nodiscard]] Energy energy() const override;
    [[nodiscard]] Fingerprint state_hash() const override;
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool contacts) const override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
