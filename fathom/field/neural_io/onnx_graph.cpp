// Decoder of ONNX files; the field numbers are those of onnx.proto.
#include <fathom/field/neural_io/onnx_graph.h>

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/text.h>
#include <fathom/field/neural_io/protobuf_wire.h>

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t max_names = 256; // inputs, outputs or attributes of a node

enum TensorType : std::uint64_t { float_type = 1, int64_type = 7, half_type = 10, double_type = 11 };

class Decoder {
public:
    explicit Decoder(const Source& source) : source_(source) {}

    OnnxGraph model() {
        std::optional<std::span<const std::byte>> graph_bytes;
        for_each(source_.bytes, [&](const WireField& field) {
            if (field.number == 7) {
                if (graph_bytes) fail(Cause::malformed, "ONNX: the file has two graphs");
                graph_bytes = message(field);
            }
            if (field.number == 14) metadata(message(field));
        });
        if (!graph_bytes) fail(Cause::malformed, "ONNX: the file has no graph");
        graph(*graph_bytes);
        std::erase_if(graph_.inputs, [&](const OnnxInput& input) { return graph_.constants.contains(input.name); });
        return std::move(graph_);
    }

private:
    [[noreturn]] void fail(Cause cause, std::string reason) const {
        throw Error(cause, std::move(reason), {.file = source_.name});
    }

    template <class Visit>
    void for_each(std::span<const std::byte> bytes, Visit visit) const {
        WireReader reader(bytes, source_.name);
        WireField field;
        while (reader.next(field)) visit(field);
    }

    [[nodiscard]] std::span<const std::byte> message(const WireField& field) const {
        if (field.wire != Wire::bytes) fail(Cause::malformed, "ONNX: a field has the wrong wire type");
        return field.bytes;
    }
    [[nodiscard]] std::string text(const WireField& field) const {
        static_cast<void>(message(field));
        return field.text();
    }
    void add_name(std::vector<std::string>& names, const WireField& field) const {
        if (names.size() == max_names) fail(Cause::too_large, "ONNX: a node has too many inputs or outputs");
        names.push_back(text(field));
    }

    template <class T>
    void wholes(const WireField& field, std::vector<T>& out) const {
        if (field.wire == Wire::varint) {
            out.push_back(static_cast<T>(field.value));
            return;
        }
        WireReader reader(message(field), source_.name);
        while (!reader.at_end()) out.push_back(static_cast<T>(reader.varint()));
    }
    void numbers(const WireField& field, Scalar type, std::vector<float>& out) const {
        if (field.wire == Wire::fixed32 && type == Scalar::float32)
            out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
        else if (field.wire == Wire::fixed64 && type == Scalar::float64)
            out.push_back(static_cast<float>(std::bit_cast<double>(field.value)));
        else
            packed_numbers(message(field), type, out);
    }
    void packed_numbers(std::span<const std::byte> bytes, Scalar type, std::vector<float>& out) const {
        if (bytes.size() % size_of(type) != 0)
            fail(Cause::malformed, "ONNX: the size of the data is not a multiple of the element size");
        const Source source{bytes, source_.name};
        out.reserve(out.size() + bytes.size() / size_of(type));
        for (ByteReader reader(source); !reader.at_end();) out.push_back(static_cast<float>(read_number(reader, type)));
    }
    void packed_halves(std::span<const std::byte> bytes, std::vector<float>& out) const {
        if (bytes.size() % 2 != 0)
            fail(Cause::malformed, "ONNX: the size of the data is not a multiple of the element size");
        const Source source{bytes, source_.name};
        for (ByteReader reader(source); !reader.at_end();)
            out.push_back(from_half(reader.read<std::uint16_t>("a number")));
    }
    static float from_half(std::uint16_t bits) {
        return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
    }

    void metadata(std::span<const std::byte> bytes) {
        std::string key, value;
        for_each(bytes, [&](const WireField& field) {
            if (field.number == 1) key = text(field);
            if (field.number == 2) value = text(field);
        });
        graph_.metadata[key] = value;
    }

    void graph(std::span<const std::byte> bytes) {
        for_each(bytes, [&](const WireField& field) {
            switch (field.number) {
            case 1:
                if (graph_.nodes.size() == OnnxGraph::max_nodes)
                    fail(Cause::too_large, fmt::format("ONNX: the graph has more than {} nodes", OnnxGraph::max_nodes));
                graph_.nodes.push_back(node(message(field)));
                break;
            case 5:
                initializer(message(field));
                break;
            case 11:
                graph_.inputs.push_back(value_info(message(field)));
                break;
            case 12:
                graph_.outputs.push_back(value_info(message(field)).name);
                break;
            case 15:
                fail(Cause::unsupported, "ONNX: sparse tensors are not supported");
            default:
                break;
            }
        });
    }

    void initializer(std::span<const std::byte> bytes) {
        std::string name;
        auto constant = std::make_shared<const OnnxTensor>(tensor(bytes, name));
        if (!graph_.constants.emplace(name, std::move(constant)).second)
            fail(Cause::malformed, fmt::format("ONNX: '{}' is stated twice", printable(name)));
    }

    OnnxNode node(std::span<const std::byte> bytes) const {
        OnnxNode result;
        std::string domain;
        for_each(bytes, [&](const WireField& field) {
            switch (field.number) {
            case 1:
                return add_name(result.inputs, field);
            case 2:
                return add_name(result.outputs, field);
            case 3:
                result.name = text(field);
                return;
            case 4:
                result.kind = text(field);
                return;
            case 5:
                return attribute(message(field), result);
            case 7:
                domain = text(field);
                return;
            default:
                return;
            }
        });
        if (!domain.empty() && domain != "ai.onnx")
            fail(Cause::unsupported, fmt::format("ONNX: unsupported operator '{}' of the domain '{}'",
                                                 printable(result.kind), printable(domain)));
        return result;
    }

    void attribute(std::span<const std::byte> bytes, OnnxNode& node) const {
        OnnxAttribute result;
        std::string name, unused;
        for_each(bytes, [&](const WireField& field) {
            if (field.number == 1) name = text(field);
            if (field.number == 2 && field.wire == Wire::fixed32)
                result.number = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
            if (field.number == 3 && field.wire == Wire::varint) result.whole = static_cast<std::int64_t>(field.value);
            if (field.number == 5) result.tensor = std::make_shared<const OnnxTensor>(tensor(message(field), unused));
            if (field.number == 7) numbers(field, Scalar::float32, result.numbers);
            if (field.number == 8) wholes(field, result.wholes);
        });
        if (node.attributes.size() == max_names) fail(Cause::too_large, "ONNX: a node has too many attributes");
        if (!node.attributes.emplace(name, std::move(result)).second)
            fail(Cause::malformed, fmt::format("ONNX: the attribute '{}' is stated twice", printable(name)));
    }

    OnnxTensor tensor(std::span<const std::byte> bytes, std::string& name) const {
        OnnxTensor result;
        std::uint64_t type = 0;
        std::optional<std::span<const std::byte>> raw;
        std::vector<std::uint16_t> halves;
        for_each(bytes, [&](const WireField& field) {
            switch (field.number) {
            case 1:
                return wholes(field, result.floats.shape);
            case 2:
                type = field.value;
                return;
            case 4:
                return numbers(field, Scalar::float32, result.floats.values);
            case 5:
                return wholes(field, halves);
            case 7:
                return wholes(field, result.wholes);
            case 8:
                name = text(field);
                return;
            case 9:
                raw = message(field);
                return;
            case 10:
                return numbers(field, Scalar::float64, result.floats.values);
            case 13:
                fail(Cause::unsupported, "ONNX: tensors in other files (external data) are not supported");
            case 14:
                if (field.value != 0)
                    fail(Cause::unsupported, "ONNX: tensors in other files (external data) are not supported");
                return;
            default:
                return;
            }
        });
        if (type == half_type)
            for (const std::uint16_t bits : halves) result.floats.values.push_back(from_half(bits));
        if (raw) unpack(*raw, type, result);
        check_tensor(type, result, name);
        return result;
    }

    void unpack(std::span<const std::byte> raw, std::uint64_t type, OnnxTensor& result) const {
        if (type == half_type) return packed_halves(raw, result.floats.values);
        if (type == float_type) return packed_numbers(raw, Scalar::float32, result.floats.values);
        if (type == double_type) return packed_numbers(raw, Scalar::float64, result.floats.values);
        if (type != int64_type) return;
        if (raw.size() % 8 != 0)
            fail(Cause::malformed, "ONNX: the size of the data is not a multiple of the element size");
        const Source source{raw, source_.name};
        for (ByteReader reader(source); !reader.at_end();)
            result.wholes.push_back(reader.read<std::int64_t>("a number"));
    }

    void check_tensor(std::uint64_t type, const OnnxTensor& result, const std::string& name) const {
        if (type != float_type && type != int64_type && type != half_type && type != double_type)
            fail(Cause::unsupported,
                 fmt::format("ONNX: the tensor '{}' has the unsupported type {}", printable(name), type));
        const std::size_t held = type == int64_type ? result.wholes.size() : result.floats.values.size();
        const std::size_t idle = type == int64_type ? result.floats.values.size() : result.wholes.size();
        std::uint64_t stated = 1;
        for (const std::uint64_t n : result.floats.shape) {
            // Already too many; avoids overflow of the product.
            if (n != 0 && stated > held / n)
                stated = held + 1;
            else
                stated *= n;
            if (stated == 0 || stated > held) break;
        }
        if (stated != held || idle != 0)
            throw Error(Cause::count_mismatch,
                        fmt::format("ONNX: the shape ({}) does not match the {} numbers of '{}'",
                                    fmt::join(std::span(result.floats.shape)
                                                  .first(std::min<std::size_t>(8, result.floats.shape.size())),
                                              ", "),
                                    held, printable(name)),
                        {.file = source_.name});
    }

    // name 1, type 2 { tensor_type 1 { shape 2 { dim 1 { dim_value 1 } } } }
    OnnxInput value_info(std::span<const std::byte> bytes) const {
        if (graph_.inputs.size() + graph_.outputs.size() > OnnxGraph::max_nodes)
            fail(Cause::too_large, "ONNX: the graph has too many inputs");
        OnnxInput result;
        for_each(bytes, [&](const WireField& value) {
            if (value.number == 1) result.name = text(value);
            if (value.number != 2) return;
            for_each(message(value), [&](const WireField& type) {
                if (type.number != 1) return;
                for_each(message(type), [&](const WireField& tensor_type) {
                    if (tensor_type.number == 2) result.shape = shape(message(tensor_type));
                });
            });
        });
        return result;
    }
    std::vector<std::int64_t> shape(std::span<const std::byte> bytes) const {
        std::vector<std::int64_t> result;
        for_each(bytes, [&](const WireField& dimension) {
            if (dimension.number != 1) return;
            std::int64_t size = -1;
            for_each(message(dimension), [&](const WireField& field) {
                if (field.number == 1) size = static_cast<std::int64_t>(field.value);
            });
            result.push_back(size);
        });
        return result;
    }

    const Source& source_;
    OnnxGraph graph_;
};

} // namespace

OnnxGraph read_onnx_graph(const Source& source) { return Decoder(source).model(); }

} // namespace fathom
