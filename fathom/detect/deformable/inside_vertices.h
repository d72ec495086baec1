// Which vertices of a surface lie inside another closed surface, or inside their own? Exact, given which
// triangles cross. An edge that does not meet the other surface has both ends on one side of it, so few vertices need a
// test: see surface_contacts.h.
#pragma once

#include <fathom/detect/deformable/surface_contacts.h>

namespace fathom {

class InsideVertices {
public:
    // Signs that a vertex may bear; those inside bear the number of their patch, from first_patch on. While the search
    // runs, corners of crossing triangles (seeds) bear their place among the seeds.
    enum Mark : Index { unknown, outside, on_surface, first_patch, seed_bit = 0x80000000u };

    // Both the same object: the surface in itself. Marks go to `mark`, by vertex of `of`.
    InsideVertices(const DeformingSurface& of, const DeformingSurface& in, SurfaceScratch& scratch,
                   std::vector<Index>& mark)
        : of_(of), in_(in), scratch_(scratch), mark_(mark), partner_(scratch.partner) {}

    // Appends the vertices inside `in` or on it to `found`, by number. `crossing` holds all crossing pairs {triangle of
    // `of`, triangle of `in`}; of one surface each both ways. `near_only`: those of crossing triangles alone. Returns
    // the number of tests done.
    std::size_t find(std::span<const IdPair> crossing, bool near_only, std::vector<Index>& found);

    // Of a vertex that was found. A point of `in`, the nearer the better, bounds the search.
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
    std::vector<Index>& partner_; // by vertex of `of`: of a seed, a triangle that its own one crosses
    std::vector<Index>* found_ = nullptr;
    Index next_patch_ = first_patch;
    std::size_t tests_ = 0;
};

} // namespace fathom
