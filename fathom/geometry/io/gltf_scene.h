// Where the meshes of a glTF file stand.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/base/encode/gltf_json.h>

namespace fathom {

struct GltfPlaced {
    std::size_t mesh;
    Eigen::Matrix4d place;
};

// The nodes of the default scene, or all that are nobody's child; or every mesh once where there are no nodes. A node
// with two parents, and so any circle, is refused.
[[nodiscard]] std::vector<GltfPlaced> gltf_scene(const Source& source, const GltfTable& root);

} // namespace fathom
