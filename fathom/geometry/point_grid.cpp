// Room: geometry. Points sorted into the cells of a grid.
#include <fathom/geometry/point_grid.h>

#include <utility>

namespace fathom {

PointGrid::PointGrid(std::span<const Vec3> points, double cell) {
    for (const Vec3& p : points) bounds_.extend(p);
    if (points.empty()) bounds_ = {Vec3::Zero(), Vec3::Zero()};
    cell_ = std::max(cell, bounds_.size().maxCoeff() / widest);
    if (!(cell_ > 0)) cell_ = 1;
    std::vector<std::pair<std::uint64_t, Index>> entries(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) entries[i] = {key(lattice(points[i])), static_cast<Index>(i)};
    std::sort(entries.begin(), entries.end());
    keys_.reserve(points.size());
    order_.reserve(points.size());
    sorted_.reserve(points.size());
    for (const auto& [k, i] : entries) {
        keys_.push_back(k);
        order_.push_back(i);
        sorted_.push_back(points[i]);
    }
}

} // namespace fathom
