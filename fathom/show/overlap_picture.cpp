// Images of two translucent bodies blended with the cells of their overlap.
#include <fathom/show/overlap_picture.h>

#include <fathom/base/error.h>
#include <fathom/field/grid/contour.h>

#include <algorithm>
#include <cmath>

namespace fathom {

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
