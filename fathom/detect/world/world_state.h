// Inside of World: its bodies, and what is kept between two steps and between two questions.
#pragma once

#include <fathom/base/lazy.h>
#include <fathom/detect/query/shape.h>
#include <fathom/detect/world/world.h>
#include <fathom/index/bvh.h>

#include <optional>

namespace fathom {

// What is known of a pair since it was asked last, so that it need not be asked again while its bodies
// hardly move. Of a pair that is found apart, a bound below on its distance is looked for with little effort
// (distance_lower_bound.h). It cannot touch before some point of one body has travelled that far as seen from the
// other.

struct PairMemory {
    IdPair pair{no_index, no_index};
    bool touching = false;
    double reserve = 0;      // they may travel less than this before they can touch (m); 0: nothing is known
    Pose pose_a{}, pose_b{}; // that it was proven for
    int rest = 0;            // steps without looking for a reserve, after one was not to be had
};

// No point of one shape has travelled farther than this as seen from the other (m), rounding included; infinity where
// neither has an end.
[[nodiscard]] double relative_travel(const Shape& a, const Pose& a_before, const Pose& a_now, const Shape& b,
                                     const Pose& b_before, const Pose& b_now);

// Values of the shape are distances all over its outside, so that a margin is one of distance too.
[[nodiscard]] bool measures_distance(const Shape& shape);

struct WorldBody {
    Shape shape;
    Pose pose{};
    BodyOptions options{};
    Box box{};                  // world; empty for what has no end, and where nothing is inside
    Pose before{};              // at the last step
    std::uint64_t changed = 0;  // steps that had been done when it was moved or reshaped last
    std::uint64_t reshaped = 0; // the same, of its shape alone

    [[nodiscard]] bool endless() const { return !shape.bounded(); }
};

// The bounded bodies where they stand, for questions.
struct WorldView {
    std::vector<Index> ids{}; // of the boxes of the tree
    std::vector<Box> boxes{};
    Bvh tree{};
};

struct World::State {
    explicit State(const WorldOptions& wanted) : options(wanted), broad(wanted.broad) {}

    WorldOptions options;
    BroadPhase broad; // knows all bodies, so that ids are its own; those without end have an empty box in it
    std::vector<std::optional<WorldBody>> bodies{}; // by id
    std::vector<Index> endless{};                   // ids, ascending
    Filter filter{};
    std::uint64_t steps = 0;
    WorldStep step{};
    std::vector<PairMemory> memory{}; // sorted by pair
    std::unique_ptr<Lazy<WorldView>> view = std::make_unique<Lazy<WorldView>>();

    [[nodiscard]] const WorldBody& body(Index id) const; // Error{index_out_of_range}
    [[nodiscard]] WorldBody& body(Index id) { return const_cast<WorldBody&>(std::as_const(*this).body(id)); }
    void place(Index id, const Pose& pose);
    void reshape(Index id, Shape shape);
    void forget_view();
    [[nodiscard]] Box broad_box(const Box& box) const; // nearer than the margin counts as touching

    // May they be a pair? By groups and the caller's filter.
    [[nodiscard]] bool allowed(Index a, Index b) const;
    [[nodiscard]] std::vector<char> partners(Index id) const; // by id: allowed to meet this one
    // May a body without end reach another? By the range of its field.
    [[nodiscard]] bool may_reach(const WorldBody& endless_one, const WorldBody& other) const;
    [[nodiscard]] std::vector<IdPair>
    candidates() const; // of the broad phase and of bodies without end, filtered; sorted
    // What is true of a pair now; may be asked in parallel.
    struct Answer {
        CollideResult collision{};
        PairMemory memory{};
        bool asked = true;
    };
    [[nodiscard]] Answer answer(const IdPair& pair, const PairMemory* before) const;
    [[nodiscard]] bool still_true(const WorldBody& a, const WorldBody& b, const PairMemory& memory) const;
    void look_ahead(const WorldBody& a, const WorldBody& b, PairMemory& memory) const;

    [[nodiscard]] const WorldView& seen() const;
    [[nodiscard]] std::vector<Index> near(const Shape& shape,
                                          const Box& box) const; // bodies that may touch it, ascending
    struct Gap {
        double least = 0; // the distance is not less (m)
        Index id = no_index;
    };
    [[nodiscard]] std::vector<Gap> by_gap(const Shape& shape,
                                          const Box& box) const; // all bodies, a heap with the nearest on top
};

// A finite pose whose rotation is unit to rounding. Error: non_finite, invalid_argument where it is no rotation.
[[nodiscard]] Pose checked_pose(const Pose& pose, std::int64_t index = -1);
// Holds a shape in a pose, rounding included; empty for a shape with nothing inside. Not for shapes without end.
[[nodiscard]] Box placed_box(const Shape& shape, const Pose& pose);

} // namespace fathom
