// Any text: refused with an Error, or a scene whose numbers are within their ranges.
#include <fathom/base/error.h>
#include <fathom/simulate/scene/scene.h>

#include <cmath>
#include <cstdlib>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const fathom::Scene scene = fathom::parse_scene({reinterpret_cast<const char*>(data), size}, "scene.toml");
        require(scene.options.step > 0 && scene.step_count() <= 1'000'000'000);
        require(std::isfinite(scene.stiffness) && scene.options.gravity.allFinite());
        require(!scene.bodies.empty());
        for (const fathom::SceneBody& body : scene.bodies) {
            require(body.pose.translation.allFinite() && std::abs(body.pose.rotation.norm() - 1) < 1e-9);
            require(body.resolution >= 8 && body.density > 0 && body.copies[0] >= 1);
        }
    } catch (const fathom::Error&) {
    }
    return 0;
}
