// Edges of one body clipped by the tetrahedra of another, and chained.
#include <fathom/base/parallel.h>
#include <fathom/detect/tet/segments_in_tets.h>
#include <fathom/geometry/exact/predicates.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fathom {

namespace {

constexpr std::size_t chunk = 128;
constexpr double sure_by = 0x1p37; // an estimate this often its own error has a relative error below 1e-11

// Six times the volume over a plane, with its sign exact and its relative error below 1e-11.
double height(const PlaneSide& plane, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
    const auto [value, bound] = plane.estimate(p);
    return std::abs(value) > sure_by * bound ? value : orient3d_value(a, b, c, p);
}

// A tetrahedron's stretch of a segment, and how its corners weigh at both ends of that segment (to a common factor).
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
            // On the face itself rounding is all that is left.
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

// Corners of a tetrahedron by ascending vertex, so that neighbours build a common face from the same numbers in the
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
        const double inside = (k % 2 == 1 ? volume : -volume); // the sign on which corner k lies
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

// Sorted stretches into chains: each begins a new one, or goes on from where the last ended, or adds nothing.
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

double depth_at(const Tetrahedron& t, const std::array<double, 4>& weights, std::span<const double> node_depths) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += weights[k] * node_depths[t[k]];
    return sum;
}

} // namespace

SegmentsInTets segments_in_tets(const TetBody& a, std::span<const Edge> edges, const TetBody& b, const TetZone& zone) {
    const bool same = a.is(b);
    std::vector<SegmentsInTets> parts((edges.size() + chunk - 1) / chunk);
    parallel_tasks(parts.size(), [&](std::size_t k) {
        Chainer chainer(parts[k]);
        std::vector<Stretch> stretches;
        for (std::size_t e = k * chunk; e < std::min(edges.size(), (k + 1) * chunk); ++e) {
            // From the lower vertex to the higher: the same bits whoever asks.
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

ChainDepth depth_along(const SegmentsInTets& found, const InsideChain& chain, double edge_length, const TetBody& b,
                       std::span<const double> node_depths) {
    ChainDepth depth{0, 0, -std::numeric_limits<double>::infinity(), 0};
    const auto pieces = found.pieces_of(chain);
    for (const InsidePiece& piece : pieces) {
        const Tetrahedron& t = b.topology.tetrahedra()[piece.tetrahedron];
        const double from = depth_at(t, piece.at_enter, node_depths), to = depth_at(t, piece.at_leave, node_depths);
        if (&piece == &pieces.front()) depth.at_enter = from;
        depth.at_leave = to;
        depth.deepest = std::max({depth.deepest, from, to});
        depth.integral += 0.5 * (from + to) * (piece.leave - piece.enter) * edge_length;
    }
    return depth;
}

} // namespace fathom
