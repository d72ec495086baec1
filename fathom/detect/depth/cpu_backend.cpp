// Room: detect. Draws depth maps on the CPU, in main memory: rows of pixels are shared out to threads, and each draws the clusters that meet its rows.
// After the first draw of a size nothing is allocated.
#include <fathom/detect/depth/cpu_resolve.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <algorithm>
#include <limits>

namespace fathom {

namespace {

struct CpuTarget final : DepthTarget {
    DepthMap drawn;
    [[nodiscard]] const DepthView& view() const override { return drawn.view; }
    [[nodiscard]] const DepthMap& map() const override { return drawn; }
};

const DepthMap* limit_of(const DepthTarget* target, const DepthView& view) {
    if (!target) return nullptr;
    const auto* own = dynamic_cast<const CpuTarget*>(target);
    if (!own || own->drawn.view.width != view.width || own->drawn.view.height != view.height || own->drawn.depth.size() != view.pixel_count())
        throw Error(Cause::invalid_argument, "must be a drawn target of this backend with as many pixels", {.element = "option after or until"});
    return &own->drawn;
}

void check(std::span<const DrawnBody> bodies) {
    std::size_t primitives = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Place place{.element = "body", .index = static_cast<std::int64_t>(b)};
        if (!bodies[b].mesh) throw Error(Cause::invalid_argument, "has no mesh", place);
        if (!is_finite(bodies[b].pose)) throw Error(Cause::non_finite, "pose", place);
        primitives += bodies[b].mesh->size();
        if (primitives >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) throw Error(Cause::too_large, "at most 2^31 - 2 primitives in a draw", place);
    }
}

// Rows as wide as the narrowest stride, so that eight pixels never reach the row after the next.
class PaddedRows {
public:
    float* room(const DepthView& view) {
        depth_.resize(static_cast<std::size_t>(narrowest_stride) * static_cast<std::size_t>(view.height));
        return depth_.data();
    }
    const float* copy(const DepthMap& map) {
        room(map.view);
        each_row(map.view, [&](std::size_t from, std::size_t to, std::size_t count) { std::copy_n(map.depth.begin() + static_cast<std::ptrdiff_t>(from), count, depth_.begin() + static_cast<std::ptrdiff_t>(to)); });
        return depth_.data();
    }
    void copy_to(DepthMap& map) const {
        each_row(map.view, [&](std::size_t to, std::size_t from, std::size_t count) { std::copy_n(depth_.begin() + static_cast<std::ptrdiff_t>(from), count, map.depth.begin() + static_cast<std::ptrdiff_t>(to)); });
    }

private:
    template <class Copy>
    static void each_row(const DepthView& view, Copy&& copy) {
        const auto width = static_cast<std::size_t>(view.width);
        for (std::size_t row = 0; row < static_cast<std::size_t>(view.height); ++row) copy(row * width, row * narrowest_stride, width);
    }
    std::vector<float> depth_;
};

class CpuBackend final : public DepthBackend {
public:
    [[nodiscard]] std::string name() const override { return "CPU"; }
    [[nodiscard]] std::unique_ptr<DepthTarget> make_target() override { return std::make_unique<CpuTarget>(); }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options, DepthTarget& target) override {
        fathom::check(view);
        check(bodies);
        auto* own = dynamic_cast<CpuTarget*>(&target);
        if (!own) throw Error(Cause::invalid_argument, "must be a target of this backend", {.element = "target"});
        const DepthMap *after = limit_of(options.after, view), *until = limit_of(options.until, view);
        const bool reads_itself = after == &own->drawn || until == &own->drawn;
        if (reads_itself) std::swap(spare_, own->drawn);
        if (after == &own->drawn) after = &spare_;
        if (until == &own->drawn) until = &spare_;
        make_room(view, options, own->drawn);
        collect(view, bodies);
        draw(view, bodies, options, after, until, own->drawn);
    }

    [[nodiscard]] DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) override {
        const DepthMap &a = object.map(), &b = environment.map();
        if (a.depth.size() != b.depth.size()) throw Error(Cause::invalid_argument, "must have as many pixels", {.element = "environment"});
        constexpr std::size_t piece = 1 << 16;
        overlaps_.assign((a.depth.size() + piece - 1) / piece, {});
        parallel_for(a.depth.size(), piece, [&](std::size_t begin, std::size_t end) { overlaps_[begin / piece] = compare_pixels(a, b, begin, end); });
        DepthOverlap all;
        for (const DepthOverlap& part : overlaps_) {
            const bool deeper = part.pixels > 0 && (all.pixels == 0 || part.deepest > all.deepest);
            if (deeper) all.deepest = part.deepest, all.deepest_pixel = part.deepest_pixel;
            all.pixels += part.pixels;
        }
        return all;
    }

private:
    static void make_room(const DepthView& view, const DrawOptions& options, DepthMap& map) {
        map.view = view;
        map.keep = options.keep;
        map.depth.resize(view.pixel_count());
        map.ids.resize(options.ids ? view.pixel_count() : 0);
        map.normals.resize(options.normals ? view.pixel_count() : 0);
    }

    void collect(const DepthView& view, std::span<const DrawnBody> bodies) {
        bodies_.clear(), clusters_.clear(), turns_.clear();
        std::int32_t key = 1;
        for (const DrawnBody& body : bodies) {
            const auto index = static_cast<std::uint32_t>(bodies_.size());
            bodies_.push_back({body.mesh.get(), clip_matrix(view, body.pose * Pose::at(body.mesh->origin())), key});
            turns_.push_back(body.pose.rotation.toRotationMatrix());
            body.mesh->clusters().visit(view, bodies_.back().matrix, [&](Index cluster, DrawnRows rows) { clusters_.push_back({index, cluster, rows}); });
            key += static_cast<std::int32_t>(body.mesh->size());
        }
    }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options, const DepthMap* after, const DepthMap* until, DepthMap& map) {
        const bool narrow = view.width < narrowest_stride, keyed = options.ids || options.normals;
        Raster raster{.width = view.width, .height = view.height, .stride = std::max(view.width, narrowest_stride), .keep = options.keep, .faces = options.faces, .conservative = options.conservative};
        raster.depth = narrow ? padded_.room(view) : map.depth.data();
        if (after) raster.after = narrow ? padded_after_.copy(*after) : after->depth.data();
        if (until) raster.until = narrow ? padded_until_.copy(*until) : until->depth.data();
        const std::size_t room = static_cast<std::size_t>(raster.stride) * static_cast<std::size_t>(view.height);
        if (keyed && keys_.size() < room) keys_.resize(room);
        if (keyed) raster.keys = keys_.data();
        raster.bodies = bodies_;
        raster.clusters = clusters_;

        const Resolve resolve{raster, bodies, turns_, map};
        const auto rows = static_cast<std::size_t>(view.height);
        parallel_for(rows, band_height(rows), [&](std::size_t begin, std::size_t end) {
            const int first = static_cast<int>(begin), last = static_cast<int>(end) - 1;
            draw_rows(raster, first, last);
            if (keyed) resolve_rows(resolve, first, last);
        });
        if (narrow) padded_.copy_to(map);
    }

    // Clusters that reach into several bands are set up in each: few bands, but enough of them to even out. The result does not tell.
    static std::size_t band_height(std::size_t rows) {
        const std::size_t threads = thread_count(), bands = threads == 1 ? 1 : 4 * threads;
        return std::max<std::size_t>(16, (rows + bands - 1) / bands);
    }

    std::vector<RasterBody> bodies_;
    std::vector<RasterCluster> clusters_;
    std::vector<Mat3> turns_;
    std::vector<std::int32_t> keys_;
    std::vector<DepthOverlap> overlaps_;
    PaddedRows padded_, padded_after_, padded_until_;
    DepthMap spare_; // what a target held that limits its own draw
};

} // namespace

std::unique_ptr<DepthBackend> make_cpu_depth_backend() { return std::make_unique<CpuBackend>(); }

} // namespace fathom
