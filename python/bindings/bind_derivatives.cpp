// Derivatives of distances, depths and times of impact: a query and its derivative in one call, for one or many pairs
// of poses or motions.
#include "bindings.h"
#include "poses.h"
#include "queries.h"
#include "shapes.h"

#include <fathom/base/parallel.h>
#include <fathom/detect/query/derivatives.h>

#include <pybind11/stl.h>

#include <vector>

namespace fathom::python {

namespace {

struct Valued {
    double value = 0;
    PairDerivative derivative{};
};

// Runs query(k) for every k in parallel and collects the columns of fathom._results.PairDerivatives.
template <class Query>
py::object derivative_table(const Shape& a, const Shape& b, const Extents& shape, const Query& query) {
    std::vector<Valued> all(count_of(shape));
    {
        const py::gil_scoped_release unlocked;
        a.prepare();
        b.prepare();
        parallel_tasks(all.size(), [&](std::size_t k) { all[k] = query(k); });
    }
    const std::size_t n = all.size();
    const auto vectors = [&](Vec3 PoseDerivative::*member, PoseDerivative PairDerivative::*half) {
        return vectors_of(shape, n, [&](std::size_t k) { return (all[k].derivative.*half).*member; });
    };
    return table("PairDerivatives", column<double>(shape, n, [&](std::size_t k) { return all[k].value; }),
                 vectors(&PoseDerivative::translation, &PairDerivative::a),
                 vectors(&PoseDerivative::rotation, &PairDerivative::a),
                 vectors(&PoseDerivative::translation, &PairDerivative::b),
                 vectors(&PoseDerivative::rotation, &PairDerivative::b),
                 column<bool>(shape, n, [&](std::size_t k) { return all[k].derivative.unique; }));
}

py::object of_distance(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                       double tolerance, bool verify) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    return derivative_table(first, second, common_shape(at.shape, bt.shape), [&](std::size_t k) -> Valued {
        const DistanceResult r = distance(first, at[k], second, bt[k], {.tolerance = tolerance});
        const DistanceDerivative d = distance_derivative(first, at[k], second, bt[k], r, {.verify = verify});
        return {r.upper_bound, static_cast<const PairDerivative&>(d)};
    });
}

py::object of_depth(const py::object& a, const py::object& pose_a, const py::object& b, const py::object& pose_b,
                    bool verify) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Poses at = poses_from(pose_a, "pose_a"), bt = poses_from(pose_b, "pose_b");
    return derivative_table(first, second, common_shape(at.shape, bt.shape), [&](std::size_t k) -> Valued {
        const CollideResult r = collide(first, at[k], second, bt[k], {.goal = CollideGoal::separation});
        return {r.depth, depth_derivative(first, at[k], second, bt[k], r, {.verify = verify})};
    });
}

py::object of_impact(const py::object& a, const py::object& motion_a, const py::object& b, const py::object& motion_b,
                     double tolerance, bool verify) {
    const Shape first = shape_from(a, "a"), second = shape_from(b, "b");
    const Motions at = motions_from(motion_a, "motion_a"), bt = motions_from(motion_b, "motion_b");
    return derivative_table(first, second, common_shape(at.shape, bt.shape), [&](std::size_t k) -> Valued {
        const SweepResult r = sweep(first, at[k], second, bt[k], {.tolerance = tolerance});
        return {r.time, impact_derivative(first, at[k], second, bt[k], r, {.verify = verify})};
    });
}

} // namespace

void bind_derivatives(py::module_& m) {
    using py::arg;
    m.def("distance_derivative", &of_distance, arg("a"), arg("pose_a"), arg("b"), arg("pose_b"), py::kw_only(),
          arg("tolerance") = 0.0, arg("verify") = true,
          "The distance of two shapes and its derivative with respect to displacements of both: translations (m) and "
          "rotation vectors (rad) about the origins of their frames, in world axes. `unique` is true where the "
          "derivative was verified to exist, by 13 queries; verify=False leaves that out.");
    m.def("depth_derivative", &of_depth, arg("a"), arg("pose_a"), arg("b"), arg("pose_b"), py::kw_only(),
          arg("verify") = true, "The penetration depth of two shapes and its derivative; see distance_derivative().");
    m.def("impact_derivative", &of_impact, arg("a"), arg("motion_a"), arg("b"), arg("motion_b"), py::kw_only(),
          arg("tolerance") = 1e-6, arg("verify") = true,
          "The time of impact of two moving shapes and its derivative with respect to displacements of their whole "
          "motions; see distance_derivative().");
}

} // namespace fathom::python
