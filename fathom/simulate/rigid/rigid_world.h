// Simulation of rigid bodies with penalty contact.
// Method: Xu & Barbic 2014, section 4. A step first moves the bodies under the contact forces found in the previous
// step. Then it sweeps the points of each body through the fields of the others, in both roles for every pair whose
// swept bounds overlap, and averages the contact forces over the times inside, for the next step. Integration is
// explicit symplectic Euler, or linearly implicit.
// Swept motion: the paper's text uses the step that was just made. The average then belongs half a step before the
// velocity it is applied to, which acts on a spring of frequency w like a damping of -step w^2 / 2. By default we use
// the coming step instead, predicted from the current velocities: at the same cost the sign is reversed, and contact is
// damped as by an implicit step.
// Not for joints or hard constraints; contact is a spring. A step costs O(bodies + contacts), and a bit for each point
// of a pair whose bounds overlap; its buffers are reused. Not thread-safe; parallel inside, and the same bits for any
// number of threads.
#pragma once

#include <fathom/response/continuous_penalty.h>
#include <fathom/simulate/contact/body.h>

#include <span>
#include <vector>

namespace fathom {

enum class ContactMode {
    continuous, // integrals over the times in contact
    discrete    // only the end of the step, for comparison
};

// Motion over which continuous contact is averaged.
enum class ContactSpan {
    coming, // the next step, predicted without forces
    last    // the step just made, as in the paper
};

enum class Stepping {
    symplectic, // explicit; stable while the step resolves the stiffest contact
    // (M + h D + h^2 K) dv = h f for each body, with f predicted for the end of the step by the derivatives of its
    // contacts; those between two moving bodies count twice so that both may respond at once (mass splitting). Stable
    // for stiff contact.
    implicit
};

struct RigidOptions {
    double step = 1e-3; // s
    Vec3 gravity = {0, 0, -9.81};
    ContactMode mode = ContactMode::continuous;
    ContactSpan span = ContactSpan::coming;
    Stepping stepping = Stepping::symplectic;
    // Stiffness, damping and friction are those of the bodies; handles start at the current position of the bodies,
    // unless they are `moving`.
    ContactLaw law{};
    bool tree = true; // false: every point is tested, for comparison
    // Energy guard: the energy may grow by this many times that of the scene; see RigidWorld::step().
    double energy_limit = 10;
    // m/s; a touching body whose points are all slower than this for `sleep_steps` steps falls asleep; 0: bodies never
    // sleep.
    double sleep_speed = 0;
    int sleep_steps = 100;
};

// Contacts and cost of the last step.
struct StepReport {
    std::size_t pairs = 0;         // pairs of bodies whose swept bounds overlap
    std::size_t contacts = 0;      // one per point and interval
    double deepest = 0;            // largest penetration depth in the swept motion (m)
    double deepest_now = 0;        // largest penetration depth in the current poses (m)
    std::size_t evaluations = 0;   // field evaluations for tree nodes
    std::size_t points_tested = 0; // points for which intervals were computed
    double detect_seconds = 0;     // broad phase and sweeps, wall time
    double respond_seconds = 0;
};

class RigidWorld final : public SimulatedWorld {
public:
    // Error{invalid_argument} names the option that is out of range.
    explicit RigidWorld(const RigidOptions& options = {});
    ~RigidWorld() override;
    RigidWorld(RigidWorld&&) noexcept;

    // Returns the body's number. Throws Error{invalid_argument} for a missing shape, a number that is not finite or out
    // of range, or a moving body without points or mass.
    Index add(Body body);

    // Throws Error{too_large} naming step, body and energy if the energy of all bodies has grown past the limit: by
    // energy_limit times the energy at the start (motion, springs, and for each body the potential energy of a height
    // of its own size). Throws Error{non_finite} if a number is not finite. The world then stays in the state in which
    // the guard found it.
    void step() override;

    // External forces (N, N m about the centre of mass), one for each body, that act in the next step only and wake
    // sleeping bodies; an empty span means none. The energy guard allows for their work. Throws
    // Error{count_mismatch}.
    void set_pushes(std::span<const Wrench> pushes);

    [[nodiscard]] const RigidOptions& options() const;
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override; // s
    [[nodiscard]] std::span<const Body> bodies() const;
    [[nodiscard]] std::span<const BodyState> states() const;
    [[nodiscard]] std::span<const BodyMass> masses() const;
    [[nodiscard]] Pose pose(Index body) const;
    [[nodiscard]] std::span<const Wrench> contact_wrenches() const; // of the last step, applied in the next one
    // Contacts of the last step, in a fixed order: a point (feature_a) of body a in the field of body b.
    [[nodiscard]] std::span<const BodyContact> contacts() const;
    [[nodiscard]] std::span<const MovingBody> swept() const; // the motions in which those contacts were found
    [[nodiscard]] const StepReport& report() const;
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
