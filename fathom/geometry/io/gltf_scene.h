// Where the meshes of a glTF file stand.
#pragma once

#include <fathom/base/encode/gltf_json.h>
#include <fathom/base/vec.h>

namespace fathom {

// The numbers of a glTF file: buffers (embedded or the binary chunk), views into them, and accessors.

// Numbers of an accessor: `components` each of `count` elements, `stride` bytes apart.
struct GltfAccessor {
    std::span<const std::byte> bytes;
    std::size_t count = 0;
    std::size_t stride = 0;
    std::size_t component_size = 0;
    int component_type = 0;
    bool normalized = false;

    [[nodiscard]] double at(std::size_t element, std::size_t component) const;
};

class GltfBuffers {
public:
    // Decodes embedded buffers. Source, root and binary chunk must outlive the buffers.
    GltfBuffers(const Source& source, const GltfTable& root, std::span<const std::byte> binary);

    // Error names the accessor or view where its type is another or its bytes are not there.
    [[nodiscard]] GltfAccessor accessor(std::size_t index, std::string_view type, std::size_t components) const;

private:
    struct View {
        std::span<const std::byte> bytes;
        std::size_t stride; // bytes; 0: close together
    };
    [[nodiscard]] View view(std::size_t index) const;

    const Source& source_;
    const GltfTable& root_;
    std::vector<std::vector<std::byte>> decoded_;
    std::vector<std::span<const std::byte>> buffers_;
};

struct GltfPlaced {
    std::size_t mesh;
    Eigen::Matrix4d place;
};

// The nodes of the default scene, or all that are nobody's child; or every mesh once where there are no nodes. A node
// with two parents, and so any circle, is refused.
[[nodiscard]] std::vector<GltfPlaced> gltf_scene(const Source& source, const GltfTable& root);

} // namespace fathom
