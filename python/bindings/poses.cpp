// Poses and motions.
#include "poses.h"

#include <fathom/base/error.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

constexpr double rigid_tolerance = 1e-4; // deviation from a rotation that a long product of float32 matrices may have

[[noreturn]] void refuse_pose(std::string_view argument, std::size_t k, Cause cause, const std::string& reason) {
    throw Error(cause, reason, {.element = std::string(argument), .index = static_cast<std::int64_t>(k)});
}

Pose from_matrix(const Rows& rows, std::size_t k, std::string_view argument) {
    Eigen::Matrix4d m;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) m(r, c) = rows.at(4 * k + static_cast<std::size_t>(r), static_cast<std::size_t>(c));
    if (!m.allFinite()) refuse_pose(argument, k, Cause::non_finite, "pose contains NaN or infinity");
    const Mat3 rotation = m.topLeftCorner<3, 3>();
    const double off = (rotation * rotation.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
    if (off > rigid_tolerance || rotation.determinant() < 0)
        refuse_pose(argument, k, Cause::invalid_argument,
                    fmt::format("the upper left 3x3 block is not a rotation (deviation {:.3g}, determinant {:.3g})",
                                off, rotation.determinant()));
    if ((m.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() > rigid_tolerance)
        refuse_pose(argument, k, Cause::invalid_argument, "the last row must be 0 0 0 1");
    return {Quat(rotation).normalized(), m.topRightCorner<3, 1>()};
}

Poses from_matrices(py::handle given, std::string_view argument) {
    const Rows rows(given, 4, argument);
    Extents shape = rows.leading();
    if (shape.empty() || shape.back() != 4)
        refuse(argument, "expected a pose: a matrix (..., 4, 4), a tuple of translation (..., 3) and quaternion w x y "
                         "z (..., 4), or one translation (3,)");
    shape.pop_back();
    Poses all{std::vector<Pose>(count_of(shape)), std::move(shape)};
    for (std::size_t k = 0; k < all.poses.size(); ++k) all.poses[k] = from_matrix(rows, k, argument);
    return all;
}

// Only a single translation is accepted: an array of three would look like a rotation matrix.
bool is_translation(py::handle given) {
    const py::array array = py::array::ensure(given);
    return array && array.ndim() == 1 && array.shape(0) == 3;
}

Poses from_pair(const py::tuple& pair, std::string_view argument) {
    const Rows moves(pair[0], 3, fmt::format("{} (translation)", argument)),
        turns(pair[1], 4, fmt::format("{} (quaternion)", argument));
    Poses all{{}, common_shape(moves.leading(), turns.leading())};
    all.poses.resize(count_of(all.shape));
    for (std::size_t k = 0; k < all.poses.size(); ++k) {
        const std::size_t i = moves.size() == 1 ? 0 : k, j = turns.size() == 1 ? 0 : k;
        const Quat q(turns.at(j, 0), turns.at(j, 1), turns.at(j, 2), turns.at(j, 3));
        const Pose pose{q.normalized(), Vec3(moves.at(i, 0), moves.at(i, 1), moves.at(i, 2))};
        if (!is_finite(pose)) refuse_pose(argument, k, Cause::non_finite, "pose contains NaN or infinity");
        if (std::abs(q.norm() - 1) > rigid_tolerance)
            refuse_pose(argument, k, Cause::invalid_argument,
                        fmt::format("the quaternion must have unit length, its length is {:.6g}", q.norm()));
        all.poses[k] = pose;
    }
    return all;
}

} // namespace

std::size_t count_of(const Extents& shape) {
    std::size_t count = 1;
    for (const py::ssize_t side : shape) count *= static_cast<std::size_t>(side);
    return count;
}

Extents common_shape(const Extents& a, const Extents& b) {
    if (a.empty()) return b;
    if (b.empty() || a == b) return a;
    refuse("poses", "leading shapes must be equal, or one of them must be a single pose");
}

Poses poses_from(py::handle given, std::string_view argument) {
    if (given.is_none()) return {};
    if (py::isinstance<py::tuple>(given) && py::len(given) == 2)
        return from_pair(py::reinterpret_borrow<py::tuple>(given), argument);
    if (is_translation(given)) return {{Pose::from_translation(vector_from(given, argument))}, {}};
    return from_matrices(given, argument);
}

Pose pose_from(py::handle given, std::string_view argument) {
    const Poses all = poses_from(given, argument);
    if (!all.single()) refuse(argument, "expected a single pose, got an array of poses");
    return all.poses[0];
}

void put_matrix(double* out, const Pose& pose) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> m(out);
    m.setIdentity();
    m.topLeftCorner<3, 3>() = pose.rotation.toRotationMatrix();
    m.topRightCorner<3, 1>() = pose.translation;
}

py::array pose_array(const Pose& pose) {
    py::array_t<double> array(Extents{4, 4});
    put_matrix(array.mutable_data(), pose);
    return array;
}

Motions motions_from(py::handle given, std::string_view argument) {
    if (py::isinstance<Motions>(given)) return given.cast<Motions>();
    const Poses still = poses_from(given, argument);
    return {still, still, still.shape};
}

namespace {

py::array matrices(const Poses& all) {
    Extents shape = all.shape;
    shape.insert(shape.end(), {4, 4});
    py::array_t<double> array(shape);
    for (std::size_t k = 0; k < all.poses.size(); ++k) put_matrix(array.mutable_data() + 16 * k, all.poses[k]);
    return array;
}

py::array pose(const py::object& translation, const py::object& quaternion, const py::object& axis, double angle) {
    if (!quaternion.is_none() && !axis.is_none())
        refuse("pose", "expected a quaternion or an axis with an angle, not both");
    const py::object move = translation.is_none() ? py::object(vector_array(Vec3::Zero())) : translation;
    if (!quaternion.is_none()) return matrices(poses_from(py::make_tuple(move, quaternion), "pose"));
    Quat turn = Quat::Identity();
    if (!axis.is_none()) {
        const Vec3 line = vector_from(axis, "axis");
        if (!(line.norm() > 0) || !std::isfinite(angle)) refuse("axis", "expected a non-zero axis and a finite angle");
        turn = Quat(Eigen::AngleAxisd(angle, line.normalized()));
    } else if (angle != 0) {
        refuse("angle", "an angle needs an axis");
    }
    const std::array<double, 4> wxyz = {turn.w(), turn.x(), turn.y(), turn.z()};
    return matrices(poses_from(py::make_tuple(move, py::array_t<double>(4, wxyz.data())), "pose"));
}

py::array motion_at(const Motions& all, double t) {
    Poses now{std::vector<Pose>(count_of(all.shape)), all.shape};
    for (std::size_t k = 0; k < now.poses.size(); ++k) now.poses[k] = Mover(all[k]).pose(t);
    return matrices(now);
}

} // namespace

void bind_poses(py::module_& m) {
    m.def(
        "pose", &pose, py::arg("translation") = py::none(), py::arg("quaternion") = py::none(),
        py::arg("axis") = py::none(), py::arg("angle") = 0.0,
        R"(Returns a pose as a 4x4 matrix, which rotates first and then translates. It maps the frame of the shape to the world.

translation: (..., 3), metres. quaternion: (..., 4), unit, w x y z. axis and angle (radians) may replace the quaternion: one rotation for all translations.)");
    py::class_<Motions>(
        m, "Motion",
        R"(A rigid motion over one step, with time in [0, 1], from a start pose to an end pose along the screw motion between them.

Both poses are 4x4 matrices (..., 4, 4) or tuples (translation, quaternion w x y z); a leading shape stands for many motions.)")
        .def(py::init([](const py::object& start, const py::object& end) {
                 Motions all{poses_from(start, "start"), poses_from(end, "end"), {}};
                 all.shape = common_shape(all.start.shape, all.end.shape);
                 return all;
             }),
             py::arg("start"), py::arg("end"))
        .def_property_readonly(
            "start", [](const Motions& all) { return matrices(all.start); }, "The start poses (..., 4, 4).")
        .def_property_readonly(
            "end", [](const Motions& all) { return matrices(all.end); }, "The end poses (..., 4, 4).")
        .def("at", &motion_at, py::arg("time"),
             "Returns the poses (..., 4, 4) at a time in [0, 1], on the screw motion.");
}

} // namespace fathom::python
