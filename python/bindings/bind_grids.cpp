// Grids of signed distances from meshes, fields, arrays and files.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"
#include "progress.h"

#include <fathom/field/file/grid_file.h>
#include <fathom/field/grid/bake.h>
#include <fathom/field/grid/contour.h>
#include <fathom/field/grid/grid_csg.h>
#include <fathom/field/grid/smooth_grid.h>
#include <fathom/field/mesh/grid_builder.h>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace fathom::python {

namespace {

using GridHandle = std::shared_ptr<GridField>;
GridHandle kept(GridField field) { return std::make_shared<GridField>(std::move(field)); }

// NOLINTNEXTLINE(readability-function-size): the arguments of the Python function
GridHandle build(const TriangleMesh& mesh, int resolution, double margin, const py::object& box, double band,
                 bool dense, GridStorage storage, SignMethod sign, double thickness, double wrap, bool cached,
                 const py::object& progress) {
    GridOptions options{.resolution = resolution,
                        .margin = margin,
                        .box = box_from(box, "box"),
                        .band = band,
                        .dense = dense,
                        .storage = storage,
                        .sign = sign,
                        .thickness = thickness,
                        .wrap = wrap};
    return watched(progress, [&](Progress* watcher) {
        options.progress = watcher;
        return cached ? kept(cached_grid(mesh, options).file.field) : kept(build_grid(mesh, options));
    });
}

GridHandle baked(const FieldHandle& field, int resolution, const py::object& box, double band, bool dense,
                 GridStorage storage, const py::object& progress) {
    BakeOptions options{
        .box = box_from(box, "box"), .resolution = resolution, .band = band, .dense = dense, .storage = storage};
    return watched(progress, [&](Progress* watcher) {
        options.progress = watcher;
        return kept(bake(*field, options));
    });
}

GridReadOptions read_options(const py::object& origin, double cell, bool x_first, double error, double lipschitz,
                             GridStorage storage) {
    GridReadOptions options{
        .cell = cell, .x_first = x_first, .error = error, .lipschitz = lipschitz, .storage = storage};
    if (!origin.is_none()) options.origin = vector_from(origin, "origin");
    return options;
}

GridHandle read(const std::filesystem::path& path, const py::object& origin, double cell, bool x_first, double error,
                double lipschitz, GridStorage storage) {
    const GridReadOptions options = read_options(origin, cell, x_first, error, lipschitz, storage);
    const py::gil_scoped_release unlocked;
    return kept(read_grid_file(path, options).field);
}

// The array is passed as a .npy file in memory, so that the file reader makes all checks.
GridHandle from_array(const py::object& values, double cell, const py::object& origin, bool x_first, double error,
                      double lipschitz, GridStorage storage) {
    const py::object file = py::module_::import("io").attr("BytesIO")();
    py::module_::import("numpy").attr("save")(file, values, py::arg("allow_pickle") = false);
    const auto bytes = file.attr("getvalue")().cast<py::bytes>();
    GridReadOptions options = read_options(origin, cell, x_first, error, lipschitz, storage);
    options.memory_limit = std::size_t{16} << 30;
    const auto text = static_cast<std::string_view>(bytes);
    const py::gil_scoped_release unlocked;
    return kept(read_grid_file(std::as_bytes(std::span(text)), "values.npy", options).field);
}

py::array samples(const GridField& grid) {
    const GridLayout& layout = grid.layout();
    const std::array<int, 3> sides = {layout.cells(0) + 1, layout.cells(1) + 1, layout.cells(2) + 1};
    py::array_t<double> array(Extents{sides[2], sides[1], sides[0]});
    double* out = array.mutable_data();
    const py::gil_scoped_release unlocked;
    parallel_tasks(static_cast<std::size_t>(sides[2]), [&](std::size_t z) {
        double* at = out + z * static_cast<std::size_t>(sides[0]) * static_cast<std::size_t>(sides[1]);
        for (int y = 0; y < sides[1]; ++y)
            for (int x = 0; x < sides[0]; ++x) *at++ = grid.sample_value({x, y, static_cast<int>(z)});
    });
    return array;
}

std::shared_ptr<TriangleMesh> surface(const FieldHandle& field, double level, int resolution, const py::object& box,
                                      const py::object& progress) {
    ContourOptions options{.level = level};
    const Box where = box_from(box, "box");
    return watched(progress, [&](Progress* watcher) {
        options.progress = watcher;
        const auto* grid = dynamic_cast<const GridField*>(field.get());
        if (grid != nullptr && resolution == 0) return std::make_shared<TriangleMesh>(contour(*grid, options));
        const Box bounds =
            where.empty() ? field->bounds().grown(0.02 * field->bounds().diagonal() + std::max(level, 0.0)) : where;
        return std::make_shared<TriangleMesh>(contour(*field, bounds, resolution == 0 ? 64 : resolution, options));
    });
}

void bind_grid(py::module_& m) {
    py::class_<GridField, Field, GridHandle>(m, "GridField",
                                             "Signed distances sampled on a sparse grid, with trilinear interpolation: "
                                             "tens of nanoseconds per point, with a stated error bound.")
        .def_static("from_array", &from_array, py::arg("values"), py::arg("cell"), py::arg("origin") = py::none(),
                    py::arg("x_first") = false, py::arg("error") = HUGE_VAL, py::arg("lipschitz") = 1.0,
                    py::arg("storage") = GridStorage::float32,
                    "Returns a grid from an array [z, y, x] of signed distances ([x, y, z] with x_first). cell: the "
                    "side of a cell (m). origin: the position of the first sample (m). error: the error of the samples "
                    "(m), if it is known.")
        .def_property_readonly(
            "cell", [](const GridField& grid) { return grid.layout().cell; }, "The side of a cell (m).")
        .def_property_readonly(
            "origin", [](const GridField& grid) { return vector_array(grid.layout().origin); },
            "The position of the first sample (3,), metres.")
        .def_property_readonly(
            "cells",
            [](const GridField& grid) {
                return py::make_tuple(grid.layout().cells(0), grid.layout().cells(1), grid.layout().cells(2));
            },
            "The number of cells along x, y and z.")
        .def_property_readonly("near_error_bound", &GridField::near_error_bound,
                               "The error bound near the surface (m).")
        .def_property_readonly("bytes", &GridField::bytes, "The size in memory (bytes).")
        .def_property_readonly(
            "stored_bricks", [](const GridField& grid) { return grid.data().stored_bricks(); },
            "The number of bricks that are stored.")
        .def("samples", &samples,
             "Returns all samples as an array [z, y, x], metres; they are interpolated where none is stored.")
        .def(
            "offset",
            [](const GridField& grid, double distance) {
                const py::gil_scoped_release unlocked;
                return kept(offset(grid, distance));
            },
            py::arg("distance"), "Returns the body grown (or shrunk, if negative) by a distance (m).")
        .def(
            "combine",
            [](const GridField& a, const GridField& b, Combination how) {
                const py::gil_scoped_release unlocked;
                return kept(combine(a, b, how));
            },
            py::arg("other"), py::arg("how"), "Returns the union, intersection or difference with another grid.")
        .def(
            "write",
            [](const GridField& grid, const std::filesystem::path& path, const std::string& note) {
                const py::gil_scoped_release unlocked;
                write_grid_file(grid, path, {.note = note});
            },
            py::arg("path"), py::arg("note") = "",
            "Writes a file; its extension selects the format: .fathom .npy .nrrd .vti .sdf .dist");
    py::class_<SmoothGridField, Field, std::shared_ptr<SmoothGridField>>(
        m, "SmoothGridField",
        "A grid with a continuous gradient (triquadratic B-spline). It is slower, and rounds corners by up to half a "
        "cell.")
        .def(py::init<const GridField&>(), py::arg("grid"));
}

} // namespace

void bind_grids(py::module_& m) {
    bind_grid(m);
    m.def("build_grid", &build, py::arg("mesh"), py::arg("resolution") = 128, py::arg("margin") = 0.05,
          py::arg("box") = py::none(), py::arg("band") = 3.0, py::arg("dense") = false,
          py::arg("storage") = GridStorage::code16, py::arg("sign") = SignMethod::automatic, py::arg("thickness") = 0.0,
          py::arg("wrap") = 0.0, py::arg("cached") = false, py::arg("progress") = py::none(),
          R"(Returns a grid of the exact distances to a mesh, which may be open, self-intersecting or broken.

resolution: cells along the longest side; margin: free space around the mesh, as a fraction of that side; box (2, 3): the domain (m), in place of margin;
band: number of cells beside the surface that store all samples; sign: how inside is decided; thickness and wrap: sizes of sheets and holes (m);
cached: store the grid in the folder FATHOM_CACHE and map it on the next call. progress(stage, fraction) is called during the work, and cancels it by returning False.)");
    m.def("bake", &baked, py::arg("field").none(false), py::arg("resolution") = 128, py::arg("box") = py::none(),
          py::arg("band") = 3.0, py::arg("dense") = false, py::arg("storage") = GridStorage::code16,
          py::arg("progress") = py::none(), "Returns any field as a grid with a certified error bound.");
    m.def("read_grid", &read, py::arg("path"), py::arg("origin") = py::none(), py::arg("cell") = 1.0,
          py::arg("x_first") = false, py::arg("error") = HUGE_VAL, py::arg("lipschitz") = 1.0,
          py::arg("storage") = GridStorage::float32,
          "Reads a grid from .fathom (memory-mapped), .npy, .nrrd, .vti, .sdf or .dist; origin, cell and x_first apply "
          "to .npy.");
    m.def("contour", &surface, py::arg("field").none(false), py::arg("level") = 0.0, py::arg("resolution") = 0,
          py::arg("box") = py::none(), py::arg("progress") = py::none(),
          "Returns the isosurface at a level (m) as a closed mesh. resolution: cells along the longest side; 0 uses "
          "the lattice of a grid, and 64 cells for other fields.");
}

} // namespace fathom::python
