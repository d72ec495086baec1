// A mass-spring network: points with masses, connected by springs and by triangles and tetrahedra that preserve their
// area and volume. Method: Madera et al. 2006, section 4, and Teschner et al. 2004 for the area and volume terms. One
// network may hold many objects ("parts"), whose points are numbered consecutively, so that contact may couple them.
// Stiffness is given as a modulus of the material and distributed to the springs by the area (volume) round each edge,
// k = modulus * area / length^2 (van Gelder 1998): a finer mesh, or other units, give the same material. For
// equilateral triangles that is exact, with a Poisson ratio of 1/3; otherwise approximate. SI units: metres, kilograms,
// seconds. Not for sheets that resist bending at small angles: across a flat edge the force of a bending spring grows
// with the cube of the angle.
#pragma once

#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <cstdint>
#include <string>

namespace fathom {

enum class SpringKind : std::uint8_t {
    edge,
    bending, // between the two vertices opposite an edge
    removed  // has no force; its number is not reused
};

struct Spring {
    std::array<Index, 2> points{};
    double rest = 0;      // length (m)
    double stiffness = 0; // N/m
    double damping = 0;   // N s/m, on the rate of change of its length
    SpringKind kind = SpringKind::edge;
};

struct AreaTerm {
    std::array<Index, 3> points{};
    double rest = 0;      // area (m^2), above 0
    double stiffness = 0; // N/m: energy stiffness / 2 * (area - rest)^2 / rest
};

struct VolumeTerm {
    std::array<Index, 4> points{};
    double rest = 0;      // signed_volume() (m^3), not 0; an inverted tetrahedron is pushed back
    double stiffness = 0; // Pa: energy stiffness / 2 * (volume - rest)^2 / |rest|
};

struct SpringNetwork {
    std::vector<Vec3> points;   // initial positions (m)
    std::vector<double> masses; // kg
    std::vector<char> fixed;    // not moved by forces; keeps its velocity
    std::vector<Index> part;    // the object of each point
    std::vector<Spring> springs;
    std::vector<AreaTerm> areas;
    std::vector<VolumeTerm> volumes;

    [[nodiscard]] std::size_t size() const { return points.size(); }
    [[nodiscard]] std::size_t part_count() const; // the highest part plus one
    // 1/kg; 0 for fixed points.
    [[nodiscard]] double inverse_mass(Index point) const { return fixed[point] ? 0 : 1 / masses[point]; }
};

struct SurfaceMaterial {
    double density = 1;   // kg/m^2
    double stretch = 100; // Young's modulus times thickness (N/m)
    // N/m, distributed as `stretch` is, by the two triangles and the length of the bending spring.
    double bending = 10;
    double area = 100; // N/m
    // Damping over stiffness of a spring (s). A mode of frequency w (rad/s) has the share w * damping_time / 2 of
    // critical damping, whatever the mesh.
    double damping_time = 0;
    // Smallest mass of a point, as a share of the mean mass: lighter points of slivers would require tiny steps.
    double min_mass = 0.01;
};

struct SolidMaterial {
    double density = 1000;   // kg/m^3
    double stretch = 1e5;    // spring stiffness as Young's modulus (Pa)
    double volume = 1e5;     // Pa
    double damping_time = 0; // s, as above
    double min_mass = 0.01;  // as above
};

// Network of one part, point k at vertex k. It has springs on all edges (in the order of edge_table()), then bending
// springs across edges of exactly two triangles, unless their ends already share an edge; and areas of all triangles
// that have one. A third of a triangle's mass goes to each corner. Area / length^2 is clamped to [0.05, 20], and is
// 0.866 on edges without length; a triangle whose area is less than 0.05 of its longest side squared resists change of
// area proportionally less. Vertices of no triangle are fixed and have no mass. Throws Error as check(mesh),
// Error{invalid_argument} for the material, Error{empty} if there is no area.
[[nodiscard]] SpringNetwork surface_network(const TriangleMesh& mesh, const SurfaceMaterial& material = {});

// Network of one part with springs on all edges, k = stretch * volume round it / length^2 with volume / length^3
// clamped to [0.01, 10]; and volumes of all tetrahedra that have one, whatever their sign. A quarter of a tetrahedron's
// mass goes to each corner. Otherwise as above.
[[nodiscard]] SpringNetwork solid_network(const TetMesh& mesh, const SolidMaterial& material = {});
// Sets stiffness and damping as solid_network() does, for a spring on an edge of this length with this volume round it
// (both at rest).
void stiffen(Spring& spring, const SolidMaterial& material, double volume, double length);

// Stiffness (N/m) of a spring on an edge with this area round it, as surface_network() distributes the modulus.
[[nodiscard]] double surface_stiffness(double modulus, double area, double length);

// Appends the points and elements of `other`, its parts after those of `network`. Returns the first new point.
// O(other).
Index append(SpringNetwork& network, const SpringNetwork& other);

// Throws Error naming the first bad array or element: count_mismatch, non_finite, index_out_of_range, invalid_argument
// (negative stiffness, damping or rest length; a free point without mass; a spring with one end). O(n).
void check(const SpringNetwork& network);

// Elements and mass that move to the new point when a point is split.
struct PointSplit {
    std::span<const Index> springs{}, areas{}, volumes{}; // each must contain the point
    double mass_share = 0.5;                              // in (0,1)
};

// Adds a point at the position of `point`, in the same part, and moves the listed elements to it; returns its number.
// Springs between the two are not added. Throws Error{invalid_argument} or {index_out_of_range} before anything is
// changed. O(elements listed).
Index split_point(SpringNetwork& network, Index point, const PointSplit& split);
void remove_spring(SpringNetwork& network, Index spring); // O(1); Error{index_out_of_range}
// Sets rest lengths that have crept (m, not negative): of one spring, Error{index_out_of_range}, {invalid_argument}; or
// from another state of the same network, Error{count_mismatch}.
void set_rest_length(SpringNetwork& network, Index spring, double length);
void copy_rest_lengths(const SpringNetwork& from, SpringNetwork& to);

// New or changed points and elements, with their complete new data. Numbers not below the size of the network are new.
// Any order, each number once, without gaps in the new numbers.
struct NetworkEdit {
    struct Point {
        Index number = no_index;
        // rest is SpringNetwork::points (m); position (m); velocity (m/s).
        Vec3 rest = Vec3::Zero(), position = Vec3::Zero(), velocity = Vec3::Zero();
        double mass = 0;
        bool fixed = false;
        Index part = 0;
    };
    template <class Element>
    struct Change {
        Index number = no_index;
        Element element{};
    };
    std::vector<Point> points{};
    std::vector<Change<Spring>> springs{};
    std::vector<Change<AreaTerm>> areas{};
    std::vector<Change<VolumeTerm>> volumes{};

    [[nodiscard]] bool empty() const { return points.empty() && springs.empty() && areas.empty() && volumes.empty(); }
};

// Numbers in a network of elements that an edit added, changed or removed; ascending.
struct NetworkChanges {
    std::vector<Index> points, springs, areas, volumes;
};

// Throws Error as check(network) for the listed items, and {invalid_argument} for gaps in the new numbers. O(edit).
void check(const NetworkEdit& edit, const SpringNetwork& network);
void apply(const NetworkEdit& edit, SpringNetwork& network); // the edit must have passed check(); O(edit)

[[nodiscard]] double total_mass(const SpringNetwork& network); // of the points that are not fixed (kg)

} // namespace fathom
