// Meshes on the device: sent once for each version, forgotten when the mesh dies.
#pragma once

#include <fathom/detect/depth/drawn_mesh.h>
#include <fathom/detect/depth_gl/gl_object.h>

#include <unordered_map>

namespace fathom::gl {

struct DeviceMesh {
    std::weak_ptr<const DrawnMesh> mesh;
    std::uint64_t version = 0, normals_version = 0;
    Buffer places, corners; // 3 floats a vertex; a vertex index for each corner of each primitive
    Buffer normals;         // 3 floats a triangle, unit, in the mesh's frame; only where asked for
    VertexArray array;
    GLenum mode = GL_TRIANGLES;
    GLsizei corner_count = 0;
};

class MeshStore {
public:
    explicit MeshStore(std::shared_ptr<Context> context) : context_(std::move(context)) {}

    // Inside a Scope.
    [[nodiscard]] const DeviceMesh& get(const std::shared_ptr<const DrawnMesh>& mesh, bool normals);
    void forget_the_dead();
    [[nodiscard]] std::size_t size() const { return meshes_.size(); }

private:
    std::shared_ptr<Context> context_;
    std::unordered_map<const DrawnMesh*, DeviceMesh> meshes_;
};

} // namespace fathom::gl
