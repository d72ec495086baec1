// Depths of nodes: by the tree over the boundary, or by marching on the mesh.
#include <fathom/field/tet/node_depths.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree_kernels.h>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace fathom {

namespace {

constexpr double far = std::numeric_limits<double>::infinity();
constexpr std::uint32_t never = ~std::uint32_t{0};
constexpr std::size_t query_chunk = 256;
constexpr Index correction_buckets = 2; // a bucket is half an edge wide

struct Nearest {
    double squared = far;
    Index source = no_index;

    void keep(double other, Index face) {
        if (other < squared) squared = other, source = face;
    }
};

// Moves from a face along the boundary to closer and closer faces.
void follow(const BodyTopology& topology, std::span<const FaceFrame> frames, const Vec3& p, TriangleFeature part,
            int steps, Nearest& best) {
    for (; steps > 0 && part != TriangleFeature::face; --steps) {
        const Index from = best.source;
        const auto place = static_cast<std::size_t>(part);
        const auto consider = [&](Index face) {
            if (face == no_index || face == from) return;
            const FaceDistance other = frames[face](p);
            if (other.squared < best.squared) best = {other.squared, face}, part = other.part;
        };
        if (place >= 3)
            consider(topology.across()[from][place - 3]);
        else
            for (const Index face : topology.faces_round(topology.ranked_faces()[from][place])) consider(face);
        if (best.source == from) return;
    }
}

} // namespace

// Rules of the marches: how to seed a march, and how a node offers its source to its neighbours.
struct PointRule {
    NodeDepths& d;

    template <class Offer>
    void seed(const Offer& offer) const {
        for (const Index node : d.topology_->boundary_nodes()) pass(node, offer);
    }
    void improve(Index) const {}
    template <class Offer>
    void pass(Index from, const Offer& offer) const {
        const Index source = d.source_[from];
        const Vec3 at = d.positions_[source];
        for (const Index node : d.topology_->inner_neighbours(from))
            offer(node, [&] { return Nearest{(d.positions_[node] - at).squaredNorm(), source}; });
    }
};

struct FeatureRule {
    NodeDepths& d;

    template <class Offer>
    void seed(const Offer& offer) const {
        for (Index node = 0; node < d.positions_.size(); ++node)
            if (!d.topology_->first_faces(node).empty()) offer(node, [&] { return nearest_first_face(node); });
    }
    [[nodiscard]] Nearest nearest_first_face(Index node) const {
        Nearest best;
        TriangleFeature part = TriangleFeature::face;
        for (const Index face : d.topology_->first_faces(node)) {
            const FaceDistance found = d.frames_[face](d.positions_[node]);
            if (found.squared < best.squared) best = {found.squared, face}, part = found.part;
        }
        follow(*d.topology_, d.frames_, d.positions_[node], part, d.options_.surface_steps, best);
        return best;
    }
    // A face may be the closest of its surroundings and the next one closer still, beyond a dent.
    void improve(Index node) const {
        if (d.options_.surface_steps <= 0) return;
        Nearest best{d.squared_[node], d.source_[node]};
        for (const Index face : d.topology_->across()[d.source_[node]])
            if (face != no_index) best.keep(d.frames_[face](d.positions_[node]).squared, face);
        d.squared_[node] = best.squared;
        d.source_[node] = best.source;
    }
    template <class Offer>
    void pass(Index from, const Offer& offer) const {
        const Index source = d.source_[from];
        const FaceFrame& frame = d.frames_[source];
        for (const Index node : d.topology_->inner_neighbours(from))
            offer(node, [&] {
                const FaceDistance found = frame(d.positions_[node]);
                Nearest best{found.squared, source};
                if (found.squared < d.squared_[node])
                    follow(*d.topology_, d.frames_, d.positions_[node], found.part, d.options_.surface_steps, best);
                return best;
            });
    }
};

NodeDepths::NodeDepths(std::shared_ptr<const BodyTopology> topology)
    : topology_(std::move(topology)), edits_(topology_->edits()), depths_(topology_->node_count(), unknown) {
    const std::size_t count = topology_->node_count();
    positions_.assign(count, Vec3::Zero());
    source_.assign(count, no_index);
    requested_.assign(count, 0);
    requested_order_.reserve(count);
}

void NodeDepths::compute(std::span<const Vec3> positions, const DepthOptions& options) {
    begin(positions);
    request_all();
    run(options);
}

void NodeDepths::compute(std::span<const Vec3> positions, std::span<const Index> requested,
                         const DepthOptions& options) {
    for (const Index node : requested)
        if (node >= topology_->node_count())
            throw Error(Cause::index_out_of_range,
                        fmt::format("node {} of {} does not exist", node, topology_->node_count()));
    begin(positions);
    request(requested);
    run(options);
}

void NodeDepths::begin(std::span<const Vec3> positions) {
    if (positions.size() != topology_->node_count())
        throw Error(Cause::count_mismatch,
                    fmt::format("got {} positions for a body of {} nodes", positions.size(), topology_->node_count()));
    check_vertices(positions, {});
    follow_edits();
    for (std::size_t k = 0; k < positions.size(); ++k) positions_[k] = positions[topology_->order()[k]];
    tree_is_fitted_ = false;
}

void NodeDepths::follow_edits() {
    if (edits_ == topology_->edits()) return;
    const std::size_t count = topology_->node_count(), faces = topology_->faces().size(), in_tree = tree_.tree().size();
    positions_.resize(count);
    source_.resize(count);
    requested_.resize(count);
    depths_.resize(count);
    has_tree_ = has_tree_ && edits_ + 1 == topology_->edits() && faces >= in_tree && 4 * (faces - in_tree) <= faces;
    if (has_tree_) tree_.rename(topology_->last_faces(), topology_->ranked_faces(), count);
    young_is_old_ = true;
    edits_ = topology_->edits();
}

void NodeDepths::request(std::span<const Index> nodes) {
    std::fill(requested_.begin(), requested_.end(), std::uint8_t{0});
    for (const Index node : nodes) requested_[topology_->rank()[node]] = 1;
    requested_order_.clear();
    for (Index node = 0; node < requested_.size(); ++node)
        if (requested_[node] != 0 && topology_->kinds()[node] == BodyTopology::Kind::inner)
            requested_order_.push_back(node);
}

void NodeDepths::request_all() {
    std::fill(requested_.begin(), requested_.end(), std::uint8_t{1});
    requested_order_.clear();
    for (Index node = 0; node < requested_.size(); ++node)
        if (topology_->kinds()[node] == BodyTopology::Kind::inner) requested_order_.push_back(node);
}

void NodeDepths::run(const DepthOptions& options) {
    options_ = options;
    served_ = 0;
    std::fill(source_.begin(), source_.end(), no_index);
    for (const Index node : topology_->boundary_nodes()) source_[node] = node;
    std::fill(depths_.begin(), depths_.end(), unknown);
    for (const Index node : topology_->boundary_nodes()) depths_[topology_->order()[node]] = 0;
    options.method == DepthMethod::exact ? query_tree() : march(options);
}

void NodeDepths::build_tree() {
    const auto faces = topology_->ranked_faces();
    tree_ = SurfaceTree(TriangleMesh{positions_, {faces.begin(), faces.end()}});
    young_ = {};
    young_is_old_ = false;
    has_tree_ = tree_is_fitted_ = true;
}

void NodeDepths::fit_tree() {
    if (!has_tree_) return build_tree();
    if (tree_is_fitted_) return;
    tree_.refit(positions_);
    fit_young();
    tree_is_fitted_ = true;
}

void NodeDepths::fit_young() {
    const auto faces = topology_->ranked_faces().subspan(tree_.tree().size());
    if (std::exchange(young_is_old_, false))
        young_ = faces.empty() ? SurfaceTree() : SurfaceTree(TriangleMesh{positions_, {faces.begin(), faces.end()}});
    else if (!faces.empty())
        young_.refit(positions_);
}

ClosestPoint NodeDepths::nearest(const Vec3& point, double max_distance) const {
    ClosestPoint found = tree_.closest(point, max_distance);
    if (found.found())
        query_young(point, found);
    else if (found = young_.closest(point, max_distance); found.found())
        found.triangle += static_cast<Index>(tree_.tree().size());
    return found;
}

SurfaceHit NodeDepths::first_hit(const Ray& ray, double t_max) const {
    SurfaceHit found = tree_.first_hit(ray, t_max);
    SurfaceHit other = young_.first_hit(ray, found.found() ? found.t : t_max);
    if (!(other.t < found.t)) return found;
    other.triangle += static_cast<Index>(tree_.tree().size());
    return other;
}

void NodeDepths::query_young(const Vec3& point, ClosestPoint& found) const {
    if (young_.tree().empty()) return;
    const ClosestPoint other = young_.closest(point, std::sqrt(found.squared_distance));
    if (!(other.squared_distance < found.squared_distance)) return;
    found = other;
    found.triangle += static_cast<Index>(tree_.tree().size());
}

void NodeDepths::query_tree() {
    fit_tree();
    if (tree_.tree().empty()) return;
    found_.resize(positions_.size());
    parallel_for(requested_order_.size(), query_chunk, [&](std::size_t begin, std::size_t end) {
        visit_closest(SurfaceView(tree_), positions_, std::span(requested_order_).subspan(begin, end - begin),
                      SurfaceTree::no_limit, found_);
        for (std::size_t k = begin; k < end; ++k)
            query_young(positions_[requested_order_[k]], found_[requested_order_[k]]);
    });
    for (const Index node : requested_order_) {
        source_[node] = found_[node].triangle;
        depths_[topology_->order()[node]] = std::sqrt(found_[node].squared_distance);
    }
}

// Half the mean length of some evenly picked edges: narrower buckets cost more than their order gains.
double NodeDepths::bucket_width() const {
    constexpr std::size_t most = 512;
    const std::size_t step = std::max<std::size_t>(1, positions_.size() / most);
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < positions_.size(); k += step) {
        const auto neighbours = topology_->inner_neighbours(static_cast<Index>(k));
        if (neighbours.empty()) continue;
        sum += (positions_[k] - positions_[neighbours.front()]).norm();
        ++count;
    }
    return count > 0 ? 0.5 * sum / static_cast<double>(count) : 0.0;
}

void NodeDepths::march(const DepthOptions& options) {
    level_.assign(positions_.size(), never);
    squared_.assign(positions_.size(), far);
    for (const Index node : topology_->boundary_nodes()) level_[node] = 0, squared_[node] = 0;
    left_ = requested_order_.size();
    queue_.reset(positions_.size(), bucket_width());
    if (options.method == DepthMethod::closest_point) {
        PointRule rule{*this};
        return march_by(rule);
    }
    frames_.resize(topology_->faces().size());
    for (Index face = 0; face < frames_.size(); ++face) frames_[face] = FaceFrame(corners(face));
    FeatureRule rule{*this};
    march_by(rule);
}

// A node may still be corrected while its neighbours are processed, that is for the length of an edge; then it is
// final. So the requested nodes are final a little after their buckets, and later nodes cannot change them: a march
// that stops there has the same bits as a complete one.
template <class Rule>
void NodeDepths::march_by(Rule& rule) {
    Index bucket = 0, last_requested = 0;
    const auto offer = [&](Index node, const auto& measure) {
        if (level_[node] < bucket && level_[node] + correction_buckets < bucket) return;
        const Nearest found = measure();
        if (!(found.squared < squared_[node])) return;
        squared_[node] = found.squared;
        source_[node] = found.source;
        queue_.put(node, std::max(bucket, queue_.bucket_of(std::sqrt(found.squared))));
    };
    rule.seed(offer);
    for (; bucket < BucketQueue::bucket_count && !queue_.empty() &&
           (left_ > 0 || bucket <= last_requested + correction_buckets);
         ++bucket)
        for (Index node = queue_.pop(bucket); node != no_index; node = queue_.pop(bucket)) {
            if (level_[node] == never) left_ -= requested_[node];
            if (requested_[node] != 0) last_requested = bucket;
            level_[node] = bucket;
            ++served_;
            rule.improve(node);
            rule.pass(node, offer);
        }
    for (std::size_t k = 0; k < level_.size(); ++k) {
        if (level_[k] == never)
            source_[k] = no_index; // only offered, never processed
        else
            depths_[topology_->order()[k]] = std::sqrt(squared_[k]);
    }
}

std::array<Vec3, 3> NodeDepths::corners(Index face) const {
    const Triangle& f = topology_->ranked_faces()[face];
    return {positions_[f[0]], positions_[f[1]], positions_[f[2]]};
}

BoundaryFeature NodeDepths::feature(Index node) const {
    const Index k = topology_->rank()[node], source = source_[k];
    BoundaryFeature result;
    if (source == no_index) return result;
    const bool by_node =
        topology_->kinds()[k] == BodyTopology::Kind::boundary || options_.method == DepthMethod::closest_point;
    if (by_node) {
        result.nodes[0] = topology_->order()[source];
        return result;
    }
    const Triangle& face = topology_->faces()[source];
    const Vec3 weights = closest_point(positions_[k], corners(source)).barycentric;
    std::size_t count = 0;
    for (std::size_t c = 0; c < 3; ++c)
        if (weights[static_cast<Eigen::Index>(c)] > 0 && (count == 0 || face[c] != result.nodes[count - 1]))
            result.nodes[count++] = face[c];
    std::sort(result.nodes.begin(), result.nodes.end());
    return result;
}

Vec3 NodeDepths::closest(Index node) const {
    const Index k = topology_->rank()[node], source = source_[k];
    if (source == no_index) return positions_[k];
    const bool by_node =
        topology_->kinds()[k] == BodyTopology::Kind::boundary || options_.method == DepthMethod::closest_point;
    return by_node ? positions_[source] : closest_point(positions_[k], corners(source)).point;
}

double NodeDepths::depth_at(const Vec3& point, std::span<const Index> near_nodes) const {
    if (options_.method == DepthMethod::exact) return std::sqrt(nearest(point).squared_distance);
    Nearest best;
    TriangleFeature part = TriangleFeature::face;
    const auto consider = [&](Index face) {
        const FaceDistance found = frames_[face](point);
        if (found.squared < best.squared) best = {found.squared, face}, part = found.part;
    };
    for (const Index node : near_nodes) {
        const Index k = topology_->rank()[node];
        if (source_[k] == no_index) continue;
        if (options_.method == DepthMethod::closest_point)
            best.keep((point - positions_[source_[k]]).squaredNorm(), source_[k]);
        else if (topology_->kinds()[k] == BodyTopology::Kind::boundary)
            for (const Index face : topology_->faces_round(k)) consider(face);
        else
            consider(source_[k]);
    }
    if (options_.method == DepthMethod::closest_feature && best.source != no_index)
        follow(*topology_, frames_, point, part, options_.surface_steps, best);
    return std::sqrt(best.squared);
}

std::size_t NodeDepths::memory_bytes() const {
    return positions_.size() * (sizeof(Vec3) + 2 * sizeof(double) + 6 * sizeof(Index) + 1) +
           found_.size() * sizeof(ClosestPoint) + frames_.size() * sizeof(FaceFrame) + tree_.memory_bytes() +
           young_.memory_bytes() + sizeof(queue_);
}

} // namespace fathom
