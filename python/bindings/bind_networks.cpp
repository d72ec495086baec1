// Neural fields: neural networks from files, arrays and fits to meshes.
#include "arrays.h"
#include "bindings.h"
#include "enums.h"
#include "progress.h"

#include <fathom/field/neural/network_fit.h>
#include <fathom/field/neural/neural_field.h>
#include <fathom/field/neural_io/network_file.h>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

namespace fathom::python {

namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

// Layers as tuples (weights (outputs, inputs), biases (outputs,), activation).
std::shared_ptr<NeuralField> from_layers(const py::list& layers, const py::object& center, double scale,
                                         const py::object& domain) {
    Network network;
    for (const py::handle& item : layers) {
        const auto layer = py::reinterpret_borrow<py::tuple>(item);
        if (!py::isinstance<py::tuple>(item) || layer.size() != 3)
            throw py::type_error("layers: expected tuples (weights, biases, activation)");
        const Floats weights = Floats::ensure(layer[0]), biases = Floats::ensure(layer[1]);
        if (!weights || !biases) throw py::type_error("layers: weights and biases must be arrays of numbers");
        if (weights.ndim() != 2 || biases.ndim() != 1)
            refuse("layers", "expected weights of shape (outputs, inputs) and biases of shape (outputs,)");
        network.layers.push_back({.inputs = static_cast<int>(weights.shape(1)),
                                  .outputs = static_cast<int>(weights.shape(0)),
                                  .activation = layer[2].cast<Activation>()});
        network.layers.back().weights.assign(weights.data(), weights.data() + weights.size());
        network.layers.back().biases.assign(biases.data(), biases.data() + biases.size());
    }
    network.center = vector_from(center, "center");
    network.scale = scale;
    if (!domain.is_none()) network.domain = box_from(domain, "domain");
    const py::gil_scoped_release unlocked;
    return std::make_shared<NeuralField>(std::move(network));
}

py::list layers_of(const NeuralField& field) {
    py::list layers;
    for (const DenseLayer& layer : field.network().layers)
        layers.append(py::make_tuple(py::array_t<float>(Extents{layer.outputs, layer.inputs}, layer.weights.data()),
                                     py::array_t<float>(Extents{layer.outputs}, layer.biases.data()),
                                     layer.activation));
    return layers;
}

std::shared_ptr<NeuralField> read_neural_field(const std::filesystem::path& path, const py::object& center,
                                               double scale, const py::object& domain, Activation hidden,
                                               Activation output) {
    NetworkFileOptions options{
        .hidden = hidden, .output = output, .center = vector_from(center, "center"), .scale = scale};
    if (!domain.is_none()) options.domain = box_from(domain, "domain");
    const py::gil_scoped_release unlocked;
    return std::make_shared<NeuralField>(read_network(path, options));
}

py::dict report_of(const FitReport& report) {
    py::dict all;
    all["mean_error"] = report.mean_error;
    all["max_error"] = report.max_error;
    all["mean_domain_error"] = report.mean_domain_error;
    all["sign_errors"] = report.sign_errors;
    all["overlap"] = report.overlap;
    all["steps"] = report.steps;
    all["samples"] = report.samples;
    all["seconds"] = report.seconds;
    all["longest_side"] = report.longest_side;
    return all;
}

py::tuple fit(const TriangleMesh& mesh, int layers, int width, Activation activation, double seconds, double error,
              int steps, std::uint64_t seed, std::size_t samples, const py::object& progress) {
    FitOptions options{.layers = layers,
                       .width = width,
                       .activation = activation,
                       .seconds = seconds,
                       .error = error,
                       .steps = steps,
                       .seed = seed,
                       .samples = samples};
    FitReport report;
    const auto field = watched(progress, [&](Progress* watcher) {
        options.progress = watcher;
        FittedNetwork fitted = fit_network(mesh, options);
        report = std::move(fitted.report);
        return std::make_shared<NeuralField>(std::move(fitted.network));
    });
    return py::make_tuple(field, report_of(report));
}

} // namespace

void bind_networks(py::module_& m) {
    const py::tuple origin = py::make_tuple(0.0, 0.0, 0.0);
    py::class_<NeuralField, Field, std::shared_ptr<NeuralField>>(
        m, "NeuralField",
        "A trained neural network as a field. Its values are not proven distances: only the sign and the range are "
        "guaranteed.")
        .def(py::init(&from_layers), py::arg("layers"), py::arg("center") = origin, py::arg("scale") = 1.0,
             py::arg("domain") = py::none(),
             R"(layers: a list of (weights (outputs, inputs), biases (outputs,), activation).

distance(p) = scale * net((p - center) / scale) for p in domain (2, 3), metres; None stands for the cube from -1 to 1.)")
        .def_property_readonly("layers", &layers_of, "The list of layers (weights, biases, activation).")
        .def_property_readonly("rounding_bound", &NeuralField::rounding_bound,
                               "Bound on the rounding error |computed - exact network| (m).")
        .def_property_readonly("distance_like", &NeuralField::distance_like,
                               "Whether the values are good estimates of distances; this is measured, not proven.")
        .def(
            "write",
            [](const NeuralField& field, const std::filesystem::path& path) { write_network(path, field.network()); },
            py::arg("path"), "Writes a file; its extension selects the format: .fnet .onnx .npz");
    m.def("read_network", &read_neural_field, py::arg("path"), py::arg("center") = origin, py::arg("scale") = 1.0,
          py::arg("domain") = py::none(), py::arg("hidden") = Activation::relu, py::arg("output") = Activation::tanh,
          "Reads a neural field from .fnet, .onnx, .npz or Keras .h5. center, scale and domain apply if the file does "
          "not contain them.");
    m.def("fit_network", &fit, py::arg("mesh"), py::arg("layers") = 8, py::arg("width") = 32,
          py::arg("activation") = Activation::relu, py::arg("seconds") = 60.0, py::arg("error") = 0.0,
          py::arg("steps") = 0, py::arg("seed") = 1, py::arg("samples") = std::size_t{1} << 19,
          py::arg("progress") = py::none(),
          "Fits a neural field to a mesh and returns (NeuralField, report), where the report is a dict with its errors "
          "(m). The same seed, samples and steps give the same weights.");
}

} // namespace fathom::python
