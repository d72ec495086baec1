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
        topology_ = std::make_unique<TetTopology>(body.mesh);
        begin();
        return;
    }
    solid_ = std::make_unique<BreakableSolid>(body.mesh, body.material);
    for (const Index v : body.fixed_vertices) solid_->fix(v);
    solid_->set_state({solid_->network().points, rigid_velocities(solid_->network(), body.velocity, body.spin)});
    network_ = {};
    topology_ = std::make_unique<TetTopology>(solid_->mesh());
    begin();
}

void SimulatedTets::begin() {
    vertices_ = state().positions;
    areas_ = boundary_areas({network().points, *topology_});
}

std::shared_ptr<const std::vector<Triangle>> SimulatedTets::surface_triangles() const {
    if (surface_) return surface_;
    std::vector<Index> place(vertices_.size(), no_index);
    Index count = 0;
    for (const Index v : topology_->boundary_vertices()) place[v] = count++;
    std::vector<Triangle> triangles(topology_->boundary().begin(), topology_->boundary().end());
    for (Triangle& t : triangles)
        for (Index& v : t) v = place[v];
    return surface_ = std::make_shared<const std::vector<Triangle>>(std::move(triangles));
}

// ---- Among the springs of all bodies

void SimulatedTets::number(NetworkCounts& counts) {
    const auto more = [](std::vector<Index>& numbers, std::size_t needed, std::size_t& count) {
        while (numbers.size() < needed) numbers.push_back(static_cast<Index>(count++));
    };
    more(points_, network().size(), counts.points);
    more(springs_, network().springs.size(), counts.springs);
    more(volumes_, network().volumes.size(), counts.volumes);
    parts_.resize(points_.size(), points_.front());
}

NetworkEdit::Point SimulatedTets::point(Index v) const {
    const SpringNetwork& own = network();
    return {points_[v], own.points[v], state().positions[v], state().velocities[v], own.masses[v], own.fixed[v] != 0, parts_[v]};
}

namespace {

template <class Element>
Element renumbered(Element element, std::span<const Index> points) {
    for (Index& v : element.points) v = points[v];
    return element;
}

} // namespace

void SimulatedTets::add_to(SpringNetwork& network, SpringState& state) const {
    const SpringNetwork& own = this->network();
    NetworkEdit all;
    for (Index v = 0; v < own.size(); ++v) {
        const NetworkEdit::Point p = all.points.emplace_back(point(v));
        state.positions[p.number] = p.position;
        state.velocities[p.number] = p.velocity;
    }
    for (std::size_t s = 0; s < own.springs.size(); ++s) all.springs.push_back({springs_[s], renumbered(own.springs[s], points_)});
    for (std::size_t t = 0; t < own.volumes.size(); ++t) all.volumes.push_back({volumes_[t], renumbered(own.volumes[t], points_)});
    apply(all, network);
}

void SimulatedTets::add_to(NetworkEdit& edit, bool with_pieces) {
    const std::vector<Index> before = parts_;
    if (with_pieces) number_pieces();
    const NetworkChanges& changes = solid_->last_changes();
    for (const Index v : changes.points) edit.points.push_back(point(v));
    for (Index v = 0; with_pieces && v < parts_.size(); ++v)
        if (parts_[v] != before[v] && !std::binary_search(changes.points.begin(), changes.points.end(), v)) edit.points.push_back(point(v));
    for (const Index s : changes.springs) edit.springs.push_back({springs_[s], renumbered(network().springs[s], points_)});
    for (const Index t : changes.volumes) edit.volumes.push_back({volumes_[t], renumbered(network().volumes[t], points_)});
}

void SimulatedTets::number_pieces() {
    const EditableTetMesh& mesh = solid_->mesh();
    const TetParts pieces = mesh.parts();
    std::vector<Index> lowest(pieces.count, no_index);
    const auto visit = [&](const auto& visitor) {
        for (Index t = 0; t < mesh.tet_slots(); ++t)
            if (mesh.has_tet(t))
                for (const Index v : mesh.tet(t)) visitor(pieces.of_tet[t], v);
    };
    visit([&](Index piece, Index v) { lowest[piece] = std::min(lowest[piece], points_[v]); });
    visit([&](Index piece, Index v) { parts_[v] = lowest[piece]; });
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
    if (!solid_) {
        spring_state_ = std::move(now);
        return;
    }
    solid_->set_state(std::move(now));
    for (Index s = 0; springs.options().plastic.active() && s < springs_.size(); ++s) solid_->set_rest(s, springs.network().springs[springs_[s]].rest);
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

std::shared_ptr<BodyTopology> SimulatedTets::new_body() const {
    if (solid_) return std::make_shared<BodyTopology>(solid_->mesh());
    const auto tetrahedra = topology_->tetrahedra();
    return std::make_shared<BodyTopology>(TetMesh{vertices_, {tetrahedra.begin(), tetrahedra.end()}});
}

void SimulatedTets::measure(const DepthOptions& options, const TetPushOptions& push) {
    const bool points_alone = push.depth == PushDepth::measured && push.direction == PushDirection::nearest;
    for (const bool self : {false, true}) {
        if (!wanted_[self]) continue;
        auto& depths = depths_[self];
        if (!body_) body_ = new_body();
        if (!depths) depths = std::make_unique<NodeDepths>(body_);
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
    if (solid_->last_edit().empty()) return;
    topology_->apply(solid_->mesh(), solid_->last_edit());
    if (body_) body_->apply(solid_->mesh(), solid_->last_edit());
    begin();
    surface_.reset();
    broken_ = true;
}

} // namespace fathom
