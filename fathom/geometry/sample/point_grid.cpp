// Points sorted into the cells of a grid.
#include <fathom/geometry/sample/point_grid.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace fathom {

PointGrid::PointGrid(std::span<const Vec3> points, double cell) {
    for (const Vec3& p : points) bounds_.extend(p);
    if (points.empty()) bounds_ = {Vec3::Zero(), Vec3::Zero()};
    cell_ = std::max(cell, bounds_.size().maxCoeff() / widest);
    if (!(cell_ > 0)) cell_ = 1;
    const int bits = std::clamp(static_cast<int>(std::bit_width(points.size())) - 1, 1, 30);
    shift_ = 64 - bits;
    struct Entry {
        std::size_t bucket;
        std::uint64_t key;
        Index point;
    };
    std::vector<Entry> entries(points.size());
    start_.assign((std::size_t{1} << bits) + 1, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t k = key(lattice(points[i]));
        entries[i] = {bucket_of(k), k, static_cast<Index>(i)};
        ++start_[entries[i].bucket + 1];
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.bucket, a.key, a.point) < std::tie(b.bucket, b.key, b.point);
    });
    keys_.reserve(points.size());
    order_.reserve(points.size());
    sorted_.reserve(points.size());
    for (const Entry& entry : entries) {
        keys_.push_back(entry.key);
        order_.push_back(entry.point);
        sorted_.push_back(points[entry.point]);
    }
}

} // namespace fathom
