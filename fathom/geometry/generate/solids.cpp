// Box, sphere, ellipsoid and heart.
#include <fathom/geometry/generate/parts.h>
#include <fathom/geometry/generate/surface_refine.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Numbers the lattice points on the surface of a box: the whole lowest layer, the borders of the layers in between, and
// the whole highest layer.
class ShellNumbering {
public:
    explicit ShellNumbering(const std::array<std::size_t, 3>& cells)
        : nx_(cells[0]), ny_(cells[1]), nz_(cells[2]), layer_((nx_ + 1) * (ny_ + 1)), border_(2 * (nx_ + ny_)) {}

    [[nodiscard]] std::size_t count() const { return 2 * layer_ + (nz_ - 1) * border_; }

    [[nodiscard]] Index number(std::size_t i, std::size_t j, std::size_t k) const {
        if (k == 0) return static_cast<Index>(j * (nx_ + 1) + i);
        if (k == nz_) return static_cast<Index>(layer_ + (nz_ - 1) * border_ + j * (nx_ + 1) + i);
        return static_cast<Index>(layer_ + (k - 1) * border_ + along_border(i, j));
    }

private:
    [[nodiscard]] std::size_t along_border(std::size_t i, std::size_t j) const {
        if (j == 0) return i;
        if (i == nx_) return nx_ + j;
        if (j == ny_) return nx_ + ny_ + (nx_ - i);
        return 2 * nx_ + ny_ + (ny_ - j);
    }

    std::size_t nx_, ny_, nz_, layer_, border_;
};

void check_cells(const std::array<std::size_t, 3>& cells) {
    for (const std::size_t count : cells) check_count("cells", count, 1, max_generated_elements);
    const double x = static_cast<double>(cells[0]), y = static_cast<double>(cells[1]),
                 z = static_cast<double>(cells[2]);
    check_total("box", 4 * (x * y + y * z + z * x));
}

// The two faces of the box perpendicular to `axis`.
void add_faces(TriangleMesh& mesh, const ShellNumbering& numbering, const std::array<std::size_t, 3>& cells,
               std::size_t axis) {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (std::size_t b = 0; b < cells[v]; ++b)
        for (std::size_t a = 0; a < cells[u]; ++a)
            for (const bool far : {false, true}) {
                const auto at = [&](std::size_t du, std::size_t dv) {
                    std::array<std::size_t, 3> p{};
                    p[axis] = far ? cells[axis] : 0;
                    p[u] = a + du;
                    p[v] = b + dv;
                    return numbering.number(p[0], p[1], p[2]);
                };
                const bool other = (a + b) % 2 == 1;
                if (far)
                    add_quad(mesh.triangles, at(0, 0), at(1, 0), at(1, 1), at(0, 1), other);
                else
                    add_quad(mesh.triangles, at(0, 0), at(0, 1), at(1, 1), at(1, 0), other);
            }
}

// Cell boundaries at k/n of the side, so that both halves of the box are exactly symmetric.
double lattice_coordinate(std::size_t k, std::size_t n, double size) {
    return size * (static_cast<double>(2 * k) - static_cast<double>(n)) / static_cast<double>(2 * n);
}

} // namespace

TriangleMesh make_box(const BoxOptions& options) {
    for (const double side : options.size) check_length("size", side);
    check_cells(options.cells);
    const auto& cells = options.cells;
    const ShellNumbering numbering(cells);
    TriangleMesh mesh;
    mesh.vertices.resize(numbering.count());
    for (std::size_t k = 0; k <= cells[2]; ++k)
        for (std::size_t j = 0; j <= cells[1]; ++j) {
            const bool whole_row = k == 0 || k == cells[2] || j == 0 || j == cells[1];
            for (std::size_t i = 0; i <= cells[0]; i += whole_row ? 1 : cells[0])
                mesh.vertices[numbering.number(i, j, k)] = {lattice_coordinate(i, cells[0], options.size.x()),
                                                            lattice_coordinate(j, cells[1], options.size.y()),
                                                            lattice_coordinate(k, cells[2], options.size.z())};
        }
    for (std::size_t axis = 0; axis < 3; ++axis) add_faces(mesh, numbering, cells, axis);
    return mesh;
}

TriangleMesh make_sphere(const SphereOptions& options) {
    check_length("radius", options.radius);
    return make_ellipsoid({Vec3::Constant(options.radius), options.resolution});
}

TriangleMesh make_ellipsoid(const EllipsoidOptions& options) {
    for (const double radius : options.radii) check_length("radii", radius);
    check_count("resolution", options.resolution, 1, 2200);
    return mapped(unit_icosphere(options.resolution),
                  [&](const Vec3& p) { return Vec3(p.cwiseProduct(options.radii)); });
}

namespace {

// Real cube root by Newton's iteration, since that of libm differs between platforms in the last bit.
double cube_root(double x) {
    if (x == 0) return 0;
    int exponent = 0;
    std::frexp(x, &exponent);
    double y = std::ldexp(x < 0 ? -1.0 : 1.0, exponent / 3);
    for (int k = 0; k < 12; ++k) y -= (y * y * y - x) / (3 * y * y);
    return y;
}

// Extent of the heart along the unit direction d: the only positive root of a t^2 - 1 = c t^(5/3). In s = t^(1/3) that
// is g(s) = a s^6 - c s^5 - 1, which is negative at 0 and increases through its only root: the heart is star-shaped.
// Beyond the root g is convex, so Newton's iteration converges to the root from above.
double heart_reach(const Vec3& d) {
    const double xx = d.x() * d.x(), yy = d.y() * d.y(), zz = d.z() * d.z();
    const double a = xx + 2.25 * yy + zz;
    const double c = cube_root((xx + 9.0 / 80 * yy) * zz * d.z());
    double s = 1.25; // s^3 = 1.95 is an upper bound for all directions
    for (int k = 0; k < 9; ++k) {
        const double fourth = s * s * s * s;
        s -= ((a * s - c) * s * fourth - 1) / ((6 * a * s - 5 * c) * fourth);
    }
    return s * s * s;
}

} // namespace

TriangleMesh make_heart(const HeartOptions& options) {
    check_length("size", options.size);
    check_count("resolution", options.resolution, 2, 400);
    TriangleMesh mesh = unit_icosphere(options.resolution);
    const auto onto_heart = [](const Vec3& p) {
        const Vec3 d = p / std::sqrt(p.squaredNorm());
        return Vec3(heart_reach(d) * d);
    };
    // The cusps at the top and at the bottom are the first and last corner of the icosahedron; they must remain
    // vertices.
    std::vector<char> fixed(mesh.vertices.size(), 0);
    fixed[0] = fixed[11] = 1;
    mesh = mapped(std::move(mesh), onto_heart);
    relax(mesh, {.rounds = 60, .fixed = fixed}, onto_heart);
    const double scale = options.size / bounds(mesh.vertices).size().x();
    return mapped(std::move(mesh), [&](const Vec3& p) { return Vec3(scale * p); });
}

} // namespace fathom
