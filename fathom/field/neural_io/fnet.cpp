// Reader and writer of .fnet, the project's own network format. All numbers are little-endian, in this order:
//   8 bytes    89 'F' 'N' 'E' 'T' 0d 0a 1a
//   4 x u32    version, number of layers, frequencies, whether the point comes first (0, 1)
//   2 x u64    size of the file, size of the note
//   f32, u32   scale of the encoding, zero
//   10 x f64   centre, scale, lower and upper corner of the domain (m)
//   per layer  u32 inputs, outputs, activation (as in network.h), whether it skips (0, 1); f32 parameter; u32 zero
//   then the weights and biases of each layer in turn (f32), the note, and u64 XXH3 of all bytes before.
#include <fathom/base/encode/bytes.h>
#include <fathom/base/hash.h>
#include <fathom/field/neural_io/network_formats.h>

#include <fmt/format.h>

#include <array>

namespace fathom {

namespace {

static_assert(std::endian::native == std::endian::little, "the checksums require a little-endian machine");

constexpr std::uint32_t version = 1;
// Text transfer damages it detectably, as for PNG.
constexpr std::string_view magic = "\x89"
                                   "FNET\r\n\x1a";
constexpr std::size_t layer_size = 24, checksum_size = 8;
constexpr auto last_activation = static_cast<std::uint32_t>(Activation::softplus);

class Reader {
public:
    explicit Reader(const Source& source) : source_(source), bytes_(source, magic.size()) {}

    NetworkFile read() {
        read_head();
        read_frame();
        for (DenseLayer& layer : network_.layers) read_layer_head(layer);
        if (stated_weights_ > bytes_.left() / sizeof(float))
            bytes_.fail(Cause::count_mismatch, fmt::format("the header states {} weights, but {} bytes follow",
                                                           stated_weights_, bytes_.left()));
        for (DenseLayer& layer : network_.layers) {
            read_floats(layer.weights,
                        static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs));
            read_floats(layer.biases, static_cast<std::size_t>(layer.outputs));
        }
        if (bytes_.left() < checksum_size || note_size_ != bytes_.left() - checksum_size)
            bytes_.fail(Cause::count_mismatch, "the note does not fill the rest of the file");
        const auto note = bytes_.take(static_cast<std::size_t>(note_size_), "the note");
        return {std::move(network_), "fnet", std::string(reinterpret_cast<const char*>(note.data()), note.size()), {}};
    }

private:
    void read_head() {
        const auto stated_version = bytes_.read<std::uint32_t>("the version");
        if (stated_version != version)
            bytes_.fail(Cause::unsupported,
                        fmt::format("unsupported version {}; expected {}", stated_version, version));
        const auto layers = bytes_.read<std::uint32_t>("the header");
        network_.encoding.frequencies = whole(bytes_.read<std::uint32_t>("the header"), Network::max_frequencies);
        network_.encoding.point_first = truth(bytes_.read<std::uint32_t>("the header"));
        const auto size = bytes_.read<std::uint64_t>("the header");
        note_size_ = bytes_.read<std::uint64_t>("the header");
        if (size != source_.bytes.size())
            bytes_.fail(source_.bytes.size() < size ? Cause::truncated : Cause::count_mismatch,
                        fmt::format("the file has {} bytes, but its header states {}", source_.bytes.size(), size));
        check_sum();
        if (layers > Network::max_layers)
            bytes_.fail(Cause::too_large, fmt::format("{} layers; the maximum is {}", layers, Network::max_layers));
        network_.layers.resize(bytes_.checked_count(layers, layer_size, "layers"));
    }

    void check_sum() const {
        if (source_.bytes.size() < magic.size() + checksum_size)
            bytes_.fail(Cause::truncated, "the file ends inside its header");
        const std::size_t end = source_.bytes.size() - checksum_size;
        if (ByteReader(source_, end).read<std::uint64_t>("the checksum") != checksum(source_.bytes.first(end)))
            bytes_.fail(Cause::malformed, "the file is damaged: its checksum does not match");
    }

    void read_frame() {
        network_.encoding.scale = bytes_.read<float>("the encoding");
        zero();
        std::array<double, 10> frame{};
        for (double& number : frame) number = bytes_.read<double>("the frame");
        network_.center = {frame[0], frame[1], frame[2]};
        network_.scale = frame[3];
        network_.domain = {{frame[4], frame[5], frame[6]}, {frame[7], frame[8], frame[9]}};
    }

    void read_layer_head(DenseLayer& layer) {
        layer.inputs = whole(bytes_.read<std::uint32_t>("a layer"), 2 * Network::max_width);
        layer.outputs = whole(bytes_.read<std::uint32_t>("a layer"), Network::max_width);
        layer.activation = static_cast<Activation>(whole(bytes_.read<std::uint32_t>("a layer"), last_activation));
        layer.skip_input = truth(bytes_.read<std::uint32_t>("a layer"));
        layer.parameter = bytes_.read<float>("a layer");
        zero();
        // Neither product nor sum overflows: 64 layers of at most 2^13 x 2^14.
        stated_weights_ += static_cast<std::size_t>(layer.outputs) * (static_cast<std::size_t>(layer.inputs) + 1);
    }

    void read_floats(std::vector<float>& values, std::size_t count) {
        values.resize(count);
        const auto raw = bytes_.take(count * sizeof(float), "the weights");
        if (count > 0) std::memcpy(values.data(), raw.data(), raw.size());
    }

    [[nodiscard]] int whole(std::uint32_t number, std::uint32_t most) const {
        if (number > most) bytes_.fail(Cause::too_large, fmt::format("{} exceeds the maximum of {}", number, most));
        return static_cast<int>(number);
    }
    [[nodiscard]] bool truth(std::uint32_t number) const { return whole(number, 1) == 1; }
    void zero() { static_cast<void>(whole(bytes_.read<std::uint32_t>("a zero"), 0)); }

    const Source& source_;
    ByteReader bytes_;
    Network network_;
    std::uint64_t note_size_ = 0;
    std::size_t stated_weights_ = 0;
};

template <class... Numbers>
void append_all(std::string& out, Numbers... numbers) {
    (append_little_endian(out, numbers), ...);
}

void append_floats(std::string& out, const std::vector<float>& values) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

} // namespace

bool is_fnet(std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(magic);
}

NetworkFile read_fnet(const Source& source) {
    if (!is_fnet(source.bytes)) throw Error(Cause::unknown_format, "not a .fnet file", {.file = source.name});
    return Reader(source).read();
}

std::string written_fnet(const Network& network, std::string_view note) {
    std::string out(magic);
    append_all(out, version, static_cast<std::uint32_t>(network.layers.size()),
               static_cast<std::uint32_t>(network.encoding.frequencies), std::uint32_t{network.encoding.point_first});
    const std::size_t size_at = out.size();
    append_all(out, std::uint64_t{0}, static_cast<std::uint64_t>(note.size()), network.encoding.scale,
               std::uint32_t{0});
    const Vec3 &c = network.center, &l = network.domain.lower, &u = network.domain.upper;
    append_all(out, c.x(), c.y(), c.z(), network.scale, l.x(), l.y(), l.z(), u.x(), u.y(), u.z());
    for (const DenseLayer& layer : network.layers)
        append_all(out, static_cast<std::uint32_t>(layer.inputs), static_cast<std::uint32_t>(layer.outputs),
                   static_cast<std::uint32_t>(layer.activation), std::uint32_t{layer.skip_input}, layer.parameter,
                   std::uint32_t{0});
    for (const DenseLayer& layer : network.layers) {
        append_floats(out, layer.weights);
        append_floats(out, layer.biases);
    }
    out.append(note);
    const std::uint64_t size = out.size() + checksum_size;
    std::memcpy(out.data() + size_at, &size, sizeof size);
    append_little_endian(out, checksum(std::as_bytes(std::span(out))));
    return out;
}

} // namespace fathom
