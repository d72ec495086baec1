// Sums of forces, block by block.
#include <fathom/simulate/springs/spring_forces.h>

#include <fathom/base/parallel.h>
#include <fathom/base/option_checks.h>
#include <fathom/simulate/springs/spring_elements.h>

#include <fmt/format.h>

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

// Energies of elements belong to the block of their first point, so that none counts twice.
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
            throw Error(Cause::count_mismatch, fmt::format("{} entries for {} points", values->size(), network.size()),
                        {.element = name});
        for (std::size_t k = 0; k < values->size(); ++k)
            if (!is_finite((*values)[k]))
                throw Error(Cause::non_finite, "is not finite",
                            {.element = name, .index = static_cast<std::int64_t>(k)});
    }
}

} // namespace fathom
