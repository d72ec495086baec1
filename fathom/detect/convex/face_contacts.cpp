// Features of cores in a direction, and the clipping of two features.
#include <fathom/detect/convex/face_contacts.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom::convex {

namespace {

constexpr int rim_points = 16;
constexpr int max_corners = 32;
constexpr double least_cosine = 0.985; // of a face to the direction: 10 degrees
constexpr double most_sine = 0.17;     // of an edge to the plane across the direction

// A vertex, edge or face of a core, in the frame of A's core.
struct CoreFeature {
    Vec3 corners[max_corners];
    Index vertex[max_corners] = {}, edge[max_corners] = {}; // numbers of corner k, and of the edge from it to the next
    int count = 0;
    Index number = 0;
    Vec3 normal = Vec3::Zero(); // of its plane, outward

    void add(const Vec3& p, Index vertex_number, Index edge_number) {
        if (count == max_corners) return;
        corners[count] = p, vertex[count] = vertex_number, edge[count] = edge_number;
        ++count;
    }
};

void set_vertex(CoreFeature& f, const Vec3& p, Index number, const Vec3& n) {
    f.count = 0;
    f.add(p, number, number);
    f.number = number, f.normal = n;
}

void set_edge(CoreFeature& f, const Vec3& p, const Vec3& q, Index first, Index second, Index number, const Vec3& n) {
    f.count = 0;
    f.add(p, first, number);
    f.add(q, second, number);
    const Vec3 along = (q - p).stableNormalized();
    f.number = number, f.normal = (n - n.dot(along) * along).stableNormalized();
}

// ---- Boxes

Index box_edge(int corner, int axis) { // along the axis, from a corner
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return static_cast<Index>(8 + 4 * axis + ((corner >> u) & 1) + 2 * ((corner >> v) & 1));
}

Vec3 box_corner(const Vec3& half, int corner) {
    return {corner & 1 ? half.x() : -half.x(), corner & 2 ? half.y() : -half.y(), corner & 4 ? half.z() : -half.z()};
}

void box_feature(const Vec3& half, const Vec3& n, CoreFeature& f) {
    int axis = 0, along = 0;
    n.cwiseAbs().maxCoeff(&axis);
    n.cwiseAbs().minCoeff(&along);
    const int top = (n.x() > 0) + 2 * (n.y() > 0) + 4 * (n.z() > 0);
    if (std::abs(n[axis]) >= least_cosine) {
        const bool upper = n[axis] > 0;
        const int u = (axis + 1) % 3, v = (axis + 2) % 3, base = upper ? 1 << axis : 0;
        const int loop[4] = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v};
        const int edges[4] = {u, v, u, v};
        for (int k = 0; k < 4; ++k) {
            const int at = upper ? k : (4 - k) % 4, next = upper ? (k + 1) % 4 : (7 - k) % 4;
            f.add(box_corner(half, loop[at]), static_cast<Index>(loop[at]),
                  box_edge(loop[at] & loop[next], edges[upper ? k : 3 - k]));
        }
        f.number = static_cast<Index>(20 + 2 * axis + upper);
        f.normal = upper ? Vec3(Vec3::Unit(axis)) : Vec3(-Vec3::Unit(axis));
    } else if (std::abs(n[along]) <= most_sine) {
        const int low = top & ~(1 << along), high = top | 1 << along;
        set_edge(f, box_corner(half, low), box_corner(half, high), static_cast<Index>(low), static_cast<Index>(high),
                 box_edge(low, along), n);
    } else {
        set_vertex(f, box_corner(half, top), static_cast<Index>(top), n);
    }
}

// ---- Frusta

void rim(const Vec3& half, bool top, CoreFeature& f) {
    const double r = top ? half.y() : half.x(), z = top ? half.z() : -half.z();
    for (int k = 0; k < rim_points; ++k) {
        const int at = top ? k : rim_points - 1 - k; // counter-clockwise seen from outside
        const double angle = 2 * std::numbers::pi * at / rim_points;
        const auto number = static_cast<Index>((top ? rim_points : 0) + at);
        const Index edge = 2 * rim_points + (top ? number : number == 0 ? rim_points - 1 : number - 1);
        f.add({r * std::cos(angle), r * std::sin(angle), z}, number, edge);
    }
    f.number = 4 * rim_points + 1 + top;
    f.normal = {0, 0, top ? 1.0 : -1.0};
}

void frustum_feature(const Body& body, const Vec3& n, CoreFeature& f) {
    const Vec3& half = body.half;
    const bool upper = n.z() > 0;
    if (std::abs(n.z()) >= least_cosine && (upper ? half.y() : half.x()) > 0) return rim(half, upper, f);
    const Vec3 bottom = piece_point(body, 0, n).point, top = piece_point(body, 1, n).point;
    const auto near_rim = [&](int k) {
        const double turn = std::atan2(n.y(), n.x()) / (2 * std::numbers::pi);
        const auto at =
            static_cast<Index>((static_cast<int>(std::lround(turn * rim_points)) + rim_points) % rim_points);
        return static_cast<Index>(k) * rim_points + at;
    };
    const double length = (top - bottom).norm();
    if (length > 0 && std::abs((top - bottom).dot(n)) <= most_sine * length)
        return set_edge(f, bottom, top, near_rim(0), near_rim(1), 4 * rim_points, n);
    const Support s = support(body, n);
    set_vertex(f, s.point, near_rim(s.piece), n);
}

// ---- Hulls

void hull_face(const Hull& hull, std::size_t face, CoreFeature& f) {
    const auto corners = hull.face(face);
    const auto vertices = static_cast<Index>(hull.vertices.size()), edges = static_cast<Index>(hull.neighbors.size());
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const Index next = corners[(k + 1) % corners.size()];
        f.add(hull.vertices[corners[k]], corners[k], vertices + hull.edge_number(corners[k], next));
    }
    f.number = vertices + edges + static_cast<Index>(face);
    f.normal = hull.planes[face].normal;
}

void hull_feature(const Body& body, const Vec3& n, CoreFeature& f) {
    const Hull& hull = *body.hull;
    std::size_t best = 0;
    for (std::size_t k = 1; k < hull.face_count(); ++k)
        if (hull.planes[k].normal.dot(n) > hull.planes[best].normal.dot(n)) best = k;
    if (hull.face_count() > 0 && hull.planes[best].normal.dot(n) >= least_cosine) return hull_face(hull, best, f);
    const auto top = static_cast<std::size_t>(certain_support(body, n).piece);
    const Vec3& p = hull.vertices[top];
    double least = most_sine;
    Index other = no_index;
    for (const Index k : hull.neighbors_of(top)) {
        const double sine = n.dot(p - hull.vertices[k]) / (p - hull.vertices[k]).norm();
        if (sine <= least) least = sine, other = k;
    }
    const auto from = static_cast<Index>(top);
    if (other == no_index) return set_vertex(f, p, from, n);
    const auto vertices = static_cast<Index>(hull.vertices.size());
    set_edge(f, p, hull.vertices[other], from, other, vertices + hull.edge_number(from, other), n);
}

CoreFeature feature_of(const Body& body, const Vec3& n) {
    CoreFeature f;
    switch (body.core) {
    case Core::box:
        box_feature(body.half, n, f);
        break;
    case Core::frustum:
        frustum_feature(body, n, f);
        break;
    case Core::hull:
        hull_feature(body, n, f);
        break;
    case Core::segment:
        if (std::abs(n.z()) <= most_sine) {
            set_edge(f, {0, 0, -body.half.z()}, {0, 0, body.half.z()}, 0, 1, 2, n);
            break;
        }
        [[fallthrough]];
    default: {
        const Support s = support(body, n);
        set_vertex(f, s.point, static_cast<Index>(s.piece), n);
    }
    }
    return f;
}

// ---- Clipping

// A corner of the clipped feature of A, and the features it lies on; `edge` is that of the line to the next corner.
struct Corner {
    Vec2 at;
    Index of_a, of_b;
    Index edge;
    bool edge_of_a;
};

class Clipping {
public:
    Clipping(const Direction& direction, const CoreFeature& a, const CoreFeature& b)
        : n_(direction.normal), u_(any_perpendicular(n_)), v_(n_.cross(u_)), a_(a), b_(b) {}

    int run(double least, FaceContact* out) {
        for (int k = 0; k < a_.count; ++k)
            corners_[count_++] = {flat(a_.corners[k]), a_.vertex[k], b_.number, a_.edge[k], true};
        if (b_.count >= 3) {
            // B's face is clockwise seen along the direction.
            for (int k = b_.count - 1; k >= 0 && count_ > 0; --k) cut(k);
        } else {
            clip_by_edge();
        }
        int found = 0;
        for (int k = 0; k < count_ && found < max_face_contacts; ++k) {
            const Corner& c = corners_[k];
            const Vec3 lateral = c.at.x() * u_ + c.at.y() * v_;
            const double of_a = height(a_, c.at), of_b = height(b_, c.at);
            if (!(of_a - of_b >= least)) continue;
            out[found++] = {lateral + of_a * n_, lateral + of_b * n_, of_a - of_b, c.of_a, c.of_b};
        }
        return found;
    }

private:
    [[nodiscard]] Vec2 flat(const Vec3& p) const { return {p.dot(u_), p.dot(v_)}; }

    // Position along the direction of the plane of a feature.
    [[nodiscard]] double height(const CoreFeature& f, const Vec2& at) const {
        const Vec2 from = at - flat(f.corners[0]);
        return f.corners[0].dot(n_) - (f.normal.dot(u_) * from.x() + f.normal.dot(v_) * from.y()) / f.normal.dot(n_);
    }

    // Keeps what is on the inner side of edge k of B's face, which runs from its end to its start seen here.
    void cut(int k) {
        const int before = (k + 1) % b_.count;
        const Vec2 p = flat(b_.corners[before]), q = flat(b_.corners[k]);
        const Index edge = b_.edge[k];
        const Vec2 across(p.y() - q.y(), q.x() - p.x());
        if (!(across.squaredNorm() > 0)) return;
        const auto side = [&](const Vec2& x) { return across.dot(x - p); };
        // The corner of B between this edge and one that has cut before.
        const auto corner_with = [&](Index other) { return b_.vertex[other == b_.edge[before] ? before : k]; };
        Corner kept[2 * max_corners + 8];
        int kept_count = 0;
        const int last = a_.count == 2 ? count_ - 1 : count_; // an edge is not closed
        for (int i = 0; i < count_; ++i) {
            const Corner &c = corners_[i], &d = corners_[(i + 1) % count_];
            const double s = side(c.at), t = side(d.at);
            if (s >= 0) kept[kept_count++] = c;
            if ((s >= 0) == (t >= 0) || i >= last) continue;
            const Vec2 at = c.at + s / (s - t) * (d.at - c.at);
            Corner crossing{at, c.edge_of_a ? c.edge : a_.number, c.edge_of_a ? edge : corner_with(c.edge), c.edge,
                            c.edge_of_a};
            if (s >= 0 && a_.count > 2) crossing.edge = edge, crossing.edge_of_a = false; // the cut follows
            if (kept_count < 2 * max_corners) kept[kept_count++] = crossing;
        }
        count_ = std::min(kept_count, 2 * max_corners);
        std::copy(kept, kept + count_, corners_);
    }

    // B is an edge: cuts by the planes across its ends, and the part of A's feature that lies on its line.
    void clip_by_edge() {
        const Vec2 p = flat(b_.corners[0]), q = flat(b_.corners[1]);
        const double length = (q - p).norm();
        if (!(length > 0)) {
            count_ = 0;
            return;
        }
        const Vec2 along = (q - p) / length, across(-along.y(), along.x());
        if (a_.count == 2) return clip_edges(p, along, across, length);
        // B's edge against A's face.
        double first = 0, last = length;
        Index first_a = a_.number, last_a = a_.number, first_b = b_.vertex[0], last_b = b_.vertex[1];
        for (int k = 0; k < a_.count; ++k) {
            const Vec2 r = flat(a_.corners[k]), e = flat(a_.corners[(k + 1) % a_.count]) - r;
            const Vec2 inward(-e.y(), e.x());
            const double start = inward.dot(p - r), slope = inward.dot(along);
            if (slope == 0 && start < 0) last = -1;
            if (slope == 0) continue;
            const double t = -start / slope;
            if (slope > 0 && t > first) first = t, first_a = a_.edge[k], first_b = b_.edge[0];
            if (slope < 0 && t < last) last = t, last_a = a_.edge[k], last_b = b_.edge[0];
        }
        count_ = 0;
        if (first > last) return;
        corners_[count_++] = {p + first * along, first_a, first_b, 0, true};
        corners_[count_++] = {p + last * along, last_a, last_b, 0, true};
    }

    // Two edges that are nearly parallel and on one line share a stretch.
    void clip_edges(const Vec2& p, const Vec2& along, const Vec2& across, double length) {
        const Vec2 r = corners_[0].at, s = corners_[1].at;
        count_ = 0;
        if (std::abs(across.dot(s - r)) > most_sine * (s - r).norm()) return; // they cross at one point
        double first = along.dot(r - p), last = along.dot(s - p);
        Index first_a = a_.vertex[0], last_a = a_.vertex[1];
        if (first > last) std::swap(first, last), std::swap(first_a, last_a);
        Index first_b = b_.edge[0], last_b = b_.edge[0];
        if (first < 0) first = 0, first_a = a_.edge[0], first_b = b_.vertex[0];
        if (last > length) last = length, last_a = a_.edge[0], last_b = b_.vertex[1];
        if (first > last) return;
        const Vec2 middle = p + across * across.dot(0.5 * (r + s) - p);
        corners_[count_++] = {middle + first * along, first_a, first_b, 0, true};
        corners_[count_++] = {middle + last * along, last_a, last_b, 0, true};
    }

    Vec3 n_, u_, v_;
    const CoreFeature &a_, &b_;
    Corner corners_[2 * max_corners + 8];
    int count_ = 0;
};

} // namespace

int face_contacts(const Difference& d, const Direction& direction, double least,
                  FaceContact (&out)[max_face_contacts]) {
    const Vec3& n = direction.normal;
    const CoreFeature a = feature_of(d.a, n);
    CoreFeature b = feature_of(d.b, -(d.turn.transpose() * n));
    for (int k = 0; k < b.count; ++k) b.corners[k] = d.turn * b.corners[k] + d.move;
    b.normal = d.turn * b.normal;
    int count = 0;
    if (a.count > 1 && b.count > 1) count = Clipping(direction, a, b).run(least, out);
    // A touching vertex or crossing edges: one point.
    if (count == 0) out[count++] = {direction.on_a, direction.on_b, direction.height, a.number, b.number};
    return count;
}

int touching_corners(const Body& body, const Vec3& direction, FaceContact (&out)[max_face_contacts]) {
    const CoreFeature f = feature_of(body, direction);
    for (int k = 0; k < f.count; ++k) out[k] = {.on_a = f.corners[k], .feature_a = f.vertex[k]};
    return f.count;
}

void place_points(const Difference& d, Direction& direction) {
    const Vec3& n = direction.normal;
    FaceContact contacts[max_face_contacts];
    const DifferencePoint top = d.certainly_farthest(n);
    const CoreFeature a = feature_of(d.a, n), b = feature_of(d.b, -(d.turn.transpose() * n));
    // The point of a vertex is the deepest itself; the point of the other core follows.
    if (a.count == 1) {
        direction.on_a = top.a, direction.on_b = top.a - direction.height * n;
    } else {
        direction.on_b = top.b, direction.on_a = top.b + direction.height * n;
    }
    const int count = a.count > 1 && b.count > 1 ? face_contacts(d, direction, -HUGE_VAL, contacts) : 0;
    if (count < 2 && a.count == 2 && b.count == 2) { // edges that cross
        const Vec3 p = a.corners[0], e = a.corners[1] - p, f = d.turn * (b.corners[1] - b.corners[0]);
        const Vec3 from = d.turn * b.corners[0] + d.move - p, plane = f.cross(n);
        const double across = plane.dot(e);
        if (across == 0) return;
        direction.on_a = p + std::clamp(plane.dot(from) / across, 0.0, 1.0) * e;
        direction.on_b = direction.on_a - direction.height * n;
    }
    if (count < 2) return;
    double deepest = -HUGE_VAL;
    for (int k = 0; k < count; ++k) deepest = std::max(deepest, contacts[k].depth);
    Vec3 sum = Vec3::Zero();
    int summed = 0;
    for (int k = 0; k < count; ++k)
        if (contacts[k].depth >= deepest - 1e-9 * d.size) sum += contacts[k].on_a, ++summed;
    direction.on_a = sum / summed;
    direction.on_b = direction.on_a - direction.height * n;
}

} // namespace fathom::convex
