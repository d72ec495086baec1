// Python: the extension fathom._core. What users see is python/fathom/__init__.py; types: _core.pyi.
#include "bindings.h"
#include "enums.h"
#include "errors.h"
#include "poses.h"

#include <fathom/base/parallel.h>
#include <fathom/base/version.h>

PYBIND11_MODULE(_core, m) {
    using namespace fathom::python;
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
