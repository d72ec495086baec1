// Which side of a mesh is inside?
#include <fathom/base/error.h>
#include <fathom/base/random.h>
#include <fathom/field/mesh/mesh_sign.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/inspect/self_intersection.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {

namespace {

constexpr std::array<std::string_view, 6> method_names = {"auto",    "pseudo_normal", "parity",
                                                          "winding", "wrap",          "thickness"};

constexpr int trials = 512;          // points on the surface
constexpr double trial_depth = 1e-3; // how far off it on either side, as a share of the box
constexpr double clear = 0.25;       // winding numbers this far from 1/2 are clear
constexpr double has_inside = 0.25;  // share of the surface that must have one
constexpr double clear_enough = 0.6; // share of the surface that winding numbers must judge clearly

// Few enough clashes that winding numbers still mean something.
bool is_wound(const MeshReport& report) {
    return report.clashing_edges.count + report.nonmanifold_edges.count <= report.triangles / 50;
}

// How winding numbers tell the two sides of the surface apart, at random spots of it.
struct Trial {
    double clear = 0;  // share of spots with a clear inside on one side and a clear outside on the other
    double inside = 0; // share of spots with a clear inside
};

Trial try_winding(const TriangleMesh& mesh, const SurfaceTree& tree) {
    const WindingNumber winding(mesh, tree.tree());
    const double depth = trial_depth * tree.tree().bounds().diagonal();
    Random random(0x7472696c);
    int both = 0, inside = 0;
    for (int i = 0; i < trials; ++i) {
        const std::array<Vec3, 3> corners = mesh.corners(random.below(mesh.triangles.size()));
        const Vec3 spot = (corners[0] + corners[1] + corners[2]) / 3, step = depth * unit_normal(corners);
        const double behind = std::abs(winding(spot - step)), before = std::abs(winding(spot + step));
        const bool is_inside = std::max(behind, before) > 0.5 + clear;
        inside += is_inside;
        both += is_inside && std::min(behind, before) < 0.5 - clear;
    }
    return {static_cast<double>(both) / trials, static_cast<double>(inside) / trials};
}

SignChoice choose_for_closed(const MeshReport& report, bool crossing) {
    SignChoice choice;
    const std::size_t turned = report.inside_out_parts.count;
    choice.flipped = turned > 0;
    if (report.clashing_edges.count > 0) {
        choice.method = SignMethod::parity;
        choice.reason = "closed, but its triangles do not agree on an outside";
    } else if (!report.watertight) {
        choice.method = SignMethod::winding;
        choice.reason =
            "closed and consistently wound, but parts hang together by edges: inside is what it winds round";
    } else if (crossing || (turned > 0 && turned < report.components)) {
        choice.method = SignMethod::winding;
        choice.reason = crossing ? "closed and consistently wound, but crossing itself: inside is what it winds round"
                                 : "closed, with some parts wound inside-out: inside is what it winds round";
    } else {
        choice.reason = "closed and consistently wound";
    }
    if (choice.flipped && turned == report.components) choice.reason += "; it is inside-out";
    return choice;
}

SignChoice choose_for_open(const TriangleMesh& mesh, const MeshReport& report, const SurfaceTree& tree) {
    SignChoice choice;
    choice.sealed = false;
    const Trial trial = is_wound(report) ? try_winding(mesh, tree) : Trial{};
    choice.confidence = trial.clear;
    if (!is_wound(report)) {
        choice.method = SignMethod::wrap;
        choice.confidence = 0.5;
        choice.reason = "a soup: neither closed nor consistently wound";
    } else if (trial.inside < has_inside) {
        choice.method = SignMethod::thickness;
        choice.confidence = 1 - trial.inside;
        choice.reason = fmt::format("an open sheet with no inside: {} edges are open", report.open_edges.count);
    } else {
        choice.method = trial.clear < clear_enough ? SignMethod::wrap : SignMethod::winding;
        choice.reason = fmt::format("consistently wound, but {} edges are open{}", report.open_edges.count,
                                    trial.clear < clear_enough ? " and much of it has no clear inside" : "");
    }
    return choice;
}

// As many sides run along every edge as against it, or every edge has two triangles: the surface has no border.
bool is_closed(const MeshReport& report) {
    return report.open_edges.count == 0 && (report.nonmanifold_edges.count == 0 || report.volume.has_value());
}

} // namespace

std::string_view name(SignMethod method) { return method_names.at(static_cast<std::size_t>(method)); }

SignMethod sign_method_named(std::string_view name) {
    const auto found = std::find(method_names.begin(), method_names.end(), name);
    if (found == method_names.end())
        throw Error(Cause::invalid_argument, fmt::format("'{}' is none of {}", name, fmt::join(method_names, ", ")),
                    {.element = "option sign"});
    return static_cast<SignMethod>(found - method_names.begin());
}

SignChoice choose_sign(const TriangleMesh& mesh, const SurfaceTree& tree, SignMethod wanted, Progress* progress) {
    const MeshReport report = mesh_report(mesh);
    const bool closed = is_closed(report);
    const bool crossing = closed && crosses_itself(mesh, tree.tree(), progress);
    SignChoice choice = closed ? choose_for_closed(report, crossing) : choose_for_open(mesh, report, tree);
    if (wanted == SignMethod::automatic || wanted == choice.method) return choice;
    const bool exact = report.watertight && !crossing && wanted == SignMethod::parity;
    choice.confidence = exact ? 1 : wanted == SignMethod::winding ? try_winding(mesh, tree).clear : 0.5;
    choice.method = wanted;
    choice.sealed = closed;
    choice.reason = "forced by the caller";
    return choice;
}

InsideTest::InsideTest(const TriangleMesh& mesh, const SurfaceTree& tree, const SignChoice& choice)
    : mesh_(mesh), tree_(tree), choice_(choice) {
    if (choice.method == SignMethod::wrap)
        throw Error(Cause::invalid_argument, "'wrap' cannot judge single points", {.element = "sign method"});
    if (choice.method == SignMethod::pseudo_normal) {
        const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
        face_normals_ = triangle_normals(mesh);
        vertex_normals_ = vertex_normals(mesh);
        edge_normals_ = edge_normals(mesh, table);
        edge_of_ = table.of_triangle;
    } else if (choice.method == SignMethod::winding &&
               !choice.sealed) { // closed surfaces are wound round a whole number of times
        winding_ = std::make_unique<WindingNumber>(mesh, tree.tree());
    }
}

InsideTest::~InsideTest() = default;

bool InsideTest::operator()(const Vec3& p, Index nearest) const {
    ClosestPoint found;
    found.triangle = nearest;
    if (choice_.method == SignMethod::pseudo_normal) {
        const ClosestOnTriangle closest = closest_point(p, mesh_.corners(nearest));
        found.point = closest.point;
        found.feature = closest.feature;
    }
    return (*this)(p, found);
}

bool InsideTest::operator()(const Vec3& p, const ClosestPoint& nearest) const {
    switch (choice_.method) {
    case SignMethod::pseudo_normal:
        return by_pseudo_normal(p, nearest.triangle, nearest.point, nearest.feature) != choice_.flipped;
    case SignMethod::parity:
        return tree_.contains(p);
    case SignMethod::winding:
        return winding_ ? std::abs((*winding_)(p)) > 0.5 : tree_.winding(p) != 0;
    default:
        return false; // no inside: sheets
    }
}

bool InsideTest::by_pseudo_normal(const Vec3& p, Index nearest, const Vec3& point, TriangleFeature at) const {
    const Triangle& corners = mesh_.triangles[nearest];
    const auto feature = static_cast<std::size_t>(at);
    Vec3 normal = face_normals_[nearest];
    if (feature < 3)
        normal = vertex_normals_[corners[feature]];
    else if (feature < 6 && edge_of_[nearest][feature - 3] != no_index)
        normal = edge_normals_[edge_of_[nearest][feature - 3]];
    const Vec3 from = p - point;
    const double side = normal.dot(from);
    // Where the normal hardly tells (a knife's edge, a triangle without area), count crossings.
    // (Crossings do not know the winding; the caller turns what is said here where the mesh is inside-out.)
    if (std::abs(side) < 1e-6 * from.norm()) return tree_.contains(p) != choice_.flipped;
    return side < 0;
}

} // namespace fathom
