// The creature and the spaceship, as blended implicit surfaces.
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/generate/parts.h>
#include <fathom/geometry/generate/surface_refine.h>
#include <fathom/geometry/mesh/tet_mesh.h>
#include <fathom/geometry/mesh/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
namespace fathom {

// ---- Smooth closed surface as the level set of blended blobs, and its mesh with a given number of triangles. Method:
// soft objects (Wyvill, McPheeters & Wyvill 1986) around tapered segments; marching tetrahedra on Kuhn's subdivision of
// a cubic lattice (always a closed manifold), edge collapse with the shortest edge first (Hoppe et al. 1993),
// relaxation, then 1-to-4 refinement. For shapes that the lattice resolves; not for thin or sharp ones. Thread-safe;
// the same bytes for any thread count.
namespace {

// A tapered segment with round ends, flattened along one direction. The surface of a single blob is at its own radius.
struct Blob {
    Vec3 start = Vec3::Zero(), end = Vec3::Zero();
    double start_radius = 1, end_radius = 1;
    Vec3 flat_axis = Vec3::UnitZ(); // unit
    double flatness = 1; // the radius along flat_axis is this many times smaller; the segment is not along it
    double weight = 1;   // negative: removes material
};

class BlobSurface {
public:
    explicit BlobSurface(const std::vector<Blob>& blobs);

    struct Sample {
        double value;  // negative inside, 0 on the surface, 1 far away; not a distance
        Vec3 gradient; // points outward on the surface
    };
    [[nodiscard]] double value(const Vec3& p) const { return sample(p).value; }
    [[nodiscard]] Sample sample(const Vec3& p) const;
    [[nodiscard]] Vec3 normal(const Vec3& p) const; // unit

    // A point of the surface near p, by Newton steps along the gradient of length at most `reach`.
    [[nodiscard]] Vec3 project(const Vec3& p, double reach, int steps = 3) const;

    // Length scale of the triangles near p: the blended radius of the blobs there (m).
    [[nodiscard]] double thickness(const Vec3& p) const;

    [[nodiscard]] Box bounds() const { return bounds_; } // encloses the surface

private:
    struct Prepared {
        Vec3 start, axis; // in the frame stretched along the flat axis
        double inverse_length_squared, start_radius, taper, weight, smallest_radius;
        Mat3 flatten;
        Vec3 center; // centre of the bounding sphere of its influence
        double influence_squared;
    };
    std::vector<Prepared> blobs_;
    Box bounds_;
};

struct BlobMeshOptions {
    std::size_t triangles = 20'000; // met within 0.5 %
    double lattice = 0.01;          // cell edge of the initial lattice (m); finer than the thinnest part of the surface
};

[[nodiscard]] TriangleMesh mesh_of(const BlobSurface& surface, const BlobMeshOptions& options = {});

// A blob has an influence up to R = 3/2 of its radius; its field is ((R^2 - u^2) / (R^2 - 1))^3 of the relative
// distance u, which is 1 at u = 1.
constexpr double reach_squared = 2.25;
constexpr double kernel_scale = 1 / (reach_squared - 1);

BlobSurface::BlobSurface(const std::vector<Blob>& blobs) {
    for (const Blob& blob : blobs) {
        Prepared b;
        // Stretching space along the flat axis makes the blob round.
        b.flatten = Mat3::Identity() + (blob.flatness - 1) * (blob.flat_axis * blob.flat_axis.transpose());
        b.start = b.flatten * blob.start;
        b.axis = b.flatten * blob.end - b.start;
        const double squared = b.axis.squaredNorm();
        b.inverse_length_squared = squared > 0 ? 1 / squared : 0;
        b.start_radius = blob.start_radius;
        b.taper = blob.end_radius - blob.start_radius;
        b.weight = blob.weight;
        b.smallest_radius = 1 / std::max(1.0, blob.flatness);
        b.center = 0.5 * (blob.start + blob.end);
        const double radius = std::max(blob.start_radius, blob.end_radius) * std::max(1.0, 1 / blob.flatness);
        const double influence = 0.5 * std::sqrt((blob.end - blob.start).squaredNorm()) + 1.5 * radius;
        b.influence_squared = influence * influence;
        blobs_.push_back(b);
        if (blob.weight > 0) {
            bounds_.extend(Box::around(blob.start, Vec3::Constant(1.5 * radius)));
            bounds_.extend(Box::around(blob.end, Vec3::Constant(1.5 * radius)));
        }
    }
}

BlobSurface::Sample BlobSurface::sample(const Vec3& p) const {
    Sample result{1, Vec3::Zero()};
    for (const Prepared& b : blobs_) {
        if ((p - b.center).squaredNorm() >= b.influence_squared) continue;
        const Vec3 q = b.flatten * p - b.start;
        const double t = std::clamp(q.dot(b.axis) * b.inverse_length_squared, 0.0, 1.0);
        const double radius = b.start_radius + t * b.taper;
        const Vec3 away = q - t * b.axis;
        const double u = away.squaredNorm() / (radius * radius);
        if (u >= reach_squared) continue;
        const double k = (reach_squared - u) * kernel_scale;
        result.value -= b.weight * k * k * k;
        // The closest point of the segment moves perpendicular to `away`, so only the taper contributes to the gradient
        // of u.
        Vec3 du = 2 / (radius * radius) * away;
        if (t > 0 && t < 1) du -= (2 * u / radius * b.taper * b.inverse_length_squared) * b.axis;
        result.gradient += (3 * b.weight * kernel_scale * k * k) * (b.flatten * du);
    }
    return result;
}

Vec3 BlobSurface::normal(const Vec3& p) const {
    const Vec3 g = sample(p).gradient;
    const double length = std::sqrt(g.squaredNorm());
    return length > 0 ? Vec3(g / length) : Vec3::UnitZ();
}

Vec3 BlobSurface::project(const Vec3& p, double reach, int steps) const {
    Vec3 q = p;
    for (int k = 0; k < steps; ++k) {
        const Sample s = sample(q);
        const double gg = s.gradient.squaredNorm();
        if (!(gg > 0)) break;
        Vec3 step = (-s.value / gg) * s.gradient;
        const double length = std::sqrt(step.squaredNorm());
        if (length > reach) step *= reach / length;
        q += step;
    }
    return q;
}

double BlobSurface::thickness(const Vec3& p) const {
    double sum = 0, weight = 0;
    for (const Prepared& b : blobs_) {
        if ((p - b.center).squaredNorm() >= b.influence_squared) continue;
        const Vec3 q = b.flatten * p - b.start;
        const double t = std::clamp(q.dot(b.axis) * b.inverse_length_squared, 0.0, 1.0);
        const double radius = b.start_radius + t * b.taper;
        const double k = std::max(0.0, reach_squared - (q - t * b.axis).squaredNorm() / (radius * radius));
        sum += k * k * k * radius * b.smallest_radius;
        weight += k * k * k;
    }
    return weight > 0 ? sum / weight : 1;
}
} // namespace

// ---- Meshing with a given number of triangles. A coarse mesh of well-shaped triangles is built on one thread and then
// subdivided in parallel.
namespace {

// Marching tetrahedra: the zero set of the field, linear in each tetrahedron of a lattice. A value of 0 counts as
// outside, so every lattice point is on one side and the surface is a closed manifold.
class Marcher {
public:
    Marcher(const BlobSurface& surface, double spacing) : spacing_(spacing) {
        const Box box = surface.bounds().grown(1.5 * spacing);
        origin_ = box.lower;
        for (std::size_t k = 0; k < 3; ++k)
            n_[k] = static_cast<std::size_t>(std::ceil(box.size()[static_cast<int>(k)] / spacing)) + 1;
        values_.resize(n_[0] * n_[1] * n_[2]);
        parallel_for(n_[1] * n_[2], 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row)
                for (std::size_t i = 0; i < n_[0]; ++i)
                    values_[row * n_[0] + i] = surface.value(position({i, row % n_[1], row / n_[1]}));
        });
    }

    TriangleMesh run() {
        for (std::size_t k = 0; k + 1 < n_[2]; ++k)
            for (std::size_t j = 0; j + 1 < n_[1]; ++j)
                for (std::size_t i = 0; i + 1 < n_[0]; ++i)
                    if (crosses({i, j, k}))
                        for (const KuhnWalk& walk : kuhn_walks) cut(corners_of({i, j, k}, walk));
        return std::move(mesh_);
    }

private:
    [[nodiscard]] std::size_t number(const LatticeIndex& p) const { return (p[2] * n_[1] + p[1]) * n_[0] + p[0]; }
    [[nodiscard]] bool inside(const LatticeIndex& p) const { return values_[number(p)] < 0; }
    [[nodiscard]] Vec3 position(const LatticeIndex& p) const {
        return origin_ +
               spacing_ * Vec3(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
    }

    [[nodiscard]] bool crosses(const LatticeIndex& cell) const {
        const bool first = inside(cell);
        for (std::size_t bits = 1; bits < 8; ++bits)
            if (inside({cell[0] + (bits & 1), cell[1] + ((bits >> 1) & 1), cell[2] + (bits >> 2)}) != first)
                return true;
        return false;
    }

    // The vertex where the surface crosses the lattice edge p-q. It is never close to the ends of the edge, which
    // avoids needle triangles.
    Index crossing(const LatticeIndex& p, const LatticeIndex& q) {
        std::size_t a = number(p), b = number(q);
        if (a > b) return crossing(q, p);
        const auto [entry, fresh] =
            crossings_.try_emplace(a * values_.size() + b, static_cast<Index>(mesh_.vertices.size()));
        if (fresh) {
            const double t = std::clamp(values_[a] / (values_[a] - values_[b]), 0.2, 0.8);
            mesh_.vertices.push_back(position(p) + t * (position(q) - position(p)));
        }
        return entry->second;
    }

    void cut(const std::array<LatticeIndex, 4>& c) {
        std::array<bool, 4> in{};
        for (std::size_t k = 0; k < 4; ++k) in[k] = inside(c[k]);
        const auto count = std::count(in.begin(), in.end(), true);
        if (count == 0 || count == 4) return;
        if (count == 2) return cut_in_half(c, in);
        const bool lone = count == 1; // the differing corner is the one inside
        const auto k = static_cast<std::size_t>(std::find(in.begin(), in.end(), lone) - in.begin());
        const auto& face = tetrahedron_faces[k];
        Triangle t{};
        for (std::size_t j = 0; j < 3; ++j) t[j] = crossing(c[k], c[static_cast<std::size_t>(face[j])]);
        if (!lone) std::swap(t[1], t[2]);
        mesh_.triangles.push_back(t);
    }

    void cut_in_half(const std::array<LatticeIndex, 4>& c, const std::array<bool, 4>& in) {
        // Even permutations of the corners: the first two inside, the last two outside.
        constexpr std::array<std::array<std::size_t, 4>, 6> orders = {
            {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};
        for (const auto& [i, j, k, l] : orders) {
            if (!in[i] || !in[j]) continue;
            const Index a = crossing(c[i], c[k]), b = crossing(c[i], c[l]), d = crossing(c[j], c[l]),
                        e = crossing(c[j], c[k]);
            mesh_.triangles.push_back({a, b, d});
            mesh_.triangles.push_back({a, d, e});
        }
    }

    double spacing_;
    Vec3 origin_;
    LatticeIndex n_{};
    std::vector<double> values_;
    std::unordered_map<std::size_t, Index> crossings_;
    TriangleMesh mesh_;
};

double mean_edge(const TriangleMesh& mesh) {
    double area = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        area += 0.5 * std::sqrt(area_vector(mesh.corners(t)).squaredNorm());
    return std::sqrt(area / static_cast<double>(mesh.triangles.size()) * 4 / 1.7320508075688772);
}

void project_from(TriangleMesh& mesh, std::size_t first, const BlobSurface& surface, double reach) {
    parallel_for(mesh.vertices.size() - first, 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = first + begin; v < first + end; ++v)
            mesh.vertices[v] = surface.project(mesh.vertices[v], reach);
    });
}

// A coarse mesh of nearly equilateral triangles, smaller where the shape is thin.
TriangleMesh coarse_mesh(const BlobSurface& surface, const BlobMeshOptions& options, std::size_t triangles) {
    const auto relaxed = [&](TriangleMesh& mesh, int rounds) {
        const double reach = 0.5 * mean_edge(mesh);
        relax(mesh, {.rounds = rounds}, [&](const Vec3& p) { return surface.project(p, reach, 2); });
    };
    TriangleMesh mesh = Marcher(surface, options.lattice).run();
    relaxed(mesh, 6);
    mesh = collapsed(mesh, {.triangles = triangles,
                            .size = [&](const Vec3& p) { return std::sqrt(surface.thickness(p)); },
                            .onto_surface = [&](const Vec3& p) { return surface.project(p, options.lattice, 4); }});
    for (int round = 0; round < 8; ++round) {
        flip_edges(mesh, 4);
        relaxed(mesh, 4);
    }
    return mesh;
}
TriangleMesh mesh_of(const BlobSurface& surface, const BlobMeshOptions& options) {
    std::size_t levels = 0, coarse = options.triangles;
    for (; coarse >= 8000; coarse /= 4) ++levels;
    TriangleMesh mesh = coarse_mesh(surface, options, coarse);
    for (std::size_t level = 0; level < levels; ++level) {
        const std::size_t old = mesh.vertices.size();
        mesh = split_four(mesh);
        const double reach = 0.5 * mean_edge(mesh);
        project_from(mesh, old, surface, reach);
        relax(mesh, {.rounds = level == 0 ? 6 : 2}, [&](const Vec3& p) { return surface.project(p, reach, 1); });
    }
    return mesh;
}
// Adds a blob and its mirror image at the plane y = 0.
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

// About one metre from nose to tail; the seed changes the proportions by some percent.
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

// Relief along the normal: octaves of noise from the folds of the skin down to the resolution of the triangles. Its
// height is a small fraction of its wavelength and of the thickness of the body, so the surface cannot intersect
// itself.
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
