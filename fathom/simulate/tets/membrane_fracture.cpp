// Updates of points, masses and springs after a tear of the surface; and the fracture rule.
#include <fathom/simulate/tets/membrane_fracture.h>

#include <fathom/base/error.h>
#include <fathom/base/sorted_edit.h>

#include <algorithm>
#include <fmt/format.h>

namespace fathom {

namespace {

Index corner_opposite(const TriangleMesh& mesh, Index side) { return mesh.triangles[side / 3][(side + 2) % 3]; }

std::array<Index, 2> ends_of_bending(const TriangleMesh& mesh, const std::array<Index, 2>& sides) {
    const auto [a, b] = std::minmax({corner_opposite(mesh, sides[0]), corner_opposite(mesh, sides[1])});
    return {a, b};
}

} // namespace

BreakableMembrane::BreakableMembrane(const TriangleMesh& rest, const SurfaceMaterial& material)
    : material_(material), surface_(rest) {
    edit_ = surface_.take_edit();
    const TriangleMesh& mesh = surface_.mesh();
    network_ = surface_network(mesh, material);
    state_ = start_state(network_);
    network_.areas.assign(mesh.triangles.size(), {});
    for (Index t = 0; t < mesh.triangles.size(); ++t) {
        const double area = rest_area(t);
        network_.areas[t] = {mesh.triangles[t], area > 0 ? area : 1, area > 0 ? material.area : 0};
    }
    // Springs of edges come first, in this order.
    const EdgeTable table = edge_table(mesh.triangles, mesh.vertices.size());
    spring_of_.resize(3 * mesh.triangles.size());
    edging_.resize(network_.springs.size());
    auto bending = static_cast<Index>(table.edges.size());
    for (Index e = 0; e < table.edges.size(); ++e) {
        const auto sides = table.sides[e];
        for (std::size_t k = 0; k < sides.size(); ++k) edging_[e].sides[k] = sides[k], spring_of_[sides[k]] = e;
        if (sides.size() == 2 && bending < network_.springs.size() &&
            network_.springs[bending].points == ends_of_bending(mesh, edging_[e].sides))
            edging_[e].bending = bending++;
    }
}

double BreakableMembrane::rest_area(Index t) const {
    const Triangle& v = surface_.mesh().triangles[t];
    return 0.5 * area_vector({network_.points[v[0]], network_.points[v[1]], network_.points[v[2]]}).norm();
}

void BreakableMembrane::set_state(SpringState state) {
    check(state, network_);
    surface_.move(state.positions);
    state_ = std::move(state);
}

void BreakableMembrane::fix(Index point, bool fixed) {
    if (point >= network_.size())
        throw Error(Cause::index_out_of_range, fmt::format("out of range; the count is {}", network_.size()),
                    {.element = "point", .index = point});
    network_.fixed[point] = fixed;
}

SpringWorld BreakableMembrane::world(const SpringOptions& options) const {
    SpringWorld world(network_, options);
    world.set_state(state_);
    return world;
}

void BreakableMembrane::follow(const SpringWorld& world) {
    copy_rest_lengths(world.network(), network_);
    set_state(
        {{world.positions().begin(), world.positions().end()}, {world.velocities().begin(), world.velocities().end()}});
}

void BreakableMembrane::separate(std::span<const Index> sides) {
    surface_.separate(sides);
    apply();
}

std::size_t BreakableMembrane::number_parts() {
    const SurfaceParts parts = surface_.parts();
    std::fill(network_.part.begin(), network_.part.end(), 0);
    for (std::size_t t = 0; t < parts.of_triangle.size(); ++t)
        for (const Index v : surface_.mesh().triangles[t]) network_.part[v] = parts.of_triangle[t];
    return parts.count;
}

// ---- Applying a tear

void BreakableMembrane::apply() {
    edit_ = surface_.take_edit();
    changes_ = {};
    if (edit_.empty()) return;
    add_twins();
    for (const Index t : edit_.changed_triangles) {
        network_.areas[t].points = surface_.mesh().triangles[t];
        for (Index k = 0; k < 3; ++k) renew_edge(3 * t + k);
    }
    for (const auto& [vertex, origin] : edit_.twins) changes_.points.insert(changes_.points.end(), {vertex, origin});
    changes_.areas = edit_.changed_triangles;
    sort_unique(changes_.points);
    sort_unique(changes_.springs);
}

void BreakableMembrane::add_twins() {
    for (const auto& [vertex, origin] : edit_.twins) {
        const Vec3 rest = network_.points[origin], position = state_.positions[origin],
                   velocity = state_.velocities[origin];
        network_.points.push_back(rest);
        network_.masses.push_back(0);
        network_.fixed.push_back(char{network_.fixed[origin]});
        network_.part.push_back(Index{network_.part[origin]});
        state_.positions.push_back(position);
        state_.velocities.push_back(velocity);
    }
    std::vector<SurfaceTear::Twin> twins = edit_.twins;
    std::stable_sort(twins.begin(), twins.end(), [](const auto& a, const auto& b) { return a.origin < b.origin; });
    for (std::size_t begin = 0, end = 0; begin < twins.size(); begin = end) {
        while (end < twins.size() && twins[end].origin == twins[begin].origin) ++end;
        share_mass(twins[begin].origin, std::span(twins).subspan(begin, end - begin));
    }
}

// The origin keeps the mass that its duplicates do not take, so that nothing is lost to rounding.
void BreakableMembrane::share_mass(Index origin, std::span<const SurfaceTear::Twin> twins) {
    const auto area_round = [&](Index point) {
        double area = 0;
        for (const Index t : surface_.triangles_round(point)) area += rest_area(t);
        return area;
    };
    std::vector<double> areas = {area_round(origin)};
    for (const auto& twin : twins) areas.push_back(area_round(twin.vertex));
    const double largest = *std::max_element(areas.begin(), areas.end());
    double sum = 0;
    for (double& area : areas)
        sum += area = largest > 0 ? std::max(area, 1e-3 * largest) : 1; // slivers must have some mass
    const double mass = network_.masses[origin];
    for (std::size_t k = 0; k < twins.size(); ++k) {
        network_.masses[twins[k].vertex] = mass * areas[k + 1] / sum;
        network_.masses[origin] -= network_.masses[twins[k].vertex];
    }
}

// The first side keeps the spring of an edge that has opened, and the bending spring across it is removed.
void BreakableMembrane::renew_edge(Index side) {
    const Index spring = spring_of_[side];
    const auto [first, second] = edging_[spring].sides;
    const Index bending = edging_[spring].bending;
    network_.springs[spring].points = surface_.ends(first);
    changes_.springs.push_back(spring);
    if (bending != no_index) changes_.springs.push_back(bending);
    if (second == no_index) return;
    if (surface_.opposite(first) == second) {
        if (bending != no_index) network_.springs[bending].points = ends_of_bending(surface_.mesh(), {first, second});
        return;
    }
    if (bending != no_index) remove_spring(network_, bending);
    const auto fresh = static_cast<Index>(network_.springs.size());
    const Spring copy = network_.springs[spring];
    network_.springs.push_back(copy);
    network_.springs.back().points = surface_.ends(second);
    changes_.springs.push_back(fresh);
    edging_[spring] = {{first, no_index}, no_index};
    edging_.push_back({{second, no_index}, no_index});
    spring_of_[second] = fresh;
    stiffen(spring);
    stiffen(fresh);
}

void BreakableMembrane::stiffen(Index spring) {
    Spring& s = network_.springs[spring];
    const double length = (network_.points[s.points[1]] - network_.points[s.points[0]]).norm();
    s.stiffness = surface_stiffness(material_.stretch, rest_area(edging_[spring].sides[0] / 3), length);
    s.damping = s.stiffness * material_.damping_time;
}

// ---- Fracture

std::vector<Index> BreakableMembrane::springs_at(Index point) const {
    std::vector<Index> springs;
    for (const Index t : surface_.triangles_round(point))
        for (Index k = 0; k < 3; ++k) {
            const Edge ends = surface_.ends(3 * t + k);
            if (ends[0] == point || ends[1] == point) springs.push_back(spring_of_[3 * t + k]);
        }
    sort_unique(springs);
    return springs;
}

// The edges at a point between the triangles above and below the plane through it, each given by one of its sides.
std::vector<Index> BreakableMembrane::sides_across(Index point, const Vec3& direction) const {
    const TriangleMesh& mesh = surface_.mesh();
    const auto above = [&](Index t) {
        const std::array<Vec3, 3> c = mesh.corners(t);
        return direction.dot(c[0] + c[1] + c[2] - 3 * state_.positions[point]) > 0;
    };
    std::vector<Index> sides;
    for (const Index t : surface_.triangles_round(point))
        for (Index k = 0; k < 3; ++k) {
            const Index side = 3 * t + k, other = surface_.opposite(side);
            const Edge ends = surface_.ends(side);
            if (other != no_index && side < other && (ends[0] == point || ends[1] == point) &&
                above(t) != above(other / 3))
                sides.push_back(side);
        }
    return sides;
}

BreakReport BreakableMembrane::break_stretched(const MembraneBreakOptions& options) {
    require_positive(options.strain, "option strain");
    BreakReport report;
    const auto springs_of = [&](Index point) { return springs_at(point); };
    const auto across = [&](Index point, const Vec3& direction) { return sides_across(point, direction); };
    std::vector<Index> sides =
        parted_at_springs(network_, state_, options.strain, options.max_broken, springs_of, across, report);
    sort_unique(sides);
    report.opened = sides.size();
    separate(sides);
    return report;
}

} // namespace fathom
