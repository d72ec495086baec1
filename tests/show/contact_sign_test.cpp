// The normal of a contact points from body a to body b in every world, in World::update(), in tables and in the viewer.
#include <show/read_packet.h>
#include <support/scratch_folder.h>

#include <fathom/base/file.h>
#include <fathom/detect/world/world.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/record/recording_files.h>
#include <fathom/simulate/scene/scene.h>
#include <fathom/simulate/scene/simulation.h>

#include <fmt/format.h>

#include <sstream>

namespace fathom::testing {
namespace contact_sign_test {

struct Row {
    std::size_t frame;
    Index a, b;
    Vec3 position, normal;
};

// Centre of a body in a frame; that of a half-space is far below, and that of particles is the contact.
Vec3 center_of(const Recording& recording, const Row& row, Index body) {
    const RecordedBody& recorded = recording.bodies()[body];
    const RecordedFrame& frame = recording.frames()[row.frame];
    if (recorded.cloud) return row.position;
    if (recorded.mesh->vertices.empty()) return {0, 0, -1e3};
    Vec3 sum = Vec3::Zero();
    const std::size_t count = frame.vertex_count(body, *recorded.mesh);
    for (std::size_t v = 0; v < count; ++v) sum += frame.vertex(body, *recorded.mesh, v);
    return sum / static_cast<double>(count);
}

bool points_from_a_to_b(const Vec3& normal, const Vec3& center_a, const Vec3& center_b) {
    return normal.dot((center_b - center_a).normalized()) > 0.1;
}

std::string body(const char* kind, const char* name, double height) {
    const std::string_view k = kind;
    const char* shape = k == "solid"      ? "shape = \"tet_ball\"\nparameters = { resolution = 3 }\nstretch = 1e4"
                        : k == "membrane" ? "shape = \"cloth\"\nparameters = { resolution = 8 }\nfixed = true"
                                          : "shape = \"sphere\"\nparameters = { resolution = 8 }";
    return fmt::format("[[body]]\nname = \"{}\"\nkind = \"{}\"\n{}\nsize = {}\nposition = [0.01, 0.02, {}]\n{}", name,
                       kind, shape, k == "membrane" ? 0.8 : 0.4, height, k == "rigid" ? "resolution = 24\n" : "");
}

// Two bodies that overlap by seven centimetres, the first below the second.
std::string one_above_the_other(const char* below, const char* above, bool swapped) {
    const std::string_view kinds[] = {below, above};
    const auto has = [&](std::string_view kind) { return kinds[0] == kind || kinds[1] == kind; };
    std::string text = "step = 1e-4\nduration = 1e-3\ngravity = [0, 0, 0]\n";
    if (has("rigid")) text += "[contact]\nstiffness = 100.0\n";
    if (has("surface")) text += "[springs]\nunstable = \"divide\"\n[springs.contact]\nstiffness = 100.0\n";
    if (has("solid") || has("membrane"))
        text += "[solids]\nunstable = \"divide\"\n[solids.contact]\nstiffness = 100.0\n";
    if (kinds[0] != kinds[1] && !has("membrane")) text += "[coupling]\nstiffness = 100.0\n";
    // A sheet has no thickness.
    const double gap = has("membrane") ? 0.14 : 0.33;
    const std::string low = body(below, "low", 0), high = body(above, "high", gap);
    return text + (swapped ? high + low : low + high);
}

// The contacts of contacts.csv.
std::vector<Row> table_of(const Recording& recording) {
    const ScratchFolder folder;
    write_contacts_csv(folder / "contacts.csv", recording);
    const Bytes bytes = read_whole_file(folder / "contacts.csv");
    std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.span().data()), bytes.size()));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "step,time,a,b,feature_a,feature_b,x,y,z,nx,ny,nz,depth,status");
    std::vector<Row> rows;
    while (std::getline(text, line)) {
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        if (cells.at(9).empty()) continue; // a pair without contacts
        rows.push_back({std::stoul(cells.at(0)) / recording.every(),
                        static_cast<Index>(std::stoul(cells.at(2))),
                        static_cast<Index>(std::stoul(cells.at(3))),
                        {std::stod(cells.at(6)), std::stod(cells.at(7)), std::stod(cells.at(8))},
                        {std::stod(cells.at(9)), std::stod(cells.at(10)), std::stod(cells.at(11))}});
    }
    return rows;
}

// The contacts of the frames that the viewer receives.
std::vector<Row> shown(const Recording& recording) {
    const DocumentPackets packets(recording_document("signs", recording));
    std::vector<Row> rows;
    for (std::size_t p = 1; p < packets.packet_count(); ++p) {
        const ReadPacket chunk(packets.packet(p));
        for (std::size_t k = 0; k < chunk.json["contacts"].size(); ++k) {
            const auto& contacts = chunk.json["contacts"][k];
            if (contacts.is_null()) continue;
            const auto bodies = chunk.indices(contacts["bodies"], 2);
            const auto positions = chunk.floats(contacts["positions"], 3),
                       normals = chunk.floats(contacts["normals"], 3);
            for (std::size_t c = 0; 2 * c < bodies.size(); ++c)
                rows.push_back({chunk.json["first"].get<std::size_t>() + k, bodies[2 * c], bodies[2 * c + 1],
                                Vec3(positions[3 * c], positions[3 * c + 1], positions[3 * c + 2]),
                                Vec3(normals[3 * c], normals[3 * c + 1], normals[3 * c + 2])});
        }
    }
    return rows;
}

void expect_signs(const Recording& recording, const std::string& about) {
    std::vector<Row> recorded;
    for (const RecordedFrame& frame : recording.frames())
        for (const BodyContact& c : frame.contacts)
            recorded.push_back({frame.step / recording.every(), c.a, c.b, c.position, c.normal});
    const auto tabled = table_of(recording), seen = shown(recording);
    EXPECT_FALSE(recorded.empty()) << about;
    EXPECT_EQ(recorded.size(), tabled.size()) << about;
    EXPECT_EQ(recorded.size(), seen.size()) << about;
    for (const std::vector<Row>& rows : {recorded, tabled, seen}) {
        std::size_t wrong = 0;
        for (const Row& row : rows)
            if (!points_from_a_to_b(row.normal, center_of(recording, row, row.a), center_of(recording, row, row.b)))
                ++wrong;
        EXPECT_EQ(wrong, 0u) << about << ", of " << rows.size();
    }
}

TEST(ContactSign, is_from_a_to_b_in_every_world_and_in_its_files) {
    for (const auto& [below, above] : std::vector<std::pair<const char*, const char*>>{{"rigid", "rigid"},
                                                                                       {"surface", "surface"},
                                                                                       {"solid", "solid"},
                                                                                       {"membrane", "solid"},
                                                                                       {"rigid", "solid"},
                                                                                       {"solid", "rigid"},
                                                                                       {"rigid", "surface"},
                                                                                       {"surface", "rigid"},
                                                                                       {"solid", "surface"},
                                                                                       {"surface", "solid"}})
        for (const bool swapped : {false, true}) {
            const std::string about = fmt::format("{} below {}, {}", below, above, swapped ? "swapped" : "in order");
            Simulation simulation(parse_scene(one_above_the_other(below, above, swapped), "signs.toml"));
            simulation.run();
            expect_signs(simulation.recording(), about);
        }
}

TEST(ContactSign, is_from_a_to_the_ground_in_every_world) {
    for (const char* kind : {"rigid", "surface", "solid"}) {
        std::string text = "ground = -0.17\n" + one_above_the_other(kind, kind, false);
        text.resize(text.rfind("[[body]]"));
        Simulation simulation(parse_scene(text, "signs.toml"));
        simulation.run();
        expect_signs(simulation.recording(), kind);
    }
}

TEST(ContactSign, is_from_particles_to_obstacles) {
    const std::string text = "step = 0.01\nduration = 0.5\n[particles]\npixels = 64\n[[emitter]]\n"
                             "position = [0.01, 0.02, 0.5]\ndirection = [0, 0, -1]\nspeed = 2.0\nrate = 1000.0\n"
                             "[[body]]\nname = \"ball\"\nkind = \"obstacle\"\nshape = \"sphere\"\nsize = 0.4\n";
    Simulation simulation(parse_scene(text, "signs.toml"));
    simulation.run();
    expect_signs(simulation.recording(), "particles");
}

TEST(ContactSign, is_from_a_to_b_in_scripted_worlds_with_every_method) {
    for (const char* method : {"field_field", "dual_gradient", "mesh_field", "mesh_mesh", "depth_maps", "point_field"})
        for (const bool swapped : {false, true}) {
            const std::string low = "[[body]]\nname = \"low\"\nkind = \"moved\"\nshape = \"sphere\"\n"
                                    "size = 0.4\nresolution = 24\npath = [[0, 0, 0, 0], [0.01, 0.01, 0, 0]]\n",
                              high = "[[body]]\nname = \"high\"\nkind = \"moved\"\nshape = \"sphere\"\n"
                                     "size = 0.4\nresolution = 24\nposition = [0.19, 0.19, 0.19]\n";
            const std::string text = fmt::format("step = 0.005\nduration = 0.01\n[motion]\nmethod = \"{}\"\n{}", method,
                                                 swapped ? high + low : low + high);
            Simulation simulation(parse_scene(text, "signs.toml"));
            simulation.run();
            expect_signs(simulation.recording(), fmt::format("{} {}", method, swapped));
        }
}

TEST(ContactSign, is_from_a_to_b_in_world_updates) {
    const TriangleMesh ball = make_sphere({.radius = 0.2});
    const std::vector<Shape> shapes_of_a_ball = {Shape(ball),
                                                 Shape(std::make_shared<AnalyticField>(shapes::sphere(0.2)))};
    std::size_t contacts = 0;
    for (const Shape& low : shapes_of_a_ball)
        for (const Shape& high : shapes_of_a_ball)
            for (const bool swapped : {false, true}) {
                World world({.query = {.goal = CollideGoal::contacts}});
                const Vec3 at[] = {Vec3::Zero(), {0.01, 0.02, 0.37}};
                if (swapped) world.add(high, Pose::from_translation(at[1]));
                world.add(low, Pose::from_translation(at[0]));
                if (!swapped) world.add(high, Pose::from_translation(at[1]));
                for (const WorldPair& pair : world.update().pairs)
                    for (const Contact& c : pair.collision.contacts) {
                        ++contacts;
                        EXPECT_TRUE(points_from_a_to_b(c.normal, world.pose(pair.a).translation,
                                                       world.pose(pair.b).translation));
                    }
            }
    EXPECT_GE(contacts, 8u);
}

} // namespace contact_sign_test
} // namespace fathom::testing
