// Images of depth maps.
#include <fathom/show/depth_picture.h>

#include <fathom/base/error.h>
#include <fathom/field/grid/contour.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr std::array<Color, 5> ramp = {{{48, 62, 148}, {38, 122, 168}, {56, 168, 130}, {150, 204, 78}, {250, 228, 84}}};

std::uint8_t byte_of(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); }

Color shade(double share, bool color) {
    if (!color) {
        const std::uint8_t grey = byte_of(245 - 185 * share);
        return {grey, grey, grey};
    }
    const double place = std::clamp(share, 0.0, 1.0) * (ramp.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
    const double part = place - static_cast<double>(below);
    Color mixed{};
    for (std::size_t k = 0; k < 3; ++k) mixed[k] = byte_of((1 - part) * ramp[below][k] + part * ramp[below + 1][k]);
    return mixed;
}

// Checks that every pixel has a depth; the map may have been filled by the caller.
void check_size(const DepthMap& map) {
    check(map.view);
    if (map.depth.size() != map.view.pixel_count())
        throw Error(Cause::invalid_argument, "the numbers of depths and pixels differ", {.element = "depth map"});
}

} // namespace

Image height_picture(const DepthMap& map, const DepthPictureOptions& options) {
    check_size(map);
    float low = 1, high = 0;
    for (std::size_t k = 0; k < map.depth.size(); ++k)
        if (map.covered(k)) low = std::min(low, map.depth[k]), high = std::max(high, map.depth[k]);
    if (!options.stretch || low >= high) low = 0, high = 1;
    Image image(map.view.width, map.view.height, options.nothing);
    for (std::size_t k = 0; k < map.depth.size(); ++k)
        if (map.covered(k))
            image.pixels[k] = shade(static_cast<double>((map.depth[k] - low) / (high - low)), options.color);
    return image;
}

Image hit_picture(const DepthMap& object, const DepthMap& environment, const DepthPictureOptions& options) {
    check_size(environment);
    Image image = height_picture(object, options);
    if (object.view.width != environment.view.width || object.view.height != environment.view.height)
        throw Error(Cause::invalid_argument, "must have the size of the object's map", {.element = "environment"});
    for (std::size_t k = 0; k < object.depth.size(); ++k)
        if (object.covered(k) && environment.covered(k) && environment.depth[k] <= object.depth[k])
            image.pixels[k] = options.hit;
    return image;
}

Image normal_picture(const DepthMap& map, const DepthPictureOptions& options) {
    check_size(map);
    if (map.normals.size() != map.depth.size())
        throw Error(Cause::invalid_argument, "has no normals", {.element = "depth map"});
    Image image(map.view.width, map.view.height, options.nothing);
    for (std::size_t k = 0; k < map.depth.size(); ++k) {
        if (!map.covered(k)) continue;
        const Vec3 n = map.view.pose.rotate_to_local(map.normals[k].cast<double>());
        image.pixels[k] = {byte_of(127.5 + 127.5 * n.x()), byte_of(127.5 + 127.5 * n.y()),
                           byte_of(127.5 - 127.5 * n.z())};
    }
    return image;
}

// ---- Images of two translucent bodies blended with the cells of their overlap.

namespace {

constexpr std::array<std::array<int, 2>, 12> box_edges = {
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
constexpr std::array<std::array<Index, 4>, 6> box_faces = { // counter-clockwise from outside
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};

using Segments = std::vector<std::array<Vec3, 2>>;

TriangleMesh surface_of(const Field& field, int resolution) {
    const Box box = field.bounds();
    if (box.empty()) return {};
    if (!box.lower.allFinite() || !box.upper.allFinite())
        throw Error(Cause::invalid_argument, "the field has no finite bounds");
    return contour(field, box.grown(0.05 * box.diagonal()), resolution);
}

std::vector<Box> largest(std::vector<Box> cells, std::size_t most) {
    if (cells.size() <= most) return cells;
    std::stable_sort(cells.begin(), cells.end(), [](const Box& a, const Box& b) { return a.volume() > b.volume(); });
    cells.resize(most);
    return cells;
}

void add_edges(const Box& cell, const Pose& frame, Segments& out) {
    for (const auto& [from, to] : box_edges) out.push_back({frame * cell.corner(from), frame * cell.corner(to)});
}

void add_box(const Box& cell, TriangleMesh& out) {
    const Index first = static_cast<Index>(out.vertices.size());
    for (int k = 0; k < 8; ++k) out.vertices.push_back(cell.corner(k));
    for (const auto& f : box_faces) {
        out.triangles.push_back({first + f[0], first + f[1], first + f[2]});
        out.triangles.push_back({first + f[0], first + f[2], first + f[3]});
    }
}

Color blended(const Color& under, const Color& over, double share) {
    Color result;
    for (std::size_t c = 0; c < 3; ++c)
        result[c] = static_cast<std::uint8_t>(std::lround((1 - share) * under[c] + share * over[c]));
    return result;
}

void blend(Image& under, const Image& over, const Color& background, double share) {
    for (std::size_t k = 0; k < under.pixels.size(); ++k)
        if (over.pixels[k] != background) under.pixels[k] = blended(under.pixels[k], over.pixels[k], share);
}

Image picture_of_cells(const field_field::FieldOverlap& overlap, const View& view,
                       const OverlapPictureOptions& options) {
    TriangleMesh boxes;
    Segments edges;
    for (const Box& cell : largest(overlap.inside, options.max_cells)) {
        add_box(cell, boxes);
        add_edges(cell, overlap.frame, edges);
    }
    for (const Box& cell : largest(overlap.border, options.max_cells)) add_edges(cell, overlap.frame, edges);
    const PlacedMesh placed{&boxes, overlap.frame, options.inside};
    return draw(std::span(&placed, 1), view, {.points = {}, .segments = edges});
}

} // namespace

Image draw_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                   const field_field::FieldOverlap& overlap, const OverlapPictureOptions& options) {
    const TriangleMesh mesh_a = surface_of(a, options.resolution), mesh_b = surface_of(b, options.resolution);
    const std::array<PlacedMesh, 2> bodies = {PlacedMesh{&mesh_a, pose_a, options.color_a},
                                              PlacedMesh{&mesh_b, pose_b, options.color_b}};
    std::vector<Vec3> frame; // one camera for all layers
    for (const PlacedMesh& body : bodies)
        for (const Vec3& p : body.mesh->vertices) frame.push_back(body.pose * p);
    View view = options.view;
    view.frame = frame;
    const auto alone = [&](std::size_t k) { return draw(std::span(bodies).subspan(k, 1), view); };
    // The image of both bodies shows which is in front; the images of the single bodies make them translucent.
    Image picture = alone(0);
    blend(picture, alone(1), view.background, 0.5);
    blend(picture, draw(bodies, view), view.background, 0.4);
    Image result(picture.width, picture.height, view.background);
    blend(result, picture, view.background, options.body_opacity);
    blend(result, picture_of_cells(overlap, view, options), view.background, options.cell_opacity);
    return result;
}

} // namespace fathom
