// Demo of depth maps: a ship flies through a tunnel.
#include <tool/demo.h>
#include <tool/depth_pictures.h>
#include <tool/output.h>

#include <fathom/base/progress.h>
#include <fathom/detect/depth/depth_backend.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/show/viewer_sources.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace fathom::tool {

namespace {

// A flight through a tunnel, as in the scene flight_tunnel.
struct Flight {
    TriangleMesh ship = make_spaceship({.triangles = 9'716, .length = 2.3});
    TriangleMesh tunnel =
        make_tunnel({.length = 40, .radius = 2, .wall = 0.2, .obstacles = 20, .segments = 60, .seed = 4});
    std::size_t frames = 800;

    [[nodiscard]] static Vec3 place(double share) {
        const double turn = 2 * std::numbers::pi * share;
        return {-18 + 36 * share, 0.7 * std::sin(3 * turn + 1), 0.6 * std::sin(5 * turn + 2)};
    }
    // The nose points along the direction of flight.
    [[nodiscard]] Pose pose(std::size_t frame) const {
        const double share = static_cast<double>(frame) / static_cast<double>(frames - 1);
        const Vec3 forward = (place(share + 1e-4) - place(share - 1e-4)).normalized();
        const Quat rolled(Eigen::AngleAxisd(0.6 * std::sin(4 * std::numbers::pi * share), Vec3::UnitX()));
        const Quat ahead(Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), forward));
        return {Quat(ahead * rolled).normalized(), place(share)};
    }
};

// The part of the tunnel below the ship and near it. The rest would hide the ship.
TriangleMesh floor_below(const TriangleMesh& tunnel, const Box& ship) {
    TriangleMesh part = tunnel;
    std::erase_if(part.triangles, [&](const Triangle& t) {
        const Vec3 middle = (tunnel.vertices[t[0]] + tunnel.vertices[t[1]] + tunnel.vertices[t[2]]) / 3;
        return middle.z() > ship.center().z() || (middle - ship.center()).norm() > 1.5 * ship.diagonal();
    });
    return part;
}

// Viewer page with the ship, the floor of the tunnel, and the depth maps of both.
ViewerDocument ship_document(const DepthObject& ship, std::size_t projection, const Flight& flight, const Pose& pose) {
    ViewerDocument document{
        .title = "ship in a tunnel", .subtitle = "depth maps of the ship and the tunnel", .kind = ViewerKind::depth};
    for (const Vec3& v : flight.ship.vertices) document.bounds.extend(pose * v);
    document.bodies = {viewer_body("ship", flight.ship, pose),
                       viewer_body("floor of the tunnel", floor_below(flight.tunnel, document.bounds))};
    document.bodies.back().fixed = true;
    const std::vector<DrawnBody> tunnel = {{std::make_shared<DrawnMesh>(flight.tunnel), {}, 0}};
    document.layers = depth_layers(ship, projection, pose, tunnel);
    document.layers[0].name = "far side of the ship";
    document.layers[1].name = "tunnel in the same box";
    for (ViewerLayer& layer : document.layers) layer.body = 0; // the maps are defined in the frame of the ship
    return document;
}

} // namespace

// Renders a ship and a tunnel into depth maps and compares them pixel by pixel.
void show_depth_maps(Demo& demo) {
    constexpr std::size_t shown_frame = 200, every = 4;
    const Flight flight;
    const auto backend = make_depth_backend();
    const DirectionReport report = choose_directions(*backend, flight.ship, {.max_directions = 2});
    DepthObject ship(*backend, flight.ship, report.projections(), {.pixels = 512});
    const std::vector<DrawnBody> tunnel = {{std::make_shared<DrawnMesh>(flight.tunnel), {}, 0}};
    std::size_t collided = 0, tested = 0;
    const Stopwatch start;
    for (std::size_t frame = 0; frame < flight.frames; frame += every, ++tested)
        collided +=
            collide(ship, flight.pose(frame), tunnel, {.goal = DepthGoal::status}).status == Status::overlapping;
    const double each = start.seconds() / static_cast<double>(tested);

    const Pose pose = flight.pose(shown_frame);
    const DepthCollision found = collide(ship, pose, tunnel);
    const DepthBodyHit hit = found.bodies.empty() ? DepthBodyHit{} : found.bodies.front();
    const DepthPictures maps = depth_pictures(ship, hit.projection, pose, tunnel);
    ReportSection section{.title = "Depth maps",
                          .text = "A ship flies through a tunnel. Both are rendered into depth maps, on the GPU or the "
                                  "CPU, along directions chosen for the ship. They collide where the tunnel lies "
                                  "between the first and the last surface of the ship. The cost is that of rendering, "
                                  "independent of the representation of the tunnel. (After Fabrizio.)"};
    section.figures = {{"ship triangles", with_commas(flight.ship.triangles.size())},
                       {"tunnel triangles", with_commas(flight.tunnel.triangles.size())},
                       {"colliding frames", fmt::format("{} of {}", collided, tested)},
                       {"time per frame", fmt::format("{:.2f} ms", 1e3 * each)},
                       {"rendered by", fmt::format("{}", backend->name())},
                       {"depth in the frame shown", fmt::format("{:.3f} m", hit.depth)}};
    section.pictures.push_back(demo.picture(
        "depth.png", tiled(std::vector<Image>{maps.object, maps.environment, maps.hits, maps.normals}, 4, 8),
        "Heights of the ship, heights of the tunnel, hits (red), and the normals of the tunnel at the hits."));
    demo.add_view(section, "depth", "Depth maps as reliefs", ship_document(ship, hit.projection, flight, pose));
    demo.report.sections.push_back(std::move(section));
    demo.print_line(
        fmt::format("depth      ship of {} triangles in a tunnel of {} triangles: {} of {} frames collide, "
                    "{:.2f} ms per frame, rendered by {}; in the frame shown {} pixels, depth {:.3f} m -> depth.png",
                    flight.ship.triangles.size(), flight.tunnel.triangles.size(), collided, tested, 1e3 * each,
                    backend->name(), hit.pixels, hit.depth));
}

} // namespace fathom::tool
