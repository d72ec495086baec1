// As a file, whose checksums refuse most of it, and as a packet, which has none.
#include <fathom/base/error.h>
#include <fathom/show/viewer_file.h>

#include <cstdlib>

namespace {

template <class Read>
void expect_nothing_but_errors(const Read& read) {
    try {
        read();
    } catch (const fathom::Error& error) {
        if (error.place().file.empty()) std::abort(); // an error that does not say where
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    expect_nothing_but_errors([&] { fathom::check_packet(bytes, "fuzz"); });
    expect_nothing_but_errors([&] {
        const fathom::ViewerFile file(std::as_bytes(std::span(bytes)), "fuzz", nullptr);
        for (std::size_t k = 0; k < file.packet_count(); ++k) static_cast<void>(file.packet(k));
    });
    return 0;
}
