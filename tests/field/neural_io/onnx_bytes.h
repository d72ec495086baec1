// ONNX files made by hand.
#pragma once

#include <fathom/field/neural_io/protobuf_wire.h>

#include <vector>

namespace fathom::testing {

class OnnxBytes {
public:
    explicit OnnxBytes(std::vector<std::int64_t> input_shape = {-1, 3}) {
        append_wire(graph_, 11, info("x", input_shape));
        append_wire(graph_, 12, info("y", {-1, 1}));
    }

    static std::string whole(std::string_view name, std::int64_t value) {
        std::string out;
        append_wire(out, 1, name);
        append_wire(out, 3, static_cast<std::uint64_t>(value));
        return out;
    }
    static std::string wholes(std::string_view name, const std::vector<std::int64_t>& values) {
        std::string out;
        append_wire(out, 1, name);
        for (const std::int64_t value : values) append_wire(out, 8, static_cast<std::uint64_t>(value));
        return out;
    }
    static std::string number(std::string_view name, float value) {
        std::string out;
        append_wire(out, 1, name);
        append_wire(out, 2, value);
        return out;
    }
    static std::string with_tensor(std::string_view name, std::string_view tensor) {
        std::string out;
        append_wire(out, 1, name);
        append_wire(out, 5, tensor);
        return out;
    }
    // The numbers as raw bytes of the type: 1 float, 7 int64, 10 half, 11 double.
    static std::string tensor(std::string_view name, const std::vector<std::uint64_t>& shape, std::string_view raw,
                              std::uint64_t type = 1) {
        std::string out;
        for (const std::uint64_t n : shape) append_wire(out, 1, n);
        append_wire(out, 2, type);
        append_wire(out, 8, name);
        append_wire(out, 9, raw);
        return out;
    }
    template <class T>
    static std::string raw(const std::vector<T>& values) {
        return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
    }

    OnnxBytes& floats(std::string_view name, const std::vector<std::uint64_t>& shape,
                      const std::vector<float>& values) {
        return initializer(tensor(name, shape, raw(values)));
    }
    OnnxBytes& wholes_constant(std::string_view name, const std::vector<std::int64_t>& values) {
        return initializer(tensor(name, {values.size()}, raw(values), 7));
    }
    OnnxBytes& initializer(std::string_view bytes) {
        append_wire(graph_, 5, bytes);
        return *this;
    }
    OnnxBytes& node(std::string_view kind, const std::vector<std::string>& inputs, std::string_view output,
                    const std::vector<std::string>& attributes = {}, std::string_view domain = {}) {
        std::string out;
        for (const std::string& input : inputs) append_wire(out, 1, input);
        append_wire(out, 2, output);
        append_wire(out, 3, std::string("make ").append(output));
        append_wire(out, 4, kind);
        for (const std::string& attribute : attributes) append_wire(out, 5, attribute);
        if (!domain.empty()) append_wire(out, 7, domain);
        append_wire(graph_, 1, out);
        return *this;
    }
    OnnxBytes& input(std::string_view name, const std::vector<std::int64_t>& shape) {
        append_wire(graph_, 11, info(name, shape));
        return *this;
    }
    [[nodiscard]] std::string bytes() const {
        std::string out;
        append_wire(out, 1, std::uint64_t{8});
        append_wire(out, 7, graph_);
        return out;
    }

private:
    static std::string info(std::string_view name, const std::vector<std::int64_t>& shape) {
        std::string dimensions, tensor, type, out;
        for (const std::int64_t n : shape) {
            std::string dimension;
            if (n >= 0) append_wire(dimension, 1, static_cast<std::uint64_t>(n));
            append_wire(dimensions, 1, dimension);
        }
        append_wire(tensor, 1, std::uint64_t{1});
        append_wire(tensor, 2, dimensions);
        append_wire(type, 1, tensor);
        append_wire(out, 1, name);
        append_wire(out, 2, type);
        return out;
    }

    std::string graph_;
};

} // namespace fathom::testing
