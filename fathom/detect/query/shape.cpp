// The data of each kind of shape, and the data that is built from it at first use.
#include <fathom/detect/query/shape.h>

#include <fathom/base/error.h>
#include <fathom/base/lazy.h>
#include <fathom/detect/convex/convex_field.h>
#include <fathom/detect/convex/recognized_primitive.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/detect/depth/depth_object.h>
#include <fathom/detect/point_field/segment_caster.h>
#include <fathom/detect/point_field/shell_sweep.h>
#include <fathom/detect/query/compound.h>
#include <fathom/detect/tet/tet_body.h>
#include <fathom/detect/trees/field_sphere_tree.h>
#include <fathom/detect/trees/triangle_sphere_tree.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/tet_field.h>
#include <fathom/geometry/inspect/seal.h>
#include <fathom/geometry/mesh/components.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace fathom {

std::string_view name(ShapeKind kind) {
    switch (kind) {
    case ShapeKind::analytic:
        return "analytic";
    case ShapeKind::convex:
        return "convex";
    case ShapeKind::grid:
        return "grid";
    case ShapeKind::neural:
        return "neural";
    case ShapeKind::other_field:
        return "other_field";
    case ShapeKind::closed_mesh:
        return "closed_mesh";
    case ShapeKind::open_mesh:
        return "open_mesh";
    case ShapeKind::point_shell:
        return "point_shell";
    case ShapeKind::tetrahedra:
        return "tetrahedra";
    case ShapeKind::height_field:
        return "height_field";
    case ShapeKind::half_space:
        return "half_space";
    case ShapeKind::compound:
        return "compound";
    }
    return "unknown";
}

namespace {

// The field of a mesh or of tetrahedra.
struct OwnField {
    FieldPtr field;
    std::size_t bytes = 0; // without data that the shape shares with it
};

} // namespace

struct Shape::State {
    ShapeKind kind = ShapeKind::open_mesh;
    Box bounds{};
    FieldPtr given_field{};
    std::shared_ptr<const TriangleMesh> mesh{}; // of meshes, and of fields that know it; every tree refers to it
    SealedMesh seal{};                          // of closed and open meshes: how they were understood; without the mesh
    bool is_requested_sheet = false;            // MeshInside::open
    TetMesh tets{};
    std::vector<Vec3> points{};
    HalfSpace half_space{};
    std::shared_ptr<const Compound> compound{};
    std::optional<convex::Body> convex{};

    Lazy<OwnField> field;
    Lazy<FieldSphereTree> solid;
    Lazy<SegmentCaster> caster;
    Lazy<std::shared_ptr<const TriangleMesh>> skin; // surface of shapes that are not meshes
    Lazy<TriangleSphereTree> surface;
    Lazy<std::shared_ptr<const SurfaceTree>> tree;
    Lazy<point_field::SweepShell> shell;
    Lazy<std::vector<Vec3>> component_samples;
    Lazy<tet::TetTopology> topology;
    Lazy<DetectionParts> detection_parts;
    Lazy<Shape> without_caps;
    Lazy<std::shared_ptr<const DrawnMesh>> drawn;
    Lazy<std::shared_ptr<SharedDepthObject>> depth_object;

    [[nodiscard]] bool is_mesh() const { return kind == ShapeKind::closed_mesh || kind == ShapeKind::open_mesh; }
    void require(bool there, std::string_view what) const {
        if (!there) throw Error(Cause::unsupported, fmt::format("a shape of kind {} has no {}", name(kind), what));
    }

    void set_mesh(TriangleMesh given) {
        for (const Triangle& t : given.triangles)
            for (const Index v : t) bounds.extend(given.vertices[v]);
        mesh = std::make_shared<TriangleMesh>(std::move(given));
    }
    [[nodiscard]] const std::shared_ptr<const TriangleMesh>& shared_mesh() const;
    [[nodiscard]] const std::shared_ptr<const SurfaceTree>& shared_tree() const;
};

namespace {

ShapeKind kind_of(const Field& field) {
    if (field.half_space()) return ShapeKind::half_space;
    switch (field.traits().kind) {
    case FieldKind::analytic:
        return ShapeKind::analytic;
    case FieldKind::grid:
        return ShapeKind::grid;
    case FieldKind::neural:
        return ShapeKind::neural;
    case FieldKind::height:
        return ShapeKind::height_field;
    case FieldKind::other:
        return ShapeKind::other_field;
    }
    return ShapeKind::other_field;
}

// Vertices that were merged have one position; the moved mesh has the same topology only if they still do.
void check_merged(std::span<const Vec3> vertices, std::span<const Index> merged, double displacement) {
    double largest = 0;
    for (const Vec3& v : vertices) largest = std::max(largest, v.cwiseAbs().maxCoeff());
    const double within = 2 * displacement + 0x1p-20 * largest; // rounding of float
    for (std::size_t v = 0; v < merged.size(); ++v)
        if (!((vertices[v] - vertices[merged[v]]).norm() <= within))
            throw Error(
                Cause::invalid_argument,
                fmt::format("coincided with vertex {} when the shape was made, and has separated from it", merged[v]),
                {.element = "vertex", .index = static_cast<std::int64_t>(v)});
}

// Whether a tetrahedron is degenerate or inverted; the boundary then does not determine the interior.
bool has_inverted(const TetMesh& mesh) {
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t)
        if (!(signed_volume(mesh.corners(t)) > 0)) return true;
    return false;
}

// A surface that contains the boundary of the union: the outer faces, and every face of a degenerate or inverted
// tetrahedron, which may protrude from its neighbours.
TriangleMesh skin_of(const TetMesh& mesh) {
    TriangleMesh skin = boundary(mesh);
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        if (signed_volume(mesh.corners(t)) > 0) continue;
        for (const auto& f : tetrahedron_faces) {
            const Tetrahedron& corners = mesh.tetrahedra[t];
            skin.triangles.push_back({corners[static_cast<std::size_t>(f[0])], corners[static_cast<std::size_t>(f[1])],
                                      corners[static_cast<std::size_t>(f[2])]});
        }
    }
    return skin;
}

TriangleMesh skin_of(std::span<const Vec3> points) {
    TriangleMesh skin{{points.begin(), points.end()}, {}};
    for (Index k = 0; k < points.size(); ++k) skin.triangles.push_back({k, k, k});
    return skin;
}

std::vector<Vec3> component_samples_of(const TriangleMesh& mesh) {
    std::vector<Vec3> component_samples;
    const Components found = components(mesh);
    for (const Component& part : found.parts)
        component_samples.push_back(mesh.vertices[mesh.triangles[part.first_triangle][0]]);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        if (found.part_of_triangle[t] == no_index) component_samples.push_back(mesh.vertices[mesh.triangles[t][0]]);
    return component_samples;
}

std::size_t bytes_of(const TriangleMesh& mesh) {
    return mesh.vertices.capacity() * sizeof(Vec3) + mesh.triangles.capacity() * sizeof(Triangle);
}

std::vector<Vec3> used_vertices(const TriangleMesh& mesh) {
    std::vector<char> used(mesh.vertices.size(), 0);
    for (const Triangle& t : mesh.triangles)
        for (const Index v : t) used[v] = 1;
    std::vector<Vec3> points;
    for (std::size_t v = 0; v < used.size(); ++v)
        if (used[v]) points.push_back(mesh.vertices[v]);
    return points;
}

} // namespace

Shape::Shape(FieldPtr field) : state_(std::make_shared<State>()) {
    if (!field) throw Error(Cause::invalid_argument, "the field is null");
    state_->kind = kind_of(*field);
    if (const AnalyticExpression* const expression = field->analytic_expression()) {
        state_->convex = convex::recognized_primitive(*expression);
        if (state_->convex) set_convex();
        // An ellipsoid is exact as a body, but its expression is only a bound on the distance.
        if (state_->convex && expression->distance_kind() != DistanceKind::exact)
            field = std::make_shared<convex::ConvexField>(*state_->convex);
    }
    state_->half_space = field->half_space().value_or(HalfSpace{});
    state_->bounds = field->bounds();
    state_->mesh = field->surface();
    state_->given_field = std::move(field);
}

Shape::Shape(TriangleMesh mesh, MeshInside inside) : state_(std::make_shared<State>()) {
    check(mesh);
    if (mesh.triangles.empty()) throw Error(Cause::empty, "the mesh has no triangles");
    check_size(mesh.vertices);
    SealedMesh& seal = state_->seal;
    if (inside == MeshInside::open) {
        seal = {.reason = "requested", .mesh = std::move(mesh)};
        state_->is_requested_sheet = true;
    } else {
        seal = fathom::seal(std::move(mesh));
    }
    if (inside == MeshInside::closed && seal.interior != MeshInterior::closed && seal.interior != MeshInterior::sealed)
        throw Error(Cause::invalid_argument, "the mesh is not closed: " + seal.reason);
    state_->kind = seal.interior == MeshInterior::sheet ? ShapeKind::open_mesh : ShapeKind::closed_mesh;
    state_->set_mesh(std::exchange(seal.mesh, {}));
}

Shape::Shape(TetMesh mesh) : state_(std::make_shared<State>()) {
    check(mesh);
    check_size(mesh.vertices);
    if (mesh.tetrahedra.empty()) throw Error(Cause::empty, "the mesh has no tetrahedra");
    state_->kind = ShapeKind::tetrahedra;
    for (const Tetrahedron& t : mesh.tetrahedra)
        for (const Index v : t) state_->bounds.extend(mesh.vertices[v]);
    state_->tets = std::move(mesh);
}

Shape::Shape(std::vector<Vec3> points) : state_(std::make_shared<State>()) {
    if (points.empty()) throw Error(Cause::empty, "the point shell has no points");
    check_vertices(points, {});
    check_size(points);
    state_->kind = ShapeKind::point_shell;
    for (const Vec3& p : points) state_->bounds.extend(p);
    state_->points = std::move(points);
}

Shape Shape::half_space(const Vec3& normal, double offset) {
    return Shape(std::make_shared<AnalyticField>(shapes::plane(normal, offset)));
}

Shape Shape::compound(std::vector<CompoundPart> parts) {
    const auto state = std::make_shared<State>();
    state->kind = ShapeKind::compound;
    state->compound = std::make_shared<const Compound>(make_compound(std::move(parts)));
    state->bounds = state->compound->bounds;
    return Shape(state);
}

// ---- Convex shapes

namespace {

FieldPtr rounded(const AnalyticExpression& expression, double radius) {
    return std::make_shared<AnalyticField>(radius > 0 ? shapes::round(radius, expression) : expression);
}

void check_radius(double radius) {
    if (!(radius >= 0) || !(radius <= AnalyticExpression::max_length))
        throw Error(Cause::invalid_argument, fmt::format("the radius must be from 0 to 1e15, not {}", radius));
}

// Whether every vertex is behind the planes of all triangles.
bool is_convex(const TriangleMesh& mesh, const convex::Hull& hull) {
    Box bounds;
    for (const Vec3& p : hull.vertices) bounds.extend(p);
    const double within = 1e-9 * bounds.diagonal();
    for (const Triangle& t : mesh.triangles) {
        const Vec3 &p = mesh.vertices[t[0]], normal = (mesh.vertices[t[1]] - p).cross(mesh.vertices[t[2]] - p);
        if (!(normal.norm() > within * bounds.diagonal())) continue; // a sliver has no plane
        const Vec3 unit = normal.normalized();
        for (const Vec3& q : hull.vertices)
            if (unit.dot(q - p) > within) return false;
    }
    return true;
}

} // namespace

Shape Shape::sphere(double radius) { return Shape(rounded(shapes::sphere(radius), 0)); }

Shape Shape::box(const Vec3& size, double radius) {
    check_radius(radius);
    return Shape(rounded(shapes::box(size), radius));
}

Shape Shape::capsule(double radius, double length) {
    return Shape(rounded(shapes::capsule({0, 0, -0.5 * length}, {0, 0, 0.5 * length}, radius), 0));
}

Shape Shape::cylinder(double cylinder_radius, double height, double radius) {
    check_radius(radius);
    return Shape(rounded(shapes::cylinder(cylinder_radius, height), radius));
}

Shape Shape::cone(double base_radius, double height, double radius) {
    check_radius(radius);
    return Shape(rounded(shapes::cone(base_radius, height), radius));
}

Shape Shape::ellipsoid(const Vec3& semi_axes, double radius) {
    check_radius(radius);
    return Shape(rounded(shapes::ellipsoid(semi_axes), radius));
}

Shape Shape::convex_hull(std::span<const Vec3> points, double radius) {
    check_radius(radius);
    convex::Body body = convex::polyhedron(std::make_shared<convex::Hull>(convex::make_hull(points)));
    body.radius = radius;
    return of_body(std::move(body));
}

Shape Shape::convex_mesh(const TriangleMesh& mesh, double radius) {
    check(mesh);
    check_radius(radius);
    if (mesh.triangles.empty()) throw Error(Cause::empty, "the mesh has no triangles");
    const std::vector<Vec3> points = used_vertices(mesh);
    convex::Body body = convex::polyhedron(std::make_shared<convex::Hull>(convex::make_hull(points)));
    if (!mesh_report(mesh).watertight) throw Error(Cause::invalid_argument, "the mesh is not closed");
    if (!is_convex(mesh, *body.hull)) throw Error(Cause::invalid_argument, "the mesh is not convex");
    body.radius = radius;
    return of_body(std::move(body));
}

void Shape::set_convex() {
    state_->kind = ShapeKind::convex;
    convex_body_ = &*state_->convex;
}

Shape Shape::of_body(convex::Body body) {
    Shape shape(std::make_shared<convex::ConvexField>(body));
    shape.state_->convex = std::move(body);
    shape.set_convex();
    return shape;
}

ShapeKind Shape::kind() const { return state_->kind; }
const Box& Shape::bounds() const { return state_->bounds; }
double Shape::radius() const { return 0.5 * state_->bounds.diagonal(); }

double Shape::error_bound() const {
    if (state_->compound) return state_->compound->error_bound;
    return state_->given_field ? state_->given_field->near_error_bound() : state_->seal.displacement;
}

bool Shape::has_triangles() const { return state_->mesh || has_surface(kind()); }

MeshInterior Shape::interior() const {
    if (state_->is_mesh()) return state_->seal.interior;
    if (state_->compound) return state_->compound->interior;
    return has_field(kind()) ? MeshInterior::closed : MeshInterior::sheet;
}

const std::string& Shape::interior_reason() const { return state_->seal.reason; }

bool Shape::is_doubtful_sheet() const { return kind() == ShapeKind::open_mesh && !state_->is_requested_sheet; }

const Shape& Shape::without_caps() const {
    if (state_->seal.cap_triangles == 0) return *this;
    return state_->without_caps.get([&] {
        TriangleMesh given = mesh();
        given.triangles.resize(given.triangles.size() - state_->seal.cap_triangles);
        return Shape(std::move(given), MeshInside::open);
    });
}

Shape Shape::deformed(std::span<const Vec3> vertices) const {
    const State& s = *state_;
    s.require(has_surface(s.kind), "vertices");
    const std::size_t count = s.is_mesh()                       ? s.mesh->vertices.size()
                              : s.kind == ShapeKind::tetrahedra ? s.tets.vertices.size()
                                                                : s.points.size();
    if (vertices.size() != count)
        throw Error(Cause::count_mismatch, fmt::format("expected {} vertices, got {}", count, vertices.size()));
    std::vector<Vec3> moved(vertices.begin(), vertices.end());
    if (s.kind == ShapeKind::point_shell) return Shape(std::move(moved));
    if (s.kind == ShapeKind::tetrahedra) return Shape(TetMesh{std::move(moved), s.tets.tetrahedra});
    // A closed mesh stays closed: deformation does not change the topology.
    check_merged(moved, s.seal.merged, s.seal.displacement);
    Shape shape(TriangleMesh{std::move(moved), s.mesh->triangles}, MeshInside::open);
    shape.state_->kind = s.kind;
    shape.state_->seal = s.seal;
    shape.state_->is_requested_sheet = s.is_requested_sheet;
    // A tree that was built is refitted, until its queries have become much slower.
    constexpr double worn = 1.5;
    if (const auto* const built = s.tree.made(); built && (*built)->tree().decay() < worn)
        (void)shape.state_->tree.get([&] {
            auto refitted = std::make_shared<SurfaceTree>(**built);
            refitted->refit(shape.state_->mesh->vertices);
            return refitted;
        });
    return shape;
}

const FieldPtr& Shape::field() const {
    const State& s = *state_;
    s.require(has_field(s.kind), "interior");
    if (s.given_field) return s.given_field;
    return s.field
        .get([&]() -> OwnField {
            if (s.kind == ShapeKind::tetrahedra && has_inverted(s.tets)) return {std::make_shared<TetField>(s.tets)};
            if (s.kind == ShapeKind::tetrahedra) {
                const auto field = std::make_shared<MeshField>(mesh());
                return {field, field->memory_bytes() + bytes_of(field->mesh()) + field->tree().memory_bytes()};
            }
            const auto field = std::make_shared<MeshField>(s.mesh, s.shared_tree());
            return {field, field->memory_bytes()};
        })
        .field;
}

const FieldSphereTree& Shape::solid() const {
    return state_->solid.get([&] { return FieldSphereTree(field()); });
}

const SegmentCaster& Shape::caster() const {
    return state_->caster.get([&] { return SegmentCaster(field()); });
}

const std::shared_ptr<const TriangleMesh>& Shape::State::shared_mesh() const {
    require(mesh || has_surface(kind), "triangle surface");
    if (mesh) return mesh;
    return skin.get([&] {
        return std::make_shared<TriangleMesh>(kind == ShapeKind::tetrahedra ? skin_of(tets) : skin_of(points));
    });
}

const std::shared_ptr<const SurfaceTree>& Shape::State::shared_tree() const {
    return tree.get([&] { return std::make_shared<SurfaceTree>(*shared_mesh()); });
}

const TriangleMesh& Shape::mesh() const { return *state_->shared_mesh(); }
const SurfaceTree& Shape::tree() const { return *state_->shared_tree(); }

const TriangleSphereTree& Shape::surface() const {
    return state_->surface.get([&] { return TriangleSphereTree(state_->shared_mesh()); });
}

const point_field::SweepShell& Shape::points() const {
    const State& s = *state_;
    return s.shell.get([&] {
        if (s.kind == ShapeKind::point_shell) return point_field::SweepShell(nullptr, s.points);
        std::vector<Vec3> used = used_vertices(mesh());
        const auto& all = s.shared_mesh();
        if (used.size() == all->vertices.size()) return point_field::SweepShell(all, all->vertices);
        return point_field::SweepShell(std::move(used));
    });
}

std::span<const Vec3> Shape::component_samples() const {
    return state_->component_samples.get([&] { return component_samples_of(mesh()); });
}

const TetMesh& Shape::tetrahedra() const {
    state_->require(state_->kind == ShapeKind::tetrahedra, "tetrahedra");
    return state_->tets;
}

const tet::TetTopology& Shape::tet_topology() const {
    return state_->topology.get([&] { return tet::TetTopology(tetrahedra()); });
}

const DetectionParts& Shape::detection_parts() const {
    return state_->detection_parts.get([&] {
        return DetectionParts{decompose(*field()), protrusion_points(*field()).points};
    });
}

const std::shared_ptr<const DrawnMesh>& Shape::drawn() const {
    return state_->drawn.get([&] { return std::make_shared<const DrawnMesh>(mesh()); });
}

const std::shared_ptr<SharedDepthObject>& Shape::depth_object() const {
    return state_->depth_object.get([&] {
        const bool layered = kind() == ShapeKind::closed_mesh || mesh_report(mesh()).faces_outward();
        std::array<Projection, 3> axes;
        for (int axis = 0; axis < 3; ++axis)
            axes[static_cast<std::size_t>(axis)] = {Vec3::Unit(axis),
                                                    layered ? DepthSides::layers : DepthSides::both_sides};
        auto backend = make_cpu_depth_backend();
        DepthBackend& renderer = *backend;
        return std::make_shared<SharedDepthObject>(std::move(backend),
                                                   DepthObject(renderer, mesh(), axes, {.pixels = 512}));
    });
}

const Shape::HalfSpace& Shape::half_space() const {
    state_->require(state_->kind == ShapeKind::half_space, "half-space");
    return state_->half_space;
}

const Compound& Shape::compound() const {
    state_->require(state_->kind == ShapeKind::compound, "parts");
    return *state_->compound;
}

std::span<const CompoundPart> Shape::parts() const { return compound().parts; }

void Shape::prepare() const {
    if (kind() == ShapeKind::compound)
        for (const CompoundPart& part : parts()) part.shape.prepare();
    if (has_field(kind())) (void)solid();
    if (has_triangles()) {
        (void)surface();
        (void)component_samples();
    }
    if (kind() == ShapeKind::point_shell) (void)points();
}

// Each shape once, however many parts have it.
std::size_t Shape::bytes_of_parts(std::span<const CompoundPart> parts) {
    std::set<const State*> counted;
    std::size_t bytes = 0;
    for (const CompoundPart& part : parts) {
        bytes += sizeof(CompoundPart) + sizeof(OrientedBox) + part.name.capacity();
        if (counted.insert(part.shape.state_.get()).second) bytes += part.shape.memory_bytes();
    }
    return bytes;
}

std::size_t Shape::memory_bytes() const {
    const State& s = *state_;
    std::size_t bytes = sizeof(State) + s.seal.merged.capacity() * sizeof(Index);
    bytes += s.tets.vertices.size() * sizeof(Vec3) + s.tets.tetrahedra.size() * sizeof(Tetrahedron) +
             s.points.size() * sizeof(Vec3);
    if (s.mesh && s.is_mesh()) bytes += bytes_of(*s.mesh);
    if (const auto* skin = s.skin.made()) bytes += bytes_of(**skin);
    if (const auto* own = s.field.made()) bytes += own->bytes;
    if (const auto* solid = s.solid.made()) bytes += solid->bytes();
    if (const auto* caster = s.caster.made()) bytes += caster->bytes();
    if (const auto* surface = s.surface.made()) bytes += surface->memory_bytes();
    if (const auto* tree = s.tree.made()) bytes += (*tree)->memory_bytes();
    if (const auto* shell = s.shell.made()) {
        const bool shared = (s.mesh && shell->owner == s.mesh) || s.kind == ShapeKind::point_shell;
        bytes += shell->tree.memory_bytes() + (shared ? 0 : shell->points.size() * sizeof(Vec3));
    }
    if (const auto* samples = s.component_samples.made()) bytes += samples->size() * sizeof(Vec3);
    if (const auto* shape = s.without_caps.made()) bytes += shape->memory_bytes();
    if (s.compound) bytes += s.compound->tree.memory_bytes() + bytes_of_parts(s.compound->parts);
    return bytes;
}

} // namespace fathom
