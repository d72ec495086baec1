#include <fuzz/fuzz_reader.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fathom::testing::feed(data, size, fathom::read_obj);
}
