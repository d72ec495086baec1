// CPU backend of depth maps, in main memory: rows of pixels are distributed over threads, and each thread draws the
// clusters that overlap its rows. After the first draw of a size nothing is allocated.

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/depth/cpu_raster.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace fathom {

// ---- A depth map prepared for repeated use as a limit of drawing: padded rows (RasterRows), and the smallest and the
// largest depth of each tile of 16 x 16 pixels, so that clusters that cannot pass are skipped as a whole. O(pixels) to
// build.
namespace {

class DepthLimits {
public:
    DepthLimits() = default;
    explicit DepthLimits(const DepthMap& map);

    static constexpr int tile = 1 << depth::limit_tile_bits; // pixels

    [[nodiscard]] const float* rows() const { return rows_.data(); }
    [[nodiscard]] int tile_columns() const { return tile_columns_; }
    [[nodiscard]] const float* least() const { return least_.data(); } // by tile, row by row
    [[nodiscard]] const float* largest() const { return largest_.data(); }
    [[nodiscard]] float least(int tile_row, int tile_column) const { return least_[at(tile_row, tile_column)]; }
    [[nodiscard]] float largest(int tile_row, int tile_column) const { return largest_[at(tile_row, tile_column)]; }

private:
    [[nodiscard]] std::size_t at(int tile_row, int tile_column) const {
        return static_cast<std::size_t>(tile_row * tile_columns_ + tile_column);
    }

    int tile_columns_ = 0;
    std::vector<float> rows_, least_, largest_;
};

// Whether anything within this reach can be deeper than `after` and not deeper than `until` in some pixel. Either may
// be null.
[[nodiscard]] bool may_pass(const DrawnReach& reach, const DepthLimits* after, const DepthLimits* until);

DepthLimits::DepthLimits(const DepthMap& map) : tile_columns_((map.view.width + tile - 1) / tile) {
    const auto width = static_cast<std::size_t>(map.view.width);
    const std::size_t stride = depth::RasterRows::stride_of(map.view.width);
    const auto tiles = static_cast<std::size_t>(tile_columns_ * ((map.view.height + tile - 1) / tile));
    rows_.assign(stride * static_cast<std::size_t>(map.view.height), 0.0f);
    least_.assign(tiles, 2.0f);
    largest_.assign(tiles, -1.0f);
    for (int row = 0; row < map.view.height; ++row) {
        const float* depth = map.depth.data() + static_cast<std::size_t>(row) * width;
        std::copy_n(depth, width, rows_.data() + static_cast<std::size_t>(row) * stride);
        for (int column = 0; column < map.view.width; ++column) {
            const std::size_t k = at(row / tile, column / tile);
            least_[k] = std::min(least_[k], depth[column]);
            largest_[k] = std::max(largest_[k], depth[column]);
        }
    }
}

bool may_pass(const DrawnReach& reach, const DepthLimits* after, const DepthLimits* until) {
    constexpr int tile = DepthLimits::tile;
    for (int row = reach.first_row / tile; row <= reach.last_row / tile; ++row)
        for (int column = reach.first_column / tile; column <= reach.last_column / tile; ++column) {
            const bool deep_enough = !after || after->least(row, column) < reach.farthest;
            const bool shallow_enough = !until || !(until->largest(row, column) < reach.nearest);
            if (deep_enough && shallow_enough) return true;
        }
    return false;
}
} // namespace

// ---- Resolves the key of a pixel: body and primitive, and the normal there. Only pixels of the final map are
// resolved, each once; the cross product is computed once per run of equal keys.
namespace {

struct Resolve {
    const depth::Raster& raster;
    std::span<const DrawnBody> bodies;
    std::span<const Mat3> turns; // rotations of the bodies to the world
    DepthMap& map;               // its non-empty ids and normals are set
};

// Resolves rows that were drawn with keys. The normal of a line or a point faces the view; that of a triangle without
// area is 0.
void resolve_rows(const Resolve& resolve, const depth::RasterRows& rows);

// Caches the last key: neighbouring pixels mostly share it.
class Lookup {
public:
    explicit Lookup(const Resolve& resolve) : resolve_(resolve) {}

    void set(std::int32_t key) {
        if (key == key_) return;
        key_ = key;
        const auto bodies = resolve_.raster.bodies;
        if (key == 0) return void((id_ = {}, normal_ = Vec3f::Zero()));
        if (!holds(key)) {
            // Among bodies with equal first keys, all but the last are empty.
            const auto next =
                std::upper_bound(bodies.begin(), bodies.end(), key,
                                 [](std::int32_t k, const depth::RasterBody& b) { return k < b.first_key; });
            body_ = static_cast<std::size_t>(next - bodies.begin()) - 1;
        }
        const DrawnMesh& mesh = *bodies[body_].mesh;
        const Index number = mesh.numbers()[static_cast<std::size_t>(key - bodies[body_].first_key)];
        id_ = {resolve_.bodies[body_].id, number};
        if (!resolve_.map.normals.empty()) normal_ = normal_of(mesh, number);
    }
    [[nodiscard]] const DepthId& id() const { return id_; }
    [[nodiscard]] const Vec3f& normal() const { return normal_; }

private:
    [[nodiscard]] bool holds(std::int32_t key) const {
        const depth::RasterBody& body = resolve_.raster.bodies[body_];
        return key >= body.first_key && static_cast<std::size_t>(key - body.first_key) < body.mesh->size();
    }
    [[nodiscard]] Vec3f normal_of(const DrawnMesh& mesh, Index number) const {
        if (mesh.kind() != Primitives::triangles) return (-resolve_.map.view.direction()).cast<float>();
        const auto p = mesh.positions();
        const Triangle& t = mesh.triangles()[number];
        // In double: the square of a small length would underflow.
        const Vec3 a = p[t[0]].cast<double>(), normal = (p[t[1]].cast<double>() - a).cross(p[t[2]].cast<double>() - a);
        const double length = std::sqrt(normal.squaredNorm());
        return length > 0 ? (resolve_.turns[body_] * (normal / length)).cast<float>().eval() : Vec3f::Zero().eval();
    }

    const Resolve& resolve_;
    std::int32_t key_ = 0;
    std::size_t body_ = 0;
    DepthId id_{};
    Vec3f normal_ = Vec3f::Zero();
};

void resolve_rows(const Resolve& resolve, const depth::RasterRows& rows) {
    Lookup lookup(resolve);
    DepthMap& map = resolve.map;
    const auto width = static_cast<std::size_t>(resolve.raster.width);
    for (int row = rows.first; row <= rows.last; ++row) {
        const std::int32_t* keys = rows.keys + rows.at(row, 0);
        const std::size_t first = static_cast<std::size_t>(row) * width;
        for (std::size_t column = 0, end = 0; column < width; column = end) {
            end = column + 1;
            while (end < width && keys[end] == keys[column]) ++end;
            lookup.set(keys[column]);
            if (!map.ids.empty()) std::fill(map.ids.data() + first + column, map.ids.data() + first + end, lookup.id());
            if (!map.normals.empty())
                std::fill(map.normals.data() + first + column, map.normals.data() + first + end, lookup.normal());
        }
    }
}

struct CpuTarget final : DepthTarget {
    DepthMap drawn;
    [[nodiscard]] const DepthView& view() const override { return drawn.view; }
    [[nodiscard]] const DepthMap& map() const override { return drawn; }
    [[nodiscard]] const void* owner() const override { return tag(); }
    // The owner of the targets of every CPU backend: they are interchangeable.
    static const void* tag() {
        static const char place = 0;
        return &place;
    }
    // Of the last draw; built on first use.
    [[nodiscard]] const DepthLimits& limits() const { return limits_ ? *limits_ : limits_.emplace(drawn); }
    void forget_limits() { limits_.reset(); }

private:
    mutable std::optional<DepthLimits> limits_;
};

const CpuTarget* limit_of(const DepthTarget* target, const DepthView& view) {
    if (!target) return nullptr;
    const auto* own = target->owner() == CpuTarget::tag() ? static_cast<const CpuTarget*>(target) : nullptr;
    if (!own || own->drawn.view.width != view.width || own->drawn.view.height != view.height ||
        own->drawn.depth.size() != view.pixel_count())
        throw Error(Cause::invalid_argument, "not a drawn target of this backend with the same number of pixels",
                    {.element = "option after or until"});
    return own;
}

void check(std::span<const DrawnBody> bodies) {
    std::size_t primitives = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Place place{.element = "body", .index = static_cast<std::int64_t>(b)};
        if (!bodies[b].mesh) throw Error(Cause::invalid_argument, "body has no mesh", place);
        if (!is_finite(bodies[b].pose)) throw Error(Cause::non_finite, "pose is not finite", place);
        primitives += bodies[b].mesh->size();
        if (primitives >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw Error(Cause::too_large, "a draw is limited to 2^31 - 2 primitives", place);
    }
}

// Memory of a thread for the rows that it draws; about the size of the second-level cache of a core.
class RowMemory {
public:
    static constexpr std::size_t room = 1 << 17; // floats

    depth::RasterRows rows(const DepthView& view, int first, int last, bool keyed, const DepthMap* after,
                           const DepthMap* until) {
        depth::RasterRows rows{.first = first, .last = last, .stride = depth::RasterRows::stride_of(view.width)};
        const std::size_t count = rows.at(last + 1, 0);
        rows.depth = sized(depth_, count);
        if (keyed) rows.keys = sized(keys_, count);
        if (after) rows.after = copied(*after, rows, sized(after_, count));
        if (until) rows.until = copied(*until, rows, sized(until_, count));
        return rows;
    }

private:
    template <class T>
    static T* sized(std::vector<T>& memory, std::size_t count) {
        if (memory.size() < count) memory.resize(count);
        return memory.data();
    }
    static const float* copied(const DepthMap& map, const depth::RasterRows& rows, float* to) {
        const auto width = static_cast<std::size_t>(map.view.width);
        for (int row = rows.first; row <= rows.last; ++row)
            std::copy_n(map.depth.data() + static_cast<std::size_t>(row) * width, width, to + rows.at(row, 0));
        return to;
    }

    std::vector<float> depth_, after_, until_;
    std::vector<std::int32_t> keys_;
};

class CpuBackend final : public DepthBackend {
public:
    explicit CpuBackend(const std::string& why) : name_(why.empty() ? "CPU" : fmt::format("CPU ({})", why)) {}

    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] std::unique_ptr<DepthTarget> make_target() override { return std::make_unique<CpuTarget>(); }

    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
              DepthTarget& target) override {
        fathom::check(view);
        check(bodies);
        if (target.owner() != CpuTarget::tag())
            throw Error(Cause::invalid_argument, "not a target of this backend", {.element = "target"});
        auto* own = static_cast<CpuTarget*>(&target);
        const CpuTarget *after = limit_of(options.after, view), *until = limit_of(options.until, view);
        own->forget_limits();
        make_room(view, options, own->drawn);
        collect(view, bodies);
        draw(view, bodies, options, after ? &after->drawn : nullptr, until ? &until->drawn : nullptr, own->drawn);
    }

    // Without a map of its own: tiles that the limits rule out are skipped, and pixels are only compared.
    // Single-threaded.
    [[nodiscard]] bool draws_anything(const DepthView& view, std::span<const DrawnBody> bodies,
                                      const DrawOptions& options, DepthTarget&) override {
        fathom::check(view);
        check(bodies);
        const CpuTarget *after = limit_of(options.after, view), *until = limit_of(options.until, view);
        const DepthLimits *near = after ? &after->limits() : nullptr, *far = until ? &until->limits() : nullptr;
        collect(view, bodies);
        std::erase_if(clusters_, [&](const depth::RasterCluster& c) { return !may_pass(c.reach, near, far); });
        const depth::Raster raster{view.width,           view.height, options.keep, options.faces,
                                   options.conservative, bodies_,     clusters_};
        depth::RasterRows rows{.first = 0, .last = view.height - 1, .stride = depth::RasterRows::stride_of(view.width)};
        if (near) rows.after = near->rows();
        if (far) rows.until = far->rows();
        if (near && far)
            rows.min_after = near->least(), rows.max_until = far->largest(), rows.tile_columns = far->tile_columns();
        return depth::any_row_drawn(raster, rows);
    }

    [[nodiscard]] DepthOverlap compare(const DepthTarget& object, const DepthTarget& environment) override {
        const DepthMap &a = object.map(), &b = environment.map();
        if (a.depth.size() != b.depth.size())
            throw Error(Cause::invalid_argument, "the maps differ in their number of pixels",
                        {.element = "environment"});
        constexpr std::size_t piece = 1 << 16;
        overlaps_.assign((a.depth.size() + piece - 1) / piece, {});
        parallel_for(a.depth.size(), piece, [&](std::size_t begin, std::size_t end) {
            overlaps_[begin / piece] = depth::compare_pixels(a, b, begin, end);
        });
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
            bodies_.push_back(
                {body.mesh.get(), clip_matrix(view, body.pose * Pose::from_translation(body.mesh->origin())), key});
            turns_.push_back(body.pose.rotation.toRotationMatrix());
            body.mesh->clusters().visit(view, bodies_.back().matrix, [&](Index cluster, const DrawnReach& reach) {
                clusters_.push_back({index, cluster, reach});
            });
            key += static_cast<std::int32_t>(body.mesh->size());
        }
    }

    // A target may limit its own draw: rows are read before they are written.
    void draw(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
              const DepthMap* after, const DepthMap* until, DepthMap& map) {
        const bool keyed = options.ids || options.normals;
        const depth::Raster raster{view.width,           view.height, options.keep, options.faces,
                                   options.conservative, bodies_,     clusters_};
        const Resolve resolve{raster, bodies, turns_, map};
        const auto width = static_cast<std::size_t>(view.width);
        parallel_for(
            static_cast<std::size_t>(view.height), band_height(view, keyed), [&](std::size_t begin, std::size_t end) {
                thread_local RowMemory memory;
                const depth::RasterRows rows =
                    memory.rows(view, static_cast<int>(begin), static_cast<int>(end) - 1, keyed, after, until);
                depth::draw_rows(raster, rows);
                for (std::size_t row = begin; row < end; ++row)
                    std::copy_n(rows.depth + rows.at(static_cast<int>(row), 0), width, map.depth.data() + row * width);
                if (keyed) resolve_rows(resolve, rows);
            });
    }

    // Clusters that overlap several bands are set up in each, so bands are as high as the cache allows. The result does
    // not depend on it.
    static std::size_t band_height(const DepthView& view, bool keyed) {
        const std::size_t fits = RowMemory::room / depth::RasterRows::stride_of(view.width) / (keyed ? 2 : 1);
        const std::size_t shares =
            (static_cast<std::size_t>(view.height) + 2 * thread_count() - 1) / (2 * thread_count());
        return std::max<std::size_t>(16, thread_count() == 1 ? fits : std::min(fits, shares));
    }

    std::string name_;
    std::vector<depth::RasterBody> bodies_;
    std::vector<depth::RasterCluster> clusters_;
    std::vector<Mat3> turns_;
    std::vector<DepthOverlap> overlaps_;
};
} // namespace

bool DepthBackend::draws_anything(const DepthView& view, std::span<const DrawnBody> bodies, const DrawOptions& options,
                                  DepthTarget& scratch) {
    if (!options.until) throw Error(Cause::invalid_argument, "must be set", {.element = "option until"});
    draw(view, bodies, options, scratch);
    return compare(*options.until, scratch).pixels > 0;
}

std::unique_ptr<DepthBackend> make_cpu_depth_backend(const std::string& why) {
    return std::make_unique<CpuBackend>(why);
}

// ---- Selects a backend, and provides the errors of a build without OpenGL.

std::unique_ptr<DepthBackend> make_depth_backend(DepthPreference preference) {
    if (preference == DepthPreference::cpu) return make_cpu_depth_backend();
    std::string why;
    try {
        auto backend = make_gl_depth_backend();
        if (preference == DepthPreference::gl || !backend->software()) return backend;
        why = fmt::format("faster than {}", backend->name());
    } catch (const Error& error) {
        if (error.cause() != Cause::unsupported) throw;
        why = error.reason();
    }
    return make_cpu_depth_backend(why);
}

std::array<float, 16> GlScene::clip(const Pose& frame) const {
    const ClipMatrix rows = clip_matrix(view(), frame);
    std::array<float, 16> columns{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column) columns[4 * column + row] = rows[4 * row + column];
    columns[15] = 1;
    return columns;
}

#ifndef FATHOM_WITH_GL
std::string_view environment_fragment_shader() { return {}; }

std::unique_ptr<GlDepthBackend> make_gl_depth_backend(const GlOptions&) {
    throw Error(Cause::unsupported, "this library was built without OpenGL (FATHOM_GL)");
}
#endif

} // namespace fathom
