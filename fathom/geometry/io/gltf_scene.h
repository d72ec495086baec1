// Scene graph and binary data of a glTF file: transforms of the meshes, buffers, buffer views and accessors.
#pragma once

#include <fathom/base/encode/gltf_json.h>
#include <fathom/base/vec.h>

namespace fathom {

// The data of an accessor: `count` elements of several components each, `stride` bytes apart.
struct GltfAccessor {
    std::span<const std::byte> bytes;
    std::size_t count = 0;
    std::size_t stride = 0;
    std::size_t component_size = 0;
    int component_type = 0;
    bool normalized = false;

    [[nodiscard]] double at(std::size_t element, std::size_t component) const;
};

// The buffers of a glTF file (embedded, or the binary chunk), with the views into them and the accessors.
class GltfBuffers {
public:
    // Decodes embedded buffers. Source, root and binary chunk must outlive the buffers.
    GltfBuffers(const Source& source, const GltfTable& root, std::span<const std::byte> binary);

    // Throws an Error that names the accessor or view if its type does not match or its bytes are missing.
    [[nodiscard]] GltfAccessor accessor(std::size_t index, std::string_view type, std::size_t components) const;

private:
    struct View {
        std::span<const std::byte> bytes;
        std::size_t stride; // bytes; 0: tightly packed
    };
    [[nodiscard]] View view(std::size_t index) const;

    const Source& source_;
    const GltfTable& root_;
    std::vector<std::vector<std::byte>> decoded_;
    std::vector<std::span<const std::byte>> buffers_;
};

struct GltfPlaced {
    std::size_t mesh;
    Eigen::Matrix4d place; // from the mesh to the scene
};

// The mesh instances of the default scene. Without a scene: of all root nodes; without nodes: every mesh once. A node
// with two parents, and thus any cycle, is an error.
[[nodiscard]] std::vector<GltfPlaced> gltf_scene(const Source& source, const GltfTable& root);

} // namespace fathom
