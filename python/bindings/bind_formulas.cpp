// Analytic shapes: expressions from text, combined with operators.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"

#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/analytic_kinds.h>
#include <fathom/field/analytic/primitives.h>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

namespace fathom::python {

namespace {

AnalyticExpression formula_from(const py::object& given) {
    if (py::isinstance<AnalyticExpression>(given)) return given.cast<AnalyticExpression>();
    if (py::isinstance<py::str>(given)) return parse_shape(given.cast<std::string>());
    throw py::type_error("expected an analytic expression: text or a fathom.AnalyticExpression");
}

void bind_operations(py::class_<AnalyticExpression>& c) {
    c.def(
         "__or__", [](const AnalyticExpression& a, const AnalyticExpression& b) { return shapes::union_of(a, b); },
         py::is_operator(), "The union of a and b.")
        .def(
            "__and__",
            [](const AnalyticExpression& a, const AnalyticExpression& b) { return shapes::intersection(a, b); },
            py::is_operator(), "The intersection of a and b.")
        .def(
            "__sub__",
            [](const AnalyticExpression& a, const AnalyticExpression& b) { return shapes::difference(a, b); },
            py::is_operator(), "The difference of a and b.")
        .def(
            "__invert__", [](const AnalyticExpression& a) { return shapes::complement(a); }, "The complement.")
        .def("smooth_union", &shapes::smooth_union, py::arg("other"), py::arg("width"),
             "Returns the union, blended where the two values differ by less than `width` (m).")
        .def("smooth_intersection", &shapes::smooth_intersection, py::arg("other"), py::arg("width"),
             "Returns the intersection, blended as in smooth_union().")
        .def("smooth_difference", &shapes::smooth_difference, py::arg("other"), py::arg("width"),
             "Returns the difference, blended as in smooth_union().")
        .def(
            "translate",
            [](const AnalyticExpression& a, const py::object& move) {
                return shapes::translate(vector_from(move, "move"), a);
            },
            py::arg("move"), "Returns the shape translated by (3,), metres.")
        .def(
            "rotate",
            [](const AnalyticExpression& a, double angle, const py::object& axis) {
                return shapes::rotate(angle, vector_from(axis, "axis"), a);
            },
            py::arg("angle"), py::arg("axis"),
            "Returns the shape rotated by an angle (radians) about an axis (3,) through the origin.")
        .def(
            "scale", [](const AnalyticExpression& a, double factor) { return shapes::scale(factor, a); },
            py::arg("factor"), "Returns the shape scaled about the origin.")
        .def(
            "round", [](const AnalyticExpression& a, double radius) { return shapes::round(radius, a); },
            py::arg("radius"), "Returns the shape grown by a radius (m), which rounds its edges.")
        .def(
            "shell", [](const AnalyticExpression& a, double thickness) { return shapes::shell(thickness, a); },
            py::arg("thickness"), "Returns a wall of this thickness (m), centred on the surface.");
}

} // namespace

void bind_formulas(py::module_& m) {
    py::class_<AnalyticExpression> formula(
        m, "AnalyticExpression",
        R"doc(An analytic shape: AnalyticExpression("smooth_union(sphere(1), box(1, 2, 3), 0.2)").

Names and numbers: docs/analytic-fields.md. Centred on the origin, z up, metres and radians. a | b, a & b, a - b and ~a combine shapes.)doc");
    formula
        .def(py::init([](const std::string& text, const std::string& source) { return parse_shape(text, source); }),
             py::arg("text"), py::arg("source") = "", "source: a name for the text in error messages.")
        .def(py::init([](const std::string& kind, const std::vector<double>& numbers,
                         const std::vector<AnalyticExpression>& shapes) {
                 return AnalyticExpression(kind, numbers, shapes);
             }),
             py::arg("kind"), py::arg("numbers"), py::arg("shapes") = std::vector<AnalyticExpression>{},
             "An operation given by its name, its numbers in order, and the shapes that it combines.")
        .def_property_readonly("text", &AnalyticExpression::text, "The text that parses to this expression.")
        .def_property_readonly("lipschitz", &AnalyticExpression::lipschitz)
        .def_property_readonly("distance_kind", &AnalyticExpression::distance_kind,
                               "How the values relate to the true distance.")
        .def_property_readonly(
            "bounds", [](const AnalyticExpression& f) { return box_array(f.bounds()); },
            "[lower, upper] (2, 3), metres.")
        .def_property_readonly("weight", &AnalyticExpression::weight, "The number of shapes in the expression.")
        .def(py::self == py::self) // NOLINT(misc-redundant-expression): builds the operator
        .def("__str__", &AnalyticExpression::text)
        .def("__repr__", [](const AnalyticExpression& f) { return "AnalyticExpression('" + f.text() + "')"; })
        .def(py::pickle([](const AnalyticExpression& f) { return py::make_tuple(f.text()); },
                        [](const py::tuple& state) { return parse_shape(state[0].cast<std::string>()); }));
    formula.attr("__hash__") = py::none();
    bind_operations(formula);

    py::class_<AnalyticField, Field, std::shared_ptr<AnalyticField>>(
        m, "AnalyticField", "The distance to an analytic shape, everywhere in space.")
        .def(py::init([](const py::object& given) { return std::make_shared<AnalyticField>(formula_from(given)); }),
             py::arg("expression"), "expression: text or an AnalyticExpression.")
        .def_property_readonly("expression", &AnalyticField::expression, "The analytic expression.")
        .def_property_readonly("distance_kind", &AnalyticField::distance_kind)
        .def_property_readonly("is_convex", &AnalyticField::is_convex)
        .def("__repr__", [](const AnalyticField& f) { return "AnalyticField('" + f.expression().text() + "')"; })
        .def(py::pickle([](const AnalyticField& f) { return py::make_tuple(f.expression().text()); },
                        [](const py::tuple& state) {
                            return std::make_shared<AnalyticField>(parse_shape(state[0].cast<std::string>()));
                        }));
}

} // namespace fathom::python
