// Translation of the errors of the library to Python exceptions.
#include "errors.h"

#include "enums.h"

namespace fathom::python {

namespace {

py::object known(std::int64_t number) { return number < 0 ? py::object(py::none()) : py::int_(number); }
py::object known(const std::string& text) { return text.empty() ? py::object(py::none()) : py::str(text); }

void raise(const Error& error) {
    const Place& place = error.place();
    const py::object exception =
        py::module_::import("fathom._errors")
            .attr("make_error")(error.cause(), error.reason(), error.what(), known(place.file), known(place.line),
                                known(place.element), known(place.index), known(place.offset));
    PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
}

} // namespace

void translate_errors() {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Error& error) {
            raise(error);
        }
    });
}

} // namespace fathom::python
