#include <tool/program.h>
#include <tool/running_server.h>

#include <fathom/show/viewer_file.h>

#include <nlohmann/json.hpp>

namespace fathom::testing {
namespace view_test {

constexpr const char* fall = "name = \"fall\"\nstep = 0.002\nduration = 0.1\nground = 0.0\n[[body]]\nname = "
                             "\"ball\"\nshape = \"sphere\"\nsize = 0.2\nresolution = 24\nposition = [0, 0, 0.12]\n";

nlohmann::json document_in(const std::string& file) {
    const std::string packet = ViewerFile(file).packet(0);
    std::uint32_t length = 0;
    std::memcpy(&length, packet.data() + 8, 4);
    return nlohmann::json::parse(packet.substr(12, length));
}

TEST(ViewCommand, the_source_determines_the_kind_of_view) {
    const Folder folder;
    const std::string out = folder.file("shown.fathomview");
    const auto kind_of = [&](const std::string& source) {
        const Outcome outcome = run("view " + quoted(source) + " -o " + quoted(out));
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return document_in(out)["kind"].get<std::string>();
    };
    EXPECT_EQ(kind_of(folder.written("fall.toml", fall)), "recording");
    EXPECT_EQ(kind_of(folder.written("mesh.obj", tetrahedron_obj)), "mesh");
    EXPECT_EQ(kind_of(folder.written("tets.msh", one_tetrahedron_msh)), "tetrahedra");
    EXPECT_EQ(kind_of("torus(0.5, 0.2)"), "field");
    EXPECT_EQ(kind_of("torus"), "mesh");
    EXPECT_EQ(kind_of("tet_ball"), "tetrahedra");
}

TEST(ViewCommand, shows_a_stored_recording) {
    const Folder folder;
    std::filesystem::create_directory(folder.file("run"));
    const std::string scene = folder.written("fall.toml", fall), kept = folder.file("run") + "/" + recording_file_name;
    ASSERT_EQ(run("view " + quoted(scene) + " --seconds 0.05 -o " + quoted(kept)).exit_code, 0);
    const auto document = document_in(kept);
    EXPECT_EQ(document["title"], "fall");
    EXPECT_EQ(document["frames"]["count"], 26);
    const std::string copy = folder.file("copy.fathomview");
    ASSERT_EQ(run("view " + quoted(folder.file("run")) + " -o " + quoted(copy)).exit_code, 0);
    EXPECT_EQ(content_of(kept), content_of(copy));
    const Outcome none =
        run("view " + quoted(std::filesystem::path(scene).parent_path().string()) + " -o " + quoted(copy));
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_NE(none.err.find(recording_file_name), std::string::npos) << none.err;
}

TEST(ViewCommand, writes_one_page_or_reports_that_the_viewer_is_missing) {
    const Folder folder;
    const Outcome outcome = run("view torus --html " + quoted(folder.file("torus.html")));
    if (!has_viewer_page()) {
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_NE(outcome.err.find("built without the viewer"), std::string::npos) << outcome.err;
        return;
    }
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(content_of(folder.file("torus.html")).find("data-packet=\"0\""), std::string::npos);
}

TEST(ViewCommand, rejects_invalid_input) {
    const Folder folder;
    EXPECT_EQ(run("view torus sphere -o " + quoted(folder.file("x"))).exit_code, 2);
    EXPECT_EQ(run("view --live torus -o " + quoted(folder.file("x"))).exit_code, 2);
    EXPECT_EQ(run("view no_such_thing -o " + quoted(folder.file("x"))).exit_code, 1);
    EXPECT_EQ(run("view " + quoted(folder.written("bad.fathomview", "FTHMVIEW and nothing more")) + " -o " +
                  quoted(folder.file("x")))
                  .exit_code,
              1);
}

TEST(ViewServer, serves_the_page_and_its_packets_and_exits_cleanly) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "torus"});
    ASSERT_EQ(server.address().rfind("http://127.0.0.1:", 0), 0u) << server.address();
    const std::string page = server.get("/");
    EXPECT_EQ(status_of(page), 200);
    EXPECT_EQ(body_of(page), viewer_page());
    const std::string packet = server.get("/packets/0");
    EXPECT_EQ(status_of(packet), 200);
    check_packet(body_of(packet), "served");
    EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST(ViewServer, rejects_all_other_requests) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "torus"});
    for (const char* path : {"/packets/1", "/packets/999999999", "/packets/-1", "/packets/99999999999999999999",
                             "/packets/", "/live", "/etc/passwd", "/../../etc/passwd", "/index.html"})
        EXPECT_EQ(status_of(server.get(path)), 404) << path;
    EXPECT_EQ(status_of(server.request("POST /", server.own_host(), {}, "x")), 404);
    EXPECT_GE(status_of(server.request("POST /live", server.own_host(), {}, std::string(100'000, 'x'))), 400);
    EXPECT_GE(status_of(server.request("DELETE /packets/0", server.own_host())), 400);
    EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST(ViewServer, requests_from_other_hosts_and_origins_are_rejected) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "--live", "torus", "sphere"});
    const std::string port = std::to_string(server.port());
    for (const std::string& host : {"localhost:" + port, "127.0.0.1:" + port, std::string("localhost")})
        EXPECT_EQ(status_of(server.request("GET /", host)), 200) << host;
    for (const std::string& host :
         {"evil.example:" + port, std::string("evil.example"), std::string("127.0.0.1.evil.example"),
          std::string("localhost.evil.example:80"), std::string("")})
        EXPECT_EQ(status_of(server.request("GET /packets/0", host)), 403) << host;
    const std::string move = R"({"body":0,"pose":[0,0,0,1,0,0,0]})";
    EXPECT_EQ(status_of(server.request("POST /live", server.own_host(), "Origin: http://evil.example\r\n", move)), 403);
    EXPECT_EQ(status_of(server.request("POST /live", server.own_host(), "Origin: http://" + server.own_host() + "\r\n",
                                       move)),
              200);
    EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST(ViewServer, live_contacts_follow_the_dragged_body) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "--live", "sphere(0.5)", "box(1, 1, 1)", "--pose", "0,0,5", "--pose", "0,0,0"});
    const auto apart = nlohmann::json::parse(body_of(server.get("/live")));
    ASSERT_EQ(apart["pairs"].size(), 1u);
    EXPECT_EQ(apart["pairs"][0]["status"], "disjoint");
    EXPECT_EQ(apart["pairs"][0]["proven"], true);
    EXPECT_NEAR(apart["pairs"][0]["distance"]["upper_bound"].get<double>(), 4, 0.01);
    EXPECT_TRUE(apart["contacts"]["depths"].empty());
    const auto touching = nlohmann::json::parse(
        body_of(server.request("POST /live", server.own_host(), {}, R"({"body":0,"pose":[0,0,0.9,1,0,0,0]})")));
    EXPECT_EQ(touching["pairs"][0]["status"], "overlapping");
    EXPECT_NEAR(touching["pairs"][0]["local_depth"].get<double>(), 0.1, 1e-3);
    ASSERT_FALSE(touching["contacts"]["depths"].empty());
    EXPECT_NEAR(touching["contacts"]["depths"][0].get<double>(), 0.1, 1e-3);
    EXPECT_NEAR(touching["contacts"]["normals"][0][2].get<double>(), -1, 1e-3); // from the sphere down into the box
    EXPECT_EQ(touching["poses"][0][2], 0.9);
    EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST(ViewServer, keeps_serving_after_a_body_is_moved_beyond_the_range_of_double) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "--live", "torus(0.5, 0.2)", "box(1, 1, 1)", "-r", "16"});
    EXPECT_EQ(
        status_of(server.request("POST /live", server.own_host(), {}, R"({"body":0,"pose":[1e308,0,-1e308,1,0,0,0]})")),
        200);
    EXPECT_EQ(status_of(server.get("/live")), 200);
    EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST(ViewServer, invalid_moves_are_rejected_and_change_nothing) {
    FATHOM_NEEDS_VIEWER();
    RunningServer server({"view", "--live", "sphere(0.5)", "box(1, 1, 1)"});
    const std::string before = nlohmann::json::parse(body_of(server.get("/live")))["poses"].dump();
    for (const char* body :
         {"", "{", "[]", R"({"body":0})", R"({"body":-1,"pose":[0,0,0,1,0,0,0]})",
          R"({"body":0,"pose":[0,0,0,0,0,0,0]})", R"({"body":0,"pose":[0,0,0,1,0,0]})",
          R"({"body":0,"pose":[1e999,0,0,1,0,0,0]})", R"({"body":0,"pose":["x",0,0,1,0,0,0]})",
          R"({"body":2,"pose":[0,0,0,1,0,0,0]})", R"({"body":99999999999,"pose":[0,0,0,1,0,0,0]})"}) {
        const int status = status_of(server.request("POST /live", server.own_host(), {}, body));
        EXPECT_TRUE(status == 400 || status == 404) << body << " " << status;
    }
    EXPECT_EQ(nlohmann::json::parse(body_of(server.get("/live")))["poses"].dump(), before);
    EXPECT_EQ(server.stop(SIGINT), 0);
}

} // namespace view_test
} // namespace fathom::testing
