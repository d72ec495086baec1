// Draws the maps of objects.
#include <fathom/detect/depth/depth_object.h>

#include <fathom/base/error.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/mesh/components.h>

#include <algorithm>

namespace fathom {

namespace {

// Draws one mesh in its own frame.
class Pen {
public:
    Pen(DepthBackend& backend, const DepthView& view, std::shared_ptr<const DrawnMesh> mesh)
        : backend_(backend), view_(view), body_{{{std::move(mesh), {}, 0}}} {}

    [[nodiscard]] std::unique_ptr<DepthTarget> draw(const DrawOptions& options) {
        auto target = backend_.make_target();
        backend_.draw(view_, body_, options, *target);
        return target;
    }

private:
    DepthBackend& backend_;
    const DepthView& view_;
    std::array<DrawnBody, 1> body_;
};

bool shows_anything(const DepthTarget& target) {
    const DepthMap& map = target.map();
    for (std::size_t k = 0; k < map.depth.size(); ++k)
        if (map.covered(k)) return true;
    return false;
}

// A solid interval ends at the last back face before the next one begins. Intervals are therefore not lost if rounding
// swaps a front and a back face, as happens on silhouettes: where no back face is left, the farthest map is empty.
void peel(Pen& pen, std::size_t most, ProjectionMaps& maps) {
    auto near_side = pen.draw({.faces = Faces::front});
    while (true) {
        const auto back = pen.draw({.faces = Faces::back, .after = near_side.get()});
        auto next = pen.draw({.faces = Faces::front, .after = back.get()});
        const bool more = shows_anything(*next);
        maps.truncated = more && maps.layers.size() + 1 >= most;
        const DepthTarget* until = more && !maps.truncated ? next.get() : nullptr;
        auto far_side =
            pen.draw({.keep = Keep::farthest, .faces = Faces::back, .after = near_side.get(), .until = until});
        maps.layers.push_back({std::move(near_side), std::move(far_side)});
        if (!until) return;
        near_side = std::move(next);
    }
}

void check(const DepthObjectOptions& options) {
    if (!(options.margin > 0) || !(options.margin <= 1))
        throw Error(Cause::invalid_argument, "must be above 0 and at most 1", {.element = "option margin"});
    if (options.max_layers < 1)
        throw Error(Cause::invalid_argument, "must be at least 1", {.element = "option max_layers"});
}

} // namespace

bool ProjectionMaps::solid(std::size_t pixel, float depth) const {
    return std::ranges::any_of(layers, [&](const SolidLayer& layer) {
        return depth <= layer.far_side->map().depth[pixel] &&
               (!layer.near_side || depth > layer.near_side->map().depth[pixel]);
    });
}

DepthObject::DepthObject(DepthBackend& backend, std::span<const DepthPart> parts, const DepthObjectOptions& options)
    : backend_(&backend), options_(options) {
    check(options);
    if (parts.empty()) throw Error(Cause::empty, "the object has no parts");
    for (const DepthPart& part : parts) add(part);
    scratch_ = {backend.make_target(), backend.make_target(), backend.make_target(), {}};
}

DepthObject::DepthObject(DepthBackend& backend, const TriangleMesh& mesh, std::span<const Projection> projections,
                         const DepthObjectOptions& options)
    : DepthObject(backend, std::array{DepthPart{mesh, {projections.begin(), projections.end()}, {}}}, options) {}

void DepthObject::add(const DepthPart& part) {
    const Place place{.element = "part", .index = static_cast<std::int64_t>(parts_.size())};
    if (part.mesh.triangles.empty()) throw Error(Cause::empty, "part has no triangles", place);
    if (part.projections.empty()) throw Error(Cause::empty, "part has no projections", place);
    if (!is_finite(part.pose)) throw Error(Cause::non_finite, "pose is not finite", place);
    Part added{std::make_shared<DrawnMesh>(part.mesh), part.pose, false, {}, {}};
    added.closed = mesh_report(part.mesh).faces_outward();
    for (const Component& component : components(part.mesh).parts)
        added.component_samples.push_back(part.mesh.triangles[component.first_triangle][0]);
    for (const Projection& projection : part.projections) {
        if (projection.sides == DepthSides::layers && !added.closed)
            throw Error(Cause::invalid_argument, "layers need a closed mesh that is oriented outward", place);
        added.maps.emplace_back().projection = projection;
    }
    draw(added);
    parts_.push_back(std::move(added));
}

void DepthObject::draw(Part& part) {
    for (ProjectionMaps& maps : part.maps) {
        const Projection projection = maps.projection;
        maps = {projection,
                view_of(part.mesh->bounds(), {}, projection.direction,
                        {.pixels = options_.pixels, .margin = options_.margin}),
                {},
                false,
                {},
                std::nullopt};
        Pen pen(*backend_, maps.view, part.mesh);
        const DrawOptions first{.faces = part.closed ? Faces::front : Faces::both};
        const DrawOptions last{.keep = Keep::farthest, .faces = part.closed ? Faces::back : Faces::both};
        if (projection.sides == DepthSides::layers)
            peel(pen, options_.max_layers, maps);
        else
            maps.layers.push_back(
                {projection.sides == DepthSides::far_side ? nullptr : pen.draw(first), pen.draw(last)});
        if (!options_.conservative) continue;
        // Both faces: triangles seen edge-on are neither front nor back.
        maps.outer = {pen.draw({.faces = Faces::both, .conservative = true}),
                      pen.draw({.keep = Keep::farthest, .faces = Faces::both, .conservative = true})};
        if (projection.sides != DepthSides::layers) continue;
        const auto solid = [&](std::size_t pixel, double depth) {
            return maps.solid(pixel, static_cast<float>(depth));
        };
        maps.gaps = gaps_of(maps.view, {part.mesh, {}, 0}, maps.view.pixel_size().norm() / 256, solid);
    }
}

DepthObject::Part& DepthObject::at(std::size_t part) {
    if (part >= parts_.size())
        throw Error(Cause::index_out_of_range, "no such part",
                    {.element = "part", .index = static_cast<std::int64_t>(part)});
    return parts_[part];
}

void DepthObject::deform(std::span<const Vec3> vertices, std::size_t part) {
    at(part).mesh->move(vertices);
    draw(at(part));
}

void DepthObject::place(const Pose& pose, std::size_t part) {
    if (!is_finite(pose))
        throw Error(Cause::non_finite, "pose is not finite",
                    {.element = "part", .index = static_cast<std::int64_t>(part)});
    at(part).pose = pose;
}

} // namespace fathom
