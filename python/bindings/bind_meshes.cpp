// Triangle and tetrahedral meshes from arrays, files and the catalogue of generated shapes, with reports of their
// defects and their mass properties.
#include "arrays.h"
#include "bindings.h"

#include <fathom/geometry/generate/mesh_catalogue.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/io/mesh_file.h>
#include <fathom/geometry/mesh/mass_properties.h>

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

// The members that both kinds of meshes have.
template <class Mesh, class Class>
void bind_common(Class& c) {
    c.def_property_readonly(
         "vertices", [](const py::object& self) { return vertices_of(self, self.cast<const Mesh&>().vertices); },
         "The vertices (n, 3), float64, metres; a read-only view.")
        .def_property_readonly(
            "bounds", [](const Mesh& mesh) { return box_array(bounds(mesh.vertices)); },
            "The bounding box [lower, upper] (2, 3), metres.")
        .def("report", &report_of<Mesh>, py::arg("self_intersections") = false,
             "Returns the counts of elements and defects. self_intersections: also count those (slower).")
        .def("mass_properties", &masses_of<Mesh>, py::arg("density") = 1.0,
             "Returns volume, area, centre of mass and inertia. density: kg/m^3.")
        .def(
            "write", [](const Mesh& mesh, const std::filesystem::path& path) { write(path, mesh); }, py::arg("path"),
            "Writes a file; its extension selects the format.")
        .def(py::self == py::self); // NOLINT(misc-redundant-expression): builds the operator
    c.attr("__hash__") = py::none();
}

void bind_triangles(py::module_& m) {
    py::class_<TriangleMesh, TriangleHandle> c(m, "TriangleMesh", py::dynamic_attr(),
                                               "A triangle mesh, counter-clockwise seen from outside; immutable.");
    c.def(py::init([](const py::object& vertices, const py::object& triangles) {
              return checked<TriangleMesh, 3>(vertices, triangles, "triangles");
          }),
          py::arg("vertices"), py::arg("triangles"),
          "vertices (n, 3), metres; triangles (m, 3), integers. Both are copied and checked.");
    bind_common<TriangleMesh>(c);
    const auto triangles = [](const py::object& self) {
        return elements_of(self, self.cast<const TriangleMesh&>().triangles);
    };
    c.def_property_readonly("triangles", triangles, "The triangles (m, 3), uint32; a read-only view.")
        .def_property_readonly("faces", triangles, "The triangles, under the name that other libraries use.")
        .def(
            "flipped", [](const TriangleMesh& mesh) { return std::make_shared<TriangleMesh>(flipped(mesh)); },
            "Returns the same surface with the opposite orientation.")
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
                                     "A tetrahedral mesh whose tetrahedra have positive volume; immutable.");
    c.def(py::init([](const py::object& vertices, const py::object& tetrahedra) {
              TetHandle mesh = checked<TetMesh, 4>(vertices, tetrahedra, "tetrahedra");
              orient(*mesh);
              return mesh;
          }),
          py::arg("vertices"), py::arg("tetrahedra"),
          "vertices (n, 3), metres; tetrahedra (m, 4), integers. Both are copied and checked; tetrahedra are reordered "
          "to have positive volume.");
    bind_common<TetMesh>(c);
    c.def_property_readonly(
         "tetrahedra", [](const py::object& self) { return elements_of(self, self.cast<const TetMesh&>().tetrahedra); },
         "The tetrahedra (m, 4), uint32; a read-only view.")
        .def(
            "boundary", [](const TetMesh& mesh) { return std::make_shared<TriangleMesh>(boundary(mesh)); },
            "Returns the boundary surface with outward orientation and the same vertices.")
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
    py::class_<MeshReport> c(m, "MeshReport", "Counts of the elements and defects of a mesh.");
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
        .def_readonly("genus", &MeshReport::genus, "None if the surface is not watertight.")
        .def_readonly("watertight", &MeshReport::watertight,
                      "Whether the surface has triangles, and no open, non-manifold or clashing edge.")
        .def_readonly("area", &MeshReport::area, "Surface area (m^2).")
        .def_readonly("volume", &MeshReport::volume,
                      "Signed volume (m^3); None if the edges are not balanced, since it then has no meaning.")
        .def_property_readonly(
            "center", [](const MeshReport& r) { return vector_array(r.center); },
            "The centroid (3,) of the volume, or of the area if there is no volume, metres.")
        .def_property_readonly(
            "bounds", [](const MeshReport& r) { return box_array(r.bounds); },
            "The bounding box [lower, upper] (2, 3), metres.")
        .def_property_readonly(
            "self_intersections",
            [](const MeshReport& r) {
                return r.self_intersections ? py::object(py::int_(r.self_intersections->count)) : py::none();
            },
            "None if they were not counted.")
        .def_property_readonly("faces_outward", &MeshReport::faces_outward,
                               "Whether the surface is closed and oriented outward, and so has an inside.")
        .def_property_readonly("clean", &MeshReport::clean, "Whether no defect was found that affects queries.");
    py::class_<MassProperties>(m, "MassProperties", "The mass properties of a body of constant density.")
        .def_readonly("area", &MassProperties::area, "Surface area (m^2).")
        .def_readonly("volume", &MassProperties::volume, "Signed volume (m^3).")
        .def_readonly("mass", &MassProperties::mass, "Mass (kg).")
        .def_property_readonly(
            "center", [](const MassProperties& p) { return vector_array(p.center); },
            "The centre of mass (3,), metres.")
        .def_property_readonly(
            "inertia",
            [](const MassProperties& p) {
                return array_of<double>({3, 3}, 9, [&](std::size_t k) {
                    return p.inertia(static_cast<int>(k / 3), static_cast<int>(k % 3));
                });
            },
            "The inertia tensor (3, 3) about the centre of mass (kg m^2).");
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
          "Reads a surface, or the boundary of a volume: .obj .stl .ply .off .glb .gltf .vtk .vtu .msh .mesh and more, "
          "also .gz.");
    m.def("read_tet_mesh", read_with<TetMesh>([](const std::filesystem::path& path) { return read_tet_mesh(path); }),
          py::arg("path"), "Reads a tetrahedral mesh: .vtk .vtu .msh .mesh .node/.ele");
    m.def("write_mesh", &write<TriangleMesh>, py::arg("path"), py::arg("mesh"),
          "Writes a mesh; the extension selects the format: .obj .stl .ply .off .glb .vtk .vtu for surfaces, .vtk .vtu "
          ".msh .mesh for volumes.");
    m.def("write_mesh", &write<TetMesh>, py::arg("path"), py::arg("mesh"));
    m.def("make_shape", &make, py::arg("name"),
          "Returns a generated mesh by name, with its parameters as keywords (see shape_catalogue()): "
          "make_shape('sphere', radius=0.5). Centred, z up, metres.");
    m.def("shape_catalogue", &catalogue,
          "Returns {name: (description, {parameter: (default, minimum, maximum, unit, meaning)})} of make_shape().");
}

} // namespace fathom::python
