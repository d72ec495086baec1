// The input holds both files, the .node one up to the first '@' and the .ele one behind it.
#include "volume_fuzz.h"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    const std::uint8_t* const end = data + size;
    const std::uint8_t* const mark = std::find(data, end, std::uint8_t{'@'});
    const std::uint8_t* const second = mark == end ? end : mark + 1;
    const Source nodes = testing::fuzz_source(data, static_cast<std::size_t>(mark - data), "fuzz.node");
    const Source elements = testing::fuzz_source(second, static_cast<std::size_t>(end - second), "fuzz.ele");
    return testing::expect_mesh_or_error([&] { return read_tetgen(nodes, elements); });
}
