// Sign of the distance to a mesh: choice of the method, inside tests, and signs on lattices.
#include <fathom/field/mesh/mesh_sign.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/field/mesh/lattice_signs.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/normals.h>
#include <fathom/geometry/primitive/closest_point.h>
#include <fathom/geometry/surface_tree/surface_tree.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fathom {

namespace {

constexpr std::array<std::string_view, 6> method_names = {"auto",    "pseudo_normal", "parity",
                                                          "winding", "wrap",          "thickness"};

constexpr int trials = 512;          // trial points on the surface
constexpr double trial_depth = 1e-3; // offset of the trial points to either side, as a fraction of the box
constexpr double clear = 0.25;       // winding numbers at least this far from 1/2 are clear
constexpr double has_inside = 0.25;  // fraction of the surface that must have an interior
constexpr double clear_enough = 0.6; // fraction of the surface that winding numbers must classify clearly

// Whether inconsistent edges are few enough for winding numbers to be meaningful.
bool is_wound(const MeshReport& report) {
    return report.clashing_edges.count + report.nonmanifold_edges.count <= report.triangles / 50;
}

// Result of classifying both sides of the surface by winding numbers at random points.
struct Trial {
    double clear = 0;  // fraction of points with a clear inside on one side and a clear outside on the other
    double inside = 0; // fraction of points with a clear inside
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
        choice.reason = "closed, but not consistently wound";
    } else if (!report.watertight) {
        choice.method = SignMethod::winding;
        choice.reason = "closed and consistently wound, but components share edges: inside by winding number";
    } else if (crossing || report.duplicate_faces.count > 0 || (turned > 0 && turned < report.components)) {
        choice.method = SignMethod::winding;
        choice.reason = crossing ? "closed and consistently wound, but self-intersecting: inside by winding number"
                        : turned > 0
                            ? "closed, with some components wound inside out: inside by winding number"
                            : "closed and consistently wound, but with repeated triangles: inside by winding number";
    } else {
        choice.reason = "closed and consistently wound";
    }
    if (choice.flipped && turned == report.components) choice.reason += "; wound inside out";
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
        choice.reason = "triangle soup: neither closed nor consistently wound";
    } else if (trial.inside < has_inside) {
        choice.method = SignMethod::thickness;
        choice.confidence = 1 - trial.inside;
        choice.reason = fmt::format("open sheet without an interior: {} edges are open", report.open_edges.count);
    } else {
        choice.method = trial.clear < clear_enough ? SignMethod::wrap : SignMethod::winding;
        choice.reason = fmt::format("consistently wound, but {} edges are open{}", report.open_edges.count,
                                    trial.clear < clear_enough ? " and much of it has no clear interior" : "");
    }
    return choice;
}

// The surface has no border if every edge is used equally often in both directions, or if every edge has two triangles.
bool is_closed(const MeshReport& report) {
    return report.open_edges.count == 0 && (report.nonmanifold_edges.count == 0 || report.volume.has_value());
}

} // namespace

std::string_view name(SignMethod method) { return method_names.at(static_cast<std::size_t>(method)); }

SignMethod sign_method_named(std::string_view name) {
    const auto found = std::find(method_names.begin(), method_names.end(), name);
    if (found == method_names.end())
        throw Error(Cause::invalid_argument,
                    fmt::format("unknown sign method '{}'; expected one of {}", name, fmt::join(method_names, ", ")),
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
        throw Error(Cause::invalid_argument, "'wrap' cannot classify single points", {.element = "sign method"});
    if (choice.method == SignMethod::pseudo_normal) {
        neighbours_ = triangle_neighbours(edge_table(mesh.triangles, mesh.vertices.size()));
        const std::vector<Vec3> normals = vertex_normals(mesh);
        vertex_normals_.reserve(normals.size());
        for (const Vec3& n : normals) vertex_normals_.push_back(n.cast<float>());
    } else if (choice.method == SignMethod::winding && !choice.sealed) {
        // Closed surfaces do not need this: their winding number is an integer, found by ray crossings.
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
        return false; // no interior: sheets
    }
}

bool InsideTest::by_pseudo_normal(const Vec3& p, Index nearest, const Vec3& point, TriangleFeature at) const {
    const Triangle& corners = mesh_.triangles[nearest];
    const auto feature = static_cast<std::size_t>(at);
    Vec3 normal;
    if (feature < 3) {
        normal = vertex_normals_[corners[feature]].cast<double>();
    } else {
        normal = unit_normal(mesh_.corners(nearest));
        const Index other = feature < 6 ? neighbours_[nearest][feature - 3] : no_index;
        if (other != no_index) normal = (normal + unit_normal(mesh_.corners(other))).normalized();
    }
    const Vec3 from = p - point;
    const double side = normal.dot(from);
    // If the normal does not decide reliably (a sharp edge, a degenerate triangle), count ray crossings. Crossings do
    // not depend on the winding, whereas the caller inverts the result for an inside-out mesh; hence the comparison
    // with `flipped`.
    if (std::abs(side) < 1e-6 * from.norm()) return tree_.contains(p) != choice_.flipped;
    return side < 0;
}

std::size_t InsideTest::memory_bytes() const {
    return sizeof(InsideTest) + vertex_normals_.size() * sizeof(Vec3f) + neighbours_.size() * sizeof(neighbours_[0]) +
           (winding_ ? winding_->memory_bytes() : 0);
}

// ---- Conversion of unsigned distances on a lattice into signed ones.

// Union-find over samples that certainly lie on the same side of the surface.

Index SignRegions::root(Index sample) {
    while (parent_[sample] != sample) sample = parent_[sample] = parent_[parent_[sample]];
    return sample;
}

void SignRegions::find(std::span<const double> distances, double error, const std::array<int, 3>& size,
                       double spacing) {
    // A surface perpendicular to an axis gives a sum of exactly the spacing; rounding must not open a gap in it.
    const double clear = spacing * (1 + 1e-9) + 2 * error;
    speaker_.resize(distances.size());
    // No surface is near: all samples are one region.
    if (2 * *std::min_element(distances.begin(), distances.end()) > clear) {
        const auto farthest = std::max_element(distances.begin(), distances.end());
        std::fill(speaker_.begin(), speaker_.end(), static_cast<Index>(farthest - distances.begin()));
        return;
    }
    join_neighbours(distances, size, clear);
    std::iota(speaker_.begin(), speaker_.end(), Index{0});
    for (std::size_t sample = 0; sample < distances.size(); ++sample) {
        Index& best = speaker_[root(static_cast<Index>(sample))];
        if (distances[sample] > distances[best]) best = static_cast<Index>(sample);
    }
    // Each root stores its region's representative. The loop runs from the back, so that roots (the smallest sample of
    // their region) are read before they are overwritten.
    for (std::size_t sample = distances.size(); sample-- > 0;)
        speaker_[sample] = speaker_[root(static_cast<Index>(sample))];
}

// Along x, samples form runs, each identified by its first sample. Two adjacent runs need only one join, however long
// their contact is.
void SignRegions::join_neighbours(std::span<const double> distances, const std::array<int, 3>& size, double clear) {
    parent_.resize(distances.size());
    const auto nx = static_cast<std::size_t>(size[0]), layer = nx * static_cast<std::size_t>(size[1]);
    for (std::size_t row = 0; row < distances.size(); row += nx) {
        parent_[row] = static_cast<Index>(row);
        for (std::size_t s = row + 1; s < row + nx; ++s)
            parent_[s] = distances[s - 1] + distances[s] > clear ? parent_[s - 1] : static_cast<Index>(s);
        if (row % layer != 0) join_rows(distances, row - nx, row, nx, clear);
        if (row >= layer) join_rows(distances, row - layer, row, nx, clear);
    }
}

void SignRegions::join_rows(std::span<const double> distances, std::size_t below, std::size_t above, std::size_t length,
                            double clear) {
    Index last_below = no_index, last_above = no_index; // parents at the previous join
    for (std::size_t i = 0; i < length; ++i) {
        const Index p = parent_[below + i], q = parent_[above + i];
        if (!(distances[below + i] + distances[above + i] > clear) || (p == last_below && q == last_above)) continue;
        last_below = p, last_above = q;
        const Index a = root(p), b = root(q);
        parent_[std::max(a, b)] = std::min(a, b);
    }
}

namespace {

constexpr std::size_t chunk = 4096;
constexpr int stride = 4; // samples between trial samples of open surfaces, along each axis

} // namespace

void LatticeSigns::apply(const SampleLattice& lattice, std::span<const Index> nearest, std::span<double> distances) {
    side_.assign(distances.size(), 0);
    regions_.find(distances, error_, lattice.size, lattice.spacing);
    judge_regions(lattice, nearest);
    if (!sealed_) judge_open_regions(lattice, nearest);
    for (std::size_t n = 0; n < side_.size(); ++n)
        if (side_[sealed_ ? regions_.region_of(n) : n]) distances[n] = -distances[n];
}

void LatticeSigns::judge_regions(const SampleLattice& lattice, std::span<const Index> nearest) {
    parallel_for(side_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
            if (regions_.region_of(n) == n) side_[n] = inside_(lattice.position(n), nearest[n]);
    });
}

// A path through a hole leads around the surface, so a region may lie on both sides.
void LatticeSigns::judge_open_regions(const SampleLattice& lattice, std::span<const Index> nearest) {
    doubtful_.assign(side_.size(), 0);
    std::size_t n = 0;
    for (int k = 0; k < lattice.size[2]; ++k)
        for (int j = 0; j < lattice.size[1]; ++j)
            for (int i = 0; i < lattice.size[0]; ++i, ++n) {
                if (i % stride != 0 || j % stride != 0 || k % stride != 0) continue;
                const Index region = regions_.region_of(n);
                if (!doubtful_[region] && inside_(lattice.position(n), nearest[n]) != (side_[region] != 0))
                    doubtful_[region] = 1;
            }
    parallel_for(side_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            const Index region = regions_.region_of(s);
            if (region != s) side_[s] = doubtful_[region] ? inside_(lattice.position(s), nearest[s]) : side_[region];
        }
    });
}

} // namespace fathom
