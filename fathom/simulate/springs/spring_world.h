// A network of springs that moves: the deforming objects of Madera et al. 2006, section 4, and the base
// of tetrahedral ones. Verlet: the velocity form of the scheme of Teschner et al. 2004, kick - drift - kick, so that
// velocities and energies belong to the same time as the positions. Symplectic: without damping the energy swings but
// does not drift. Springs are damped by the velocity half a step before, air friction is exact; steps past the largest
// stable one are refused by name, or cut. Backward Euler: (M + h D + h^2 K) dv = h (f - h K v), one linear solve a
// step, contacts in the matrix as k J^T J. Stable for large steps, first order, and it takes energy from what swings
// fast. A step costs about 30 to 200 products with the matrix. Collisions are found by the caller (ContactFinder) and
// answered here; without one, or with stiffness 0, nothing answers. O(points + springs + contacts) a step. Not
// thread-safe; parallel inside, the same bits for any number of threads.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/simulate/springs/spring_drift.h>
#include <fathom/simulate/springs/spring_forces.h>
#include <fathom/simulate/springs/spring_solve.h>
#include <fathom/simulate/springs/spring_stability.h>

#include <functional>

namespace fathom {

enum class SpringStepping { verlet, backward_euler };

// What to do about a Verlet step that is larger than the largest stable one. A step of backward Euler that wins energy
// nobody put in, because points moved too far for its one linear solve, is done again in two halves (at most ten times
// over), unless `allow`.
enum class UnstableStep {
    refuse, // Error{invalid_argument} names it
    divide, // into equal parts of at most 0.7 of what is stable, contacts of the moment included
    allow   // for experiments: the guard stops what grows
};

struct SpringOptions {
    double step = 1e-3; // s
    Vec3 gravity = {0, 0, -9.81};
    double air_friction = 0; // 1/s, over the mass
    SpringStepping stepping = SpringStepping::verlet;
    UnstableStep unstable = UnstableStep::refuse;
    std::size_t max_parts = 1000; // that a Verlet step is divided into
    PlasticOptions plastic{};
    WeightedContactLaw contact{};
    Box environment{}; // empty: without borders
    Reflection reflection = Reflection::object;
    SolveOptions solve{};
    double energy_limit = 10; // the guard: see SpringWorld::step()
};

// What a caller's own motion may read and write before a step. `pushes` (N) start at 0 and act through the step.
struct SpringMotion {
    double time = 0, step = 0; // s
    std::span<Vec3> positions, velocities, pushes;
};
using MotionHook = std::function<void(SpringMotion&)>;

// Fills the contacts (empty at first) of the points as they are. Called at the end of each step, or part of one, and
// where a state or a hook has set positions or velocities.
using ContactFinder = std::function<void(std::span<const Vec3> positions, std::span<const Vec3> velocities,
                                         std::vector<WeightedContact>& contacts)>;

struct SpringReport {
    std::size_t parts = 1;                                            // that the step was divided into, or halved into
    std::size_t contacts = 0;                                         // now
    double deepest = 0;                                               // of them (m)
    std::size_t reflections = 0;                                      // in the step
    std::size_t crept = 0;                                            // springs whose rest length changed
    double largest_stable_step = 0;                                   // of Verlet, with the contacts of now (s)
    SolveReport solve{};                                              // of the last solve of backward Euler
    double force_seconds = 0, solve_seconds = 0, contact_seconds = 0; // wall time
};

class SpringWorld {
public:
    // Error as check(network), {invalid_argument} for options out of range, and for a Verlet step that is not stable:
    // the message says what is.
    explicit SpringWorld(SpringNetwork network, const SpringOptions& options = {});
    ~SpringWorld();
    SpringWorld(SpringWorld&&) noexcept;

    void set_state(SpringState state); // Error{count_mismatch}, {non_finite}
    void set_motion(MotionHook hook);
    void set_contact_finder(ContactFinder finder);

    // Error{too_large} where the energy, contacts apart, has grown by more than energy_limit times what the network
    // held at first: its energy then, and that of all springs at a strain of 0.1, and what hooks and moved fixed points
    // put in. Error{non_finite} where a number is none. Errors of the hook and the finder pass through; what the hook
    // or the finder wrote is checked. The state is then that of the fault.
    void step();

    [[nodiscard]] const SpringOptions& options() const;
    [[nodiscard]] const SpringNetwork& network() const; // springs as they have crept
    [[nodiscard]] std::span<const Vec3> positions() const;
    [[nodiscard]] std::span<const Vec3> velocities() const;
    [[nodiscard]] std::span<const WeightedContact> contacts() const; // of the points as they are
    [[nodiscard]] std::size_t steps() const;
    [[nodiscard]] double time() const; // s
    [[nodiscard]] const SpringReport& report() const;
    [[nodiscard]] SpringEnergy energy() const;
    [[nodiscard]] Vec3 momentum() const;              // kg m/s
    [[nodiscard]] Vec3 angular_momentum() const;      // about the origin (kg m^2/s)
    [[nodiscard]] double largest_stable_step() const; // s, of the network as it started or was last edited
    [[nodiscard]] Fingerprint state_hash() const;     // of every number that the next step depends on, hooks apart

    // Edits, for what breaks. Numbers of points and springs stay; energies are those of before until the next step.
    void remove_spring(Index spring); // O(1)
    // The new point moves as the old one does. The next step finds blocks, matrix and largest stable step anew, once
    // for all splits; O(n).
    Index split_point(Index point, const PointSplit& split);
    // For bodies that break: steps, time, hook, finder and all that the edit does not name stay. Forces and contacts
    // are found again, once; what the edit gave or took in energy counts as given. The largest stable step of Verlet is
    // that of before or of the surroundings of the edit, whichever is less: Error{invalid_argument} where the step is
    // refused, else as check(edit). O(edit log n), and a look at elements of the blocks round it; of the matrix of
    // backward Euler only the rows that get columns change.
    void apply(const NetworkEdit& edit);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Error{invalid_argument} names the option out of range.
void check(const SpringOptions& options);

} // namespace fathom
