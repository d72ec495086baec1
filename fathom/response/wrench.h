// What contact does to a body: a force and a torque, and how they change as the body moves.
#pragma once

#include <fathom/base/vec.h>

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

} // namespace fathom
