// Narrow phase of deforming surfaces that a World holds by their bounds: the candidates() of the world are processed in
// parallel by surface_contacts.h and surface_sweep.h. Only surfaces that are in a pair are refitted. Results are the
// same for any number of threads. One caller at a time. Metres, world frame. Memory of the results is reused from step
// to step, so that a scene at rest allocates little.
#pragma once

#include <fathom/detect/deformable/surface_sweep.h>
#include <fathom/detect/world/world.h>

#include <memory>
#include <optional>

namespace fathom::deformable {

// The queries that find() runs for each pair; an empty option skips that query.
struct DeformingSceneOptions {
    std::optional<CollidingVertexOptions> vertices{};
    std::optional<SurfaceContactOptions> triangles = SurfaceContactOptions{};
    std::optional<SurfaceProximityOptions> proximities{};
    std::optional<SurfaceSweepOptions> sweep{};
    bool self = false;         // also run the queries for every body with itself
    BroadPhaseOptions broad{}; // its margin is added to the distance that proximities and the sweep need
};

// The results for two bodies, or for one body with itself (bodies {k, k}).
struct BodyContacts {
    IdPair bodies{};
    CollidingVertices vertices{};
    SurfaceContacts triangles{};
    SurfaceProximities proximities{};
    SurfaceSweep sweep{};

    [[nodiscard]] bool touching() const; // the status of some query that was run is not "disjoint"
};

struct DeformingSceneStatistics {
    std::size_t bodies = 0;
    std::size_t pairs = 0;      // candidate pairs of surfaces
    std::size_t touching = 0;   // touching pairs, and bodies that touch themselves
    std::size_t refitted = 0;   // refitted surfaces
    std::size_t candidates = 0; // pairs of triangles tested
    std::size_t contacts = 0;   // contacts of triangles
    double broad_seconds = 0;
    double refit_seconds = 0;
    double narrow_seconds = 0;
};

class DeformingScene {
public:
    explicit DeformingScene(const DeformingSceneOptions& options = {}); // throws Error{invalid_argument}

    // Ids are those of the world: they are stable, and the id of a removed body may be reused after the next find().
    // Throws Error as DeformingSurface and World do, Error{index_out_of_range} for unknown ids. A stationary body
    // (`still`) is not tested against itself or against another stationary one.
    Index add(const TriangleMesh& mesh, bool still = false);
    void remove(Index id);
    // As DeformingSurface::update(). Different bodies may be updated from different threads at once.
    void update(Index id, std::span<const Vec3> vertices);
    void update(Index id, std::span<const Vec3> start, std::span<const Vec3> end);
    std::vector<Index> edit(Index id, const SurfaceEdit& change);

    // Runs the queries for the current positions, in parallel. Only pairs of surfaces are tested.
    void find();

    // Results of the last find(): one entry for each pair of bodies whose boxes overlap, sorted, then the entries of
    // bodies with themselves.
    [[nodiscard]] std::span<const BodyContacts> contacts() const { return std::span(contacts_).first(used_); }
    // The world of the surfaces. A caller may add further bodies to it, whose pairs are in candidates() alone; the
    // bounds of the surfaces are set by find().
    [[nodiscard]] World& world() { return world_; }
    [[nodiscard]] std::span<const IdPair> candidates() const { return pairs_; } // of the last find()
    [[nodiscard]] const DeformingSceneStatistics& statistics() const { return statistics_; }
    // A surface that is refitted and ready for the caller's own queries.
    [[nodiscard]] const DeformingSurface& surface(Index id);

private:
    struct Body {
        DeformingSurface surface;
        bool still = false;
        bool stale = false; // moved but not yet refitted
    };
    [[nodiscard]] Body& body(Index id);
    void moved(Index id);
    void list_pairs();
    void refit_those_in_pairs();
    void answer(std::size_t k);
    void sum_up();

    DeformingSceneOptions options_;
    double reach_ = 0; // each box is enlarged by this (m)
    World world_;
    std::span<const IdPair> pairs_;             // candidates of the last find()
    std::vector<std::unique_ptr<Body>> bodies_; // by id
    std::vector<Box> boxes_;                    // by id
    std::vector<char> in_pair_;
    std::vector<Index> to_refit_;
    std::vector<BodyContacts> contacts_;
    std::vector<SurfaceScratch> scratch_; // by entry of contacts_
    std::size_t used_ = 0;
    DeformingSceneStatistics statistics_;
};

} // namespace fathom::deformable
