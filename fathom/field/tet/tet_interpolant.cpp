// Finds where linear interpolation gives depth 0 inside a body, and samples the depth there.
#include <fathom/field/tet/tet_interpolant.h>

#include <fathom/base/parallel.h>

#include <tuple>

namespace fathom {

namespace {

using EdgeKey = std::array<Index, 2>;

constexpr std::array<std::array<std::size_t, 2>, 6> tetrahedron_edges = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
constexpr std::size_t edge_between(std::size_t a, std::size_t b) { return a + b - (a == 0 || b == 0 ? 1 : 0); }

EdgeKey edge_key(const Tetrahedron& t, std::size_t edge) {
    const auto [low, high] = std::minmax(t[tetrahedron_edges[edge][0]], t[tetrahedron_edges[edge][1]]);
    return {low, high};
}

Triangle sorted(Triangle t) {
    std::sort(t.begin(), t.end());
    return t;
}

Triangle face_key(const Tetrahedron& t, std::size_t face) {
    const auto& f = tetrahedron_faces[face];
    return sorted(
        {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])], t[static_cast<std::size_t>(f[2])]});
}

template <class Key>
class KeySet {
public:
    void add(const Key& key) { keys_.push_back(key); }
    void finish() {
        std::sort(keys_.begin(), keys_.end());
        keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    }
    // Its index in ascending order, or no_index.
    [[nodiscard]] Index number(const Key& key) const {
        const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
        return found != keys_.end() && *found == key ? static_cast<Index>(found - keys_.begin()) : no_index;
    }
    [[nodiscard]] bool has(const Key& key) const { return number(key) != no_index; }
    [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

private:
    std::vector<Key> keys_;
};

std::size_t boundary_corners(const Tetrahedron& t, const BodyTopology& topology) {
    return static_cast<std::size_t>(std::count_if(
        t.begin(), t.end(), [&](Index node) { return topology.kind(node) == BodyTopology::Kind::boundary; }));
}

struct Surface {
    KeySet<EdgeKey> edges;
    KeySet<Triangle> faces;

    explicit Surface(const BodyTopology& topology) {
        for (const Triangle& f : topology.faces()) {
            const Triangle key = sorted(f);
            faces.add(key);
            for (const EdgeKey& edge : {EdgeKey{key[0], key[1]}, EdgeKey{key[0], key[2]}, EdgeKey{key[1], key[2]}})
                edges.add(edge);
        }
        faces.finish();
        edges.finish();
    }
};

} // namespace

TetInterpolant::TetInterpolant(std::span<const Tetrahedron> tetrahedra, const BodyTopology& topology,
                               DefectHandling handling)
    : tetrahedra_(tetrahedra.begin(), tetrahedra.end()), cut_of_(tetrahedra.size(), no_index),
      depths_(topology.node_count(), 0.0) {
    if (handling == DefectHandling::samples) find_cuts(topology);
    if (handling == DefectHandling::paper) find_centers(topology);
    sample_depths_.assign(parents_.size(), 0.0);
}

void TetInterpolant::find_centers(const BodyTopology& topology) {
    for (Index t = 0; t < tetrahedra_.size(); ++t) {
        if (boundary_corners(tetrahedra_[t], topology) < 4) continue;
        cut_of_[t] = static_cast<Index>(cuts_.size());
        cuts_.push_back({.center = static_cast<Index>(parents_.size())});
        parents_.push_back(tetrahedra_[t]);
    }
}

// Edges first, then the faces between boundary nodes or with such an edge, then the tetrahedra with either.
void TetInterpolant::find_cuts(const BodyTopology& topology) {
    const Surface surface(topology);
    const auto on_boundary = [&](Index node) { return topology.kind(node) == BodyTopology::Kind::boundary; };
    KeySet<EdgeKey> edges;
    KeySet<Triangle> faces;
    std::vector<Index> suspects;
    for (Index t = 0; t < tetrahedra_.size(); ++t) {
        if (boundary_corners(tetrahedra_[t], topology) < 2) continue;
        suspects.push_back(t);
        for (std::size_t e = 0; e < 6; ++e)
            if (const EdgeKey key = edge_key(tetrahedra_[t], e);
                on_boundary(key[0]) && on_boundary(key[1]) && !surface.edges.has(key))
                edges.add(key);
    }
    edges.finish();
    const auto face_needs_sample = [&](const Triangle& f) {
        if (edges.has({f[0], f[1]}) || edges.has({f[0], f[2]}) || edges.has({f[1], f[2]})) return true;
        return on_boundary(f[0]) && on_boundary(f[1]) && on_boundary(f[2]) && !surface.faces.has(f);
    };
    for (const Index t : suspects)
        for (std::size_t f = 0; f < 4; ++f)
            if (const Triangle key = face_key(tetrahedra_[t], f); face_needs_sample(key)) faces.add(key);
    faces.finish();

    for (const EdgeKey& e : edges.keys()) parents_.push_back({e[0], e[1], no_index, no_index});
    for (const Triangle& f : faces.keys()) parents_.push_back({f[0], f[1], f[2], no_index});
    const auto first_face = static_cast<Index>(edges.keys().size());
    for (const Index t : suspects) {
        Cut cut;
        bool any = boundary_corners(tetrahedra_[t], topology) == 4;
        for (std::size_t e = 0; e < 6; ++e)
            any |= (cut.edges[e] = edges.number(edge_key(tetrahedra_[t], e))) != no_index;
        for (std::size_t f = 0; f < 4; ++f)
            if (const Index number = faces.number(face_key(tetrahedra_[t], f)); number != no_index)
                cut.faces[f] = first_face + number, any = true;
        if (!any) continue;
        cut.center = static_cast<Index>(parents_.size());
        parents_.push_back(tetrahedra_[t]);
        cut_of_[t] = static_cast<Index>(cuts_.size());
        cuts_.push_back(cut);
    }
}

void TetInterpolant::update(const NodeDepths& depths, std::span<const Vec3> positions) {
    for (std::size_t k = 0; k < depths_.size(); ++k)
        depths_[k] = depths.depths()[k] == NodeDepths::unknown ? 0 : depths.depths()[k];
    parallel_for(parents_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            const Parents& parents = parents_[s];
            const auto count =
                static_cast<std::size_t>(std::find(parents.begin(), parents.end(), no_index) - parents.begin());
            Vec3 middle = Vec3::Zero();
            for (std::size_t k = 0; k < count; ++k) middle += positions[parents[k]] / static_cast<double>(count);
            const double depth = depths.depth_at(middle, std::span(parents).first(count));
            sample_depths_[s] = depth == NodeDepths::unknown ? 0 : depth;
        }
    });
}

// A tetrahedron is divided about its centre, the centres of its faces and the centres of its edges: the order of the
// weights identifies the piece, and the differences of consecutive sorted weights give the position in it.
TetWeights TetInterpolant::slopes(Index tetrahedron, const TetWeights& weights) const {
    const Tetrahedron& t = tetrahedra_[tetrahedron];
    TetWeights slope = {depths_[t[0]], depths_[t[1]], depths_[t[2]], depths_[t[3]]};
    if (!has_samples(tetrahedron)) return slope;
    const Cut& cut = cuts_[cut_of_[tetrahedron]];
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return std::tie(weights[a], a) < std::tie(weights[b], b); });
    const std::size_t first = order[0], second = order[1], third = order[2], last = order[3];
    const Index on_face = cut.faces[first], on_edge = cut.edges[edge_between(third, last)];
    // The third weight is the share of the edge's sample, and so on outward; shares without a sample go to the corners
    // themselves.
    if (on_face != no_index && on_edge != no_index) slope[third] = 2 * sample_depths_[on_edge] - slope[last];
    if (on_face != no_index) slope[second] = 3 * sample_depths_[on_face] - slope[third] - slope[last];
    slope[first] = 4 * sample_depths_[cut.center] - slope[second] - slope[third] - slope[last];
    return slope;
}

Interval TetInterpolant::range(Index tetrahedron) const {
    const Tetrahedron& t = tetrahedra_[tetrahedron];
    const auto [low, high] = std::minmax({depths_[t[0]], depths_[t[1]], depths_[t[2]], depths_[t[3]]});
    Interval range{low, high};
    if (!has_samples(tetrahedron)) return range;
    const Cut& cut = cuts_[cut_of_[tetrahedron]];
    const auto include = [&](Index s) {
        if (s != no_index) range = hull(range, Interval(sample_depths_[s]));
    };
    include(cut.center);
    for (const Index s : cut.faces) include(s);
    for (const Index s : cut.edges) include(s);
    return range;
}

} // namespace fathom
