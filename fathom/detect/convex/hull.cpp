// Hulls of points through Qhull's reentrant library; flat hulls in their own plane.
#include <fathom/detect/convex/hull.h>

#include <fathom/base/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace fathom::convex {

namespace {

constexpr double flat_share = 1e-12; // of the size: points this close to a plane, line or point lie on it

// Points by which the dimension of the set is seen: each is the farthest from the span of those before it.
struct Spread {
    int dimension = 0;
    Vec3 origin = Vec3::Zero(), along = Vec3::Zero(), across = Vec3::Zero(), normal = Vec3::Zero(); // orthonormal
};

template <class Measure>
Vec3 farthest(std::span<const Vec3> points, const Measure& measure) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& p, const Vec3& q) { return measure(p) < measure(q); });
}

Spread spread_of(std::span<const Vec3> points) {
    Spread s{.origin = points.front()};
    double magnitude = 0;
    for (const Vec3& p : points) magnitude = std::max(magnitude, p.cwiseAbs().maxCoeff());
    const Vec3 end = farthest(points, [&](const Vec3& p) { return (p - s.origin).squaredNorm(); });
    s.origin = farthest(points, [&](const Vec3& p) { return (p - end).squaredNorm(); });
    const double size = (end - s.origin).norm();
    const double flat = std::max(flat_share * size, 4e-16 * magnitude);
    if (!(size > flat)) return s;
    s.dimension = 1, s.along = (end - s.origin) / size;
    const auto aside = [&](const Vec3& p) -> Vec3 {
        const Vec3 d = p - s.origin;
        return d - d.dot(s.along) * s.along;
    };
    const Vec3 third = aside(farthest(points, [&](const Vec3& p) { return aside(p).squaredNorm(); }));
    if (!(third.norm() > flat)) return s;
    s.dimension = 2, s.across = third.normalized(), s.normal = s.along.cross(s.across).normalized();
    const auto height = [&](const Vec3& p) { return std::abs(s.normal.dot(p - s.origin)); };
    if (height(farthest(points, height)) > flat) s.dimension = 3;
    return s;
}

// A hull from faces with corners by index into `points`; vertices that no face uses are dropped.
using Faces = std::vector<std::vector<Index>>;

void connect(Hull& hull) {
    std::vector<std::vector<Index>> near(hull.vertices.size());
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
        const auto face = hull.face(f);
        for (std::size_t k = 0; k < face.size(); ++k) {
            const Index a = face[k], b = face[(k + 1) % face.size()];
            near[a].push_back(b);
            near[b].push_back(a);
        }
    }
    if (hull.dimension == 1) near[0] = {1}, near[1] = {0};
    hull.first_neighbor.assign(1, 0);
    for (auto& list : near) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        hull.neighbors.insert(hull.neighbors.end(), list.begin(), list.end());
        hull.first_neighbor.push_back(static_cast<Index>(hull.neighbors.size()));
    }
    for (std::size_t k = 0; k < 8; ++k) {
        const Vec3 n((k & 1) ? 1 : -1, (k & 2) ? 1 : -1, (k & 4) ? 1 : -1);
        std::size_t best = 0;
        for (std::size_t v = 1; v < hull.vertices.size(); ++v)
            if (n.dot(hull.vertices[v]) > n.dot(hull.vertices[best])) best = v;
        hull.starts[k] = static_cast<Index>(best);
    }
}

Hull assembled(std::span<const Vec3> points, const Faces& faces, std::span<const Vec3> normals) {
    Hull hull;
    std::map<Index, Index> number;
    for (const auto& face : faces)
        for (const Index v : face) number.emplace(v, 0);
    for (auto& [v, at] : number) {
        at = static_cast<Index>(hull.vertices.size());
        hull.vertices.push_back(points[v]);
    }
    hull.first_corner.assign(1, 0);
    for (std::size_t f = 0; f < faces.size(); ++f) {
        for (const Index v : faces[f]) hull.corners.push_back(number.at(v));
        hull.first_corner.push_back(static_cast<Index>(hull.corners.size()));
        hull.planes.push_back({normals[f], -HUGE_VAL});
    }
    return hull;
}

// The offsets of the planes, by climbing along the edges from a corner of the face.
void set_offsets(Hull& hull) {
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
        HullPlane& plane = hull.planes[f];
        const auto height = [&](Index v) { return plane.normal.dot(hull.vertices[v]); };
        for (const Index corner : hull.face(f)) {
            Index at = corner;
            for (Index from = no_index; from != at;) {
                from = at;
                for (const Index next : hull.neighbors_of(from))
                    if (height(next) > height(at)) at = next;
            }
            plane.offset = std::max(plane.offset, height(at));
        }
    }
}

// Corners that are counter-clockwise about the normal: Qhull's order depends on how it was built.
void orient(std::span<const Vec3> points, const Vec3& normal, std::vector<Index>& face) {
    Vec3 twice_area = Vec3::Zero();
    for (std::size_t k = 2; k < face.size(); ++k)
        twice_area += (points[face[k - 1]] - points[face[0]]).cross(points[face[k]] - points[face[0]]);
    if (twice_area.dot(normal) < 0) std::reverse(face.begin(), face.end());
}

// Convex polygon of points in a plane (Andrew's monotone chain), counter-clockwise about the normal.
std::vector<Index> polygon_of(std::span<const Vec3> points, const Spread& s) {
    std::vector<Vec2> flat;
    for (const Vec3& p : points) flat.emplace_back(s.along.dot(p - s.origin), s.across.dot(p - s.origin));
    std::vector<Index> order(points.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return flat[a].x() != flat[b].x() ? flat[a].x() < flat[b].x() : flat[a].y() < flat[b].y();
    });
    std::vector<Index> chain;
    const auto turns_left = [&](Index a, Index b, Index c) {
        const Vec2 u = flat[b] - flat[a], v = flat[c] - flat[b];
        return u.x() * v.y() - u.y() * v.x() > 0;
    };
    const auto add = [&](Index v, std::size_t kept) {
        while (chain.size() > kept + 1 && !turns_left(chain[chain.size() - 2], chain.back(), v)) chain.pop_back();
        chain.push_back(v);
    };
    for (const Index v : order) add(v, 0);
    const std::size_t lower = chain.size() - 1;
    for (auto v = order.rbegin() + 1; v != order.rend(); ++v) add(*v, lower);
    chain.pop_back();
    return chain;
}

Hull flat_hull(std::span<const Vec3> points, const Spread& s) {
    if (s.dimension == 0) {
        Hull hull;
        hull.vertices = {points.front()}, hull.first_corner = {0}, hull.dimension = 0;
        return hull;
    }
    if (s.dimension == 1) {
        Hull hull;
        const auto along = [&](const Vec3& p) { return s.along.dot(p - s.origin); };
        hull.vertices = {farthest(points, [&](const Vec3& p) { return -along(p); }), farthest(points, along)};
        hull.first_corner = {0}, hull.dimension = 1;
        return hull;
    }
    const std::vector<Index> front = polygon_of(points, s);
    const Vec3 normals[2] = {s.normal, -s.normal};
    Hull hull = assembled(points, {front, {front.rbegin(), front.rend()}}, normals);
    hull.dimension = 2;
    return hull;
}

// Owns the memory of Qhull and frees it, also if an exception is thrown.
struct Session {
    qhT qh;
    Session() { qh_zero(&qh, nullptr); }
    ~Session() {
        qh.NOerrexit = True;
        qh_freeqhull(&qh, !qh_ALL);
        int left = 0, total = 0;
        qh_memfreeshort(&qh, &left, &total);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

// False where Qhull reports an error, which it does for sets that are nearly flat.
bool run_qhull(std::span<const Vec3> points, Faces& faces, std::vector<Vec3>& normals) {
    Session session;
    qhT* const qh = &session.qh;
    std::vector<coordT> flat;
    for (const Vec3& p : points) flat.insert(flat.end(), p.begin(), p.end());
    char options[] = "qhull Pp";
    if (qh_new_qhull(qh, 3, static_cast<int>(points.size()), flat.data(), False, options, nullptr, nullptr) != 0)
        return false;
    facetT* facet = nullptr;
    FORALLfacet_(qh->facet_list) {
        setT* const corners = qh_facet3vertex(qh, facet);
        std::vector<Index> face;
        vertexT *vertex = nullptr, **vertexp = nullptr;
        FOREACHvertex_(corners) face.push_back(static_cast<Index>(qh_pointid(qh, vertex->point)));
        qh_settempfree_all(qh);
        normals.push_back(Vec3(facet->normal[0], facet->normal[1], facet->normal[2]).normalized());
        orient(points, normals.back(), face);
        faces.push_back(std::move(face));
    }
    return true;
}

} // namespace

Index Hull::edge_number(Index a, Index b) const {
    const auto near = neighbors_of(std::min(a, b));
    const auto at = std::lower_bound(near.begin(), near.end(), std::max(a, b));
    if (at == near.end() || *at != std::max(a, b)) return no_index;
    return static_cast<Index>(&*at - neighbors.data());
}

Hull make_hull(std::span<const Vec3> points) {
    if (points.empty()) throw Error(Cause::empty, "a convex hull needs points");
    check_vertices(points, {});
    check_size(points);
    Spread s = spread_of(points);
    Hull hull;
    if (s.dimension == 3) {
        // Unit size about the origin, which Qhull's tolerances suit.
        std::vector<Vec3> scaled;
        double size = 0;
        for (const Vec3& p : points) size = std::max(size, (p - s.origin).cwiseAbs().maxCoeff());
        for (const Vec3& p : points) scaled.emplace_back((p - s.origin) / size);
        Faces faces;
        std::vector<Vec3> normals;
        if (run_qhull(scaled, faces, normals))
            hull = assembled(points, faces, normals);
        else
            s.dimension = 2;
    }
    if (s.dimension < 3) hull = flat_hull(points, s);
    connect(hull);
    set_offsets(hull);
    return hull;
}

TriangleMesh triangles_of(const Hull& hull) {
    TriangleMesh mesh{hull.vertices, {}};
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
        const auto face = hull.face(f);
        for (std::size_t k = 2; k < face.size(); ++k) mesh.triangles.push_back({face[0], face[k - 1], face[k]});
    }
    return mesh;
}

} // namespace fathom::convex
