// Properties of a triangle mesh for tests: closedness, genus, volume, angles, crossings. An oracle: simple and slow.
#pragma once

#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace fathom::testing {

struct Topology {
    std::size_t edges = 0;
    std::size_t border_edges = 0; // in one triangle
    std::size_t bad_edges = 0;    // in more than two triangles, or twice in the same direction
    std::size_t fan_faults = 0;   // vertices whose triangles do not form one fan
    std::size_t unused_vertices = 0;
    std::size_t components = 0;       // by shared vertices; unused vertices do not count
    std::size_t repeated_corners = 0; // triangles that name a vertex twice
    long euler = 0;                   // used vertices - edges + triangles

    [[nodiscard]] bool closed() const {
        return border_edges == 0 && bad_edges == 0 && fan_faults == 0 && repeated_corners == 0;
    }
};

namespace detail {

// Connected groups of 0 .. n-1.
class Groups {
public:
    explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
    std::size_t find(std::size_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

private:
    std::vector<std::size_t> parent_;
};

} // namespace detail

[[nodiscard]] inline Topology topology_of(const TriangleMesh& mesh) {
    struct Side {
        Index low, high, triangle;
        bool forward;
    };
    std::vector<Side> sides;
    detail::Groups parts(mesh.vertices.size());
    Topology result;
    std::vector<std::size_t> corner_count(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Triangle& c = mesh.triangles[t];
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) ++result.repeated_corners;
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = c[k], b = c[(k + 1) % 3];
            sides.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(t), a < b});
            parts.join(a, b);
            ++corner_count[a];
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    // A vertex is manifold if its triangles are connected by edges at that vertex: groups of corners.
    detail::Groups corners(3 * mesh.triangles.size());
    const auto corner = [&](Index triangle, Index vertex) {
        const Triangle& c = mesh.triangles[triangle];
        return 3 * static_cast<std::size_t>(triangle) +
               static_cast<std::size_t>(std::find(c.begin(), c.end(), vertex) - c.begin());
    };
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t j = i;
        while (j < sides.size() && sides[j].low == sides[i].low && sides[j].high == sides[i].high) ++j;
        ++result.edges;
        if (j - i == 1) ++result.border_edges;
        if (j - i > 2 || (j - i == 2 && sides[i].forward == sides[i + 1].forward)) ++result.bad_edges;
        for (std::size_t k = i + 1; k < j; ++k)
            for (const Index v : {sides[i].low, sides[i].high})
                corners.join(corner(sides[i].triangle, v), corner(sides[k].triangle, v));
        i = j;
    }
    std::vector<std::size_t> fans(mesh.vertices.size(), 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            if (corners.find(3 * t + k) == 3 * t + k) ++fans[mesh.triangles[t][k]];
    std::size_t used = 0;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (corner_count[v] == 0) {
            ++result.unused_vertices;
            continue;
        }
        ++used;
        if (fans[v] != 1) ++result.fan_faults;
        if (parts.find(v) == v) ++result.components;
    }
    result.euler = static_cast<long>(used) - static_cast<long>(result.edges) + static_cast<long>(mesh.triangles.size());
    return result;
}

[[nodiscard]] inline double volume_of(const TriangleMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        sum += c[0].dot(c[1].cross(c[2]));
    }
    return sum / 6;
}

[[nodiscard]] inline double area_of(const TriangleMesh& mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) sum += 0.5 * area_vector(mesh.corners(t)).norm();
    return sum;
}

// Vertices at exactly the same place as an earlier one.
[[nodiscard]] inline std::size_t doubled_vertices(std::span<const Vec3> vertices) {
    std::vector<std::array<double, 3>> sorted;
    for (const Vec3& v : vertices) sorted.push_back({v.x(), v.y(), v.z()});
    std::sort(sorted.begin(), sorted.end());
    return sorted.size() - static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

// The smallest angle of each triangle, in degrees, sorted.
[[nodiscard]] inline std::vector<double> smallest_angles(const TriangleMesh& mesh) {
    std::vector<double> angles;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        double smallest = 180;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 u = c[(k + 1) % 3] - c[k], v = c[(k + 2) % 3] - c[k];
            smallest = std::min(smallest, std::atan2(u.cross(v).norm(), u.dot(v)) * 57.29577951308232);
        }
        angles.push_back(smallest);
    }
    std::sort(angles.begin(), angles.end());
    return angles;
}

namespace detail {

// True where the segment p-q passes through the inside of the triangle by more than rounding can feign.
[[nodiscard]] inline bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& c) {
    const auto side = [](const Vec3& a, const Vec3& b, const Vec3& d, const Vec3& e) {
        const Vec3 u = b - a, v = d - a, w = e - a;
        const double value = u.cross(v).dot(w);
        return std::abs(value) > 1e-12 * u.norm() * v.norm() * w.norm() ? value : 0.0;
    };
    const double from = side(c[0], c[1], c[2], p), to = side(c[0], c[1], c[2], q);
    if (!((from > 0 && to < 0) || (from < 0 && to > 0))) return false;
    const double a = side(p, q, c[0], c[1]), b = side(p, q, c[1], c[2]), d = side(p, q, c[2], c[0]);
    return (a > 0 && b > 0 && d > 0) || (a < 0 && b < 0 && d < 0);
}

} // namespace detail

// Edge-triangle pairs without a common vertex that pierce each other. Triangles are sorted into cells of about the size
// of the longest edge; rounding may hide contacts that only touch.
[[nodiscard]] inline std::size_t crossings_in(const TriangleMesh& mesh) {
    double cell = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) cell += mesh.bounds(t).diagonal();
    cell /= static_cast<double>(std::max<std::size_t>(mesh.triangles.size(), 1));
    std::unordered_map<std::uint64_t, std::vector<Index>> cells;
    const auto visit = [&](const Box& box, auto&& call) {
        const Vec3 low = (box.lower / cell).array().floor(), high = (box.upper / cell).array().floor();
        for (double z = low.z(); z <= high.z(); ++z)
            for (double y = low.y(); y <= high.y(); ++y)
                for (double x = low.x(); x <= high.x(); ++x) {
                    const auto bits = [](double v) {
                        return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & 0x1fffff;
                    };
                    call(bits(x) | bits(y) << 21 | bits(z) << 42);
                }
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        visit(mesh.bounds(t), [&](std::uint64_t key) { cells[key].push_back(static_cast<Index>(t)); });
    std::size_t found = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
            if (a > b) continue; // counted at the other triangle of the edge
            Box box;
            box.extend(mesh.vertices[a]);
            box.extend(mesh.vertices[b]);
            visit(box, [&](std::uint64_t key) {
                for (const Index s : cells[key]) {
                    const Triangle& c = mesh.triangles[s];
                    if (std::find(c.begin(), c.end(), a) != c.end() || std::find(c.begin(), c.end(), b) != c.end())
                        continue;
                    if (mesh.bounds(s).overlaps(box) &&
                        detail::pierces(mesh.vertices[a], mesh.vertices[b], mesh.corners(s)))
                        ++found;
                }
            });
        }
    return found;
}

} // namespace fathom::testing
