// Narrow phase of the deforming surfaces of a World: the candidates() of the world are processed in parallel by
// surface_contacts.h. Only surfaces that are in a pair are refitted. Results are the same for any number of threads.
// One caller at a time. Metres, world frame. Memory of the results is reused from step to step, so that surfaces at
// rest allocate little.
#pragma once

#include <fathom/detect/deformable/surface_contacts.h>
#include <fathom/detect/world/world.h>

#include <optional>

namespace fathom::deformable {

// The queries of each pair; an empty option skips that query.
struct SurfaceQueries {
    std::optional<CollidingVertexOptions> vertices{};
    std::optional<SurfaceContactOptions> triangles = SurfaceContactOptions{};
    std::optional<SurfaceProximityOptions> proximities{};
    std::optional<SurfaceSweepOptions> sweep{};
    bool self = false; // also run the queries for every body with itself, unless it is static
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

struct SurfacePairStatistics {
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

class SurfacePairs {
public:
    explicit SurfacePairs(const SurfaceQueries& queries = {}); // throws Error{invalid_argument}

    // Surface k is body k of the world, for example one that was added with empty bounds; further bodies of the world
    // have higher ids, and their pairs are in candidates() alone. Sets the bounds of the surfaces that are in the
    // world, finds the candidates, refits the surfaces in pairs that were moved by place(), and runs the queries.
    void find(World& world, std::span<DeformingSurface> surfaces);

    // Results of the last find(): one entry for each pair of bodies whose boxes overlap, sorted, then the entries of
    // bodies with themselves.
    [[nodiscard]] std::span<const BodyContacts> contacts() const { return std::span(contacts_).first(used_); }
    [[nodiscard]] std::span<const IdPair> candidates() const { return pairs_; } // of the last find()
    [[nodiscard]] const SurfacePairStatistics& statistics() const { return statistics_; }

private:
    void list_pairs(const World& world, std::size_t surfaces);
    void refit_those_in_pairs(std::span<DeformingSurface> surfaces);
    void answer(std::size_t k, std::span<const DeformingSurface> surfaces);

    SurfaceQueries queries_;
    double reach_ = 0;              // each box is enlarged by this (m)
    std::span<const IdPair> pairs_; // candidates of the last find()
    std::vector<Box> boxes_;
    std::vector<Index> to_refit_;
    std::vector<BodyContacts> contacts_;
    std::vector<SurfaceScratch> scratch_; // by entry of contacts_
    std::size_t used_ = 0;
    SurfacePairStatistics statistics_;
};

} // namespace fathom::deformable
