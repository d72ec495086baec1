// Collision detection by depth maps.
#include <fathom/detect/depth/depth_collide.h>

#include <fathom/base/error.h>
#include <fathom/detect/depth/column_sweep.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/primitive/oriented_box.h>
#include <fathom/geometry/surface_tree/winding_number.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

OrientedBox box_of(const DepthView& view) {
    return {view.pose * Pose::from_translation({0, 0, view.size.z() / 2}), view.size / 2};
}

OrientedBox box_of(const DrawnBody& body) {
    return {body.pose * Pose::from_translation(body.mesh->bounds().center()), body.mesh->bounds().half()};
}

// Bound on the displacement of drawn corners by the float precision of a mesh and its matrix: the rounding of about ten
// operations on numbers not larger than the distance from the view, and half a step of 1/256 pixel.
double rounding_of(const DepthView& view, const DrawnBody& body) {
    const double reach = 2 * body.mesh->bounds().half().norm() +
                         (body.pose * body.mesh->origin() - view.pose.translation).norm() + view.size.norm();
    return 16 * 0x1p-24 * reach + view.pixel_size().norm() / 512;
}

bool is_closed(const DrawnMesh& mesh) {
    TriangleMesh plain{{}, {mesh.triangles().begin(), mesh.triangles().end()}};
    for (const Vec3f& p : mesh.positions()) plain.vertices.push_back(p.cast<double>());
    return mesh_report(plain).faces_outward();
}

// Whether a point that is not on the surface of a closed body is inside. O(n).
bool winds_round(const DrawnBody& body, const Vec3& p) {
    const Vec3 local = body.pose.to_local(p) - body.mesh->origin();
    if (!body.mesh->bounds().contains(local + body.mesh->origin())) return false;
    double turns = 0;
    for (const Triangle& t : body.mesh->triangles()) {
        const auto place = [&](std::size_t corner) -> Vec3 { return body.mesh->positions()[t[corner]].cast<double>(); };
        turns += solid_angle_share(local, {place(0), place(1), place(2)});
    }
    return turns > 0.5;
}

// The result of one projection for one group of bodies.
struct Sight {
    Status status = Status::disjoint;
    bool proven = false;
    std::size_t pixels = 0, open_pixels = 0;
    std::vector<DepthBodyHit> bodies{};
    std::vector<DepthEnclosure> enclosures{};
    std::vector<DepthHit> hits{};
};

// Tests one projection of one part against a group of bodies, in the frame of the part.
class ProjectionTest {
public:
    ProjectionTest(DepthObject& object, Index part, Index projection, const Pose& pose,
                   const DepthCollideOptions& options, DepthCollision& result)
        : backend_(object.backend()), scratch_(object.scratch()), part_index_(part), projection_(projection),
          part_(object.parts()[part]), maps_(part_.maps[projection]), pose_(pose), options_(options), result_(result) {}

    [[nodiscard]] Sight test_part(std::span<const DrawnBody> bodies) {
        Sight sight;
        std::vector<DrawnBody> near;
        state_tolerance(rounding_of(maps_.view, {part_.mesh, {}, 0}));
        for (const DrawnBody& body : bodies)
            if (!body.mesh->positions().empty() && boxes_overlap(box_of(maps_.view), box_of(body)))
                near.push_back(body);
        sight.proven = options_.conservative || near.empty();
        if (near.empty()) return sight;
        for (const DrawnBody& body : near)
            state_tolerance(rounding_of(maps_.view, {part_.mesh, {}, 0}) + rounding_of(maps_.view, body));
        if (!std::isfinite(result_.rounding)) return sight.status = Status::undecided, sight.proven = false, sight;

        result_.truncated |= maps_.truncated;
        for (const SolidLayer& layer : maps_.layers) find_hits(layer, near, sight);
        if (options_.conservative) prove(near, sight);
        const bool known = options_.goal == DepthGoal::status && sight.pixels > 0;
        if ((options_.enclosed || options_.conservative) && !known)
            for (const DrawnBody& body : near)
                if (std::ranges::find(sight.bodies, body.id, &DepthBodyHit::body) == sight.bodies.end())
                    enclose(body, sight);
        conclude(sight);
        return sight;
    }

private:
    void state_tolerance(double rounding) {
        result_.rounding = std::max(result_.rounding, rounding);
        result_.tolerance = std::max(result_.tolerance, 0.5 * maps_.view.pixel_size().norm() + rounding);
    }

    void conclude(Sight& sight) const {
        if (sight.pixels > 0 || !sight.enclosures.empty())
            sight.status = Status::overlapping;
        else if (options_.conservative && !sight.proven)
            sight.status = Status::undecided;
        sight.proven &= sight.status == Status::disjoint;
        for (DepthBodyHit& body : sight.bodies) {
            body.area = static_cast<double>(body.pixels) * maps_.view.pixel_size().prod();
            const double length = body.surface_normal.norm();
            body.surface_normal =
                length > 1e-6 * static_cast<double>(body.pixels) ? Vec3(body.surface_normal / length) : Vec3::Zero();
        }
    }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
              DepthTarget& target) {
        backend_.draw(view, bodies, options, target);
        ++result_.drawings;
    }

    // The surfaces of the bodies inside one layer.
    void find_hits(const SolidLayer& layer, std::span<const DrawnBody> bodies, Sight& sight) {
        const bool details = options_.goal != DepthGoal::status;
        const DrawOptions inside{.faces = Faces::both,
                                 .ids = details,
                                 .normals = details,
                                 .after = layer.near_side.get(),
                                 .until = layer.far_side.get()};
        if (!details) {
            if (sight.pixels == 0 && backend_.draws_anything(maps_.view, bodies, inside, *scratch_.hits))
                ++sight.pixels;
            ++result_.drawings;
            return;
        }
        draw(maps_.view, bodies, inside, *scratch_.hits);
        // Compared where the map resides, so that nothing is read back without a hit.
        const std::size_t pixels = backend_.compare(*layer.far_side, *scratch_.hits).pixels;
        sight.pixels += pixels;
        if (pixels == 0) return;
        const DepthMap& map = scratch_.hits->map();
        for (std::size_t k = 0; k < map.depth.size(); ++k)
            if (map.covered(k)) add(layer, map, k, sight);
    }

    void add(const SolidLayer& layer, const DepthMap& map, std::size_t pixel, Sight& sight) const {
        const double z = static_cast<double>(map.depth[pixel]), deep = maps_.view.size.z();
        const double to_far = (static_cast<double>(layer.far_side->map().depth[pixel]) - z) * deep;
        const double to_near =
            layer.near_side ? (z - static_cast<double>(layer.near_side->map().depth[pixel])) * deep : HUGE_VAL;
        const DepthHit hit{.point = pose_ * maps_.view.to_world(pixel, z),
                           .surface_normal = pose_.rotate(map.normals[pixel].cast<double>()),
                           .depth = std::min(to_far, to_near),
                           .id = map.ids[pixel],
                           .part = part_index_,
                           .projection = projection_,
                           .pixel = static_cast<Index>(pixel)};
        if (options_.goal == DepthGoal::pixels) sight.hits.push_back(hit);

        auto body = std::ranges::find(sight.bodies, hit.id.body, &DepthBodyHit::body);
        if (body == sight.bodies.end())
            body = sight.bodies.insert(
                body, {.body = hit.id.body, .part = part_index_, .projection = projection_, .depth = -1});
        ++body->pixels;
        body->surface_normal += hit.surface_normal;
        if (!(hit.depth > body->depth)) return;
        body->depth = hit.depth;
        body->point = hit.point;
        body->primitive = hit.id.primitive;
        body->separating_direction = pose_.rotate(maps_.view.direction()) * (to_near < to_far ? 1.0 : -1.0);
    }

    // Where a body is in a pixel at all, both its nearest depth there is before the object's last and its farthest is
    // after the object's first. This may also be true of two triangles, one on each side; in that case their own depths
    // decide.
    void prove(std::span<const DrawnBody> bodies, Sight& sight) {
        const SolidLayer& outer = maps_.outer;
        draw(maps_.view, bodies, {.faces = Faces::both, .conservative = true, .until = outer.far_side.get()},
             *scratch_.behind);
        draw(maps_.view, bodies,
             {.keep = Keep::farthest, .faces = Faces::both, .conservative = true, .after = outer.near_side.get()},
             *scratch_.beyond);
        const DepthMap &first = scratch_.behind->map(), &last = scratch_.beyond->map();
        std::vector<bool> open(first.depth.size());
        for (std::size_t k = 0; k < open.size(); ++k) open[k] = first.covered(k) && last.covered(k);
        if (std::ranges::none_of(open, std::identity{})) return;
        std::vector<bool> met(open.size(), false);
        for (const DrawnBody& body : bodies) {
            const std::vector<bool> by_body = columns_touched(body, open, outer.near_side->map(), outer.far_side->map(),
                                                              maps_.gaps ? &*maps_.gaps : nullptr, result_.rounding);
            for (std::size_t k = 0; k < met.size(); ++k) met[k] = met[k] || by_body[k];
        }
        sight.open_pixels = static_cast<std::size_t>(std::ranges::count(met, true));
        if (sight.open_pixels > 0) sight.proven = false;
    }

    [[nodiscard]] bool closed(const DrawnBody& body) {
        if (scratch_.closed.size() > 10'000) scratch_.closed.clear(); // deforming bodies have a new version each time
        const auto [entry, unknown] = scratch_.closed.try_emplace(body.mesh->version(), false);
        if (unknown) entry->second = is_closed(*body.mesh);
        return entry->second;
    }

    void enclose(const DrawnBody& body, Sight& sight) {
        if (!closed(body)) return;
        for (const SolidLayer& layer : maps_.layers) enclose(body, *layer.far_side, sight);
        if (!sight.proven || !sight.enclosures.empty()) return;
        // No surface of the body is in the object. So each connected component of the object, however thin, is
        // completely inside or outside, like any one of its vertices.
        for (const Index speaker : part_.component_samples) {
            const Vec3 p = part_.mesh->origin() + part_.mesh->positions()[speaker].cast<double>();
            if (winds_round(body, p))
                return sight.enclosures.push_back(
                    {.body = body.id, .part = part_index_, .projection = projection_, .point = pose_ * p});
        }
    }

    // The first surface of a body behind the object: in the box, or else beyond its far side.
    void enclose(const DrawnBody& body, const DepthTarget& far_side, Sight& sight) {
        const DrawOptions options{.faces = Faces::both, .normals = true};
        const std::array one{body};
        DrawOptions after = options;
        after.after = &far_side;
        draw(maps_.view, one, after, *scratch_.behind);
        double reach = 0;
        for (const Vec3& corner : corners_of(box_of(body)))
            reach = std::max(reach, maps_.view.pose.to_local(corner).z());
        const bool goes_on = reach > maps_.view.size.z();
        if (goes_on) {
            DepthView view = maps_.view;
            view.pose = view.pose * Pose::from_translation({0, 0, view.size.z()});
            view.size.z() = 1.01 * (reach - view.size.z()) + 0.01 * view.size.z();
            draw(view, one, options, *scratch_.beyond);
        }
        const DepthMap& object = far_side.map();
        const Vec3f direction = maps_.view.direction().cast<float>();
        DepthEnclosure found{.body = body.id, .part = part_index_, .projection = projection_};
        std::size_t seen = 0;
        for (std::size_t k = 0; k < object.depth.size(); ++k) {
            if (!object.covered(k)) continue;
            ++seen;
            const DepthMap& behind =
                !scratch_.behind->map().covered(k) && goes_on ? scratch_.beyond->map() : scratch_.behind->map();
            if (!behind.covered(k) || !(behind.normals[k].dot(direction) > 0)) continue;
            if (found.pixels++ == 0) found.point = pose_ * maps_.view.to_world(k, static_cast<double>(object.depth[k]));
        }
        if (found.pixels == 0) return;
        found.whole = found.pixels == seen;
        sight.enclosures.push_back(found);
    }

    DepthBackend& backend_;
    DepthScratch& scratch_;
    Index part_index_, projection_;
    const DepthObject::Part& part_;
    const ProjectionMaps& maps_;
    const Pose& pose_; // pose of the part in the world
    const DepthCollideOptions& options_;
    DepthCollision& result_;
};

// A collision shows in every projection: the first that proves that there is none decides, or without proofs the first
// without hits.
Sight test_part(DepthObject& object, Index part, const Pose& pose, std::span<const DrawnBody> bodies,
                const DepthCollideOptions& options, DepthCollision& result) {
    Sight fewest;
    fewest.status = Status::overlapping;
    bool open = false;
    const std::size_t count = object.parts()[part].maps.size();
    for (Index projection = 0; projection < count; ++projection) {
        Sight sight = ProjectionTest(object, part, projection, pose, options, result).test_part(bodies);
        if (sight.status == Status::disjoint) return sight;
        open |= sight.status == Status::undecided;
        if (projection == 0 || sight.pixels + sight.enclosures.size() < fewest.pixels + fewest.enclosures.size())
            fewest = std::move(sight);
    }
    if (open) fewest = {.status = Status::undecided, .open_pixels = std::max<std::size_t>(fewest.open_pixels, 1)};
    return fewest;
}

void take(const Sight& sight, const DepthCollideOptions& options, DepthCollision& result) {
    if (sight.status == Status::overlapping)
        result.status = Status::overlapping;
    else if (sight.status == Status::undecided && result.status == Status::disjoint)
        result.status = Status::undecided;
    result.proven &= sight.proven;
    result.open_pixels += sight.open_pixels;
    if (sight.status != Status::overlapping) return;
    result.pixels += sight.pixels;
    result.enclosed_by.insert(result.enclosed_by.end(), sight.enclosures.begin(), sight.enclosures.end());
    if (options.goal == DepthGoal::status) return;
    result.bodies.insert(result.bodies.end(), sight.bodies.begin(), sight.bodies.end());
    const std::size_t room = options.max_pixels - std::min(options.max_pixels, result.hits.size());
    result.truncated |= sight.hits.size() > room;
    result.hits.insert(result.hits.end(), sight.hits.begin(),
                       sight.hits.begin() + static_cast<std::ptrdiff_t>(std::min(room, sight.hits.size())));
}

void check(const DepthObject& object, std::span<const DrawnBody> environment, const DepthCollideOptions& options) {
    if (options.conservative && !object.options().conservative)
        throw Error(Cause::invalid_argument, "the object was not made conservative",
                    {.element = "option conservative"});
    for (std::size_t k = 0; k < environment.size(); ++k)
        if (!environment[k].mesh || environment[k].id == no_index)
            throw Error(Cause::invalid_argument, "body has no mesh or no id",
                        {.element = "body", .index = static_cast<std::int64_t>(k)});
}

} // namespace

DepthCollision collide(DepthObject& object, const Pose& pose, std::span<const DrawnBody> environment,
                       const DepthCollideOptions& options) {
    check(object, environment, options);
    DepthCollision result;
    result.proven = true;
    if (!is_finite(pose) ||
        !std::ranges::all_of(environment, [](const DrawnBody& body) { return is_finite(body.pose); }))
        return result.status = Status::undecided, result.proven = false, result;
    for (Index part = 0; part < object.parts().size(); ++part) {
        const Pose in_world = pose * object.parts()[part].pose;
        std::vector<DrawnBody> bodies(environment.begin(), environment.end());
        for (DrawnBody& body : bodies) body.pose = relative(in_world, body.pose);
        const std::size_t group = options.separate_bodies ? 1 : std::max<std::size_t>(bodies.size(), 1);
        for (std::size_t k = 0; k < bodies.size(); k += group) {
            take(test_part(object, part, in_world, std::span(bodies).subspan(k, group), options, result), options,
                 result);
            if (options.goal == DepthGoal::status && result.status == Status::overlapping)
                return result.proven = false, result;
        }
    }
    result.proven &= result.status == Status::disjoint;
    return result;
}

} // namespace fathom
