#include <fathom/geometry/io/mesh_file.h>
#include <fuzz/fuzz_reader.h>

#include <string>

// Packed bytes of any format: the unpacking and the choice of the reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fathom::testing::feed(data, size, [](const fathom::Source& source) {
        const std::string name = source.bytes.size() % 2 == 0 ? "fuzz.obj.gz" : "fuzz.off";
        return fathom::read_mesh(source.bytes, name);
    });
}
