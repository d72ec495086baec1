// Python: shapes by formula, as text and put together with operators.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"

#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/parse.h>
#include <fathom/field/analytic/shapes.h>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

namespace fathom::python {

namespace {

Formula formula_from(const py::object& given) {
    if (py::isinstance<Formula>(given)) return given.cast<Formula>();
    if (py::isinstance<py::str>(given)) return parse_shape(given.cast<std::string>());
    throw py::type_error("a formula is wanted: text, or a fathom.Formula");
}

void bind_operations(py::class_<Formula>& c) {
    c.def(
         "__or__", [](const Formula& a, const Formula& b) { return shapes::union_of(a, b); }, py::is_operator(),
         "In a or in b.")
        .def(
            "__and__", [](const Formula& a, const Formula& b) { return shapes::intersection(a, b); }, py::is_operator(),
            "In a and in b.")
        .def(
            "__sub__", [](const Formula& a, const Formula& b) { return shapes::difference(a, b); }, py::is_operator(),
            "In a but not in b.")
        .def(
            "__invert__", [](const Formula& a) { return shapes::complement(a); }, "Everything else.")
        .def("smooth_union", &shapes::smooth_union, py::arg("other"), py::arg("width"),
             "Blended where the two differ by less than `width` (m).")
        .def("smooth_intersection", &shapes::smooth_intersection, py::arg("other"), py::arg("width"))
        .def("smooth_difference", &shapes::smooth_difference, py::arg("other"), py::arg("width"))
        .def(
            "translate",
            [](const Formula& a, const py::object& move) { return shapes::translate(vector_from(move, "move"), a); },
            py::arg("move"), "Moved by (3,), metres.")
        .def(
            "rotate",
            [](const Formula& a, double angle, const py::object& axis) {
                return shapes::rotate(angle, vector_from(axis, "axis"), a);
            },
            py::arg("angle"), py::arg("axis"), "Turned about an axis (3,) through the origin, radians.")
        .def(
            "scale", [](const Formula& a, double factor) { return shapes::scale(factor, a); }, py::arg("factor"))
        .def(
            "round", [](const Formula& a, double radius) { return shapes::round(radius, a); }, py::arg("radius"),
            "Grown by a ball (m).")
        .def(
            "shell", [](const Formula& a, double thickness) { return shapes::shell(thickness, a); },
            py::arg("thickness"), "A wall with the old surface in its middle (m).");
}

} // namespace

void bind_formulas(py::module_& m) {
    py::class_<Formula> formula(m, "Formula",
                                R"doc(A shape by formula: Formula("smooth_union(sphere(1), box(1, 2, 3), 0.2)").

Names and numbers: docs/analytic-fields.md. Centred on the origin, z up, metres and radians. a | b, a & b, a - b and ~a combine shapes.)doc");
    formula
        .def(py::init([](const std::string& text, const std::string& source) { return parse_shape(text, source); }),
             py::arg("text"), py::arg("source") = "", "source: a name for the text in messages.")
        .def(py::init([](const std::string& kind, const std::vector<double>& numbers,
                         const std::vector<Formula>& shapes) { return Formula(kind, numbers, shapes); }),
             py::arg("kind"), py::arg("numbers"), py::arg("shapes") = std::vector<Formula>{},
             "One operation by its name, its numbers in order, and the shapes it works on.")
        .def_property_readonly("text", &Formula::text, "The text that reads back as this formula.")
        .def_property_readonly("lipschitz", &Formula::lipschitz)
        .def_property_readonly("distance_kind", &Formula::distance_kind, "How its values relate to true distances.")
        .def_property_readonly(
            "bounds", [](const Formula& f) { return box_array(f.bounds()); }, "[lower, upper] (2, 3), metres.")
        .def_property_readonly("weight", &Formula::weight, "Shapes in the formula.")
        .def(py::self == py::self)
        .def("__str__", &Formula::text)
        .def("__repr__", [](const Formula& f) { return "Formula('" + f.text() + "')"; })
        .def(py::pickle([](const Formula& f) { return py::make_tuple(f.text()); },
                        [](const py::tuple& state) { return parse_shape(state[0].cast<std::string>()); }));
    formula.attr("__hash__") = py::none();
    bind_operations(formula);

    py::class_<AnalyticField, Field, std::shared_ptr<AnalyticField>>(
        m, "AnalyticField", "The distance to a shape by formula, everywhere in space.")
        .def(py::init([](const py::object& given) { return std::make_shared<AnalyticField>(formula_from(given)); }),
             py::arg("formula"), "formula: text or a Formula.")
        .def_property_readonly("formula", &AnalyticField::formula)
        .def_property_readonly("distance_kind", &AnalyticField::distance_kind)
        .def_property_readonly("is_convex", &AnalyticField::is_convex)
        .def("__repr__", [](const AnalyticField& f) { return "AnalyticField('" + f.formula().text() + "')"; })
        .def(py::pickle([](const AnalyticField& f) { return py::make_tuple(f.formula().text()); },
                        [](const py::tuple& state) {
                            return std::make_shared<AnalyticField>(parse_shape(state[0].cast<std::string>()));
                        }));
}

} // namespace fathom::python
