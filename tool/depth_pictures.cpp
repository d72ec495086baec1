// Pictures and viewer layers of depth maps.
#include <tool/depth_pictures.h>

#include <fathom/show/depth_picture.h>
#include <fathom/show/viewer_sources.h>

namespace fathom::tool {

namespace {

// Bodies transformed into the frame of the part, in which its maps are defined.
std::vector<DrawnBody> in_frame(const Pose& frame, std::span<const DrawnBody> bodies) {
    std::vector<DrawnBody> moved(bodies.begin(), bodies.end());
    for (DrawnBody& body : moved) body.pose = relative(frame, body.pose);
    return moved;
}

// Surfaces of the environment inside the object: in each pixel, the first layer that is hit.
DepthMap hits_of(const ProjectionMaps& maps, std::span<const DrawnBody> bodies, DepthBackend& backend) {
    const auto target = backend.make_target();
    DepthMap all;
    for (const SolidLayer& layer : maps.layers) {
        backend.draw(
            maps.view, bodies,
            {.faces = Faces::both, .normals = true, .after = layer.near_side.get(), .until = layer.far_side.get()},
            *target);
        const DepthMap& map = target->map();
        if (all.depth.empty()) all = map;
        for (std::size_t k = 0; k < map.depth.size(); ++k)
            if (!all.covered(k)) all.depth[k] = map.depth[k], all.normals[k] = map.normals[k];
    }
    return all;
}

} // namespace

DepthPictures depth_pictures(const DepthObject& object, std::size_t projection, const Pose& pose,
                             std::span<const DrawnBody> environment) {
    const DepthObject::Part& part = object.parts().front();
    const ProjectionMaps& maps = part.maps.at(projection);
    const std::vector<DrawnBody> bodies = in_frame(pose * part.pose, environment);
    const auto target = object.backend().make_target();

    DepthPictures pictures;
    object.backend().draw(maps.view, bodies, {.faces = Faces::both}, *target);
    pictures.environment = height_picture(target->map(), {.color = true});
    object.backend().draw(maps.view, std::vector<DrawnBody>{{part.mesh, {}, 0}},
                          {.keep = Keep::farthest, .faces = Faces::both}, *target);
    pictures.object = height_picture(target->map());
    const DepthMap hits = hits_of(maps, bodies, object.backend());
    pictures.hits = hit_picture(target->map(), hits);
    pictures.normals = normal_picture(hits);
    for (std::size_t k = 0; k < hits.depth.size(); ++k)
        if (!hits.covered(k)) pictures.normals.pixels[k] = pictures.object.pixels[k];
    return pictures;
}

std::vector<ViewerLayer> depth_layers(const DepthObject& object, std::size_t projection, const Pose& pose,
                                      std::span<const DrawnBody> environment) {
    const DepthObject::Part& part = object.parts().front();
    const DepthView& view = part.maps.at(projection).view;
    const auto target = object.backend().make_target();
    object.backend().draw(view, std::vector<DrawnBody>{{part.mesh, {}, 0}},
                          {.keep = Keep::farthest, .faces = Faces::both}, *target);
    std::vector<ViewerLayer> layers = {depth_layer("far side of the object", target->map())};
    if (environment.empty()) return layers;
    object.backend().draw(view, in_frame(pose * part.pose, environment), {.faces = Faces::both}, *target);
    layers.push_back(depth_layer("other bodies in the same box", target->map()));
    return layers;
}

} // namespace fathom::tool
