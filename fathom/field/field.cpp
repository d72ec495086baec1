// Default batch functions of Field: they evaluate the points and boxes one by one.
#include <fathom/field/field.h>

#include <algorithm>

namespace fathom {

void Field::distances(std::span<const Vec3> points, std::span<double> out) const {
    std::transform(points.begin(), points.end(), out.begin(), [this](const Vec3& p) { return distance(p); });
}

void Field::samples(std::span<const Vec3> points, std::span<Sample> out) const {
    std::transform(points.begin(), points.end(), out.begin(), [this](const Vec3& p) { return sample(p); });
}

void Field::ranges(std::span<const Box> boxes, std::span<Interval> out) const {
    std::transform(boxes.begin(), boxes.end(), out.begin(), [this](const Box& box) { return range(box); });
}

} // namespace fathom
