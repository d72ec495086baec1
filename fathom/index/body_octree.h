// The index inside one deforming body: which of its primitives meet a box, a ray, a ball, or those of
// another body? Method: Madera et al. 2006, sections 5.1 and 6: a tree of eight-fold nodes built once over the
// primitives, its volumes (boxes or spheres) fitted anew to the points of every step, and walked in pairs. Tighter than
// there: leaves of eight, split by median, fitted from their distinct points. A primitive is a list of 1 to 4 point
// ids, as many for all. Not for bodies that only move as a whole: a Bvh in the frame of the body need not be fitted at
// all. Build O(n log n), update O(n), in parallel, the same bytes for any number of threads. Queries are const and
// thread-safe; an update or an edit must not run beside them.
#pragma once

#include <fathom/index/bvh.h>

#include <limits>

namespace fathom {

enum class NodeVolume { box, sphere };

// How the primitives of a node are shared among its children. Full leaves and nodes make `median` the quickest to
// update: 10^5 triangles take it 0.15 ms, `surface_area` 0.24 and `octants` 0.54. `surface_area` is the quickest to
// visit, by about a fifth for the pairs of two spheres of 2,000 triangles, but takes twice as long as `median` to
// build.
enum class BodySplit {
    octants,     // the paper's: regular, about the centre of the node's box
    median,      // equal counts across the longest side, thrice, in multiples that leave no leaf half empty
    surface_area // as Bvh
};

enum class SphereRule {
    points, // equation 5: centre of the box of the points below, radius to the farthest of them
    cube // equations 3 and 4: about the cube that has a corner and its longest side in common with that box. The radius
         // is that of the cube's corners: half its side, as printed, leaves points outside
};

// Whose the points of a body are. Copies are safe, views spare an update the time to make them: an eighth of it.
enum class PointStorage {
    copies, // the tree's own
    views   // the caller's: those given last must stay where and as they are until the next update
};

struct BodyOctreeOptions {
    NodeVolume volume = NodeVolume::box; // of the paired walk; box, ray and ball queries use boxes always
    BodySplit split = BodySplit::median;
    SphereRule sphere_rule = SphereRule::points;
    Index leaf_size = 8; // most primitives of a leaf, 1 to 64; a leaf at the level cap may hold more
    int level_cap = -1;  // deepest level of a volume (0: the whole body is one leaf); negative: none
    PointStorage storage = PointStorage::copies;
    double rebuild_at = 1.8; // an update that leaves decay() above this builds anew; 0: never
};

// Eight spheres beside the boxes of a BvhNode, in the same frame, rounded outward. An unused one has a centre that is
// not a number, which no test can meet.
struct alignas(64) SphereGroup {
    float center[3][BvhNode::width];
    float radius[BvhNode::width];
};

struct BodyFit; // what an update hands to its kernels

class BodyOctree {
public:
    BodyOctree() = default; // no points, no primitives
    // `corners` lists `corners_each` (1 to 4) point ids a primitive. Copies them, and the points unless asked to view.
    // Throws Error (non_finite, index_out_of_range, count_mismatch, invalid_argument, too_large) naming the first point
    // or primitive at fault.
    BodyOctree(std::span<const Vec3> points, std::span<const Index> corners, int corners_each,
               const BodyOctreeOptions& options = {});

    // The points have moved. `margin` (m) grows every volume and every primitive's box on all sides. Throws Error
    // (non_finite, count_mismatch, invalid_argument) before anything changes.
    void update(std::span<const Vec3> points, double margin = 0);
    // The same over a step: volumes and boxes hold every place of a point on its straight way from start to end.
    void update_swept(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin = 0);
    // Expected cost of a visit over that at the build (as Bvh), plus edits over primitives: 1 when fresh.
    [[nodiscard]] double decay() const;
    [[nodiscard]] std::size_t builds() const { return builds_; } // so far, the first one included

    // Edits: each touches the nodes from a leaf up to the root, and queries may follow at once. O(log n + leaf size).
    // Throws Error (index_out_of_range, invalid_argument, non_finite, count_mismatch) before anything changes.
    void remove(Index primitive);
    void change(Index primitive, std::span<const Index> corners);
    void add(Index primitive, std::span<const Index> corners); // an id that was removed, or the next: primitive_ids()
    Index add_points(std::span<const Vec3> points);            // at rest in a swept step; returns the id of the first

    [[nodiscard]] std::size_t size() const { return live_; } // primitives that are there
    [[nodiscard]] bool empty() const { return live_ == 0; }
    [[nodiscard]] Index primitive_ids() const {
        return static_cast<Index>(leaf_of_.size());
    } // ids lie below; removed ones count
    [[nodiscard]] bool holds(Index primitive) const {
        return primitive < primitive_ids() && leaf_of_[primitive] != no_index;
    }
    [[nodiscard]] std::span<const Index> corners(Index primitive) const {
        return std::span(corners_).subspan(std::size_t{primitive} * corners_each_, corners_each_);
    }
    [[nodiscard]] std::size_t corners_each() const { return corners_each_; }
    [[nodiscard]] std::span<const Vec3> points() const { return starts_.all(); } // starts, when swept
    [[nodiscard]] std::span<const Vec3> ends() const { return swept_ ? ends_.all() : starts_.all(); }
    [[nodiscard]] double margin() const { return margin_; }
    [[nodiscard]] Box bounds() const { return empty() ? Box{} : box_of(0); } // of all primitives, as box_of()
    [[nodiscard]] Box primitive_box(Index primitive) const; // of its points at start and end, grown by the margin
    [[nodiscard]] const BodyOctreeOptions& options() const { return options_; }

    // As in Bvh. Overlaps are exact on primitive_box(); the others visit all primitives of a leaf, and err towards a
    // visit.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    bool visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const;
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const;

    // The tree itself. A node is named by its word, as in BvhNode::child: an index, or leaf_bit | number of a leaf; the
    // root is 0. Nodes lie level by level, except for those that edits have added at the end, and after their parents
    // always.
    [[nodiscard]] const BvhFrame& frame() const { return frame_; }
    [[nodiscard]] std::span<const BvhNode> nodes() const { return nodes_; }
    [[nodiscard]] std::span<const SphereGroup> spheres() const {
        return spheres_;
    }                                                             // beside nodes(); empty without spheres
    [[nodiscard]] const BvhNode& crown() const { return crown_; } // one child, the root: its volume
    [[nodiscard]] const SphereGroup& sphere_crown() const { return sphere_crown_; }
    [[nodiscard]] std::span<const Index> leaf(Index k) const { return leaf_primitives_[k].of(listed_primitives_); }
    [[nodiscard]] std::span<const Index> leaf_points(Index k) const {
        return leaf_points_[k].of(listed_points_);
    } // distinct
    // In the world, rounded outward: every point below is inside.
    [[nodiscard]] Box box_of(std::uint32_t word) const;
    [[nodiscard]] Sphere sphere_of(std::uint32_t word) const; // only with NodeVolume::sphere
    [[nodiscard]] int depth() const;                          // levels of volumes below the root
    [[nodiscard]] std::size_t memory_bytes() const;

    // A piece of a list that edits may move.
    struct Piece {
        Index begin = 0, count = 0, room = 0;
        [[nodiscard]] std::span<const Index> of(const std::vector<Index>& list) const {
            return std::span(list).subspan(begin, count);
        }
    };

private:
    struct Place { // of a child: its node and slot; the root has node == no_index
        Index node = no_index;
        std::uint32_t slot = 0;
    };

    struct PointList { // copies, or a view
        std::vector<Vec3> own;
        std::span<const Vec3> viewed;
        bool is_view = false;

        [[nodiscard]] std::span<const Vec3> all() const { return is_view ? viewed : std::span<const Vec3>(own); }
        void append(std::span<const Vec3> points); // owns all of them from then on
    };

    void check_corners(std::span<const Index> corners, Index first_primitive) const;
    void check_new_corners(Index primitive, std::span<const Index> corners) const;
    void move_points(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin);
    void build();
    void list_leaves(std::span<const Index> leaf_begin, std::span<const Index> order);
    void set_frame(const Box& bounds, double margin);
    [[nodiscard]] bool stage(std::span<const Vec3> points, std::vector<Vec3>& copies) const;
    void take(std::span<const Vec3> points, std::vector<Vec3>& copies, PointList& list);
    [[nodiscard]] Box checked_frame(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin) const;
    void list_rounds(Index node);
    [[nodiscard]] BodyFit fit_view();
    void fit();
    void fit_path(Index node);
    void fit_crown();
    [[nodiscard]] Place place_of(std::uint32_t word) const;
    void set_child(Index node, std::uint32_t slot, std::uint32_t word);
    [[nodiscard]] std::uint32_t child_count(Index node) const;
    [[nodiscard]] Index nearest_leaf(const Box& box) const;
    void fill_leaf(Index leaf, std::span<const Index> primitives);
    void put_list(std::vector<Index>& pool, Piece& piece, std::span<const Index> list);
    [[nodiscard]] Index new_leaf();
    [[nodiscard]] Index new_node(Index parent);
    [[nodiscard]] bool may_deepen(Index node) const;
    void split_leaf(Index leaf, std::span<const Index> primitives);
    void drop_child(Place place);
    void take_out(Index primitive);
    void put_in(Index primitive);

    BodyOctreeOptions options_;
    std::size_t corners_each_ = 1, live_ = 0, point_count_ = 0;
    std::vector<Index> corners_; // by primitive
    std::vector<Index> leaf_of_; // by primitive; no_index: removed
    PointList starts_, ends_;
    std::vector<Vec3> staged_, staged_ends_; // copies, until it is known that nothing is wrong with them
    bool swept_ = false, frame_fits_ = false;
    double margin_ = 0, cost_ = 0, built_cost_ = 0;
    std::size_t edits_ = 0, builds_ = 0;

    BvhFrame frame_;
    std::vector<BvhNode> nodes_;
    std::vector<SphereGroup> spheres_;
    BvhNode crown_{};
    SphereGroup sphere_crown_{};
    std::vector<Index> level_begin_; // one more than levels; nodes after the last come from edits
    std::vector<Place> node_places_, leaf_places_;
    std::vector<Piece> leaf_primitives_, leaf_points_;
    std::vector<Index> listed_primitives_, listed_points_;
    std::vector<Piece> node_rounds_;
    std::vector<Index> listed_rounds_; // as body_octree_fit.h says
    std::vector<Index> free_nodes_, free_leaves_;
};

} // namespace fathom
