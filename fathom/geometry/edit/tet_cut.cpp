// Cuts of tetrahedral meshes by heights at vertices: sides, snapping, splitting, opening.
#include <fathom/geometry/edit/tet_cut.h>

#include <fathom/base/error.h>
#include <fathom/geometry/exact/predicates.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/triangle_overlap.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace fathom {

namespace {

// The cutting surface: the height of a point over it (m), the tetrahedra that it crosses, and whether a point lies over
// or under it.
class PlaneCutter {
public:
    explicit PlaneCutter(const CutPlane& plane) : origin_(plane.point), normal_(plane.normal.stableNormalized()) {}

    [[nodiscard]] double height(const Vec3& p) const { return normal_.dot(p - origin_); }
    [[nodiscard]] bool covers(const Vec3&) const { return true; }
    [[nodiscard]] bool crosses(const std::array<Vec3, 4>& corners) const {
        const double first = height(corners[0]);
        return std::any_of(corners.begin(), corners.end(), [&](const Vec3& c) { return !(height(c) * first > 0); });
    }

private:
    Vec3 origin_, normal_;
};

class SurfaceCutter {
public:
    explicit SurfaceCutter(TriangleMesh surface)
        : surface_(std::move(surface)), tree_(surface_), bounds_(fathom::bounds(surface_.vertices)),
          table_(edge_table(surface_.triangles, surface_.vertices.size())), face_normals_(triangle_normals(surface_)),
          edge_normals_(edge_normals(surface_, table_)), vertex_normals_(vertex_normals(surface_)),
          on_border_(surface_.vertices.size(), 0) {
        for (std::size_t e = 0; e < table_.edges.size(); ++e)
            if (table_.sides[e].size() == 1) on_border_[table_.edges[e][0]] = on_border_[table_.edges[e][1]] = 1;
    }

    [[nodiscard]] double height(const Vec3& p) const {
        const SurfacePoint spot = nearest(p);
        return spot.normal.dot(p - spot.point);
    }
    [[nodiscard]] bool covers(const Vec3& p) const {
        const SurfacePoint spot = nearest(p);
        const Vec3 off = p - spot.point;
        return !spot.border || (off - spot.normal.dot(off) * spot.normal).norm() <= 1e-9 * bounds_.diagonal();
    }
    [[nodiscard]] bool crosses(const std::array<Vec3, 4>& corners) const {
        Box box;
        for (const Vec3& c : corners) box.extend(c);
        if (!box.overlaps(bounds_)) return false;
        const std::vector<Index> near = tree_.overlapping(box);
        return std::any_of(near.begin(), near.end(),
                           [&](Index t) { return tetrahedron_overlaps_triangle(corners, surface_.corners(t)); });
    }

private:
    struct SurfacePoint {
        Vec3 point, normal; // beyond the boundary the surface is continued straight
        bool border;
    };
    [[nodiscard]] SurfacePoint nearest(const Vec3& p) const {
        const ClosestPoint hit = tree_.closest(p);
        const auto feature = static_cast<std::size_t>(hit.feature);
        if (hit.feature == TriangleFeature::face) return {hit.point, face_normals_[hit.triangle], false};
        if (feature < 3) {
            const Index v = surface_.triangles[hit.triangle][feature];
            return {hit.point, vertex_normals_[v], on_border_[v] != 0};
        }
        const Index edge = table_.of_triangle[hit.triangle][feature - 3];
        return {hit.point, edge_normals_[edge], table_.sides[edge].size() == 1};
    }

    TriangleMesh surface_;
    SurfaceTree tree_;
    Box bounds_;
    EdgeTable table_;
    std::vector<Vec3> face_normals_, edge_normals_, vertex_normals_;
    std::vector<char> on_border_;
};

int sign_of(double value) { return (value > 0) - (value < 0); }

// State of a vertex: its height, and the side that it is assigned to.
struct VertexSide {
    double height = 0;
    int side = 0; // 0: on the cut
    bool seen = false, decided = false;
};

struct Crossing {
    Index a, b; // a < b
    double share;
    double length;
};

template <class Cutter>
class Cut {
public:
    Cut(EditableTetMesh& mesh, const Cutter& cutter, const CutOptions& options)
        : mesh_(mesh), cutter_(cutter), options_(options), sided_(mesh.vertex_slots()) {}

    CutReport run() {
        find_crossed();
        split();
        open();
        return report_;
    }

private:
    VertexSide& at(Index v) {
        VertexSide& known = sided_[v];
        if (!known.seen) {
            const double height = cutter_.height(mesh_.positions()[v]);
            known = {std::abs(height) <= tolerance_ ? 0 : height, 0, true, false};
        }
        return known;
    }

    void put_on_cut(Index v) {
        at(v).decided = true;
        at(v).side = 0;
        on_cut_.push_back(v);
    }

    // Depends only on the vertex and its edges, so that a blade that passes in many steps finds the same sides each
    // time.
    int side(Index v) {
        VertexSide& known = at(v);
        if (known.decided) return known.side;
        const bool near = known.height != 0 && is_near(v, known.height);
        report_.snapped += near;
        if (near || known.height == 0)
            put_on_cut(v);
        else
            known.side = sign_of(known.height), known.decided = true;
        return known.side;
    }

    // Whether an edge is crossed close to this end.
    bool is_near(Index v, double height) {
        for (const Index t : mesh_.tets_round(v))
            for (const Index w : mesh_.tet(t)) {
                const double other = at(w).height;
                if (height * other < 0 && std::abs(height) < options_.snap * std::abs(height - other)) return true;
            }
        return false;
    }

    void find_crossed() {
        Box box;
        for (Index t = 0; t < mesh_.tet_slots(); ++t) {
            if (!mesh_.has_tet(t) || !cutter_.crosses(mesh_.corners(t))) continue;
            crossed_.push_back(t);
            for (const Vec3& c : mesh_.corners(t)) box.extend(c);
        }
        report_.crossed = crossed_.size();
        // Heights of vertices that an earlier cut created are 0 up to rounding.
        if (!crossed_.empty())
            tolerance_ =
                1e-12 * box.diagonal() + 1e-14 * box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff();
    }

    // The edges of crossed tetrahedra that cross from one side to the other, each once, the longest first.
    std::vector<Crossing> crossings() {
        std::vector<Crossing> found;
        for (const Index t : crossed_)
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = i + 1; j < 4; ++j) {
                    const auto [a, b] = std::minmax(mesh_.tet(t)[i], mesh_.tet(t)[j]);
                    if (side(a) * side(b) >= 0) continue;
                    const double share = at(a).height / (at(a).height - at(b).height);
                    found.push_back({a, b, share, (mesh_.positions()[b] - mesh_.positions()[a]).norm()});
                }
        const auto before = [](const Crossing& x, const Crossing& y) {
            return std::tie(y.length, x.a, x.b) < std::tie(x.length, y.a, y.b);
        };
        std::sort(found.begin(), found.end(), before);
        found.erase(std::unique(found.begin(), found.end(),
                                [](const Crossing& x, const Crossing& y) { return x.a == y.a && x.b == y.b; }),
                    found.end());
        return found;
    }

    // Whether both halves of every tetrahedron around the edge keep its orientation.
    [[nodiscard]] bool splits_well(const Crossing& c) const {
        if (!(c.share > 0 && c.share < 1)) return false;
        const auto x = mesh_.positions();
        const Vec3 middle = (1 - c.share) * x[c.a] + c.share * x[c.b];
        for (const Index t : mesh_.tets_round(Edge{c.a, c.b})) {
            const auto whole = mesh_.corners(t);
            const int sign = orient3d(whole[0], whole[1], whole[2], whole[3]);
            for (std::size_t k = 0; k < 4 && sign != 0; ++k) {
                if (mesh_.tet(t)[k] != c.a && mesh_.tet(t)[k] != c.b) continue;
                auto half = whole;
                half[k] = middle;
                if (orient3d(half[0], half[1], half[2], half[3]) != sign) return false;
            }
        }
        return true;
    }

    void split() {
        for (const Crossing& c : crossings()) {
            if (side(c.a) == 0 || side(c.b) == 0) continue;
            if (!splits_well(c)) {
                put_on_cut(c.share < 0.5 ? c.a : c.b);
                ++report_.snapped;
                continue;
            }
            for (const Index middle : mesh_.split_edge(c.a, c.b, c.share)) {
                if (middle >= sided_.size()) sided_.resize(mesh_.vertex_slots());
                sided_[middle] = {0, 0, true, false};
                put_on_cut(middle);
            }
            ++report_.split;
        }
    }

    // The side of a tetrahedron; one with all vertices on the cut is assigned by the sum of its heights.
    int side_of(Index t) {
        double sum = 0;
        int sides = 0;
        for (const Index v : mesh_.tet(t)) sum += at(v).height, sides += side(v);
        return sides != 0 ? sign_of(sides) : sum < 0 ? -1 : 1;
    }

    [[nodiscard]] bool lies_on_cut(const Triangle& face) {
        return std::all_of(face.begin(), face.end(), [&](Index v) { return side(v) == 0; });
    }

    // The tetrahedra around every vertex on the cut.
    std::vector<Index> along_cut() {
        std::vector<Index> tets;
        for (const Index v : on_cut_) {
            const std::vector<Index> star = mesh_.tets_round(v);
            tets.insert(tets.end(), star.begin(), star.end());
        }
        std::sort(tets.begin(), tets.end());
        tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
        return tets;
    }

    void open() {
        std::vector<Index> faces;
        for (const Index t : along_cut())
            for (Index k = 0; k < 4; ++k) {
                const Index face = 4 * t + k, other = mesh_.neighbour(face);
                if (other == no_index || !lies_on_cut(mesh_.face_corners(face)) || side_of(t) == side_of(other))
                    continue;
                if (cutter_.covers(centre(face))) faces.push_back(std::min(face, mesh_.opposite(face)));
            }
        std::sort(faces.begin(), faces.end());
        faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
        for (const Index face : faces)
            for (const Index v : mesh_.face_corners(face))
                report_.farthest = std::max(report_.farthest, std::abs(at(v).height));
        report_.opened = faces.size();
        mesh_.separate(faces);
    }

    [[nodiscard]] Vec3 centre(Index face) const {
        const Triangle c = mesh_.face_corners(face);
        return (mesh_.positions()[c[0]] + mesh_.positions()[c[1]] + mesh_.positions()[c[2]]) / 3;
    }

    EditableTetMesh& mesh_;
    const Cutter& cutter_;
    const CutOptions& options_;
    std::vector<VertexSide> sided_; // per vertex
    std::vector<Index> on_cut_;     // vertices, in the order found
    std::vector<Index> crossed_;
    double tolerance_ = 0;
    CutReport report_;
};

void check_snap(const CutOptions& options) {
    if (!(options.snap >= 0 && options.snap < 0.5))
        throw Error(Cause::invalid_argument, fmt::format("{} is not in [0, 0.5)", options.snap),
                    {.element = "option snap"});
}

} // namespace

CutReport cut(EditableTetMesh& mesh, const CutPlane& plane, const CutOptions& options) {
    check_snap(options);
    if (!is_finite(plane.point) || !is_finite(plane.normal))
        throw Error(Cause::non_finite, "the plane is not finite", {.element = "plane"});
    if (!(plane.normal.stableNorm() > 0))
        throw Error(Cause::invalid_argument, "the normal has length 0", {.element = "plane"});
    const PlaneCutter cutter(plane);
    return Cut<PlaneCutter>(mesh, cutter, options).run();
}

CutReport cut(EditableTetMesh& mesh, const TriangleMesh& surface, const CutOptions& options) {
    check_snap(options);
    check(surface);
    TriangleMesh solid{surface.vertices, {}};
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        if (unit_normal(surface.corners(t)) != Vec3::Zero()) solid.triangles.push_back(surface.triangles[t]);
    if (solid.triangles.empty()) return {};
    const SurfaceCutter cutter(std::move(solid));
    return Cut<SurfaceCutter>(mesh, cutter, options).run();
}

TriangleMesh swept_surface(std::span<const Vec3> from, std::span<const Vec3> to) {
    if (from.size() != to.size())
        throw Error(Cause::count_mismatch,
                    fmt::format("the edges have {} and {} points, expected equal numbers", from.size(), to.size()),
                    {.element = "blade"});
    std::vector<Vec3> places(from.begin(), from.end());
    places.insert(places.end(), to.begin(), to.end());
    return swept_path(places, from.size());
}

TriangleMesh swept_path(std::span<const Vec3> places, std::size_t points_per_edge) {
    if (points_per_edge < 2 || places.size() % points_per_edge != 0)
        throw Error(Cause::invalid_argument,
                    fmt::format("{} points with {} per edge, expected whole edges of at least 2 points", places.size(),
                                points_per_edge),
                    {.element = "blade"});
    check_vertices(places, {});
    TriangleMesh surface{{places.begin(), places.end()}, {}};
    const auto width = static_cast<Index>(points_per_edge), rows = static_cast<Index>(places.size() / points_per_edge);
    for (Index row = 0; row + 1 < rows; ++row)
        for (Index k = 0; k + 1 < width; ++k) {
            const Index a = row * width + k, b = a + 1, c = b + width, d = a + width;
            surface.triangles.push_back({a, b, c});
            surface.triangles.push_back({a, c, d});
        }
    return surface;
}

} // namespace fathom
