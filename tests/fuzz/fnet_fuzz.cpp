// As it is, and with a size and a checksum that fit, so that what lies behind them is reached.
#include "network_fuzz.h"

#include <fathom/base/hash.h>

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    std::string bytes(reinterpret_cast<const char*>(data), size);
    static_cast<void>(testing::feed_network(std::as_bytes(std::span(bytes)), "fuzz.fnet"));
    constexpr std::size_t size_at = 24, tail = 8;
    if (size < size_at + 2 * tail) return 0;
    const std::uint64_t whole = size;
    std::memcpy(bytes.data() + size_at, &whole, sizeof whole);
    const std::uint64_t sum = checksum(std::as_bytes(std::span(bytes)).first(size - tail));
    std::memcpy(bytes.data() + size - tail, &sum, sizeof sum);
    return testing::feed_network(std::as_bytes(std::span(bytes)), "fuzz.fnet");
}
