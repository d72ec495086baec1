// Import of other formats by assimp in a child process, since assimp may crash, hang or exhaust the memory on damaged
// files. The result is checked like an untrusted file. This is the only file that uses assimp.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/isolate.h>
#include <fathom/geometry/io/face_collector.h>
#include <fathom/geometry/io/formats.h>

#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/scene.h>

#include <fmt/format.h>

namespace fathom {

namespace {

using AssimpMatrix = Eigen::Matrix4d;

// Gives access to the imported file only: a scene that refers to other files must not cause them to be opened.
class OneFile : public Assimp::IOSystem {
public:
    OneFile(std::string name, std::span<const std::byte> bytes) : name_(std::move(name)), bytes_(bytes) {}

    bool Exists(const char* name) const override { return name == name_; }
    char getOsSeparator() const override { return '/'; }
    Assimp::IOStream* Open(const char* name, const char*) override {
        if (!Exists(name)) return nullptr;
        return new Assimp::MemoryIOStream(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size());
    }
    void Close(Assimp::IOStream* stream) override { delete stream; }

private:
    std::string name_;
    std::span<const std::byte> bytes_;
};

// Polygons with shared vertices as sent from the child to the parent: three counts, then the arrays.
struct Soup {
    std::vector<Vec3> vertices;
    std::vector<Index> face_sizes;
    std::vector<Index> corners;
};

AssimpMatrix as_matrix(const aiMatrix4x4& m) {
    AssimpMatrix out;
    for (unsigned i = 0; i < 4; ++i)
        for (unsigned k = 0; k < 4; ++k) out(i, k) = static_cast<double>(m[i][k]);
    return out;
}

void append_mesh(Soup& soup, const aiMesh& mesh, const AssimpMatrix& place) {
    const std::size_t first = soup.vertices.size();
    if (first + mesh.mNumVertices >= no_index) throw std::runtime_error("too many vertices for 32-bit indices");
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
        const Vec3 p(mesh.mVertices[i].x, mesh.mVertices[i].y, mesh.mVertices[i].z);
        soup.vertices.push_back(place.topLeftCorner<3, 3>() * p + place.topRightCorner<3, 1>());
    }
    const bool mirrored = place.topLeftCorner<3, 3>().determinant() < 0;
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
        const aiFace& face = mesh.mFaces[i];
        soup.face_sizes.push_back(face.mNumIndices);
        for (unsigned k = 0; k < face.mNumIndices; ++k)
            soup.corners.push_back(static_cast<Index>(first + face.mIndices[mirrored ? face.mNumIndices - 1 - k : k]));
    }
}

void append_node(Soup& soup, const aiScene& scene, const aiNode& node, const AssimpMatrix& parent) {
    const AssimpMatrix place = parent * as_matrix(node.mTransformation);
    for (unsigned i = 0; i < node.mNumMeshes; ++i) append_mesh(soup, *scene.mMeshes[node.mMeshes[i]], place);
    for (unsigned i = 0; i < node.mNumChildren; ++i) append_node(soup, scene, *node.mChildren[i], place);
}

// Concatenates the bytes of the arrays.
template <class... Arrays>
std::vector<std::byte> packed(const Arrays&... arrays) {
    std::vector<std::byte> bytes((std::as_bytes(std::span(arrays)).size() + ...));
    std::byte* target = bytes.data();
    const auto put = [&target](std::span<const std::byte> raw) { target = std::copy(raw.begin(), raw.end(), target); };
    (put(std::as_bytes(std::span(arrays))), ...);
    return bytes;
}

// Runs in the child process.
std::vector<std::byte> imported(const Source& source, const std::string& name) {
    Assimp::Importer importer;
    importer.SetIOHandler(new OneFile(name, source.bytes)); // the importer owns it
    const aiScene* scene = importer.ReadFile(name, 0);
    if (!scene) throw std::runtime_error(importer.GetErrorString());
    Soup soup;
    if (scene->mRootNode) append_node(soup, *scene, *scene->mRootNode, AssimpMatrix::Identity());
    importer.FreeScene();
    const std::array<std::uint64_t, 3> counts = {soup.vertices.size(), soup.face_sizes.size(), soup.corners.size()};
    return packed(counts, soup.vertices, soup.face_sizes, soup.corners);
}

// Runs in the parent process, which does not trust the data. Assimp splits vertices, so equal positions are merged.
void rebuild(const Source& answer, MeshFile& file) {
    ByteReader reader(answer, 0, std::endian::native);
    const auto count_of = [&](std::size_t min_bytes, std::string_view element) {
        return reader.checked_count(reader.read<std::uint64_t>(element), min_bytes, element);
    };
    const std::size_t vertex_count = count_of(sizeof(Vec3), "vertices");
    const std::size_t face_count = count_of(sizeof(Index), "faces");
    static_cast<void>(count_of(sizeof(Index), "corners"));
    PositionIndex positions(file.surface.vertices);
    std::vector<Index> merged;
    merged.reserve(vertex_count);
    for (std::size_t i = 0; i < vertex_count; ++i) {
        Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = reader.read<double>("vertex");
        if (!is_finite(p))
            throw Error(Cause::non_finite, "position is not finite",
                        {.file = answer.name, .element = "vertex", .index = static_cast<std::int64_t>(i)});
        merged.push_back(positions.find_or_add(p));
    }
    if (file.surface.vertices.size() < vertex_count)
        file.report.notes.push_back(fmt::format("merged {} vertices with others of the same position",
                                                vertex_count - file.surface.vertices.size()));
    ByteReader sizes(answer, reader.offset(), std::endian::native);
    static_cast<void>(reader.take(face_count * sizeof(Index), "faces"));
    FaceCollector faces(file, sizeof(Index));
    std::vector<Index> corners;
    for (std::size_t i = 0; i < face_count; ++i) {
        corners.clear();
        for (Index left = sizes.read<Index>("face"); left > 0; --left) {
            const Index corner = reader.read<Index>("corner");
            if (corner >= merged.size())
                throw Error(Cause::index_out_of_range,
                            fmt::format("refers to vertex {}, but there are {}", corner, merged.size()),
                            {.file = answer.name, .element = "face", .index = static_cast<std::int64_t>(i)});
            corners.push_back(merged[corner]);
        }
        faces.add(corners, reader.left());
    }
    faces.finish();
}

std::string printable_text(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = ' ';
    return text;
}

} // namespace

MeshFile read_through_assimp(const Source& source, std::string_view extension) {
    if (extension.empty() || !Assimp::Importer().IsExtensionSupported(std::string(extension)))
        throw Error(Cause::unknown_format, "neither the content nor the file name indicates a known format",
                    {.file = source.name});
    const std::string name = fmt::format("mesh{}", extension);
    const double megabytes = static_cast<double>(source.bytes.size()) * 1e-6;
    const IsolateOptions options{.memory = 20 * source.bytes.size() + (std::size_t{64} << 20),
                                 .seconds = 20 + 2 * megabytes};
    const IsolateResult result = run_isolated([&] { return imported(source, name); }, options);
    if (result.status != IsolateStatus::finished)
        throw Error(Cause::import_failed, fmt::format("assimp: {}", printable_text(result.reason)),
                    {.file = source.name});
    MeshFile file;
    file.report.format = fmt::format("{} by assimp", extension.substr(1));
    rebuild({result.bytes, source.name}, file);
    return file;
}

} // namespace fathom
