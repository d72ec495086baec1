// Point shells: sample points on a surface with normals.
#include "arrays.h"
#include "bindings.h"

#include <fathom/geometry/sample/point_shell.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

using ShellHandle = std::shared_ptr<PointShell>;

template <class Make>
ShellHandle made(const Make& make) {
    const py::gil_scoped_release unlocked;
    return std::make_shared<PointShell>(make());
}

} // namespace

void bind_shells(py::module_& m) {
    py::class_<PointShell, ShellHandle>(m, "PointShell", py::dynamic_attr(),
                                        "Sample points on a surface with outward unit normals; immutable.")
        .def_property_readonly(
            "points",
            [](const py::object& self) {
                return view_of(std::span<const Vec3>(self.cast<const PointShell&>().points), self);
            },
            "The points (n, 3), metres; a read-only view.")
        .def_property_readonly(
            "normals",
            [](const py::object& self) {
                return view_of(std::span<const Vec3>(self.cast<const PointShell&>().normals), self);
            },
            "The unit normals (n, 3); a read-only view.")
        .def_property_readonly(
            "triangles",
            [](const py::object& self) {
                return view_of(std::span<const Index>(self.cast<const PointShell&>().triangles), self);
            },
            "The triangle that each point lies on (n,).")
        .def("__len__", [](const PointShell& shell) { return shell.points.size(); })
        .def("__repr__", [](const PointShell& shell) {
            return fmt::format("<fathom.PointShell: {} points>", shell.points.size());
        });
    m.def(
        "vertex_shell", [](const TriangleMesh& mesh) { return made([&] { return vertex_shell(mesh); }); },
        py::arg("mesh"), "Returns the vertices of a mesh with their normals.");
    m.def(
        "random_shell",
        [](const TriangleMesh& mesh, std::size_t count, double spacing, std::uint64_t seed) {
            return made([&] { return random_shell(mesh, {.count = count, .spacing = spacing, .seed = seed}); });
        },
        py::arg("mesh"), py::arg("count") = 1000, py::arg("spacing") = 0.0, py::arg("seed") = 1,
        "Returns independent points, uniform over the area. spacing: their mean distance (m), in place of count.");
    m.def(
        "repelled_shell",
        [](const TriangleMesh& mesh, std::size_t count, double spacing, std::uint64_t seed, std::size_t rounds) {
            return made([&] {
                return repelled_shell(mesh, {.count = count, .spacing = spacing, .seed = seed, .rounds = rounds});
            });
        },
        py::arg("mesh"), py::arg("count") = 1000, py::arg("spacing") = 0.0, py::arg("seed") = 1, py::arg("rounds") = 60,
        "Returns evenly spread points with a blue-noise distribution.");
}

} // namespace fathom::python
