#include "network_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fathom::testing::feed_network(data, size, "fuzz.onnx");
}
