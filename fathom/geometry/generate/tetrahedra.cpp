// Boxes, balls, cylinders and tori of tetrahedra.
#include <fathom/base/error.h>
#include <fathom/geometry/generate/parts.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Cube corners as bits x, y, z: the central tetrahedron, then the four at the corners.
constexpr std::array<std::array<int, 4>, 5> five_cut = {
    {{0, 3, 5, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 6, 5}}};

void add_five(TetMesh& mesh, const LatticeIndex& cell, const auto& number) {
    const bool mirrored = (cell[0] + cell[1] + cell[2]) % 2 == 1;
    for (const auto& corners : five_cut) {
        Tetrahedron t{};
        for (std::size_t k = 0; k < 4; ++k) {
            const auto bits = static_cast<std::size_t>(mirrored ? corners[k] ^ 1 : corners[k]);
            t[k] = number(LatticeIndex{cell[0] + (bits & 1), cell[1] + ((bits >> 1) & 1), cell[2] + ((bits >> 2) & 1)});
        }
        mesh.tetrahedra.push_back(t);
        if (signed_volume(mesh.corners(mesh.tetrahedra.size() - 1)) < 0)
            std::swap(mesh.tetrahedra.back()[2], mesh.tetrahedra.back()[3]);
    }
}

void add_six(TetMesh& mesh, const LatticeIndex& cell, const auto& number) {
    for (const KuhnWalk& walk : kuhn_walks) {
        const auto c = corners_of(cell, walk);
        mesh.tetrahedra.push_back({number(c[0]), number(c[1]), number(c[2]), number(c[3])});
    }
}

} // namespace

TetMesh make_tet_box(const TetBoxOptions& options) {
    for (const double side : options.size) check_length("size", side);
    for (const std::size_t count : options.cells) check_count("cells", count, 1, max_generated_elements);
    const LatticeIndex& n = options.cells;
    const double cells = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
    check_total("box of tetrahedra", cells * (options.five ? 5 : 6));

    TetMesh mesh;
    mesh.vertices.reserve((n[0] + 1) * (n[1] + 1) * (n[2] + 1));
    mesh.tetrahedra.reserve(n[0] * n[1] * n[2] * (options.five ? 5 : 6));
    const auto number = [&](const LatticeIndex& p) {
        return static_cast<Index>((p[2] * (n[1] + 1) + p[1]) * (n[0] + 1) + p[0]);
    };
    for (std::size_t k = 0; k <= n[2]; ++k)
        for (std::size_t j = 0; j <= n[1]; ++j)
            for (std::size_t i = 0; i <= n[0]; ++i) {
                const Vec3 fraction(static_cast<double>(i) / static_cast<double>(n[0]),
                                    static_cast<double>(j) / static_cast<double>(n[1]),
                                    static_cast<double>(k) / static_cast<double>(n[2]));
                mesh.vertices.push_back((fraction - Vec3::Constant(0.5)).cwiseProduct(options.size));
            }
    for (std::size_t k = 0; k < n[2]; ++k)
        for (std::size_t j = 0; j < n[1]; ++j)
            for (std::size_t i = 0; i < n[0]; ++i)
                options.five ? add_five(mesh, {i, j, k}, number) : add_six(mesh, {i, j, k}, number);
    return mesh;
}

namespace {

// The lattice points (i, j) of one face of a subdivided icosahedron, row by row, taken from its triangles: the sphere
// lists the triangles of each face from row 0 up, with that of (i,j), (i+1,j), (i,j+1) first.
std::vector<Index> face_lattice(const TriangleMesh& sphere, std::size_t face, std::size_t n) {
    std::vector<Index> lattice((n + 1) * (n + 2) / 2);
    const auto at = [n](std::size_t i, std::size_t j) { return j * (n + 1) - j * (j - 1) / 2 + i; };
    std::size_t triangle = face * n * n;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i + j < n; ++i) {
            const Triangle& t = sphere.triangles[triangle];
            lattice[at(i, j)] = t[0];
            lattice[at(i + 1, j)] = t[1];
            lattice[at(i, j + 1)] = t[2];
            triangle += i + j + 1 < n ? 2 : 1;
        }
    return lattice;
}

// The ball as 20 wedges from the centre to the faces of an icosahedron. The points of a wedge are 0 <= c <= b <= a <=
// n: in layer a, the point (a-b) A + (b-c) B + c C of the face. Kuhn's tetrahedra of whole cubes fill the wedge
// exactly. number(a, i, j) is the vertex with weights i of B and j of C in layer a.
void add_wedge(TetMesh& mesh, std::size_t n, const auto& number) {
    const auto inside = [n](const LatticeIndex& p) { return p[0] <= n && p[1] <= p[0] && p[2] <= p[1]; };
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b <= a; ++b)
            for (std::size_t c = 0; c <= b; ++c)
                for (const KuhnWalk& walk : kuhn_walks) {
                    const auto corners = corners_of({a, b, c}, walk);
                    if (!std::all_of(corners.begin(), corners.end(), inside)) continue;
                    Tetrahedron t{};
                    for (std::size_t k = 0; k < 4; ++k)
                        t[k] = number(corners[k][0], corners[k][1] - corners[k][2], corners[k][2]);
                    mesh.tetrahedra.push_back(t);
                }
}

} // namespace

TetMesh make_tet_ball(const TetBallOptions& options) {
    check_length("radius", options.radius);
    check_count("resolution", options.resolution, 1, 170);
    const std::size_t n = options.resolution;
    TetMesh mesh;
    mesh.vertices.push_back(Vec3::Zero());
    std::vector<TriangleMesh> spheres(1);
    std::vector<Index> first(1);
    for (std::size_t a = 1; a <= n; ++a) {
        spheres.push_back(unit_icosphere(a));
        first.push_back(static_cast<Index>(mesh.vertices.size()));
        const double radius = options.radius * static_cast<double>(a) / static_cast<double>(n);
        for (const Vec3& p : spheres[a].vertices) mesh.vertices.push_back(radius * p);
    }
    mesh.tetrahedra.reserve(20 * n * n * n);
    for (std::size_t face = 0; face < 20; ++face) {
        std::vector<std::vector<Index>> lattice(1);
        for (std::size_t a = 1; a <= n; ++a) lattice.push_back(face_lattice(spheres[a], face, a));
        add_wedge(mesh, n, [&](std::size_t a, std::size_t i, std::size_t j) {
            return a == 0 ? Index{0} : first[a] + lattice[a][j * (a + 1) - j * (j - 1) / 2 + i];
        });
    }
    return mesh;
}

namespace {

// A disc of six sectors with `rings` rings; ring k has 6 k vertices. The triangles are counter-clockwise.
struct Disk {
    std::vector<Vec2> points;
    std::vector<Triangle> triangles;
};

Disk unit_disk(std::size_t rings) {
    Disk disk;
    disk.points.push_back(Vec2::Zero());
    for (std::size_t k = 1; k <= rings; ++k)
        for (std::size_t i = 0; i < 6 * k; ++i)
            disk.points.push_back(static_cast<double>(k) / static_cast<double>(rings) * unit_circle(i, 6 * k));
    const auto number = [](std::size_t k, std::size_t i) {
        return static_cast<Index>(k == 0 ? 0 : 3 * k * (k - 1) + 1 + i % (6 * k));
    };
    for (std::size_t k = 1; k <= rings; ++k)
        for (std::size_t sector = 0; sector < 6; ++sector)
            for (std::size_t i = 0; i < k; ++i) {
                const std::size_t outer = sector * k + i, inner = sector * (k - 1) + i;
                disk.triangles.push_back({number(k - 1, inner), number(k, outer), number(k, outer + 1)});
                if (i + 1 < k)
                    disk.triangles.push_back({number(k - 1, inner), number(k, outer + 1), number(k - 1, inner + 1)});
            }
    return disk;
}

// The three tetrahedra of the prism over the triangle t, between the layers that start with these vertices. The corners
// are lifted in the order of their indices, so that neighbouring prisms choose the same diagonal.
void add_prism(TetMesh& mesh, Triangle t, Index low_layer, Index high_layer) {
    const Triangle unsorted = t;
    std::sort(t.begin(), t.end());
    const bool even = (unsorted[0] == t[0] && unsorted[1] == t[1]) || (unsorted[1] == t[0] && unsorted[2] == t[1]) ||
                      (unsorted[2] == t[0] && unsorted[0] == t[1]);
    const auto low = [&](std::size_t k) { return low_layer + t[k]; };
    const auto high = [&](std::size_t k) { return high_layer + t[k]; };
    for (Tetrahedron tet : {Tetrahedron{low(0), low(1), low(2), high(2)}, Tetrahedron{low(0), low(1), high(2), high(1)},
                            Tetrahedron{low(0), high(1), high(2), high(0)}}) {
        if (!even) std::swap(tet[0], tet[1]);
        mesh.tetrahedra.push_back(tet);
    }
}

} // namespace

TetMesh make_tet_cylinder(const TetCylinderOptions& options) {
    check_length("radius", options.radius);
    check_length("height", options.height);
    check_count("rings", options.rings, 1, max_generated_elements);
    check_count("layers", options.layers, 1, max_generated_elements);
    const double rings = static_cast<double>(options.rings), layers = static_cast<double>(options.layers);
    check_total("cylinder of tetrahedra", 18 * rings * rings * layers);

    const Disk disk = unit_disk(options.rings);
    TetMesh mesh;
    for (std::size_t k = 0; k <= options.layers; ++k) {
        const double z = options.height * (static_cast<double>(k) / layers - 0.5);
        for (const Vec2& p : disk.points) mesh.vertices.emplace_back(options.radius * p.x(), options.radius * p.y(), z);
    }
    mesh.tetrahedra.reserve(3 * disk.triangles.size() * options.layers);
    for (std::size_t k = 0; k < options.layers; ++k)
        for (const Triangle& t : disk.triangles)
            add_prism(mesh, t, static_cast<Index>(k * disk.points.size()),
                      static_cast<Index>((k + 1) * disk.points.size()));
    return mesh;
}

TetMesh make_tet_torus(const TetTorusOptions& options) {
    check_length("radius", options.radius);
    check_length("tube", options.tube);
    if (!(options.tube < options.radius))
        throw Error(Cause::invalid_argument, "must be less than radius", {.element = "option tube"});
    check_count("rings", options.rings, 1, max_generated_elements);
    check_count("layers", options.layers, 3, max_generated_elements);
    check_total("ring of tetrahedra", 18 * static_cast<double>(options.rings) * static_cast<double>(options.rings) *
                                          static_cast<double>(options.layers));

    const Disk disk = unit_disk(options.rings);
    TetMesh mesh;
    for (std::size_t k = 0; k < options.layers; ++k) {
        const Vec2 around = unit_circle(k, options.layers);
        for (const Vec2& p : disk.points) {
            const double from_axis = options.radius + options.tube * p.y();
            mesh.vertices.emplace_back(from_axis * around.x(), from_axis * around.y(), options.tube * p.x());
        }
    }
    for (std::size_t k = 0; k < options.layers; ++k)
        for (const Triangle& t : disk.triangles)
            add_prism(mesh, t, static_cast<Index>(k * disk.points.size()),
                      static_cast<Index>((k + 1) % options.layers * disk.points.size()));
    return mesh;
}

} // namespace fathom
