// Sums the waves into a periodic table, and interpolates it.
#include <fathom/simulate/particles/particle_wind.h>

#include <fathom/base/parallel.h>
#include <fathom/base/random.h>

#include <array>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr std::size_t side = 32;

struct Wave {
    Vec3 turns;       // wave vector in turns per period; integers
    Vec3 push;        // amplitude, perpendicular to the wave vector
    double phase = 0; // in turns
};

std::vector<Wave> waves_of(std::uint64_t seed) {
    Random random(seed);
    std::vector<Wave> waves;
    while (waves.size() < 24) {
        Vec3 turns;
        for (double& t : turns) t = static_cast<double>(random.below(9)) - 4.0;
        const Vec3 push = random.direction().cross(turns);
        const double phase = random.uniform();
        // Larger eddies are stronger, as in air.
        if (turns.norm() > 0 && push.norm() > 0) waves.push_back({turns, push / turns.squaredNorm(), phase});
    }
    return waves;
}

} // namespace

ParticleWind::ParticleWind(std::uint64_t seed) : table_(side * side * side) {
    const std::vector<Wave> waves = waves_of(seed);
    std::array<double, side> cosine{};
    for (std::size_t k = 0; k < side; ++k) cosine[k] = std::cos(2 * std::numbers::pi * static_cast<double>(k) / side);
    std::vector<Vec3> wind(table_.size(), Vec3::Zero());
    parallel_for(side, 1, [&](std::size_t begin, std::size_t) {
        for (std::size_t rest = 0; rest < side * side; ++rest) {
            const std::size_t x = rest % side, y = rest / side;
            const Vec3 place(static_cast<double>(x), static_cast<double>(y), static_cast<double>(begin));
            for (const Wave& wave : waves) {
                const auto turn = static_cast<std::int64_t>(wave.turns.dot(place) + std::floor(wave.phase * side));
                wind[begin * side * side + rest] +=
                    cosine[static_cast<std::size_t>(turn & static_cast<std::int64_t>(side - 1))] * wave.push;
            }
        }
    });
    double squares = 0;
    for (const Vec3& w : wind) squares += w.squaredNorm();
    const double scale = std::sqrt(3 * static_cast<double>(wind.size()) / squares);
    for (std::size_t k = 0; k < wind.size(); ++k) table_[k] = (scale * wind[k]).cast<float>();
}

Vec3 ParticleWind::operator()(const Vec3& place) const {
    std::array<std::array<std::size_t, 2>, 3> at{};
    std::array<float, 3> share{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double whole = place[static_cast<Eigen::Index>(k)];
        const double cell = (whole - std::floor(whole)) * side, below = std::floor(cell);
        at[k][0] = static_cast<std::size_t>(below) % side;
        at[k][1] = (at[k][0] + 1) % side;
        share[k] = static_cast<float>(cell - below);
    }
    const auto line = [&](std::size_t y, std::size_t z) -> Vec3f {
        const Vec3f* row = &table_[(z * side + y) * side];
        return row[at[0][0]] + share[0] * (row[at[0][1]] - row[at[0][0]]);
    };
    const auto sheet = [&](std::size_t z) -> Vec3f {
        const Vec3f near = line(at[1][0], z);
        return near + share[1] * (line(at[1][1], z) - near);
    };
    const Vec3f below = sheet(at[2][0]);
    return (below + share[2] * (sheet(at[2][1]) - below)).cast<double>();
}

} // namespace fathom
