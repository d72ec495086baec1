// Packs and unpacks zlib streams.
#include <fathom/base/error.h>
#include <fathom/base/encode/zlib_bytes.h>

#include <zlib.h>

#include <algorithm>

namespace fathom {

namespace {

constexpr std::size_t most_at_once = 1u << 30; // zlib counts in 32 bits

} // namespace

struct Inflater::State {
    z_stream stream{};
};

Inflater::Inflater(Wrapping wrapping) : state_(std::make_unique<State>()) {
    if (inflateInit2(&state_->stream, wrapping == Wrapping::zlib ? MAX_WBITS : -MAX_WBITS) != Z_OK)
        throw Error(Cause::too_large, "no memory to unpack zlib data");
}

Inflater::~Inflater() { inflateEnd(&state_->stream); }

void Inflater::restart() { inflateReset(&state_->stream); }

Inflater::Step Inflater::step(std::span<const std::byte> packed, std::span<std::byte> out) {
    z_stream& z = state_->stream;
    const auto in_size = static_cast<uInt>(std::min(packed.size(), most_at_once));
    const auto out_size = static_cast<uInt>(std::min(out.size(), most_at_once));
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
    // Level 1: coordinates hardly pack better at higher levels, and those take several times as long.
    const int status =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_SPEED);
    if (status != Z_OK) throw Error(Cause::too_large, "no memory to pack zlib data");
    packed.resize(size);
    return packed;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

} // namespace fathom
