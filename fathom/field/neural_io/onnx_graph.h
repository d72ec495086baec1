// Contents of an ONNX file: nodes in order, named values between them, constants.
// Format: onnx.proto of ONNX, IR versions 3 to 10. Nothing is executed here.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/field/neural_io/network_formats.h>

#include <map>
#include <memory>
#include <optional>

namespace fathom {

struct OnnxTensor {
    FloatArray floats;                // values of float, double and half tensors; shape of all tensors
    std::vector<std::int64_t> wholes; // values of int64 tensors
};

struct OnnxAttribute {
    float number = 0;
    std::int64_t whole = 0;
    std::vector<std::int64_t> wholes;
    std::vector<float> numbers;
    std::shared_ptr<const OnnxTensor> tensor;
};

struct OnnxNode {
    std::string name, kind;
    std::vector<std::string> inputs, outputs;
    std::map<std::string, OnnxAttribute, std::less<>> attributes;
};

struct OnnxInput {
    std::string name;
    std::optional<std::vector<std::int64_t>> shape; // -1: unknown dimension
};

struct OnnxGraph {
    static constexpr std::size_t max_nodes = 4096;

    std::vector<OnnxNode> nodes;
    std::map<std::string, std::shared_ptr<const OnnxTensor>, std::less<>> constants;
    std::vector<OnnxInput> inputs; // without those that are constants
    std::vector<std::string> outputs;
    std::map<std::string, std::string, std::less<>> metadata;
};

// Throws Error{unsupported} for data in other files, sparse tensors, types other than float, double, half and int64,
// and operators of other domains.
[[nodiscard]] OnnxGraph read_onnx_graph(const Source& source);

} // namespace fathom
