// Broad phase: pairs of moving objects that may touch, with begin and end events; one interface for all methods.
// Method: `automatic` tests all pairs of up to 32 objects and uses PackedTree for more; a caller may supply
// another method (PairFinder). All methods give the same bytes, for any number of threads. Closed: touching counts as
// overlap. Metres, world frame. Not thread-safe: one caller at a time; find_pairs() runs in parallel internally.
#pragma once

#include <fathom/base/lazy.h>
#include <fathom/index/broad_phase_options.h>
#include <fathom/index/packed_tree.h>

namespace fathom {

class BroadPhase {
public:
    explicit BroadPhase(const BroadPhaseOptions& options = {}); // throws Error{invalid_argument}

    // Ids are stable. The id of a removed object may be reused after the next find_pairs(). An empty box (lower >
    // upper) marks an inactive object: it overlaps nothing until it is moved. NaN, infinity and negative radii throw
    // Error (non_finite, invalid_argument), unknown ids Error{index_out_of_range}; in that case nothing has changed.
    Index add(const Box& box);
    Index add(const Sphere& sphere);
    void move(Index id, const Box& box); // a sphere may become a box, and a box a sphere
    void move(Index id, const Sphere& sphere);
    void remove(Index id);
    // Sets new volumes for all ids below id_limit(), in order of the ids (entries of removed ids are ignored), then
    // calls find_pairs().
    void update(std::span<const Box> boxes);
    void update(std::span<const Sphere> spheres);

    // One step: computes the pairs of the present volumes and the changes since the last step. O(n log n + pairs).
    void find_pairs();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t id_limit() const { return boxes_.size(); } // all ids are smaller
    [[nodiscard]] bool contains(Index id) const { return id < present_.size() && present_[id]; }
    // Results of the last step; {a, b} with a < b, sorted, each once. A pair also ends when one of its objects is
    // removed.
    [[nodiscard]] std::span<const IdPair> pairs() const { return pairs_; }
    [[nodiscard]] std::span<const IdPair> began() const { return began_; }
    [[nodiscard]] std::span<const IdPair> ended() const { return ended_; }
    [[nodiscard]] std::vector<IdPair> stayed() const; // pairs() without began()

    // As Bvh::visit_overlapping() and Bvh::visit_ray(), for the ids of the present volumes, spheres as boxes. They need
    // no find_pairs(): the first visit after a change builds a tree, O(n log n). Thread-safe while nothing changes.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    bool visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const;

private:
    [[nodiscard]] Index new_id();
    void require(Index id) const;
    void set(Index id, const Box& box); // grown by the margin
    void set(Index id, const Sphere& sphere);
    template <class Volume>
    void update_all(std::span<const Volume> volumes);
    [[nodiscard]] BroadMethod choose() const;
    void note_events();

    struct QueryTree {
        std::vector<Index> ids{}; // of the boxes
        Bvh boxes{};
    };
    [[nodiscard]] const QueryTree& query_tree() const;
    void forget_query_tree();

    BroadPhaseOptions options_;
    std::vector<Box> boxes_;      // per id, grown; empty if inactive or removed
    std::vector<Sphere> spheres_; // empty until the first sphere, then as long as boxes_
    std::vector<char> present_;
    std::vector<Index> free_, freed_now_; // ids for reuse; ids removed in this step
    std::size_t size_ = 0;
    PackedTree packed_;
    std::unique_ptr<Lazy<QueryTree>> query_tree_ = std::make_unique<Lazy<QueryTree>>();
    std::vector<IdPair> pairs_, before_, began_, ended_;
};

} // namespace fathom
