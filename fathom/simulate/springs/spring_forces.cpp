// Sums of forces, block by block.
#include <fathom/simulate/springs/spring_forces.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>
#include <fathom/simulate/springs/spring_blocks.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

// One block of the sum.
struct BlockSum {
    const SpringNetwork& network;
    std::span<const Vec3> x, v;
    std::span<Vec3> forces;
    BlockRange block;
    SpringEnergy energy{};

    void outside(const SpringSurroundings& around);
    void springs(std::span<const Index> chosen);
    template <class Term, class Measure>
    double terms(const std::vector<Term>& all, std::span<const Index> chosen, const Measure& measure);
};

void BlockSum::outside(const SpringSurroundings& around) {
    for (Index i = block.begin; i < block.end; ++i) {
        const double mass = network.masses[i];
        forces[i] = mass * (around.gravity - around.air_friction * v[i]);
        if (network.fixed[i]) continue;
        energy.kinetic += 0.5 * mass * v[i].squaredNorm();
        energy.gravity -= mass * around.gravity.dot(x[i]);
    }
}

// The energy of an element belongs to the block of its first point, so that it counts once.
void BlockSum::springs(std::span<const Index> chosen) {
    for (const Index s : chosen) {
        const Spring& spring = network.springs[s];
        const Index a = spring.points[0], b = spring.points[1];
        const SpringPull pull = spring_pull(spring, x[b] - x[a], [&]() -> Vec3 { return v[b] - v[a]; });
        if (block.has(a)) {
            forces[a] += pull.force;
            (spring.kind == SpringKind::bending ? energy.bending : energy.stretch) += pull.energy;
        }
        if (block.has(b)) forces[b] -= pull.force;
    }
}

template <class Term, class Measure>
double BlockSum::terms(const std::vector<Term>& all, std::span<const Index> chosen, const Measure& measure) {
    double sum = 0;
    for (const Index t : chosen) {
        const Term& term = all[t];
        const auto slope = measure(gathered(term.points, x));
        const ElementPull pull = element_pull(term, slope.value);
        for (std::size_t k = 0; k < term.points.size(); ++k)
            if (block.has(term.points[k])) forces[term.points[k]] -= pull.pull * slope.by[k];
        if (block.has(term.points[0])) sum += pull.energy;
    }
    return sum;
}

} // namespace

SpringEnergy& SpringEnergy::operator+=(const SpringEnergy& other) {
    kinetic += other.kinetic;
    stretch += other.stretch;
    bending += other.bending;
    area += other.area;
    volume += other.volume;
    gravity += other.gravity;
    contact += other.contact;
    return *this;
}

SpringState start_state(const SpringNetwork& network) {
    return {network.points, std::vector<Vec3>(network.size(), Vec3::Zero())};
}

SpringEnergy spring_forces(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                           std::span<const Vec3> velocities, const SpringSurroundings& surroundings,
                           std::span<Vec3> forces) {
    const auto one = [&](std::size_t b, std::size_t) {
        BlockSum sum{network, positions, velocities, forces, block_range(blocks, b)};
        sum.outside(surroundings);
        sum.springs(blocks.springs[b]);
        sum.energy.area =
            sum.terms(network.areas, blocks.areas[b], [](const std::array<Vec3, 3>& c) { return area_slope(c); });
        sum.energy.volume =
            sum.terms(network.volumes, blocks.volumes[b], [](const std::array<Vec3, 4>& c) { return volume_slope(c); });
        return sum.energy;
    };
    return parallel_reduce(blocks.size(), 1, SpringEnergy{}, one,
                           [](SpringEnergy sum, const SpringEnergy& part) { return sum += part; });
}

std::vector<Vec3> spring_forces(const SpringNetwork& network, const SpringState& state,
                                const SpringSurroundings& surroundings) {
    check(network);
    check(state, network);
    std::vector<Vec3> forces(network.size());
    spring_forces(network, SpringBlocks(network), state.positions, state.velocities, surroundings, forces);
    return forces;
}

SpringEnergy spring_energy(const SpringNetwork& network, const SpringState& state,
                           const SpringSurroundings& surroundings) {
    check(network);
    check(state, network);
    std::vector<Vec3> forces(network.size());
    return spring_forces(network, SpringBlocks(network), state.positions, state.velocities, surroundings, forces);
}

void check(const SpringState& state, const SpringNetwork& network) {
    for (const auto& [values, name] : {std::pair{&state.positions, "position"}, {&state.velocities, "velocity"}}) {
        if (values->size() != network.size())
            throw Error(Cause::count_mismatch,
                        fmt::format("got {} entries for {} points", values->size(), network.size()), {.element = name});
        for (std::size_t k = 0; k < values->size(); ++k)
            if (!is_finite((*values)[k]))
                throw Error(Cause::non_finite, "not finite", {.element = name, .index = static_cast<std::int64_t>(k)});
    }
}

// Creep of rest lengths.

namespace {

// The new rest length; unchanged below the yield strain.
double creep_to(double rest, double length, double first, double share, const PlasticOptions& options) {
    const double strain = (length - rest) / rest;
    if (!(std::abs(strain) > options.yield_strain)) return rest;
    const double aim =
        strain > 0 ? length / (1 + options.yield_strain) : length / std::max(1 - options.yield_strain, 1e-3);
    // Compression past the yield strain must not lengthen the spring, and tension must not shorten it.
    const double next = rest + share * (strain > 0 ? std::max(aim - rest, 0.0) : std::min(aim - rest, 0.0));
    return std::clamp(next, (1 - options.largest_change) * first, (1 + options.largest_change) * first);
}

} // namespace

void check(const PlasticOptions& options) {
    require_not_negative(options.yield_strain, "option yield_strain");
    require_not_negative(options.creep_rate, "option creep_rate");
    require(options.largest_change >= 0 && options.largest_change < 1, options.largest_change, "in [0,1)",
            {.element = "option largest_change"});
}

std::size_t creep(std::span<Spring> springs, std::span<const double> first_rest, std::span<const Vec3> positions,
                  double step, const PlasticOptions& options) {
    const double share = -std::expm1(-options.creep_rate * step);
    const auto some = [&](std::size_t begin, std::size_t end) {
        std::size_t changed = 0;
        for (std::size_t s = begin; s < end; ++s) {
            Spring& spring = springs[s];
            if (spring.kind == SpringKind::removed || !(spring.rest > 0)) continue;
            const double length = (positions[spring.points[1]] - positions[spring.points[0]]).norm();
            const double next = creep_to(spring.rest, length, first_rest[s], share, options);
            changed += next != spring.rest;
            spring.rest = next;
        }
        return changed;
    };
    return parallel_reduce(springs.size(), 4096, std::size_t{0}, some,
                           [](std::size_t sum, std::size_t part) { return sum + part; });
}

// ---- Random velocities and their reflection.

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
