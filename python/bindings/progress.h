// Progress reports of long calls to a Python callable. Ctrl-C and exceptions of the callable stop the call.
#pragma once

#include <fathom/base/error.h>
#include <fathom/base/progress.h>

#include <pybind11/pybind11.h>

#include <exception>
#include <optional>

namespace fathom::python {

namespace py = pybind11;

class PythonProgress final : public Progress {
public:
    explicit PythonProgress(py::object call) : call_(std::move(call)) {}

    bool update(std::string_view stage, double fraction) override {
        const py::gil_scoped_acquire lock;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (call_.is_none()) return true;
            const py::object answer = call_(py::str(stage.data(), stage.size()), fraction);
            return answer.is_none() || answer.cast<bool>();
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }
    void rethrow() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

private:
    py::object call_;
    std::exception_ptr thrown_;
};

// Calls work(progress) without the GIL.
template <class Work>
auto watched(const py::object& call, const Work& work) {
    PythonProgress progress(call);
    try {
        const py::gil_scoped_release unlocked;
        return work(static_cast<Progress*>(&progress));
    } catch (const Error&) {
        progress.rethrow();
        throw;
    }
}

} // namespace fathom::python
