// Python: whatever can touch, as a Shape.
#pragma once

#include <fathom/detect/shape.h>

#include <pybind11/pybind11.h>

#include <string_view>

namespace fathom::python {

namespace py = pybind11;

// A Shape itself; a field, mesh, tetrahedra, point shell, formula or its text; anything else with `vertices` and
// `faces`. What Fathom's own objects are made into is kept with them, so that trees are built once. TypeError for
// others.
[[nodiscard]] Shape shape_from(py::handle given, std::string_view argument);

} // namespace fathom::python
