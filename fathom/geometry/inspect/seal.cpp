// Repair of a mesh in steps: merge vertices, ignore duplicates, orient patches, close cracks and holes, orient
// components.
#include <fathom/geometry/inspect/seal.h>

#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/mass_properties.h>
#include <fathom/geometry/mesh/triangulate.h>
#include <fathom/geometry/mesh/weld.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace fathom {

namespace {

constexpr double double_rounding = 0x1p-40, float_rounding = 0x1p-20; // of the largest coordinate
constexpr double widest_merge = 0x1p-12;    // of the diagonal: a wider tolerance would merge features of the mesh
constexpr double slack = 1 + 0x1p-20;       // of the limits on areas: half of a square face must pass
constexpr double max_hole = 0.5 * slack;    // of the cross-section of the component
constexpr double max_holes = 0.125 * slack; // of the area of the component
constexpr double max_two_sided = 0.25;      // share of the triangles that may occur in both windings
constexpr double negligible = 0.01;         // share of the area that closed components without volume may have
constexpr std::size_t max_hole_count = 1000;

double area(const std::array<Vec3, 3>& corners) { return 0.5 * area_vector(corners).norm(); }

double smallest_height(const std::array<Vec3, 3>& c) {
    const double longest = std::max({(c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
    return longest > 0 ? 2 * area(c) / longest : 0;
}

struct Hole {
    std::size_t edges = 0;
    std::vector<Triangle> cap{};
    double area = 0;
    Vec3 vector = Vec3::Zero(); // area vector
    double width = 0;           // largest of the smallest heights of the cap's triangles (m)
};

// Replaces the corners of the triangles by the vertices they were merged into, and forgets merged vertices that no
// triangle uses. Returns the number of merged vertices.
std::size_t use_merged(std::vector<Triangle>& triangles, std::vector<Index>& merged) {
    std::vector<char> used(merged.size(), 0);
    for (Triangle& t : triangles)
        for (Index& v : t) used[v] = 1, v = merged[v];
    std::size_t count = 0;
    for (Index v = 0; v < merged.size(); ++v) {
        if (!used[v]) merged[v] = v;
        count += merged[v] != v;
    }
    return count;
}

enum class Duplicates { same_winding, any_winding };

// One way to repair a mesh. `fault` is set if it does not lead to a solid.
class Sealing {
public:
    // Merges vertices; a hole narrower than `crack` is a crack (m).
    Sealing(const TriangleMesh& given, double tolerance, double crack) : mesh_(given), crack_(crack) {
        merge(tolerance);
    }

    void repair(Duplicates duplicates) {
        if (ignore_duplicates(duplicates) && orient_patches() && close_holes()) orient_components();
    }

    [[nodiscard]] bool solid() const { return fault_.empty(); }
    [[nodiscard]] bool certain() const { return solid() && holes_ == 0; }
    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] std::size_t merged_count() const { return merged_count_; }
    [[nodiscard]] bool has_two_sided_faces() const { return two_sided_ > 0; }

    [[nodiscard]] SealedMesh result() && {
        SealedMesh sealed{.interior = certain() ? MeshInterior::sealed : MeshInterior::capped,
                          .reason = reason(),
                          .mesh = std::move(mesh_),
                          .cap_triangles = cap_triangles_,
                          .displacement = displacement_};
        if (merged_count_ > 0) sealed.merged = std::move(merged_);
        return sealed;
    }

private:
    void merge(double tolerance);
    bool ignore_duplicates(Duplicates which);
    bool orient_patches();
    [[nodiscard]] std::vector<Edge> unbalanced_edges() const;
    [[nodiscard]] std::vector<Hole> holes(std::vector<Edge> edges) const;
    [[nodiscard]] Hole hole(std::span<const Index> loop, PolygonTriangulator& triangulator) const;
    bool close_holes();
    bool holes_are_small(const std::vector<Hole>& open);
    void orient_components();
    void turn(std::size_t triangle) { std::swap(mesh_.triangles[triangle][1], mesh_.triangles[triangle][2]); }
    bool fail(std::string reason) {
        fault_ = std::move(reason);
        return false;
    }
    [[nodiscard]] std::string reason() const;

    TriangleMesh mesh_;
    double crack_;
    std::vector<Index> merged_;
    std::size_t merged_count_ = 0, duplicates_ = 0, turned_ = 0, cracks_ = 0, holes_ = 0, hole_edges_ = 0,
                cap_triangles_ = 0, components_ = 0, inward_ = 0;
    std::size_t two_sided_ = 0; // triangles that occur in both windings, without the first of each
    double displacement_ = 0, merged_within_ = 0;
    std::string fault_;
};

void Sealing::merge(double tolerance) {
    if (tolerance > 0) {
        const Welded welded = weld(mesh_, {.tolerance = tolerance, .drop_collapsed = false});
        // The vertex that is kept is the first of those that are merged.
        std::vector<Index> first(welded.mesh.vertices.size(), no_index);
        merged_ = welded.vertex_map;
        for (Index v = 0; v < merged_.size(); ++v) {
            if (first[merged_[v]] == no_index) first[merged_[v]] = v;
            merged_[v] = first[merged_[v]];
        }
        displacement_ = merged_within_ = welded.largest_move;
    } else {
        merged_ = equal_positions(mesh_.vertices);
    }
    merged_count_ = use_merged(mesh_.triangles, merged_);
}

// Replaces a repeated triangle by a point. With same_winding, one triangle of each winding stays: the two sides of a
// wall between two solids.
bool Sealing::ignore_duplicates(Duplicates which) {
    std::vector<Triangle>& triangles = mesh_.triangles;
    if (duplicate_triangles(triangles, edge_table(triangles, mesh_.vertices.size())).empty()) return true;
    std::vector<std::pair<Triangle, Index>> sorted; // corners in ascending order
    for (Index t = 0; t < triangles.size(); ++t) {
        if (names_a_vertex_twice(triangles[t])) continue;
        sorted.emplace_back(triangles[t], t);
        std::sort(sorted.back().first.begin(), sorted.back().first.end());
    }
    std::sort(sorted.begin(), sorted.end());
    const auto rises = [&](Index t) { // whether the corners ascend in the sense of the winding
        const Triangle& c = triangles[t];
        const auto least = static_cast<std::size_t>(std::min_element(c.begin(), c.end()) - c.begin());
        return c[(least + 1) % 3] < c[(least + 2) % 3];
    };
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        bool seen[2] = {false, false};
        for (end = begin; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
            const Index t = sorted[end].second;
            const bool winding = rises(t);
            two_sided_ += !seen[winding] && seen[!winding];
            if (seen[winding] || (seen[!winding] && which == Duplicates::any_winding)) {
                triangles[t] = {triangles[t][0], triangles[t][0], triangles[t][0]};
                ++duplicates_;
            }
            seen[winding] = true;
        }
    }
    if (which == Duplicates::same_winding &&
        2 * static_cast<double>(two_sided_) > max_two_sided * static_cast<double>(triangles.size() - duplicates_))
        return fail("many triangles occur in both windings");
    return true;
}

// Reorients triangles so that two triangles at an edge agree; the larger part of every patch keeps its winding.
bool Sealing::orient_patches() {
    const EdgeTable table = edge_table(mesh_.triangles, mesh_.vertices.size());
    const auto neighbours = triangle_neighbours(table);
    std::vector<int> turned(mesh_.triangles.size(), -1); // -1: not visited, 1: to be turned
    std::vector<Index> patch;
    for (Index seed = 0; seed < turned.size(); ++seed) {
        if (turned[seed] >= 0) continue;
        turned[seed] = 0;
        patch = {seed};
        double areas[2] = {0, 0};
        for (std::size_t k = 0; k < patch.size(); ++k) {
            const Index t = patch[k];
            areas[static_cast<std::size_t>(turned[t])] += area(mesh_.corners(t));
            for (std::size_t side = 0; side < 3; ++side) {
                const Index other = neighbours[t][side];
                if (other == no_index) continue;
                const auto sides = table.sides[table.of_triangle[t][side]];
                const bool agree =
                    runs_along_edge(mesh_.triangles, sides[0]) != runs_along_edge(mesh_.triangles, sides[1]);
                const int wanted = agree ? turned[t] : 1 - turned[t];
                if (turned[other] < 0)
                    turned[other] = wanted, patch.push_back(other);
                else if (turned[other] != wanted)
                    return fail("the surface is not orientable");
            }
        }
        const int fewer = areas[1] > areas[0] ? 0 : 1;
        for (const Index t : patch)
            if (turned[t] == fewer && !names_a_vertex_twice(mesh_.triangles[t])) turn(t), ++turned_;
    }
    return true;
}

// Edges that are not used equally often in both directions, directed as a cap must run along them.
std::vector<Edge> Sealing::unbalanced_edges() const {
    const EdgeTable table = edge_table(mesh_.triangles, mesh_.vertices.size());
    std::vector<Edge> found;
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        int along = 0;
        for (const Index side : table.sides[e]) along += runs_along_edge(mesh_.triangles, side) ? 1 : -1;
        const auto [low, high] = table.edges[e];
        for (; along > 0; --along) found.push_back({high, low});
        for (; along < 0; ++along) found.push_back({low, high});
    }
    std::sort(found.begin(), found.end());
    return found;
}

Hole Sealing::hole(std::span<const Index> loop, PolygonTriangulator& triangulator) const {
    Hole found{.edges = loop.size()};
    triangulator.triangulate(mesh_.vertices, loop, found.cap);
    for (const Triangle& t : found.cap) {
        const std::array<Vec3, 3> corners = {mesh_.vertices[t[0]], mesh_.vertices[t[1]], mesh_.vertices[t[2]]};
        found.area += area(corners);
        found.vector += 0.5 * area_vector(corners);
        found.width = std::max(found.width, smallest_height(corners));
    }
    return found;
}

// As many of the edges begin at a vertex as end there, so that every walk returns to its start. A walk is cut into
// loops that pass no vertex twice.
std::vector<Hole> Sealing::holes(std::vector<Edge> edges) const {
    std::vector<Hole> found;
    PolygonTriangulator triangulator;
    std::vector<Index> next(mesh_.vertices.size(), 0), place(mesh_.vertices.size(), no_index);
    for (std::size_t e = edges.size(); e-- > 0;) next[edges[e][0]] = static_cast<Index>(e);
    std::vector<Index> walk;
    const auto unused = [&](Index v) { return next[v] < edges.size() && edges[next[v]][0] == v; };
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (next[edges[e][0]] > e) continue; // used
        walk = {edges[e][0]};
        place[walk[0]] = 0;
        while (unused(walk.back())) {
            const Index to = edges[next[walk.back()]++][1];
            if (place[to] == no_index) {
                place[to] = static_cast<Index>(walk.size());
                walk.push_back(to);
                continue;
            }
            const std::size_t begin = place[to];
            found.push_back(hole(std::span(walk).subspan(begin), triangulator));
            for (std::size_t k = begin + 1; k < walk.size(); ++k) place[walk[k]] = no_index;
            walk.resize(begin + 1);
        }
        place[walk[0]] = no_index;
    }
    return found;
}

bool Sealing::close_holes() {
    std::vector<Edge> edges = unbalanced_edges();
    if (2 * edges.size() > mesh_.triangles.size()) return fail("most triangles have an open edge");
    std::vector<Hole> open;
    std::vector<Triangle> caps;
    for (Hole& found : holes(std::move(edges))) {
        caps.insert(caps.end(), found.cap.begin(), found.cap.end());
        if (found.width <= crack_)
            ++cracks_, displacement_ = std::max(displacement_, found.width);
        else
            hole_edges_ += found.edges, open.push_back(std::move(found));
    }
    holes_ = open.size();
    if (!holes_are_small(open)) return false;
    cap_triangles_ = caps.size();
    mesh_.triangles.insert(mesh_.triangles.end(), caps.begin(), caps.end());
    return true;
}

bool Sealing::holes_are_small(const std::vector<Hole>& open) {
    if (open.size() > max_hole_count) return fail(fmt::format("more than {} holes", max_hole_count));
    if (open.empty()) return true;
    DisjointSets sets(mesh_.vertices.size());
    for (const Triangle& t : mesh_.triangles) sets.join(t[0], t[1]), sets.join(t[1], t[2]);
    std::vector<Index> component(mesh_.triangles.size());
    std::vector<double> areas(mesh_.vertices.size(), 0), caps(mesh_.vertices.size(), 0);
    for (std::size_t t = 0; t < component.size(); ++t) {
        component[t] = sets.find(mesh_.triangles[t][0]);
        areas[component[t]] += area(mesh_.corners(t));
    }
    for (const Hole& h : open) caps[sets.find(h.cap[0][0])] += h.area;
    const Lists parts = grouped(component, mesh_.vertices.size());
    for (const Hole& h : open) {
        const Index part = sets.find(h.cap[0][0]);
        if (caps[part] > max_holes * (areas[part] + caps[part]))
            return fail(fmt::format("the holes of a component are {:.0f}% of its area",
                                    100 * caps[part] / (areas[part] + caps[part])));
        // Half of the projected area of the closed surface: the cross-section of a convex component.
        const Vec3 normal = h.vector.stableNormalized();
        double projected = 0;
        for (const Index t : parts[part]) projected += 0.5 * std::abs(normal.dot(area_vector(mesh_.corners(t))));
        for (const Hole& other : open)
            if (sets.find(other.cap[0][0]) == part) projected += std::abs(normal.dot(other.vector));
        if (h.area > max_hole * 0.5 * projected)
            return fail(fmt::format("a hole opens {:.0f}% of the cross-section of its component",
                                    std::min(100.0, 200 * h.area / projected)));
    }
    return true;
}

void Sealing::orient_components() {
    Components found = components(mesh_);
    components_ = found.parts.size();
    double total_area = 0, total_volume = 0, flat_area = 0;
    for (Index p = 0; p < found.parts.size(); ++p) {
        Component& part = found.parts[p];
        if (!part.closed) part.volume = surface_measure(mesh_, found.triangles_of_part[p]).volume;
        total_area += part.area;
        total_volume += part.volume;
        if (part.volume == 0) flat_area += part.area;
    }
    if (!(total_area > 0) || flat_area > negligible * total_area) {
        fail("a part of the surface encloses no volume");
        return;
    }
    if (total_volume < 0) {
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) turn(t);
        for (Component& part : found.parts) part.volume = -part.volume, inward_ += part.volume > 0;
    }
    std::vector<Index> inward = inside_out_parts(mesh_, found);
    for (Index p = 0; p < found.parts.size(); ++p)
        if (!found.parts[p].closed && found.parts[p].volume < 0) inward.push_back(p);
    inward_ += inward.size();
    for (const Index p : inward)
        for (const Index t : found.triangles_of_part[p]) turn(t);
}

std::string Sealing::reason() const {
    std::vector<std::string> done;
    const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
    if (holes_ > 0)
        done.push_back(
            fmt::format("{} open edges: {} hole{} closed by flat caps", hole_edges_, holes_, plural(holes_)));
    if (merged_within_ > 0)
        done.push_back(fmt::format("vertices merged that coincide within {:.2g} m", merged_within_));
    if (duplicates_ > 0)
        done.push_back(fmt::format("{} repeated triangle{} ignored", duplicates_, plural(duplicates_)));
    if (turned_ > 0) done.push_back(fmt::format("{} triangle{} reoriented", turned_, plural(turned_)));
    if (cracks_ > 0) done.push_back(fmt::format("{} crack{} closed", cracks_, plural(cracks_)));
    if (inward_ > 0)
        done.push_back(components_ == 1
                           ? std::string("the surface was oriented inward")
                           : fmt::format("{} of {} components were oriented inward", inward_, components_));
    if (done.empty()) done.emplace_back("edges with more than two triangles, in balance");
    return fmt::format("{}", fmt::join(done, "; "));
}

// Why a mesh that cannot be sealed is a sheet.
std::string defects(const MeshReport& report, const std::string& fault) {
    std::vector<std::string> found;
    const auto add = [&](std::size_t count, const std::string& what) {
        if (count > 0) found.push_back(fmt::format("{} {}", count, what));
    };
    const auto edges = [](std::size_t count) { return count == 1 ? "edge" : "edges"; };
    add(report.open_edges.count, fmt::format("open {}", edges(report.open_edges.count)));
    add(report.nonmanifold_edges.count,
        fmt::format("{} with more than two triangles", edges(report.nonmanifold_edges.count)));
    add(report.clashing_edges.count, fmt::format("{} with clashing winding", edges(report.clashing_edges.count)));
    return found.empty() ? fault : fmt::format("{}: {}", fmt::join(found, ", "), fault);
}

// Distances within which vertices are merged: none, rounding of double, rounding of float.
std::vector<double> tolerances(const TriangleMesh& mesh) {
    double largest = 0;
    for (const Vec3& v : mesh.vertices) largest = std::max(largest, v.cwiseAbs().maxCoeff());
    std::vector<double> found = {0};
    for (const double rounding : {double_rounding, float_rounding})
        if (largest > 0 && rounding * largest <= widest_merge * bounds(mesh.vertices).diagonal())
            found.push_back(rounding * largest);
    return found;
}

} // namespace

SealedMesh seal(TriangleMesh mesh) {
    check(mesh);
    const MeshReport report = mesh_report(mesh);
    if (report.faces_outward()) {
        SealedMesh closed{.interior = MeshInterior::closed, .reason = "watertight and oriented outward"};
        std::vector<Index> merged = equal_positions(mesh.vertices);
        if (use_merged(mesh.triangles, merged) > 0) closed.merged = std::move(merged);
        closed.mesh = std::move(mesh);
        return closed;
    }
    const std::vector<double> within = tolerances(mesh);
    std::optional<Sealing> capped;
    std::string fault;
    std::size_t merged_before = 0;
    for (const double tolerance : within)
        for (const Duplicates duplicates : {Duplicates::same_winding, Duplicates::any_winding}) {
            Sealing tried(mesh, tolerance, within.back());
            if (tolerance > 0 && duplicates == Duplicates::same_winding && tried.merged_count() == merged_before)
                break; // the same as with the last tolerance
            tried.repair(duplicates);
            if (tried.certain()) return std::move(tried).result();
            if (!tried.fault().empty()) fault = tried.fault();
            const bool again = tried.has_two_sided_faces();
            merged_before = tried.merged_count();
            if (tried.solid() && !capped) capped.emplace(std::move(tried));
            if (!again) break;
        }
    if (capped) return std::move(*capped).result();
    return {.interior = MeshInterior::sheet, .reason = defects(report, fault), .mesh = std::move(mesh)};
}

} // namespace fathom
