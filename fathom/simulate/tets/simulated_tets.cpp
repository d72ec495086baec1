// Keeps the data of a tetrahedral body consistent with its springs.
#include <fathom/simulate/tets/simulated_tets.h>

#include <fathom/detect/tet/membrane_contacts.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/simulate/springs/spring_bodies.h>

#include <algorithm>

namespace fathom {

// Numbering of a body in the network of all bodies.

namespace {

template <class Element>
NetworkEdit::Change<Element> renumbered(Index number, Element element, std::span<const Index> points) {
    for (Index& v : element.points) v = points[v];
    return {number, element};
}

} // namespace

void NetworkIndexMap::number(const SpringNetwork& own, NetworkCounts& counts) {
    const auto more = [](std::vector<Index>& numbers, std::size_t needed, std::size_t& count) {
        while (numbers.size() < needed) numbers.push_back(static_cast<Index>(count++));
    };
    more(points_, own.size(), counts.points);
    more(springs_, own.springs.size(), counts.springs);
    more(areas_, own.areas.size(), counts.areas);
    more(volumes_, own.volumes.size(), counts.volumes);
    parts_.resize(points_.size(), points_.empty() ? 0 : points_.front());
}

NetworkEdit::Point NetworkIndexMap::point(Index v, const SpringNetwork& own, const SpringState& state) const {
    return {points_[v],    own.points[v],     state.positions[v], state.velocities[v],
            own.masses[v], own.fixed[v] != 0, parts_[v]};
}

void NetworkIndexMap::add_to(SpringNetwork& all, SpringState& all_state, const SpringNetwork& own,
                             const SpringState& state) const {
    NetworkEdit edit;
    for (Index v = 0; v < own.size(); ++v) {
        const NetworkEdit::Point p = edit.points.emplace_back(point(v, own, state));
        all_state.positions[p.number] = p.position;
        all_state.velocities[p.number] = p.velocity;
    }
    for (std::size_t s = 0; s < own.springs.size(); ++s)
        edit.springs.push_back(renumbered(springs_[s], own.springs[s], points_));
    for (std::size_t t = 0; t < own.areas.size(); ++t)
        edit.areas.push_back(renumbered(areas_[t], own.areas[t], points_));
    for (std::size_t t = 0; t < own.volumes.size(); ++t)
        edit.volumes.push_back(renumbered(volumes_[t], own.volumes[t], points_));
    apply(edit, all);
}

void NetworkIndexMap::add_to(NetworkEdit& edit, const NetworkChanges& changes, const SpringNetwork& own,
                             const SpringState& state, std::span<const Index> pieces) {
    const std::vector<Index> moved = take_pieces(pieces);
    for (const Index v : changes.points) edit.points.push_back(point(v, own, state));
    for (const Index v : moved)
        if (!std::binary_search(changes.points.begin(), changes.points.end(), v))
            edit.points.push_back(point(v, own, state));
    for (const Index s : changes.springs) edit.springs.push_back(renumbered(springs_[s], own.springs[s], points_));
    for (const Index t : changes.areas) edit.areas.push_back(renumbered(areas_[t], own.areas[t], points_));
    for (const Index t : changes.volumes) edit.volumes.push_back(renumbered(volumes_[t], own.volumes[t], points_));
}

// Returns the points that changed their part.
std::vector<Index> NetworkIndexMap::take_pieces(std::span<const Index> pieces) {
    std::vector<Index> lowest(pieces.size(), no_index), moved; // there are no more pieces than points
    for (std::size_t v = 0; v < pieces.size(); ++v)
        if (pieces[v] != no_index) lowest[pieces[v]] = std::min(lowest[pieces[v]], points_[v]);
    for (Index v = 0; v < pieces.size(); ++v) {
        if (pieces[v] == no_index || parts_[v] == lowest[pieces[v]]) continue;
        parts_[v] = lowest[pieces[v]];
        moved.push_back(v);
    }
    return moved;
}

std::vector<Triangle> boundary_by_place(const tet::TetTopology& topology) {
    const auto vertices = topology.boundary_vertices();
    std::vector<Triangle> triangles(topology.boundary().begin(), topology.boundary().end());
    for (Triangle& t : triangles)
        for (Index& v : t)
            v = static_cast<Index>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
    return triangles;
}

SimulatedTets::SimulatedTets(const TetWorldBody& body, bool breakable) {
    network_ = solid_network(body.mesh, body.material);
    fix_points(network_, body.fixed, body.fixed_vertices);
    if (!breakable) {
        spring_state_ = {network_.points, rigid_velocities(network_, body.velocity, body.spin)};
        topology_ = std::make_unique<tet::TetTopology>(body.mesh);
        begin();
        return;
    }
    solid_ = std::make_unique<BreakableSolid>(body.mesh, body.material);
    for (const Index v : body.fixed_vertices) solid_->fix(v);
    solid_->set_state({solid_->network().points, rigid_velocities(solid_->network(), body.velocity, body.spin)});
    network_ = {};
    topology_ = std::make_unique<tet::TetTopology>(solid_->mesh());
    begin();
}

void SimulatedTets::begin() {
    vertices_ = state().positions;
    areas_ = boundary_areas({network().points, *topology_});
}

std::shared_ptr<const std::vector<Triangle>> SimulatedTets::surface_triangles() const {
    if (!surface_) surface_ = std::make_shared<const std::vector<Triangle>>(boundary_by_place(*topology_));
    return surface_;
}

// ---- In the network of all bodies

void SimulatedTets::add_to(NetworkEdit& edit, bool with_pieces) {
    numbered_.add_to(edit, solid_->last_changes(), network(), state(),
                     with_pieces ? piece_of_vertices() : std::vector<Index>{});
}

std::vector<Index> SimulatedTets::piece_of_vertices() const {
    const EditableTetMesh& mesh = solid_->mesh();
    const TetParts pieces = mesh.parts();
    std::vector<Index> of_vertex(vertices_.size(), no_index);
    for (Index t = 0; t < mesh.tet_slots(); ++t)
        if (mesh.has_tet(t))
            for (const Index v : mesh.tet(t)) of_vertex[v] = pieces.of_tet[t];
    return of_vertex;
}

void SimulatedTets::move(std::span<const Vec3> positions) {
    for (std::size_t v = 0; v < vertices_.size(); ++v) vertices_[v] = positions[points()[v]];
}

void SimulatedTets::follow(const SpringWorld& springs) {
    SpringState now = state_at(springs, points());
    if (!solid_) {
        spring_state_ = std::move(now);
        return;
    }
    solid_->set_state(std::move(now));
    take_rest_lengths(springs, numbered_.springs(), [&](Index s, double length) { solid_->set_rest(s, length); });
}

const tet::TetZone& SimulatedTets::zone() {
    zone_.update(view(), bounds(view()));
    return zone_;
}

std::size_t SimulatedTets::pieces() const {
    DisjointSets sets(vertices_.size());
    for (const Tetrahedron& t : topology_->tetrahedra())
        for (std::size_t k = 1; k < 4; ++k) sets.join(t[0], t[k]);
    return sets.count() - (vertices_.size() - topology_->used_vertices().size());
}

void SimulatedTets::clear_requests() {
    wanted_ = {false, false};
    for (auto& requested : requested_) requested.clear();
}

void SimulatedTets::request_depths(std::span<const tet::PointInTet> points, const tet::SegmentsInTets& segments,
                                   bool self) {
    if (points.empty() && segments.chains.empty()) return;
    wanted_[self] = true;
    const std::vector<Index> nodes = tet::nodes_in_contact(view(), points, segments);
    requested_[self].insert(requested_[self].end(), nodes.begin(), nodes.end());
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
        depths->compute(vertices_, tree_alone ? std::span<const Index>{} : requested_[self], by);
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
    const TetEdit& change = solid_->last_edit();
    if (!change.new_tets.empty() || !change.removed_tets.empty())
        before_.clear();
    else if (!before_.empty())
        tet::add_new_vertices(before_, change.new_vertices);
    if (body_) body_->apply(solid_->mesh(), solid_->last_edit());
    begin();
    surface_.reset();
    broken_ = true;
}

} // namespace fathom
