// Python: placements as 4x4 matrices, or as (translation, quaternion w x y z), of any leading shape; one may be a
// translation alone; None is where it stands.
#pragma once

#include "arrays.h"

#include <fathom/base/motion.h>

#include <pybind11/pybind11.h>

namespace fathom::python {

struct Poses {
    std::vector<Pose> poses{Pose{}};
    Extents shape{}; // leading; one pose has none

    [[nodiscard]] bool single() const { return shape.empty(); }
    [[nodiscard]] const Pose& operator[](std::size_t k) const { return poses[poses.size() == 1 ? 0 : k]; }
};

// InputError (a ValueError) names the first matrix that is no rigid placement: rotation within 1e-4, last row 0 0 0 1,
// all finite.
[[nodiscard]] Poses poses_from(py::handle given, std::string_view argument);
[[nodiscard]] Pose pose_from(py::handle given, std::string_view argument);
[[nodiscard]] py::array pose_array(const Pose& pose);
void put_matrix(double* out, const Pose& pose); // 16 numbers, row by row

// Start and end of one or many motions.
struct Motions {
    Poses start, end;
    Extents shape{};

    [[nodiscard]] Motion operator[](std::size_t k) const { return {start[k], end[k], Path::straight}; }
};
// A fathom.Motion, or a placement that is kept.
[[nodiscard]] Motions motions_from(py::handle given, std::string_view argument);

// The leading shape of both: equal, or one has a single placement. InputError otherwise.
[[nodiscard]] Extents common_shape(const Extents& a, const Extents& b);
[[nodiscard]] std::size_t count_of(const Extents& shape);

void bind_poses(py::module_& m);

} // namespace fathom::python
