// Interface of all simulated worlds: stepping, energy, state hash and recording.
#pragma once

#include <fathom/base/hash.h>

#include <cstddef>
#include <vector>

namespace fathom {

// Energy of a world (J). Without damping and friction the total is conserved up to the error of the time step.
struct Energy {
    double kinetic = 0;
    double potential = 0; // of gravity, 0 at the origin
    double stored = 0;    // in the contact springs at the end of the step

    [[nodiscard]] double total() const { return kinetic + potential + stored; }
};

class Recording;
struct RecordedBody;
struct RecordedFrame;
struct RecordedStep;

class SimulatedWorld {
public:
    virtual ~SimulatedWorld() = default;

    virtual void step() = 0; // throws Error if the simulation has diverged
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual double time() const = 0; // s
    [[nodiscard]] virtual Energy energy() const = 0;
    [[nodiscard]] virtual Fingerprint state_hash() const = 0; // of every number that the next step depends on

    // Adds the present state to a recording. To be called after each step, and once before the first.
    void record(Recording& recording) const;
    // The data of a recording. fill() adds all bodies to the frame, in order, and the contacts if `with_contacts` is
    // true.
    [[nodiscard]] virtual std::vector<RecordedBody> recorded_bodies() const = 0;
    [[nodiscard]] virtual RecordedStep recorded_step() const = 0;
    virtual void fill(RecordedFrame& frame, bool with_contacts) const = 0;

protected:
    SimulatedWorld() = default;
    SimulatedWorld(SimulatedWorld&&) = default;
    SimulatedWorld& operator=(SimulatedWorld&&) = default;
};

} // namespace fathom
