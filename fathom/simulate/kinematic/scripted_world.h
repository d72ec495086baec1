// Kinematic bodies on scripted paths. Each step calls collide() or sweep() of query.h for the pairs that the broad
// phase of a World finds; contacts have no response, and bodies pass through each other. For the experiments of papers
// without simulation (Liu et al. 2024: two passing fields; Fabrizio: a flight; Xu & Barbic 2014, tables 2 and 3).
// A method of the table that supports collide() runs at the end of the step, on the solids of both bodies
// (mesh_field: the triangles of each in the solid of the other). A method that supports only sweep() runs over the
// step, on the points of each body in the solid of the other, and returns the first contact of each role. The status
// "disjoint" is a proof; a method that samples returns undecided if it finds no contact.
// Not thread-safe; parallel inside, with the same bits for any number of threads.
#pragma once

#include <fathom/detect/query/query.h>
#include <fathom/simulate/contact/body.h>

#include <vector>

namespace fathom {

struct ScriptedOptions {
    Method method = Method::automatic;
    std::size_t max_contacts = 64; // per pair
    // The first bodies are parts of one object: they are tested against the other bodies only, and those not against
    // each other. 0: all pairs of which at least one body moves are tested.
    std::size_t objects = 0;
};

struct ScriptedPair {
    Index a = no_index, b = no_index;
    Status status = Status::disjoint;
    double depth = 0;                    // largest contact depth (m)
    std::vector<BodyContact> contacts{}; // at most ScriptedOptions::max_contacts
};

class ScriptedWorld final : public SimulatedWorld {
public:
    // Error{empty} without bodies; Error{invalid_argument} for more objects than bodies; Error{unsupported} for a pair
    // that the method does not accept; Error as check_motion() throws.
    ScriptedWorld(std::vector<Body> bodies, double step, const ScriptedOptions& options = {});
    ~ScriptedWorld() override;
    ScriptedWorld(ScriptedWorld&&) noexcept;

    void step() override;
    [[nodiscard]] std::size_t steps() const override;
    [[nodiscard]] double time() const override;
    [[nodiscard]] Energy energy() const override { return {}; }
    [[nodiscard]] Fingerprint state_hash() const override; // of the poses, and of the results of all steps
    [[nodiscard]] std::vector<RecordedBody> recorded_bodies() const override;
    [[nodiscard]] RecordedStep recorded_step() const override;
    void fill(RecordedFrame& frame, bool with_contacts) const override;

    [[nodiscard]] double step_size() const; // s
    [[nodiscard]] std::span<const Body> bodies() const;
    [[nodiscard]] const Pose& pose(Index body) const;
    [[nodiscard]] std::span<const ScriptedPair> pairs() const; // results of the last step for all tested pairs
    [[nodiscard]] double query_seconds() const;                // wall time of the queries of the last step

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
