// Helpers shared by the generators.
#include <fathom/geometry/generate/parts.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace fathom {

void check_number(std::string_view option, double value, double minimum, double maximum) {
    if (value >= minimum && value <= maximum) return;
    throw Error(Cause::invalid_argument, fmt::format("{} is {}, outside [{}, {}]", option, value, minimum, maximum),
                {.element = fmt::format("option {}", option)});
}

void check_length(std::string_view option, double value) {
    check_number(option, value, min_generated_length, max_generated_length);
}

void check_count(std::string_view option, std::size_t value, std::size_t minimum, std::size_t maximum) {
    if (value >= minimum && value <= maximum) return;
    throw Error(Cause::invalid_argument, fmt::format("{} is {}, outside [{}, {}]", option, value, minimum, maximum),
                {.element = fmt::format("option {}", option)});
}

void check_total(std::string_view shape, double elements) {
    if (elements <= static_cast<double>(max_generated_elements)) return;
    throw Error(Cause::too_large, fmt::format("a {} of {:.3g} elements exceeds the limit of {}", shape, elements,
                                              max_generated_elements));
}

namespace {

// Sine and cosine of an angle in [0, pi/4] by their series, accurate to the last one or two bits.
Vec2 small_turn(double angle) {
    const double s = angle * angle;
    double sine = 1, cosine = 1;
    for (int k = 8; k >= 1; --k) {
        sine = 1 - sine * s / ((2 * k) * (2 * k + 1));
        cosine = 1 - cosine * s / ((2 * k - 1) * (2 * k));
    }
    return {cosine, sine * angle};
}

} // namespace

Vec2 unit_circle(std::size_t k, std::size_t n) {
    k %= n;
    const std::size_t quarter = 4 * k / n, rest = 4 * k - quarter * n;
    const bool upper = 2 * rest > n;
    const double part = static_cast<double>(upper ? n - rest : rest) / static_cast<double>(n);
    Vec2 p = small_turn(part * (std::numbers::pi / 2));
    if (upper) p = Vec2(p.y(), p.x());
    switch (quarter) {
    case 0:
        return p;
    case 1:
        return {-p.y(), p.x()};
    case 2:
        return -p;
    default:
        return {p.y(), -p.x()};
    }
}

std::size_t pieces(double length, double edge, std::size_t minimum) {
    const double count = std::floor(length / edge + 0.5);
    return std::max(minimum, static_cast<std::size_t>(std::clamp(count, 0.0, 1e9)));
}

void add_quad(std::vector<Triangle>& triangles, Index a, Index b, Index c, Index d, bool other) {
    if (other) {
        triangles.push_back({a, b, d});
        triangles.push_back({b, c, d});
    } else {
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
    }
}

TriangleMesh unit_icosahedron() {
    TriangleMesh mesh;
    const double height = 1 / std::sqrt(5.0), radius = 2 * height;
    mesh.vertices.push_back(Vec3::UnitZ());
    for (std::size_t ring = 0; ring < 2; ++ring)
        for (std::size_t k = 0; k < 5; ++k) {
            const Vec2 c = radius * unit_circle(2 * k + ring, 10);
            mesh.vertices.emplace_back(c.x(), c.y(), ring == 0 ? height : -height);
        }
    mesh.vertices.push_back(-Vec3::UnitZ());
    for (Index k = 0; k < 5; ++k) {
        const Index next = (k + 1) % 5;
        mesh.triangles.push_back({0, 1 + k, 1 + next});
        mesh.triangles.push_back({1 + k, 6 + k, 1 + next});
        mesh.triangles.push_back({1 + next, 6 + k, 6 + next});
        mesh.triangles.push_back({11, 6 + next, 6 + k});
    }
    return mesh;
}

namespace {

// Numbers the points of a subdivided icosahedron so that faces share those on their edges.
class IcosphereNumbering {
public:
    IcosphereNumbering(const TriangleMesh& base, std::size_t resolution) : n_(static_cast<Index>(resolution)) {
        for (const Triangle& t : base.triangles)
            for (std::size_t k = 0; k < 3; ++k) {
                const Index a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
                edges_.emplace(std::pair(a, b), static_cast<Index>(edges_.size()));
            }
    }

    // The point of the lattice with weights i, j, n - i - j for the second, third and first corner of face f.
    [[nodiscard]] Index number(const Triangle& t, Index f, Index i, Index j) const {
        if (j == 0) return on_edge(t[0], t[1], i);
        if (i == 0) return on_edge(t[0], t[2], j);
        if (i + j == n_) return on_edge(t[1], t[2], j);
        const Index inner = (n_ - 1) * (n_ - 2) / 2; // interior points of a face
        return 12 + 30 * (n_ - 1) + f * inner + (j - 1) * (n_ - 1) - j * (j - 1) / 2 + (i - 1);
    }

private:
    [[nodiscard]] Index on_edge(Index a, Index b, Index step) const {
        if (step == 0) return a;
        if (step == n_) return b;
        if (a > b) return on_edge(b, a, n_ - step);
        return 12 + edges_.at({a, b}) * (n_ - 1) + step - 1;
    }

    Index n_;
    std::map<std::pair<Index, Index>, Index> edges_;
};

} // namespace

TriangleMesh unit_icosphere(std::size_t resolution) {
    const TriangleMesh base = unit_icosahedron();
    const IcosphereNumbering numbering(base, resolution);
    const Index n = static_cast<Index>(resolution);
    TriangleMesh mesh;
    mesh.vertices.resize(10 * resolution * resolution + 2);
    mesh.triangles.reserve(20 * resolution * resolution);
    for (Index f = 0; f < 20; ++f) {
        const Triangle& t = base.triangles[f];
        const auto at = [&](Index i, Index j) { return numbering.number(t, f, i, j); };
        for (Index j = 0; j <= n; ++j)
            for (Index i = 0; i + j <= n; ++i) {
                const double wi = i, wj = j, wk = n - i - j;
                const Vec3 p = wk * base.vertices[t[0]] + wi * base.vertices[t[1]] + wj * base.vertices[t[2]];
                mesh.vertices[at(i, j)] = p / std::sqrt(p.squaredNorm());
                if (i + j < n) mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
                if (i + j + 1 < n) mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
            }
    }
    return mesh;
}

namespace {

std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Dot product of the offset d with the gradient at a lattice point, one of the twelve edge directions of a cube.
double slope(const std::array<std::int64_t, 3>& cell, const Vec3& d, std::uint64_t seed) {
    std::uint64_t hash = seed;
    for (const std::int64_t c : cell) hash = mixed(hash + static_cast<std::uint64_t>(c) * 0x9e3779b97f4a7c15u);
    const double u = (hash & 1) ? 1 : -1, v = (hash & 2) ? 1 : -1;
    switch ((hash >> 2) % 3) {
    case 0:
        return u * d.x() + v * d.y();
    case 1:
        return u * d.y() + v * d.z();
    default:
        return u * d.z() + v * d.x();
    }
}

double faded(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

} // namespace

double lattice_noise(const Vec3& p, std::uint64_t seed) {
    const Vec3 corner = p.array().floor().matrix();
    const Vec3 d = p - corner;
    const Vec3 w(faded(d.x()), faded(d.y()), faded(d.z()));
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        std::array<std::int64_t, 3> cell;
        Vec3 offset = d;
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int bit = (k >> axis) & 1;
            cell[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(corner[axis]) + bit;
            offset[axis] -= bit;
            weight *= bit ? w[axis] : 1 - w[axis];
        }
        sum += weight * slope(cell, offset, seed);
    }
    return sum;
}

} // namespace fathom
