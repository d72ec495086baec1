// Octree over the primitives of one deforming body, for box, ray, nearest and pair queries.
// Method: Madera et al. 2006, sections 5.1 and 6. A tree of nodes with up to eight children is built once over the
// primitives; its volumes (boxes or spheres) are refitted to the points in every step, and two trees are traversed in
// pairs. Tighter than in the paper: leaves of eight primitives, split by median, fitted to their distinct points.
// A primitive is a list of 1 to 4 point ids; all primitives have the same number. Not for bodies that move only
// rigidly: a Bvh in the frame of the body needs no refit. Build O(n log n), update O(n), in parallel, with the same
// bytes for any number of threads. Queries are const and thread-safe; an update or an edit must not run at the same
// time.
#pragma once

#include <fathom/index/bvh.h>

#include <limits>

namespace fathom {

enum class NodeVolume { box, sphere };

// Rule by which the primitives of a node are distributed among its children. `median` is the fastest to update, because
// its leaves and nodes are full: 0.15 ms for 10^5 triangles, against 0.24 with `surface_area` and 0.54 with `octants`.
// `surface_area` is the fastest to visit, by about a fifth for the pairs of two spheres of 2,000 triangles, but takes
// twice as long as `median` to build.
enum class BodySplit {
    octants,     // the paper's rule: regular octants about the centre of the node's box
    median,      // equal counts across the longest side, three times, in multiples that leave no leaf half empty
    surface_area // surface area heuristic, as in Bvh
};

enum class SphereRule {
    points, // equation 5: centre of the box of the points below, radius to the farthest of them
    // Equations 3 and 4: the sphere about the cube that shares a corner and its longest side with that box. The radius
    // reaches the corners of the cube: half its side, as printed in the paper, leaves points outside.
    cube
};

// Ownership of the points of a body. Copies are safe; views save the time to copy, an eighth of an update.
enum class PointStorage {
    copies, // the tree stores its own copies
    views   // the tree refers to the caller's points, which must stay valid and unchanged until the next update
};

struct BodyOctreeOptions {
    NodeVolume volume = NodeVolume::box; // for pair traversals; box, ray and nearest queries always use boxes
    BodySplit split = BodySplit::median;
    SphereRule sphere_rule = SphereRule::points;
    Index leaf_size = 8; // maximum number of primitives per leaf, 1 to 64; a leaf at the level cap may hold more
    int level_cap = -1;  // deepest level of a volume (0: the whole body is one leaf); negative: no limit
    PointStorage storage = PointStorage::copies;
    double rebuild_at = 1.8; // an update that leaves decay() above this value rebuilds the tree; 0: never
};

// Spheres of the eight children of a BvhNode, in the same frame, rounded outward. An unused slot has a NaN centre,
// which fails every overlap test.
struct alignas(64) SphereGroup {
    float center[3][BvhNode::width];
    float radius[BvhNode::width];
};

struct BodyFit; // input of the kernels of an update

class BodyOctree {
public:
    BodyOctree() = default; // no points, no primitives
    // `corners` lists `corners_each` (1 to 4) point ids per primitive. They are copied, and so are the points unless
    // the options choose views. Throws Error (non_finite, index_out_of_range, count_mismatch, invalid_argument,
    // too_large) naming the first invalid point or primitive.
    BodyOctree(std::span<const Vec3> points, std::span<const Index> corners, int corners_each,
               const BodyOctreeOptions& options = {});

    // Sets new point positions. `margin` (m) grows every volume and every primitive's box on all sides. Throws Error
    // (non_finite, count_mismatch, invalid_argument) before anything changes.
    void update(std::span<const Vec3> points, double margin = 0);
    // The same over a step: volumes and boxes contain every point on its straight path from start to end.
    void update_swept(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin = 0);
    // Expected cost of a visit relative to that at the build (as in Bvh), plus edits per primitive: 1 after a build.
    [[nodiscard]] double decay() const;
    [[nodiscard]] std::size_t builds() const { return builds_; } // number of builds so far, including the first

    // Edits: each changes the nodes from one leaf up to the root; queries may follow immediately. O(log n + leaf size).
    // Throws Error (index_out_of_range, invalid_argument, non_finite, count_mismatch) before anything changes.
    void remove(Index primitive);
    void change(Index primitive, std::span<const Index> corners);
    // `primitive` is a removed id, or the next new one, primitive_ids().
    void add(Index primitive, std::span<const Index> corners);
    // New points rest during a swept step. Returns the id of the first.
    Index add_points(std::span<const Vec3> points);

    [[nodiscard]] std::size_t size() const { return live_; } // present primitives
    [[nodiscard]] bool empty() const { return live_ == 0; }
    // Upper limit of the ids, including removed ones.
    [[nodiscard]] Index primitive_ids() const { return static_cast<Index>(leaf_of_.size()); }
    [[nodiscard]] bool holds(Index primitive) const {
        return primitive < primitive_ids() && leaf_of_[primitive] != no_index;
    }
    [[nodiscard]] std::span<const Index> corners(Index primitive) const {
        return std::span(corners_).subspan(std::size_t{primitive} * corners_each_, corners_each_);
    }
    [[nodiscard]] std::size_t corners_each() const { return corners_each_; }
    [[nodiscard]] std::span<const Vec3> points() const { return starts_.all(); } // starts, if swept
    [[nodiscard]] std::span<const Vec3> ends() const { return swept_ ? ends_.all() : starts_.all(); }
    [[nodiscard]] double margin() const { return margin_; }
    [[nodiscard]] Box bounds() const { return empty() ? Box{} : box_of(0); } // of all primitives, as box_of()
    [[nodiscard]] Box primitive_box(Index primitive) const; // box of its points at start and end, grown by the margin
    [[nodiscard]] const BodyOctreeOptions& options() const { return options_; }

    // As in Bvh. Overlap queries are exact on primitive_box(). Ray and nearest queries visit all primitives of a leaf
    // and may report extra primitives, but miss none.
    bool visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const;
    bool visit_ray(const Ray& ray, double t_max, CallableRef<double(Index)> visitor) const;
    bool visit_nearest(const Vec3& point, double squared_radius, CallableRef<double(Index)> visitor) const;

    // The tree itself. A node is identified by its word, as in BvhNode::child: an index, or leaf_bit | leaf number; the
    // root is 0. Nodes are stored level by level, except for those that edits have appended, and always after their
    // parents.
    [[nodiscard]] const BvhFrame& frame() const { return frame_; }
    [[nodiscard]] std::span<const BvhNode> nodes() const { return nodes_; }
    // Parallel to nodes(); empty without spheres.
    [[nodiscard]] std::span<const SphereGroup> spheres() const { return spheres_; }
    // A node with one child, the root; holds the volume of the root.
    [[nodiscard]] const BvhNode& crown() const { return crown_; }
    [[nodiscard]] const SphereGroup& sphere_crown() const { return sphere_crown_; }
    [[nodiscard]] std::span<const Index> leaf(Index k) const { return leaf_primitives_[k].of(listed_primitives_); }
    // The distinct points of a leaf.
    [[nodiscard]] std::span<const Index> leaf_points(Index k) const { return leaf_points_[k].of(listed_points_); }
    // In world coordinates, rounded outward: contains every point of the subtree.
    [[nodiscard]] Box box_of(std::uint32_t word) const;
    [[nodiscard]] Sphere sphere_of(std::uint32_t word) const; // only with NodeVolume::sphere
    [[nodiscard]] int depth() const;                          // levels of volumes below the root
    [[nodiscard]] std::size_t memory_bytes() const;

    // A range of a list; edits may move it.
    struct Piece {
        Index begin = 0, count = 0, room = 0;
        [[nodiscard]] std::span<const Index> of(const std::vector<Index>& list) const {
            return std::span(list).subspan(begin, count);
        }
    };

private:
    struct Place { // position of a child: its node and slot; the root has node == no_index
        Index node = no_index;
        std::uint32_t slot = 0;
    };

    struct PointList { // own copies, or a view
        std::vector<Vec3> own;
        std::span<const Vec3> viewed;
        bool is_view = false;

        [[nodiscard]] std::span<const Vec3> all() const { return is_view ? viewed : std::span<const Vec3>(own); }
        void append(std::span<const Vec3> points); // afterwards the list owns all its points
    };

    void check_corners(std::span<const Index> corners, Index first_primitive) const;
    void check_new_corners(Index primitive, std::span<const Index> corners) const;
    void move_points(std::span<const Vec3> starts, std::span<const Vec3> ends, double margin);
    void build();
    void list_leaves(std::span<const Index> leaf_begin, std::span<const Index> order);
    void set_frame(const Box& bounds, double margin);
    [[nodiscard]] bool stage(std::span<const Vec3> points, std::vector<Vec3>& copies) const;
    void take(std::span<const Vec3> points, std::vector<Vec3>& copies, PointList& list) const;
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
    std::vector<Index> corners_; // per primitive
    std::vector<Index> leaf_of_; // per primitive; no_index: removed
    PointList starts_, ends_;
    std::vector<Vec3> staged_, staged_ends_; // copies of new points until they have been checked
    bool swept_ = false, frame_fits_ = false;
    double margin_ = 0, cost_ = 0, built_cost_ = 0;
    std::size_t edits_ = 0, builds_ = 0;

    BvhFrame frame_;
    std::vector<BvhNode> nodes_;
    std::vector<SphereGroup> spheres_;
    BvhNode crown_{};
    SphereGroup sphere_crown_{};
    std::vector<Index> level_begin_; // one more entry than levels; nodes after the last level come from edits
    std::vector<Place> node_places_, leaf_places_;
    std::vector<Piece> leaf_primitives_, leaf_points_;
    std::vector<Index> listed_primitives_, listed_points_;
    std::vector<Piece> node_rounds_;
    std::vector<Index> listed_rounds_; // format: see BodyFit in body_octree_build.h
    std::vector<Index> free_nodes_, free_leaves_;
};

} // namespace fathom
