#include <fathom/base/random.h>
#include <fathom/geometry/io/formats.h>
#include <fathom/geometry/io/mesh_file.h>
#include <support/models.h>
#include <support/scratch_folder.h>
#include <support/sources.h>

#include <zlib.h>

namespace fathom {
namespace mesh_file_test {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::error_of;
using testing::ScratchFolder;

const TriangleMesh tetrahedron = {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)},
                                  {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

std::string packed(std::string_view content) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, content.size()) + 64, '\0');
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

MeshFile read(std::string_view content, std::string_view name) { return read_mesh(bytes_of(content), name); }
Cause cause_of(std::string_view content, std::string_view name) {
    return error_of([&] { static_cast<void>(read(content, name)); }).cause();
}

TEST(MeshFile, the_content_decides_the_format_where_it_can) {
    for (const auto& [content, format] : {std::pair{written_ply(tetrahedron), "ply binary little-endian"},
                                          {written_stl(tetrahedron), "stl binary"},
                                          {written_off(tetrahedron), "off"},
                                          {written_glb(tetrahedron), "glb"}}) {
        const MeshFile file = read(content, "wrong.obj");
        EXPECT_EQ(file.report.format, format);
        EXPECT_EQ(file.surface.triangles.size(), 4u) << format;
        EXPECT_EQ(file.report.notes.size(), 1u) << format; // reports the wrong extension
    }
    EXPECT_EQ(read(written_obj(tetrahedron), "MESH.OBJ").report.format, "obj");
}

TEST(MeshFile, rejects_empty_and_unknown_files) {
    EXPECT_EQ(cause_of("", "a.obj"), Cause::empty);
    EXPECT_EQ(cause_of("anything", "a.xyzzy"), Cause::unknown_format);
    EXPECT_EQ(cause_of("anything", "noending"), Cause::unknown_format);
    EXPECT_EQ(cause_of("1 3 0 0\n", "a.node"), Cause::unsupported);
}

TEST(MeshFile, unpacks_gzip_of_any_format) {
    for (const auto& [content, name] : {std::pair{written_obj(tetrahedron), "a.obj.gz"},
                                        {written_ply(tetrahedron), "a.ply.gz"},
                                        {written_stl(tetrahedron), "a.STL.GZ"},
                                        {written_off(tetrahedron), "packed"}})
        EXPECT_EQ(read(packed(content), name).surface.triangles.size(), 4u) << name;
    const std::string text = written_obj(tetrahedron);
    const std::string two_members = packed(text.substr(0, 40)).append(packed(text.substr(40))).append(20, '\0');
    EXPECT_EQ(read(two_members, "a.obj.gz").surface, tetrahedron);
}

TEST(MeshFile, refuses_gzip_that_is_cut_damaged_or_a_bomb) {
    const std::string good = packed(written_obj(tetrahedron));
    for (std::size_t length = 2; length < good.size(); length += 5)
        EXPECT_EQ(cause_of(good.substr(0, length), "a.obj.gz"), Cause::truncated) << length;
    std::string damaged = good;
    damaged[damaged.size() - 6] ^= 1; // the check sum
    EXPECT_EQ(cause_of(damaged, "a.obj.gz"), Cause::malformed);
    EXPECT_EQ(cause_of(std::string(good).append("tail"), "a.obj.gz"), Cause::malformed);
    EXPECT_EQ(cause_of(packed(std::string(40 << 20, '\0')), "a.obj.gz"), Cause::too_large);
    EXPECT_EQ(cause_of(packed(""), "a.obj.gz"), Cause::empty);
}

TEST(MeshFile, names_the_file_it_cannot_open) {
    const Error error = error_of([] { static_cast<void>(read_mesh(fs::path("/nonexistent/a.obj"))); });
    EXPECT_EQ(error.cause(), Cause::cannot_open);
    EXPECT_EQ(error.place().file, "/nonexistent/a.obj");
    EXPECT_EQ(error_of([] { static_cast<void>(read_mesh(fs::path("/nonexistent/a.node"))); }).cause(),
              Cause::cannot_open);
    EXPECT_EQ(error_of([] { static_cast<void>(read_mesh(fs::temp_directory_path())); }).cause(), Cause::cannot_open);
}

TEST(MeshFile, misses_the_partner_of_a_tetgen_file) {
    const ScratchFolder folder;
    const fs::path nodes = folder.write("a.node", "0 3 0 0\n");
    const Error error = error_of([&] { static_cast<void>(read_mesh(nodes)); });
    EXPECT_EQ(error.cause(), Cause::cannot_open);
    EXPECT_EQ(error.place().file, (folder / "a.ele").string());
}

TEST(MeshFile, one_kind_only_or_an_error) {
    const ScratchFolder folder;
    write_mesh(folder / "a.obj", tetrahedron);
    EXPECT_EQ(read_triangle_mesh(folder / "a.obj"), tetrahedron);
    EXPECT_EQ(error_of([&] { static_cast<void>(read_tet_mesh(folder / "a.obj")); }).cause(), Cause::empty);
    folder.write("points.obj", "v 0 0 0\n");
    EXPECT_EQ(error_of([&] { static_cast<void>(read_triangle_mesh(folder / "points.obj")); }).cause(), Cause::empty);
}

TEST(MeshFile, writes_no_mesh_that_it_could_not_read) {
    const ScratchFolder folder;
    TriangleMesh bad = tetrahedron;
    bad.triangles[1][2] = 4;
    EXPECT_EQ(error_of([&] { write_mesh(folder / "a.obj", bad); }).cause(), Cause::index_out_of_range);
    bad = tetrahedron;
    bad.vertices[2].y() = std::numeric_limits<double>::infinity();
    EXPECT_EQ(error_of([&] { write_mesh(folder / "a.ply", bad); }).cause(), Cause::non_finite);
    bad.vertices[2].y() = 1e300;
    EXPECT_EQ(error_of([&] { write_mesh(folder / "a.stl", bad); }).cause(), Cause::too_large);
    EXPECT_EQ(error_of([&] { write_mesh(folder / "a.glb", bad); }).cause(), Cause::too_large);
    EXPECT_EQ(error_of([&] { write_mesh(folder / "a.xyz", tetrahedron); }).cause(), Cause::unsupported);
    EXPECT_EQ(error_of([&] { write_mesh(folder / "missing/a.obj", tetrahedron); }).cause(), Cause::cannot_write);
    EXPECT_EQ(folder.file_count(), 0u);
}

// Random positions; of float precision where the format stores float.
TriangleMesh random_mesh(Random& random, bool as_float, double scale) {
    TriangleMesh mesh;
    for (std::size_t i = 0; i < 60; ++i) {
        const Vec3 p = scale * random.in_ball();
        mesh.vertices.push_back(as_float ? Vec3(p.cast<float>().cast<double>()) : p);
    }
    for (Index i = 0; i + 2 < 60; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
    return mesh;
}

TEST(MeshFile, reads_back_what_it_wrote) {
    const ScratchFolder folder;
    Random random(1);
    for (const double scale : {1e-30, 1e-3, 1.0, 1e3, 1e30})
        for (const std::string ending : {".obj", ".ply", ".off", ".stl", ".glb"}) {
            const bool as_float = ending == ".stl" || ending == ".glb";
            const TriangleMesh mesh = random_mesh(random, as_float, scale);
            const fs::path path = folder / std::string("a").append(ending);
            write_mesh(path, mesh);
            EXPECT_EQ(read_mesh(path).surface, mesh) << path << " " << scale;
        }
    for (const char* name : {"e.obj", "e.ply", "e.off", "e.stl", "e.glb"}) {
        write_mesh(folder / name, TriangleMesh{});
        EXPECT_EQ(read_mesh(folder / name).surface, TriangleMesh{}) << name;
    }
}

TEST(MeshFile, round_trips_real_meshes) {
    FATHOM_NEEDS_MODELS();
    const ScratchFolder folder;
    for (const char* name : {"bunny_original.obj", "horse.ply", "beetle.off", "galileo.stl", "motorBike.obj.gz"}) {
        const TriangleMesh mesh = read_triangle_mesh(testing::models() / name);
        for (const char* target : {"a.obj", "a.ply", "a.off"}) {
            write_mesh(folder / target, mesh);
            EXPECT_EQ(read_triangle_mesh(folder / target), mesh) << name << " as " << target;
        }
    }
    const TriangleMesh stl = read_triangle_mesh(testing::models() / "galileo.stl");
    for (const char* target : {"a.stl", "a.glb"}) {
        write_mesh(folder / target, stl);
        EXPECT_EQ(read_triangle_mesh(folder / target), stl) << target;
    }
}

TEST(MeshFile, counts_the_elements_of_real_files) {
    FATHOM_NEEDS_MODELS();
    struct Known {
        const char* name;
        std::size_t vertices;
        std::size_t triangles;
    };
    for (const Known& known : {Known{"bunny.obj", 34835, 69666},
                               {"env.obj", 6540, 2180},
                               {"shuttle.obj", 310, 616},
                               {"rabbit.obj", 644, 1252},
                               {"motorBike.obj.gz", 132871, 331653},
                               {"horse.ply", 48485, 96966},
                               {"cloth_ball92.ply", 46598, 92230},
                               {"dragon_vrip_res3.ply", 22998, 47794},
                               {"armadillo.off", 26002, 52000},
                               {"halftunnel.off", 831, 1568},
                               {"galileo.stl", 11245, 17473},
                               {"37322.stl", 18, 32},
                               {"bad/landsat9.stl", 12643, 26930}}) {
        const MeshFile file = read_mesh(testing::models() / known.name);
        EXPECT_EQ(file.surface.vertices.size(), known.vertices) << known.name;
        EXPECT_EQ(file.surface.triangles.size(), known.triangles) << known.name;
    }
}

} // namespace mesh_file_test
} // namespace fathom
