// Batch queries of fields (distance, gradient, range), and the fields of meshes, tetrahedra, height maps and pairs.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"
#include "progress.h"

#include <fathom/base/progress.h>
#include <fathom/field/grid/grid_csg.h>
#include <fathom/field/height/height_field.h>
#include <fathom/field/mesh/mesh_field.h>
#include <fathom/field/tet/stuffing.h>
#include <fathom/field/tet/tet_field.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

py::object distance(const Field& field, const py::object& given, const py::object& out) {
    const Points points(given, "points");
    const Results results(out, points.leading(), points);
    {
        const py::gil_scoped_release unlocked;
        points.in_pieces([&](std::span<const Vec3> some, std::size_t first) {
            if (results.doubles() != nullptr) return field.distances(some, {results.doubles() + first, some.size()});
            std::array<double, Points::piece> wide;
            field.distances(some, {wide.data(), some.size()});
            results.put(first, std::span<const double>(wide.data(), some.size()));
        });
    }
    return results.object();
}

py::tuple sample(const Field& field, const py::object& given) {
    const Points points(given, "points");
    const Results distances(py::none(), points.leading(), points);
    Extents shape = points.leading();
    shape.push_back(3);
    const Results gradients(py::none(), shape, points);
    {
        const py::gil_scoped_release unlocked;
        points.in_pieces([&](std::span<const Vec3> some, std::size_t first) {
            std::array<Sample, Points::piece> samples;
            field.samples(some, {samples.data(), some.size()});
            for (std::size_t k = 0; k < some.size(); ++k) {
                distances.doubles()[first + k] = samples[k].distance;
                Eigen::Map<Vec3>(gradients.doubles() + 3 * (first + k)) = samples[k].gradient;
            }
        });
    }
    return py::make_tuple(distances.object(), gradients.object());
}

py::tuple range(const Field& field, const py::object& given_lower, const py::object& given_upper) {
    const Points lower(given_lower, "lower"), upper(given_upper, "upper");
    if (lower.leading() != upper.leading()) refuse("upper", "lower and upper must have the same shape");
    lower.require_finite();
    upper.require_finite();
    const Results least(py::none(), lower.leading(), lower), most(py::none(), lower.leading(), lower);
    {
        const py::gil_scoped_release unlocked;
        const std::vector<Vec3> low = lower.vector(), high = upper.vector();
        parallel_for(low.size(), 256, [&](std::size_t begin, std::size_t end) {
            std::array<Box, 256> boxes;
            std::array<Interval, 256> ranges;
            for (std::size_t k = begin; k < end; ++k) boxes[k - begin] = {low[k], high[k]};
            field.ranges({boxes.data(), end - begin}, {ranges.data(), end - begin});
            for (std::size_t k = begin; k < end; ++k) {
                least.doubles()[k] = ranges[k - begin].lower;
                most.doubles()[k] = ranges[k - begin].upper;
            }
        });
    }
    return py::make_tuple(least.object(), most.object());
}

// The shortest time of the C++ batch alone over the repeats, on the same points: the reference for distance().
double batch_seconds(const Field& field, const py::object& given, std::size_t repeats, bool parallel) {
    const Points points(given, "points");
    const std::vector<Vec3> all = points.vector();
    std::vector<double> out(all.size());
    double least = std::numeric_limits<double>::infinity();
    const py::gil_scoped_release unlocked;
    for (std::size_t k = 0; k < repeats; ++k) {
        const Stopwatch watch;
        if (!parallel)
            field.distances(all, out);
        else
            parallel_for(all.size(), Points::piece, [&](std::size_t begin, std::size_t end) {
                field.distances(std::span(all).subspan(begin, end - begin), std::span(out).subspan(begin, end - begin));
            });
        least = std::min(least, watch.seconds());
    }
    return least;
}

std::shared_ptr<HeightField> height_field(const py::object& heights, const py::object& origin,
                                          const py::object& spacing, double floor, double ceiling, SolidSide solid) {
    const auto array = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(heights);
    if (!array) throw py::type_error("heights: expected an array of numbers");
    if (array.ndim() != 2) refuse("heights", "expected shape (rows, columns): rows along y, columns along x");
    const Rows corner(origin, 2, "origin"), step(spacing, 2, "spacing");
    HeightSamples samples{.columns = static_cast<int>(array.shape(1)), .rows = static_cast<int>(array.shape(0))};
    samples.heights.assign(array.data(), array.data() + array.size());
    samples.origin = {corner.at(0, 0), corner.at(0, 1)};
    samples.spacing = {step.at(0, 0), step.at(0, 1)};
    samples.floor = floor;
    samples.ceiling = ceiling;
    samples.solid = solid;
    const py::gil_scoped_release unlocked;
    return std::make_shared<HeightField>(std::move(samples));
}

std::shared_ptr<TetField> moved(const TetField& field, const py::object& positions) {
    const std::vector<Vec3> points = finite_points(positions, "positions");
    const py::gil_scoped_release unlocked;
    auto other = std::make_shared<TetField>(field);
    other->update(points);
    return other;
}

void bind_field(py::module_& m) {
    py::class_<Field, FieldHandle>(
        m, "Field", py::dynamic_attr(),
        R"(A body as a field of signed distances: in metres, positive outside, negative inside, in the frame of the field.

Points are arrays (..., 3) of float64 or float32; results have the leading shape and are float64. NaN and infinity raise InputError. Calls run in
parallel and release the GIL. A field is immutable, so threads may share it.)")
        .def(
            "distance", &distance, py::arg("points"), py::arg("out") = py::none(),
            R"(Returns the signed distance of each point: (..., 3) -> (...,); a float for a single point. Outside of `domain` it is a lower bound.

out: a C-contiguous array of float64 or float32 that receives the results; it is returned.)")
        .def("__call__", &distance, py::arg("points"), py::arg("out") = py::none(), "The same as distance().")
        .def("sample", &sample, py::arg("points"), "Returns the distances (...,) and the gradients (..., 3).")
        .def(
            "gradient",
            [](const Field& field, const py::object& points) { return sample(field, points)[1].cast<py::object>(); },
            py::arg("points"), "Returns the gradients of the field, which point outward: (..., 3) -> (..., 3).")
        .def(
            "contains",
            [](const Field& field, const py::object& points) {
                return distance(field, points, py::none()).attr("__le__")(0.0);
            },
            py::arg("points"),
            "Returns whether the value at each point is at most 0, that is inside or on the surface: booleans (...,).")
        .def(
            "range", &range, py::arg("lower"), py::arg("upper"),
            R"(Returns bounds on the values of the field in boxes with corners lower and upper, (..., 3) each: two arrays (...,) that enclose every value.)")
        .def_property_readonly("lipschitz", &Field::lipschitz,
                               "The Lipschitz constant L: |distance(p) - distance(q)| <= L |p - q|.")
        .def_property_readonly(
            "error_bound", &Field::error_bound,
            "Bound on |distance - true distance| in the domain (m); infinity if the values are not distances.")
        .def_property_readonly(
            "domain", [](const Field& field) { return box_array(field.domain()); },
            "The box [lower, upper] (2, 3) in which the error bound holds (m).")
        .def_property_readonly(
            "bounds", [](const Field& field) { return box_array(field.bounds()); },
            "A box [lower, upper] (2, 3) that contains the inside (m); infinite if the body is unbounded.")
        .def("_batch_seconds", &batch_seconds, py::arg("points"), py::arg("repeats") = 5, py::arg("parallel") = false,
             "Returns the shortest time (s) of the C++ batch alone over the repeats; for benchmarks.");
}

} // namespace

void bind_fields(py::module_& m) {
    bind_field(m);
    py::class_<MeshField, Field, std::shared_ptr<MeshField>>(
        m, "MeshField",
        "The exact distance to a triangle mesh: one to two microseconds per point. For many points use build_grid().")
        .def(py::init([](const TriangleMesh& mesh, SignMethod sign, double thickness) {
                 const py::gil_scoped_release unlocked;
                 return std::make_shared<MeshField>(mesh, MeshFieldOptions{.sign = sign, .thickness = thickness});
             }),
             py::arg("mesh"), py::arg("sign") = SignMethod::automatic, py::arg("thickness") = 0.0,
             "thickness: the thickness of open sheets (m).")
        .def_property_readonly(
            "sign", [](const MeshField& field) { return field.sign().method; },
            "The method that decides between inside and outside.")
        .def_property_readonly(
            "sign_reason", [](const MeshField& field) { return field.sign().reason; }, "Why this method was chosen.");
    py::class_<TetField, Field, std::shared_ptr<TetField>>(
        m, "TetField", "A tetrahedral body as a field: linear in each tetrahedron inside, the exact distance outside.")
        .def(py::init([](const TetMesh& mesh, DepthMethod depth, DefectHandling defects) {
                 const py::gil_scoped_release unlocked;
                 TetFieldOptions options{};
                 options.depth.method = depth;
                 options.defects = defects;
                 return std::make_shared<TetField>(mesh, options);
             }),
             py::arg("mesh"), py::arg("depth") = DepthMethod::exact, py::arg("defects") = DefectHandling::samples)
        .def("moved", &moved, py::arg("positions"),
             "Returns the field of the same body with its nodes at new positions (n, 3), metres.");
    py::class_<HeightField, Field, std::shared_ptr<HeightField>>(
        m, "HeightField",
        "A height field over a rectangle: the solid below (or above) the heights, bounded by a floor and a ceiling. "
        "Values are differences of heights, not distances.")
        .def(py::init(&height_field), py::arg("heights"), py::arg("origin") = py::make_tuple(0.0, 0.0),
             py::arg("spacing") = py::make_tuple(1.0, 1.0), py::arg("floor") = 0.0, py::arg("ceiling") = 1.0,
             py::arg("solid") = SolidSide::below,
             "heights: (rows, columns), the z of each sample; rows run along y, columns along x. origin and spacing "
             "(2,): the position of the first sample and the distance between samples. All in metres.")
        .def("height", &HeightField::height, py::arg("x"), py::arg("y"), "Returns the height (m) at a point.");
    py::class_<CombinedField, Field, std::shared_ptr<CombinedField>>(
        m, "CombinedField", "The union, intersection or difference of two fields in one frame.")
        .def(py::init([](const FieldHandle& a, const FieldHandle& b, Combination how) {
                 return std::make_shared<CombinedField>(a, b, how);
             }),
             py::arg("a").none(false), py::arg("b").none(false), py::arg("how"));
    m.def(
        "tetrahedralize",
        [](const FieldHandle& field, int resolution, double cell, std::size_t tetrahedra, const py::object& box,
           const py::object& progress) {
            StuffingOptions options{.resolution = resolution,
                                    .cell = cell,
                                    .tetrahedra = tetrahedra,
                                    .box = box_from(box, "box"),
                                    .measure = false};
            return watched(progress, [&](Progress* watcher) {
                options.progress = watcher;
                return std::make_shared<TetMesh>(tetrahedralize(*field, options));
            });
        },
        py::arg("field").none(false), py::arg("resolution") = 32, py::arg("cell") = 0.0, py::arg("tetrahedra") = 0,
        py::arg("box") = py::none(), py::arg("progress") = py::none(),
        "Returns a tetrahedral mesh of the inside of a field. Its size is given by `resolution`, the cells along the "
        "longest side, by `cell`, the size of a cell (m), or by `tetrahedra`, their approximate number.");
}

} // namespace fathom::python
