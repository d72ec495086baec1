// Functions that define the classes and functions of the extension module, one per source file.
#pragma once

#include <fathom/field/field.h>

#include <pybind11/pybind11.h>

#include <memory>

namespace fathom::python {

namespace py = pybind11;

void bind_fields(py::module_& m);
void bind_formulas(py::module_& m);
void bind_grids(py::module_& m);
void bind_networks(py::module_& m);
void bind_meshes(py::module_& m);
void bind_shells(py::module_& m);
void bind_shapes(py::module_& m);
void bind_query(py::module_& m);
void bind_derivatives(py::module_& m);
void bind_world(py::module_& m);
void bind_scenes(py::module_& m);
void bind_show(py::module_& m);

// Fields are immutable in Python as in C++; the const is dropped because pybind11 does not support holders of const
// types.
using FieldHandle = std::shared_ptr<Field>;
[[nodiscard]] inline FieldHandle handle_of(const FieldPtr& field) { return std::const_pointer_cast<Field>(field); }

} // namespace fathom::python
