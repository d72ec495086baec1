// Depth maps on the device, read back when somebody asks.
#pragma once

#include <fathom/detect/depth_gl/gl_object.h>
#include <fathom/detect/depth_gl/gl_state.h>

namespace fathom::gl {

struct Maps {
    int width = 0, height = 0;
    Texture depth, ids, normals; // the last two only where asked for
    Framebuffer framebuffer;

    Maps() = default;
    // Throws Error: too_large.
    Maps(const std::shared_ptr<Context>& context, const DepthView& view, const DrawOptions& options);
    [[nodiscard]] bool fits(const DepthView& view, const DrawOptions& options) const;
    void clear(Keep keep) const; // masks must be open
};

class Target final : public DepthTarget {
public:
    explicit Target(std::shared_ptr<Context> context) : context_(std::move(context)) {}
    ~Target() override;

    [[nodiscard]] const DepthView& view() const override { return drawn_.view; }
    [[nodiscard]] const DepthMap& map() const override;
    [[nodiscard]] const Maps& maps() const { return maps_; }
    [[nodiscard]] bool is_drawn() const { return static_cast<bool>(maps_.depth); }
    [[nodiscard]] Keep keep() const { return drawn_.keep; }
    [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }

    // Empty maps for a new drawing. With `fresh`, others than before, which are given back: they may still be read
    // from.
    [[nodiscard]] Maps begin(const DepthView& view, const DrawOptions& options, bool fresh);

private:
    void read() const;

    std::shared_ptr<Context> context_;
    Maps maps_;
    mutable DepthMap drawn_; // empty until read back
};

} // namespace fathom::gl
