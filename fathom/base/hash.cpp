// Fingerprints of bytes. The only file that uses xxhash, which is included header-only.
#include <fathom/base/hash.h>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fathom {

struct Fingerprinter::State {
    XXH3_state_t xxh;
};

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string Fingerprint::text() const { return fmt::format("{:016x}{:016x}", high, low); }

Fingerprinter::Fingerprinter() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Fingerprinter::~Fingerprinter() = default;
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;

void Fingerprinter::add(std::span<const std::byte> piece) {
    const std::uint64_t size = piece.size();
    XXH3_128bits_update(&state_->xxh, &size, sizeof size);
    XXH3_128bits_update(&state_->xxh, piece.data(), piece.size());
}

Fingerprint Fingerprinter::finish() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
    return {hash.high64, hash.low64};
}

} // namespace fathom
