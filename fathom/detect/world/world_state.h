// Private state of World: the bodies, and the pair cache that is kept between steps.
#pragma once

#include <fathom/detect/query/placement.h>
#include <fathom/detect/world/world.h>
#include <fathom/index/broad_phase.h>

#include <optional>

namespace fathom {

// ---- Pair cache: the result of the last test of a pair, so that the pair is not tested again while its bodies hardly
// move. For a pair that is found disjoint, an inexpensive lower bound on its distance is computed
// (distance_lower_bound.h). The pair cannot touch before some point of one body has travelled that distance relative to
// the other.

struct PairMemory {
    IdPair pair{no_index, no_index};
    bool touching = false;
    double reserve = 0;      // the bodies cannot touch while their relative travel is below this (m); 0: not known
    Pose pose_a{}, pose_b{}; // poses for which the reserve was proven
    int rest = 0;            // steps for which no reserve is computed, after an attempt without success
};

// Bound on the travel of any point of one shape relative to the other (m), rounding included; infinity if both are
// unbounded.
[[nodiscard]] double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b,
                                     const Pose& b_before, const Pose& b_now);

// Whether the field values of a shape are distances everywhere outside it, so that a margin is a distance too.
[[nodiscard]] bool measures_distance(const Shape& shape);

// Whether an unbounded shape may have a point within the margin of a box of its frame.
[[nodiscard]] bool reaches(const Shape& endless, const Box& box, double margin);

[[nodiscard]] double checked_limit(double limit); // Error{invalid_argument} if it is negative or not a number

struct WorldBody {
    std::optional<Shape> form; // absent: a body given by its bounds, which no query tests
    Pose pose{};
    BodyOptions options{};
    Box box{};                  // of the shape (m, world); empty if it is unbounded, empty or absent
    std::optional<Box> swept{}; // bounds set by the caller, for candidates()
    Pose before{};              // pose at the last step
    std::uint64_t changed = 0;  // number of completed steps when its pose or shape changed last
    std::uint64_t reshaped = 0; // number of completed steps when its shape changed last

    [[nodiscard]] const Shape& shape() const { return *form; }
    [[nodiscard]] bool endless() const { return form ? !form->bounded() : !swept->empty() && !is_finite(*swept); }
};

struct World::State {
    explicit State(const WorldOptions& wanted) : options(wanted), broad(wanted.broad) {}

    WorldOptions options;
    BroadPhase broad; // contains all bodies and assigns the ids; unbounded bodies have an empty box in it
    std::vector<std::optional<WorldBody>> bodies{}; // by id
    std::vector<Index> endless{};                   // ids of unbounded bodies, ascending
    Filter filter{};
    std::uint64_t steps = 0;
    WorldStep step{};
    std::vector<PairMemory> memory{}; // sorted by pair
    std::vector<IdPair> pairs{};      // of find_candidates()

    [[nodiscard]] const WorldBody& body(Index id) const; // Error{index_out_of_range}
    [[nodiscard]] WorldBody& body(Index id) { return const_cast<WorldBody&>(std::as_const(*this).body(id)); }
    void place(Index id, const Pose& pose);
    void reshape(Index id, Shape shape);
    [[nodiscard]] Box broad_box(const Box& box) const; // grown by half the margin

    // Whether categories, masks and the caller's filter allow the pair.
    [[nodiscard]] bool allowed(Index a, Index b) const;
    [[nodiscard]] std::vector<char> partners(Index id) const; // by id: whether the pair with `id` is allowed
    // Whether an unbounded body may touch another, by the range of its field over the other's box.
    [[nodiscard]] bool may_reach(const WorldBody& endless_one, const WorldBody& other) const;
    // Runs the broad phase; filtered pairs of the broad phase and of unbounded bodies, sorted.
    void find_candidates();
    void set_endless(Index id, bool endless_now);
    // The current result of a pair, tested or taken from the cache; thread-safe.
    struct Answer {
        CollideResult collision{};
        PairMemory memory{};
        bool tested = true;
    };
    [[nodiscard]] Answer answer(const IdPair& pair, const PairMemory* before) const;
    [[nodiscard]] bool still_true(const WorldBody& a, const WorldBody& b, const PairMemory& memory) const;
    void look_ahead(const WorldBody& a, const WorldBody& b, PairMemory& memory) const;

    // Whether a query with this filter considers a body.
    [[nodiscard]] bool admits(const WorldFilter& filter, Index id) const;
    // Bodies that may touch a shape with this bounding box, ascending.
    [[nodiscard]] std::vector<Index> near(const Shape& shape, const Box& box, const WorldFilter& filter) const;
    // Calls visit(hit) for the first hit of each body that a ray hits within the limit; visit() returns the new limit.
    void visit_hits(const Ray& unit, double limit, const WorldFilter& filter,
                    CallableRef<double(const RayHit&)> visit) const;
    struct Gap {
        double least = 0; // lower bound on the distance (m)
        Index id = no_index;
    };
    // The bodies that the filter admits, as a heap with the smallest bound first.
    [[nodiscard]] std::vector<Gap> by_gap(const Shape& shape, const Box& box, const WorldFilter& filter) const;
};

} // namespace fathom
