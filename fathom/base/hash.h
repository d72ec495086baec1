// Checksums and fingerprints of bytes with XXH3 (Collet), fast enough to check a file while it is opened (more than 10
// GB/s from cache). A change remains undetected with probability 2^-64 (checksum) or 2^-128 (fingerprint). Not for
// secrets, nor for input that an adversary may choose to collide. Results are the same on every little-endian machine.
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

    [[nodiscard]] std::string text() const; // 32 hexadecimal digits
    friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

// Fingerprint of several pieces, in order. The length of a piece counts: ("ab", "c") and ("a", "bc") differ. One object
// per thread.
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
