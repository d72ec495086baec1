// How deep is each node inside a body, in its shape of this moment? Closest boundary points of the nodes,
// anew each step. Methods: `exact` asks a tree over the boundary, fitted to the new shape, for the nodes that are asked
// alone: the choice while few are (contacts). Closest Feature and Closest Point Fast Marching (Marchal et al. 2004,
// section 4.2) pass features from node to node: they need no tree, answer for all nodes at once and stop when the asked
// ones are done (4.4). They never understate a depth, and what they find lies on the boundary of the same part. Waiting
// nodes lie in buckets instead of a heap. When not: fields of rigid shapes (build a grid once). Cost for 94,000
// tetrahedra, one core: about 2 ms (closest point, all nodes). One object is one caller's; `exact` runs in parallel
// inside. The same bytes for any number of threads.
#pragma once

#include <fathom/field/tet/body_topology.h>
#include <fathom/field/tet/bucket_queue.h>
#include <fathom/field/tet/face_frame.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <memory>

namespace fathom {

enum class DepthMethod : std::uint8_t { exact, closest_feature, closest_point };

struct DepthOptions {
    DepthMethod method = DepthMethod::exact;
    // closest_feature: a feature that serves better than a node's own is followed along the boundary for at most this
    // many faces. 0 is the paper's rule, about a fifth quicker and with fifty times the error.
    int surface_steps = 8;
};

// A node, an edge or a face of the boundary: its nodes ascending, then no_index.
struct BoundaryFeature {
    std::array<Index, 3> nodes = {no_index, no_index, no_index};

    [[nodiscard]] int size() const { return (nodes[0] != no_index) + (nodes[1] != no_index) + (nodes[2] != no_index); }
    friend bool operator==(const BoundaryFeature&, const BoundaryFeature&) = default;
};

class NodeDepths {
public:
    static constexpr double unknown = std::numeric_limits<double>::infinity();

    // The owner may apply edits to the topology between calls of compute(); what is known of the nodes is then void
    // until the next one.
    explicit NodeDepths(std::shared_ptr<const BodyTopology> topology);
    explicit NodeDepths(const TetMesh& mesh) : NodeDepths(std::make_shared<BodyTopology>(mesh)) {}

    // Depths of all nodes, or of the asked ones (any order, repeats allowed), at new positions. Nothing is allocated by
    // the marches once the object has been used; the tree of `exact` allocates while it is fitted. Throws Error:
    // non_finite naming the node, count_mismatch, index_out_of_range.
    void compute(std::span<const Vec3> positions, const DepthOptions& options = {});
    void compute(std::span<const Vec3> positions, std::span<const Index> asked, const DepthOptions& options = {});

    // By node (m, >= 0): 0 on the boundary; `unknown` for nodes of no element, and where not asked for. A march may
    // know some of those that it met on the way; they need not be final.
    [[nodiscard]] std::span<const double> depths() const { return depths_; }
    // What the depth was measured to; none where it is unknown. O(1).
    [[nodiscard]] BoundaryFeature feature(Index node) const;
    [[nodiscard]] Vec3 closest(Index node) const; // the point itself; the node's own position where unknown

    // How many nodes the last march served, those that were corrected counted again: its work is this times their
    // neighbours.
    [[nodiscard]] std::size_t served() const { return served_; }

    // Depth of any point, given nodes whose features may be near (a point between them): by `exact` the true one
    // whatever the nodes. After compute(), with its method. Thread-safe.
    [[nodiscard]] double depth_at(const Vec3& point, std::span<const Index> near_nodes) const;

    [[nodiscard]] const BodyTopology& topology() const { return *topology_; }
    [[nodiscard]] std::shared_ptr<const BodyTopology> shared_topology() const { return topology_; }
    // The nearest point of the boundary, by the numbers of topology().faces(), from a tree that compute(exact) and
    // fit_tree() fit. Thread-safe.
    [[nodiscard]] ClosestPoint nearest(const Vec3& point, double max_distance = SurfaceTree::no_limit) const;
    [[nodiscard]] SurfaceHit
    first_hit(const Ray& ray, double t_max = SurfaceTree::no_limit) const; // the same of a ray; see SurfaceTree
    // A body that has changed its shape much answers slower: see tree().tree().decay(), and build_tree() to begin
    // afresh. Faces that edits have added since it was built are in a tree of their own, until they are a quarter of
    // all.
    [[nodiscard]] const SurfaceTree& tree() const { return tree_; }
    void fit_tree();   // to the positions of the last compute()
    void build_tree(); // the same, anew
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    void begin(std::span<const Vec3> positions);
    void ask(std::span<const Index> nodes);
    void ask_all();
    void run(const DepthOptions& options);
    void ask_tree();
    void march(const DepthOptions& options);
    template <class Rule>
    void march_by(Rule& rule);
    [[nodiscard]] double bucket_width() const;
    [[nodiscard]] std::array<Vec3, 3> corners(Index face) const;
    void follow_edits();
    void fit_young();
    void look_at_young(const Vec3& point, ClosestPoint& found) const; // whether it has a nearer one

    std::shared_ptr<const BodyTopology> topology_;
    DepthOptions options_;
    std::vector<Vec3> positions_; // by rank, as is all below but depths_
    std::vector<double> squared_;
    std::vector<Index> source_;        // a face, or for closest_point a node
    std::vector<std::uint32_t> level_; // the bucket that a node was served in
    std::vector<std::uint8_t> asked_;
    std::vector<Index> asked_order_; // inner nodes asked for, ascending
    std::size_t left_ = 0;           // of them not served yet
    std::size_t served_ = 0;
    std::vector<FaceFrame> frames_; // by face
    BucketQueue queue_;
    std::vector<ClosestPoint> found_; // by rank
    SurfaceTree tree_, young_;        // of all faces when it was built, and of those with higher numbers
    bool has_tree_ = false, tree_is_fitted_ = false, young_is_old_ = false;
    std::size_t edits_ = 0;      // of the topology, followed
    std::vector<double> depths_; // by node

    friend struct FeatureRule;
    friend struct PointRule;
};

} // namespace fathom
