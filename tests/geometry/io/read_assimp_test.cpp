#include <fathom/geometry/io/mesh_file.h>
#include <support/sources.h>

namespace fathom {
namespace read_assimp_test {

using testing::bytes_of;
using testing::error_of;

// A square as one polygon, moved by its node; its corners carry normals of their own, so that assimp splits nothing
// away.
constexpr std::string_view square = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="15">0 0 0 1 0 0 1 1 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#pa" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 3</vcount><p>0 1 2 3 0 4 1</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>10 0 0</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
)";

// A build without assimp says that it has none.
bool with_assimp() {
    try {
        static_cast<void>(read_mesh(bytes_of("no scene"), "a.dae"));
    } catch (const Error& error) {
        return error.cause() != Cause::unsupported ||
               std::string_view(error.what()).find("assimp") == std::string_view::npos;
    }
    return true;
}

TEST(ReadThroughAssimp, reads_collada_with_shared_vertices_and_node_transforms) {
    if (!with_assimp()) GTEST_SKIP() << "this build leaves assimp out";
    const MeshFile file = read_mesh(bytes_of(square), "a.dae");
    EXPECT_EQ(file.report.format, "dae by assimp");
    EXPECT_EQ(file.surface.vertices.size(), 5u); // assimp gives seven
    EXPECT_EQ(file.surface.triangles.size(), 3u);
    EXPECT_EQ(file.report.polygons, 1u);
    EXPECT_EQ(bounds(file.surface.vertices).lower, Vec3(10, 0, 0));
}

TEST(ReadThroughAssimp, reports_files_that_assimp_rejects) {
    if (!with_assimp()) GTEST_SKIP() << "this build leaves assimp out";
    for (const char* name : {"a.dae", "a.fbx", "a.3ds", "a.blend", "a.x", "a.lwo", "a.3mf", "a.ac", "a.ms3d"}) {
        const Error error = error_of([&] {
            static_cast<void>(read_mesh(bytes_of("certainly not a scene, but long enough to be looked at"), name));
        });
        EXPECT_EQ(error.cause(), Cause::import_failed) << name << ": " << error.what();
        EXPECT_EQ(error.place().file, name);
    }
}

TEST(ReadThroughAssimp, survives_every_cut_of_a_scene) {
    if (!with_assimp()) GTEST_SKIP() << "this build leaves assimp out";
    for (std::size_t k = 1; k < 16; ++k) {
        try {
            static_cast<void>(read_mesh(bytes_of(square.substr(0, square.size() * k / 16)), "a.dae"));
        } catch (const Error&) { // anything else fails the test
        }
    }
}

} // namespace read_assimp_test
} // namespace fathom
