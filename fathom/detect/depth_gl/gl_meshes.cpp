// Sends meshes to the device.
#include <fathom/detect/depth_gl/gl_meshes.h>

namespace fathom::gl {

namespace {

template <class T>
void send(const Buffer& buffer, std::span<const T> data, GLenum usage) {
    glNamedBufferData(buffer.name(), static_cast<GLsizeiptr>(data.size_bytes()), data.data(), usage);
}

// In the order given, by which gl_PrimitiveID counts.
std::vector<Index> corners_of(const DrawnMesh& mesh) {
    std::vector<Index> corners;
    for (const Triangle& triangle : mesh.triangles()) corners.insert(corners.end(), triangle.begin(), triangle.end());
    for (const Line& line : mesh.edges()) corners.insert(corners.end(), line.begin(), line.end());
    if (mesh.kind() == Primitives::points)
        for (std::size_t v = 0; v < mesh.positions().size(); ++v) corners.push_back(static_cast<Index>(v));
    return corners;
}

DeviceMesh make(const std::shared_ptr<Context>& context, const std::shared_ptr<const DrawnMesh>& mesh) {
    DeviceMesh device{mesh, 0, 0, Buffer(context), Buffer(context), {}, VertexArray(context)};
    const std::vector<Index> corners = corners_of(*mesh);
    send<Index>(device.corners, corners, GL_STATIC_DRAW);
    device.mode = mesh->kind() == Primitives::triangles ? GL_TRIANGLES
                  : mesh->kind() == Primitives::lines   ? GL_LINES
                                                        : GL_POINTS;
    device.corner_count = static_cast<GLsizei>(corners.size());
    const GLuint array = device.array.name();
    glVertexArrayVertexBuffer(array, 0, device.places.name(), 0, sizeof(Vec3f));
    glVertexArrayElementBuffer(array, device.corners.name());
    glEnableVertexArrayAttrib(array, 0);
    glVertexArrayAttribFormat(array, 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array, 0, 0);
    return device;
}

std::vector<Vec3f> normals_of(const DrawnMesh& mesh) {
    std::vector<Vec3f> normals;
    normals.reserve(mesh.triangles().size());
    const auto place = [&](Index v) { return mesh.positions()[v].cast<double>().eval(); };
    for (const Triangle& t : mesh.triangles())
        normals.push_back((place(t[1]) - place(t[0])).cross(place(t[2]) - place(t[0])).normalized().cast<float>());
    return normals;
}

} // namespace

const DeviceMesh& MeshStore::get(const std::shared_ptr<const DrawnMesh>& mesh, bool normals) {
    auto found = meshes_.find(mesh.get());
    if (found != meshes_.end() && found->second.mesh.expired()) { // another mesh lived at this address
        meshes_.erase(found);
        found = meshes_.end();
    }
    if (found == meshes_.end()) found = meshes_.emplace(mesh.get(), make(context_, mesh)).first;
    DeviceMesh& device = found->second;
    if (device.version != mesh->version()) {
        send(device.places, mesh->positions(), GL_DYNAMIC_DRAW);
        device.version = mesh->version();
    }
    if (normals && device.normals_version != mesh->version()) {
        if (!device.normals) device.normals = Buffer(context_);
        send<Vec3f>(device.normals, normals_of(*mesh), GL_DYNAMIC_DRAW);
        device.normals_version = mesh->version();
    }
    return device;
}

void MeshStore::forget_the_dead() {
    std::erase_if(meshes_, [](const auto& entry) { return entry.second.mesh.expired(); });
}

} // namespace fathom::gl
