// Where readers put the faces they meet: polygons are cut, the rest is counted, and memory grows no
// further than the bytes still to come can fill.
#pragma once

#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/io/triangulate.h>

namespace fathom {

class FaceCollector {
public:
    // The file's vertices must be there already. A corner takes at least `corner_bytes` of the source.
    FaceCollector(MeshFile& file, std::size_t corner_bytes) : file_(file), corner_bytes_(corner_bytes) {}

    // The corners name existing vertices. `bytes_left` of the source may hold further faces.
    void add(std::span<const Index> corners, std::size_t bytes_left) {
        if (corners.size() < 3) {
            ++file_.report.skipped_faces;
            return;
        }
        make_room(corners.size() - 2, bytes_left);
        if (corners.size() == 3) {
            file_.surface.triangles.push_back({corners[0], corners[1], corners[2]});
        } else {
            ++file_.report.polygons;
            if (!triangulator_.triangulate(file_.surface.vertices, corners, file_.surface.triangles)) ++unclean_;
        }
    }

    // At the end of the file: tells what is worth a note.
    void finish();

private:
    // Doubling alone could hold three times what is needed; what is left of the file bounds it.
    void make_room(std::size_t count, std::size_t bytes_left) {
        std::vector<Triangle>& triangles = file_.surface.triangles;
        const std::size_t needed = triangles.size() + count;
        if (needed <= triangles.capacity()) return;
        triangles.reserve(std::max(needed, std::min(2 * triangles.capacity(), needed + bytes_left / corner_bytes_)));
    }

    MeshFile& file_;
    std::size_t corner_bytes_;
    PolygonTriangulator triangulator_;
    std::size_t unclean_ = 0;
};

} // namespace fathom
