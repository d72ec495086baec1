// Conversion of Python objects to shapes.
#pragma once

#include <fathom/detect/query/shape.h>

#include <pybind11/pybind11.h>

#include <string_view>

namespace fathom::python {

namespace py = pybind11;

// The shape of a Shape, field, mesh, tetrahedral mesh, point shell, analytic expression or its text, or of an object
// with `vertices` and `faces`. The shape of an object of Fathom is stored with the object, so that its trees are built
// once. TypeError for other objects.
[[nodiscard]] Shape shape_from(py::handle given, std::string_view argument);

} // namespace fathom::python
