// Contacts of tetrahedra with a membrane: an open triangle surface without an interior (Marchal et al. 2004, figure
// 14). They are the pairs of a tetrahedron and a triangle that intersect, and the side from which the body came.
// Overlap is exact and closed (touching counts).
// The side is that of the last step in which the tetrahedron was clear of the membrane: the side of its centre with
// respect to the plane of the triangle that it intersects now, at the positions of that step. It is kept while the
// tetrahedron stays in contact, and is 0 for a tetrahedron that has never been clear. The membrane must therefore be
// consistently oriented, and triangles and tetrahedra must keep their numbers; new vertices of a tear or a break come
// after all others, and the caller adds them to the positions of the last step. A tetrahedron that passes through
// within one step is not detected. Cost: O(n) per step, plus an exact test for each pair of boxes. One caller at a
// time; parallel inside, the same bytes for any thread count.
#pragma once

#include <fathom/detect/tet/tet_body.h>

namespace fathom::tet {

struct MembraneContact {
    Index tetrahedron;
    Index triangle;
    // +1: the body belongs on the side to which the normal of the triangle points; -1: on the other side; 0: it has
    // never been clear of the membrane.
    int side;

    friend bool operator==(const MembraneContact&, const MembraneContact&) = default;
};

// Positions of the vertices in the last step. If they do not match the present ones in number, they are not known, and
// nor are the sides.
struct PositionsBefore {
    std::span<const Vec3> body{}, membrane{};
};

// Adds the positions of the vertices of a break, which lie on edges between others.
void add_new_vertices(std::vector<Vec3>& positions, std::span<const TetEdit::NewVertex> vertices);

class MembraneContacts {
public:
    // One step: finds the current contacts of the body and the membrane, by tetrahedron, then triangle. Throws Error as
    // bounds(body) and check(membrane) do; the state is unchanged then.
    void update(const TetBody& body, const TriangleMesh& membrane, const PositionsBefore& positions);
    void clear() { contacts_.clear(); } // a step in which the body is clear of the membrane, or its sides are forgotten

    [[nodiscard]] std::span<const MembraneContact> contacts() const { return contacts_; }
    [[nodiscard]] int side(Index tetrahedron) const; // also 0 without a contact; O(log contacts)

private:
    std::vector<MembraneContact> contacts_, before_;
    TetZone zone_;
};

} // namespace fathom::tet
