// Finds contacts between bodies of different worlds and distributes the contact forces over both.
#include <fathom/simulate/world/coupling.h>

#include <fathom/base/error.h>
#include <fathom/detect/world/world.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <map>
#include <numeric>
#include <vector>
namespace fathom {

// ---- Samples of a triangle surface: vertices, centres of edges, centres of faces. By the rule of seven points (exact
// for cubics): 1/20, 2/15 and 9/20 of a triangle's area each.
namespace {

struct SurfaceSample {
    std::array<Index, 3> vertices{}; // the first `count` of them, with equal weights
    std::size_t count = 0;
    // Share of the force that a vertex would get by its own mass (or stiffness). The shares that act on an inner vertex
    // sum up to about 1.
    double share = 0;
    double area = 0; // m^2, in the shape in which the samples were made
    Vec3 place = Vec3::Zero();
};

// Vertices first, by number (without area if no triangle uses them), then edges, then faces. O(n log n).
[[nodiscard]] std::vector<SurfaceSample> surface_samples(std::span<const Vec3> vertices,
                                                         std::span<const Triangle> triangles);
// Moves the samples with the vertices; areas stay.
void move_samples(std::vector<SurfaceSample>& samples, std::span<const Vec3> vertices);

constexpr double of_vertex = 1.0 / 20, of_edge = 2.0 / 15, of_face = 9.0 / 20;

// Distribution of a force by mass: a vertex in six triangles is moved by itself, by six edges and by six faces.
constexpr double vertex_share = 3 * of_vertex, edge_share = 3 * of_edge / 6, face_share = of_face / 6;

std::vector<SurfaceSample> surface_samples(std::span<const Vec3> vertices, std::span<const Triangle> triangles) {
    const EdgeTable table = edge_table(triangles, vertices.size());
    std::vector<SurfaceSample> samples;
    samples.reserve(vertices.size() + table.edges.size() + triangles.size());
    for (Index v = 0; v < vertices.size(); ++v) samples.push_back({{v}, 1, vertex_share});
    std::vector<double> areas;
    for (const Triangle& t : triangles)
        areas.push_back(area_vector({vertices[t[0]], vertices[t[1]], vertices[t[2]]}).norm() / 2);
    for (std::size_t e = 0; e < table.edges.size(); ++e) {
        SurfaceSample sample{{table.edges[e][0], table.edges[e][1]}, 2, edge_share};
        for (const Index side : table.sides[e]) sample.area += of_edge * areas[side / 3];
        samples.push_back(sample);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        samples.push_back({triangles[t], 3, face_share, of_face * areas[t]});
        for (const Index v : triangles[t]) samples[v].area += of_vertex * areas[t];
    }
    move_samples(samples, vertices);
    return samples;
}

void move_samples(std::vector<SurfaceSample>& samples, std::span<const Vec3> vertices) {
    for (SurfaceSample& s : samples) {
        s.place = Vec3::Zero();
        for (std::size_t k = 0; k < s.count; ++k) s.place += vertices[s.vertices[k]] / static_cast<double>(s.count);
    }
}

// Constant data of a surface that may be inside solids.
struct Guest {
    tet::TetTopology topology;
    BoundaryAreas areas;

    explicit Guest(const TriangleMesh& mesh) : topology(mesh), areas(boundary_areas({mesh.vertices, topology})) {}
};

// Samples of a membrane or a surface.
struct Sampled {
    std::shared_ptr<const std::vector<Triangle>> triangles; // from which the samples were made
    std::vector<SurfaceSample> samples;
    std::vector<Vec3> places;

    void move(std::span<const Vec3> vertices) {
        move_samples(samples, vertices);
        places.resize(samples.size());
        for (std::size_t k = 0; k < samples.size(); ++k) places[k] = samples[k].place;
    }
};

// A contact before its force is computed. If one side is rigid, `over` holds only the points of the other side.
struct Found {
    BodyContact contact;
    ContactKey key;
    WeightedContact over;
    double rate = 1;        // as in TetPush
    double share = 1;       // of the law's stiffness, unless that is scaled by area
    Index rigid = no_index; // the rigid body of this contact
    double side = 0;        // 1 if it is the first body, -1 if it is the other
};

Box reach_of(const RigidWorld& world, Index body) {
    const Vec3 center = world.states()[body].center;
    return Box::around(center, Vec3::Constant(world.bodies()[body].shape->reach));
}
} // namespace

struct Coupling::State {
    CoupledWorlds worlds;
    CouplingOptions options;
    std::map<const BodyShape*, Guest> shapes; // of rigid bodies
    World world;                              // broad phase
    std::vector<Guest> surface_guests;
    std::vector<Sampled> sampled; // of membranes, then of surfaces

    // Points of solids and membranes, then of surfaces.
    std::vector<double> inverse_masses;
    std::vector<Vec3> velocities, forces;
    std::size_t solid_points = 0;
    std::vector<Found> found;

    ContactCache memory;
    std::vector<BodyContact> contacts;
    std::vector<Wrench> wrenches;
    double stored = 0;

    void begin_guests();
    void take_points();
    void add_points(const SpringWorld& springs);
    void begin_world();
    void set_bounds();
    void find_in_rigid(Index rigid, Index body);
    void add_in_rigid(Index rigid, Index body, std::span<const Vec3> places, const auto& over);
    void add_samples_in_rigid(Index rigid, Index body, const Sampled& of, const auto& point);
    void find_rigid_in_solid(Index rigid, Index solid);
    void find_surface_in_solid(Index surface, Index solid);
    void add_guest(Index body, Index solid, const PushIntruder& surface, Index rigid);
    void push(const Found& found, double step);
    [[nodiscard]] bool matters(Index rigid) const {
        return !worlds.rigid->bodies()[rigid].shape->mesh().vertices.empty();
    }
    [[nodiscard]] bool is_solid(Index b) const { return b < worlds.solids->bodies().size(); }
    [[nodiscard]] std::size_t membrane_count() const { return sampled.size() - worlds.surface_count(); }
};

// ---- Broad phase

// All bodies, numbered as in CoupledWorlds; pairs of one kind are the matter of their own world.
void Coupling::State::begin_world() {
    constexpr std::uint32_t rigid = 1, solid = 2, membrane = 4, surface = 8;
    for (Index r = 0; r < worlds.rigid_count(); ++r) world.add(Box{}, {.category = rigid, .mask = ~rigid});
    for (Index b = 0; b < worlds.solid_count(); ++b)
        world.add(Box{}, is_solid(b) ? BodyOptions{.category = solid, .mask = rigid | surface}
                                     : BodyOptions{.category = membrane, .mask = rigid});
    for (Index s = 0; s < worlds.surface_count(); ++s) world.add(Box{}, {.category = surface, .mask = rigid | solid});
}

void Coupling::State::set_bounds() {
    for (Index r = 0; r < worlds.rigid_count(); ++r)
        if (matters(r)) world.set_bounds(r, reach_of(*worlds.rigid, r));
    for (Index b = 0; b < worlds.solid_count(); ++b)
        world.set_bounds(worlds.first_solid() + b, bounds(worlds.solids->body(b)));
    for (Index s = 0; s < worlds.surface_count(); ++s)
        world.set_bounds(worlds.first_surface() + s, bounds(worlds.surfaces->vertices(s)));
}

void Coupling::State::begin_guests() {
    for (Index r = 0; r < worlds.rigid_count(); ++r) {
        const BodyShape* shape = worlds.rigid->bodies()[r].shape.get();
        if (worlds.solids && matters(r)) shapes.try_emplace(shape, shape->mesh());
    }
    for (Index s = 0; s < worlds.surface_count(); ++s)
        if (worlds.solids) surface_guests.emplace_back(worlds.surfaces->bodies()[s].mesh);
    const std::size_t membranes = worlds.solids ? worlds.solids->membranes().size() : 0;
    sampled.resize(membranes + worlds.surface_count());
    for (Index s = 0; s < worlds.surface_count(); ++s) {
        const TriangleMesh& mesh = worlds.surfaces->bodies()[s].mesh;
        sampled[membranes + s].samples = surface_samples(mesh.vertices, mesh.triangles);
    }
}

void Coupling::State::add_points(const SpringWorld& springs) {
    const SpringNetwork& network = springs.network();
    for (Index k = 0; k < network.size(); ++k) inverse_masses.push_back(network.inverse_mass(k));
    velocities.insert(velocities.end(), springs.velocities().begin(), springs.velocities().end());
}

void Coupling::State::take_points() {
    inverse_masses.clear();
    velocities.clear();
    if (worlds.solids) add_points(worlds.solids->springs());
    solid_points = inverse_masses.size();
    if (worlds.surfaces) add_points(worlds.surfaces->springs());
    forces.assign(inverse_masses.size(), Vec3::Zero());
    wrenches.assign(worlds.rigid_count(), Wrench{});
    if (!worlds.solids) return;
    for (Index t = 0; t < worlds.solids->membranes().size(); ++t) {
        const auto b = static_cast<Index>(worlds.solids->bodies().size() + t);
        Sampled& s = sampled[t];
        const tet::TetBody membrane = worlds.solids->body(b);
        if (s.triangles != worlds.solids->surface(b))
            s.samples = surface_samples(membrane.vertices, membrane.topology.boundary());
        s.triangles = worlds.solids->surface(b);
        s.move(membrane.vertices);
    }
}

// ---- Points of deformable bodies in rigid bodies

// over(k) returns the contact of place k, without normal and depth, and its share.
void Coupling::State::add_in_rigid(Index rigid, Index body, std::span<const Vec3> places, const auto& over) {
    const Shape& solid = worlds.rigid->bodies()[rigid].shape->solid();
    for (const PointInside& p : points_inside(solid, worlds.rigid->pose(rigid), places)) {
        Found f{{body, rigid, no_index, no_index, places[p.point], -p.separating_direction, p.depth},
                {body, rigid, p.point},
                {},
                1,
                1,
                rigid,
                -1};
        over(p.point, f);
        f.over.separating_direction = p.separating_direction;
        f.over.depth = p.depth;
        found.push_back(f);
    }
}

void Coupling::State::add_samples_in_rigid(Index rigid, Index body, const Sampled& of, const auto& point) {
    add_in_rigid(rigid, body, of.places, [&](Index k, Found& f) {
        const SurfaceSample& sample = of.samples[k];
        f.contact.feature_a = k;
        f.share = sample.share;
        f.over.count = sample.count;
        f.over.area = sample.area;
        for (std::size_t c = 0; c < sample.count; ++c) {
            f.over.points[c] = point(sample.vertices[c]);
            f.over.weights[c] = 1.0 / static_cast<double>(sample.count);
        }
    });
}

void Coupling::State::find_in_rigid(Index rigid, Index body) {
    if (!has_field(worlds.rigid->bodies()[rigid].shape->solid().kind())) return;
    if (body >= worlds.first_surface()) {
        const Index s = body - worlds.first_surface();
        const auto first = static_cast<Index>(solid_points + worlds.surfaces->first_point(s));
        add_samples_in_rigid(rigid, body, sampled[membrane_count() + s], [&](Index v) { return first + v; });
        return;
    }
    const Index b = body - worlds.first_solid();
    const auto points = worlds.solids->points(b);
    if (!is_solid(b)) {
        add_samples_in_rigid(rigid, body, sampled[b - worlds.solids->bodies().size()],
                             [&](Index v) { return points[v]; });
        return;
    }
    const tet::TetBody tets = worlds.solids->body(b);
    const auto vertices = tets.topology.boundary_vertices();
    std::vector<Vec3> places;
    for (const Index v : vertices) places.push_back(tets.vertices[v]);
    add_in_rigid(rigid, body, places, [&](Index k, Found& f) {
        f.contact.feature_a = f.key.feature = vertices[k];
        f.over.points[0] = points[vertices[k]];
        f.over.weights[0] = 1;
        f.over.count = 1;
        f.over.area = worlds.solids->areas(b).of_vertex[vertices[k]];
    });
}

// ---- Rigid bodies and surfaces in solids

void Coupling::State::add_guest(Index body, Index solid, const PushIntruder& surface, Index rigid) {
    const auto rows = static_cast<Index>(worlds.rigid_count() + worlds.solid_count() + worlds.surface_count());
    for (const TetGuestPush& p :
         worlds.solids->find_guest({surface, worlds.solids->options().response == TetResponse::points}, solid)) {
        const WeightedContact& c = p.push.contact;
        const Index other = worlds.first_solid() + solid;
        Found f{{body, other, p.vertices[0], no_index, p.push.position, -c.separating_direction, c.depth},
                {body, other + p.again * rows, p.vertices[0], p.vertices[1]},
                c,
                p.push.rate,
                1,
                rigid,
                1};
        if (rigid != no_index) { // all of it acts at one place
            f.over.count = 0;
            for (std::size_t k = 0; k < c.count; ++k)
                if (c.points[k] < inverse_masses.size()) {
                    f.over.points[f.over.count] = c.points[k];
                    f.over.weights[f.over.count++] = c.weights[k];
                }
        }
        found.push_back(f);
    }
}

void Coupling::State::find_rigid_in_solid(Index r, Index solid) {
    const BodyShape& shape = *worlds.rigid->bodies()[r].shape;
    const Guest& guest = shapes.at(&shape);
    const Pose pose = worlds.rigid->pose(r);
    std::vector<Vec3> vertices;
    for (const Vec3& v : shape.mesh().vertices) vertices.push_back(pose * v);
    std::vector<Index> points(vertices.size());
    std::iota(points.begin(), points.end(), static_cast<Index>(inverse_masses.size()));
    add_guest(r, solid, {{vertices, guest.topology}, points, guest.areas}, r);
}

void Coupling::State::find_surface_in_solid(Index s, Index solid) {
    const auto now = worlds.surfaces->vertices(s);
    std::vector<Index> points(now.size());
    std::iota(points.begin(), points.end(), static_cast<Index>(solid_points + worlds.surfaces->first_point(s)));
    add_guest(worlds.first_surface() + s, solid, {{now, surface_guests[s].topology}, points, surface_guests[s].areas},
              no_index);
}

// ---- Forces

void Coupling::State::push(const Found& f, double step) {
    WeightedContact over = f.over;
    const std::size_t real = inverse_masses.size();
    Vec3 arm = Vec3::Zero();
    // The place on the rigid body is a point of its own, with the effective mass along the normal.
    if (f.rigid != no_index) {
        const BodyState& state = worlds.rigid->states()[f.rigid];
        const BodyMass& mass = worlds.rigid->masses()[f.rigid];
        arm = f.contact.position - state.center;
        const Vec3 lever = arm.cross(over.separating_direction);
        inverse_masses.push_back(mass.mass > 0 ? 1 / mass.mass + lever.dot(mass.spin(state.rotation, lever)) : 0);
        velocities.push_back(mass.mass > 0 ? Vec3(state.velocity + state.spin.cross(arm)) : Vec3(Vec3::Zero()));
        over.points[over.count] = static_cast<Index>(real);
        over.weights[over.count++] = f.side;
    }
    double parting = 0;
    for (std::size_t k = 0; k < over.count; ++k)
        parting += over.weights[k] * over.separating_direction.dot(velocities[over.points[k]]);
    const double come = -f.rate * step * parting;
    over.depth = std::max(0.0, memory.pressed(f.key, over.depth, come) + 0.5 * come);
    WeightedContactLaw law = options.law;
    if (law.scaling != ContactScaling::area) law.stiffness *= f.share;
    const ContactStrength strength = contact_strength(over, law, inverse_masses, velocities);
    for (std::size_t k = 0; k < f.over.count; ++k) forces[over.points[k]] += over.weights[k] * strength.force;
    if (f.rigid != no_index) wrenches[f.rigid] += {f.side * strength.force, arm.cross(f.side * strength.force)};
    inverse_masses.resize(real);
    velocities.resize(real);
    stored += strength.energy;
    contacts.push_back(f.contact);
}

Coupling::Coupling(const CoupledWorlds& worlds, const CouplingOptions& options) : state_(std::make_unique<State>()) {
    check(options.law);
    require_positive(options.recovery_time, "option recovery_time");
    state_->worlds = worlds;
    state_->options = options;
    if (!possible()) return;
    state_->begin_guests();
    state_->begin_world();
}
Coupling::~Coupling() = default;
Coupling::Coupling(Coupling&&) noexcept = default;

bool Coupling::possible() const {
    const CoupledWorlds& worlds = state_->worlds;
    return (worlds.rigid ? 1 : 0) + (worlds.solids ? 1 : 0) + (worlds.surfaces ? 1 : 0) > 1;
}

void Coupling::find(double step) {
    State& s = *state_;
    if (!possible()) return;
    s.take_points();
    s.found.clear();
    s.contacts.clear();
    s.stored = 0;
    for (Index k = 0; k < s.worlds.surface_count(); ++k)
        s.sampled[s.membrane_count() + k].move(s.worlds.surfaces->vertices(k));
    s.set_bounds();
    const auto candidates = s.world.candidates();
    const Index solids = s.worlds.first_solid(), surfaces = s.worlds.first_surface();
    for (const auto& [a, b] : candidates)
        if (a < solids) s.find_in_rigid(a, b);
    for (const auto& [a, b] : candidates)
        if (a < solids && b < surfaces && s.is_solid(b - solids)) s.find_rigid_in_solid(a, b - solids);
    for (const auto& [a, b] : candidates)
        if (a >= solids) s.find_surface_in_solid(b - surfaces, a - solids);
    s.memory.begin({}, step, s.options.recovery_time);
    for (const Found& found : s.found) s.push(found, step);
    s.memory.end();
}

std::span<const BodyContact> Coupling::contacts() const { return state_->contacts; }
std::span<const Wrench> Coupling::on_rigid() const { return state_->wrenches; }
std::span<const Vec3> Coupling::on_solids() const { return std::span(state_->forces).first(state_->solid_points); }
std::span<const Vec3> Coupling::on_surfaces() const { return std::span(state_->forces).subspan(state_->solid_points); }
double Coupling::stored() const { return state_->stored; }
std::span<const ContactCache::Known> Coupling::known() const { return state_->memory.known(); }
} // namespace fathom
