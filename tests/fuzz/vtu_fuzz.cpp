#include "volume_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    return testing::expect_mesh_or_error([&] { return read_vtu(testing::fuzz_source(data, size, "fuzz.vtu")); });
}
