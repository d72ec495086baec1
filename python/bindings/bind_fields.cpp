// Python: the three answers of every field, in batches, and the fields of meshes, tetrahedra, heights and pairs.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"
#include "progress.h"

#include <fathom/base/stopwatch.h>
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

// The least time of some repeats of the C++ batch alone, on the same points: what distance() is measured against.
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
    if (!array) throw py::type_error("heights: an array of numbers is wanted");
    if (array.ndim() != 2) refuse("heights", "the shape must be (rows, columns): rows along y, columns along x");
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
        R"(A body as a field of signed distances: metres, positive outside, negative inside, in the field's own frame.

Points are arrays (..., 3) of float64 or float32; answers have the leading shape, in float64. NaN and infinity are refused. Calls run in parallel,
without the lock of Python; a field never changes, so that threads may share it.)")
        .def(
            "distance", &distance, py::arg("points"), py::arg("out") = py::none(),
            R"(How far each point is: (..., 3) -> (...,); a single point gives a float. Outside of `domain` a lower bound.

out: a C-contiguous array of float64 or float32 for the answers; it is returned.)")
        .def("__call__", &distance, py::arg("points"), py::arg("out") = py::none(), "As distance().")
        .def("sample", &sample, py::arg("points"), "Distances (...,) and gradients (..., 3) together.")
        .def(
            "gradient",
            [](const Field& field, const py::object& points) { return py::object(sample(field, points)[1]); },
            py::arg("points"), "Which way is out: (..., 3) -> (..., 3).")
        .def(
            "contains",
            [](const Field& field, const py::object& points) {
                return distance(field, points, py::none()).attr("__le__")(0.0);
            },
            py::arg("points"), "Which points are inside or on the surface, as far as the field knows: booleans (...,).")
        .def(
            "range", &range, py::arg("lower"), py::arg("upper"),
            R"(What the field can be in boxes with corners lower and upper, (..., 3) each: two arrays (...,) that always enclose every value.)")
        .def_property_readonly("lipschitz", &Field::lipschitz,
                               "|distance(p) - distance(q)| is at most this times |p - q|.")
        .def_property_readonly("error_bound", &Field::error_bound,
                               "|distance - true distance| in the domain (m); infinity where values are no distances.")
        .def_property_readonly(
            "domain", [](const Field& field) { return box_array(field.domain()); },
            "[lower, upper] (2, 3): where the error bound holds (m).")
        .def_property_readonly(
            "bounds", [](const Field& field) { return box_array(field.bounds()); },
            "[lower, upper] (2, 3) of everything inside (m); infinite where there is no end.")
        .def("_batch_seconds", &batch_seconds, py::arg("points"), py::arg("repeats") = 5, py::arg("parallel") = false,
             "Seconds of the C++ batch alone, the least of some repeats; for benchmarks.");
}

} // namespace

void bind_fields(py::module_& m) {
    bind_field(m);
    py::class_<MeshField, Field, std::shared_ptr<MeshField>>(
        m, "MeshField",
        "Exact distances of a triangle mesh: a microsecond or two a point. For many points, build_grid().")
        .def(py::init([](const TriangleMesh& mesh, SignMethod sign, double thickness) {
                 const py::gil_scoped_release unlocked;
                 return std::make_shared<MeshField>(mesh, MeshFieldOptions{.sign = sign, .thickness = thickness});
             }),
             py::arg("mesh"), py::arg("sign") = SignMethod::automatic, py::arg("thickness") = 0.0,
             "thickness: of sheets (m).")
        .def_property_readonly(
            "sign", [](const MeshField& field) { return field.sign().method; }, "How inside is told from outside.")
        .def_property_readonly("sign_reason", [](const MeshField& field) { return field.sign().reason; });
    py::class_<TetField, Field, std::shared_ptr<TetField>>(
        m, "TetField",
        "A tetrahedral body as a field: depths inside are linear in each tetrahedron, distances outside exact.")
        .def(py::init([](const TetMesh& mesh, DepthMethod depth, DefectHandling defects) {
                 const py::gil_scoped_release unlocked;
                 TetFieldOptions options{};
                 options.depth.method = depth;
                 options.defects = defects;
                 return std::make_shared<TetField>(mesh, options);
             }),
             py::arg("mesh"), py::arg("depth") = DepthMethod::exact, py::arg("defects") = DefectHandling::samples)
        .def("moved", &moved, py::arg("positions"), "The same body with its nodes elsewhere: (n, 3), metres.");
    py::class_<HeightField, Field, std::shared_ptr<HeightField>>(
        m, "HeightField",
        "Heights over a rectangle: the solid below (or above) them, cut off by a floor and a ceiling. Values are "
        "differences of heights, not distances.")
        .def(py::init(&height_field), py::arg("heights"), py::arg("origin") = py::make_tuple(0.0, 0.0),
             py::arg("spacing") = py::make_tuple(1.0, 1.0), py::arg("floor") = 0.0, py::arg("ceiling") = 1.0,
             py::arg("solid") = SolidSide::below,
             "heights: (rows, columns), z of each sample; rows run along y, columns along x. origin and spacing (2,): "
             "of the samples. All in metres.")
        .def("height", &HeightField::height, py::arg("x"), py::arg("y"), "Height (m) at a place.");
    py::class_<CombinedField, Field, std::shared_ptr<CombinedField>>(m, "CombinedField",
                                                                     "Two fields in one frame as one body.")
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
        "Tetrahedra that fill the inside of a field; `resolution` cells along its longest side, or cells of `cell` "
        "metres, or about so many `tetrahedra`.");
}

} // namespace fathom::python
