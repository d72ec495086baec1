// A contact between features of deforming bodies, as a push shared out over their points: vertex and
// face, edge and edge, or anything that is a weighted sum of up to eight points. The place of a less the place of b is
// sum(weight[k] * x[k]): weights of a add up to 1, those of b to -1 (feature_proximity.h), so the push on a is the
// opposite of that on b and momentum is kept. Without points of b, the other side never moves (ground, a field). Law:
// energy k/2 depth^2, d(depth)/dx[k] = -weight[k] * normal, so point k feels weight[k]
// * (k depth - c dn) * normal, never a pull; dn is the rate at which a and b part. Friction as in contact_law.h.
// Explicit, or linearised for an implicit step. A user who wants detection alone never comes here. Thread-safe.
#pragma once

#include <fathom/geometry/primitive/triangle_contact.h>

#include <span>
#include <vector>

namespace fathom {

struct WeightedContact {
    static constexpr std::size_t max_points = 8;

    std::array<Index, max_points> points{};
    std::array<double, max_points> weights{};
    std::size_t count = 0;      // of points and weights used
    Vec3 normal = Vec3::Zero(); // unit, from b to a: moving a along it parts them
    double depth = 0;           // m, >= 0
    double area = 0;            // m^2 that the contact stands for; only for ContactScaling::area
};

// What the law's stiffness is multiplied with. Only `none` depends on how finely the bodies are meshed.
enum class ContactScaling {
    none, // stiffness in N/m
    area, // in N/m^3: a pressure for each metre of depth; times the contact's area
    mass  // in 1/s^2: the square of the frequency (rad/s) at which a contact bounces; times its effective mass. An
          // explicit step is stable below about 2 / sqrt(stiffness * contacts on a point), in any units
};

struct WeightedContactLaw {
    ContactScaling scaling = ContactScaling::mass;
    double stiffness = 1e4;
    double damping_ratio = 0; // of critical damping, 2 sqrt(k * effective mass)
    double friction = 0;      // mu
    double slip_speed = 0.01; // m/s; see contact_law.h
};

// Numbers of one contact as it stands.
struct ContactStrength {
    double stiffness = 0;      // k (N/m)
    double damping = 0;        // c (N s/m), along the normal; 0 where the contact would pull
    double rubbing = 0;        // friction force over slip (N s/m)
    Vec3 force = Vec3::Zero(); // on a (N)
    double energy = 0;         // J
};

// Error{invalid_argument} names the option that is not finite or out of range.
void check(const WeightedContactLaw& law);

// Error names the first bad contact: index_out_of_range, non_finite, invalid_argument (no point or more than eight, a
// normal that is not unit, negative depth or area, weights that do not add up to 0 or 1). O(contacts).
void check(std::span<const WeightedContact> contacts, std::size_t point_count);

// From a proximity nearer than `thickness`; the depth is what lacks. `points` in the order of the proximity's weights.
// Depth 0 and no push where it is not nearer.
[[nodiscard]] WeightedContact weighted_contact(const std::array<Index, 4>& points, const FeatureProximity& proximity,
                                               double thickness, double area = 0);

// 1 / sum(weight^2 / mass): the mass that the push moves; infinite where no point can move.
[[nodiscard]] double effective_mass(const WeightedContact& contact, std::span<const double> inverse_masses);

// All zero where no point can move.
[[nodiscard]] ContactStrength contact_strength(const WeightedContact& contact, const WeightedContactLaw& law,
                                               std::span<const double> inverse_masses,
                                               std::span<const Vec3> velocities);

// How the force on a falls as a moves against b by x, and by h v: step^2 K + step D. Symmetric, no negative eigenvalue;
// the block of points i and j is weights[i] * weights[j] times it.
[[nodiscard]] Mat3 contact_step_matrix(const WeightedContact& contact, const ContactStrength& strength, double step);

// Adds every push to the forces (N), in order; returns the energy stored (J), and the strengths where asked for.
// Numbers must be checked. About 0.1 us a contact.
double add_contact_forces(std::span<const WeightedContact> contacts, const WeightedContactLaw& law,
                          std::span<const double> inverse_masses, std::span<const Vec3> velocities,
                          std::span<Vec3> forces, std::vector<ContactStrength>* strengths = nullptr);

} // namespace fathom
