// Selection of the reader or writer of a file.
#include <fathom/geometry/io/mesh_file.h>

#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>
#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/file.h>
#include <fathom/geometry/io/formats.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

namespace fathom {

namespace {

namespace fs = std::filesystem;

// Within this limit no format can contain more elements than 32-bit indices allow (a vertex of binary PLY takes at
// least three bytes).
constexpr std::size_t max_bytes = std::size_t{8} << 30;

enum class Format { unknown, obj, stl, ply, off, gltf, msh, vtk, vtu, medit, tetgen };

struct Ending {
    std::string_view ending;
    Format format;
};
constexpr std::array<Ending, 12> endings = {{{".obj", Format::obj},
                                             {".stl", Format::stl},
                                             {".ply", Format::ply},
                                             {".off", Format::off},
                                             {".glb", Format::gltf},
                                             {".gltf", Format::gltf},
                                             {".msh", Format::msh},
                                             {".vtk", Format::vtk},
                                             {".vtu", Format::vtu},
                                             {".mesh", Format::medit},
                                             {".node", Format::tetgen},
                                             {".ele", Format::tetgen}}};

// The extension in lower case without ".gz": ".obj" for "a/b.OBJ" and for "b.obj.gz".
std::string ending_of(std::string_view name) {
    std::string lower = lower_case(fs::path(name).filename().string());
    if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
    return fs::path(lower).extension().string();
}

Format format_of_ending(std::string_view ending) {
    const auto found =
        std::find_if(endings.begin(), endings.end(), [&](const Ending& e) { return e.ending == ending; });
    return found == endings.end() ? Format::unknown : found->format;
}

bool has_binary_stl_size(std::span<const std::byte> bytes) {
    if (bytes.size() < 84) return false;
    std::uint64_t count = 0; // 32 bits, little endian
    for (std::size_t k = 4; k-- > 0;) count = count << 8 | std::to_integer<std::uint64_t>(bytes[80 + k]);
    return bytes.size() == 84 + 50 * count;
}

// Words at the start of a file that identify its format.
Format format_of_first_word(std::string_view word) {
    constexpr std::array<std::string_view, 7> off = {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "4OFF", "nOFF"};
    if (word == "ply") return Format::ply;
    if (word == "solid") return Format::stl;
    if (word.starts_with("glTF")) return Format::gltf;
    if (word.starts_with("MeshVersion")) return Format::medit;
    if (word == "$MeshFormat" || word == "$NOD" || word == "$Comments") return Format::msh;
    if (std::find(off.begin(), off.end(), word) != off.end()) return Format::off;
    return Format::unknown;
}

Format format_of_content(const Source& source) {
    if (has_binary_stl_size(source.bytes)) return Format::stl;
    const std::string_view opening = source.text().substr(0, 1024);
    if (opening.starts_with("# vtk DataFile")) return Format::vtk;
    if (opening.starts_with("<") && opening.find("<VTKFile") != std::string_view::npos) return Format::vtu;
    if (opening.starts_with("{") && opening.find("\"asset\"") != std::string_view::npos) return Format::gltf;
    const Source start{source.bytes.subspan(0, opening.size()), source.name};
    return format_of_first_word(TextScanner(start, '#').word());
}

MeshFile read_by(Format format, const Source& source, std::string_view ending) {
    switch (format) {
    case Format::obj:
        return read_obj(source);
    case Format::stl:
        return read_stl(source);
    case Format::ply:
        return read_ply(source);
    case Format::off:
        return read_off(source);
    case Format::gltf:
        return read_gltf(source);
    case Format::msh:
        return read_msh(source);
    case Format::vtk:
        return read_vtk(source);
    case Format::vtu:
        return read_vtu(source);
    case Format::medit:
        return read_medit(source);
    case Format::tetgen:
        throw Error(Cause::unsupported, "TetGen's .node and .ele are two files and can only be read by path",
                    {.file = source.name});
    case Format::unknown:
        break;
    }
#ifdef FATHOM_WITH_ASSIMP
    return read_through_assimp(source, ending);
#else
    throw Error(Cause::unsupported, fmt::format("'{}' is read by assimp, which this build does not include", ending),
                {.file = source.name});
#endif
}

MeshFile read_source(const Source& source) {
    if (source.bytes.empty()) throw Error(Cause::empty, "the file is empty", {.file = source.name});
    if (source.bytes.size() > max_bytes)
        throw Error(Cause::too_large, "files larger than 8 GiB are not supported", {.file = source.name});
    const std::string ending = ending_of(source.name);
    const Format named = format_of_ending(ending);
    const Format found = format_of_content(source);
    MeshFile file = read_by(found == Format::unknown ? named : found, source, ending);
    if (found != Format::unknown && named != found)
        file.report.notes.push_back(
            fmt::format("the file extension is '{}', but the content is {}", ending, file.report.format));
    return file;
}

// Running out of memory is reported as an error of the file.
template <class Read>
MeshFile guarded(const std::string& name, Read read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        throw Error(Cause::too_large, "not enough memory for the content of the file", {.file = name});
    } catch (const std::length_error&) {
        throw Error(Cause::too_large, "not enough memory for the content of the file", {.file = name});
    }
}

// The bytes of a file, decompressed if necessary.
class Loaded {
public:
    Loaded(std::span<const std::byte> bytes, std::string_view name) : source_{bytes, std::string(name)} { unpack(); }
    explicit Loaded(const fs::path& path) : bytes_(read_whole_file(path)), source_{bytes_.span(), path.string()} {
        unpack();
    }

    [[nodiscard]] const Source& source() const { return source_; }

private:
    void unpack() {
        if (!is_gzip(source_.bytes)) return;
        bytes_ = unpacked_gzip(source_); // the compressed bytes are released
        source_.bytes = bytes_.span();
    }

    Bytes bytes_;
    Source source_;
};

// "horse.ele" for "horse.node" and vice versa; the case of the letters and ".gz" are kept.
fs::path tetgen_partner(const fs::path& path) {
    const bool packed = lower_case(path.extension().string()) == ".gz";
    fs::path plain = packed ? fs::path(path).replace_extension() : path;
    const std::string ending = plain.extension().string();
    const bool upper = ending.size() > 1 && ending[1] >= 'A' && ending[1] <= 'Z';
    const bool nodes = lower_case(ending) == ".node";
    plain.replace_extension(nodes ? (upper ? ".ELE" : ".ele") : (upper ? ".NODE" : ".node"));
    if (packed) plain += path.extension();
    return plain;
}

MeshFile read_tetgen_pair(const fs::path& path) {
    const fs::path partner = tetgen_partner(path);
    const bool nodes_named = ending_of(path.string()) == ".node";
    const Loaded nodes(nodes_named ? path : partner);
    const Loaded elements(nodes_named ? partner : path);
    return read_tetgen(nodes.source(), elements.source());
}

[[noreturn]] void refuse_ending(const fs::path& path, std::string_view kind, std::string_view known) {
    throw Error(
        Cause::unsupported,
        fmt::format("cannot write {} as '{}'; supported extensions: {}", kind, path.extension().string(), known),
        {.file = path.string()});
}

std::string written(const TriangleMesh& mesh, const fs::path& path) {
    const std::string ending = lower_case(path.extension().string());
    if (ending == ".obj") return written_obj(mesh);
    if (ending == ".stl") return written_stl(mesh);
    if (ending == ".ply") return written_ply(mesh);
    if (ending == ".off") return written_off(mesh);
    if (ending == ".glb") return written_glb(mesh);
    if (ending == ".vtk") return written_vtk(mesh);
    if (ending == ".vtu") return written_vtu(mesh);
    refuse_ending(path, "a surface", ".obj .stl .ply .off .glb .vtk .vtu");
}

std::string written(const TetMesh& mesh, const fs::path& path) {
    const std::string ending = lower_case(path.extension().string());
    if (ending == ".vtk") return written_vtk(mesh);
    if (ending == ".vtu") return written_vtu(mesh);
    if (ending == ".msh") return written_msh(mesh);
    if (ending == ".mesh") return written_medit(mesh);
    refuse_ending(path, "a volume", ".vtk .vtu .msh .mesh");
}

template <class Mesh>
void write_checked(const fs::path& path, const Mesh& mesh) {
    check(mesh, path.string()); // every written file must be readable
    write_whole_file(path, written(mesh, path));
}

} // namespace

MeshFile read_mesh(const fs::path& path) {
    return guarded(path.string(), [&] {
        if (format_of_ending(ending_of(path.string())) == Format::tetgen) return read_tetgen_pair(path);
        return read_source(Loaded(path).source());
    });
}

MeshFile read_mesh(std::span<const std::byte> bytes, std::string_view name) {
    return guarded(std::string(name), [&] { return read_source(Loaded(bytes, name).source()); });
}

TriangleMesh read_triangle_mesh(const fs::path& path) {
    MeshFile file = read_mesh(path);
    if (!file.surface.triangles.empty()) return std::move(file.surface);
    if (file.has_volume()) return boundary(file.volume);
    throw Error(Cause::empty, "contains no triangles", {.file = path.string()});
}

TetMesh read_tet_mesh(const fs::path& path) {
    MeshFile file = read_mesh(path);
    if (!file.has_volume()) throw Error(Cause::empty, "contains no tetrahedra", {.file = path.string()});
    return std::move(file.volume);
}

void write_mesh(const fs::path& path, const TriangleMesh& mesh) { write_checked(path, mesh); }
void write_mesh(const fs::path& path, const TetMesh& mesh) { write_checked(path, mesh); }

} // namespace fathom
