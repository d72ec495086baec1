// Conversion of names and members of enums.
#include "choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace fathom::python {

py::object choice_member(const char* type, std::string_view name) {
    return py::module_::import("fathom._choices").attr(type).attr(py::str(name.data(), name.size()));
}

int choice_place(py::handle given, const char* type, const std::string_view* names, std::size_t count) {
    const std::span all(names, count);
    if (!given) return -1;
    // Members of an IntEnum (Status) are integers with a name.
    const py::object word = py::isinstance<py::int_>(given) && py::hasattr(given, "name")
                                ? given.attr("name")
                                : py::reinterpret_borrow<py::object>(given);
    if (!py::isinstance<py::str>(word)) return -1;
    // A member of an enum stands for its value; str() may give another text.
    const auto text = py::hasattr(word, "value") ? word.attr("value").cast<std::string>() : word.cast<std::string>();
    const auto found = std::find(all.begin(), all.end(), text);
    if (found == all.end())
        throw py::value_error(
            fmt::format("{}: unknown name '{}'; expected one of: {}", type, text, fmt::join(all, ", ")));
    return static_cast<int>(found - all.begin());
}

} // namespace fathom::python
