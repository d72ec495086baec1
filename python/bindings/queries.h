// Python: answers of query.h as objects and as tables, for the one call and for worlds.
#pragma once

#include "arrays.h"
#include "enums.h"

#include <fathom/detect/query.h>

#include <string>

namespace fathom::python {

// Options as keywords carry them.
[[nodiscard]] QueryOptions query_options(QueryGoal goal, Method method, double margin, std::size_t most_contacts);

// A class of fathom/_results.py with these columns.
template <class... Columns>
[[nodiscard]] py::object table(const char* type, Columns&&... columns) {
    return py::module_::import("fathom._results").attr(type)(std::forward<Columns>(columns)...);
}

// A column of a table: an array of this shape, or a plain number where the shape is empty.
template <class Number, class Value>
[[nodiscard]] py::object column(const Extents& shape, std::size_t count, const Value& value) {
    return array_of<Number>(shape, count, value).attr("__getitem__")(py::tuple(0));
}

} // namespace fathom::python
