// An object prepared for collision detection by depth maps: for each of its parts and each projection direction of the
// part, the solid intervals along the line through each pixel.
// Method: Fabrizio, "Easy real-time collision detection", section 2, and its variants: one projection, two sides on one
// plane, several projections, deforming and articulated objects; and layers by depth peeling, which the paper only
// mentions. The maps are in the frame of their part and stay valid when the object moves. An object should be closed: a
// sheet has no interior. Cost: one drawing per side, three per layer. Not thread-safe: one object per thread, with its
// backend, which must outlive it.
#pragma once

#include <fathom/detect/depth/column_sweep.h>
#include <fathom/detect/depth/depth_backend.h>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace fathom {

enum class DepthSides {
    // The far side alone, as in the paper's first algorithm: everything from the near side of the box to the far side
    // of the object counts as solid, so that geometry behind the object (the near side of the box is its rear plane)
    // collides too.
    far_side,
    // From the first surface to the last. Geometry of the environment between both maps is a hit, so nothing of it
    // hides anything else and it may have any shape. (The paper's two maps on one plane, figure 3c, compare one map of
    // the environment with both, which restricts the environment.) Concavities along the direction count as solid.
    both_sides,
    // Every solid interval of the line, so that concavities do not count as solid. For closed meshes that are oriented
    // outward and whose components do not overlap.
    layers
};

struct Projection {
    Vec3 direction = Vec3::UnitZ(); // viewing direction, any length, in the frame of the part
    DepthSides sides = DepthSides::both_sides;
};

struct DepthPart {
    TriangleMesh mesh;
    // At least one. A collision shows in every projection: a negative result in any of them is final.
    std::vector<Projection> projections{Projection{}};
    Pose pose{}; // in the object's frame
};

struct DepthObjectOptions {
    int pixels = 256;     // along the longer side of each map
    double margin = 0.02; // of the boxes, as a fraction of the diagonal of the part's bounds; above 0
    std::size_t max_layers = 8;
    // Also draw maps that omit no part of the object, for proofs; Error{unsupported} if the backend cannot.
    bool conservative = false;
};

// Solid interval of the object on the line through the centre of each pixel: from beyond `near_side` to `far_side`.
struct SolidLayer {
    // Nearest map; null for DepthSides::far_side: from the near side of the box on.
    std::unique_ptr<DepthTarget> near_side;
    std::unique_ptr<DepthTarget> far_side; // farthest map
};

struct ProjectionMaps {
    Projection projection{};
    DepthView view{}; // in the frame of the part
    std::vector<SolidLayer> layers;
    bool truncated = false; // more layers than requested: the last one extends to the last surface, its gaps are filled
    SolidLayer outer{};     // conservative: encloses all of the object within the whole of each pixel; otherwise null
    std::optional<ColumnGaps>
        gaps{}; // conservative layers: depth intervals free of the object in the whole of each pixel

    // Whether the maps are solid there, on the line through the centre of a pixel.
    [[nodiscard]] bool solid(std::size_t pixel, float depth) const;
};

// Targets into which queries draw, and cached properties of the meshes of the environment.
struct DepthScratch {
    std::unique_ptr<DepthTarget> hits, behind, beyond;
    std::map<std::uint64_t, bool> closed; // by DrawnMesh::version()
};

class DepthObject {
public:
    struct Part {
        std::shared_ptr<DrawnMesh> mesh;
        Pose pose{};
        bool closed = false;                  // watertight and oriented outward
        std::vector<Index> component_samples; // one vertex of every connected component
        std::vector<ProjectionMaps> maps;
    };

    // Throws Error as check(mesh) and view_of() do; empty without parts, projections or triangles; invalid_argument for
    // layers of a mesh that is not closed or not oriented outward.
    DepthObject(DepthBackend& backend, std::span<const DepthPart> parts, const DepthObjectOptions& options = {});
    DepthObject(DepthBackend& backend, const TriangleMesh& mesh, std::span<const Projection> projections,
                const DepthObjectOptions& options = {});

    // New positions of the vertices of a part: its maps are drawn again. Throws Error: index_out_of_range,
    // count_mismatch, non_finite.
    void deform(std::span<const Vec3> vertices, std::size_t part = 0);
    // Moves a part; nothing is drawn. Throws Error: index_out_of_range, non_finite.
    void place(const Pose& pose, std::size_t part);

    [[nodiscard]] std::span<const Part> parts() const { return parts_; }
    [[nodiscard]] const DepthObjectOptions& options() const { return options_; }
    [[nodiscard]] DepthBackend& backend() const { return *backend_; }
    [[nodiscard]] DepthScratch& scratch() { return scratch_; }

private:
    void add(const DepthPart& part);
    void draw(Part& part);
    [[nodiscard]] Part& at(std::size_t part);

    DepthBackend* backend_;
    DepthObjectOptions options_;
    std::vector<Part> parts_;
    DepthScratch scratch_;
};

// An object with its backend that several threads query, one at a time.
struct SharedDepthObject {
    SharedDepthObject(std::unique_ptr<DepthBackend> renderer, DepthObject maps)
        : backend(std::move(renderer)), object(std::move(maps)) {}

    std::unique_ptr<DepthBackend> backend;
    DepthObject object;
    std::mutex busy{};
};

} // namespace fathom
