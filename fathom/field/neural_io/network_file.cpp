// Selection of the reader or writer of a network file.
#include <fathom/field/neural_io/network_file.h>

#include <fathom/base/encode/text.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/field/neural_io/network_formats.h>

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <new>
#include <stdexcept>

namespace fathom {

namespace {

namespace fs = std::filesystem;

enum class Format { unknown, fnet, onnx, npz, keras };

constexpr std::string_view known_formats = "not a known network format; known are .fnet .onnx .npz .h5";

Format format_of_name(const fs::path& path) {
    struct Ending {
        std::string_view ending;
        Format format;
    };
    constexpr std::array<Ending, 5> endings = {{{".fnet", Format::fnet},
                                                {".onnx", Format::onnx},
                                                {".npz", Format::npz},
                                                {".h5", Format::keras},
                                                {".hdf5", Format::keras}}};
    const std::string ending = lower_case(path.extension().string());
    for (const Ending& known : endings)
        if (known.ending == ending) return known.format;
    return Format::unknown;
}

Format format_of(std::span<const std::byte> bytes, const fs::path& path) {
    if (is_fnet(bytes)) return Format::fnet;
    if (is_hdf5(bytes)) return Format::keras;
    if (is_npz(bytes)) return Format::npz;
    return format_of_name(path);
}

[[noreturn]] void refuse_name(const std::string& name) {
    throw Error(Cause::unknown_format, std::string(known_formats), {.file = name});
}

NetworkFile read_as(Format format, const Source& source, const NetworkFileOptions& options) {
    switch (format) {
    case Format::fnet:
        return read_fnet(source);
    case Format::onnx:
        return read_onnx_network(source, options);
    case Format::npz:
        return read_npz_network(source, options);
    case Format::keras:
        return read_keras_network(source, options);
    case Format::unknown:
        break;
    }
    refuse_name(source.name);
}

// Adds the file to every Error, and reports exhausted memory as an Error of the file.
template <class Call>
auto about(const std::string& file, Call call) {
    try {
        return call();
    } catch (const Error& error) {
        Place place = error.place();
        if (!place.file.empty()) throw;
        place.file = file;
        throw Error(error.cause(), error.reason(), std::move(place));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    throw Error(Cause::too_large, "the content of the file does not fit in memory", {.file = file});
}

} // namespace

NetworkFile read_network_file(std::span<const std::byte> bytes, std::string_view name,
                              const NetworkFileOptions& options) {
    const Source source{bytes, std::string(name)};
    return about(source.name, [&] {
        if (bytes.empty()) throw Error(Cause::empty, "the file is empty");
        NetworkFile file = read_as(format_of(bytes, source.name), source, options);
        check(file.network);
        return file;
    });
}

NetworkFile read_network_file(const fs::path& path, const NetworkFileOptions& options) {
    const MappedFile file(path);
    return read_network_file(file.bytes(), path.string(), options);
}

Network read_network(const fs::path& path, const NetworkFileOptions& options) {
    return read_network_file(path, options).network;
}

void write_network(const fs::path& path, const Network& network, const NetworkWriteOptions& options) {
    const std::string content = about(path.string(), [&] {
        check(network);
        switch (format_of_name(path)) {
        case Format::fnet:
            return written_fnet(network, options.note);
        case Format::onnx:
            return written_onnx_network(network);
        case Format::npz:
            return written_npz_network(network);
        case Format::keras:
            throw Error(Cause::unsupported, "Keras files cannot be written; use .fnet, .onnx or .npz");
        case Format::unknown:
            break;
        }
        refuse_name(path.string());
    });
    write_whole_file(path, content);
}

bool is_network_file(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;
    std::array<char, 256> opening{}; // up to the first name in a zip file
    std::ifstream stream(path, std::ios::binary);
    stream.read(opening.data(), opening.size());
    const auto count = static_cast<std::size_t>(stream.gcount());
    return count > 0 && format_of(std::as_bytes(std::span(opening).first(count)), path) != Format::unknown;
}

namespace {

std::string text_of(const std::vector<std::uint64_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

} // namespace

DenseLayer dense_layer(const FloatArray& kernel, const FloatArray* bias, const Place& place) {
    if (kernel.shape.size() != 2)
        throw Error(Cause::count_mismatch, fmt::format("a kernel of shape {} is not a matrix", text_of(kernel.shape)),
                    place);
    const std::uint64_t inputs = kernel.shape[0], outputs = kernel.shape[1];
    constexpr std::uint64_t widest_input = 2 * Network::max_width;
    if (inputs < 1 || outputs < 1 || inputs > widest_input || outputs > Network::max_width)
        throw Error(Cause::too_large,
                    fmt::format("a kernel has shape {}; expected a layer of 1 to {} outputs", text_of(kernel.shape),
                                Network::max_width),
                    place);
    if (bias && bias->shape != std::vector{outputs})
        throw Error(Cause::count_mismatch,
                    fmt::format("a bias has shape {}; expected {} outputs", text_of(bias->shape), outputs), place);
    DenseLayer layer{.inputs = static_cast<int>(inputs), .outputs = static_cast<int>(outputs)};
    layer.biases = bias ? bias->values : std::vector<float>(outputs);
    layer.weights.resize(kernel.values.size());
    for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t o = 0; o < outputs; ++o) layer.weights[o * inputs + i] = kernel.values[i * outputs + o];
    return layer;
}

} // namespace fathom
