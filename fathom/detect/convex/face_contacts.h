// Contacts of two convex cores along a separating direction: the common part of the faces, edges or vertices that
// touch. Method: Sutherland & Hodgman 1974 clipping in the plane across the direction.
// Features are numbered per core: vertices first, then edges, then faces. Box: 8 corners (Box::corner()), 12 edges
// (8 + 4 axis + place), 6 faces (20 + 2 axis + upper). Hull: vertices, directed edges (Hull::edge_number), faces.
// Segment: ends 0 and 1, edge 2. Frustum: rim points (16 at the bottom, then at the top), their edges, then the side,
// the bottom and the top. Other cores are one vertex. A contact keeps the features of both cores while the bodies slide
// on each other, until a vertex passes an edge. Private to this folder.
#pragma once

#include <fathom/detect/convex/difference.h>

namespace fathom::convex {

struct FaceContact {
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero(); // points of the cores, in the frame of A's core
    double depth = 0;                              // on_a - on_b along the direction (m)
    Index feature_a = 0, feature_b = 0;
};

inline constexpr int max_face_contacts = 64;

// Writes the contacts whose depth is at least `least` (m), or the point of `direction` if there is none. Faces count
// as touching if they are within 10 degrees of the plane across the direction. Returns their number.
int face_contacts(const Difference& difference, const Direction& direction, double least,
                  FaceContact (&out)[max_face_contacts]);

// The corners of the feature of a core in a direction, in the frame of the core: on_a and feature_a are filled.
int touching_corners(const Body& body, const Vec3& direction, FaceContact (&out)[max_face_contacts]);

// Moves the points of a direction to the middle of the deepest contacts.
void place_points(const Difference& difference, Direction& direction);

} // namespace fathom::convex
