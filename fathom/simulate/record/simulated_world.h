// What every kind of world can do: step, tell its energy, and be recorded.
#pragma once

#include <fathom/base/hash.h>
#include <fathom/simulate/record/energy.h>

#include <cstddef>
#include <vector>

namespace fathom {

class Recording;
struct RecordedBody;
struct RecordedFrame;
struct RecordedStep;

class SimulatedWorld {
public:
    virtual ~SimulatedWorld() = default;

    virtual void step() = 0; // throws Error where the world has left what numbers can follow
    [[nodiscard]] virtual std::size_t steps() const = 0;
    [[nodiscard]] virtual double time() const = 0; // s
    [[nodiscard]] virtual Energy energy() const = 0;
    [[nodiscard]] virtual Fingerprint state_hash() const = 0; // of every number that the next step depends on

    // To be called after each step, and once before the first.
    void record(Recording& recording) const;
    // What a recording is made of. A frame gets as many bodies as there are, in their order, and contacts where they
    // are wanted.
    [[nodiscard]] virtual std::vector<RecordedBody> recorded_bodies() const = 0;
    [[nodiscard]] virtual RecordedStep recorded_step() const = 0;
    virtual void fill(RecordedFrame& frame, bool contacts) const = 0;

protected:
    SimulatedWorld() = default;
    SimulatedWorld(SimulatedWorld&&) = default;
    SimulatedWorld& operator=(SimulatedWorld&&) = default;
};

} // namespace fathom
