// Force and torque of contact on a rigid body, and their derivatives by the motion of the body.
#pragma once

#include <fathom/base/vec.h>

namespace fathom {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

// Force and torque in world axes; the torque is about the body's centre of mass.
struct Wrench {
    Vec3 force = Vec3::Zero();  // N
    Vec3 torque = Vec3::Zero(); // N m

    Wrench& operator+=(const Wrench& other) {
        force += other.force;
        torque += other.torque;
        return *this;
    }
};

// A contact linearised about the centre of mass of one body, with the other body fixed. Rows and columns are three
// translations, then three rotations: d(wrench) = -stiffness d(pose) - damping d(velocity). Both matrices are symmetric
// positive semidefinite.
struct ContactSlope {
    Mat6 stiffness = Mat6::Zero(); // N/m, N, N m
    Mat6 damping = Mat6::Zero();   // N s/m, N s, N m s
    Vec6 rate = Vec6::Zero();      // time derivative of the spring wrench at the present velocities (N/s, N m/s)

    ContactSlope& operator+=(const ContactSlope& other) {
        stiffness += other.stiffness;
        damping += other.damping;
        rate += other.rate;
        return *this;
    }
};

} // namespace fathom
