// The demo's depth maps: a ship flies through a tunnel.
#include <tool/demo_tour.h>
#include <tool/depth_pictures.h>
#include <tool/terminal.h>

#include <fathom/base/stopwatch.h>
#include <fathom/detect/depth/depth_collide.h>
#include <fathom/detect/depth/depth_directions.h>
#include <fathom/detect/depth/gl_backend.h>
#include <fathom/show/viewer_sources.h>
#include <fathom/simulate/flight.h>

#include <fmt/format.h>

namespace fathom::tool {

namespace {

// The tunnel's floor near the ship: more of it would hide what is inside.
TriangleMesh floor_below(const TriangleMesh& tunnel, const Box& ship) {
    TriangleMesh part = tunnel;
    std::erase_if(part.triangles, [&](const Triangle& t) {
        const Vec3 middle = (tunnel.vertices[t[0]] + tunnel.vertices[t[1]] + tunnel.vertices[t[2]]) / 3;
        return middle.z() > ship.center().z() || (middle - ship.center()).norm() > 1.5 * ship.diagonal();
    });
    return part;
}

// Ship and tunnel as they stand, and what the ship's view holds of each.
ViewerDocument ship_document(const DepthObject& ship, std::size_t projection, const Flight& flight, const Pose& pose) {
    ViewerDocument document{.title = "a ship in a tunnel",
                            .subtitle = "depth maps as the ship sees itself and the tunnel",
                            .kind = ViewerKind::depth};
    for (const Vec3& v : flight.ship->vertices) document.bounds.extend(pose * v);
    document.bodies = {
        viewer_body("ship", *flight.ship, pose),
        viewer_body("floor of the tunnel", floor_below(*flight.obstacles.front().mesh, document.bounds))};
    document.bodies.back().fixed = true;
    const std::vector<DrawnBody> tunnel = {{std::make_shared<DrawnMesh>(*flight.obstacles.front().mesh), {}, 0}};
    document.layers = depth_layers(ship, projection, pose, tunnel);
    document.layers[0].name = "the ship's far side";
    document.layers[1].name = "the tunnel in the same box";
    for (ViewerLayer& layer : document.layers) layer.body = 0; // maps lie in the frame of the ship
    return document;
}

} // namespace

// A ship flies through a tunnel: both are drawn into depth maps, and the pixels tell where they meet.
void show_flight(Tour& tour) {
    constexpr std::size_t shown_frame = 200, every = 4;
    const Flight flight = make_tunnel_flight();
    const auto backend = make_depth_backend();
    const DirectionReport report = choose_directions(*backend, *flight.ship, {.most = 2});
    DepthObject ship(*backend, *flight.ship, report.projections(), {.pixels = 512});
    const std::vector<DrawnBody> tunnel = {{std::make_shared<DrawnMesh>(*flight.obstacles.front().mesh), {}, 0}};
    std::size_t collided = 0, asked = 0;
    const Stopwatch start;
    for (std::size_t frame = 0; frame < flight.frames; frame += every, ++asked)
        collided += collide(ship, flight.ship_pose(frame), tunnel, {.goal = DepthGoal::verdict}).verdict ==
                    Verdict::overlapping;
    const double each = start.seconds() / static_cast<double>(asked);

    const Pose pose = flight.ship_pose(shown_frame);
    const DepthCollision found = collide(ship, pose, tunnel);
    const DepthBodyHit hit = found.bodies.empty() ? DepthBodyHit{} : found.bodies.front();
    const DepthPictures maps = depth_pictures(ship, hit.projection, pose, tunnel);
    ReportSection section{.title = "Depth maps",
                          .text = "A ship flies through a tunnel. Both are drawn, by the graphics card or by the "
                                  "processor, from the directions that suit the ship; where the tunnel lies between "
                                  "the ship's first and last surface, they collide. "
                                  "The cost is that of drawing, whatever the tunnel is made of. (After Fabrizio.)"};
    section.figures = {{"triangles of the ship", with_commas(flight.ship->triangles.size())},
                       {"of the tunnel", with_commas(flight.obstacle_triangles())},
                       {"frames that collide", fmt::format("{} of {}", collided, asked)},
                       {"a frame takes", fmt::format("{:.2f} ms", 1e3 * each)},
                       {"drawn by", std::string(backend->name())},
                       {"deepest in the one shown", fmt::format("{:.3f} m", hit.depth)}};
    section.pictures.push_back(tour.picture(
        "depth.png", tiled(std::vector<Image>{maps.object, maps.environment, maps.hits, maps.normals}, 4, 8),
        "Heights of the ship and of the tunnel, where they meet (red), and the tunnel's normals there."));
    tour.add_view(section, "depth", "The maps as reliefs in space", ship_document(ship, hit.projection, flight, pose));
    tour.report.sections.push_back(std::move(section));
    tour.say(fmt::format("depth      a ship of {} triangles in a tunnel of {}: {} of {} frames collide, {:.2f} ms a "
                         "frame, drawn by {}; in the one shown {} pixels, {:.3f} m deep -> depth.png",
                         flight.ship->triangles.size(), flight.obstacle_triangles(), collided, asked, 1e3 * each,
                         backend->name(), hit.pixels, hit.depth));
}

} // namespace fathom::tool
