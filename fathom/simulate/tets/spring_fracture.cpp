// Updates of points, masses, volumes and springs after an edit of the mesh; and the fracture rule.
#include <fathom/simulate/tets/spring_fracture.h>

#include <fathom/base/error.h>
#include <fathom/base/sorted_edit.h>
#include <fathom/geometry/mesh/normals.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace fathom {

// Fracture at stretched springs.

namespace {

struct Tension {
    double sum = 0;
    Vec3 direction = Vec3::Zero();
};

Tension tension_of(const SpringNetwork& network, const SpringState& state, std::span<const Index> springs) {
    Mat3 sum = Mat3::Zero();
    for (const Index s : springs) {
        const Spring& spring = network.springs[s];
        const double pull = strain(spring, state);
        const Vec3 along = (state.positions[spring.points[1]] - state.positions[spring.points[0]]).stableNormalized();
        if (pull > 0) sum += pull * along * along.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(sum);
    return {sum.trace(), solver.eigenvectors().col(2)};
}

} // namespace

double strain(const Spring& spring, const SpringState& state) {
    if (spring.kind != SpringKind::edge || !(spring.rest > 0)) return 0;
    return (state.positions[spring.points[1]] - state.positions[spring.points[0]]).norm() / spring.rest - 1;
}

void note(Strained& list, double strain, Index element, double limit, BreakReport& report) {
    report.largest_strain = std::max(report.largest_strain, strain);
    if (!(strain > limit)) return;
    list.emplace_back(-strain, element);
    ++report.stretched;
}

std::vector<Index> parted_at_springs(const SpringNetwork& network, const SpringState& state, double limit,
                                     std::size_t max_broken, CallableRef<std::vector<Index>(Index)> springs_at,
                                     CallableRef<std::vector<Index>(Index, const Vec3&)> across, BreakReport& report) {
    // At the end with the larger tension, or at the other if that separates nothing.
    const auto freeing = [&](Index a, Index b) {
        Tension at_a = tension_of(network, state, springs_at(a)), at_b = tension_of(network, state, springs_at(b));
        if (at_a.sum < at_b.sum) std::swap(a, b), std::swap(at_a, at_b);
        std::vector<Index> found = across(a, at_a.direction);
        return found.empty() ? across(b, at_b.direction) : found;
    };
    Strained stretched;
    for (Index s = 0; s < network.springs.size(); ++s)
        note(stretched, strain(network.springs[s], state), s, limit, report);
    // Often only the first few are needed.
    std::make_heap(stretched.begin(), stretched.end(), std::greater<>{});
    std::unordered_set<Index> done;
    std::vector<Index> all;
    for (auto last = stretched.end(); last != stretched.begin() && report.broken < max_broken;) {
        std::pop_heap(stretched.begin(), last--, std::greater<>{});
        const auto [a, b] = network.springs[last->second].points;
        if (done.contains(a) || done.contains(b)) continue;
        const std::vector<Index> found = freeing(a, b);
        report.held += found.empty();
        if (found.empty()) continue;
        done.insert({a, b});
        all.insert(all.end(), found.begin(), found.end());
        ++report.broken;
    }
    return all;
}

namespace {

std::uint64_t key_of(Index a, Index b) {
    const auto [low, high] = std::minmax(a, b);
    return std::uint64_t{low} << 32 | high;
}

void add_edges(const std::array<Index, 4>& corners, std::vector<std::uint64_t>& keys) {
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) keys.push_back(key_of(corners[i], corners[j]));
}

Index low_end(std::uint64_t key) { return static_cast<Index>(key >> 32); }
Index high_end(std::uint64_t key) { return static_cast<Index>(key); }

} // namespace

// State before an edit, collected while the network is still unchanged.
struct BreakableSolid::Before {
    std::vector<Index> tets;                    // tetrahedra in use with changed corners, including new ones
    std::vector<Index> points;                  // points whose mass or springs may change
    std::vector<EdgeKey> edges;                 // edges of the old tetrahedra
    std::unordered_map<Index, Index> origin;    // of duplicates: the point that they come from
    std::unordered_map<EdgeKey, double> halves; // rest lengths of pieces of edges, by origins
    [[nodiscard]] Index origin_of(Index point) const {
        const auto found = origin.find(point);
        return found == origin.end() ? point : found->second;
    }
};

BreakableSolid::BreakableSolid(const TetMesh& rest, const SolidMaterial& material) : material_(material), mesh_(rest) {
    edit_ = mesh_.take_edit();
    network_ = solid_network(mesh_.mesh(), material);
    state_ = start_state(network_);
    network_.volumes.resize(mesh_.tet_slots());
    excess_ = network_.masses;
    for (Index t = 0; t < mesh_.tet_slots(); ++t) {
        const double volume = rest_volume(t);
        require(volume != 0, volume, "a volume at rest other than 0", {.element = "tetrahedron", .index = t});
        network_.volumes[t] = {mesh_.tet(t), volume, material.volume};
        for (const Index v : mesh_.tet(t)) excess_[v] -= material.density * std::abs(volume) / 4;
    }
    for (Index s = 0; s < network_.springs.size(); ++s)
        spring_of_[key_of(network_.springs[s].points[0], network_.springs[s].points[1])] = s;
}

double BreakableSolid::rest_volume(Index tet) const {
    const Tetrahedron& t = mesh_.tet(tet);
    return signed_volume({network_.points[t[0]], network_.points[t[1]], network_.points[t[2]], network_.points[t[3]]});
}

void BreakableSolid::set_state(SpringState state) {
    check(state, network_);
    mesh_.move(state.positions);
    state_ = std::move(state);
}

void BreakableSolid::fix(Index point, bool fixed) {
    if (!mesh_.has_vertex(point))
        throw Error(Cause::index_out_of_range, "not in use", {.element = "point", .index = point});
    network_.fixed[point] = fixed;
}

SpringWorld BreakableSolid::world(const SpringOptions& options) const {
    SpringWorld world(network_, options);
    world.set_state(state_);
    return world;
}

void BreakableSolid::follow(const SpringWorld& world) {
    copy_rest_lengths(world.network(), network_);
    set_state(
        {{world.positions().begin(), world.positions().end()}, {world.velocities().begin(), world.velocities().end()}});
}

CutReport BreakableSolid::cut(const CutPlane& plane, const CutOptions& options) {
    const CutReport report = fathom::cut(mesh_, plane, options);
    apply();
    return report;
}

CutReport BreakableSolid::cut(const TriangleMesh& surface, const CutOptions& options) {
    const CutReport report = fathom::cut(mesh_, surface, options);
    apply();
    return report;
}

void BreakableSolid::separate(std::span<const Index> faces) {
    mesh_.separate(faces);
    apply();
}

void BreakableSolid::remove(std::span<const Index> tets) {
    mesh_.remove(tets);
    apply();
}

std::size_t BreakableSolid::number_parts() {
    const TetParts parts = mesh_.parts();
    std::fill(network_.part.begin(), network_.part.end(), 0);
    for (Index t = 0; t < mesh_.tet_slots(); ++t)
        if (mesh_.has_tet(t))
            for (const Index v : mesh_.tet(t)) network_.part[v] = parts.of_tet[t];
    return parts.count;
}

// ---- Applying an edit

void BreakableSolid::apply() {
    edit_ = mesh_.take_edit();
    changes_ = {};
    if (edit_.empty()) return;
    const std::size_t known = network_.volumes.size();
    Before before;
    add_points(before);
    renew_volumes(before);
    renew_masses(before);
    renew_springs(before);
    changes_.points = std::move(before.points);
    changes_.volumes = std::move(before.tets);
    changes_.volumes.insert(changes_.volumes.end(), edit_.removed_tets.begin(), edit_.removed_tets.end());
    for (Index t = static_cast<Index>(known); t < network_.volumes.size(); ++t) changes_.volumes.push_back(t);
    sort_unique(changes_.volumes);
    sort_unique(changes_.springs);
}

void BreakableSolid::add_points(Before& before) {
    const std::size_t count = mesh_.vertex_slots();
    network_.points.resize(count, Vec3::Zero());
    network_.masses.resize(count, 0);
    network_.fixed.resize(count, 1);
    network_.part.resize(count, 0);
    state_.positions.resize(count, Vec3::Zero());
    state_.velocities.resize(count, Vec3::Zero());
    excess_.resize(count, 0);
    const auto between = [](std::vector<Vec3>& values, const TetEdit::NewVertex& v) {
        values[v.vertex] = (1 - v.share) * Vec3(values[v.a]) + v.share * Vec3(values[v.b]);
    };
    for (const TetEdit::NewVertex& v : edit_.new_vertices) {
        between(network_.points, v);
        between(state_.velocities, v);
        state_.positions[v.vertex] = mesh_.positions()[v.vertex];
        network_.fixed[v.vertex] = network_.fixed[v.a] && network_.fixed[v.b];
        network_.part[v.vertex] = network_.part[v.a];
        network_.masses[v.vertex] = excess_[v.vertex] = 0;
        before.points.insert(before.points.end(), {v.vertex, v.a, v.b});
        const Index a = before.origin_of(v.a), b = before.origin_of(v.b);
        if (v.a == v.b) {
            before.origin[v.vertex] = a;
            continue;
        }
        const auto whole = spring_of_.find(key_of(a, b));
        const auto piece = before.halves.find(key_of(a, b));
        if (whole == spring_of_.end() && piece == before.halves.end()) continue;
        const double rest = piece != before.halves.end() ? piece->second : network_.springs[whole->second].rest;
        before.halves[key_of(a, v.vertex)] = v.share * rest;
        before.halves[key_of(v.vertex, b)] = (1 - v.share) * rest;
    }
}

void BreakableSolid::renew_volumes(Before& before) {
    before.tets = edit_.changed_tets;
    const std::vector<Index>& gone = edit_.removed_tets;
    for (const TetEdit::NewTet& t : edit_.new_tets)
        if (mesh_.has_tet(t.tet)) before.tets.push_back(t.tet);
    std::sort(before.tets.begin(), before.tets.end());
    const std::size_t old_count = network_.volumes.size();
    for (const std::vector<Index>* some : {&std::as_const(before.tets), &gone})
        for (const Index t : *some) {
            if (t >= old_count) continue;
            add_edges(network_.volumes[t].points, before.edges);
            before.points.insert(before.points.end(), network_.volumes[t].points.begin(),
                                 network_.volumes[t].points.end());
        }
    network_.volumes.resize(mesh_.tet_slots(), {{0, 0, 0, 0}, 1, 0});
    for (const Index t : gone) network_.volumes[t].stiffness = 0;
    for (const Index t : before.tets) {
        const double volume = rest_volume(t); // 0 only if a sliver is lost to rounding
        network_.volumes[t] = {mesh_.tet(t), volume != 0 ? volume : 1, volume != 0 ? material_.volume : 0};
        before.points.insert(before.points.end(), mesh_.tet(t).begin(), mesh_.tet(t).end());
    }
    sort_unique(before.points);
}

void BreakableSolid::renew_masses(const Before& before) {
    std::unordered_map<Index, double> family; // mass of the tetrahedra of a point and its duplicates
    for (const Index p : before.points) {
        double volume = 0;
        for (const Index t : mesh_.tets_round(p)) volume += std::abs(rest_volume(t));
        network_.masses[p] = material_.density * volume / 4;
        family[before.origin_of(p)] += network_.masses[p];
    }
    std::unordered_map<Index, double> spare;
    for (const Index p : before.points)
        if (before.origin_of(p) == p) spare[p] = excess_[p];
    for (const Index p : before.points) {
        if (!mesh_.has_vertex(p)) {
            network_.masses[p] = excess_[p] = 0;
            network_.fixed[p] = 1;
            continue;
        }
        const Index root = before.origin_of(p);
        const double share = family[root] > 0 ? network_.masses[p] / family[root] : p == root;
        excess_[p] = share * spare[root];
        network_.masses[p] += excess_[p];
    }
}

void BreakableSolid::renew_springs(const Before& before) {
    std::vector<EdgeKey> now;
    for (const Index t : before.tets) add_edges(mesh_.tet(t), now);
    std::vector<EdgeKey> old = before.edges;
    sort_unique(now);
    sort_unique(old);
    std::vector<std::pair<EdgeKey, double>> fresh;
    for (const EdgeKey key : now) {
        if (spring_of_.contains(key)) continue;
        const Index a = before.origin_of(low_end(key)), b = before.origin_of(high_end(key));
        const auto whole = spring_of_.find(key_of(a, b));
        const auto piece = before.halves.find(key_of(a, b));
        double rest = (network_.points[low_end(key)] - network_.points[high_end(key)]).norm();
        if (piece != before.halves.end())
            rest = piece->second;
        else if (whole != spring_of_.end())
            rest = network_.springs[whole->second].rest;
        fresh.emplace_back(key, rest);
    }
    for (const EdgeKey key : old) {
        const auto found = spring_of_.find(key);
        if (found == spring_of_.end()) continue;
        if (mesh_.tets_round(Edge{low_end(key), high_end(key)}).empty()) {
            remove_spring(network_, found->second);
            changes_.springs.push_back(found->second);
            free_springs_.push_back(found->second);
            spring_of_.erase(found);
        } else {
            stiffen(found->second);
        }
    }
    for (const auto& [key, rest] : fresh) add_spring(low_end(key), high_end(key), rest);
}

void BreakableSolid::add_spring(Index a, Index b, double rest) {
    Index s = static_cast<Index>(network_.springs.size());
    if (free_springs_.empty()) {
        network_.springs.emplace_back();
    } else {
        s = free_springs_.back();
        free_springs_.pop_back();
    }
    network_.springs[s] = {.points = {a, b}, .rest = rest, .kind = SpringKind::edge};
    spring_of_[key_of(a, b)] = s;
    stiffen(s);
}

void BreakableSolid::stiffen(Index spring) {
    Spring& s = network_.springs[spring];
    double volume = 0;
    for (const Index t : mesh_.tets_round(Edge{s.points[0], s.points[1]})) volume += std::abs(rest_volume(t));
    fathom::stiffen(s, material_, volume, (network_.points[s.points[1]] - network_.points[s.points[0]]).norm());
    changes_.springs.push_back(spring);
}

// ---- Fracture

// Sorted by the numbers of their ends.
std::vector<Index> BreakableSolid::springs_at(Index point) const {
    std::vector<EdgeKey> edges;
    for (const Index t : mesh_.tets_round(point)) add_edges(mesh_.tet(t), edges);
    sort_unique(edges);
    std::vector<Index> springs;
    for (const EdgeKey key : edges)
        if (low_end(key) == point || high_end(key) == point) springs.push_back(spring_of_.at(key));
    return springs;
}

// The faces round a point between the tetrahedra above and below the plane through it.
std::vector<Index> BreakableSolid::faces_across(Index point, const Vec3& direction) const {
    const auto above = [&](Index t) {
        Vec3 sum = -4 * state_.positions[point];
        for (const Vec3& c : mesh_.corners(t)) sum += c;
        return direction.dot(sum) > 0;
    };
    std::vector<Index> faces;
    for (const Index t : mesh_.tets_round(point))
        for (Index k = 0; k < 4; ++k) {
            const Index other = mesh_.neighbour(4 * t + k);
            if (mesh_.tet(t)[k] != point && other != no_index && t < other && above(t) != above(other))
                faces.push_back(4 * t + k);
        }
    return faces;
}

// Current length of a line that had a length of one metre at rest and now has the direction of a unit vector; 0 in a
// tetrahedron that is now flat.
double BreakableSolid::stretch_along(Index tet, const Vec3& direction) const {
    const Tetrahedron& t = mesh_.tet(tet);
    Mat3 rest, now;
    for (int k = 0; k < 3; ++k) {
        rest.col(k) = network_.points[t[static_cast<std::size_t>(k) + 1]] - network_.points[t[0]];
        now.col(k) = state_.positions[t[static_cast<std::size_t>(k) + 1]] - state_.positions[t[0]];
    }
    const double back = (rest * (now.inverse() * direction)).norm();
    return std::isfinite(back) && back > 0 ? 1 / back : 0;
}

double BreakableSolid::strain_across(Index face) const {
    const Triangle c = mesh_.face_corners(face);
    const Vec3 normal = unit_normal({state_.positions[c[0]], state_.positions[c[1]], state_.positions[c[2]]});
    return 0.5 * (stretch_along(face / 4, normal) + stretch_along(mesh_.neighbour(face), normal)) - 1;
}

std::vector<Index> BreakableSolid::stretched_faces(const BreakOptions& options, BreakReport& report) const {
    Strained stretched;
    for (const Index face : faces_between(mesh_, [](Index, Index) { return true; }))
        if (!mesh_.is_scored(face)) note(stretched, strain_across(face), face, options.strain, report);
    std::sort(stretched.begin(), stretched.end());
    if (stretched.size() > options.max_broken) stretched.resize(options.max_broken);
    std::vector<Index> faces;
    for (const auto& [strain, face] : stretched) faces.push_back(face);
    report.broken = faces.size();
    return faces;
}

BreakReport BreakableSolid::break_stretched(const BreakOptions& options) {
    require_positive(options.strain, "option strain");
    BreakReport report;
    const auto springs_of = [&](Index point) { return springs_at(point); };
    const auto across = [&](Index point, const Vec3& direction) { return faces_across(point, direction); };
    std::vector<Index> faces =
        options.rule == BreakRule::springs
            ? parted_at_springs(network_, state_, options.strain, options.max_broken, springs_of, across, report)
            : stretched_faces(options, report);
    sort_unique(faces);
    report.opened = faces.size();
    separate(faces);
    return report;
}

} // namespace fathom
