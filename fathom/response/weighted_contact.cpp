// Forces of contacts between weighted points.
#include <fathom/response/weighted_contact.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace fathom {

namespace {

void refuse(Cause cause, std::size_t contact, std::string reason) {
    throw Error(cause, std::move(reason), {.element = "contact", .index = static_cast<std::int64_t>(contact)});
}

void check_contact(const WeightedContact& contact, std::size_t number, std::size_t point_count) {
    if (contact.count == 0 || contact.count > WeightedContact::max_points)
        refuse(Cause::invalid_argument, number,
               fmt::format("has {} points, not 1 to {}", contact.count, WeightedContact::max_points));
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < contact.count; ++k) {
        if (contact.points[k] >= point_count)
            refuse(Cause::index_out_of_range, number,
                   fmt::format("refers to point {}, but there are {}", contact.points[k], point_count));
        sum += contact.weights[k];
        size += std::abs(contact.weights[k]);
    }
    if (!std::isfinite(size) || !is_finite(contact.separating_direction) || !std::isfinite(contact.depth) ||
        !std::isfinite(contact.area))
        refuse(Cause::non_finite, number, "has a weight, direction, depth or area that is not finite");
    if (std::min(std::abs(sum), std::abs(sum - 1)) > 1e-6 * (1 + size))
        refuse(Cause::invalid_argument, number, fmt::format("has weights that sum to {}, not to 0 or 1", sum));
    if (contact.depth < 0 || contact.area < 0) refuse(Cause::invalid_argument, number, "has a negative depth or area");
    if (contact.depth > 0 && std::abs(contact.separating_direction.squaredNorm() - 1) > 1e-6)
        refuse(Cause::invalid_argument, number,
               fmt::format("has a direction of length {}, not 1", contact.separating_direction.norm()));
}

double stiffness_of(const WeightedContact& contact, const WeightedContactLaw& law, double mass) {
    switch (law.scaling) {
    case ContactScaling::area:
        return law.stiffness * contact.area;
    case ContactScaling::mass:
        return law.stiffness * mass;
    default:
        return law.stiffness;
    }
}

Vec3 weighted_sum(const WeightedContact& contact, std::span<const Vec3> values) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < contact.count; ++k) sum += contact.weights[k] * values[contact.points[k]];
    return sum;
}

} // namespace

void check(const WeightedContactLaw& law) {
    const auto require = [](double value, bool good, const char* name) {
        if (!good)
            throw Error(Cause::invalid_argument, fmt::format("{} is not finite or out of range", value),
                        {.element = fmt::format("option {}", name)});
    };
    require(law.stiffness, std::isfinite(law.stiffness) && law.stiffness >= 0, "stiffness");
    require(law.damping_ratio, std::isfinite(law.damping_ratio) && law.damping_ratio >= 0, "damping_ratio");
    require(law.friction, std::isfinite(law.friction) && law.friction >= 0, "friction");
    require(law.slip_speed, std::isfinite(law.slip_speed) && law.slip_speed > 0, "slip_speed");
}

void check(std::span<const WeightedContact> contacts, std::size_t point_count) {
    for (std::size_t k = 0; k < contacts.size(); ++k) check_contact(contacts[k], k, point_count);
}

WeightedContact weighted_contact(const std::array<Index, 4>& points, const FeatureProximity& proximity,
                                 double thickness, double area) {
    WeightedContact contact{.count = 4,
                            .separating_direction = proximity.separating_direction,
                            .depth = std::max(0.0, thickness - proximity.distance),
                            .area = area};
    std::copy(points.begin(), points.end(), contact.points.begin());
    std::copy(proximity.weight.begin(), proximity.weight.end(), contact.weights.begin());
    if (contact.separating_direction == Vec3::Zero()) contact.depth = 0; // the separating direction is unknown
    return contact;
}

double effective_mass(const WeightedContact& contact, std::span<const double> inverse_masses) {
    double sum = 0;
    for (std::size_t k = 0; k < contact.count; ++k)
        sum += contact.weights[k] * contact.weights[k] * inverse_masses[contact.points[k]];
    return sum > 0 ? 1 / sum : std::numeric_limits<double>::infinity();
}

ContactStrength contact_strength(const WeightedContact& contact, const WeightedContactLaw& law,
                                 std::span<const double> inverse_masses, std::span<const Vec3> velocities) {
    const double mass = effective_mass(contact, inverse_masses);
    if (!std::isfinite(mass) || contact.depth == 0) return {};
    ContactStrength strength{.stiffness = stiffness_of(contact, law, mass)};
    strength.energy = 0.5 * strength.stiffness * contact.depth * contact.depth;
    const Vec3 velocity = weighted_sum(contact, velocities);
    const double push = strength.stiffness * contact.depth, parting = velocity.dot(contact.separating_direction);
    const double damping = 2 * law.damping_ratio * std::sqrt(strength.stiffness * mass);
    strength.damping = push > damping * parting ? damping : 0;
    const Vec3 slip = velocity - parting * contact.separating_direction;
    strength.rubbing = law.friction * push / std::sqrt(slip.squaredNorm() + law.slip_speed * law.slip_speed);
    strength.force = std::max(0.0, push - damping * parting) * contact.separating_direction - strength.rubbing * slip;
    return strength;
}

Mat3 contact_step_matrix(const WeightedContact& contact, const ContactStrength& strength, double step) {
    const Mat3 along = contact.separating_direction * contact.separating_direction.transpose();
    return step *
           ((step * strength.stiffness + strength.damping) * along + strength.rubbing * (Mat3::Identity() - along));
}

double add_contact_forces(std::span<const WeightedContact> contacts, const WeightedContactLaw& law,
                          std::span<const double> inverse_masses, std::span<const Vec3> velocities,
                          std::span<Vec3> forces, std::vector<ContactStrength>* strengths) {
    double energy = 0;
    if (strengths) strengths->clear();
    for (const WeightedContact& contact : contacts) {
        const ContactStrength strength = contact_strength(contact, law, inverse_masses, velocities);
        for (std::size_t k = 0; k < contact.count; ++k)
            forces[contact.points[k]] += contact.weights[k] * strength.force;
        energy += strength.energy;
        if (strengths) strengths->push_back(strength);
    }
    return energy;
}

} // namespace fathom
