// Fast marching on a regular grid.
#include <fathom/baseline/grid_fast_marching.h>

#include <fathom/base/error.h>
#include <fathom/geometry/mesh/triangle_mesh.h>
#include <fathom/geometry/primitive/closest_point.h>

#include <fmt/format.h>

#include <cmath>
#include <queue>

namespace fathom {

namespace {

constexpr double far = std::numeric_limits<double>::infinity();

// Separating-axis test in double: an error in borderline cases does not matter here.
bool cell_overlaps_face(const Vec3& center, const Vec3& half, const std::array<Vec3, 3>& face) {
    const std::array<Vec3, 3> c = {face[0] - center, face[1] - center, face[2] - center};
    const auto separates = [&](const Vec3& axis) {
        const double reach = axis.cwiseAbs().dot(half) * (1 + 1e-12);
        const auto [low, high] = std::minmax({axis.dot(c[0]), axis.dot(c[1]), axis.dot(c[2])});
        return low > reach || high < -reach;
    };
    for (int k = 0; k < 3; ++k)
        if (separates(Vec3::Unit(k))) return false;
    if (separates((c[1] - c[0]).cross(c[2] - c[0]))) return false;
    for (std::size_t edge = 0; edge < 3; ++edge)
        for (int k = 0; k < 3; ++k)
            if (separates((c[(edge + 1) % 3] - c[edge]).cross(Vec3::Unit(k)))) return false;
    return true;
}

class Grid {
public:
    Grid(const Box& box, const std::array<std::size_t, 3>& points) : origin_(box.lower) {
        double total = 1;
        for (std::size_t k = 0; k < 3; ++k) {
            const double extent = box.size()[static_cast<Eigen::Index>(k)];
            count_[k] = extent > 0 ? points[k] : 1;
            if (extent > 0 && points[k] < 2)
                throw Error(Cause::invalid_argument, fmt::format("expected at least 2 points, got {}", points[k]),
                            {.element = "option points"});
            step_[k] = extent > 0 ? extent / static_cast<double>(count_[k] - 1) : 0;
            total *= static_cast<double>(count_[k]);
        }
        if (total > 1e8) throw Error(Cause::too_large, fmt::format("the grid has {:.3g} points, more than 1e8", total));
        stride_ = {1, count_[0], count_[0] * count_[1]};
        values_.assign(count_[0] * count_[1] * count_[2], far);
        done_.assign(values_.size(), 0);
    }

    // A point is on the surface if the cell about it intersects a face.
    void draw(const std::array<Vec3, 3>& face, bool exact) {
        Box box;
        for (const Vec3& corner : face) box.extend(corner);
        const auto first = cell_of(box.lower), last = cell_of(box.upper);
        for (std::size_t z = first[2]; z <= last[2]; ++z)
            for (std::size_t y = first[1]; y <= last[1]; ++y)
                for (std::size_t x = first[0]; x <= last[0]; ++x) {
                    const Vec3 at = position({x, y, z});
                    const Vec3 half(0.5 * step_[0], 0.5 * step_[1], 0.5 * step_[2]);
                    if (!cell_overlaps_face(at, half, face)) continue;
                    lower(index({x, y, z}), exact ? std::sqrt(closest_point(at, face).squared_distance) : 0.0);
                }
    }

    void march() {
        while (!front_.empty()) {
            const std::size_t point = front_.top().second;
            front_.pop();
            if (done_[point] != 0) continue;
            done_[point] = 1;
            for_neighbours(point, [&](std::size_t other) {
                if (done_[other] == 0) lower(other, solved(other));
            });
        }
    }

    // Multilinear interpolation.
    [[nodiscard]] double read(const Vec3& p) const {
        std::array<std::size_t, 3> cell{};
        std::array<double, 3> part{};
        for (std::size_t k = 0; k < 3; ++k) {
            if (count_[k] == 1) continue;
            const double at = place(p, k, 0);
            cell[k] = std::min(static_cast<std::size_t>(at), count_[k] - 2);
            part[k] = at - static_cast<double>(cell[k]);
        }
        double sum = 0;
        for (std::size_t corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::size_t at = index(cell);
            for (std::size_t k = 0; k < 3; ++k) {
                const bool upper = (corner >> k & 1) != 0;
                weight *= upper ? part[k] : 1 - part[k];
                if (upper && count_[k] > 1) at += stride_[k];
            }
            if (weight > 0) sum += weight * values_[at];
        }
        return sum;
    }

private:
    [[nodiscard]] std::size_t index(const std::array<std::size_t, 3>& c) const {
        return c[0] + c[1] * stride_[1] + c[2] * stride_[2];
    }
    [[nodiscard]] Vec3 position(const std::array<std::size_t, 3>& c) const {
        return origin_ + Vec3(static_cast<double>(c[0]) * step_[0], static_cast<double>(c[1]) * step_[1],
                              static_cast<double>(c[2]) * step_[2]);
    }
    // Grid coordinate of a point along an axis, moved by `shift`, clamped to the grid.
    [[nodiscard]] double place(const Vec3& p, std::size_t k, double shift) const {
        const auto axis = static_cast<Eigen::Index>(k);
        return std::clamp((p[axis] - origin_[axis]) / step_[k] + shift, 0.0, static_cast<double>(count_[k] - 1));
    }
    [[nodiscard]] std::array<std::size_t, 3> cell_of(const Vec3& p) const {
        std::array<std::size_t, 3> cell{};
        for (std::size_t k = 0; k < 3; ++k)
            if (count_[k] > 1) cell[k] = static_cast<std::size_t>(place(p, k, 0.5));
        return cell;
    }
    [[nodiscard]] std::size_t coordinate(std::size_t point, std::size_t axis) const {
        return point / stride_[axis] % count_[axis];
    }

    template <class Visitor>
    void for_neighbours(std::size_t point, const Visitor& visitor) const {
        for (std::size_t k = 0; k < 3; ++k) {
            if (coordinate(point, k) > 0) visitor(point - stride_[k]);
            if (coordinate(point, k) + 1 < count_[k]) visitor(point + stride_[k]);
        }
    }

    void lower(std::size_t point, double value) {
        if (!(value < values_[point])) return;
        values_[point] = value;
        front_.emplace(value, point);
    }

    // The value whose upwind differences have length 1: axes are included while their values are smaller.
    [[nodiscard]] double solved(std::size_t point) const {
        std::array<std::pair<double, double>, 3> upwind; // value, step
        for (std::size_t k = 0; k < 3; ++k) {
            upwind[k] = {far, step_[k]};
            if (coordinate(point, k) > 0) upwind[k].first = values_[point - stride_[k]];
            if (coordinate(point, k) + 1 < count_[k])
                upwind[k].first = std::min(upwind[k].first, values_[point + stride_[k]]);
        }
        std::sort(upwind.begin(), upwind.end());
        double result = far, squares = 0, linear = 0, constant = -1;
        for (const auto& [value, step] : upwind) {
            if (!(value < result)) break;
            const double weight = 1 / (step * step);
            squares += weight;
            linear += weight * value;
            constant += weight * value * value;
            result = (linear + std::sqrt(std::max(0.0, linear * linear - squares * constant))) / squares;
        }
        return result;
    }

    using Waiting = std::pair<double, std::size_t>;

    Vec3 origin_;
    std::array<std::size_t, 3> count_{}, stride_{};
    std::array<double, 3> step_{};
    std::vector<double> values_;
    std::vector<char> done_;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> front_;
};

} // namespace

std::vector<double> grid_fast_marching_depths(const BodyTopology& topology, std::span<const Vec3> positions,
                                              const GridMarchingOptions& options) {
    if (positions.size() != topology.node_count())
        throw Error(Cause::count_mismatch,
                    fmt::format("expected {} positions, got {}", topology.node_count(), positions.size()));
    check_vertices(positions, {});
    Box box;
    for (const Triangle& face : topology.faces())
        for (const Index node : face) box.extend(positions[node]);
    std::vector<double> depths(positions.size(), 0.0);
    if (box.empty()) return depths;
    Grid grid(box, options.points);
    for (const Triangle& f : topology.faces())
        grid.draw({positions[f[0]], positions[f[1]], positions[f[2]]}, options.exact_start);
    grid.march();
    for (std::size_t node = 0; node < depths.size(); ++node)
        if (topology.kind(static_cast<Index>(node)) != BodyTopology::Kind::loose)
            depths[node] = grid.read(positions[node]);
    return depths;
}

} // namespace fathom
