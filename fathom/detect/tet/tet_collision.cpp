// Collision detection of two tetrahedral bodies for one step.
#include <fathom/detect/tet/tet_collision.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/primitive/tetrahedron_tetrahedron.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fathom::tet {

// ---- Edges of one body, clipped by the tetrahedra of another and chained

namespace {

constexpr std::size_t segment_chunk = 128;
constexpr double sure_by = 0x1p37; // an estimate this many times larger than its error has a relative error below 1e-11

// Six times the signed volume above a plane, with an exact sign and a relative error below 1e-11.
double height(const PlaneSide& plane, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
    const auto [value, bound] = plane.estimate(p);
    return std::abs(value) > sure_by * bound ? value : orient3d_value(a, b, c, p);
}

// The interval of a segment in a tetrahedron, and the barycentric weights at both ends of the segment (up to a common
// factor).
struct Stretch {
    Index tetrahedron;
    double enter = 0, leave = 1;
    std::array<double, 4> at_start, at_end;

    [[nodiscard]] std::array<double, 4> weights(double fraction) const {
        std::array<double, 4> w;
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const double whole = std::abs(at_start[k]) + std::abs(at_end[k]);
            w[k] = (1 - fraction) * at_start[k] + fraction * at_end[k];
            // On the face itself only rounding remains.
            sum += w[k] = w[k] > shortest_stay * whole ? w[k] : 0.0;
        }
        for (double& x : w) x = sum > 0 ? x / sum : 0.25;
        return w;
    }
    friend bool operator<(const Stretch& s, const Stretch& t) {
        return s.enter != t.enter ? s.enter < t.enter : s.tetrahedron < t.tetrahedron;
    }
};

double fraction_of_crossing(double from, double to) {
    const double f = from / (from - to);
    return f >= 0 && f <= 1 ? f : 0.5; // beyond the range of double
}

// Corners of a tetrahedron by ascending vertex, so that neighbours compute a common face from the same numbers in the
// same order.
std::array<std::size_t, 4> ascending(const Tetrahedron& t) {
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    const auto exchange = [&](std::size_t i, std::size_t j) {
        if (t[order[j]] < t[order[i]]) std::swap(order[i], order[j]);
    };
    exchange(0, 1), exchange(2, 3), exchange(0, 2), exchange(1, 3), exchange(1, 2);
    return order;
}

std::optional<Stretch> clip(const TetBody& b, Index tetrahedron, const Segment& segment) {
    const Tetrahedron& t = b.topology.tetrahedra()[tetrahedron];
    const auto order = ascending(t);
    const std::array<const Vec3*, 4> corner = {&b.vertices[t[order[0]]], &b.vertices[t[order[1]]],
                                               &b.vertices[t[order[2]]], &b.vertices[t[order[3]]]};
    const int volume = orient3d(*corner[0], *corner[1], *corner[2], *corner[3]);
    if (volume == 0) return {};
    Stretch found{tetrahedron, 0, 1, {}, {}};
    for (std::size_t k = 0; k < 4; ++k) {
        const Vec3 &p = *corner[k == 0 ? 1 : 0], &q = *corner[k <= 1 ? 2 : 1], &r = *corner[k <= 2 ? 3 : 2];
        const PlaneSide plane(p, q, r);
        const double inside = (k % 2 == 1 ? volume : -volume); // the sign on the side of corner k
        const double from = inside * height(plane, p, q, r, segment.start),
                     to = inside * height(plane, p, q, r, segment.end);
        if (from < 0 && to < 0) return {};
        if (from < 0) found.enter = std::max(found.enter, to > 0 ? fraction_of_crossing(from, to) : 1.0);
        if (to < 0) found.leave = std::min(found.leave, from > 0 ? fraction_of_crossing(from, to) : 0.0);
        found.at_start[order[k]] = from;
        found.at_end[order[k]] = to;
    }
    if (!(found.enter < found.leave)) return {};
    return found;
}

// Joins sorted intervals into chains: each begins a new chain, continues the last one, or adds nothing.
class Chainer {
public:
    explicit Chainer(SegmentsInTets& out) : out_(out) {}

    void add(Index edge, std::vector<Stretch>& stretches) {
        std::sort(stretches.begin(), stretches.end());
        begin_ = out_.pieces.size();
        for (const Stretch& s : stretches) {
            const bool goes_on = out_.pieces.size() > begin_ && s.enter <= out_.pieces.back().leave + shortest_stay;
            if (!goes_on) close(edge);
            const double from = goes_on ? out_.pieces.back().leave : s.enter;
            if (s.leave > from)
                out_.pieces.push_back({s.tetrahedron, from, s.leave, s.weights(from), s.weights(s.leave)});
        }
        close(edge);
    }

private:
    void close(Index edge) {
        if (out_.pieces.size() == begin_) return;
        const double enter = out_.pieces[begin_].enter, leave = out_.pieces.back().leave;
        if (leave - enter > shortest_stay)
            out_.chains.push_back(
                {edge, enter, leave, static_cast<Index>(begin_), static_cast<Index>(out_.pieces.size() - begin_)});
        else
            out_.pieces.resize(begin_);
        begin_ = out_.pieces.size();
    }

    SegmentsInTets& out_;
    std::size_t begin_ = 0;
};

bool names(const Tetrahedron& t, const Edge& edge) {
    return std::any_of(t.begin(), t.end(), [&](Index v) { return v == edge[0] || v == edge[1]; });
}

void append(SegmentsInTets& all, const SegmentsInTets& part) {
    const auto shift = static_cast<Index>(all.pieces.size());
    for (InsideChain chain : part.chains) {
        chain.first_piece += shift;
        all.chains.push_back(chain);
    }
    all.pieces.insert(all.pieces.end(), part.pieces.begin(), part.pieces.end());
}

} // namespace

SegmentsInTets segments_in_tets(const TetBody& a, std::span<const Edge> edges, const TetBody& b, const TetZone& zone) {
    const bool same = a.is(b);
    std::vector<SegmentsInTets> parts((edges.size() + segment_chunk - 1) / segment_chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        Chainer chainer(parts[k]);
        std::vector<Stretch> stretches;
        for (std::size_t e = k * segment_chunk; e < std::min(edges.size(), (k + 1) * segment_chunk); ++e) {
            // From the lower vertex to the higher: the same bits for every caller.
            const Segment segment{a.vertices[edges[e][0]], a.vertices[edges[e][1]]};
            if (!zone.reach().overlaps(segment.bounds())) continue;
            stretches.clear();
            zone.hash().visit_segment(segment, [&](Index place) {
                const Index t = zone.tetrahedra()[place];
                if (same && names(b.topology.tetrahedra()[t], edges[e])) return true;
                if (const auto found = clip(b, t, segment)) stretches.push_back(*found);
                return true;
            });
            if (!stretches.empty()) chainer.add(static_cast<Index>(e), stretches);
        }
    });
    SegmentsInTets all;
    for (const SegmentsInTets& part : parts) append(all, part);
    return all;
}

SegmentsInTets segments_in_tets(const TetBody& a, const TetBody& b) {
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return {};
    TetZone zone;
    zone.update(b, common);
    return segments_in_tets(a, a.topology.boundary_edges(), b, zone);
}

// ---- Overlapping tetrahedra of bodies

std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetZone& zone_a, const TetBody& b,
                                           const TetZone& zone_b) {
    std::vector<IdPair> pairs;
    zone_b.hash().find_pairs(zone_a.boxes(), pairs);
    for (IdPair& pair : pairs) pair = {zone_a.tetrahedra()[pair[0]], zone_b.tetrahedra()[pair[1]]};
    return overlapping_tetrahedra(a.set(), b.set(), pairs);
}

std::vector<IdPair> overlapping_tetrahedra(const TetBody& a, const TetBody& b) {
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return {};
    TetZone zone_a, zone_b;
    zone_a.update(a, common);
    zone_b.update(b, common);
    return overlapping_tetrahedra(a, zone_a, b, zone_b);
}

// ---- Vertices of one body in the tetrahedra of another

namespace {

constexpr std::size_t point_chunk = 256;

bool names(const Tetrahedron& t, Index vertex) { return std::find(t.begin(), t.end(), vertex) != t.end(); }

// The lowest tetrahedron that contains the vertex, or no_index.
Index holder(const TetBody& a, Index vertex, const TetBody& b, const TetZone& zone) {
    const auto tetrahedra = b.topology.tetrahedra();
    const bool same = a.is(b);
    Index best = no_index;
    if (!zone.reach().contains(a.vertices[vertex])) return best;
    zone.hash().visit_containing(a.vertices[vertex], [&](Index place) {
        const Index t = zone.tetrahedra()[place];
        if (t < best && !(same && names(tetrahedra[t], vertex)) &&
            tetrahedron_contains(b.set().corners(t), a.vertices[vertex]))
            best = t;
        return true;
    });
    return best;
}

} // namespace

std::array<double, 4> barycentric_coordinates(const std::array<Vec3, 4>& t, const Vec3& p) {
    std::array<double, 4> weight = {orient3d_value(p, t[1], t[2], t[3]), orient3d_value(t[0], p, t[2], t[3]),
                                    orient3d_value(t[0], t[1], p, t[3]), orient3d_value(t[0], t[1], t[2], p)};
    const double sum = weight[0] + weight[1] + weight[2] + weight[3];
    for (double& w : weight) w = w / sum + 0.0; // avoids -0
    return weight;
}

std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const TetZone& zone,
                                       const PointsInTetsOptions& options) {
    const auto vertices = options.boundary_only ? a.topology.boundary_vertices() : a.topology.used_vertices();
    std::vector<std::vector<PointInTet>> parts((vertices.size() + point_chunk - 1) / point_chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        for (std::size_t i = k * point_chunk; i < std::min(vertices.size(), (k + 1) * point_chunk); ++i) {
            const Index t = holder(a, vertices[i], b, zone);
            if (t != no_index)
                parts[k].push_back(
                    {vertices[i], t, barycentric_coordinates(b.set().corners(t), a.vertices[vertices[i]])});
        }
    });
    std::vector<PointInTet> found;
    for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
    return found;
}

std::vector<PointInTet> points_in_tets(const TetBody& a, const TetBody& b, const PointsInTetsOptions& options) {
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return {};
    TetZone zone;
    zone.update(b, common);
    return points_in_tets(a, b, zone, options);
}

TetCollision TetCollider::collide(const TetBody& a, const TetBody& b) {
    TetCollision found;
    const Box common = intersection(bounds(a), bounds(b));
    if (common.empty()) return found;
    zone_a_.update(a, common);
    zone_b_.update(b, common);
    if (options_.pairs) found.pairs = overlapping_tetrahedra(a, zone_a_, b, zone_b_);
    if (options_.points) {
        const PointsInTetsOptions which{.boundary_only = options_.boundary_points_only};
        found.a_in_b = points_in_tets(a, b, zone_b_, which);
        found.b_in_a = points_in_tets(b, a, zone_a_, which);
    }
    if (options_.segments) {
        found.edges_of_a = segments_in_tets(a, a.topology.boundary_edges(), b, zone_b_);
        found.edges_of_b = segments_in_tets(b, b.topology.boundary_edges(), a, zone_a_);
    }
    return found;
}

std::vector<Index> nodes_in_contact(const TetBody& holder, std::span<const PointInTet> points,
                                    const SegmentsInTets& segments) {
    std::vector<std::uint8_t> visited(holder.topology.vertex_count(), 0);
    const auto visit = [&](Index tetrahedron) {
        for (const Index v : holder.topology.tetrahedra()[tetrahedron]) visited[v] = 1;
    };
    for (const PointInTet& point : points) visit(point.tetrahedron);
    for (const InsidePiece& piece : segments.pieces) visit(piece.tetrahedron);
    std::vector<Index> nodes;
    for (std::size_t v = 0; v < visited.size(); ++v)
        if (visited[v]) nodes.push_back(static_cast<Index>(v));
    return nodes;
}

} // namespace fathom::tet
