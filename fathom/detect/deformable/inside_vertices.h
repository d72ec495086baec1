// Finds the vertices of a surface that lie inside another closed surface, or inside their own. Exact, given the
// triangles that cross. Both ends of an edge that does not intersect the other surface are on the same side of it, so
// few vertices need a test: see surface_contacts.h.
#pragma once

#include <fathom/detect/deformable/surface_contacts.h>

namespace fathom::deformable {

class InsideVertices {
public:
    // Marks of vertices. A vertex inside has the number of its patch, from first_patch on. During the search, corners
    // of crossing triangles (seeds) are marked with their index among the seeds.
    enum Mark : Index { unknown, outside, on_surface, first_patch, seed_bit = 0x80000000u };

    // The two surfaces may be the same object: the surface against itself. Marks are written to `mark`, by vertex of
    // `of`.
    InsideVertices(const DeformingSurface& of, const DeformingSurface& in, SurfaceScratch& scratch,
                   std::vector<Index>& mark)
        : of_(of), in_(in), scratch_(scratch), mark_(mark), partner_(scratch.partner) {}

    // Appends the vertices inside `in` or on it to `found`, by number. `crossing` holds all crossing pairs {triangle of
    // `of`, triangle of `in`}; for one surface, each in both orders. `near_only`: only vertices of crossing triangles.
    // Returns the number of inside tests.
    std::size_t find(std::span<const IdPair> crossing, bool near_only, std::vector<Index>& found);

    // Describes a vertex that was found. `known` is a point of `in` that bounds the search; the nearer, the faster.
    [[nodiscard]] CollidingVertex describe(Index vertex, bool of_b, const Vec3* known) const;

private:
    [[nodiscard]] bool self() const { return &of_ == &in_; }
    void mark_seeds(std::span<const IdPair> crossing);
    void cut(Index own, Index other);
    [[nodiscard]] bool cuts(const Edge& edge, const Triangle& face, const std::array<Vec3, 3>& corners) const;
    void join_seeds(std::span<const IdPair> crossing);
    void judge_seeds();
    [[nodiscard]] bool is_inside(Index vertex);
    void flood(Index from, Index patch);
    void test_parts();

    const DeformingSurface& of_;
    const DeformingSurface& in_;
    SurfaceScratch& scratch_;
    std::vector<Index>& mark_;
    std::vector<Index>& partner_; // by vertex of `of`: for a seed, a triangle that a triangle of this vertex crosses
    std::vector<Index>* found_ = nullptr;
    Index next_patch_ = first_patch;
    std::size_t tests_ = 0;
};

} // namespace fathom::deformable
