// Room: detect. Tetrahedra against tissue: an open surface of triangles that has no inside (Marchal et al. 2004, figure 14).
// Which tetrahedra meet which triangles, and from which side did the body come? Overlap is exact and closed.
// The side is that of the last step in which the tetrahedron was clear of the tissue: its centre over the plane of the triangle it
// meets now, as both were then. While a tetrahedron stays in contact its side stays. So the tissue must be wound one way, and its
// triangles keep their numbers; after a cut of either, forget(). A tetrahedron that leaps through within a step is not seen.
// Cost: O(n) a step, and an exact test for each pair of boxes. One caller at a time; inside in parallel, the same bytes for any thread count.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

struct TissueContact {
    Index tetrahedron;
    Index triangle;
    int side; // +1: the body belongs on the side that the triangle's normal points to; -1: the other; 0: it was never seen clear

    friend bool operator==(const TissueContact&, const TissueContact&) = default;
};

class TissueContacts {
public:
    // One step: contacts of the body and the tissue as they are now, by tetrahedron, then triangle. Throws Error as bounds(body)
    // and check(tissue) do, and forgets nothing then.
    void update(const TetBody& body, const TriangleMesh& tissue);
    void forget();

    [[nodiscard]] std::span<const TissueContact> contacts() const { return contacts_; }

private:
    [[nodiscard]] int side_before(const Tetrahedron& tetrahedron, const Triangle& triangle) const;
    [[nodiscard]] int kept_side(Index tetrahedron) const;

    std::vector<TissueContact> contacts_, before_;
    std::vector<Vec3> body_before_, tissue_before_; // vertices of the last step
    TetZone zone_;
};

} // namespace fathom
