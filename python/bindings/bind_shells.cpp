// Python: point shells, samples on a surface with normals.
#include "arrays.h"
#include "bindings.h"

#include <fathom/geometry/point_shell.h>

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
                                        "Points on a surface with outward unit normals; never changes.")
        .def_property_readonly(
            "points",
            [](const py::object& self) {
                return view_of(std::span<const Vec3>(self.cast<const PointShell&>().points), self);
            },
            "(n, 3), metres; a read-only view.")
        .def_property_readonly(
            "normals",
            [](const py::object& self) {
                return view_of(std::span<const Vec3>(self.cast<const PointShell&>().normals), self);
            },
            "(n, 3), unit; a read-only view.")
        .def_property_readonly(
            "triangles",
            [](const py::object& self) {
                return view_of(std::span<const Index>(self.cast<const PointShell&>().triangles), self);
            },
            "(n,): the one that each point lies on.")
        .def("__len__", [](const PointShell& shell) { return shell.points.size(); })
        .def("__repr__", [](const PointShell& shell) {
            return fmt::format("<fathom.PointShell: {} points>", shell.points.size());
        });
    m.def(
        "vertex_shell", [](const TriangleMesh& mesh) { return made([&] { return vertex_shell(mesh); }); },
        py::arg("mesh"), "The vertices of a mesh with their normals.");
    m.def(
        "random_shell",
        [](const TriangleMesh& mesh, std::size_t count, double spacing, std::uint64_t seed) {
            return made([&] { return random_shell(mesh, {.count = count, .spacing = spacing, .seed = seed}); });
        },
        py::arg("mesh"), py::arg("count") = 1000, py::arg("spacing") = 0.0, py::arg("seed") = 1,
        "Independent points, uniform over the area; spacing (m) instead of a count.");
    m.def(
        "repelled_shell",
        [](const TriangleMesh& mesh, std::size_t count, double spacing, std::uint64_t seed, std::size_t rounds) {
            return made([&] {
                return repelled_shell(mesh, {.count = count, .spacing = spacing, .seed = seed, .rounds = rounds});
            });
        },
        py::arg("mesh"), py::arg("count") = 1000, py::arg("spacing") = 0.0, py::arg("seed") = 1, py::arg("rounds") = 60,
        "Even points with the look of blue noise.");
}

} // namespace fathom::python
