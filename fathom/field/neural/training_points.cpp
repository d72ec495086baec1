// Room: field. Points to fit and to judge a network by.
#include <fathom/field/neural/training_points.h>

#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/geometry/point_shell.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t piece = 1024; // points that share a stream of random numbers

// place(index, random) is the point; its distance is exact for the point as floats hold it.
template <class Place>
TrainingPoints measured(const MeshField& mesh, const Network& network, std::size_t count, std::uint64_t seed, Progress* progress, const Place& place) {
    TrainingPoints points;
    for (std::vector<float>* row : {&points.x, &points.y, &points.z, &points.value}) row->resize(count);
    Stage stage(progress, "measuring distances", count);
    parallel_for(count, piece, [&](std::size_t begin, std::size_t end) {
        Random random(seed, begin / piece);
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 wanted = network.domain.closest(place(i, random));
            const Eigen::Vector3f q = ((wanted - network.center) / network.scale).cast<float>();
            points.x[i] = q.x();
            points.y[i] = q.y();
            points.z[i] = q.z();
            const Vec3 p = network.center + network.scale * q.cast<double>();
            points.value[i] = static_cast<float>(mesh.distance(p) / network.scale);
        }
        stage.step(end - begin);
    });
    return points;
}

double longest_side(const MeshField& mesh) { return mesh.bounds().size().maxCoeff(); }

// With density exp(-|x| / mean) / (2 mean).
double two_sided_exponential(Random& random, double mean) {
    const double size = -mean * std::log(1 - random.uniform());
    return random.chance(0.5) ? size : -size;
}

PointShell places(const MeshField& mesh, std::size_t count, std::uint64_t seed) {
    if (count == 0) return {};
    return random_shell(mesh.mesh(), {.count = count, .seed = seed});
}

} // namespace

TrainingPoints fitting_points(const MeshField& mesh, const Network& network, std::size_t count, std::uint64_t seed, const PointMix& mix, Progress* progress) {
    const double side = longest_side(mesh);
    const PointShell shell = places(mesh, count, seed);
    return measured(mesh, network, count, seed, progress, [&](std::size_t i, Random& random) -> Vec3 {
        const double kind = random.uniform();
        if (kind >= mix.near + mix.middle) return random.in_box(network.domain);
        const double distance = kind < mix.near ? mix.near_distance : mix.middle_distance;
        return shell.points[i] + two_sided_exponential(random, distance * side) * shell.normals[i];
    });
}

TrainingPoints near_points(const MeshField& mesh, const Network& network, std::size_t count, double reach, std::uint64_t seed) {
    const PointShell shell = places(mesh, count, seed);
    return measured(mesh, network, count, seed, nullptr, [&](std::size_t i, Random& random) -> Vec3 {
        return shell.points[i] + random.uniform(-reach, reach) * shell.normals[i];
    });
}

TrainingPoints domain_points(const MeshField& mesh, const Network& network, std::size_t count, std::uint64_t seed) {
    return measured(mesh, network, count, seed, nullptr, [&](std::size_t, Random& random) { return random.in_box(network.domain); });
}

} // namespace fathom
