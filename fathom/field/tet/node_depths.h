// Depth of each node of a body in its current shape: closest boundary points of the nodes, recomputed each step.
// Methods: `exact` queries a tree over the boundary, refitted to the current shape, for the requested nodes only; it is
// the best choice for few nodes (contacts). Closest Feature and Closest Point Fast Marching (Marchal et al. 2004,
// section 4.2) propagate features from node to node: they need no tree, compute all nodes at once and stop when the
// requested ones are done (4.4). They never underestimate a depth, and the features they find lie on the boundary of
// the same part. The queue uses buckets instead of a heap. Not for fields of rigid shapes (build a grid once). Cost for
// 94,000 tetrahedra, one core: about 2 ms (closest point, all nodes). One object serves one caller; `exact` runs in
// parallel inside. The same bytes for any number of threads.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/field/tet/body_topology.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace fathom {

// Priority queue of nodes by distance, accurate to the width of a bucket; first in, first out within a bucket. Each
// node is in at most one bucket, so memory is fixed and nothing is allocated after reset() has seen the largest body.
// O(1) per call. One object per thread.

class BucketQueue {
public:
    static constexpr Index bucket_count = 4096; // larger keys share the last bucket

    // Empties the queue, for nodes below node_count; keys are divided into buckets of `width`.
    void reset(std::size_t node_count, double width) {
        links_.assign(node_count, {no_index, no_index, no_index});
        heads_.fill(no_index);
        tails_.fill(no_index);
        per_width_ = width > 0 ? 1 / width : 0;
        waiting_ = 0;
    }

    [[nodiscard]] bool empty() const { return waiting_ == 0; }
    [[nodiscard]] Index bucket_of(double key) const {
        return static_cast<Index>(std::min(key * per_width_, static_cast<double>(bucket_count - 1)));
    }

    // Moves the node to the end of a bucket, from any other bucket.
    void put(Index node, Index bucket) {
        Link& link = links_[node];
        if (link.bucket == bucket) return;
        if (link.bucket != no_index) take_out(node);
        link = {no_index, tails_[bucket], bucket};
        (tails_[bucket] == no_index ? heads_[bucket] : links_[tails_[bucket]].next) = node;
        tails_[bucket] = node;
        ++waiting_;
    }

    // Removes and returns the first node of a bucket, or no_index.
    [[nodiscard]] Index pop(Index bucket) {
        const Index node = heads_[bucket];
        if (node != no_index) take_out(node);
        return node;
    }

private:
    struct Link {
        Index next, previous, bucket;
    };

    void take_out(Index node) {
        const Link link = links_[node];
        (link.previous == no_index ? heads_[link.bucket] : links_[link.previous].next) = link.next;
        (link.next == no_index ? tails_[link.bucket] : links_[link.next].previous) = link.previous;
        links_[node].bucket = no_index;
        --waiting_;
    }

    std::vector<Link> links_;
    std::array<Index, bucket_count> heads_{}, tails_{};
    double per_width_ = 0;
    std::size_t waiting_ = 0;
};

// A boundary face prepared for many distance computations: the products that do not depend on the point are stored.
// Method: the regions of Ericson 2005. About 10 ns per distance; closest_point() is used if the face has no area. A
// face {a, b, b} is treated as a segment.

struct FaceDistance {
    double squared = 0;
    TriangleFeature part = TriangleFeature::face;
};

class FaceFrame {
public:
    FaceFrame() = default;
    explicit FaceFrame(const std::array<Vec3, 3>& c)
        : a_(c[0]), ab_(c[1] - c[0]), ac_(c[2] - c[0]), normal_(ab_.cross(ac_)), bb_(ab_.squaredNorm()),
          bc_(ab_.dot(ac_)), cc_(ac_.squaredNorm()), segment_(c[1] == c[2]) {
        const double area = normal_.squaredNorm();
        thin_ = !segment_ && !(area > 1e-12 * bb_ * cc_);
        inverse_area_ = 1 / area;
    }

    [[nodiscard]] FaceDistance operator()(const Vec3& p) const {
        if (thin_) return thin(p);
        const Vec3 ap = p - a_;
        const double d1 = ab_.dot(ap), d2 = ac_.dot(ap);
        if (d1 <= 0 && d2 <= 0) return {ap.squaredNorm(), TriangleFeature::corner_0};
        const double d3 = d1 - bb_, d4 = d2 - bc_;
        if (d3 >= 0 && d4 <= d3) return {(ap - ab_).squaredNorm(), TriangleFeature::corner_1};
        if (segment_) return {(ap - d1 / bb_ * ab_).squaredNorm(), TriangleFeature::edge_0};
        const double d5 = d1 - bc_, d6 = d2 - cc_;
        if (d6 >= 0 && d5 <= d6) return {(ap - ac_).squaredNorm(), TriangleFeature::corner_2};
        if (d1 * d4 - d3 * d2 <= 0 && d1 >= 0 && d3 <= 0)
            return {(ap - d1 / bb_ * ab_).squaredNorm(), TriangleFeature::edge_0};
        if (d5 * d2 - d1 * d6 <= 0 && d2 >= 0 && d6 <= 0)
            return {(ap - d2 / cc_ * ac_).squaredNorm(), TriangleFeature::edge_2};
        const double along = d4 - d3, back = d5 - d6;
        if (d3 * d6 - d5 * d4 <= 0 && along >= 0 && back >= 0)
            return {(ap - ab_ - along / (along + back) * (ac_ - ab_)).squaredNorm(), TriangleFeature::edge_1};
        const double height = normal_.dot(ap);
        return {height * height * inverse_area_, TriangleFeature::face};
    }

private:
    [[nodiscard]] FaceDistance thin(const Vec3& p) const {
        const ClosestOnTriangle closest = closest_point(p, std::array<Vec3, 3>{a_, a_ + ab_, a_ + ac_});
        return {closest.squared_distance, closest.feature};
    }

    Vec3 a_ = Vec3::Zero(), ab_ = Vec3::Zero(), ac_ = Vec3::Zero(), normal_ = Vec3::Zero();
    double bb_ = 0, bc_ = 0, cc_ = 0, inverse_area_ = 0;
    bool segment_ = false, thin_ = true;
};

enum class DepthMethod : std::uint8_t { exact, closest_feature, closest_point };

struct DepthOptions {
    DepthMethod method = DepthMethod::exact;
    // closest_feature: a feature that is closer than a node's own is followed along the boundary for at most this many
    // faces. 0 is the paper's rule, about a fifth faster and with fifty times the error.
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

    // The owner may apply edits to the topology between calls of compute(); results are then invalid until the next
    // call.
    explicit NodeDepths(std::shared_ptr<const BodyTopology> topology);
    explicit NodeDepths(const TetMesh& mesh) : NodeDepths(std::make_shared<BodyTopology>(mesh)) {}

    // Depths of all nodes, or of the requested ones (any order, repeats allowed), at new positions. The marches
    // allocate nothing once the object has been used; the tree of `exact` allocates while it is refitted. Throws Error:
    // non_finite naming the node, count_mismatch, index_out_of_range.
    void compute(std::span<const Vec3> positions, const DepthOptions& options = {});
    void compute(std::span<const Vec3> positions, std::span<const Index> requested, const DepthOptions& options = {});

    // By node (m, >= 0): 0 on the boundary; `unknown` for nodes of no element and for nodes that were not requested. A
    // march may have values for some of the latter; they need not be final.
    [[nodiscard]] std::span<const double> depths() const { return depths_; }
    // The boundary feature that the depth was measured to; none if the depth is unknown. O(1).
    [[nodiscard]] BoundaryFeature feature(Index node) const;
    [[nodiscard]] Vec3 closest(Index node) const; // closest boundary point; the node's own position if unknown

    // Number of nodes that the last march processed, with repeats counted: its work is this times the number of their
    // neighbours.
    [[nodiscard]] std::size_t served() const { return served_; }

    // Depth of any point, given nodes whose features may be near (a point between them). With `exact` the result is the
    // true depth whatever the nodes. Call after compute(); uses its method. Thread-safe.
    [[nodiscard]] double depth_at(const Vec3& point, std::span<const Index> near_nodes) const;

    [[nodiscard]] const BodyTopology& topology() const { return *topology_; }
    [[nodiscard]] std::shared_ptr<const BodyTopology> shared_topology() const { return topology_; }
    // The nearest point of the boundary, by the numbers of topology().faces(), from a tree that compute(exact) and
    // fit_tree() fit. Thread-safe.
    [[nodiscard]] ClosestPoint nearest(const Vec3& point, double max_distance = SurfaceTree::no_limit) const;
    // First hit of a ray with the boundary; see SurfaceTree.
    [[nodiscard]] SurfaceHit first_hit(const Ray& ray, double t_max = SurfaceTree::no_limit) const;
    // Queries are slower for a body that has changed its shape much: see tree().tree().decay(), and build_tree() to
    // rebuild. Faces that edits have added since the last build are in a separate tree until they are a quarter of all
    // faces.
    [[nodiscard]] const SurfaceTree& tree() const { return tree_; }
    void fit_tree();   // refits to the positions of the last compute()
    void build_tree(); // rebuilds for the same positions
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    void begin(std::span<const Vec3> positions);
    void request(std::span<const Index> nodes);
    void request_all();
    void run(const DepthOptions& options);
    void query_tree();
    void march(const DepthOptions& options);
    template <class Rule>
    void march_by(Rule& rule);
    [[nodiscard]] double bucket_width() const;
    [[nodiscard]] std::array<Vec3, 3> corners(Index face) const;
    void follow_edits();
    void fit_young();
    // Replaces `found` if the tree of new faces has a nearer point.
    void query_young(const Vec3& point, ClosestPoint& found) const;

    std::shared_ptr<const BodyTopology> topology_;
    DepthOptions options_;
    std::vector<Vec3> positions_; // by rank, like all members below except depths_
    std::vector<double> squared_;
    std::vector<Index> source_;        // a face, or for closest_point a node
    std::vector<std::uint32_t> level_; // the bucket in which a node was processed
    std::vector<std::uint8_t> requested_;
    std::vector<Index> requested_order_; // requested inner nodes, ascending
    std::size_t left_ = 0;               // number of them not yet processed
    std::size_t served_ = 0;
    std::vector<FaceFrame> frames_; // by face
    BucketQueue queue_;
    std::vector<ClosestPoint> found_; // by rank
    SurfaceTree tree_, young_;        // of all faces at the last build, and of faces with higher numbers
    bool has_tree_ = false, tree_is_fitted_ = false, young_is_old_ = false;
    std::size_t edits_ = 0;      // number of edits of the topology that were applied
    std::vector<double> depths_; // by node

    friend struct FeatureRule;
    friend struct PointRule;
};

} // namespace fathom
