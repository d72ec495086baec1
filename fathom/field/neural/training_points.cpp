// Points to fit and to judge a network by.
#include <fathom/field/neural/training_points.h>

#include <fathom/base/parallel.h>

#include <cmath>

namespace fathom {

namespace {

constexpr std::size_t piece = 1024; // points that share a stream of random numbers
constexpr double crease = 1;        // rad; any will do, since the normals of triangles serve

// With density exp(-|x| / mean) / (2 mean).
double two_sided_exponential(Random& random, double mean) {
    const double size = -mean * std::log(1 - random.uniform());
    return random.chance(0.5) ? size : -size;
}

} // namespace

TrainingSource::TrainingSource(const MeshField& mesh, const Network& network)
    : mesh_(mesh), network_(network), surface_(mesh.mesh(), crease) {}

// place(point on the surface, normal, random) is the point wanted; the distance is that of the point as floats hold it.
template <class Place>
TrainingPoints TrainingSource::measured(std::size_t count, std::uint64_t seed, Progress* progress,
                                        const Place& place) const {
    TrainingPoints points;
    for (std::vector<float>* row : {&points.x, &points.y, &points.z, &points.value}) row->resize(count);
    Stage stage(progress, "measuring distances", count);
    parallel_for(count, piece, [&](std::size_t begin, std::size_t end) {
        Random random(seed, begin / piece);
        const std::vector<SurfaceSpot> spots = surface_.random_spots(end - begin, random);
        for (std::size_t i = begin; i < end; ++i) {
            const SurfaceSpot& spot = spots[i - begin];
            const Vec3 wanted =
                network_.domain.closest(place(spot.point, surface_.walker().normal(spot.triangle), random));
            const Eigen::Vector3f q = ((wanted - network_.center) / network_.scale).cast<float>();
            points.x[i] = q.x();
            points.y[i] = q.y();
            points.z[i] = q.z();
            const Vec3 p = network_.center + network_.scale * q.cast<double>();
            points.value[i] = static_cast<float>(mesh_.distance(p) / network_.scale);
        }
        stage.step(end - begin);
    });
    return points;
}

TrainingPoints TrainingSource::mixed(std::size_t count, std::uint64_t seed, const PointMix& mix,
                                     Progress* progress) const {
    const double side = mesh_.bounds().size().maxCoeff();
    return measured(count, seed, progress, [&](const Vec3& point, const Vec3& normal, Random& random) -> Vec3 {
        const double kind = random.uniform();
        if (kind >= mix.near + mix.middle) return random.in_box(network_.domain);
        const double distance = kind < mix.near ? mix.near_distance : mix.middle_distance;
        return point + two_sided_exponential(random, distance * side) * normal;
    });
}

TrainingPoints TrainingSource::near(std::size_t count, double reach, std::uint64_t seed) const {
    return measured(count, seed, nullptr, [&](const Vec3& point, const Vec3& normal, Random& random) -> Vec3 {
        return point + random.uniform(-reach, reach) * normal;
    });
}

TrainingPoints TrainingSource::anywhere(std::size_t count, std::uint64_t seed) const {
    return measured(count, seed, nullptr,
                    [&](const Vec3&, const Vec3&, Random& random) { return random.in_box(network_.domain); });
}

} // namespace fathom
