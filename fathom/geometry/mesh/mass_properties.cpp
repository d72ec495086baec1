// Volume, area, centre of mass and inertia.
#include <fathom/geometry/mesh/mass_properties.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fathom {

namespace {

constexpr std::size_t mass_chunk = 4096;

// A volume below this fraction of area times size is rounding noise.
constexpr double volume_noise = 1e-12;

// Compensated sum that carries the rounding errors of its additions (Knuth's two-sum), for several terms at once.
template <int N>
struct Compensated {
    using Terms = Eigen::Array<double, N, 1>;
    Terms high = Terms::Zero();
    Terms low = Terms::Zero();

    void add(const Terms& term) {
        const Terms sum = high + term;
        const Terms part = sum - high;
        low += (high - (sum - part)) + (term - part);
        high = sum;
    }
    void add(const Compensated& other) {
        add(other.high);
        low += other.low;
    }
    [[nodiscard]] Terms value() const { return high + low; }
};

template <int N, class Term>
typename Compensated<N>::Terms sum_of(std::size_t count, Term&& term) {
    return parallel_reduce(
               count, mass_chunk, Compensated<N>{},
               [&](std::size_t begin, std::size_t end) {
                   Compensated<N> sum;
                   for (std::size_t i = begin; i < end; ++i) sum.add(term(i));
                   return sum;
               },
               [](Compensated<N> a, const Compensated<N>& b) {
                   a.add(b);
                   return a;
               })
        .value();
}

// Coordinates relative to the middle of the bounds, in units of their size: no loss of precision far from the origin,
// no overflow of fifth powers.
struct LocalFrame {
    Vec3 origin = Vec3::Zero();
    double unit = 1;

    explicit LocalFrame(const Box& box) {
        if (box.empty()) return;
        origin = box.center();
        const double largest = box.half().maxCoeff();
        if (largest > 0 && std::isfinite(largest)) unit = std::exp2(std::ceil(std::log2(largest)));
    }
    [[nodiscard]] Vec3 operator()(const Vec3& p) const { return (p - origin) / unit; }
};

// Six times volume; 24 times first moments; 120 times second moments xx yy zz xy yz zx; twice area; six times area
// moments.
constexpr int moment_count = 14;
using Moments = Eigen::Array<double, moment_count, 1>;

// Moments of the tetrahedron from the local origin to (a, b, c).
void add_tetrahedron(Moments& m, const Vec3& a, const Vec3& b, const Vec3& c) {
    const double volume = a.dot(b.cross(c));
    const Vec3 sum = a + b + c;
    const auto second = [&](int i, int j) {
        return volume * (sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    };
    m[0] += volume;
    m.segment<3>(1) += (volume * sum).array();
    for (int i = 0; i < 3; ++i) {
        m[4 + i] += second(i, i);
        m[7 + i] += second(i, (i + 1) % 3);
    }
}

void add_area(Moments& m, const Vec3& a, const Vec3& b, const Vec3& c) {
    const double area = (b - a).cross(c - a).norm();
    m[10] += area;
    m.segment<3>(11) += (area * (a + b + c)).array();
}

Mat3 inertia_about_center(const Moments& m, const Vec3& center, double volume) {
    Mat3 second;
    second << m[4], m[7], m[9], m[7], m[5], m[8], m[9], m[8], m[6];
    second = second / 120.0 - volume * center * center.transpose();
    return Mat3(second.trace() * Mat3::Identity() - second);
}

MassProperties from_moments(const Moments& m, const LocalFrame& frame, double density) {
    const double area = m[10] / 2, volume = m[0] / 6;
    Vec3 center = Vec3::Zero();
    if (std::abs(volume) > volume_noise * area)
        center = m.segment<3>(1).matrix() / (4 * m[0]);
    else if (area > 0)
        center = m.segment<3>(11).matrix() / (3 * m[10]);

    const double u = frame.unit;
    MassProperties properties;
    properties.area = area * u * u;
    properties.volume = volume * u * u * u;
    properties.mass = density * properties.volume;
    properties.center = frame.origin + u * center;
    properties.inertia = inertia_about_center(m, center, volume) * (density * u * u * u * u * u);
    return properties;
}

// Bounds of the vertices that the elements use.
template <class Elements>
Box used_bounds(const Elements& elements, std::span<const Vec3> vertices) {
    Box box;
    for (const auto& element : elements)
        for (const Index v : element) box.extend(vertices[v]);
    return box;
}

} // namespace

MassProperties mass_properties(const TriangleMesh& mesh, const MassOptions& options) {
    const LocalFrame frame(used_bounds(mesh.triangles, mesh.vertices));
    const auto moments = sum_of<moment_count>(mesh.triangles.size(), [&](std::size_t t) {
        const auto [a, b, c] = mesh.corners(t);
        Moments m = Moments::Zero();
        add_tetrahedron(m, frame(a), frame(b), frame(c));
        add_area(m, frame(a), frame(b), frame(c));
        return m;
    });
    return from_moments(moments, frame, options.density);
}

MassProperties mass_properties(const TetMesh& mesh, const MassOptions& options) {
    const LocalFrame frame(used_bounds(mesh.tetrahedra, mesh.vertices));
    const auto neighbours = tetrahedron_neighbours(mesh.tetrahedra, mesh.vertices.size());
    const auto moments = sum_of<moment_count>(mesh.tetrahedra.size(), [&](std::size_t t) {
        auto corners = mesh.corners(t);
        for (Vec3& corner : corners) corner = frame(corner);
        Moments m = Moments::Zero();
        for (std::size_t k = 0; k < 4; ++k) {
            const auto& face = tetrahedron_faces[k];
            const auto corner = [&](std::size_t i) { return corners[static_cast<std::size_t>(face[i])]; };
            add_tetrahedron(m, corner(0), corner(1), corner(2));
            if (neighbours[t][k] == no_index) add_area(m, corner(0), corner(1), corner(2));
        }
        return m;
    });
    return from_moments(moments, frame, options.density);
}

SurfaceMeasure surface_measure(const TriangleMesh& mesh, std::span<const Index> triangles) {
    Box box;
    for (const Index t : triangles) box.extend(mesh.bounds(t));
    const LocalFrame frame(box);
    const auto sums = sum_of<2>(triangles.size(), [&](std::size_t i) {
        const auto [a, b, c] = mesh.corners(triangles[i]);
        const Vec3 normal = (frame(b) - frame(a)).cross(frame(c) - frame(a));
        return Compensated<2>::Terms(normal.norm(), normal.dot(frame(a)));
    });
    const double area = sums[0] / 2, u = frame.unit;
    const double volume = std::abs(sums[1] / 6) > volume_noise * area ? sums[1] / 6 : 0.0;
    return {area * u * u, volume * u * u * u};
}

} // namespace fathom
