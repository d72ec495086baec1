// Shapes, the handle for every kind of geometry.
#include "arrays.h"
#include "bindings.h"
#include "poses.h"
#include "progress.h"
#include "queries.h"
#include "shapes.h"

#include <fathom/detect/decomposition/hull_decomposition.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/geometry/sample/point_shell.h>

#include <pybind11/stl.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

constexpr const char* kept_as = "_fathom_shape";

TriangleMesh mesh_from(py::handle given) {
    TriangleMesh mesh{finite_points(given.attr("vertices"), "vertices"), indices_from<3>(given.attr("faces"), "faces")};
    check(mesh);
    return mesh;
}

bool is_mesh_like(py::handle given) { return py::hasattr(given, "vertices") && py::hasattr(given, "faces"); }

// The shape of an object of Fathom, which is immutable.
Shape own_shape(py::handle given) {
    if (py::isinstance<Field>(given)) return Shape(FieldPtr(given.cast<FieldHandle>()));
    if (py::isinstance<TriangleMesh>(given)) return Shape(given.cast<const TriangleMesh&>());
    if (py::isinstance<TetMesh>(given)) return Shape(given.cast<const TetMesh&>());
    return Shape(given.cast<const PointShell&>().points);
}

py::object closest(const Shape& shape, const py::object& given) {
    const Points points(given, "points");
    std::vector<ClosestPoint> found(points.size());
    {
        const py::gil_scoped_release unlocked;
        const SurfaceTree& tree = shape.without_caps().tree();
        points.in_pieces([&](std::span<const Vec3> some, std::size_t first) {
            tree.closest(some, {found.data() + first, some.size()});
        });
    }
    const Extents& leading = points.leading();
    return table(
        "ClosestPoints", vectors_of(leading, found.size(), [&](std::size_t k) { return found[k].point; }),
        array_of<double>(leading, found.size(), [&](std::size_t k) { return std::sqrt(found[k].squared_distance); }),
        array_of<Index>(leading, found.size(), [&](std::size_t k) { return found[k].triangle; }));
}

bool is_own(py::handle given) {
    return py::isinstance<Field>(given) || py::isinstance<TriangleMesh>(given) || py::isinstance<TetMesh>(given) ||
           py::isinstance<PointShell>(given);
}

Shape made(const py::object& given, MeshInside inside) {
    if (inside == MeshInside::automatic) {
        if (py::isinstance<py::array>(given)) return Shape(finite_points(given, "points"));
        return shape_from(given, "geometry");
    }
    if (py::isinstance<TriangleMesh>(given)) return Shape(given.cast<const TriangleMesh&>(), inside);
    if (is_mesh_like(given)) return Shape(mesh_from(given), inside);
    throw py::type_error("inside: only triangle meshes accept this option");
}

// A CompoundPart, a shape, or a shape and a pose.
CompoundPart part_from(py::handle given) {
    if (py::isinstance<CompoundPart>(given)) return given.cast<CompoundPart>();
    if (!py::isinstance<py::tuple>(given)) return {shape_from(given, "parts")};
    const auto both = py::reinterpret_borrow<py::tuple>(given);
    if (both.size() != 2) throw py::type_error("parts: expected a shape, (shape, pose) or a CompoundPart");
    return {shape_from(both[0], "parts"), pose_from(both[1], "parts")};
}

Shape compound_of(const py::iterable& parts) {
    std::vector<CompoundPart> all;
    for (const py::handle part : parts) all.push_back(part_from(part));
    const py::gil_scoped_release unlocked;
    return Shape::compound(std::move(all));
}

void bind_parts(py::module_& m) {
    py::class_<CompoundPart>(m, "CompoundPart", "A part of a compound shape: a shape in a pose, with a name.")
        .def(py::init([](const py::object& shape, const py::object& pose, const std::string& name, std::uint64_t user,
                         std::uint32_t category, std::uint32_t mask) {
                 return CompoundPart{.shape = shape_from(shape, "shape"),
                                     .pose = pose_from(pose, "pose"),
                                     .name = name,
                                     .user = user,
                                     .category = category,
                                     .mask = mask};
             }),
             py::arg("shape"), py::arg("pose") = py::none(), py::kw_only(), py::arg("name") = "", py::arg("user") = 0,
             py::arg("category") = 1, py::arg("mask") = 0xffff'ffffu,
             "user: any number of the caller. category: bits of the categories of the part; mask: bits of the "
             "categories that it may touch. A shape that is not a compound has category 1 and touches all.")
        .def_readonly("shape", &CompoundPart::shape, "The shape, in its own frame.")
        .def_property_readonly(
            "pose", [](const CompoundPart& part) { return pose_array(part.pose); },
            "The pose in the frame of the compound (4, 4).")
        .def_readonly("name", &CompoundPart::name, "The name; of a part of a nested compound, with that of the latter.")
        .def_readonly("user", &CompoundPart::user, "The number of the caller.")
        .def_readonly("category", &CompoundPart::category, "The categories of the part, one bit each.")
        .def_readonly("mask", &CompoundPart::mask, "The categories that the part may touch.")
        .def("__repr__", [](const CompoundPart& part) {
            return fmt::format("<fathom.CompoundPart: {} '{}'>", name(part.shape.kind()), part.name);
        });
}

// A compound of the convex hulls of a mesh.
Shape hulls_of(py::handle mesh, double concavity, int max_hulls, const py::object& progress) {
    const TriangleMesh given = mesh_from(mesh);
    return watched(progress, [&](Progress* watcher) {
        std::vector<CompoundPart> parts;
        for (const TriangleMesh& hull :
             hull_decomposition(given, {.concavity = concavity, .max_hulls = max_hulls, .progress = watcher}))
            parts.push_back(
                {.shape = Shape::convex_hull(hull.vertices), .name = fmt::format("hull_{}", parts.size() + 1)});
        return Shape::compound(std::move(parts));
    });
}

} // namespace

Shape shape_from(py::handle given, std::string_view argument) {
    if (py::isinstance<Shape>(given)) return given.cast<Shape>();
    if (is_own(given)) {
        if (py::hasattr(given, kept_as)) return given.attr(kept_as).cast<Shape>();
        Shape shape = own_shape(given);
        py::setattr(given, kept_as, py::cast(shape));
        return shape;
    }
    if (py::isinstance<AnalyticExpression>(given))
        return Shape(std::make_shared<AnalyticField>(given.cast<AnalyticExpression>()));
    if (py::isinstance<py::str>(given))
        return Shape(std::make_shared<AnalyticField>(parse_shape(given.cast<std::string>(), argument)));
    if (is_mesh_like(given)) return Shape(mesh_from(given));
    throw py::type_error(fmt::format("{}: expected a shape, field, mesh, point shell, analytic expression or an object "
                                     "with vertices and faces, got {}",
                                     argument, Py_TYPE(given.ptr())->tp_name));
}

// NOLINTNEXTLINE(readability-function-size): one definition per attribute
void bind_shapes(py::module_& m) {
    py::class_<Shape> shapes(
        m, "Shape",
        R"(The handle for every kind of geometry, in its own frame, metres. Immutable; threads may share it.

Calls that take a shape also take the geometry itself, and store the shape with it. A Shape is needed only for more control:
whether a mesh has an inside, an array (n, 3) as a point shell, a half-space, a compound of parts.)");
    bind_parts(m);
    shapes
        .def(py::init(&made), py::arg("geometry"), py::arg("inside") = MeshInside::automatic,
             "geometry: a field, mesh, tetrahedral mesh, point shell, analytic expression or its text, an array of "
             "points (n, 3), or an object with vertices and faces.")
        .def_static(
            "half_space",
            [](const py::object& normal, double offset) {
                return Shape::half_space(vector_from(normal, "normal"), offset);
            },
            py::arg("normal"), py::arg("offset") = 0.0,
            "Returns the half-space of all points p with normal . p / |normal| <= offset (m).")
        .def_static("compound", &compound_of, py::arg("parts"),
                    "Returns the union of parts: shapes, tuples (shape, pose), or CompoundPart. Compounds may be "
                    "nested; their parts become parts of the result.")
        .def_property_readonly(
            "parts",
            [](const Shape& shape) { return std::vector<CompoundPart>(shape.parts().begin(), shape.parts().end()); },
            "The parts of a compound shape, as CompoundPart; Contact.part_a is an index into this list.")
        .def_static("sphere", &Shape::sphere, py::arg("radius"), "Returns a convex shape: a sphere about the origin.")
        .def_static(
            "box", [](const py::object& size, double radius) { return Shape::box(vector_from(size, "size"), radius); },
            py::arg("size"), py::arg("radius") = 0.0,
            "Returns a convex shape: a box about the origin with full sizes (3), grown by a sphere of the radius (m).")
        .def_static("capsule", &Shape::capsule, py::arg("radius"), py::arg("length"),
                    "Returns a convex shape: a capsule along z; length is that of its straight part (m).")
        .def_static("cylinder", &Shape::cylinder, py::arg("cylinder_radius"), py::arg("height"),
                    py::arg("radius") = 0.0,
                    "Returns a convex shape: a cylinder along z, grown by a sphere of the radius (m).")
        .def_static("cone", &Shape::cone, py::arg("base_radius"), py::arg("height"), py::arg("radius") = 0.0,
                    "Returns a convex shape: a cone along z with its tip up and the origin at half height, grown by a "
                    "sphere of the radius (m).")
        .def_static(
            "ellipsoid",
            [](const py::object& semi_axes, double radius) {
                return Shape::ellipsoid(vector_from(semi_axes, "semi_axes"), radius);
            },
            py::arg("semi_axes"), py::arg("radius") = 0.0,
            "Returns a convex shape: an ellipsoid with three semi-axes (m), grown by a sphere of the radius (m).")
        .def_static(
            "convex_hull",
            [](const py::object& points, double radius) {
                return Shape::convex_hull(finite_points(points, "points"), radius);
            },
            py::arg("points"), py::arg("radius") = 0.0,
            "Returns the convex hull of points (n, 3), grown by a sphere of the radius (m). Points in a plane give a "
            "flat hull.")
        .def_static(
            "convex_mesh", [](py::handle mesh, double radius) { return Shape::convex_mesh(mesh_from(mesh), radius); },
            py::arg("mesh"), py::arg("radius") = 0.0,
            "Returns a convex shape: a closed mesh that is checked to be convex, grown by a sphere of the radius (m).")
        .def_property_readonly("kind", &Shape::kind, "The kind of geometry.")
        .def_property_readonly("bounded", &Shape::bounded, "Whether the shape has a finite bounding box.")
        .def_property_readonly(
            "bounds", [](const Shape& shape) { return box_array(shape.bounds()); },
            "The bounding box [lower, upper] (2, 3), metres.")
        .def_property_readonly("radius", &Shape::radius,
                               "The radius of a bounding sphere about the centre of bounds (m).")
        .def_property_readonly("error_bound", &Shape::error_bound, "Error bound of query results near the surface (m).")
        .def_property_readonly("interior", &Shape::interior,
                               "How the interior of a mesh was determined; closed for other solids.")
        .def_property_readonly(
            "interior_reason", [](const Shape& shape) { return shape.interior_reason(); },
            "Why, in one sentence; empty for shapes that are not meshes.")
        .def_property_readonly("memory_bytes", &Shape::memory_bytes, "The memory of the data built so far (bytes).")
        .def("prepare", &Shape::prepare, py::call_guard<py::gil_scoped_release>(),
             "Builds the acceleration structures now that methods would build on first use.")
        .def("closest", &closest, py::arg("points"),
             "Returns the closest points on the surface to points (..., 3) as ClosestPoints. For meshes, tetrahedral "
             "meshes and point shells.")
        .def(
            "deformed",
            [](const Shape& shape, const py::object& vertices) {
                const std::vector<Vec3> points = finite_points(vertices, "vertices");
                const py::gil_scoped_release unlocked;
                return shape.deformed(points);
            },
            py::arg("vertices"),
            "Returns a shape of the same topology with new vertices (n, 3), metres. For meshes, point shells and "
            "tetrahedral meshes.")
        .def("__repr__", [](const Shape& shape) { return fmt::format("<fathom.Shape: {}>", name(shape.kind())); });
    m.def("hull_decomposition", &hulls_of, py::arg("mesh"), py::arg("concavity") = 0.05, py::arg("max_hulls") = 64,
          py::arg("progress") = py::none(),
          "Returns a compound of convex hulls that together contain a closed mesh. No point of a hull is farther from "
          "the solid than `concavity`, a fraction of half the longest side of the bounding box, unless `max_hulls` (0: "
          "any number) does not allow it.");
}

} // namespace fathom::python
