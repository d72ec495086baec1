// Evaluates depths and separating directions at points and along chains, and combines them into pushes.
#include <fathom/response/tet_pushes.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t chunk = 64;

using Weights = std::array<double, 4>;

// A point in a tetrahedron.
struct Spot {
    Index tetrahedron;
    Weights weights;
    Vec3 point;
};

struct PushSeparation {
    double depth = 0;
    Vec3 direction = Vec3::Zero(); // unit separating direction, or 0 if unknown
};

// Data of the previous point, which is often close to the next one: the candidate faces of its tetrahedron, and its
// depth.
struct Hint {
    Index tetrahedron = no_index;
    std::vector<Index> faces;
    Vec3 point = Vec3::Zero();
    double depth = std::numeric_limits<double>::infinity();

    // Upper bound on the distance of p to the closest point of the boundary.
    [[nodiscard]] double farthest(const Vec3& p) const { return (1 + 1e-9) * (depth + (p - point).norm()); }
};

Vec3 weighted(const tet::TetBody& body, Index tetrahedron, const Weights& weights) {
    const Tetrahedron& t = body.topology.tetrahedra()[tetrahedron];
    return weights[0] * body.vertices[t[0]] + weights[1] * body.vertices[t[1]] + weights[2] * body.vertices[t[2]] +
           weights[3] * body.vertices[t[3]];
}

// Depth and separating direction for one pair of bodies. `own` are vertices of the intruder: if intruder and holder are
// the same body, faces with these vertices are ignored.
class PushSeparationQuery {
public:
    PushSeparationQuery(const PushIntruder& a, const PushHolder& b, const TetPushOptions& options)
        : b_(b), options_(options), same_(a.body.is(b.body)) {
        if (same_ && b.method == DepthMethod::exact)
            throw Error(Cause::invalid_argument,
                        "self-collision has no exact depth; use closest_feature or closest_point",
                        {.element = "option method"});
    }

    [[nodiscard]] PushSeparation operator()(const Spot& spot, std::span<const Index> own, Hint& hint) const {
        const bool read_depth = options_.depth == PushDepth::interpolated,
                   read_direction = options_.direction == PushDirection::gradient;
        PushSeparation way;
        if (read_depth || read_direction) way = read(spot, read_direction);
        const bool depth_known = read_depth && way.depth > 0,
                   direction_known = read_direction && !way.direction.isZero();
        if (depth_known && direction_known) return way;
        const PushSeparation measured = measure(spot, own, hint);
        return {depth_known ? way.depth : measured.depth, direction_known ? way.direction : measured.direction};
    }

private:
    // The interpolated depth, and the direction of its steepest descent.
    [[nodiscard]] PushSeparation read(const Spot& spot, bool with_direction) const {
        const Tetrahedron& t = b_.body.topology.tetrahedra()[spot.tetrahedron];
        const auto depths = b_.depths.depths();
        PushSeparation way;
        for (std::size_t k = 0; k < 4; ++k) way.depth += spot.weights[k] * depths[t[k]];
        if (!std::isfinite(way.depth)) way.depth = 0;
        if (!with_direction) return way;
        Mat3 edges;
        Vec3 rises;
        for (int k = 0; k < 3; ++k) {
            edges.row(k) = (b_.body.vertices[t[static_cast<std::size_t>(k)]] - b_.body.vertices[t[3]]).transpose();
            rises[k] = depths[t[static_cast<std::size_t>(k)]] - depths[t[3]];
        }
        const Vec3 gradient = edges.inverse() * rises;
        const double steepness = gradient.norm();
        if (std::isfinite(steepness) && steepness > 0) way.direction = -gradient / steepness;
        return way;
    }

    [[nodiscard]] PushSeparation measure(const Spot& spot, std::span<const Index> own, Hint& hint) const {
        const Vec3 gap = (b_.method == DepthMethod::exact ? nearest_of_all(spot.point, hint)
                                                          : nearest_by_features(spot, own, hint)) -
                         spot.point;
        const double depth = gap.norm();
        return depth > 0 && std::isfinite(depth) ? PushSeparation{depth, gap / depth} : PushSeparation{};
    }

    [[nodiscard]] Vec3 nearest_of_all(const Vec3& point, Hint& hint) const {
        const ClosestPoint found = b_.depths.nearest(point, hint.farthest(point));
        hint.point = point;
        hint.depth = std::sqrt(found.squared_distance);
        return found.found() ? found.point : point;
    }

    // The closest point on the faces around the closest features of the corners.
    [[nodiscard]] Vec3 nearest_by_features(const Spot& spot, std::span<const Index> own, Hint& hint) const {
        if (hint.tetrahedron != spot.tetrahedron) gather(spot.tetrahedron, hint);
        double best = std::numeric_limits<double>::infinity();
        Vec3 nearest = spot.point;
        for (const Index face : hint.faces) {
            const Triangle& f = b_.depths.topology().faces()[face];
            if (same_ &&
                std::any_of(own.begin(), own.end(), [&](Index v) { return v == f[0] || v == f[1] || v == f[2]; }))
                continue;
            const ClosestOnTriangle found =
                closest_point(spot.point, std::array<Vec3, 3>{b_.body.vertices[f[0]], b_.body.vertices[f[1]],
                                                              b_.body.vertices[f[2]]});
            if (found.squared_distance < best) best = found.squared_distance, nearest = found.point;
        }
        return nearest;
    }

    void gather(Index tetrahedron, Hint& hint) const {
        const BodyTopology& topology = b_.depths.topology();
        hint.tetrahedron = tetrahedron;
        hint.faces.clear();
        for (const Index node : b_.body.topology.tetrahedra()[tetrahedron])
            for (const Index part : b_.depths.feature(node).nodes)
                if (part != no_index) {
                    const auto round = topology.faces_round(topology.rank()[part]);
                    hint.faces.insert(hint.faces.end(), round.begin(), round.end());
                }
        std::sort(hint.faces.begin(), hint.faces.end());
        hint.faces.erase(std::unique(hint.faces.begin(), hint.faces.end()), hint.faces.end());
    }

    const PushHolder& b_;
    TetPushOptions options_;
    bool same_;
};

void add_holder(WeightedContact& contact, const PushHolder& b, const Spot& spot) {
    const Tetrahedron& t = b.body.topology.tetrahedra()[spot.tetrahedron];
    for (std::size_t k = 0; k < 4; ++k) {
        contact.points[contact.count] = b.points[t[k]];
        contact.weights[contact.count++] = -spot.weights[k];
    }
}

// ---- Chains.

struct ChainSample {
    double fraction; // position along the edge
    double weight;   // weight in the integral over the fractions
    PushSeparation way;
};

Weights between(const tet::InsidePiece& piece, double share) {
    Weights w;
    for (std::size_t k = 0; k < 4; ++k) w[k] = (1 - share) * piece.at_enter[k] + share * piece.at_leave[k];
    return w;
}

Spot spot_at(const PushHolder& b, std::span<const tet::InsidePiece> pieces, double fraction) {
    const auto piece =
        std::find_if(pieces.begin(), pieces.end() - 1, [&](const tet::InsidePiece& p) { return fraction <= p.leave; });
    const double share = std::clamp((fraction - piece->enter) / (piece->leave - piece->enter), 0.0, 1.0);
    Spot spot{piece->tetrahedron, between(*piece, share), {}};
    spot.point = weighted(b.body, piece->tetrahedron, spot.weights);
    return spot;
}

// The intervals of a chain in which the depth is approximated as linear. An interpolated depth is linear in each piece.
// A measured depth does not depend on the pieces, and its slope changes most where the chain ends on the boundary; a
// single interval with both ends there would have no depth.
void find_stretches(std::span<const tet::InsidePiece> pieces, const TetPushOptions& options,
                    std::vector<double>& ends) {
    const double enter = pieces.front().enter, leave = pieces.back().leave;
    const bool by_pieces = options.depth == PushDepth::interpolated && pieces.size() > 1,
               whole = enter == 0 && leave == 1;
    ends.assign(1, enter);
    if (by_pieces)
        for (const tet::InsidePiece& piece : pieces) ends.push_back(piece.leave);
    else if (!whole)
        ends.push_back(0.5 * (enter + leave));
    if (!by_pieces) ends.push_back(leave);
}

struct ChainScratch {
    std::vector<double> ends;
    std::vector<ChainSample> samples;
    Hint hint;
};

// Two-point Gauss rule in each interval.
void sample_chain(const PushHolder& b, std::span<const tet::InsidePiece> pieces, const Edge& edge,
                  const PushSeparationQuery& ways, const TetPushOptions& options, ChainScratch& scratch) {
    constexpr double gauss = 0.21132486540518712;
    find_stretches(pieces, options, scratch.ends);
    scratch.samples.clear();
    for (std::size_t k = 1; k < scratch.ends.size(); ++k)
        for (const double at : {gauss, 1 - gauss}) {
            const double length = scratch.ends[k] - scratch.ends[k - 1], fraction = scratch.ends[k - 1] + at * length;
            scratch.samples.push_back({fraction, 0.5 * length, ways(spot_at(b, pieces, fraction), edge, scratch.hint)});
        }
}

// Integrals over the chain: of the depth, of its square, and of the depth times the separating direction.
struct ChainSum {
    double depth = 0, square = 0;
    Vec3 push = Vec3::Zero();
};

ChainSum sum_of(std::span<const ChainSample> samples) {
    ChainSum sum;
    for (const ChainSample& s : samples) {
        sum.depth += s.weight * s.way.depth;
        sum.square += s.weight * s.way.depth * s.way.depth;
        sum.push += s.weight * s.way.depth * s.way.direction;
    }
    return sum;
}

// The push has the force (area * depth = integral of depth along the direction) and the energy (area * depth^2 =
// integral of depth^2) of the whole chain. If the separating directions of its parts disagree, these conditions would
// give a large depth over a small area; the push is then reduced.
TetPush lumped(std::span<const ChainSample> samples, double edge_area, double& fraction) {
    constexpr double at_odds = 0.5;
    const ChainSum sum = sum_of(samples);
    TetPush push;
    const double strength = sum.push.norm();
    if (!(strength > 1e-9 * sum.depth)) return push;
    const double agreement = strength / sum.depth;
    push.contact.separating_direction = sum.push / strength;
    push.contact.depth =
        sum.square / sum.depth * (agreement > at_odds ? 1 / agreement : agreement / (at_odds * at_odds));
    push.contact.area = edge_area * strength / push.contact.depth;
    double moment = 0, along = 0;
    for (const ChainSample& s : samples) {
        const double cosine = s.way.direction.dot(push.contact.separating_direction);
        moment += s.weight * s.way.depth * cosine * s.fraction;
        along += s.weight * cosine * cosine;
    }
    fraction = std::clamp(moment / strength, samples.front().fraction, samples.back().fraction);
    // The derivative of square / strength along the direction, where d(depth) = -cosine.
    push.rate = std::clamp(2 - sum.square * along / (strength * strength), 0.25, 1.0);
    return push;
}

} // namespace

BoundaryAreas boundary_areas(const tet::TetBody& body) {
    const auto triangles = body.topology.boundary();
    const EdgeTable table = edge_table(triangles, body.topology.vertex_count());
    BoundaryAreas areas{std::vector<double>(body.topology.vertex_count(), 0.0),
                        std::vector<double>(table.edges.size(), 0.0)};
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Triangle& v = triangles[t];
        const double third = area_vector({body.vertices[v[0]], body.vertices[v[1]], body.vertices[v[2]]}).norm() / 6;
        for (std::size_t k = 0; k < 3; ++k) {
            areas.of_vertex[v[k]] += third;
            if (table.of_triangle[t][k] != no_index) areas.of_edge[table.of_triangle[t][k]] += third;
        }
    }
    return areas;
}

std::vector<TetPush> point_pushes(const PushIntruder& a, const PushHolder& b, std::span<const tet::PointInTet> points,
                                  const TetPushOptions& options) {
    const PushSeparationQuery ways(a, b, options);
    std::vector<TetPush> pushes(points.size());
    parallel_for(points.size(), chunk, [&](std::size_t begin, std::size_t end) {
        Hint hint;
        for (std::size_t k = begin; k < end; ++k) {
            const Index vertex = points[k].vertex;
            const Spot spot{points[k].tetrahedron, points[k].barycentric, a.body.vertices[vertex]};
            const PushSeparation way = ways(spot, std::span(&vertex, 1), hint);
            TetPush& push = pushes[k];
            push.position = spot.point;
            push.contact = {.points = {a.points[vertex]},
                            .weights = {1},
                            .count = 1,
                            .separating_direction = way.direction,
                            .depth = way.depth,
                            .area = a.areas.of_vertex[vertex]};
            if (way.direction.isZero()) push.contact.depth = 0;
            add_holder(push.contact, b, spot);
        }
    });
    return pushes;
}

std::vector<TetPush> segment_pushes(const PushIntruder& a, const PushHolder& b, const tet::SegmentsInTets& found,
                                    const TetPushOptions& options) {
    const PushSeparationQuery ways(a, b, options);
    std::vector<TetPush> pushes(found.chains.size());
    parallel_for(pushes.size(), chunk, [&](std::size_t begin, std::size_t end) {
        ChainScratch scratch;
        for (std::size_t k = begin; k < end; ++k) {
            const tet::InsideChain& chain = found.chains[k];
            const auto pieces = found.pieces_of(chain);
            const Edge& edge = a.body.topology.boundary_edges()[chain.edge];
            double fraction = 0.5 * (chain.enter + chain.leave);
            sample_chain(b, pieces, edge, ways, options, scratch);
            TetPush& push = pushes[k] = lumped(scratch.samples, a.areas.of_edge[chain.edge], fraction);
            const Spot spot = spot_at(b, pieces, fraction);
            push.position = spot.point;
            push.contact.points[0] = a.points[edge[0]];
            push.contact.points[1] = a.points[edge[1]];
            push.contact.weights[0] = 1 - fraction;
            push.contact.weights[1] = fraction;
            push.contact.count = 2;
            add_holder(push.contact, b, spot);
        }
    });
    return pushes;
}

} // namespace fathom
