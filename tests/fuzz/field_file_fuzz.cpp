// As it is, and with checksums that fit, so that what lies behind them is reached.
#include "grid_fuzz.h"

#include <field/file/field_bytes.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    std::string bytes(reinterpret_cast<const char*>(data), size);
    static_cast<void>(testing::expect_grid_or_error([&] { return testing::read_field_bytes(bytes).field; }));
    testing::seal(bytes);
    return testing::expect_grid_or_error([&] { return testing::read_field_bytes(bytes).field; });
}
