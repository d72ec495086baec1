// Points sorted into the cells of a grid: who is near? Built in O(n log n), one query O(points near).
// For points of even density; a tree serves uneven ones. Immutable, thread-safe, visits in a fixed order.
#pragma once

#include <fathom/base/box.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom {

class PointGrid {
public:
    PointGrid(std::span<const Vec3> points, double cell);

    // call(index, position) for every point in the cells that the box around `p` meets: all within `radius`, and
    // others.
    template <class Call>
    void near(const Vec3& p, double radius, Call&& call) const {
        const Vec3 low = lattice(p - Vec3::Constant(radius)), high = lattice(p + Vec3::Constant(radius));
        for (double z = low.z(); z <= high.z(); ++z)
            for (double y = low.y(); y <= high.y(); ++y) {
                const std::uint64_t first = key({low.x(), y, z}), last = key({high.x(), y, z});
                const std::size_t bucket = bucket_of(first), end = start_[bucket + 1];
                std::size_t i = start_[bucket];
                while (i < end && keys_[i] < first) ++i;
                for (; i < end && keys_[i] <= last; ++i) call(order_[i], sorted_[i]);
            }
    }

    [[nodiscard]] double cell() const { return cell_; }
    [[nodiscard]] double reach() const { return bounds_.diagonal(); } // no two points are farther apart

private:
    static constexpr double widest = 1 << 20; // cells along an axis: 21 bits hold their numbers

    [[nodiscard]] Vec3 lattice(const Vec3& p) const {
        return ((p - bounds_.lower) / cell_).array().floor().cwiseMax(0.0).cwiseMin(widest);
    }
    [[nodiscard]] static std::uint64_t key(const Vec3& cell) { // neighbours along x have neighbouring keys
        const auto bits = [](double v) { return static_cast<std::uint64_t>(v); };
        return bits(cell.z()) << 42 | bits(cell.y()) << 21 | bits(cell.x());
    }

    // Rows of cells along x share a bucket, which may hold other rows too.
    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const {
        return static_cast<std::size_t>((key >> 21) * 0x9e3779b97f4a7c15u >> shift_);
    }

    Box bounds_;
    double cell_;
    int shift_;
    std::vector<std::size_t> start_;  // of each bucket
    std::vector<std::uint64_t> keys_; // sorted in each bucket
    std::vector<Index> order_;        // beside them: the points' numbers and positions
    std::vector<Vec3> sorted_;
};

} // namespace fathom
