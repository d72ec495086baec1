// What contact does to a body: a force and a torque, and how they change as the body moves.
#pragma once

#include <fathom/base/parallel.h>
#include <fathom/base/vec.h>
#include <fathom/response/continuous_penalty.h>

#include <cmath>

namespace fathom {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

// World axes; the torque about the body's centre of mass.
struct Wrench {
    Vec3 force = Vec3::Zero();  // N
    Vec3 torque = Vec3::Zero(); // N m

    Wrench& operator+=(const Wrench& other) {
        force += other.force;
        torque += other.torque;
        return *this;
    }
};

// A contact linearised about the centre of one body, the other held still: six rows and columns, three of moves, three
// of turns. Both matrices are symmetric and have no negative eigenvalue: d(wrench) = -stiffness d(place) - damping
// d(velocity).
struct ContactSlope {
    Mat6 stiffness = Mat6::Zero(); // N/m, N, N m
    Mat6 damping = Mat6::Zero();   // N s/m, N s, N m s
    Vec6 rate = Vec6::Zero();      // how the wrench of the springs changes as both bodies now move (N/s, N m/s)

    ContactSlope& operator+=(const ContactSlope& other) {
        stiffness += other.stiffness;
        damping += other.damping;
        rate += other.rate;
        return *this;
    }
};

// Adds the answers of many contacts, in a fixed order whatever the number of threads.

// How one body feels the point: moves and turns about its centre by the handle. `side` is 1 for the shell's body, -1
// for the field's.
[[nodiscard]] inline ContactSlope contact_slope(const ContactState& state, const Vec3& handle, const ContactLaw& law,
                                                double weight, double side) {
    Mat3 cross;
    cross << 0, -handle.z(), handle.y(), handle.z(), 0, -handle.x(), -handle.y(), handle.x(), 0;
    Eigen::Matrix<double, 3, 6> reach; // from moves and turns to the velocity of the point
    reach << Mat3::Identity(), -cross;
    const Vec3 unit = state.normal.stableNormalized();
    const Mat3 along = unit * unit.transpose(), across = Mat3::Identity() - along;
    const Vec3 slip = across * state.velocity;
    const double rub = law.friction * law.stiffness * std::max(state.depth, 0.0) /
                       std::sqrt(slip.squaredNorm() + law.slip_speed * law.slip_speed);
    const Mat3 damping = law.damping * (law.damped == DampedPart::all ? Mat3(Mat3::Identity()) : along) + rub * across;
    const Mat6 stiffness = weight * law.stiffness * reach.transpose() * along * reach;
    return {stiffness, weight * reach.transpose() * damping * reach,
            -side * weight * law.stiffness * reach.transpose() * along * state.velocity};
}

inline void add(ContactResponse& sum, const ContactResponse& part, bool slopes) {
    sum.on_shell += part.on_shell;
    sum.on_field += part.on_field;
    sum.force_error += part.force_error;
    sum.torque_error += part.torque_error;
    sum.deepest = std::max(sum.deepest, part.deepest);
    sum.deepest_now = std::max(sum.deepest_now, part.deepest_now);
    sum.stored += part.stored;
    if (!slopes) return;
    sum.shell_slope += part.shell_slope;
    sum.field_slope += part.field_slope;
}

// one(contact, record) -> ContactResponse for each contact.
template <class One>
[[nodiscard]] ContactResponse contact_sum(std::span<const PointContact> contacts, const ContactOutput& output,
                                          const One& one) {
    constexpr std::size_t chunk = 256;
    const std::size_t first = output.records ? output.records->size() : 0;
    if (output.records) output.records->resize(first + contacts.size());
    const auto some = [&](std::size_t begin, std::size_t end) {
        ContactResponse sum;
        ContactRecord ignored;
        for (std::size_t k = begin; k < end; ++k)
            add(sum, one(contacts[k], output.records ? (*output.records)[first + k] : ignored), output.slopes);
        return sum;
    };
    if (contacts.size() <= chunk) return some(0, contacts.size());
    return parallel_reduce(contacts.size(), chunk, ContactResponse{}, some,
                           [&](ContactResponse sum, const ContactResponse& part) {
                               add(sum, part, output.slopes);
                               return sum;
                           });
}

} // namespace fathom
