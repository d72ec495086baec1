// Merging of vertices at equal or nearby positions.
#include <fathom/geometry/mesh/weld.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace fathom {

namespace {

constexpr std::size_t weld_chunk = 8192;

using PositionBits = std::array<std::uint64_t, 3>;

PositionBits position_bits(const Vec3& p) {
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }; // -0.0 + 0.0 is 0.0
    return {bits(p.x()), bits(p.y()), bits(p.z())};
}

// The finalizer of splitmix64 (Steele, Lea & Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::uint64_t hash(const PositionBits& bits) {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (const std::uint64_t word : bits) h = mixed(h + word);
    return h;
}

// Vertices kept so far, by cell of a grid. Cells are more than twice the tolerance wide, so that the ball around a
// point overlaps at most two along each axis; vertices kept in one cell are farther apart than the tolerance, so there
// are few.
class KeptVertices {
public:
    KeptVertices(std::span<const Vec3> points, double tolerance)
        : points_(points), tolerance_(tolerance), next_(points.size()) {
        first_.reserve(points.size());
    }

    // The nearest kept vertex within the tolerance, the lowest index at equal distance; no_index if there is none.
    [[nodiscard]] Index nearest(const Vec3& p) const {
        // More than the tolerance plus the rounding of a quotient.
        const Vec3 reach = Vec3::Constant(1.125 * tolerance_);
        const Vec3 low = cell_of(p - reach), high = cell_of(p + reach);
        Index best = no_index;
        double best_distance = tolerance_;
        for (double x = low.x(); x <= high.x(); ++x)
            for (double y = low.y(); y <= high.y(); ++y)
                for (double z = low.z(); z <= high.z(); ++z) visit({x, y, z}, p, best, best_distance);
        return best;
    }

    void keep(Index i) {
        const auto [entry, is_new] = first_.try_emplace(hash(position_bits(cell_of(points_[i]))), i);
        next_[i] = is_new ? no_index : entry->second;
        entry->second = i;
    }

private:
    [[nodiscard]] Vec3 cell_of(const Vec3& p) const { return (p / (2.5 * tolerance_)).array().floor(); }

    // Cells are identified by a 64-bit hash; a collision only costs time, because distances decide.
    void visit(const Vec3& cell, const Vec3& p, Index& best, double& best_distance) const {
        const auto entry = first_.find(hash(position_bits(cell)));
        if (entry == first_.end()) return;
        for (Index i = entry->second; i != no_index; i = next_[i]) {
            const double distance = (points_[i] - p).norm();
            if (distance > best_distance || (distance == best_distance && best < i)) continue;
            best = i;
            best_distance = distance;
        }
    }

    std::span<const Vec3> points_;
    double tolerance_;
    std::vector<Index> next_;                        // next vertex in the same cell
    std::unordered_map<std::uint64_t, Index> first_; // first vertex of a cell, by the hash of the cell
};

void check_tolerance(double tolerance, std::span<const Vec3> points) {
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
        throw Error(Cause::invalid_argument, fmt::format("must be finite and not negative, got {}", tolerance),
                    {.element = "option tolerance"});
    double largest = 0;
    for (const Vec3& p : points) largest = std::max(largest, p.cwiseAbs().maxCoeff());
    if (tolerance > 0 && tolerance < std::ldexp(largest, -48))
        throw Error(Cause::invalid_argument,
                    fmt::format("{} is below the resolution of coordinates as large as {}; use 0", tolerance, largest),
                    {.element = "option tolerance"});
}

// For each point the point that it is merged into: itself, or one of lower index.
std::vector<Index> near_positions(std::span<const Vec3> points, double tolerance) {
    const std::vector<Index> equal = equal_positions(points);
    std::vector<Index> target(points.size());
    KeptVertices kept(points, tolerance);
    for (Index i = 0; i < points.size(); ++i) {
        if (equal[i] != i) {
            target[i] = target[equal[i]];
            continue;
        }
        const Index near = kept.nearest(points[i]);
        target[i] = near == no_index ? i : near;
        if (near == no_index) kept.keep(i);
    }
    return target;
}

std::vector<bool> referenced_vertices(std::span<const Triangle> triangles, std::size_t vertex_count) {
    std::vector<bool> used(vertex_count, false);
    for (const Triangle& t : triangles)
        for (const Index v : t) used[v] = true;
    return used;
}

// Replaces every vertex by the one it is merged into, and closes the gaps.
void renumber(Welded& welded, const TriangleMesh& mesh, const std::vector<Index>& target, bool drop_unreferenced) {
    const auto used = referenced_vertices(welded.mesh.triangles, target.size());
    welded.vertex_map.assign(target.size(), no_index);
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (target[i] != i) {
            welded.vertex_map[i] = welded.vertex_map[target[i]];
        } else if (used[i] || !drop_unreferenced) {
            welded.vertex_map[i] = static_cast<Index>(welded.mesh.vertices.size());
            welded.mesh.vertices.push_back(mesh.vertices[i]);
        }
    }
    for (Triangle& t : welded.mesh.triangles)
        for (Index& v : t) v = welded.vertex_map[v];
}

} // namespace

std::vector<Index> equal_positions(std::span<const Vec3> points) {
    const std::size_t bucket_count = std::bit_ceil(std::max<std::size_t>(points.size(), 1));
    std::vector<Index> bucket(points.size());
    parallel_for(points.size(), weld_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            bucket[i] = static_cast<Index>(hash(position_bits(points[i])) & (bucket_count - 1));
    });
    Lists lists = grouped(bucket, bucket_count);

    std::vector<Index> lowest(points.size());
    parallel_for(bucket_count, weld_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const std::span<Index> list(lists.items.data() + lists.offsets[b], lists.offsets[b + 1] - lists.offsets[b]);
            const auto before = [&](Index i, Index j) {
                const PositionBits a = position_bits(points[i]), c = position_bits(points[j]);
                return a != c ? a < c : i < j;
            };
            if (list.size() > 1) std::sort(list.begin(), list.end(), before);
            for (std::size_t k = 0; k < list.size(); ++k) {
                const bool joins = k > 0 && position_bits(points[list[k]]) == position_bits(points[list[k - 1]]);
                lowest[list[k]] = joins ? lowest[list[k - 1]] : list[k];
            }
        }
    });
    return lowest;
}

TriangleMesh without_unreferenced_vertices(const TriangleMesh& mesh) {
    Welded kept;
    kept.mesh.triangles = mesh.triangles;
    std::vector<Index> itself(mesh.vertices.size());
    std::iota(itself.begin(), itself.end(), Index{0});
    renumber(kept, mesh, itself, true);
    return std::move(kept.mesh);
}

std::vector<Index> duplicate_triangles(std::span<const Triangle> triangles, const EdgeTable& table) {
    // Triangles with the same three vertices share the edge of the two lower ones, where the third vertex distinguishes
    // triangles.
    const auto add_duplicates = [&](std::size_t edge, std::vector<Index>& found) {
        const auto sides = table.sides[edge];
        if (sides.size() < 2) return;
        std::vector<std::array<Index, 2>> third_and_triangle;
        for (const Index side : sides) {
            const Index third = triangles[side / 3][(side + 2) % 3];
            if (third > table.edges[edge][1]) third_and_triangle.push_back({third, side / 3});
        }
        std::sort(third_and_triangle.begin(), third_and_triangle.end());
        for (std::size_t i = 1; i < third_and_triangle.size(); ++i)
            if (third_and_triangle[i][0] == third_and_triangle[i - 1][0]) found.push_back(third_and_triangle[i][1]);
    };
    auto found = parallel_reduce(
        table.edges.size(), weld_chunk, std::vector<Index>{},
        [&](std::size_t begin, std::size_t end) {
            std::vector<Index> part;
            for (std::size_t edge = begin; edge < end; ++edge) add_duplicates(edge, part);
            return part;
        },
        [](std::vector<Index> all, const std::vector<Index>& part) {
            all.insert(all.end(), part.begin(), part.end());
            return all;
        });
    std::sort(found.begin(), found.end());
    return found;
}

Welded weld(const TriangleMesh& mesh, const WeldOptions& options) {
    check(mesh);
    check_tolerance(options.tolerance, mesh.vertices);
    const auto target =
        options.tolerance > 0 ? near_positions(mesh.vertices, options.tolerance) : equal_positions(mesh.vertices);

    std::vector<Triangle> renamed = mesh.triangles;
    for (Triangle& t : renamed)
        for (Index& v : t) v = target[v];
    const auto duplicates = duplicate_triangles(renamed, edge_table(renamed, target.size()));

    Welded welded;
    welded.duplicate_triangles = duplicates.size();
    for (std::size_t i = 0; i < target.size(); ++i) {
        welded.merged_vertices += target[i] != i;
        welded.largest_move = std::max(welded.largest_move, (mesh.vertices[target[i]] - mesh.vertices[i]).norm());
    }
    for (std::size_t t = 0; t < renamed.size(); ++t) {
        const bool collapsed = names_a_vertex_twice(renamed[t]);
        welded.collapsed_triangles += collapsed && !names_a_vertex_twice(mesh.triangles[t]);
        if (collapsed && options.drop_collapsed) continue;
        if (options.drop_duplicates && std::binary_search(duplicates.begin(), duplicates.end(), t)) continue;
        welded.mesh.triangles.push_back(renamed[t]);
        welded.source_triangles.push_back(static_cast<Index>(t));
    }
    renumber(welded, mesh, target, options.drop_unreferenced);
    return welded;
}

} // namespace fathom
