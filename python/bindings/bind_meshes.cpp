// Python: triangle and tetrahedral meshes: from arrays, files and the catalogue of generated shapes; what is wrong with
// them; what they weigh.
#include "arrays.h"
#include "bindings.h"

#include <fathom/geometry/mass_properties.h>
#include <fathom/geometry/mesh_file.h>
#include <fathom/geometry/mesh_report.h>
#include <fathom/geometry/shape_catalogue.h>

#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

using TriangleHandle = std::shared_ptr<TriangleMesh>;
using TetHandle = std::shared_ptr<TetMesh>;

template <class Mesh, std::size_t Width>
std::shared_ptr<Mesh> checked(const py::object& vertices, const py::object& elements, std::string_view name) {
    auto mesh = std::make_shared<Mesh>(Mesh{finite_points(vertices, "vertices"), indices_from<Width>(elements, name)});
    const py::gil_scoped_release unlocked;
    check(*mesh);
    return mesh;
}

py::array vertices_of(const py::object& self, const std::vector<Vec3>& vertices) {
    return view_of(std::span<const Vec3>(vertices), self);
}
template <std::size_t Width>
py::array elements_of(const py::object& self, const std::vector<std::array<Index, Width>>& elements) {
    return view_of(reinterpret_cast<const Index*>(elements.data()), elements.size(), Width, self);
}

template <class Mesh>
MeshReport report_of(const Mesh& mesh, bool self_intersections) {
    const py::gil_scoped_release unlocked;
    return mesh_report(mesh, {.self_intersections = self_intersections});
}

template <class Mesh>
MassProperties masses_of(const Mesh& mesh, double density) {
    const py::gil_scoped_release unlocked;
    return mass_properties(mesh, {.density = density});
}

template <class Mesh>
void write(const std::filesystem::path& path, const Mesh& mesh) {
    const py::gil_scoped_release unlocked;
    write_mesh(path, mesh);
}

// What both kinds of meshes share.
template <class Mesh, class Class>
void bind_common(Class& c) {
    c.def_property_readonly(
         "vertices", [](const py::object& self) { return vertices_of(self, self.cast<const Mesh&>().vertices); },
         "(n, 3) float64, metres; a read-only view.")
        .def_property_readonly(
            "bounds", [](const Mesh& mesh) { return box_array(bounds(mesh.vertices)); },
            "[lower, upper] (2, 3), metres.")
        .def("report", &report_of<Mesh>, py::arg("self_intersections") = false,
             "What it is made of and what is wrong with it.")
        .def("mass_properties", &masses_of<Mesh>, py::arg("density") = 1.0,
             "Volume, area, centre and inertia; density in kg/m^3.")
        .def(
            "write", [](const Mesh& mesh, const std::filesystem::path& path) { write(path, mesh); }, py::arg("path"),
            "The ending decides the format.")
        .def(py::self == py::self);
    c.attr("__hash__") = py::none();
}

void bind_triangles(py::module_& m) {
    py::class_<TriangleMesh, TriangleHandle> c(
        m, "TriangleMesh", py::dynamic_attr(),
        "Triangles over vertices, counter-clockwise seen from outside; never changes.");
    c.def(py::init([](const py::object& vertices, const py::object& triangles) {
              return checked<TriangleMesh, 3>(vertices, triangles, "triangles");
          }),
          py::arg("vertices"), py::arg("triangles"),
          "vertices (n, 3), metres; triangles (m, 3), whole numbers. Copied and checked.");
    bind_common<TriangleMesh>(c);
    const auto triangles = [](const py::object& self) {
        return elements_of(self, self.cast<const TriangleMesh&>().triangles);
    };
    c.def_property_readonly("triangles", triangles, "(m, 3) uint32; a read-only view.")
        .def_property_readonly("faces", triangles, "The same, by the name that other libraries use.")
        .def(
            "flipped", [](const TriangleMesh& mesh) { return std::make_shared<TriangleMesh>(flipped(mesh)); },
            "The same surface seen from the other side.")
        .def("__repr__",
             [](const TriangleMesh& mesh) {
                 return fmt::format("<fathom.TriangleMesh: {} vertices, {} triangles>", mesh.vertices.size(),
                                    mesh.triangles.size());
             })
        .def(py::pickle(
            [](const py::object& self) {
                return py::make_tuple(py::array(self.attr("vertices")), py::array(self.attr("triangles")));
            },
            [](const py::tuple& state) { return checked<TriangleMesh, 3>(state[0], state[1], "triangles"); }));
}

void bind_tetrahedra(py::module_& m) {
    py::class_<TetMesh, TetHandle> c(m, "TetMesh", py::dynamic_attr(),
                                     "Tetrahedra over vertices, all of positive volume; never changes.");
    c.def(py::init([](const py::object& vertices, const py::object& tetrahedra) {
              TetHandle mesh = checked<TetMesh, 4>(vertices, tetrahedra, "tetrahedra");
              orient(*mesh);
              return mesh;
          }),
          py::arg("vertices"), py::arg("tetrahedra"),
          "vertices (n, 3), metres; tetrahedra (m, 4), whole numbers. Copied, checked, and turned to positive volume.");
    bind_common<TetMesh>(c);
    c.def_property_readonly(
         "tetrahedra", [](const py::object& self) { return elements_of(self, self.cast<const TetMesh&>().tetrahedra); },
         "(m, 4) uint32; a read-only view.")
        .def(
            "boundary", [](const TetMesh& mesh) { return std::make_shared<TriangleMesh>(boundary(mesh)); },
            "Its surface, outward, over the same vertices.")
        .def("__repr__",
             [](const TetMesh& mesh) {
                 return fmt::format("<fathom.TetMesh: {} vertices, {} tetrahedra>", mesh.vertices.size(),
                                    mesh.tetrahedra.size());
             })
        .def(py::pickle(
            [](const py::object& self) {
                return py::make_tuple(py::array(self.attr("vertices")), py::array(self.attr("tetrahedra")));
            },
            [](const py::tuple& state) { return checked<TetMesh, 4>(state[0], state[1], "tetrahedra"); }));
}

void bind_reports(py::module_& m) {
    py::class_<MeshReport> c(m, "MeshReport",
                             "What a mesh is made of and what is wrong with it; counts, unless said otherwise.");
    const auto count = [&c](const char* name, auto member) {
        c.def_property_readonly(name, [member](const MeshReport& r) { return (r.*member).count; });
    };
    count("open_edges", &MeshReport::open_edges);
    count("nonmanifold_edges", &MeshReport::nonmanifold_edges);
    count("clashing_edges", &MeshReport::clashing_edges);
    count("nonmanifold_vertices", &MeshReport::nonmanifold_vertices);
    count("degenerate_faces", &MeshReport::degenerate_faces);
    count("duplicate_faces", &MeshReport::duplicate_faces);
    count("unreferenced_vertices", &MeshReport::unreferenced_vertices);
    count("inside_out_parts", &MeshReport::inside_out_parts);
    count("inverted_tetrahedra", &MeshReport::inverted_tetrahedra);
    count("flat_tetrahedra", &MeshReport::flat_tetrahedra);
    c.def_readonly("vertices", &MeshReport::vertices)
        .def_readonly("triangles", &MeshReport::triangles)
        .def_readonly("tetrahedra", &MeshReport::tetrahedra)
        .def_readonly("components", &MeshReport::components)
        .def_readonly("genus", &MeshReport::genus, "None where the surface is not watertight.")
        .def_readonly("watertight", &MeshReport::watertight, "A bool.")
        .def_readonly("area", &MeshReport::area, "m^2")
        .def_readonly("volume", &MeshReport::volume, "m^3, signed; None where that means nothing.")
        .def_property_readonly(
            "center", [](const MeshReport& r) { return vector_array(r.center); }, "(3,), metres.")
        .def_property_readonly(
            "bounds", [](const MeshReport& r) { return box_array(r.bounds); }, "[lower, upper] (2, 3), metres.")
        .def_property_readonly(
            "self_intersections",
            [](const MeshReport& r) {
                return r.self_intersections ? py::object(py::int_(r.self_intersections->count)) : py::none();
            },
            "None where it was not asked for.")
        .def_property_readonly("faces_outward", &MeshReport::faces_outward,
                               "Closed and outward, so that it has an inside: a bool.")
        .def_property_readonly("clean", &MeshReport::clean, "Nothing found that a query could trip over: a bool.");
    py::class_<MassProperties>(m, "MassProperties", "Of a body of even density.")
        .def_readonly("area", &MassProperties::area, "m^2")
        .def_readonly("volume", &MassProperties::volume, "m^3, signed")
        .def_readonly("mass", &MassProperties::mass, "kg")
        .def_property_readonly(
            "center", [](const MassProperties& p) { return vector_array(p.center); }, "(3,), metres")
        .def_property_readonly(
            "inertia",
            [](const MassProperties& p) {
                return array_of<double>({3, 3}, 9, [&](std::size_t k) {
                    return p.inertia(static_cast<int>(k / 3), static_cast<int>(k % 3));
                });
            },
            "(3, 3), kg m^2, about the centre");
}

py::object catalogue() {
    py::dict shapes;
    for (const CatalogueShape& shape : shape_catalogue()) {
        py::dict parameters;
        for (const ShapeParameter& p : shape.parameters)
            parameters[py::str(p.name)] = py::make_tuple(p.fallback, p.minimum, p.maximum, p.unit, p.meaning);
        shapes[py::str(shape.name)] = py::make_tuple(shape.description, parameters);
    }
    return shapes;
}

py::object make(const std::string& name, const py::kwargs& parameters) {
    ShapeValues values;
    for (const auto& [key, value] : parameters) values[key.cast<std::string>()] = value.cast<double>();
    ShapeMesh mesh = [&] {
        const py::gil_scoped_release unlocked;
        return make_shape(name, values);
    }();
    if (auto* surface = std::get_if<TriangleMesh>(&mesh))
        return py::cast(std::make_shared<TriangleMesh>(std::move(*surface)));
    return py::cast(std::make_shared<TetMesh>(std::move(std::get<TetMesh>(mesh))));
}

template <class Mesh, class Read>
auto read_with(const Read& read) {
    return [read](const std::filesystem::path& path) {
        const py::gil_scoped_release unlocked;
        return std::make_shared<Mesh>(read(path));
    };
}

} // namespace

void bind_meshes(py::module_& m) {
    bind_reports(m);
    bind_triangles(m);
    bind_tetrahedra(m);
    m.def("read_triangle_mesh",
          read_with<TriangleMesh>([](const std::filesystem::path& path) { return read_triangle_mesh(path); }),
          py::arg("path"),
          "The surface of a file, or the boundary of its volume: .obj .stl .ply .off .glb .gltf .vtk .vtu .msh .mesh "
          "and more, also .gz.");
    m.def("read_tet_mesh", read_with<TetMesh>([](const std::filesystem::path& path) { return read_tet_mesh(path); }),
          py::arg("path"), "The volume of a file: .vtk .vtu .msh .mesh .node/.ele");
    m.def("write_mesh", &write<TriangleMesh>, py::arg("path"), py::arg("mesh"),
          "The ending decides: .obj .stl .ply .off .glb .vtk .vtu for surfaces, .vtk .vtu .msh .mesh for volumes.");
    m.def("write_mesh", &write<TetMesh>, py::arg("path"), py::arg("mesh"));
    m.def("make_shape", &make, py::arg("name"),
          "A generated mesh by name, with its parameters as keywords (shape_catalogue()): make_shape('sphere', "
          "radius=0.5). Centred, z up, metres.");
    m.def("shape_catalogue", &catalogue,
          "{name: (description, {parameter: (default, least, most, unit, meaning)})} of make_shape().");
}

} // namespace fathom::python
