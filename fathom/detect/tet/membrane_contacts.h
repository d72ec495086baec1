// Tetrahedra against membrane: an open surface of triangles that has no inside (Marchal et al. 2004, figure
// 14). Which tetrahedra meet which triangles, and from which side did the body come? Overlap is exact and closed. The
// side is that of the last step in which the tetrahedron was clear of the membrane: its centre over the plane of the
// triangle it meets now, as both were then. While a tetrahedron stays in contact its side stays: 0 if it was never seen
// clear, until it has been. So the membrane must be wound one way, and triangles and tetrahedra keep their numbers;
// after a tear follow_tear(), after a break follow_break(), after other edits of either forget(). A tetrahedron that
// leaps through within a step is not seen. Cost: O(n) a step, and an exact test for each pair of boxes. One caller at a
// time; inside in parallel, the same bytes for any thread count.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom {

struct MembraneContact {
    Index tetrahedron;
    Index triangle;
    int side; // +1: the body belongs on the side that the triangle's normal points to; -1: the other; 0: it was never
              // seen clear

    friend bool operator==(const MembraneContact&, const MembraneContact&) = default;
};

class MembraneContacts {
public:
    // One step: contacts of the body and the membrane as they are now, by tetrahedron, then triangle. Throws Error as
    // bounds(body) and check(membrane) do, and forgets nothing then.
    void update(const TetBody& body, const TriangleMesh& membrane);
    void forget();
    // The membrane has torn: it has new vertices after all others, each where the given one was in the last step. Sides
    // are kept.
    void follow_tear(std::span<const Index> origins);

    // The body has parted along faces: tetrahedra keep their numbers, and new vertices come from those of the last
    // step. Sides are kept.
    void follow_break(std::span<const TetEdit::NewVertex> vertices);

    [[nodiscard]] std::span<const MembraneContact> contacts() const { return contacts_; }
    [[nodiscard]] int side(Index tetrahedron) const; // 0 too where it meets nothing; O(log contacts)

private:
    [[nodiscard]] int side_of(const Tetrahedron& corners, std::span<const IdPair> met,
                              const TriangleMesh& membrane) const;
    [[nodiscard]] int side_before(const Tetrahedron& tetrahedron, const Triangle& triangle) const;

    std::vector<MembraneContact> contacts_, before_;
    std::vector<Vec3> body_before_, membrane_before_; // vertices of the last step
    TetZone zone_;
};

} // namespace fathom
