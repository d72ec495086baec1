// The extension module fathom._core. Users import it through python/fathom/__init__.py; its types are in _core.pyi.
#include "bindings.h"
#include "enums.h"
#include "errors.h"
#include "poses.h"

#include <fathom/base/parallel.h>
#include <fathom/base/version.h>

#include <string>

namespace {

// pybind11 before 2.12 reads the arrays of numpy 2 with the layout of numpy 1, which gives wrong numbers without an
// error.
void refuse_unknown_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
    const auto numpy = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
    if (std::stoi(numpy) >= 2)
        throw pybind11::import_error(
            "fathom was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
                PYBIND11_VERSION_MINOR) ", which cannot read the arrays of numpy " +
            numpy + ": use numpy below 2, or `pip install .`, which builds the module again");
#endif
}

} // namespace

PYBIND11_MODULE(_core, m) {
    using namespace fathom::python;
    refuse_unknown_numpy();
    m.doc() = "The C++ library of Fathom. Use it through the package `fathom`.";
    py::options options;
    options.disable_enum_members_docstring();
    translate_errors();
    m.attr("__version__") = fathom::version;
    m.def("_choices", &known_choices, "The names of the members of all enums, for tests.");
    m.def("thread_count", &fathom::thread_count, "The number of threads that parallel calls use.");
    m.def("set_thread_count", &fathom::set_thread_count, py::arg("count"),
          "Sets the number of threads of parallel calls; 0 uses all of the machine. Results do not depend on it.");
    bind_poses(m);
    bind_meshes(m);
    bind_fields(m);
    bind_formulas(m);
    bind_grids(m);
    bind_networks(m);
    bind_shells(m);
    bind_shapes(m);
    bind_query(m);
    bind_derivatives(m);
    bind_world(m);
    bind_scenes(m);
    bind_show(m);
}
