// Bodies that a user drags, and what touches.
#include <tool/live_scene.h>
#include <tool/json_values.h>
#include <tool/verdict_text.h>

#include <fathom/base/error.h>
#include <fathom/base/stopwatch.h>

#include <fmt/format.h>

namespace fathom::tool {

ShapesScene::ShapesScene(std::vector<LiveBody> bodies) : bodies_(std::move(bodies)) {
    for (Index a = 0; a < bodies_.size(); ++a)
        for (Index b = a + 1; b < bodies_.size(); ++b) pairs_.push_back({a, b});
    for (const LiveBody& body : bodies_) body.shape.prepare(); // what is made at first need would count as time of the first answer
    for (Pair& pair : pairs_) ask(pair);
}

ViewerDocument ShapesScene::document() const {
    ViewerDocument document{.title = "live", .subtitle = "drag a body: what it touches is computed as it moves", .kind = ViewerKind::live};
    for (const LiveBody& body : bodies_) {
        document.bodies.push_back(body.drawn);
        document.bodies.back().pose = body.pose;
    }
    return document;
}

void ShapesScene::ask(Pair& pair) const {
    const LiveBody &a = bodies_[pair.a], &b = bodies_[pair.b];
    const Stopwatch start;
    pair.collision = collide(a.shape, a.pose, b.shape, b.pose);
    pair.microseconds = 1e6 * start.seconds();
    pair.separation = -pair.collision.depth;
    pair.error_bound = pair.collision.error_bound;
    if (pair.collision.verdict == Verdict::overlapping) return;
    const Distance apart = distance(a.shape, a.pose, b.shape, b.pose);
    pair.separation = apart.upper;
    pair.error_bound = apart.error_bound + std::max(apart.upper - std::max(apart.lower, 0.0), 0.0);
}

void ShapesScene::move(Index body, const Pose& pose) {
    if (body >= bodies_.size()) throw Error(Cause::index_out_of_range, fmt::format("there are {}", bodies_.size()), {.element = "body", .index = body});
    if (!is_finite(pose)) throw Error(Cause::non_finite, "a pose must be of numbers");
    bodies_[body].pose = pose;
    for (Pair& pair : pairs_)
        if (pair.a == body || pair.b == body) ask(pair);
}

std::string ShapesScene::state() {
    Json poses = Json::array(), positions = Json::array(), normals = Json::array(), depths = Json::array(), bodies = Json::array(), pairs = Json::array();
    for (const LiveBody& body : bodies_) {
        const Vec3& t = body.pose.translation;
        const Quat& q = body.pose.rotation;
        poses.push_back({t.x(), t.y(), t.z(), q.w(), q.x(), q.y(), q.z()});
    }
    for (const Pair& pair : pairs_) {
        for (const Contact& c : pair.collision.contacts) {
            if (!is_finite(c.point_a) || !is_finite(c.point_b) || !is_finite(c.normal) || !std::isfinite(c.depth)) continue;
            positions.push_back(as_json(Vec3(0.5 * (c.point_a + c.point_b))));
            normals.push_back(as_json(c.normal));
            depths.push_back(c.depth);
            bodies.push_back({pair.a, pair.b});
        }
        pairs.push_back({{"a", pair.a}, {"b", pair.b}, {"verdict", word(pair.collision.verdict)}, {"proven", pair.collision.proven}, {"method", name(pair.collision.method)},
                         {"separation", bound(pair.separation)}, {"error_bound", bound(pair.error_bound)}, {"microseconds", pair.microseconds}});
    }
    return Json{{"poses", poses}, {"contacts", {{"positions", positions}, {"normals", normals}, {"depths", depths}, {"bodies", bodies}}}, {"pairs", pairs}}.dump();
}

} // namespace fathom::tool
