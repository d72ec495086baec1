// Which of many moving objects may touch, step by step: one face for all broad phases, with events.
// Method: `automatic` tries all pairs of up to 32 objects and takes PackedTree beyond; SceneOctree (Madera et al. 2006)
// is at the caller's wish. All give the same bytes, for any number of threads. Closed: touching counts. Metres, world
// frame. One caller at a time; find_pairs() works in parallel inside.
#pragma once

#include <fathom/index/packed_tree.h>
#include <fathom/index/scene_octree.h>

namespace fathom {

enum class BroadMethod { automatic, brute_force, scene_octree, packed_tree };

struct BroadPhaseOptions {
    BroadMethod method = BroadMethod::automatic;
    double margin = 0; // every object grown by this (m), so that pairs come early and flicker less
    SceneOctreeOptions octree{};
};

class BroadPhase {
public:
    explicit BroadPhase(const BroadPhaseOptions& options = {}); // throws Error{invalid_argument}

    // Objects have ids that stay. The id of a removed object is given again, but only after the next find_pairs().
    // An empty box (lower > upper) is an object that is away: it meets nothing until it is moved. NaN, infinity and
    // negative radii throw Error (non_finite, invalid_argument), unknown ids Error{index_out_of_range}; then nothing
    // has changed.
    Index add(const Box& box);
    Index add(const Sphere& sphere);
    void move(Index id, const Box& box); // a sphere may become a box, and a box a sphere
    void move(Index id, const Sphere& sphere);
    void remove(Index id);
    // New volumes for all ids below id_limit(), in their order (what stands at removed ids is ignored), then
    // find_pairs().
    void update(std::span<const Box> boxes);
    void update(std::span<const Sphere> spheres);

    // A step: the pairs of the objects as they are now, and what changed since the last step. O(n log n + pairs).
    void find_pairs();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t id_limit() const { return boxes_.size(); } // all ids are smaller
    [[nodiscard]] bool contains(Index id) const { return id < present_.size() && present_[id]; }
    // Of the last step; {a, b} with a < b, sorted, each once. Pairs end too when one of them is removed.
    [[nodiscard]] std::span<const IdPair> pairs() const { return pairs_; }
    [[nodiscard]] std::span<const IdPair> began() const { return began_; }
    [[nodiscard]] std::span<const IdPair> ended() const { return ended_; }
    [[nodiscard]] std::vector<IdPair> stayed() const;               // those of pairs() that did not begin
    [[nodiscard]] BroadMethod method_used() const { return used_; } // in the last step

private:
    [[nodiscard]] Index new_id();
    void require(Index id) const;
    void set(Index id, const Box& grown);
    void set(Index id, const Sphere& grown);
    template <class Volume>
    void update_all(std::span<const Volume> volumes);
    [[nodiscard]] BroadMethod choose() const;
    void note_events();

    BroadPhaseOptions options_;
    std::vector<Box> boxes_;      // by id, grown; empty where nothing is
    std::vector<Sphere> spheres_; // as long as boxes_ once there has been a sphere
    std::vector<char> present_;
    std::vector<Index> free_, freed_now_; // ids to be given again; those removed in this step
    std::size_t size_ = 0;
    BroadMethod used_ = BroadMethod::brute_force;
    PackedTree packed_;
    SceneOctree octree_;
    std::vector<IdPair> pairs_, before_, began_, ended_;
};

} // namespace fathom
