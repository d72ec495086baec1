// Documents of every kind as packets: what the page will find in them.
#include <show/read_packet.h>
#include <support/small_recordings.h>
#include <support/sources.h>

#include <fathom/base/encode/base64.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/show/viewer_sources.h>

#include <limits>

namespace fathom::testing {
namespace viewer_packets_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ViewerPackets, a_recording_of_every_kind_of_body_is_sent_frame_by_frame) {
    const Recording recording = mixed_recording();
    const DocumentPackets packets(recording_document("mixed", recording));
    ASSERT_EQ(packets.packet_count(), 2u);
    const ReadPacket document(packets.packet(0)), chunk(packets.packet(1));
    EXPECT_EQ(document.json["kind"], "recording");
    ASSERT_EQ(document.json["bodies"].size(), 5u);
    EXPECT_EQ(document.json["bodies"][3]["cloud"], true);
    EXPECT_FALSE(document.json["bodies"][3].contains("triangles"));
    EXPECT_GT(document.json["bodies"][4]["triangles"]["count"], 10); // the ground has no end and is shown all the same
    EXPECT_EQ(document.doubles(document.json["frames"]["times"]).size(), 6u);
    EXPECT_EQ(document.json["frames"]["chunks"], nlohmann::json::parse(R"([{"packet":1,"first":0,"count":6}])"));

    const std::vector<float> poses = chunk.floats(chunk.json["poses"], 7);
    ASSERT_EQ(poses.size(), 6u * 5u * 7u);
    EXPECT_FLOAT_EQ(poses[5 * 5 * 7], 0.5f);                // the box in the last frame: x,
    EXPECT_FLOAT_EQ(poses[5 * 5 * 7 + 3], std::cos(0.25f)); // and w of its turn
    const auto& deformed = chunk.json["deformed"];
    EXPECT_EQ(deformed.size(), 3u);
    EXPECT_FLOAT_EQ(chunk.floats(deformed["1"]["vertices"][5], 3)[2], -0.5f);
    EXPECT_TRUE(deformed["1"]["triangles"][5].is_null());
    EXPECT_TRUE(deformed["2"]["triangles"][2].is_null());
    EXPECT_EQ(deformed["2"]["triangles"][3]["count"], 1);
    EXPECT_EQ(deformed["2"]["triangles"][3], deformed["2"]["triangles"][5]); // sent once
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(deformed["3"]["vertices"][k]["count"], k);
    for (std::size_t k = 1; k < 6; ++k) EXPECT_EQ(deformed["3"]["shades"][k]["count"], k); // by speed
    EXPECT_FALSE(deformed["1"].contains("shades"));
    EXPECT_TRUE(chunk.json["contacts"][0].is_null());
    const auto& contacts = chunk.json["contacts"][1];
    EXPECT_EQ(chunk.indices(contacts["bodies"], 2),
              (std::vector<std::uint32_t>{0, 1})); // from the box down to the sheet
    EXPECT_EQ(chunk.floats(contacts["normals"], 3), (std::vector<float>{0, 0, -1}));
    EXPECT_EQ(chunk.floats(contacts["depths"], 1), (std::vector<float>{0.25}));
}

// A ball goes along x through a fixed room (or past it), touching something in frames 2 and 3 of 6.
Recording ball_and_room(const Vec3& beside, double energy) {
    TriangleMesh room = make_box();
    for (Vec3& vertex : room.vertices) vertex *= 4;
    Recording recording;
    recording.set_bodies({{"room", std::make_shared<const TriangleMesh>(room), {}, Vec3::Zero(), true},
                          {"ball", std::make_shared<const TriangleMesh>(make_sphere())}});
    for (std::size_t k = 0; k < 6; ++k) {
        RecordedFrame* frame =
            recording.add({k, 2 + 0.1 * static_cast<double>(k), {energy, 0, 0}, 0, k == 2 || k == 3 ? 1u : 0u});
        frame->bodies.resize(2);
        frame->bodies[1].pose = Pose::from_translation(beside + Vec3(0.1 * static_cast<double>(k), 0, 0));
    }
    return recording;
}

TEST(ViewerRecording, a_static_body_that_hides_moving_bodies_is_transparent_and_the_motion_is_a_path) {
    const Recording within = ball_and_room(Vec3::Zero(), 0), above = ball_and_room({0, 0, 5}, 7);
    const ReadPacket inside(DocumentPackets(recording_document("inside", within)).packet(0)),
        outside(DocumentPackets(recording_document("outside", above)).packet(0));
    EXPECT_EQ(inside.json["bodies"][0]["glass"], true);
    EXPECT_FALSE(inside.json["bodies"][1].contains("glass"));
    EXPECT_FALSE(outside.json["bodies"][0].contains("glass"));
    const auto& path = inside.json["layers"].at(0);
    EXPECT_EQ(path["name"], "path of ball");
    EXPECT_EQ(path["visible"], true); // nothing has energy: motions were given
    EXPECT_EQ(outside.json["layers"][0]["visible"], false);
    EXPECT_FLOAT_EQ(inside.floats(path["points"], 3)[15], 0.5f);
    const std::vector<float> times = inside.floats(path["times"], 1);
    EXPECT_EQ(times.front(), 0);
    EXPECT_EQ(times.back(), 1);
    ASSERT_EQ(path["intervals"].size(), 1u);
    EXPECT_NEAR(path["intervals"][0][0].get<double>(), 0.4, 1e-9);
    EXPECT_NEAR(path["intervals"][0][1].get<double>(), 0.6, 1e-9);
    EXPECT_EQ(path["intervals"][0][2], 0); // frames prove nothing of what is between them
}

TEST(ViewerRecording, of_several_bodies_that_move_none_is_said_to_collide_nowhere) {
    const Recording recording = mixed_recording();
    const ReadPacket one(DocumentPackets(recording_document("mixed", recording)).packet(0));
    ASSERT_EQ(one.json["layers"].size(), 1u); // the box; sheets and clouds do not move as a whole
    EXPECT_TRUE(one.json["layers"][0].contains("intervals"));
    Recording two = ball_and_room(Vec3::Zero(), 0);
    auto bodies = std::vector<RecordedBody>(two.bodies().begin(), two.bodies().end());
    bodies[0].fixed = false;
    Recording both;
    both.set_bodies(bodies);
    for (const RecordedFrame& frame : two.frames()) {
        RecordedFrame* copy = both.add({frame.step, frame.time, frame.energy, frame.deepest, frame.contact_count});
        copy->bodies = frame.bodies;
        copy->bodies[0].pose = Pose::from_translation({0, 0, frame.time});
    }
    const ReadPacket packet(DocumentPackets(recording_document("both", both)).packet(0));
    ASSERT_EQ(packet.json["layers"].size(), 2u);
    for (const auto& layer : packet.json["layers"])
        EXPECT_FALSE(layer.contains("intervals")); // which of them touches is not known
}

TEST(ViewerPackets, every_curve_has_one_value_per_frame_and_empty_curves_are_omitted) {
    const Recording recording = mixed_recording();
    const ReadPacket document(DocumentPackets(recording_document("mixed", recording)).packet(0));
    std::vector<std::string> names;
    for (const auto& series : document.json["series"]) {
        EXPECT_EQ(document.doubles(series["values"]).size(), 6u);
        names.push_back(series["name"]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"sum", "motion", "height", "contacts", "deepest point", "detection",
                                               "response"})); // no springs
}

TEST(ViewerPackets, chunks_are_bounded_and_contain_every_frame_once) {
    const Recording recording = mixed_recording(40);
    const DocumentPackets packets(recording_document("mixed", recording), {.chunk_bytes = 2000});
    ASSERT_GT(packets.packet_count(), 5u);
    std::size_t next = 0;
    for (std::size_t k = 1; k < packets.packet_count(); ++k) {
        const std::string bytes = packets.packet(k);
        const ReadPacket chunk(bytes);
        EXPECT_EQ(chunk.json["first"], next);
        EXPECT_LE(chunk.binary.size(), 2200u);
        next += chunk.json["count"].get<std::size_t>();
        EXPECT_EQ(chunk.json["contacts"].size(), chunk.json["count"]);
        check_packet(bytes, "chunk");
    }
    EXPECT_EQ(next, 40u);
    EXPECT_EQ(error_of([&] { static_cast<void>(packets.packet(packets.packet_count())); }).cause(),
              Cause::index_out_of_range);
}

TEST(ViewerPackets, the_same_document_gives_the_same_bytes) {
    const Recording one = mixed_recording(), two = mixed_recording();
    const DocumentPackets a(recording_document("mixed", one)), b(recording_document("mixed", two));
    for (std::size_t k = 0; k < a.packet_count(); ++k) EXPECT_EQ(a.packet(k), b.packet(k));
}

TEST(ViewerPackets, numbers_that_are_none_and_names_that_are_no_text_never_break_the_packet) {
    ViewerDocument document{.title = "bad \xff\xfe \"<script>", .kind = ViewerKind::mesh};
    ViewerBody body{
        .name = std::string("\xc3\x28", 2),
        .vertices = {Vec3f(0, 0, 0), Vec3f::Constant(std::numeric_limits<float>::quiet_NaN()), Vec3f(1, 1, 1)},
        .triangles = {{0, 1, 2}}};
    body.pose.translation = Vec3(nan, 0, 0);
    body.info = {{"volume", nan}};
    document.bodies.push_back(body);
    document.bounds = {Vec3(nan, 0, 0), Vec3(1, std::numeric_limits<double>::infinity(), 1)};
    document.layers.push_back({.name = "path", .content = PathLayer{{Vec3(nan, nan, nan)}, {nan}, {{nan, 1, true}}}});
    document.layers.push_back({.name = "boxes", .content = BoxesLayer{{Box{}}, {0}}});
    const std::string bytes = DocumentPackets(document).packet(0);
    check_packet(bytes, "hostile");
    const ReadPacket packet(bytes);
    for (const float value : packet.floats(packet.json["bodies"][0]["vertices"], 3)) EXPECT_TRUE(std::isfinite(value));
    for (const auto& number : packet.json["bodies"][0]["pose"]) EXPECT_TRUE(number.is_number());
    for (const auto& number : packet.json["bounds"]) EXPECT_TRUE(number.is_number());
    EXPECT_EQ(packet.json["bodies"][0]["info"]["volume"], "not a number");
}

TEST(ViewerPackets, a_run_that_blew_up_is_shown_and_said_so) {
    Recording recording = mixed_recording();
    RecordedFrame* frame = recording.add({6, 0.6});
    frame->bodies.resize(5);
    frame->bodies[0].pose.translation = Vec3(nan, 0, 0);
    frame->bodies[1].vertices.assign(4, Vec3f::Constant(std::numeric_limits<float>::infinity()));
    const DocumentPackets packets(recording_document("mixed", recording));
    const ReadPacket document(packets.packet(0)), chunk(packets.packet(1));
    EXPECT_NE(document.json["subtitle"].get<std::string>().find("1 frames contain values that are not finite"),
              std::string::npos);
    for (const float value : chunk.floats(chunk.json["poses"], 7)) EXPECT_TRUE(std::isfinite(value));
    for (const float value : chunk.floats(chunk.json["deformed"]["1"]["vertices"][6], 3))
        EXPECT_TRUE(std::isfinite(value));
}

TEST(ViewerSources, a_mesh_includes_its_report_and_tetrahedra_their_boundary) {
    const ReadPacket mesh(DocumentPackets(mesh_document("box", make_box())).packet(0));
    EXPECT_EQ(mesh.json["bodies"][0]["info"]["closed"], "yes");
    EXPECT_EQ(mesh.json["bounds"].size(), 6u);
    EXPECT_FALSE(mesh.json.contains("frames"));
    const TetMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
    const ReadPacket tets(DocumentPackets(tet_document("one", one)).packet(0));
    EXPECT_EQ(tets.json["kind"], "tetrahedra");
    EXPECT_EQ(tets.indices(tets.json["bodies"][0]["tetrahedra"], 4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(tets.json["bodies"][0]["triangles"]["count"], 4);
    EXPECT_EQ(error_of([] {
                  static_cast<void>(mesh_document("bad", {{Vec3(nan, 0, 0)}, {{0, 0, 0}}}));
              }).cause(),
              Cause::non_finite);
}

TEST(ViewerSources, the_distances_of_a_field_are_sampled_to_the_corners_of_the_box) {
    const AnalyticField ball(shapes::sphere(0.5));
    const Box box{{-1, -1, -1}, {1, 0, 1}};
    const ViewerLayer layer = distances_layer(ball, box, 9);
    const auto& volume = std::get<VolumeLayer>(layer.content);
    EXPECT_EQ(volume.size, (std::array<std::size_t, 3>{9, 5, 9}));
    ASSERT_EQ(volume.values.size(), 9u * 5u * 9u);
    EXPECT_FLOAT_EQ(volume.values.front(), static_cast<float>(std::sqrt(3.0) - 0.5));
    EXPECT_FLOAT_EQ(volume.values.back(), static_cast<float>(std::sqrt(2.0) - 0.5)); // (1, 0, 1)
    EXPECT_FLOAT_EQ(volume.values[4], static_cast<float>(std::sqrt(2.0) - 0.5));     // (0, -1, -1): x runs fastest
    EXPECT_EQ(error_of([&] { static_cast<void>(distances_layer(ball, Box{}, 9)); }).cause(), Cause::invalid_argument);
}

TEST(ViewerSources, cells_of_a_solid_are_nested_and_the_spheres_of_every_level_contain_its_inside) {
    const auto field = std::make_shared<AnalyticField>(shapes::torus(0.5, 0.2));
    const FieldSphereTree solid(field);
    const ViewerLayer cells = cells_layer(solid, 3000), balls = spheres_layer(solid, 3000);
    const auto& boxes = std::get<BoxesLayer>(cells.content);
    const auto& spheres = std::get<SpheresLayer>(balls.content);
    ASSERT_EQ(boxes.boxes.size(), spheres.spheres.size());
    EXPECT_LE(boxes.boxes.size(), 3000u);
    const std::uint8_t deepest = boxes.levels.back();
    ASSERT_GE(deepest, 2);
    for (std::uint8_t level = 0; level <= deepest; ++level) {
        bool in_a_box = false, in_a_ball = false;
        for (std::size_t k = 0; k < boxes.boxes.size(); ++k) {
            if (boxes.levels[k] != level) continue;
            in_a_box |= boxes.boxes[k].contains(Vec3(0.5, 0.01, 0.02));
            in_a_ball |= spheres.spheres[k].contains(Vec3(0.5, 0.01, 0.02));
        }
        EXPECT_TRUE(in_a_box && in_a_ball) << int{level};
    }
}

TEST(ViewerSources, a_field_without_end_is_shown_in_a_cube_without_a_tree) {
    const ReadPacket plane(
        DocumentPackets(field_document("plane", std::make_shared<AnalyticField>(shapes::plane({0, 0, 1}, 0))))
            .packet(0));
    EXPECT_EQ(plane.json["layers"].size(), 1u);
    EXPECT_GT(plane.json["bodies"][0]["triangles"]["count"], 100);
    const ReadPacket ball(
        DocumentPackets(field_document("ball", std::make_shared<AnalyticField>(shapes::sphere(0.5)))).packet(0));
    EXPECT_EQ(ball.json["layers"].size(), 3u);
}

TEST(ViewerSources, a_sphere_tree_is_cut_at_a_whole_level) {
    std::vector<Vec3> points;
    for (int k = 0; k < 3000; ++k) points.emplace_back(std::sin(k), std::cos(1.7 * k), 0.001 * k);
    const SphereTree tree(points);
    const auto layer = spheres_layer(tree, 100);
    const auto& spheres = std::get<SpheresLayer>(layer.content);
    std::size_t whole = 0;
    for (int level = 0; level <= spheres.levels.back(); ++level)
        whole += tree.level(static_cast<std::size_t>(level)).size();
    EXPECT_EQ(spheres.spheres.size(), whole);
    EXPECT_LE(whole, 100u);
    EXPECT_GT(whole, 1u);
}

TEST(ViewerSources, pixels_of_a_depth_map_without_a_surface_are_no_number) {
    DepthMap map{.view = {.size = {2, 1, 4}, .width = 2, .height = 1},
                 .keep = Keep::nearest,
                 .depth = {0.25f, 1.0f},
                 .ids = {},
                 .normals = {}};
    const ReadPacket packet(
        DocumentPackets({.title = "map", .kind = ViewerKind::depth, .layers = {depth_layer("map", map)}}).packet(0));
    const auto& layer = packet.json["layers"][0];
    const std::vector<float> depths = packet.floats(layer["depths"], 1);
    EXPECT_EQ(depths[0], 0.25f);
    EXPECT_TRUE(std::isnan(depths[1]));
    EXPECT_EQ(layer["extent"], nlohmann::json({-1.0, -0.5, 0.0, 1.0, 0.5, 4.0}));
    EXPECT_EQ(packet.json["bounds"],
              nlohmann::json({-1.0, -0.5, 0.0, 1.0, 0.5, 4.0})); // of the layers, as there are no bodies
}

TEST(ViewerSweep, the_first_contact_is_in_the_frame_of_its_time_and_the_path_ends_where_the_body_does) {
    SweptView view{.a = viewer_body("a", make_box()), .b = viewer_body("b", make_box())};
    view.motion_a = {Pose::from_translation({0, 0, 5}), Pose::from_translation({0, 0, -5})};
    view.intervals = {{0.4, 0.6, true}};
    view.first_time = 0.4037;
    view.first = {.a = 0, .b = 1, .position = {0, 0, 0.5}, .normal = {0, 0, -1}};
    const DocumentPackets packets(sweep_document("sweep", view));
    const ReadPacket document(packets.packet(0)), chunk(packets.packet(1));
    const std::vector<double> times = document.doubles(document.json["frames"]["times"]);
    ASSERT_EQ(times.size(), 122u);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    for (std::size_t k = 0; k < times.size(); ++k)
        EXPECT_EQ(chunk.json["contacts"][k].is_null(), times[k] != 0.4037) << k;
    const auto& path = document.json["layers"][0];
    EXPECT_EQ(path["intervals"], nlohmann::json::parse("[[0.4,0.6,1]]"));
    EXPECT_FLOAT_EQ(document.floats(path["points"], 3).back(), -5);
    EXPECT_EQ(document.json["bounds"][2], -5.5);
}

TEST(Base64Text, decodes_what_it_encoded) {
    for (std::size_t size : {0u, 1u, 2u, 3u, 4u, 255u, 100000u}) {
        std::string bytes;
        for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(k * k % 251);
        const auto back = from_base64(as_base64(bytes));
        ASSERT_TRUE(back.has_value());
        EXPECT_TRUE(std::equal(back->begin(), back->end(), bytes_of(bytes).begin(), bytes_of(bytes).end())) << size;
        EXPECT_EQ(as_base64(bytes).size() % 4, 0u);
        const std::string packed = as_gzip(bytes);
        ASSERT_TRUE(is_gzip(bytes_of(packed)));
        const Bytes plain = unpacked_gzip(source_of(packed));
        EXPECT_TRUE(
            std::equal(plain.span().begin(), plain.span().end(), bytes_of(bytes).begin(), bytes_of(bytes).end()))
            << size;
    }
}

} // namespace viewer_packets_test
} // namespace fathom::testing
