// Live mode of the viewer: contacts and distances of dragged bodies.
#include <tool/live_scene.h>
#include <tool/output.h>
#include <tool/pair_query.h>

#include <fathom/base/error.h>
#include <fathom/base/progress.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::tool {

ShapesScene::ShapesScene(std::vector<LiveBody> bodies) {
    for (LiveBody& body : bodies) {
        body.shape.prepare(); // otherwise lazy construction would count as time of the first query
        world_.add(body.shape, body.pose, {.name = body.name});
        drawn_.push_back(std::move(body.drawn));
    }
    update_pairs();
}

ViewerDocument ShapesScene::document() const {
    ViewerDocument document{
        .title = "live", .subtitle = "drag a body: contacts are computed as it moves", .kind = ViewerKind::live};
    for (Index k = 0; k < drawn_.size(); ++k) {
        document.bodies.push_back(drawn_[k]);
        document.bodies.back().pose = world_.pose(k);
    }
    return document;
}

// The world measures no time per pair: each tested pair is given the mean.
void ShapesScene::update_pairs() {
    const Stopwatch start;
    const WorldStep& step = world_.update();
    const double each = 1e6 * start.seconds() / static_cast<double>(std::max<std::size_t>(step.tested, 1));
    pairs_.clear();
    auto touching = step.pairs.begin(); // sorted in the order of the loop
    for (Index a = 0; a < drawn_.size(); ++a)
        for (Index b = a + 1; b < drawn_.size(); ++b) {
            Pair& pair = pairs_.emplace_back(Pair{a, b});
            if (touching != step.pairs.end() && touching->a == a && touching->b == b) {
                pair.collision = (touching++)->collision;
                pair.microseconds = each;
            }
            if (pair.collision.status != Status::overlapping) compute_distance(pair);
        }
}

void ShapesScene::compute_distance(Pair& pair) const {
    const Stopwatch start;
    pair.distance = distance(world_.shape(pair.a), world_.pose(pair.a), world_.shape(pair.b), world_.pose(pair.b));
    // The broad phase tests no pair that it proves disjoint.
    if (pair.collision.method == Method::automatic)
        pair.collision = collide(world_.shape(pair.a), world_.pose(pair.a), world_.shape(pair.b), world_.pose(pair.b),
                                 {.goal = CollideGoal::status});
    pair.microseconds += 1e6 * start.seconds();
}

void ShapesScene::move(Index body, const Pose& pose) {
    if (body >= drawn_.size())
        throw Error(Cause::index_out_of_range, fmt::format("there are {} bodies", drawn_.size()),
                    {.element = "body", .index = body});
    if (!is_finite(pose)) throw Error(Cause::non_finite, "the pose is not finite");
    world_.move(body, pose);
    update_pairs();
}

std::string ShapesScene::state() {
    Json poses = Json::array(), positions = Json::array(), normals = Json::array(), depths = Json::array(),
         bodies = Json::array(), pairs = Json::array();
    for (Index k = 0; k < drawn_.size(); ++k) {
        const Vec3& t = world_.pose(k).translation;
        const Quat& q = world_.pose(k).rotation;
        poses.push_back({t.x(), t.y(), t.z(), q.w(), q.x(), q.y(), q.z()});
    }
    for (const Pair& pair : pairs_) {
        for (const Contact& c : pair.collision.contacts) {
            if (!is_finite(c.point_a) || !is_finite(c.point_b) || !is_finite(c.normal) || !std::isfinite(c.depth))
                continue;
            positions.push_back(as_json(Vec3(0.5 * (c.point_a + c.point_b))));
            normals.push_back(as_json(c.normal));
            depths.push_back(c.depth);
            bodies.push_back({pair.a, pair.b});
        }
        Json row = {{"a", pair.a}, {"b", pair.b}};
        row.update(to_json(pair.collision));
        row["distance"] = pair.distance ? to_json(*pair.distance) : Json(nullptr);
        row["microseconds"] = pair.microseconds;
        pairs.push_back(std::move(row));
    }
    return Json{{"poses", poses},
                {"contacts", {{"positions", positions}, {"normals", normals}, {"depths", depths}, {"bodies", bodies}}},
                {"pairs", pairs}}
        .dump();
}

} // namespace fathom::tool
