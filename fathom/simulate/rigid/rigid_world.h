// Rigid bodies that fall, touch and come to rest.
// Method: Xu & Barbic 2014, section 4. A step first moves the bodies under the contact forces found in the step before,
// then sweeps the points of each body through the fields of the others, both roles of every pair whose swept bounds
// meet, and averages the contact forces over the times inside, for the next step. Explicit symplectic Euler, or
// linearly implicit. What is swept: the paper's text takes the step that was just made. The average then belongs half a
// step before the velocity it meets, which feeds a spring of frequency w like a damping of -step w^2 / 2. By default we
// take the coming step instead, as the bodies would make it at the velocity they have: at the same cost the sign turns,
// and contact is damped as by an implicit step. Not for: joints, or hard constraints; contact is a spring. A step costs
// O(bodies + contacts), and a bit for each point of a pair whose bounds meet; its buffers are kept from step to step.
// Not thread-safe; parallel inside, and the same bits for any number of threads.
#pragma once

#include <fathom/index/bvh.h>
#include <fathom/response/continuous_penalty.h>
#include <fathom/simulate/record/simulated_world.h>
#include <fathom/simulate/rigid/rigid_body.h>

#include <span>
#include <vector>

namespace fathom {

enum class ContactMode {
    continuous, // integrals over the times in contact
    discrete    // the end of the step alone, for comparison
};

// What continuous contact is averaged over.
enum class ContactSpan {
    coming, // the next step, predicted without forces
    last    // the step just made, as in the paper
};

enum class Stepping {
    symplectic, // explicit; stable while the stiffest contact is followed by the step
    // (M + h D + h^2 K) dv = h f for each body, f foretold for the end of the step, with the slopes of its contacts;
    // those between two moving bodies count twice so that both may answer at once (mass splitting). Stable for stiff
    // contact.
    implicit
};

struct RigidOptions {
    double step = 1e-3; // s
    Vec3 gravity = {0, 0, -9.81};
    ContactMode mode = ContactMode::continuous;
    ContactSpan span = ContactSpan::coming;
    Stepping stepping = Stepping::symplectic;
    ContactLaw law{}; // stiffness, damping and friction are those of the bodies; handles start where bodies are now,
                      // unless they are `moving`
    bool tree = true; // false: every point is tested, for comparison
    double energy_limit =
        10; // the guard: energy may grow by this many times what the scene holds; see RigidWorld::step()
    double sleep_speed =
        0; // m/s; a touching body slower than this, its rim included, for `sleep_steps` sleeps; 0: none does
    int sleep_steps = 100;
};

// A contact of the last step.
struct BodyContact {
    Index shell_body = no_index, field_body = no_index;
    ContactRecord record;
};

// What the last step met and what it cost.
struct StepReport {
    std::size_t pairs = 0;         // of bodies whose swept bounds met
    std::size_t contacts = 0;      // of points, an interval each
    double deepest = 0;            // point in the motion that was swept (m)
    double deepest_now = 0;        // as the bodies now are (m)
    std::size_t evaluations = 0;   // of fields, for nodes of the trees
    std::size_t points_tested = 0; // that paid for intervals
    double detect_seconds = 0;     // broad phase and sweeps, wall time
    double respond_seconds = 0;
};

class RigidWorld final : public SimulatedWorld {
public:
    // Error{invalid_argument} names the option that is out of range.
    explicit RigidWorld(const RigidOptions& options = {});
    ~RigidWorld() override;
    RigidWorld(RigidWorld&&) noexcept;

    // Returns its number. Error{invalid_argument}: no shape, or a number that is not finite or out of range, or a
    // moving body without points or mass.
    Index add(RigidBody body);

    // Error{too_large} names step, body and energy where the energy of all bodies has grown past the limit: by
    // energy_limit times the energy it had at the start (motion, springs, and the height of each body's own size).
    // Error{non_finite} where a number is none. The world then stays as it was when the guard saw it.
    void step() override;

    // Forces from outside (N, N m about the centre of mass), one for each body, that act in the next step alone and
    // wake who sleeps; none: empty. What they do counts as given to the guard. Error{count_mismatch}.
    void set_pushes(std::span<const Wrench> pushes);

    [[nodiscard]] const RigidOptions& options() const;
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override; // s
    [[nodiscard]] std::span<const RigidBody> bodies() const;
    [[nodiscard]] std::span<const BodyState> states() const;
    [[nodiscard]] std::span<const BodyMass> masses() const;
    [[nodiscard]] Pose pose(Index body) const;
    [[nodiscard]] std::span<const Wrench> contact_wrenches() const; // of the last step, to be applied in the next
    [[nodiscard]] std::span<const BodyContact> contacts() const;    // of the last step, in a fixed order
    [[nodiscard]] std::span<const MovingBody> swept() const;        // the motions in which those were found
    [[nodiscard]] const StepReport& report() const;
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
