// Do two segments meet?
#include <fathom/geometry/primitive/flat_triangle.h>
#include <fathom/geometry/primitive/segment_segment.h>

#include <algorithm>

namespace fathom {

namespace {

// The axis along which four points of a plane are seen as four points of a plane, -1 when they lie on a line.
int common_axis(const Segment& a, const Segment& b) {
    const std::array<std::array<Vec3, 3>, 4> triangles = {
        {{a.start, a.end, b.start}, {a.start, a.end, b.end}, {a.start, b.start, b.end}, {a.end, b.start, b.end}}};
    for (const auto& triangle : triangles)
        if (const int axis = projection_axis(triangle); axis >= 0) return axis;
    return -1;
}

bool overlap_on_line(const Segment& a, const Segment& b) {
    const auto [a_first, a_last] = std::minmax(a.start, a.end, precedes);
    const auto [b_first, b_last] = std::minmax(b.start, b.end, precedes);
    return !precedes(a_last, b_first) && !precedes(b_last, a_first);
}

// Do both ends of `b` lie strictly on one side of the line through `a`?
bool beside(const Segment& a, const Segment& b, int axis) {
    return orient2d(a.start, a.end, b.start, axis) * orient2d(a.start, a.end, b.end, axis) > 0;
}

} // namespace

bool segments_overlap(const Segment& a, const Segment& b) {
    if (!a.bounds().overlaps(b.bounds())) return false;
    if (orient3d(a.start, a.end, b.start, b.end) != 0) return false;
    const int axis = common_axis(a, b);
    if (axis < 0) return overlap_on_line(a, b);
    return !beside(a, b, axis) && !beside(b, a, axis);
}

} // namespace fathom
