// Random velocities and their reflection.
#include <fathom/simulate/springs/spring_drift.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>

namespace fathom {

namespace {

struct Outline {
    Vec3 velocity = Vec3::Zero(); // of the centre of mass
    Box box;                      // positions of the points after the step
    bool held = false;            // has a point that cannot move
};

Outline outline(const SpringNetwork& network, std::span<const Index> points, double step, std::span<const Vec3> x,
                std::span<const Vec3> v) {
    Outline result;
    Vec3 momentum = Vec3::Zero();
    double mass = 0;
    for (const Index p : points) {
        if (network.masses[p] == 0) continue; // in no element
        result.held |= network.fixed[p] != 0;
        momentum += network.masses[p] * v[p];
        mass += network.masses[p];
        result.box.extend(Vec3(x[p] + step * v[p]));
    }
    if (mass > 0) result.velocity = momentum / mass;
    return result;
}

bool leaves(double lower, double upper, double velocity, const Box& environment, int axis) {
    return (velocity > 0 && upper > environment.upper[axis]) || (velocity < 0 && lower < environment.lower[axis]);
}

std::size_t reflect_object(const SpringNetwork& network, std::span<const Index> points, const Box& environment,
                           double step, std::span<const Vec3> x, std::span<Vec3> v) {
    const Outline object = outline(network, points, step, x, v);
    std::size_t turned = 0;
    for (int axis = 0; axis < 3 && !object.held; ++axis) {
        if (!leaves(object.box.lower[axis], object.box.upper[axis], object.velocity[axis], environment, axis)) continue;
        for (const Index p : points) v[p][axis] -= network.masses[p] > 0 ? 2 * object.velocity[axis] : 0;
        ++turned;
    }
    return turned;
}

std::size_t reflect_points(const SpringNetwork& network, std::span<const Index> points, const Box& environment,
                           double step, std::span<const Vec3> x, std::span<Vec3> v) {
    std::size_t turned = 0;
    for (const Index p : points)
        for (int axis = 0; axis < 3 && !network.fixed[p]; ++axis) {
            const double next = x[p][axis] + step * v[p][axis];
            if (!leaves(next, next, v[p][axis], environment, axis)) continue;
            v[p][axis] = -v[p][axis];
            ++turned;
        }
    return turned;
}

} // namespace

void add_random_motion(const SpringNetwork& network, const RandomMotion& motion, std::span<Vec3> velocities) {
    require_not_negative(motion.drift, "option drift");
    require_not_negative(motion.deformation, "option deformation");
    const Lists parts = grouped(network.part, network.part_count());
    parallel_tasks(parts.size(), [&](std::size_t part) {
        Random random(motion.seed, part);
        const Vec3 drift = motion.drift * random.direction();
        std::vector<Vec3> own(parts[part].size());
        Vec3 momentum = Vec3::Zero();
        double mass = 0;
        for (std::size_t k = 0; k < own.size(); ++k) {
            own[k] = motion.deformation * random.direction();
            const Index p = parts[part][k];
            if (!network.fixed[p]) momentum += network.masses[p] * own[k], mass += network.masses[p];
        }
        for (std::size_t k = 0; k < own.size(); ++k)
            if (const Index p = parts[part][k]; !network.fixed[p]) velocities[p] += drift + own[k] - momentum / mass;
    });
}

std::size_t reflect(const SpringNetwork& network, const Lists& points_of, const Box& environment, Reflection mode,
                    double step, std::span<const Vec3> positions, std::span<Vec3> velocities) {
    const auto one = [&](std::size_t part, std::size_t) {
        return mode == Reflection::object
                   ? reflect_object(network, points_of[part], environment, step, positions, velocities)
                   : reflect_points(network, points_of[part], environment, step, positions, velocities);
    };
    return parallel_reduce(points_of.size(), 1, std::size_t{0}, one,
                           [](std::size_t sum, std::size_t part) { return sum + part; });
}

} // namespace fathom
