// Random breaks, cuts and removals of an editable mesh, for what must follow them.
#pragma once

#include <fathom/base/random.h>
#include <fathom/geometry/edit/tet_cut.h>

#include <vector>

namespace fathom::testing {

// One edit of a kind that the seed picks; not taken yet (EditableTetMesh::take_edit()). `size` is about that of the
// body (m).
inline void edit_at_random(EditableTetMesh& mesh, Random& random, double size) {
    std::vector<Index> tets;
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        if (mesh.has_tet(t)) tets.push_back(t);
    const auto any = [&] { return tets[random.below(tets.size())]; };
    const std::uint64_t kind = random.below(4);
    if (kind == 0) {
        cut(mesh, CutPlane{.point = 0.3 * size * random.in_ball(), .normal = random.direction()});
    } else if (kind == 1) {
        std::vector<Index> faces;
        for (int k = 0; k < 20; ++k) faces.push_back(static_cast<Index>(4 * any() + random.below(4)));
        mesh.separate(faces);
    } else if (kind == 2) {
        const Vec3 normal = random.direction();
        const Index v = mesh.tet(any())[0];
        const Vec3 at = mesh.positions()[v];
        const auto above = [&](Index t) {
            Vec3 sum = Vec3::Zero();
            for (const Vec3& c : mesh.corners(t)) sum += c - at;
            return normal.dot(sum) > 0;
        };
        std::vector<Index> faces;
        for (const Index t : mesh.tets_round(v))
            for (Index face = 4 * t; face < 4 * t + 4; ++face)
                if (mesh.neighbour(face) != no_index && mesh.tet(t)[face % 4] != v &&
                    above(t) != above(mesh.neighbour(face)))
                    faces.push_back(face);
        mesh.separate(faces);
    } else {
        std::vector<Index> gone;
        for (std::size_t k = 0; k < 3 && tets.size() > 40; ++k) gone.push_back(any());
        mesh.remove(gone);
    }
}

} // namespace fathom::testing
