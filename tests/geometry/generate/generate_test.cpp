#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/geometry/generate/mesh_catalogue.h>
#include <support/test_counts.h>
#include <support/topology.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

namespace fathom {
namespace generate_test {

using testing::area_of;
using testing::crossings_in;
using testing::smallest_angles;
using testing::Topology;
using testing::topology_of;
using testing::volume_of;

constexpr double pi = std::numbers::pi;

Cause cause_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_FALSE(error.reason().empty());
        return error.cause();
    }
    ADD_FAILURE() << "nothing was refused";
    return Cause::cancelled;
}

// The faces of tetrahedra that belong to one only, with unused vertices left in.
TriangleMesh skin_of(const TetMesh& mesh) {
    std::map<std::array<Index, 3>, std::pair<Triangle, int>> faces;
    for (const Tetrahedron& t : mesh.tetrahedra)
        for (const auto& f : tetrahedron_faces) {
            const Triangle face = {t[static_cast<std::size_t>(f[0])], t[static_cast<std::size_t>(f[1])],
                                   t[static_cast<std::size_t>(f[2])]};
            std::array<Index, 3> key = face;
            std::sort(key.begin(), key.end());
            auto& entry = faces[key];
            entry.first = face;
            ++entry.second;
        }
    TriangleMesh skin;
    skin.vertices = mesh.vertices;
    for (const auto& [key, entry] : faces) {
        EXPECT_LE(entry.second, 2);
        if (entry.second == 1) skin.triangles.push_back(entry.first);
    }
    return skin;
}

double smallest_height_ratio(const TriangleMesh& mesh) { // of a triangle's height to its longest side
    double smallest = infinity;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = mesh.corners(t);
        const double longest =
            std::max({(c[0] - c[1]).squaredNorm(), (c[1] - c[2]).squaredNorm(), (c[2] - c[0]).squaredNorm()});
        smallest = std::min(smallest, area_vector(c).norm() / longest);
    }
    return smallest;
}

void expect_sound(const TriangleMesh& mesh, bool closed) {
    EXPECT_NO_THROW(check(mesh));
    EXPECT_EQ(testing::doubled_vertices(mesh.vertices), 0u);
    EXPECT_GT(smallest_height_ratio(mesh), 0.02);
    const Topology topology = topology_of(mesh);
    EXPECT_EQ(topology.bad_edges, 0u);
    EXPECT_EQ(topology.fan_faults, 0u);
    EXPECT_EQ(topology.repeated_corners, 0u);
    EXPECT_EQ(topology.unused_vertices, 0u);
    EXPECT_EQ(topology.border_edges == 0, closed);
    EXPECT_EQ(crossings_in(mesh), 0u);
    if (closed) {
        EXPECT_GT(volume_of(mesh), 0);
    }
}

long expected_euler(const std::string& name, const ShapeValues& values) {
    if (name == "torus") return 0;
    if (name == "cloth") return 1;
    if (name == "terrain") return values.at("closed") != 0 ? 2 : 1;
    // The tube is a ring; of the five kinds of obstacle only the third is.
    if (name == "tunnel")
        return 2 * (static_cast<long>(values.at("obstacles")) - static_cast<long>(values.at("obstacles") + 2) / 5);
    return 2;
}

// The parameter sets a shape is tested with: as it comes, coarse, finer, and its switches.
std::vector<ShapeValues> variants_of(const CatalogueShape& shape) {
    std::vector<ShapeValues> variants{{}};
    for (const ShapeParameter& p : shape.parameters) {
        if (p.name == "resolution" && !shape.volume) {
            for (const double n : {p.minimum, p.minimum + 1, std::floor(1.7 * p.fallback)})
                variants.push_back({{p.name, n}});
        } else if (p.name == "resolution") {
            for (const double n : {1.0, 3.0, 8.0}) variants.push_back({{p.name, n}});
        } else if (p.whole && p.maximum == 1) {
            variants.push_back({{p.name, 1}});
        } else if (p.name == "triangles") {
            variants.push_back({{p.name, p.minimum}});
        } else if (p.name == "seed") {
            variants.push_back({{p.name, 77}});
        }
    }
    return variants;
}

TEST(ShapeCatalogue, every_surface_is_valid_at_every_resolution) {
    std::size_t closed = 0, open = 0;
    for (const CatalogueShape& shape : shape_catalogue()) {
        if (shape.volume) continue;
        for (const ShapeValues& given : variants_of(shape)) {
            const ShapeValues values = completed(shape, given);
            if (shape.name == "bowl" && values.at("resolution") < 30) continue; // too coarse for its wall: refused
            SCOPED_TRACE(shape.name + (given.empty()
                                           ? ""
                                           : " " + given.begin()->first + " " + std::to_string(given.begin()->second)));
            const auto mesh = std::get<TriangleMesh>(shape.build(values));
            expect_sound(mesh, shape.closed(values));
            EXPECT_EQ(topology_of(mesh).euler, expected_euler(shape.name, values));
            ++(shape.closed(values) ? closed : open);
        }
    }
    EXPECT_GT(closed, 40u);
    EXPECT_GT(open, 5u);
}

TEST(ShapeCatalogue, every_volume_is_positive_with_a_closed_skin) {
    std::size_t tested = 0;
    for (const CatalogueShape& shape : shape_catalogue()) {
        if (!shape.volume) continue;
        for (const ShapeValues& given : variants_of(shape)) {
            SCOPED_TRACE(shape.name);
            const auto mesh = std::get<TetMesh>(make_shape(shape.name, given));
            double volume = 0, smallest = infinity;
            for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
                volume += signed_volume(mesh.corners(t));
                smallest = std::min(smallest, signed_volume(mesh.corners(t)));
            }
            EXPECT_GT(smallest, 0.1 * volume / static_cast<double>(mesh.tetrahedra.size()));
            EXPECT_EQ(testing::doubled_vertices(mesh.vertices), 0u);
            const TriangleMesh skin = skin_of(mesh);
            EXPECT_TRUE(topology_of(skin).closed());
            EXPECT_EQ(topology_of(skin).euler, shape.name == "tet_torus" ? 0 : 2);
            EXPECT_NEAR(volume_of(skin), volume, 1e-12 * volume);
            ++tested;
        }
    }
    EXPECT_GE(tested, 12u);
}

TEST(ShapeCatalogue, refuses_unknown_names_and_values_outside_their_ranges) {
    EXPECT_EQ(cause_of([] { (void)make_shape("teapot"); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_shape("torus", {{"colour", 1}}); }), Cause::invalid_argument);
    for (const CatalogueShape& shape : shape_catalogue())
        for (const ShapeParameter& p : shape.parameters) {
            SCOPED_TRACE(shape.name + " " + p.name);
            EXPECT_LE(p.minimum, p.fallback);
            EXPECT_LE(p.fallback, p.maximum);
            EXPECT_FALSE(p.meaning.empty());
            for (const double bad : {p.minimum - 1, 2 * p.maximum + 1, infinity, -infinity, std::nan("")})
                EXPECT_EQ(cause_of([&] { (void)make_shape(shape.name, {{p.name, bad}}); }), Cause::invalid_argument);
            if (p.whole) {
                EXPECT_EQ(cause_of([&] {
                              (void)make_shape(shape.name, {{p.name, p.minimum + 0.5}});
                          }),
                          Cause::invalid_argument);
            }
        }
}

TEST(ShapeCatalogue, shapes_scale_with_their_lengths) {
    for (const CatalogueShape& shape : shape_catalogue()) {
        if (shape.volume || shape.name == "creature" || shape.name == "spaceship") continue; // see their own tests
        const auto mesh = std::get<TriangleMesh>(make_shape(shape.name));
        for (const double scale : {1e-3, 1e3}) {
            SCOPED_TRACE(shape.name);
            ShapeValues values;
            for (const ShapeParameter& p : shape.parameters)
                if (p.unit == "m") values[p.name] = scale * p.fallback;
            const auto scaled = std::get<TriangleMesh>(make_shape(shape.name, values));
            ASSERT_EQ(scaled.triangles, mesh.triangles);
            for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
                ASSERT_LT((scaled.vertices[v] - scale * mesh.vertices[v]).norm(), 1e-11 * scale) << v;
        }
    }
}

// ---- Against closed forms.

struct Measured {
    const char* name;
    std::function<TriangleMesh(std::size_t)> make; // at a resolution
    double volume, area;
};

TEST(Generate, volume_and_area_converge_to_the_closed_form_with_the_square_of_the_edge) {
    const double a = 0.5, b = 0.35, c = 0.25, rim = 0.375, wall = 0.25, inner = 0.25;
    const std::vector<Measured> shapes = {
        {"sphere",
         [](std::size_t n) {
             return make_sphere({0.5, n / 4});
         },
         pi / 6, pi},
        {"ellipsoid",
         [&](std::size_t n) {
             return make_ellipsoid({{a, b, c}, n / 4});
         },
         4.0 / 3 * pi * a * b * c, 0},
        {"capsule",
         [](std::size_t n) {
             return make_capsule({0.25, 0.5, n});
         },
         pi * 0.0625 * 0.5 + 4.0 / 3 * pi * 0.015625, 2 * pi * 0.25 * 0.5 + 4 * pi * 0.0625},
        {"cylinder",
         [](std::size_t n) {
             return make_cylinder({0.3, 1, n});
         },
         pi * 0.09, 2 * pi * 0.3 * 1.3},
        {"cone",
         [](std::size_t n) {
             return make_cone({0.4, 1, n});
         },
         pi * 0.16 / 3, pi * 0.4 * (0.4 + std::sqrt(1.16))},
        {"torus",
         [](std::size_t n) {
             return make_torus({0.35, 0.15, n, n / 2});
         },
         2 * pi * pi * 0.35 * 0.0225, 4 * pi * pi * 0.35 * 0.15},
        {"bowl",
         [](std::size_t n) {
             return make_bowl({0.5, 0.25, n});
         },
         2.0 / 3 * pi * (0.125 - inner * inner * inner) + pi * pi * wall * wall * rim / 4,
         2 * pi * (0.25 + inner * inner) + pi * pi * rim * wall},
    };
    for (const Measured& shape : shapes) {
        SCOPED_TRACE(shape.name);
        double coarse_volume = 0, coarse_area = 0;
        for (const std::size_t n : {64u, 128u, 256u}) {
            const TriangleMesh mesh = shape.make(n);
            const double volume = std::abs(volume_of(mesh) / shape.volume - 1);
            const double area = shape.area > 0 ? std::abs(area_of(mesh) / shape.area - 1) : 0;
            EXPECT_LT(volume, 60.0 / static_cast<double>(n * n));
            EXPECT_LT(area, 60.0 / static_cast<double>(n * n));
            if (n > 64) {
                EXPECT_LT(volume, coarse_volume / 2.8);
                if (shape.area > 0) {
                    EXPECT_LT(area, coarse_area / 2.8);
                }
            }
            coarse_volume = volume;
            coarse_area = area;
        }
    }
}

TEST(Generate, a_box_is_exact_and_each_of_its_sides_has_its_cells) {
    const TriangleMesh mesh = make_box({.size = {1, 2, 3}, .cells = {2, 3, 4}});
    EXPECT_EQ(mesh.triangles.size(), 4u * (2 * 3 + 3 * 4 + 4 * 2));
    EXPECT_NEAR(volume_of(mesh), 6, 1e-14);
    EXPECT_NEAR(area_of(mesh), 22, 1e-13);
    EXPECT_EQ(bounds(mesh.vertices).upper, Vec3(0.5, 1, 1.5));
    EXPECT_EQ(make_box().triangles.size(), 12u);
}

TEST(Generate, vertices_of_the_heart_satisfy_its_equation) {
    const TriangleMesh mesh = make_heart({.size = 1, .resolution = 20});
    // The last corner of the icosahedron is the tip, at z = -1 before scaling.
    const double scale = -1 / mesh.vertices[11].z();
    for (const Vec3& v : mesh.vertices) {
        const Vec3 p = scale * v;
        const double xx = p.x() * p.x(), yy = p.y() * p.y(), zz = p.z() * p.z();
        const double ball = xx + 2.25 * yy + zz - 1;
        ASSERT_NEAR(ball * ball * ball, (xx + 9.0 / 80 * yy) * zz * p.z(), 1e-10);
    }
    EXPECT_GT(smallest_angles(mesh).front(), 25);
    EXPECT_NEAR(bounds(mesh.vertices).size().x(), 1, 1e-12);
}

TEST(Generate, a_sphere_keeps_all_angles_above_fifty_degrees) {
    for (const std::size_t n : {1u, 2u, 3u, 10u, 40u}) {
        const TriangleMesh mesh = make_sphere({.radius = 2, .resolution = n});
        EXPECT_EQ(mesh.triangles.size(), 20 * n * n);
        EXPECT_GT(smallest_angles(mesh).front(), 50);
        for (const Vec3& v : mesh.vertices) ASSERT_NEAR(v.norm(), 2, 1e-14);
    }
}

TEST(Generate, lathe_turns_any_profile_outward_and_refuses_broken_ones) {
    const std::vector<Vec2> up = {{0, -1}, {1, -1}, {0.5, 0}, {1, 1}, {0, 1}};
    const std::vector<Vec2> down(up.rbegin(), up.rend());
    const std::vector<Vec2> loop = {{1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 0}};
    for (const bool even : {false, true}) {
        const LatheOptions options{.segments = 40, .even = even};
        EXPECT_NEAR(volume_of(lathe(up, options)), volume_of(lathe(down, options)), 1e-12);
        expect_sound(lathe(up, options), true);
        expect_sound(lathe(loop, options), true);
        EXPECT_EQ(topology_of(lathe(loop, options)).euler, 0);
    }
    const double n = 40; // a prism's exact share of the cylinder's volume
    EXPECT_NEAR(volume_of(lathe(loop, {.segments = 40})), 3 * n / 2 * std::sin(2 * pi / n), 1e-12);
    const std::vector<std::vector<Vec2>> broken = {{},
                                                   {{0, 0}, {0, 1}},
                                                   {{0, 0}, {1, 0}, {1, 1}},
                                                   {{0, 0}, {-1, 0}, {0, 1}},
                                                   {{0, 0}, {1, 0}, {1, 0}, {0, 1}},
                                                   {{0, 0}, {1, std::nan("")}, {0, 1}},
                                                   {{0, 0}, {infinity, 1}, {0, 2}},
                                                   {{0, 0}, {1, 0}, {0, 1}, {1, 2}, {0, 3}}};
    for (const auto& profile : broken) EXPECT_EQ(cause_of([&] { (void)lathe(profile); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)lathe(up, {.segments = 2}); }), Cause::invalid_argument);
}

TEST(Generate, the_obstacles_of_a_tunnel_are_disjoint) {
    for (const std::size_t count : {0u, 1u, 5u, 23u}) {
        const TriangleMesh mesh = make_tunnel({.obstacles = count, .seed = count});
        EXPECT_EQ(topology_of(mesh).components, 1 + count);
        EXPECT_EQ(crossings_in(mesh), 0u);
    }
}

TEST(Generate, terrain_stays_within_its_height_and_differs_by_seed) {
    const TriangleMesh hills = make_terrain({.cells = 100});
    const Box box = bounds(hills.vertices);
    EXPECT_LE(box.size().z(), 2);
    EXPECT_GT(box.size().z(), 0.6);
    EXPECT_NE(hills, make_terrain({.cells = 100, .seed = 2}));
    EXPECT_EQ(hills, make_terrain({.cells = 100}));
}

TEST(Generate, rejects_oversized_requests_before_it_starts) {
    const std::size_t many = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(cause_of([] { (void)make_box({.cells = {20'000, 20'000, 1}}); }), Cause::too_large);
    EXPECT_EQ(cause_of([&] { (void)make_box({.cells = {many, many, many}}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_box({.cells = {0, 1, 1}}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([&] { (void)make_sphere({.resolution = many}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_capsule({.radius = 1e-6, .length = 1e6}); }), Cause::too_large);
    EXPECT_EQ(cause_of([] { (void)make_cylinder({.radius = 1e-3, .height = 1e6}); }), Cause::too_large);
    EXPECT_EQ(cause_of([] { (void)make_torus({.radius = 0.1, .tube = 0.1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_bowl({.thickness = 0.4}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_bowl({.thickness = 0.001, .segments = 20}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_cloth({.cells = {50'000, 50'000}}); }), Cause::too_large);
    EXPECT_EQ(cause_of([] { (void)make_tet_box({.cells = {1000, 1000, 1000}}); }), Cause::too_large);
    EXPECT_EQ(cause_of([&] { (void)make_tet_cylinder({.rings = many}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_tunnel({.segments = 10'000, .seed = 1}); }), Cause::too_large);
    EXPECT_EQ(cause_of([&] { (void)make_creature({.triangles = many}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_creature({.length = std::nan("")}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_creature({.relief = -1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_skillet({.radius = 1, .handle = 0}); }), Cause::invalid_argument);
}

// ---- Tetrahedra.

TEST(GenerateTetrahedra, boxes_fill_their_volume_with_six_or_five_a_cell) {
    for (const bool five : {false, true}) {
        const TetMesh mesh = make_tet_box({.size = {1, 2, 3}, .cells = {2, 3, 4}, .five = five});
        EXPECT_EQ(mesh.tetrahedra.size(), (five ? 5u : 6u) * 24);
        EXPECT_EQ(mesh.vertices.size(), 3u * 4 * 5);
        double volume = 0;
        for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) volume += signed_volume(mesh.corners(t));
        EXPECT_NEAR(volume, 6, 1e-13);
        EXPECT_NEAR(area_of(skin_of(mesh)), 22, 1e-13);
    }
}

TEST(GenerateTetrahedra, the_sphere_and_the_cylinder_converge_to_their_volumes) {
    double last = infinity;
    for (const std::size_t n : {4u, 8u, 16u}) {
        const TetMesh mesh = make_tet_ball({.radius = 1, .resolution = n});
        EXPECT_EQ(mesh.tetrahedra.size(), 20 * n * n * n);
        double volume = 0;
        for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) volume += signed_volume(mesh.corners(t));
        const double error = std::abs(volume / (4 * pi / 3) - 1);
        EXPECT_LT(error, last / 3);
        last = error;
    }
    const TetMesh cylinder = make_tet_cylinder({.radius = 1, .height = 2, .rings = 5, .layers = 3});
    EXPECT_EQ(cylinder.tetrahedra.size(), 18u * 25 * 3);
    double volume = 0;
    for (std::size_t t = 0; t < cylinder.tetrahedra.size(); ++t) volume += signed_volume(cylinder.corners(t));
    EXPECT_NEAR(volume, 2 * 15 * std::sin(2 * pi / 30), 1e-12); // over a polygon of 30 corners
}

TEST(GenerateTetrahedra, the_ring_closes_and_converges_to_its_volume) {
    double last = infinity;
    for (const std::size_t n : {2u, 4u, 8u}) {
        const TetMesh mesh = make_tet_torus({.radius = 2, .tube = 0.5, .rings = n, .layers = 12 * n});
        EXPECT_EQ(mesh.tetrahedra.size(), 18 * n * n * 12 * n);
        double volume = 0;
        for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
            EXPECT_GT(signed_volume(mesh.corners(t)), 0);
            volume += signed_volume(mesh.corners(t));
        }
        const Topology skin = topology_of(skin_of(mesh));
        EXPECT_TRUE(skin.closed());
        EXPECT_EQ(skin.euler, 0);
        const double error = std::abs(volume / (2 * pi * pi * 2 * 0.25) - 1);
        EXPECT_LT(error, last / 3);
        last = error;
    }
    EXPECT_EQ(cause_of([] { (void)make_tet_torus({.radius = 1, .tube = 1}); }), Cause::invalid_argument);
    EXPECT_EQ(cause_of([] { (void)make_tet_torus({.layers = 2}); }), Cause::invalid_argument);
}

// ---- The creature and the spaceship.

void expect_like_a_scan(const TriangleMesh& mesh, std::size_t asked) {
    SCOPED_TRACE(asked);
    const Topology topology = topology_of(mesh);
    EXPECT_TRUE(topology.closed());
    EXPECT_EQ(topology.components, 1u);
    EXPECT_EQ(topology.euler, 2);
    EXPECT_EQ(topology.unused_vertices, 0u);
    EXPECT_EQ(testing::doubled_vertices(mesh.vertices), 0u);
    EXPECT_GT(volume_of(mesh), 0);
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), static_cast<double>(asked),
                0.005 * static_cast<double>(asked));
    const std::vector<double> angles = smallest_angles(mesh);
    EXPECT_GT(angles.front(), 12) << "degrees, of all";
    EXPECT_GT(angles[angles.size() / 1000], 27) << "degrees, of all but a thousandth";
    EXPECT_GT(angles[angles.size() / 100], 32) << "degrees, of all but a hundredth";
}

TEST(Creature, is_a_closed_manifold_of_genus_0_without_slivers_at_any_count) {
    for (const std::size_t count : {1000u, 7999u, 10'000u, 100'000u}) {
        const TriangleMesh mesh = make_creature({.triangles = count});
        expect_like_a_scan(mesh, count);
        EXPECT_EQ(crossings_in(mesh), 0u) << count;
    }
    for (std::size_t k = 0; k < testing::count_of(0, 1); ++k)
        expect_like_a_scan(make_creature({.triangles = 1'000'000}), 1'000'000);
}

TEST(Creature, every_seed_gives_another_valid_creature) {
    const TriangleMesh first = make_creature({.triangles = 4000, .seed = 0});
    for (std::uint64_t seed = 1; seed <= testing::count_of(4, 200); ++seed) {
        const TriangleMesh mesh = make_creature({.triangles = 4000, .seed = seed, .relief = 2});
        EXPECT_NE(mesh, first);
        const Topology topology = topology_of(mesh);
        EXPECT_TRUE(topology.closed()) << seed;
        EXPECT_EQ(topology.euler, 2) << seed;
        EXPECT_EQ(topology.components, 1u) << seed;
        EXPECT_EQ(crossings_in(mesh), 0u) << seed;
        EXPECT_GT(smallest_angles(mesh).front(), 10) << seed;
    }
}

TEST(Creature, more_triangles_carry_more_relief_on_the_same_body) {
    const TriangleMesh rough = make_creature({.triangles = 30'000}),
                       smooth = make_creature({.triangles = 30'000, .relief = 0});
    EXPECT_EQ(rough.triangles, smooth.triangles);
    EXPECT_NEAR(volume_of(rough) / volume_of(smooth), 1, 0.05);
    EXPECT_GT(area_of(rough) / area_of(smooth), 1.002);
    double largest = 0;
    for (std::size_t v = 0; v < rough.vertices.size(); ++v)
        largest = std::max(largest, (rough.vertices[v] - smooth.vertices[v]).norm());
    EXPECT_GT(largest, 0.002);
    EXPECT_LT(largest, 0.03);
}

TEST(Creature, has_its_length_at_every_scale) {
    const TriangleMesh mesh = make_creature({.triangles = 2000, .relief = 0});
    EXPECT_NEAR(bounds(mesh.vertices).size().x(), 1, 1e-12);
    for (const double scale : {1e-3, 1e3}) {
        const TriangleMesh scaled = make_creature({.triangles = 2000, .length = scale, .relief = 0});
        ASSERT_EQ(scaled.triangles, mesh.triangles);
        EXPECT_NEAR(volume_of(scaled) / (scale * scale * scale), volume_of(mesh), 1e-12);
    }
}

// The hash of every bit of a mesh (FNV-1a).
std::uint64_t hash_of(const TriangleMesh& mesh) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
    for (const Vec3& v : mesh.vertices)
        for (const double x : v) mix(std::bit_cast<std::uint64_t>(x));
    for (const Triangle& t : mesh.triangles)
        for (const Index i : t) mix(i);
    return hash;
}

TEST(Creature, has_the_same_bytes_for_any_number_of_threads) {
    for (const std::size_t count : {40'000u}) {
        set_thread_count(1);
        const TriangleMesh one = make_creature({.triangles = count});
        set_thread_count(7);
        const TriangleMesh seven = make_creature({.triangles = count});
        set_thread_count(0);
        EXPECT_EQ(one, seven);
        EXPECT_EQ(hash_of(one), hash_of(seven));
    }
}

TEST(Spaceship, is_one_closed_surface_of_genus_0_without_slivers) {
    for (const std::size_t count : {4000u, 20'000u}) {
        const TriangleMesh mesh = make_spaceship({.triangles = count});
        expect_like_a_scan(mesh, count);
        EXPECT_EQ(crossings_in(mesh), 0u);
        EXPECT_NEAR(bounds(mesh.vertices).size().x(), 1, 1e-12);
    }
}

} // namespace generate_test
} // namespace fathom
