// Poses from 4x4 matrices or tuples (translation, quaternion w x y z) of any leading shape. A single pose may also be a
// translation; None is the identity.
#pragma once

#include "arrays.h"

#include <fathom/base/motion.h>

#include <pybind11/pybind11.h>

namespace fathom::python {

struct Poses {
    std::vector<Pose> poses{Pose{}};
    Extents shape{}; // leading shape; empty for a single pose

    [[nodiscard]] bool single() const { return shape.empty(); }
    [[nodiscard]] const Pose& operator[](std::size_t k) const { return poses[poses.size() == 1 ? 0 : k]; }
};

// InputError (a ValueError) names the first matrix that is not a rigid transform: a rotation within 1e-4, the last row
// 0 0 0 1, all values finite.
[[nodiscard]] Poses poses_from(py::handle given, std::string_view argument);
[[nodiscard]] Pose pose_from(py::handle given, std::string_view argument);
[[nodiscard]] py::array pose_array(const Pose& pose);
void put_matrix(double* out, const Pose& pose); // 16 numbers, row-major

// Start and end poses of one or many motions.
struct Motions {
    Poses start, end;
    Extents shape{};

    [[nodiscard]] Motion operator[](std::size_t k) const { return {start[k], end[k]}; }
};
// The motions of a fathom.Motion, or a constant pose.
[[nodiscard]] Motions motions_from(py::handle given, std::string_view argument);

// The common leading shape: both are equal, or one is a single pose. InputError otherwise.
[[nodiscard]] Extents common_shape(const Extents& a, const Extents& b);
[[nodiscard]] std::size_t count_of(const Extents& shape);

void bind_poses(py::module_& m);

} // namespace fathom::python
