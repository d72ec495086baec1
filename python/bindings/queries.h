// Results of query.h as Python objects and tables; used for pair queries and for worlds.
#pragma once

#include "arrays.h"
#include "enums.h"

#include <fathom/detect/query/query.h>

#include <string>

namespace fathom::python {

// The options given by the keyword arguments.
[[nodiscard]] CollideOptions query_options(CollideGoal goal, Method method, double margin, std::size_t max_contacts,
                                           double effort = 1);

// An instance of a class of fathom/_results.py with these columns.
template <class... Columns>
[[nodiscard]] py::object table(const char* type, Columns&&... columns) {
    return py::module_::import("fathom._results").attr(type)(std::forward<Columns>(columns)...);
}

// A column of a table: an array of this shape, or a number if the shape is empty.
template <class Number, class Value>
[[nodiscard]] py::object column(const Extents& shape, std::size_t count, const Value& value) {
    return array_of<Number>(shape, count, value).attr("__getitem__")(py::tuple(0));
}

} // namespace fathom::python
