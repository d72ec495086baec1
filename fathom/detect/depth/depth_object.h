// An object made ready to be collided by depth maps: for each of its parts, and each direction that the
// part is looked at from, where it is solid along the line through each pixel. Method: Fabrizio, "Easy real-time
// collision detection", section 2, and its variants: one projection, two sides on one plane, several projections,
// deforming and articulated objects; and layers by depth peeling, which the paper only names. The maps lie in the frame
// of their part and stay as they are when the object moves. An object should be closed: a sheet has no inside. Cost:
// one drawing a side, three a layer. Not thread-safe: one object to a thread, with its backend, which must outlive it.
#pragma once

#include <fathom/detect/depth/column_sweep.h>
#include <fathom/detect/depth/depth_backend.h>

#include <map>
#include <optional>
#include <vector>

namespace fathom {

enum class DepthSides {
    // The far side alone, as in the paper's first algorithm: all the way from the near side of the box counts as solid,
    // so
    // that what is behind the object (the near side of the box is its rear plane) collides with it too.
    far_side,
    // From the first surface to the last. What the environment is drawn between both maps is a hit, so nothing of it
    // hides anything and
    // it may have any shape. (The paper's two maps on one plane, figure 3c, compare one map of the environment with
    // both, which
    // restricts the environment.) Concavities along the direction count as solid.
    both_sides,
    // Every solid piece of the line, so that concavities do not count. For closed meshes that face outward and whose
    // parts do not overlap.
    layers
};

struct Projection {
    Vec3 direction = Vec3::UnitZ(); // the way the view looks, any length, in the frame of the part
    DepthSides sides = DepthSides::both_sides;
};

struct DepthPart {
    TriangleMesh mesh;
    std::vector<Projection> projections{
        Projection{}}; // at least one. A collision shows in every one: "no" from any is a "no"
    Pose pose{};       // in the object's frame
};

struct DepthObjectOptions {
    int pixels = 256;     // along the longer side of each map
    double margin = 0.02; // of the boxes, in shares of the diagonal of the part's bounds; above 0
    std::size_t max_layers = 8;
    bool conservative = false; // also maps that leave no part of the object out, for proofs; Error{unsupported} where
                               // the backend cannot
};

// Where the object is solid on the line through the middle of each pixel: from above `near_side` to `far_side`.
struct SolidLayer {
    std::unique_ptr<DepthTarget>
        near_side; // nearest map; null for DepthSides::far_side: from the near side of the box on
    std::unique_ptr<DepthTarget> far_side; // farthest map
};

struct ProjectionMaps {
    Projection projection{};
    DepthView view{}; // in the frame of the part
    std::vector<SolidLayer> layers;
    bool truncated = false; // more layers than asked for: the last reaches to the last surface, its gaps are filled
    SolidLayer outer{};     // conservative: all of the object in the whole of each pixel is in between; or null
    std::optional<ColumnGaps> gaps{}; // conservative layers: where none of the object is, in the whole of each pixel

    // On the line through the middle of a pixel, as the maps have it.
    [[nodiscard]] bool solid(std::size_t pixel, float depth) const;
};

// Targets that queries draw into, and what is known of the meshes of the environment.
struct DepthScratch {
    std::unique_ptr<DepthTarget> hits, behind, beyond;
    std::map<std::uint64_t, bool> closed; // by DrawnMesh::version()
};

class DepthObject {
public:
    struct Part {
        std::shared_ptr<DrawnMesh> mesh;
        Pose pose{};
        bool closed = false;                  // watertight and facing outward
        std::vector<Index> component_samples; // a vertex of each piece of the surface that hangs together
        std::vector<ProjectionMaps> maps;
    };

    // Throws Error as check(mesh) and view_of() do; empty without parts, projections or triangles; invalid_argument for
    // layers of a mesh that is not closed or does not face outward.
    DepthObject(DepthBackend& backend, std::span<const DepthPart> parts, const DepthObjectOptions& options = {});
    DepthObject(DepthBackend& backend, const TriangleMesh& mesh, std::span<const Projection> projections,
                const DepthObjectOptions& options = {});

    // New places for the vertices of a part: its maps are drawn again. Throws Error: index_out_of_range,
    // count_mismatch, non_finite.
    void deform(std::span<const Vec3> vertices, std::size_t part = 0);
    // A part moves; nothing is drawn. Throws Error: index_out_of_range, non_finite.
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

} // namespace fathom
