// Fingerprints of bytes: XXH3 (Collet), fast enough to check a file while it is opened (more than 10 GB/s
// from cache). A change goes to_mesh_frame with a chance of 2^-64 (2^-128). Not for: secrets, or input that an enemy
// wants to collide. The same on every machine of little-endian byte order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    [[nodiscard]] std::string text() const; // 32 digits, base 16
    friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

// Of several pieces, in order. A piece counts with its length: ("ab", "c") and ("a", "bc") differ. One object a thread.
class Fingerprinter {
public:
    Fingerprinter();
    ~Fingerprinter();
    Fingerprinter(Fingerprinter&&) noexcept;

    void add(std::span<const std::byte> piece);
    void add(std::string_view piece) { add(std::as_bytes(std::span(piece))); }
    [[nodiscard]] Fingerprint finish() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fathom
