// Compression and decompression with zlib.
#include <fathom/base/encode/gzip.h>

#include <fathom/base/error.h>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace fathom {

namespace {

constexpr std::size_t max_at_once = 1u << 30; // zlib counts in 32 bits

} // namespace

struct Inflater::State {
    z_stream stream{};
};

Inflater::Inflater(Wrapping wrapping) : state_(std::make_unique<State>()) {
    if (inflateInit2(&state_->stream, wrapping == Wrapping::zlib ? MAX_WBITS : -MAX_WBITS) != Z_OK)
        throw Error(Cause::too_large, "not enough memory to decompress zlib data");
}

Inflater::~Inflater() { inflateEnd(&state_->stream); }

void Inflater::restart() { inflateReset(&state_->stream); }

Inflater::Step Inflater::step(std::span<const std::byte> packed, std::span<std::byte> out) {
    z_stream& z = state_->stream;
    const auto in_size = static_cast<uInt>(std::min(packed.size(), max_at_once));
    const auto out_size = static_cast<uInt>(std::min(out.size(), max_at_once));
    z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    z.avail_in = in_size;
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = out_size;
    const int status = inflate(&z, Z_NO_FLUSH);
    const bool fine = status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
    return {in_size - z.avail_in, out_size - z.avail_out, status == Z_STREAM_END, !fine};
}

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    // Level 1: coordinates hardly compress better at higher levels, which take several times as long.
    const int status =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_SPEED);
    if (status != Z_OK) throw Error(Cause::too_large, "not enough memory to compress zlib data");
    packed.resize(size);
    return packed;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

namespace {

constexpr std::size_t largest_step = std::size_t{1} << 30; // zlib counts in 32 bits

class GzipMembers {
public:
    explicit GzipMembers(const Source& source) : source_(source), most_(max_unpacked(source.bytes.size())) {
        if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc(); // 16: gzip only
    }
    ~GzipMembers() { inflateEnd(&stream_); }
    GzipMembers(const GzipMembers&) = delete;
    GzipMembers& operator=(const GzipMembers&) = delete;

    Bytes run() {
        out_.resize(first_guess());
        do {
            unpack_member();
        } while (another_member());
        out_.resize(used_);
        return std::move(out_);
    }

private:
    // The last four bytes state the decompressed size, if there is one member and the file is honest.
    [[nodiscard]] std::size_t first_guess() const {
        std::uint32_t stated = 0;
        if (source_.bytes.size() >= 4) std::memcpy(&stated, source_.bytes.data() + source_.bytes.size() - 4, 4);
        const std::size_t usual = 4 * source_.bytes.size() + 1024;
        return std::clamp<std::size_t>(stated, 1, std::min(usual * 4, most_));
    }

    void unpack_member() {
        int result = Z_OK;
        while (result != Z_STREAM_END) {
            if (used_ == out_.size()) grow();
            const std::size_t in_step = std::min(source_.bytes.size() - taken_, largest_step);
            const std::size_t out_step = std::min(out_.size() - used_, largest_step);
            // zlib does not write to its input, but its interface predates const.
            stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(source_.bytes.data() + taken_));
            stream_.avail_in = static_cast<uInt>(in_step);
            stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + used_);
            stream_.avail_out = static_cast<uInt>(out_step);
            result = inflate(&stream_, Z_NO_FLUSH);
            taken_ += in_step - stream_.avail_in;
            used_ += out_step - stream_.avail_out;
            if (result != Z_OK && result != Z_STREAM_END) fail(result);
        }
    }

    [[nodiscard]] bool another_member() {
        const std::span<const std::byte> rest = source_.bytes.subspan(taken_);
        if (is_gzip(rest)) return inflateReset(&stream_) == Z_OK;
        if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0}; }))
            throw Error(Cause::malformed, "unexpected data after the gzip data", place());
        return false;
    }

    void grow() {
        if (used_ >= most_)
            throw Error(Cause::too_large,
                        fmt::format("decompresses to more than {} bytes, the limit for a file of this size", most_),
                        place());
        out_.resize(std::min(2 * used_, most_));
    }

    [[noreturn]] void fail(int result) const {
        if (result == Z_BUF_ERROR) throw Error(Cause::truncated, "the gzip data ends too early", place());
        if (result == Z_MEM_ERROR) throw std::bad_alloc();
        throw Error(Cause::malformed, "the gzip data is damaged", place());
    }
    [[nodiscard]] Place place() const { return {.file = source_.name, .offset = static_cast<std::int64_t>(taken_)}; }

    const Source& source_;
    std::size_t most_;
    z_stream stream_{};
    Bytes out_;
    std::size_t taken_ = 0; // bytes read from the source
    std::size_t used_ = 0;  // bytes written to out_
};

} // namespace

bool is_gzip(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

Bytes unpacked_gzip(const Source& source) { return GzipMembers(source).run(); }

} // namespace fathom
