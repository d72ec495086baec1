// Room: simulate. Keeps what is known of a body of tetrahedra in step with its springs.
#include <fathom/simulate/simulated_tets.h>

#include <fathom/geometry/disjoint_sets.h>
#include <fathom/simulate/spring_bodies.h>

#include <algorithm>

namespace fathom {

SimulatedTets::SimulatedTets(const TetWorldBody& body, bool breakable) {
    network_ = solid_network(body.mesh, body.material);
    fix_points(network_, body.fixed, body.fixed_vertices);
    if (!breakable) {
        spring_state_ = {network_.points, rigid_velocities(network_, body.velocity, body.spin)};
        rebuild(body.mesh);
        return;
    }
    solid_ = std::make_unique<BreakableSolid>(body.mesh, body.material);
    for (const Index v : body.fixed_vertices) solid_->fix(v);
    solid_->set_state({solid_->network().points, rigid_velocities(solid_->network(), body.velocity, body.spin)});
    network_ = {};
    rebuild(solid_->mesh().mesh());
}

void SimulatedTets::rebuild(const TetMesh& mesh) {
    topology_ = std::make_unique<TetTopology>(mesh);
    vertices_ = state().positions;
    areas_ = boundary_areas({network().points, *topology_});
    depths_ = {};
    const auto vertices = topology_->boundary_vertices();
    std::vector<Triangle> triangles(topology_->boundary().begin(), topology_->boundary().end());
    for (Triangle& t : triangles)
        for (Index& v : t) v = static_cast<Index>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
    surface_ = std::make_shared<const std::vector<Triangle>>(std::move(triangles));
}

void SimulatedTets::number_points(std::size_t& count) {
    while (points_.size() < network().size()) points_.push_back(static_cast<Index>(count++));
}

void SimulatedTets::move(std::span<const Vec3> positions) {
    for (std::size_t v = 0; v < points_.size(); ++v) vertices_[v] = positions[points_[v]];
}

void SimulatedTets::follow(const SpringWorld& springs) {
    SpringState now;
    for (const Index k : points_) {
        now.positions.push_back(springs.positions()[k]);
        now.velocities.push_back(springs.velocities()[k]);
    }
    if (solid_) solid_->set_state(std::move(now));
    else spring_state_ = std::move(now);
}

const TetZone& SimulatedTets::zone() {
    zone_.update(view(), bounds(view()));
    return zone_;
}

std::size_t SimulatedTets::pieces() const {
    DisjointSets sets(vertices_.size());
    for (const Tetrahedron& t : topology_->tetrahedra())
        for (std::size_t k = 1; k < 4; ++k) sets.join(t[0], t[k]);
    return sets.count() - (vertices_.size() - topology_->used_vertices().size());
}

void SimulatedTets::forget_asked() {
    wanted_ = {false, false};
    for (auto& asked : asked_) asked.clear();
}

void SimulatedTets::ask(std::span<const PointInTet> points, const SegmentsInTets& segments, bool self) {
    if (points.empty() && segments.chains.empty()) return;
    wanted_[self] = true;
    const std::vector<Index> nodes = nodes_in_contact(view(), points, segments);
    asked_[self].insert(asked_[self].end(), nodes.begin(), nodes.end());
}

// `other` may lend what it knows of the topology.
std::unique_ptr<NodeDepths> SimulatedTets::new_depths(const NodeDepths* other) const {
    if (other) return std::make_unique<NodeDepths>(other->shared_topology());
    const auto tetrahedra = topology_->tetrahedra();
    return std::make_unique<NodeDepths>(TetMesh{vertices_, {tetrahedra.begin(), tetrahedra.end()}});
}

void SimulatedTets::measure(const DepthOptions& options, const TetPushOptions& push) {
    const bool points_alone = push.depth == PushDepth::measured && push.direction == PushDirection::nearest;
    for (const bool self : {false, true}) {
        if (!wanted_[self]) continue;
        auto& depths = depths_[self];
        if (!depths) depths = new_depths(depths_[!self].get());
        DepthOptions by = options;
        by.method = method(options, self);
        const bool tree_alone = points_alone && by.method == DepthMethod::exact;
        depths->compute(vertices_, tree_alone ? std::span<const Index>{} : asked_[self], by);
        if (by.method == DepthMethod::exact) depths->fit_tree();
    }
}

BreakReport SimulatedTets::break_stretched(const BreakOptions& options) {
    const BreakReport report = solid_->break_stretched(options);
    if (report.opened > 0) edited();
    return report;
}

CutReport SimulatedTets::cut(const CutPlane& plane, const CutOptions& options) {
    const CutReport report = solid_->cut(plane, options);
    edited();
    return report;
}

void SimulatedTets::edited() {
    solid_->number_parts();
    rebuild(solid_->mesh().mesh());
    broken_ = true;
}

} // namespace fathom
