// Builds meshes, fields and point shells from the description of a body in a scene.
#include <fathom/simulate/scene/scene_shapes.h>

#include <fathom/base/error.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/mass_properties.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Reader of a mesh type, and the error text for the other type.
template <class Mesh>
struct MeshKind;
template <>
struct MeshKind<TriangleMesh> {
    static TriangleMesh read(const std::filesystem::path& path) { return read_triangle_mesh(path); }
    static constexpr bool volume = false;
    static constexpr const char* unlike = "is made of tetrahedra; this body needs a surface";
};
template <>
struct MeshKind<TetMesh> {
    static TetMesh read(const std::filesystem::path& path) { return read_tet_mesh(path); }
    static constexpr bool volume = true;
    static constexpr const char* unlike = "is a surface; a solid needs tetrahedra";
};

bool has_model(const Scene& scene, const std::string& name) {
    return !name.empty() && !scene.model_folder.empty() && std::filesystem::exists(scene.model_folder / name);
}

std::filesystem::path beside(const Scene& scene, const std::string& name) {
    return std::filesystem::path(scene.file).parent_path() / name;
}

template <class Mesh>
Mesh source_mesh(const Scene& scene, const SceneBody& body, bool& generated) {
    generated = false;
    if (has_model(scene, body.model)) return MeshKind<Mesh>::read(scene.model_folder / body.model);
    if (!body.mesh.empty()) return MeshKind<Mesh>::read(beside(scene, body.mesh));
    generated = true;
    if (find_shape(body.shape).volume != MeshKind<Mesh>::volume)
        throw Error(Cause::invalid_argument, fmt::format("'{}' {}", body.shape, MeshKind<Mesh>::unlike),
                    {.element = "shape"});
    return std::get<Mesh>(make_shape(body.shape, body.parameters));
}

// Centre of mass of a thin sheet on the mesh, closed or not.
Vec3 surface_center(const TriangleMesh& mesh) {
    Vec3 sum = Vec3::Zero();
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const std::array<Vec3, 3> c = mesh.corners(t);
        const double a = area_vector(c).norm();
        sum += a / 3 * (c[0] + c[1] + c[2]);
        area += a;
    }
    return area > 0 ? Vec3(sum / area) : bounds(mesh.vertices).center();
}

Vec3 center_of(const SceneBody& body, const TriangleMesh& mesh) {
    return body.kind == BodyKind::rigid ? mass_properties(mesh).center : surface_center(mesh);
}

Vec3 center_of(const SceneBody&, const TetMesh& mesh) {
    Vec3 sum = Vec3::Zero();
    double volume = 0;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
        const std::array<Vec3, 4> c = mesh.corners(t);
        const double v = std::abs(signed_volume(c));
        sum += v / 4 * (c[0] + c[1] + c[2] + c[3]);
        volume += v;
    }
    return volume > 0 ? Vec3(sum / volume) : bounds(mesh.vertices).center();
}

} // namespace

template <class Mesh>
Mesh placed_mesh(const Scene& scene, const SceneBody& body) {
    bool generated = false;
    Mesh mesh = source_mesh<Mesh>(scene, body, generated);
    check(mesh);
    if (body.up == "y" && !generated)
        for (Vec3& v : mesh.vertices) v = Vec3(v.x(), -v.z(), v.y());
    const double longest = bounds(mesh.vertices).size().maxCoeff();
    const double scale = body.size > 0 && longest > 0 ? body.size / longest : 1;
    const Vec3 center = center_of(body, mesh);
    for (Vec3& v : mesh.vertices) v = scale * (v - center);
    return mesh;
}

template TriangleMesh placed_mesh<TriangleMesh>(const Scene&, const SceneBody&);
template TetMesh placed_mesh<TetMesh>(const Scene&, const SceneBody&);

std::vector<std::string> absent_models(const Scene& scene) {
    std::vector<std::string> absent;
    const auto note = [&](const std::string& name) {
        if (!name.empty() && std::find(absent.begin(), absent.end(), name) == absent.end()) absent.push_back(name);
    };
    for (const SceneBody& body : scene.bodies) {
        if (!has_model(scene, body.model)) note(body.model);
        if (!has_model(scene, body.network) && !std::filesystem::exists(beside(scene, body.network)))
            note(body.network);
    }
    return absent;
}

FieldPtr field_of(const Scene& scene, const SceneBody& body) {
    if (body.network.empty()) return std::make_shared<AnalyticField>(parse_shape(body.field));
    if (has_model(scene, body.network))
        return std::make_shared<NeuralField>(read_network(scene.model_folder / body.network));
    if (const auto file = beside(scene, body.network); body.field.empty() || std::filesystem::exists(file))
        return std::make_shared<NeuralField>(read_network(file));
    return std::make_shared<AnalyticField>(parse_shape(body.field));
}

BodyShapePtr shape_of(const Scene& scene, const SceneBody& body, Progress* progress) {
    BodyShapeOptions options;
    options.grid.resolution = body.resolution;
    options.grid.progress = progress;
    options.points = body.points;
    options.cached = scene.cached;
    return make_body_shape(placed_mesh<TriangleMesh>(scene, body), options);
}

TriangleMesh mesh_of(const Field& field, int resolution) {
    const Box box = field.bounds();
    if (box.empty() || !box.size().allFinite()) return {};
    return contour(field, box.grown(0.02 * box.diagonal()), resolution);
}

} // namespace fathom
