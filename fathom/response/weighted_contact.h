// Penalty contact between features of deforming bodies a and b, distributed over their points: vertex and face, edge
// and edge, or any weighted sums of up to eight points. The position of a minus the position of b is sum(weight[k] *
// x[k]). The weights of a sum to 1, those of b to -1 (triangle_contact.h), so the force on a is the opposite of the
// force on b and momentum is conserved. Without points of b, the other side is static (the ground, a field). Law: the
// energy is k/2 depth^2 and d(depth)/dx[k] = -weight[k] * separating_direction, so the force on point k is weight[k] *
// (k depth - c dn) * separating_direction, and never attractive; dn is the rate of separation of a and b. Friction is
// as in contact_path.h. Forces are explicit, or linearised for an implicit step. Not needed for detection alone.
// Thread-safe.
#pragma once

#include <fathom/geometry/primitive/triangle_contact.h>

#include <span>
#include <vector>

namespace fathom {

struct WeightedContact {
    static constexpr std::size_t max_points = 8;

    std::array<Index, max_points> points{};
    std::array<double, max_points> weights{};
    std::size_t count = 0;                    // number of points and weights in use
    Vec3 separating_direction = Vec3::Zero(); // unit, from b to a: moving a along it separates them
    double depth = 0;                         // m, >= 0
    double area = 0;                          // area that the contact represents (m^2); only for ContactScaling::area
};

// Factor of the law's stiffness. Only with `none` does the response depend on the resolution of the meshes.
enum class ContactScaling {
    none, // stiffness in N/m
    area, // stiffness in N/m^3, a pressure per metre of depth; multiplied by the contact's area
    // Stiffness in 1/s^2, the square of the angular frequency (rad/s) of a contact; multiplied by its effective mass.
    // An explicit step is stable below about 2 / sqrt(stiffness * contacts on a point), in any units.
    mass
};

struct WeightedContactLaw {
    ContactScaling scaling = ContactScaling::mass;
    double stiffness = 1e4;
    double damping_ratio = 0; // fraction of critical damping, 2 sqrt(k * effective mass)
    double friction = 0;      // mu
    double slip_speed = 0.01; // m/s; see contact_path.h
};

// Coefficients and force of one contact in its present state.
struct ContactStrength {
    double stiffness = 0;      // k (N/m)
    double damping = 0;        // c (N s/m), along separating_direction; 0 if the force would be attractive
    double rubbing = 0;        // friction force divided by slip speed (N s/m)
    Vec3 force = Vec3::Zero(); // on a (N)
    double energy = 0;         // J
};

// Error{invalid_argument} names the option that is not finite or out of range.
void check(const WeightedContactLaw& law);

// Throws an Error that names the first invalid contact: index_out_of_range, non_finite, invalid_argument (no point or
// more than eight, a direction that is not unit, negative depth or area, weights that do not sum to 0 or 1).
// O(contacts).
void check(std::span<const WeightedContact> contacts, std::size_t point_count);

// Contact of a proximity closer than `thickness` (m); the depth is `thickness` minus the distance. `points` are in the
// order of the proximity's weights. If the distance is not below `thickness`, the depth is 0 and there is no force.
[[nodiscard]] WeightedContact weighted_contact(const std::array<Index, 4>& points, const FeatureProximity& proximity,
                                               double thickness, double area = 0);

// Effective mass of the contact, 1 / sum(weight^2 / mass); infinite if no point can move.
[[nodiscard]] double effective_mass(const WeightedContact& contact, std::span<const double> inverse_masses);

// All values are zero if no point can move.
[[nodiscard]] ContactStrength contact_strength(const WeightedContact& contact, const WeightedContactLaw& law,
                                               std::span<const double> inverse_masses,
                                               std::span<const Vec3> velocities);

// Matrix step^2 K + step D of an implicit step, where K and D are the negative derivatives of the force on a by the
// relative displacement and velocity of a and b. Symmetric positive semidefinite; the block of points i and j is
// weights[i] * weights[j] times this matrix.
[[nodiscard]] Mat3 contact_step_matrix(const WeightedContact& contact, const ContactStrength& strength, double step);

// Adds the forces of all contacts (N), in order. Returns the stored energy (J), and the strengths if `strengths` is not
// null. The input must have been checked. About 0.1 us per contact.
double add_contact_forces(std::span<const WeightedContact> contacts, const WeightedContactLaw& law,
                          std::span<const double> inverse_masses, std::span<const Vec3> velocities,
                          std::span<Vec3> forces, std::vector<ContactStrength>* strengths = nullptr);

} // namespace fathom
