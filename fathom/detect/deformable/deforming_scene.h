// Many deforming surfaces: which touch, and where, step by step. A broad phase over their boxes
// (broad_phase.h) names the pairs; surface_contacts.h and surface_sweep.h answer for each of them, side by side. Only
// surfaces that are in a pair are refitted. Answers are the same for any number of threads. One caller at a time.
// Metres, world. Memory of answers is kept from step to step, so that a scene at rest allocates little.
#pragma once

#include <fathom/detect/deformable/surface_sweep.h>
#include <fathom/index/broad_phase.h>

#include <memory>
#include <optional>

namespace fathom {

// Which answers find() gives for each pair; an empty one is not asked for.
struct DeformingSceneOptions {
    std::optional<CollidingVertexOptions> vertices{};
    std::optional<SurfaceContactOptions> triangles = SurfaceContactOptions{};
    std::optional<SurfaceProximityOptions> proximities{};
    std::optional<SurfaceSweepOptions> sweep{};
    bool self = false;         // the same of every body with itself
    BroadPhaseOptions broad{}; // its margin comes on top of what proximities and the sweep need
};

// The answers for two bodies, or for one (bodies {k, k}) with itself.
struct BodyContacts {
    IdPair bodies{};
    CollidingVertices vertices{};
    SurfaceContacts triangles{};
    SurfaceProximities proximities{};
    SurfaceSweep sweep{};

    [[nodiscard]] bool touching() const; // some answer that was asked for is not "disjoint"
};

struct DeformingSceneStatistics {
    std::size_t bodies = 0;
    std::size_t pairs = 0;      // of the broad phase
    std::size_t touching = 0;   // pairs, and bodies with themselves
    std::size_t refitted = 0;   // surfaces
    std::size_t candidates = 0; // pairs of triangles tested
    std::size_t contacts = 0;   // of triangles
    double broad_seconds = 0;
    double refit_seconds = 0;
    double narrow_seconds = 0;
};

class DeformingScene {
public:
    explicit DeformingScene(const DeformingSceneOptions& options = {}); // throws Error{invalid_argument}

    // Bodies have ids that stay; that of a removed one is given again after the next find(). Throws Error as
    // DeformingSurface and BroadPhase do, Error{index_out_of_range} for unknown ids. A body that stands still is not
    // asked about itself.
    Index add(const TriangleMesh& mesh, bool still = false);
    void remove(Index body);
    // As DeformingSurface::update(); different bodies may be updated from different threads at once.
    void update(Index body, std::span<const Vec3> vertices);
    void update(Index body, std::span<const Vec3> start, std::span<const Vec3> end);
    std::vector<Index> edit(Index body, const SurfaceEdit& change);

    // The answers for the bodies as they are now; in parallel.
    void find();

    // Of the last find(): one entry for each pair of bodies whose boxes overlap, sorted, then those of bodies with
    // themselves.
    [[nodiscard]] std::span<const BodyContacts> contacts() const { return std::span(contacts_).first(used_); }
    [[nodiscard]] const BroadPhase& broad_phase() const { return broad_; } // pairs and their events
    [[nodiscard]] const DeformingSceneStatistics& statistics() const { return statistics_; }
    // Ready for queries of one's own.
    [[nodiscard]] const DeformingSurface& surface(Index body);

private:
    struct Body {
        DeformingSurface surface;
        bool still = false;
        bool stale = false; // moved, but not refitted
    };
    [[nodiscard]] Body& body(Index id);
    void moved(Index id);
    void refit_those_in_pairs();
    void answer(std::size_t k);
    void sum_up();

    DeformingSceneOptions options_;
    double reach_ = 0; // each box is grown by this
    BroadPhase broad_;
    std::vector<std::unique_ptr<Body>> bodies_; // by id
    std::vector<Box> boxes_;                    // by id
    std::vector<char> in_pair_;
    std::vector<Index> to_refit_;
    std::vector<BodyContacts> contacts_;
    std::vector<SurfaceScratch> scratch_; // by entry of contacts_
    std::size_t used_ = 0;
    DeformingSceneStatistics statistics_;
};

} // namespace fathom
