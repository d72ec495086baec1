// Keeps the data of a membrane consistent with its springs, and bodies on the side that they came from.
#include <fathom/simulate/tets/simulated_membrane.h>

#include <fathom/base/error.h>
#include <fathom/simulate/springs/spring_bodies.h>

#include <cmath>

namespace fathom {

namespace {

// A membrane is on the wrong side if it is pressed past the middle of a body; the distance back is then similar to the
// distance onward. If it is just below the surface, far from its own side, it is a torn piece that has turned over or
// lies on the other side, and it is left there. The limit is the ratio of the two distances.
constexpr double max_return_distance = 3;

void redirect(TetPush& push, const Vec3& direction, double area, const SimulatedMembrane::DepthSource& depths) {
    if (direction.isZero() || !(push.contact.separating_direction.dot(direction) < 0)) return;
    const double nearest = std::sqrt(depths().nearest(push.position).squared_distance);
    const SurfaceHit hit = depths().first_hit({push.position, direction}, max_return_distance * nearest);
    if (!hit.found()) return;
    push.contact.separating_direction = direction;
    push.contact.depth = hit.t;
    push.contact.area = area;
    push.rate = 1;
}

} // namespace

SimulatedMembrane::SimulatedMembrane(const TetWorldMembrane& membrane)
    : membrane_(membrane.surface.mesh, membrane.surface.material), breaking_(membrane.breaking) {
    const DeformingBody& body = membrane.surface;
    if (breaking_) require_positive(breaking_->strain, "option strain");
    SpringNetwork held = membrane_.network();
    fix_points(held, body.fixed, body.fixed_vertices);
    for (const auto& [vertex, origin] : membrane_.last_edit().twins) held.fixed[vertex] = held.fixed[origin];
    for (Index k = 0; k < held.size(); ++k) membrane_.fix(k, held.fixed[k] != 0);
    membrane_.set_state({held.points, rigid_velocities(held, body.velocity, body.spin)});
    if (body.fixed) breaking_.reset();
    rebuild();
}

// Called after each tear: some 0.25 us per triangle, at most a tenth of the cost of a step.
void SimulatedMembrane::rebuild() {
    const TriangleMesh& mesh = membrane_.surface().mesh();
    topology_ = std::make_unique<tet::TetTopology>(mesh);
    sides_of_edge_ = edge_table(mesh.triangles, mesh.vertices.size()).sides;
    vertices_ = state().positions;
    areas_ = boundary_areas({network().points, *topology_});
    surface_ = std::make_shared<const std::vector<Triangle>>(boundary_by_place(*topology_));
}

void SimulatedMembrane::move(std::span<const Vec3> positions) {
    for (std::size_t v = 0; v < vertices_.size(); ++v) vertices_[v] = positions[points()[v]];
}

void SimulatedMembrane::follow(const SpringWorld& springs) {
    membrane_.set_state(state_at(springs, points()));
    take_rest_lengths(springs, numbered_.springs(), [&](Index s, double length) { membrane_.set_rest(s, length); });
}

void SimulatedMembrane::add_to(NetworkEdit& edit, bool with_pieces) {
    std::vector<Index> piece_of_vertex(with_pieces ? network().size() : 0, no_index);
    if (with_pieces) {
        const std::vector<Index> of_triangle = membrane_.surface().parts().of_triangle;
        for (std::size_t t = 0; t < of_triangle.size(); ++t)
            for (const Index v : membrane_.surface().mesh().triangles[t]) piece_of_vertex[v] = of_triangle[t];
    }
    numbered_.add_to(edit, membrane_.last_changes(), network(), state(), piece_of_vertex);
}

BreakReport SimulatedMembrane::break_stretched() {
    const BreakReport report = membrane_.break_stretched(*breaking_);
    if (membrane_.last_edit().empty()) return report;
    for (const auto& twin : membrane_.last_edit().twins) {
        if (before_.empty()) break;
        const Vec3 place = before_.at(twin.origin);
        before_.push_back(place);
    }
    rebuild();
    broken_ = true;
    return report;
}

// ---- Sides

void SimulatedMembrane::begin_sides(std::size_t bodies) {
    sides_.resize(bodies);
    near_.assign(bodies, 0);
}

void SimulatedMembrane::update_sides(Index number, const SimulatedTets& body) {
    sides_[number].update(body.view(), {vertices_, membrane_.surface().mesh().triangles}, {body.before(), before_});
    near_[number] = 1;
}

void SimulatedMembrane::end_sides() {
    for (std::size_t b = 0; b < sides_.size(); ++b)
        if (!near_[b]) sides_[b].clear();
    before_ = vertices_;
}

Vec3 SimulatedMembrane::normal_of(std::span<const Index> triangles) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles) {
        const Triangle& v = membrane_.surface().mesh().triangles[t];
        sum += area_vector({vertices_[v[0]], vertices_[v[1]], vertices_[v[2]]});
    }
    return sum.stableNormalized();
}

Vec3 SimulatedMembrane::normal_at_edge(Index edge) const {
    std::vector<Index> triangles;
    for (const Index side : sides_of_edge_[edge]) triangles.push_back(side / 3);
    return normal_of(triangles);
}

void SimulatedMembrane::keep_sides(Index number, std::span<const tet::PointInTet> points, std::span<TetPush> pushes,
                                   const DepthSource& depths) const {
    for (std::size_t k = 0; k < points.size(); ++k) {
        const int side = sides_[number].side(points[k].tetrahedron);
        const Index v = points[k].vertex;
        if (side != 0)
            redirect(pushes[k], -side * normal_of(membrane_.surface().triangles_round(v)), areas_.of_vertex[v], depths);
    }
}

// A chain belongs to the side of most of it.
void SimulatedMembrane::keep_sides(Index number, const tet::SegmentsInTets& segments, std::span<TetPush> pushes,
                                   const DepthSource& depths) const {
    for (std::size_t k = 0; k < pushes.size(); ++k) {
        const tet::InsideChain& chain = segments.chains[k];
        double vote = 0;
        for (const tet::InsidePiece& piece : segments.pieces_of(chain))
            vote += sides_[number].side(piece.tetrahedron) * (piece.leave - piece.enter);
        if (vote == 0) continue;
        redirect(pushes[k], (vote > 0 ? -1 : 1) * normal_at_edge(chain.edge),
                 areas_.of_edge[chain.edge] * (chain.leave - chain.enter), depths);
    }
}

} // namespace fathom
