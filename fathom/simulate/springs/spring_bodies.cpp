// Sums over the points of a body.
#include <fathom/simulate/springs/spring_bodies.h>

#include <fmt/format.h>

namespace fathom {

Error named(const Error& error, const std::string& body) {
    return Error(error.cause(),
                 error.place().element.empty() ? error.reason()
                                               : fmt::format("{}: {}", error.place().element, error.reason()),
                 {.file = error.place().file, .element = fmt::format("body '{}'", body), .index = error.place().index});
}

void fix_points(SpringNetwork& network, bool all, std::span<const Index> vertices) {
    if (all) network.fixed.assign(network.size(), 1);
    for (const Index v : vertices) {
        if (v >= network.size())
            throw Error(Cause::index_out_of_range, "the vertex does not exist",
                        {.element = "fixed vertex", .index = static_cast<std::int64_t>(v)});
        network.fixed[v] = 1;
    }
}

Vec3 center_of_mass(const SpringNetwork& network) {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    for (std::size_t k = 0; k < network.size(); ++k)
        sum += network.masses[k] * network.points[k], mass += network.masses[k];
    return mass > 0 ? Vec3(sum / mass) : Vec3(Vec3::Zero());
}

std::vector<Vec3> rigid_velocities(const SpringNetwork& network, const Vec3& velocity, const Vec3& spin) {
    const Vec3 center = center_of_mass(network);
    std::vector<Vec3> velocities(network.size(), Vec3::Zero());
    for (std::size_t k = 0; k < network.size(); ++k)
        if (!network.fixed[k]) velocities[k] = velocity + spin.cross(network.points[k] - center);
    return velocities;
}

SpringState state_at(const SpringWorld& springs, std::span<const Index> points) {
    SpringState state;
    for (const Index k : points) {
        state.positions.push_back(springs.positions()[k]);
        state.velocities.push_back(springs.velocities()[k]);
    }
    return state;
}

void take_rest_lengths(const SpringWorld& springs, std::span<const Index> listed,
                       const std::function<void(Index, double)>& set) {
    if (!springs.options().plastic.active()) return;
    for (Index k = 0; k < listed.size(); ++k) set(k, springs.network().springs[listed[k]].rest);
}

BodyFrame mass_frame(const SpringWorld& springs, std::span<const Index> points) {
    BodyFrame frame;
    double mass = 0;
    for (const Index point : points) {
        const double m = springs.network().masses[point];
        frame.pose.translation += m * springs.positions()[point];
        frame.velocity += m * springs.velocities()[point];
        mass += m;
    }
    if (mass > 0) frame.pose.translation /= mass, frame.velocity /= mass;
    return frame;
}

} // namespace fathom
