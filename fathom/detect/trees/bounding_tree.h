// What a shape is made of, in parts within parts, each with bounds that hold all of it: what bounds on
// distances are made from. Of a surface the nodes of its balls, then its triangles; of a solid the nodes of its tree.
// Where finer parts are wanted, the leaves of that tree are cut on into cells that range() does not clear, and the
// slopes in a cell tell by a plane how far its inside reaches: looser than a square of its size only where slopes are
// not known. A view that remembers what it cut: one thread at a time; what it views must outlive it. In the shape's
// frame (m).
#pragma once

#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <unordered_map>
#include <vector>

namespace fathom {

class PartTree {
public:
    explicit PartTree(const ContactMesh& surface) : surface_(&surface) {}
    // `finest`: cells of this radius are not cut (m); infinity: the leaves of the solid's tree are the last parts.
    explicit PartTree(const Solid& solid, double finest = HUGE_VAL) : solid_(&solid), finest_(finest) {}

    [[nodiscard]] bool empty() const { return surface_ ? surface_->size() == 0 : solid_->nodes().empty(); }

    // Part 0 is all of it.
    [[nodiscard]] Sphere ball(Index id) const;
    // How far the part reaches from the centre of its ball along a unit direction (m).
    [[nodiscard]] double reach(Index id, const Vec3& direction) const;

    // Parts that together hold what this one holds: first to first + count - 1. None: it is one of the last, or, where
    // it is not, nothing is in it after all.
    struct Parts {
        Index first = 0, count = 0;
        bool last = true;
    };
    [[nodiscard]] Parts open(Index id);
    [[nodiscard]] bool is_leaf_of_solid(Index id) const {
        return solid_ && id < solid_->nodes().size() && solid_->nodes()[id].children == 0;
    }
    [[nodiscard]] std::size_t ranges_asked() const { return ranges_asked_; }

private:
    struct Cell {
        Box box;
        PlaneOver plane{}; // its inside
        Parts parts{};
        bool opened = false;
    };
    [[nodiscard]] const Cell& cell(Index id) const { return cells_[id - solid_->nodes().size()]; }
    [[nodiscard]] static Sphere round(const Cell& cell);
    [[nodiscard]] Parts cut(const Box& box);

    const ContactMesh* surface_ = nullptr;
    const Solid* solid_ = nullptr;
    double finest_ = HUGE_VAL;
    std::size_t ranges_asked_ = 0;
    std::vector<Cell> cells_{};                    // their numbers follow those of the solid's nodes
    std::unordered_map<Index, Parts> of_leaves_{}; // of the solid's tree
};

} // namespace fathom
