// Simulation of a spring network: the deformable objects of Madera et al. 2006, section 4, and the base of tetrahedral
// ones.
// Verlet: the velocity form of the scheme of Teschner et al. 2004, kick - drift - kick, so that velocities and energies
// belong to the same time as the positions. It is symplectic: without damping the energy oscillates but does not drift.
// Springs are damped by the velocity half a step before, air friction is exact; steps past the largest stable one are
// rejected with an error, or divided.
// Backward Euler: (M + h D + h^2 K) dv = h (f - h K v), one linear solve per step, contacts in the matrix as k J^T J.
// It is stable for large steps, of first order, and dissipates the energy of fast oscillations. A step costs about 30
// to 200 products with the matrix.
// The caller finds collisions (ContactFinder) and this class computes the response; without a finder, or with stiffness
// 0, there is no response. O(points + springs + contacts) per step. Not thread-safe; parallel inside, the same bits for
// any number of threads.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/simulate/springs/spring_forces.h>
#include <fathom/simulate/springs/spring_solve.h>
#include <fathom/simulate/springs/spring_stability.h>

#include <functional>

namespace fathom {

enum class SpringStepping { verlet, backward_euler };

// Handling of a Verlet step that is larger than the largest stable one. Unless `allow` is set, a step of backward Euler
// that gains energy without an external source, because points moved too far for its one linear solve, is repeated in
// two halves (at most ten times recursively).
enum class UnstableStep {
    refuse, // Error{invalid_argument} names the largest stable step
    divide, // into equal parts of at most 0.7 of the stable step, with the current contacts
    allow   // for experiments: the energy guard stops divergence
};

struct SpringOptions {
    double step = 1e-3; // s
    Vec3 gravity = {0, 0, -9.81};
    double air_friction = 0; // 1/s, over the mass
    SpringStepping stepping = SpringStepping::verlet;
    UnstableStep unstable = UnstableStep::refuse;
    std::size_t max_parts = 1000; // maximum number of parts of a Verlet step
    PlasticOptions plastic{};
    WeightedContactLaw contact{};
    Box environment{}; // empty: unbounded
    Reflection reflection = Reflection::object;
    SolveOptions solve{};
    double energy_limit = 10; // energy guard: see SpringWorld::step()
};

// Data that a caller's own motion may read and write before a step. `pushes` (N) start at 0 and act through the step.
struct SpringMotion {
    double time = 0, step = 0; // s
    std::span<Vec3> positions, velocities, pushes;
};
using MotionHook = std::function<void(SpringMotion&)>;

// Fills the contacts (initially empty) of the points in the current state. Called at the end of each step, or part of
// one, and after a state or a hook has set positions or velocities.
using ContactFinder = std::function<void(std::span<const Vec3> positions, std::span<const Vec3> velocities,
                                         std::vector<WeightedContact>& contacts)>;

struct SpringReport {
    std::size_t parts = 1;          // number of parts of the step, divided or halved
    std::size_t contacts = 0;       // current number
    double deepest = 0;             // largest penetration depth of current contacts (m)
    std::size_t reflections = 0;    // in the step
    std::size_t crept = 0;          // springs whose rest length changed
    double largest_stable_step = 0; // of Verlet, with the current contacts (s)
    SolveReport solve{};            // of the last solve of backward Euler
    double force_seconds = 0, solve_seconds = 0, contact_seconds = 0; // wall time
};

class SpringWorld {
public:
    // Throws Error as check(network), {invalid_argument} for options out of range, and for a Verlet step that is not
    // stable: the message states the largest stable step.
    explicit SpringWorld(SpringNetwork network, const SpringOptions& options = {});
    ~SpringWorld();
    SpringWorld(SpringWorld&&) noexcept;

    void set_state(SpringState state); // Error{count_mismatch}, {non_finite}
    void set_motion(MotionHook hook);
    void set_contact_finder(ContactFinder finder);

    // Throws Error{too_large} if the energy without contacts has grown by more than energy_limit times the initial
    // energy of the network: its energy at the start, plus that of all springs at a strain of 0.1, plus the energy that
    // hooks and moved fixed points supply. Throws Error{non_finite} if a number is not finite. Errors of the hook and
    // the finder are passed on; the numbers they write are checked. The state is then that of the failure.
    void step();

    [[nodiscard]] const SpringOptions& options() const;
    [[nodiscard]] const SpringNetwork& network() const; // with the crept rest lengths
    [[nodiscard]] std::span<const Vec3> positions() const;
    [[nodiscard]] std::span<const Vec3> velocities() const;
    [[nodiscard]] std::span<const WeightedContact> contacts() const; // of the current points
    [[nodiscard]] std::size_t steps() const;
    [[nodiscard]] double time() const; // s
    [[nodiscard]] const SpringReport& report() const;
    [[nodiscard]] SpringEnergy energy() const;
    [[nodiscard]] Vec3 momentum() const;              // kg m/s
    [[nodiscard]] Vec3 angular_momentum() const;      // about the origin (kg m^2/s)
    [[nodiscard]] double largest_stable_step() const; // s, for the network at the start or after the last edit
    [[nodiscard]] Fingerprint state_hash() const;     // of every number that the next step depends on, except hooks

    // Edits, for fracture. Numbers of points and springs do not change; energies are updated by the next step.
    void remove_spring(Index spring); // O(1)
    // The new point has the velocity of the old one. The next step recomputes blocks, matrix and largest stable step,
    // once for all splits; O(n).
    Index split_point(Index point, const PointSplit& split);
    // For bodies that break: steps, time, hook, finder and everything that the edit does not list are kept. Forces and
    // contacts are recomputed once; the change of energy by the edit counts as supplied. The largest stable step of
    // Verlet is the smaller of that before and that of the surroundings of the edit: Error{invalid_argument} if the
    // step is rejected, else as check(edit). O(edit log n), and a pass over elements of the blocks round it; in the
    // matrix of backward Euler only the rows that get columns change.
    void apply(const NetworkEdit& edit);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Error{invalid_argument} names the option out of range.
void check(const SpringOptions& options);

} // namespace fathom
