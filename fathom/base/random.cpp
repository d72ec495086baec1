// xoshiro256**, and samples of balls, spheres and rotations by rejection, which needs no function of libm except the
// exact sqrt.
#include <fathom/base/random.h>

#include <bit>
#include <cmath>

namespace fathom {

namespace {

std::uint64_t splitmix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

} // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t mixed = stream;
    std::uint64_t state = seed ^ splitmix(mixed);
    for (auto& word : state_) word = splitmix(state);
}

std::uint64_t Random::bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::uniform(double low, double high) { return low + uniform() * (high - low); }

std::uint64_t Random::below(std::uint64_t count) {
    const std::uint64_t excess = (0 - count) % count; // smaller values would make small results more likely
    std::uint64_t x = bits();
    while (x < excess) x = bits();
    return x % count;
}

Vec3 Random::in_box(const Box& box) {
    const double x = uniform(box.lower.x(), box.upper.x());
    const double y = uniform(box.lower.y(), box.upper.y());
    const double z = uniform(box.lower.z(), box.upper.z());
    return {x, y, z};
}

Vec3 Random::in_ball() {
    const Box cube{Vec3::Constant(-1), Vec3::Constant(1)};
    Vec3 p = in_box(cube);
    while (p.squaredNorm() > 1) p = in_box(cube);
    return p;
}

Vec3 Random::direction() {
    Vec3 p = in_ball();
    while (p.squaredNorm() < 1e-4) p = in_ball();
    return p / std::sqrt(p.squaredNorm());
}

// Marsaglia 1972: two points of the unit disk give a uniform unit quaternion.
Quat Random::rotation() {
    const auto disk = [this] {
        double x = uniform(-1, 1), y = uniform(-1, 1);
        while (x * x + y * y >= 1 || x * x + y * y < 1e-8) x = uniform(-1, 1), y = uniform(-1, 1);
        return Vec2(x, y);
    };
    const Vec2 a = disk(), b = disk();
    const double scale = std::sqrt((1 - a.squaredNorm()) / b.squaredNorm());
    return Quat(a.x(), a.y(), b.x() * scale, b.y() * scale);
}

} // namespace fathom
