// The separate solids of a mesh, and the frame that suits their flat faces; for decompositions into convex hulls.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <vector>

namespace fathom::decomposition {

// The connected components of a closed mesh, each with its cavities. One mesh with everything if a component is not
// closed by itself, or if there are more than a thousand.
[[nodiscard]] std::vector<TriangleMesh> pieces_of(const TriangleMesh& mesh);

// A rotation that turns flat faces of the mesh square to the axes. The identity unless at least a third of the area
// becomes square, and clearly more than before.
[[nodiscard]] Mat3 squaring_rotation(const TriangleMesh& mesh);

} // namespace fathom::decomposition
