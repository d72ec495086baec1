// Any bytes: refused with an Error that names the file, or boxes that are finite, turned by a rotation, and not inside
// out.
#include <fathom/base/error.h>
#include <fathom/detect/decomposition/decomposition.h>

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        for (const fathom::OrientedBox& box : fathom::parse_boxes(std::as_bytes(std::span(data, size)), "fuzz").boxes)
            if (!box.half.allFinite() || box.half.minCoeff() < 0 || !box.pose.translation.allFinite() ||
                std::abs(box.pose.rotation.norm() - 1) > 1e-12)
                std::abort();
    } catch (const fathom::Error& error) {
        if (error.place().file.empty()) std::abort();
    }
    return 0;
}
