// Images of fields as arrays of bytes, and viewer pages.
#include "arrays.h"
#include "bindings.h"

#include <fathom/show/field_slice.h>
#include <fathom/show/viewer_file.h>
#include <fathom/show/viewer_sources.h>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace fathom::python {

namespace {

py::array picture(const Image& image) {
    static_assert(sizeof(Color) == 3);
    return py::array_t<std::uint8_t>(Extents{image.height, image.width, 3},
                                     reinterpret_cast<const std::uint8_t*>(image.pixels.data()));
}

SliceOptions options_from(const py::object& box, int axis, std::optional<double> position, int size, double spacing,
                          bool lines, bool cells, bool scale) {
    SliceOptions options;
    options.box = box_from(box, "box");
    options.axis = axis;
    options.position = position;
    options.size = size;
    options.spacing = spacing;
    options.lines = lines;
    options.cells = cells;
    options.scale = scale;
    return options;
}

py::array slice(const FieldHandle& field, const py::object& box, int axis, std::optional<double> position, int size,
                double spacing, bool lines, bool cells, bool scale) {
    const SliceOptions options = options_from(box, axis, position, size, spacing, lines, cells, scale);
    Image image;
    {
        const py::gil_scoped_release unlocked;
        image = draw_slice(*field, options);
    }
    return picture(image);
}

// Centres of the pixels of a slice, (height, width, 3): the points at which to evaluate a field for values instead of
// colours.
py::array slice_points(const FieldHandle& field, const py::object& box, int axis, std::optional<double> position,
                       int size) {
    const SliceFrame frame = slice_frame(*field, options_from(box, axis, position, size, 0, true, false, false));
    const auto width = static_cast<std::size_t>(frame.width), height = static_cast<std::size_t>(frame.height);
    return vectors_of({frame.height, frame.width}, width * height, [&](std::size_t k) {
        const std::size_t row = k / width;
        return frame.point(static_cast<double>(k % width) + 0.5, static_cast<double>(row) + 0.5);
    });
}

void png(const std::filesystem::path& path, const py::object& pixels) {
    const auto array = py::array_t<std::uint8_t, py::array::c_style>::ensure(pixels);
    if (!array || array.ndim() != 3 || array.shape(2) != 3)
        refuse("pixels", "expected an array (height, width, 3) of uint8");
    Image image(static_cast<int>(array.shape(1)), static_cast<int>(array.shape(0)), {});
    std::copy_n(array.data(), array.size(), reinterpret_cast<std::uint8_t*>(image.pixels.data()));
    const py::gil_scoped_release unlocked;
    write_png(path, image);
}

void html(const std::filesystem::path& path, const py::object& shown, const std::string& name) {
    const auto write = [&](const auto& document) {
        const py::gil_scoped_release unlocked;
        write_viewer_html(path, document());
    };
    if (py::isinstance<TriangleMesh>(shown))
        return write([&, &mesh = shown.cast<const TriangleMesh&>()] { return mesh_document(name, mesh); });
    if (py::isinstance<TetMesh>(shown))
        return write([&, &mesh = shown.cast<const TetMesh&>()] { return tet_document(name, mesh); });
    if (py::isinstance<Field>(shown))
        return write([&, field = shown.cast<FieldHandle>()] { return field_document(name, field); });
    throw py::type_error("shown: expected a mesh, a tetrahedral mesh or a field");
}

} // namespace

void bind_show(py::module_& m) {
    m.def("draw_slice", &slice, py::arg("field").none(false), py::arg("box") = py::none(), py::arg("axis") = 2,
          py::arg("position") = py::none(), py::arg("size") = 800, py::arg("spacing") = 0.0, py::arg("lines") = true,
          py::arg("cells") = false, py::arg("scale") = true,
          "Returns an image of a field on a plane perpendicular to an axis (0, 1, 2): (height, width, 3) uint8. Blue "
          "is inside, orange is outside, the thick line is the surface.");
    m.def("slice_points", &slice_points, py::arg("field").none(false), py::arg("box") = py::none(), py::arg("axis") = 2,
          py::arg("position") = py::none(), py::arg("size") = 800,
          "Returns the points (height, width, 3) of the pixels of draw_slice() without the scale bar, to evaluate "
          "values instead of colours.");
    m.def("write_png", &png, py::arg("path"), py::arg("pixels"), "Writes an image. pixels: (height, width, 3) uint8.");
    m.def("has_viewer", &has_viewer_page, "Returns whether the package was built with the viewer page.");
    m.def("write_html", &html, py::arg("path"), py::arg("shown"), py::arg("name") = "fathom",
          "Writes a mesh, a tetrahedral mesh or a field as a viewer page, a self-contained HTML file. Raises "
          "Unsupported if has_viewer() is False.");
}

} // namespace fathom::python
