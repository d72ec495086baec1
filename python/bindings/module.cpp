// Python: the extension fathom._core. What users see is python/fathom/__init__.py; types: _core.pyi.
#include "bindings.h"
#include "enums.h"
#include "errors.h"
#include "poses.h"

#include <fathom/base/parallel.h>
#include <fathom/base/version.h>

#include <string>

namespace {

// pybind11 before 2.12 reads arrays of numpy 2 by the layout of numpy 1: numbers would be wrong, and nothing would say
// so.
void refuse_unknown_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
    const auto numpy = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
    if (std::stoi(numpy) >= 2)
        throw pybind11::import_error(
            "fathom was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
                PYBIND11_VERSION_MINOR) ", which cannot read the arrays of numpy " +
            numpy + ": use numpy below 2, or `pip install .`, which builds it anew");
#endif
}

} // namespace

PYBIND11_MODULE(_core, m) {
    using namespace fathom::python;
    refuse_unknown_numpy();
    m.doc() = "Fathom's C++ library. Use it through the package `fathom`.";
    py::options options;
    options.disable_enum_members_docstring();
    translate_errors();
    m.attr("__version__") = fathom::version;
    m.def("_choices", &known_choices, "Names of all enums, for tests.");
    m.def("thread_count", &fathom::thread_count, "Threads that heavy calls use.");
    m.def("set_thread_count", &fathom::set_thread_count, py::arg("count"),
          "Threads that heavy calls use from now on; 0: as many as the machine has. Answers do not depend on it.");
    bind_poses(m);
    bind_meshes(m);
    bind_fields(m);
    bind_formulas(m);
    bind_grids(m);
    bind_networks(m);
    bind_shells(m);
    bind_shapes(m);
    bind_query(m);
    bind_world(m);
    bind_scenes(m);
    bind_show(m);
}
