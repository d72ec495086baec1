#include <fathom/response/weighted_contact.h>

#include <fathom/base/error.h>
#include <fathom/base/random.h>

#include <gtest/gtest.h>

#include <limits>

namespace fathom {
namespace weighted_contact_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Double4 {
    std::vector<Vec3> positions, velocities;
    std::vector<double> inverse_masses;
    WeightedContact contact;
};

// A vertex near a face, or an edge near an edge, all inside a cube of the size given; mass as its volume.
Double4 random_four(Random& random, double size) {
    Double4 four;
    for (int k = 0; k < 4; ++k) {
        four.positions.push_back(size * random.in_ball());
        four.velocities.push_back(size * random.in_ball());
        four.inverse_masses.push_back(1 / (size * size * size * random.uniform(0.5, 2)));
    }
    const std::vector<Vec3>& x = four.positions;
    const FeatureProximity proximity = random.chance(0.5) ? vertex_face_proximity(x[0], {x[1], x[2], x[3]})
                                                          : edge_edge_proximity({x[0], x[1]}, {x[2], x[3]});
    four.contact = weighted_contact({0, 1, 2, 3}, proximity, 2 * size, 0.1 * size * size);
    return four;
}

TEST(WeightedContact, momentum_is_kept_and_the_turning_of_a_push_along_the_gap_too) {
    Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const Double4 four = random_four(random, 1);
        const WeightedContactLaw law{.damping_ratio = 0.3};
        std::vector<Vec3> forces(4, Vec3::Zero());
        EXPECT_GT(add_contact_forces({&four.contact, 1}, law, four.inverse_masses, four.velocities, forces), 0);
        Vec3 sum = Vec3::Zero(), turn = Vec3::Zero();
        double size = 0;
        for (std::size_t p = 0; p < 4; ++p)
            sum += forces[p], turn += four.positions[p].cross(forces[p]), size += forces[p].norm();
        EXPECT_GT(size, 0);
        EXPECT_LT(sum.norm(), 1e-13 * size);
        EXPECT_LT(turn.norm(), 1e-6 * size); // the gap is along the normal, up to the rounding of tiny gaps
    }
}

TEST(WeightedContact, the_force_is_minus_the_slope_of_the_energy) {
    Random random(2);
    for (int k = 0; k < 300; ++k) {
        Double4 four = random_four(random, 1);
        const WeightedContactLaw law{.scaling = ContactScaling::none, .stiffness = 50};
        const std::vector<Vec3> still(4, Vec3::Zero());
        const Vec3 force = contact_strength(four.contact, law, four.inverse_masses, still).force;
        for (std::size_t p = 0; p < 4; ++p) {
            const auto energy = [&](double depth) {
                WeightedContact moved = four.contact;
                moved.depth = depth;
                return contact_strength(moved, law, four.inverse_masses, still).energy;
            };
            // A move by d along the normal changes the depth by -weight * d.
            const double by = 1e-5, w = four.contact.weights[p];
            const double slope = (energy(four.contact.depth - w * by) - energy(four.contact.depth + w * by)) / (2 * by);
            EXPECT_NEAR(w * force.dot(four.contact.separating_direction), -slope, 1e-6 * force.norm());
        }
    }
}

TEST(WeightedContact, accelerations_do_not_depend_on_units_when_scaled_by_mass_or_area) {
    for (const ContactScaling scaling : {ContactScaling::mass, ContactScaling::area})
        for (const double size : {1e-3, 1e3}) {
            Random one(7), other(7);
            for (int k = 0; k < 100; ++k) {
                const Double4 a = random_four(one, 1), b = random_four(other, size);
                const WeightedContactLaw law{
                    .scaling = scaling, .stiffness = 400, .damping_ratio = 0.2, .friction = 0.5, .slip_speed = 0.01};
                WeightedContactLaw scaled = law;
                scaled.slip_speed *= size;
                if (scaling == ContactScaling::area) scaled.stiffness *= size; // kg / (m^2 s^2)
                const Vec3 x = contact_strength(a.contact, law, a.inverse_masses, a.velocities).force;
                const Vec3 y = contact_strength(b.contact, scaled, b.inverse_masses, b.velocities).force;
                // Forces go with the fourth power of length where mass is a volume: density and time stay.
                EXPECT_NEAR((x - y / (size * size * size * size)).norm(), 0, 1e-6 * x.norm());
            }
        }
}

TEST(WeightedContact, never_pulls_and_friction_opposes_slip) {
    WeightedContact contact{
        .points = {0, 1}, .weights = {1, -1}, .count = 2, .separating_direction = {0, 0, 1}, .depth = 0.01};
    const std::vector<double> inverse = {1, 1};
    std::vector<Vec3> v = {{0, 0, 100}, {0, 0, 0}};
    const WeightedContactLaw law{.stiffness = 1e4, .damping_ratio = 1, .friction = 0.5};
    EXPECT_EQ(contact_strength(contact, law, inverse, v).force, Vec3(0, 0, 0)); // parting fast
    EXPECT_EQ(contact_strength(contact, law, inverse, v).damping, 0);
    v[0] = {3, 0, 0};
    const Vec3 rubbed = contact_strength(contact, law, inverse, v).force;
    EXPECT_NEAR(rubbed.z(), 1e4 * 0.5 * 0.01, 1e-12); // effective mass one half
    EXPECT_NEAR(rubbed.x(), -0.5 * rubbed.z(), 1e-4 * rubbed.z());
    EXPECT_EQ(contact_strength(contact, law, std::vector<double>{0, 0}, v).force, Vec3(0, 0, 0)); // nobody can move
}

TEST(WeightedContact, the_step_matrix_is_the_derivative_of_the_force) {
    const WeightedContact contact{
        .points = {0}, .weights = {1}, .count = 1, .separating_direction = Vec3(2, 3, 6) / 7, .depth = 0.02};
    const std::vector<double> inverse = {0.5};
    const WeightedContactLaw law{.scaling = ContactScaling::none, .stiffness = 300, .damping_ratio = 0.1};
    const std::vector<Vec3> v = {{0.1, -0.2, -0.3}};
    const ContactStrength strength = contact_strength(contact, law, inverse, v);
    const double h = 0.01;
    const Mat3 matrix = contact_step_matrix(contact, strength, h);
    for (int axis = 0; axis < 3; ++axis) { // a change of velocity moves the point by h times it
        std::vector<Vec3> faster = v;
        faster[0][axis] += 1e-3;
        WeightedContact later = contact;
        later.depth -= h * 1e-3 * contact.separating_direction[axis];
        const Vec3 change = contact_strength(later, law, inverse, faster).force - strength.force;
        EXPECT_NEAR((h * change + 1e-3 * matrix.col(axis)).norm(), 0, 1e-9);
    }
}

Cause cause_of(const WeightedContact& contact) {
    try {
        check({&contact, 1}, 4);
    } catch (const Error& error) {
        EXPECT_EQ(error.place().index, 0);
        return error.cause();
    }
    return Cause::cancelled;
}

TEST(WeightedContact, hostile_contacts_are_refused_by_name) {
    const WeightedContact good{
        .points = {0, 3}, .weights = {1, -1}, .count = 2, .separating_direction = {1, 0, 0}, .depth = 0.1};
    EXPECT_EQ(cause_of(good), Cause::cancelled); // nothing was thrown
    const auto with = [&](const auto& change) {
        WeightedContact contact = good;
        change(contact);
        return cause_of(contact);
    };
    EXPECT_EQ(with([](WeightedContact& c) { c.points[1] = 4; }), Cause::index_out_of_range);
    EXPECT_EQ(with([](WeightedContact& c) { c.count = 0; }), Cause::invalid_argument);
    EXPECT_EQ(with([](WeightedContact& c) { c.count = 9; }), Cause::invalid_argument);
    EXPECT_EQ(with([](WeightedContact& c) { c.weights[1] = -0.5; }), Cause::invalid_argument);
    EXPECT_EQ(with([](WeightedContact& c) { c.weights[1] = nan; }), Cause::non_finite);
    EXPECT_EQ(with([](WeightedContact& c) { c.separating_direction *= 2; }), Cause::invalid_argument);
    EXPECT_EQ(with([](WeightedContact& c) { c.separating_direction.x() = nan; }), Cause::non_finite);
    EXPECT_EQ(with([](WeightedContact& c) { c.depth = -1; }), Cause::invalid_argument);
    EXPECT_EQ(with([](WeightedContact& c) { c.depth = nan; }), Cause::non_finite);
    EXPECT_EQ(with([](WeightedContact& c) { c.area = -1; }), Cause::invalid_argument);
    EXPECT_THROW(check(WeightedContactLaw{.stiffness = nan}), Error);
    EXPECT_THROW(check(WeightedContactLaw{.slip_speed = 0}), Error);
    const FeatureProximity nowhere{}; // touching, without a normal
    EXPECT_EQ(weighted_contact({0, 1, 2, 3}, nowhere, 1).depth, 0);
}

} // namespace weighted_contact_test
} // namespace fathom
