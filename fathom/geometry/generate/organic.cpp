// The creature and the spaceship: blended blobs.
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/blob_surface.h>
#include <fathom/geometry/generate/parts.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

// Both sides of the plane y = 0.
void add_pair(std::vector<Blob>& blobs, Blob blob) {
    blobs.push_back(blob);
    blob.start.y() = -blob.start.y();
    blob.end.y() = -blob.end.y();
    blob.flat_axis.y() = -blob.flat_axis.y();
    blobs.push_back(blob);
}

void add_leg(std::vector<Blob>& blobs, const Vec3& hip, const Vec3& knee, const Vec3& ankle, double girth) {
    add_pair(blobs, {.start = hip, .end = knee, .start_radius = 1.5 * girth, .end_radius = girth});
    add_pair(blobs, {.start = knee, .end = ankle, .start_radius = 0.85 * girth, .end_radius = 0.75 * girth});
    const Vec3 toe = ankle + Vec3(1.2 * girth, 0, -0.15 * girth);
    add_pair(blobs, {.start = ankle, .end = toe, .start_radius = 0.7 * girth, .end_radius = 0.8 * girth});
}

// About one metre from nose to tail; the seed changes proportions by some percent.
std::vector<Blob> creature_blobs(std::uint64_t seed) {
    Random random(seed);
    const double fat = random.uniform(0.92, 1.12), tall = random.uniform(0.88, 1.1), ears = random.uniform(0.85, 1.3);
    const double girth = random.uniform(0.046, 0.056), wag = random.uniform(-0.06, 0.06),
                 nod = random.uniform(-0.02, 0.04);
    std::vector<Blob> blobs;
    blobs.push_back(
        {.start = {-0.2, 0, 0}, .end = {0.14, 0, 0.01}, .start_radius = 0.13 * fat, .end_radius = 0.14 * fat});
    blobs.push_back({.start = {0.12, 0, -0.02}, .end = {0.17, 0, 0.03}, .start_radius = 0.1 * fat, .end_radius = 0.1});
    blobs.push_back({.start = {0.2, 0, 0.07}, .end = {0.3, 0, 0.2 + nod}, .start_radius = 0.09, .end_radius = 0.07});
    blobs.push_back(
        {.start = {0.31, 0, 0.25 + nod}, .end = {0.36, 0, 0.24 + nod}, .start_radius = 0.085, .end_radius = 0.07});
    blobs.push_back(
        {.start = {0.4, 0, 0.21 + nod}, .end = {0.46, 0, 0.19 + nod}, .start_radius = 0.052, .end_radius = 0.042});
    const Vec3 ear_root(0.29, 0.05, 0.32 + nod);
    add_pair(blobs, {.start = ear_root,
                     .end = ear_root + ears * Vec3(-0.05, 0.045, 0.12),
                     .start_radius = 0.034,
                     .end_radius = 0.036,
                     .flat_axis = Vec3(0.8, 0.6, 0),
                     .flatness = 1.5});
    const double floor = -0.36 * tall;
    add_leg(blobs, {0.15, 0.08, -0.05}, {0.17, 0.1, 0.52 * floor}, {0.155, 0.1, floor}, girth);
    add_leg(blobs, {-0.2, 0.08, -0.03}, {-0.16, 0.105, 0.5 * floor}, {-0.215, 0.105, floor}, 1.08 * girth);
    const Vec3 tail_root(-0.33, 0, 0.05), tail_bend(-0.42, 0.5 * wag, 0.1), tail_tip(-0.47, wag, 0.22);
    blobs.push_back({.start = tail_root, .end = tail_bend, .start_radius = 0.045, .end_radius = 0.036});
    blobs.push_back({.start = tail_bend, .end = tail_tip, .start_radius = 0.034, .end_radius = 0.034});
    return blobs;
}

// Relief along the normal: octaves of noise from folds of the skin down to what the triangles can carry. Its height is
// a small part of its wavelength and of the body's thickness, so the surface cannot fold over itself.
double relief(const Vec3& p, double thickness, double edge, std::uint64_t seed) {
    double height = 0;
    std::uint64_t octave = 1;
    for (double wavelength = 0.16; wavelength > 5 * edge; wavelength *= 0.5, ++octave) {
        const Vec3 q = p / wavelength + Vec3::Constant(0.5 + 17.0 * static_cast<double>(octave));
        height += std::min(0.05 * wavelength, 0.1 * thickness) * lattice_noise(q, seed);
    }
    return height;
}

void check_creature(const CreatureOptions& options) {
    check_count("triangles", options.triangles, 1000, max_generated_elements);
    check_length("length", options.length);
    check_number("relief", options.relief, 0, 2);
}

} // namespace

TriangleMesh make_creature(const CreatureOptions& options) {
    check_creature(options);
    const BlobSurface surface(creature_blobs(options.seed));
    TriangleMesh mesh = mesh_of(surface, {.triangles = options.triangles, .lattice = 0.015});
    const double edge = std::sqrt(1.6 / static_cast<double>(options.triangles)); // the skin is about 0.7 m^2
    const Box box = bounds(mesh.vertices);
    const double scale = options.length / box.size().x();
    parallel_for(mesh.vertices.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const Vec3 p = mesh.vertices[v];
            const double height = options.relief * relief(p, surface.thickness(p), edge, options.seed);
            mesh.vertices[v] = scale * (p + height * surface.normal(p) - box.center());
        }
    });
    return mesh;
}

namespace {

std::vector<Blob> spaceship_blobs() {
    std::vector<Blob> blobs;
    blobs.push_back({.start = {-0.32, 0, 0}, .end = {0.18, 0, 0}, .start_radius = 0.085, .end_radius = 0.08});
    blobs.push_back({.start = {0.22, 0, -0.005}, .end = {0.46, 0, -0.02}, .start_radius = 0.07, .end_radius = 0.02});
    blobs.push_back(
        {.start = {0.1, 0, 0.06}, .end = {0.2, 0, 0.05}, .start_radius = 0.045, .end_radius = 0.035}); // cockpit
    add_pair(blobs, {.start = {-0.14, 0.06, -0.01}, // wings, swept back
                     .end = {-0.28, 0.42, -0.03},
                     .start_radius = 0.17,
                     .end_radius = 0.075,
                     .flatness = 5});
    add_pair(blobs, {.start = {-0.3, 0.42, -0.02}, // winglets
                     .end = {-0.37, 0.44, 0.09},
                     .start_radius = 0.05,
                     .end_radius = 0.035,
                     .flat_axis = Vec3::UnitY(),
                     .flatness = 2.5});
    blobs.push_back({.start = {-0.26, 0, 0.06}, // tail fin
                     .end = {-0.4, 0, 0.2},
                     .start_radius = 0.09,
                     .end_radius = 0.045,
                     .flat_axis = Vec3::UnitY(),
                     .flatness = 4});
    add_pair(
        blobs,
        {.start = {-0.44, 0.15, 0}, .end = {-0.2, 0.15, 0.005}, .start_radius = 0.055, .end_radius = 0.045}); // engines
    add_pair(blobs, {.start = {-0.53, 0.15, 0},
                     .end = {-0.47, 0.15, 0},
                     .start_radius = 0.04,
                     .end_radius = 0.03,
                     .weight = -3}); // nozzles
    return blobs;
}

} // namespace

TriangleMesh make_spaceship(const SpaceshipOptions& options) {
    check_count("triangles", options.triangles, 4000, max_generated_elements);
    check_length("length", options.length);
    TriangleMesh mesh = mesh_of(BlobSurface(spaceship_blobs()), {.triangles = options.triangles, .lattice = 0.011});
    const Box box = bounds(mesh.vertices);
    const double scale = options.length / box.size().x();
    return mapped(std::move(mesh), [&](const Vec3& p) { return Vec3(scale * (p - box.center())); });
}

} // namespace fathom
