// Views for particles, and the first hit among them.
#include <fathom/detect/depth/particle_maps.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
namespace fathom {

// ---- One view of shared particle maps: its columns of pixels, and the path of a step through them.
namespace {

// One layer: where solids are entered and left (null: never).
struct ColumnLayer {
    std::unique_ptr<DepthTarget> entry_target, exit_target;
    const DepthMap *entry = nullptr, *exit = nullptr;
};

class ParticleColumns {
public:
    // Draws the maps again; keeps its targets.
    void draw(DepthBackend& backend, const DepthView& view, std::span<const DrawnBody> bodies,
              const ParticleMapOptions& options);

    [[nodiscard]] const DepthView& view() const { return view_; }
    [[nodiscard]] std::span<const ColumnLayer> layers() const { return layers_; }

    // Whether the segment may hit anything. A negative result is certain; false for NaN.
    [[nodiscard]] bool near(const Vec3& from, const Vec3& to) const {
        bool overlaps = true;
        for (int k = 0; k < 3; ++k)
            overlaps &=
                std::min(from[k], to[k]) <= world_reach_.upper[k] && std::max(from[k], to[k]) >= world_reach_.lower[k];
        return overlaps && near_in_map(scaled_ * from + shift_, scaled_ * to + shift_);
    }
    // Fills `hit` and returns true if there is one.
    [[nodiscard]] bool first_hit(const Vec3& from, const Vec3& motion, ParticleHit& hit) const;

private:
    struct ParticlePath;
    struct Span;
    struct Surface;

    // Range of depths that contains all surfaces in a square of pixels.
    struct Tile {
        float low = 1, high = 0;
    };

    void find_reach(std::span<const DrawnBody> bodies, bool exits);
    void fill_tiles();
    void fill_tile_row(int row);
    [[nodiscard]] bool near_in_map(const Vec3& a, const Vec3& b) const;
    [[nodiscard]] Surface surface(const DepthMap& map, const Span& span, std::size_t pixel, bool entry) const;
    [[nodiscard]] bool in_pixel(const ParticlePath& path, const Span& span, ParticleHit& hit) const;
    [[nodiscard]] bool in_layer(const ParticlePath& path, const Span& span, std::size_t pixel, const ColumnLayer& layer,
                                ParticleHit& hit) const;
    [[nodiscard]] ParticleHit left_from_inside(const ParticlePath& path, const Surface& entry,
                                               const Surface& exit) const;
    [[nodiscard]] Vec3 opposing(const ParticlePath& path, const Surface& surface, int wall) const;

    DepthView view_{};
    Mat3 scaled_ = Mat3::Identity(), rotation_ = Mat3::Identity(); // world to map; world to the frame of the view
    Vec3 shift_ = Vec3::Zero();
    Box reach_{}, world_reach_{}; // bounds of all surfaces: in the map, and in the world
    int tile_columns_ = 0, tile_rows_ = 0;
    std::vector<Tile> tiles_;
    double slack_ = 0; // in depth: largest deviation of planes from the depth at the centre of a pixel
    std::vector<ColumnLayer> layers_;
};

constexpr double never = std::numeric_limits<double>::infinity();
// Steeper planes are limited to this slope (depth over width): their drawn part ends within the pixel.
constexpr double max_slope = 4;
constexpr int tile_side = 8; // pixels

Box box_in_map(const DepthView& view, std::span<const DrawnBody> bodies) {
    Box box;
    for (const DrawnBody& body : bodies) {
        const Box& bounds = body.mesh->bounds();
        for (int k = 0; !bounds.empty() && k < 8; ++k) box.extend(view.to_map(body.pose * bounds.corner(k)));
    }
    return box;
}

// Interval in which a function that is linear between its values at 0 and 1 is not negative.
struct Stretch {
    double begin = 0, end = 1;
};
std::optional<Stretch> not_negative(double first, double last) {
    if (first >= 0 && last >= 0) return Stretch{};
    if (first < 0 && last < 0) return {};
    const double zero = first / (first - last);
    return first < 0 ? Stretch{zero, 1} : Stretch{0, zero};
}

// A step in the map (column, row and depth) and in the world.
struct ParticleColumns::ParticlePath {
    Vec3 from, motion; // world
    Vec3 a, d;         // map
};

// The part of a step in a pixel.
struct ParticleColumns::Span {
    int column = 0, row = 0;
    double begin = 0, end = 1; // fractions of the step
    int wall = -1;             // axis of the map along which it entered; -1: it starts here
};

// The drawn surface in a pixel, as a plane over it.
struct ParticleColumns::Surface {
    bool entry = true;
    std::size_t pixel = 0;
    const DepthMap* map = nullptr; // null: no surface
    double x = 0, y = 0, depth = never;
    double slope_x = 0, slope_y = 0; // of depth, per pixel

    [[nodiscard]] double at(const Vec3& p) const { return depth + (slope_x * (p.x() - x) + slope_y * (p.y() - y)); }
    [[nodiscard]] Vec3 normal() const { return map->normals[pixel].cast<double>(); }
    [[nodiscard]] DepthId id() const { return map->ids[pixel]; }
};

void ParticleColumns::draw(DepthBackend& backend, const DepthView& view, std::span<const DrawnBody> bodies,
                           const ParticleMapOptions& options) {
    view_ = view;
    layers_.resize(options.layers);
    const DepthTarget* after = nullptr;
    for (ColumnLayer& layer : layers_) {
        if (!layer.entry_target) layer.entry_target = backend.make_target();
        backend.draw(view, bodies, {.faces = Faces::front, .ids = true, .normals = true, .after = after},
                     *layer.entry_target);
        layer.entry = &layer.entry_target->map();
        after = layer.entry_target.get();
        if (!options.exits) continue;
        if (!layer.exit_target) layer.exit_target = backend.make_target();
        backend.draw(view, bodies, {.faces = Faces::back, .ids = true, .normals = true, .after = after},
                     *layer.exit_target);
        layer.exit = &layer.exit_target->map();
        after = layer.exit_target.get();
    }
    find_reach(bodies, options.exits);
    fill_tiles();
}

void ParticleColumns::find_reach(std::span<const DrawnBody> bodies, bool exits) {
    const DepthView& view = view_;
    rotation_ = view.pose.rotation.conjugate().toRotationMatrix();
    scaled_ = Vec3(view.width / view.size.x(), view.height / view.size.y(), 1 / view.size.z()).asDiagonal() * rotation_;
    shift_ = Vec3(0.5 * view.width, 0.5 * view.height, 0) - scaled_ * view.pose.translation;
    slack_ = max_slope * view.pixel_size().maxCoeff() / view.size.z();
    reach_ = box_in_map(view, bodies);
    if (!exits) reach_.upper.z() = 1;
    const Vec3 margin(1, 1, slack_);
    reach_ =
        intersection({reach_.lower - margin, reach_.upper + margin}, {Vec3::Zero(), Vec3(view.width, view.height, 1)});
    world_reach_ = {};
    for (int k = 0; !reach_.empty() && k < 8; ++k) world_reach_.extend(view.to_world(reach_.corner(k)));
    world_reach_ =
        world_reach_.grown(1e-6 * view.pixel_size().maxCoeff() + relative_rounding * world_reach_.diagonal() +
                           position_rounding(view.pose.translation.norm()));
}

void ParticleColumns::fill_tiles() {
    tile_columns_ = (view_.width + tile_side - 1) / tile_side;
    tile_rows_ = (view_.height + tile_side - 1) / tile_side;
    tiles_.assign(static_cast<std::size_t>(tile_columns_) * static_cast<std::size_t>(tile_rows_), {});
    parallel_tasks(static_cast<std::size_t>(tile_rows_),
                   [&](std::size_t row) { fill_tile_row(static_cast<int>(row)); });
}

// Column by column first, which the compiler can vectorize.
void ParticleColumns::fill_tile_row(int row) {
    const auto width = static_cast<std::size_t>(view_.width);
    std::vector<float> low(width, 1.0f), high(width, 0.0f);
    for (const ColumnLayer& layer : layers_)
        for (int y = row * tile_side; y < std::min(view_.height, (row + 1) * tile_side); ++y) {
            const float* entry = &layer.entry->depth[static_cast<std::size_t>(y) * width];
            const float* exit = layer.exit ? &layer.exit->depth[static_cast<std::size_t>(y) * width] : nullptr;
            for (std::size_t x = 0; x < width; ++x) low[x] = std::min(low[x], entry[x]);
            for (std::size_t x = 0; x < width; ++x)
                high[x] = std::max(high[x], entry[x] == 1.0f ? 0.0f : exit ? exit[x] : 1.0f);
        }
    for (std::size_t x = 0; x < width; ++x) {
        Tile& tile = tiles_[static_cast<std::size_t>(row * tile_columns_) + x / tile_side];
        tile.low = std::min(tile.low, low[x]);
        tile.high = std::max(tile.high, high[x]);
    }
}

bool ParticleColumns::near_in_map(const Vec3& a, const Vec3& b) const {
    const Vec3 low = a.cwiseMin(b).cwiseMax(reach_.lower), high = a.cwiseMax(b).cwiseMin(reach_.upper);
    if (!((low.array() <= high.array()).all())) return false;
    const auto tile_of = [](double pixel, int count) {
        return std::clamp(static_cast<int>(pixel) / tile_side, 0, count - 1);
    };
    const int left = tile_of(low.x(), tile_columns_), right = tile_of(high.x(), tile_columns_);
    const int top = tile_of(low.y(), tile_rows_), bottom = tile_of(high.y(), tile_rows_);
    if ((right - left + 1) * (bottom - top + 1) > 16) return true; // a long path: tested pixel by pixel
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const Tile& tile = tiles_[static_cast<std::size_t>(y * tile_columns_ + x)];
            if (high.z() >= static_cast<double>(tile.low) - slack_ &&
                low.z() <= static_cast<double>(tile.high) + slack_)
                return true;
        }
    return false;
}

ParticleColumns::Surface ParticleColumns::surface(const DepthMap& map, const Span& span, std::size_t pixel,
                                                  bool entry) const {
    Surface s{.entry = entry, .pixel = pixel};
    if (!map.covered(pixel)) return s;
    s.map = &map;
    s.x = span.column + 0.5;
    s.y = span.row + 0.5;
    s.depth = static_cast<double>(map.depth[pixel]);
    const Vec3 n = rotation_ * s.normal();
    const double nz = std::max(std::abs(n.z()), 1 / max_slope) * (entry ? -1 : 1) * view_.size.z();
    s.slope_x = -n.x() / nz * view_.pixel_size().x();
    s.slope_y = -n.y() / nz * view_.pixel_size().y();
    return s;
}

// The stored normal if it opposes the motion; else the side of the pixel through which it entered, or straight back
// along the view.
Vec3 ParticleColumns::opposing(const ParticlePath& path, const Surface& surface, int wall) const {
    Vec3 stored = surface.normal();
    if (stored.dot(path.motion) < 0) return stored;
    const int axis = wall >= 0 ? wall : 2;
    if (path.d[axis] == 0) return stored;
    return rotation_.row(axis).transpose() * (path.d[axis] > 0 ? -1.0 : 1.0);
}

ParticleHit ParticleColumns::left_from_inside(const ParticlePath& path, const Surface& entry,
                                              const Surface& exit) const {
    const double before = entry.at(path.a), behind = exit.map ? exit.at(path.a) : never;
    const bool back = path.a.z() - before <= behind - path.a.z();
    const Surface& nearest = back ? entry : exit;
    const Vec3 place(path.a.x(), path.a.y(), back ? before : behind);
    return {.at = 0, .point = view_.to_world(place), .normal = nearest.normal(), .id = nearest.id(), .inside = true};
}

bool ParticleColumns::in_layer(const ParticlePath& path, const Span& span, std::size_t pixel, const ColumnLayer& layer,
                               ParticleHit& hit) const {
    const Vec3 p = path.a + span.begin * path.d, q = path.a + span.end * path.d;
    const double low = std::min(p.z(), q.z()), high = std::max(p.z(), q.z());
    const bool left = layer.exit && layer.exit->covered(pixel);
    if (high < static_cast<double>(layer.entry->depth[pixel]) - slack_) return false;
    if (left && low > static_cast<double>(layer.exit->depth[pixel]) + slack_) return false;
    const Surface entry = surface(*layer.entry, span, pixel, true);
    const auto behind = not_negative(p.z() - entry.at(p), q.z() - entry.at(q));
    if (!behind) return false; // most end here, without fetching the exit
    const Surface exit = left ? surface(*layer.exit, span, pixel, false) : Surface{.entry = false};
    const auto before = left ? not_negative(exit.at(p) - p.z(), exit.at(q) - q.z()) : Stretch{};
    if (!before) return false;
    const double begin = std::max(behind->begin, before->begin);
    if (begin > std::min(behind->end, before->end)) return false;
    const bool sideways = begin == 0;
    if (sideways && span.wall < 0 && span.begin == 0) {
        hit = left_from_inside(path, entry, exit);
        return true;
    }
    const bool by_entry =
        sideways ? !left || p.z() - entry.at(p) <= exit.at(p) - p.z() : behind->begin >= before->begin;
    const Surface& met = by_entry ? entry : exit;
    const double at = span.begin + begin * (span.end - span.begin);
    hit = {.at = at,
           .point = path.from + at * path.motion,
           .normal = opposing(path, met, sideways ? span.wall : -1),
           .id = met.id()};
    return true;
}

bool ParticleColumns::in_pixel(const ParticlePath& path, const Span& span, ParticleHit& hit) const {
    const std::size_t pixel = static_cast<std::size_t>(span.row) * static_cast<std::size_t>(view_.width) +
                              static_cast<std::size_t>(span.column);
    bool any = false;
    for (const ColumnLayer& layer : layers_) {
        if (!layer.entry->covered(pixel)) break;
        ParticleHit found;
        if (!in_layer(path, span, pixel, layer, found) || (any && found.at >= hit.at)) continue;
        hit = found;
        any = true;
    }
    return any;
}

bool ParticleColumns::first_hit(const Vec3& from, const Vec3& motion, ParticleHit& hit) const {
    const ParticlePath path{from, motion, scaled_ * from + shift_, scaled_ * motion};
    double begin = 0, end = 1;
    for (int k = 0; k < 3; ++k) {
        const double low = reach_.lower[k] - path.a[k], high = reach_.upper[k] - path.a[k];
        if (path.d[k] == 0) {
            if (!(low <= 0 && high >= 0)) return false;
            continue;
        }
        begin = std::max(begin, std::min(low / path.d[k], high / path.d[k]));
        end = std::min(end, std::max(low / path.d[k], high / path.d[k]));
    }
    if (!(begin <= end)) return false;
    // From pixel to pixel (Amanatides & Woo 1987).
    Span span{.begin = begin, .end = end};
    const std::array<int, 2> pixels = {view_.width, view_.height};
    std::array<int, 2> at{}, stride{};
    std::array<double, 2> next{};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto axis = static_cast<Eigen::Index>(k);
        at[k] = std::clamp(static_cast<int>(std::floor(path.a[axis] + begin * path.d[axis])), 0, pixels[k] - 1);
        stride[k] = path.d[axis] > 0 ? 1 : -1;
    }
    while (true) {
        for (std::size_t k = 0; k < 2; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            next[k] = path.d[axis] == 0 ? never : (at[k] + (stride[k] > 0 ? 1 : 0) - path.a[axis]) / path.d[axis];
        }
        const std::size_t axis = next[0] <= next[1] ? 0 : 1;
        span.column = at[0], span.row = at[1];
        span.end = std::clamp(next[axis], span.begin, end);
        if (in_pixel(path, span, hit)) return true;
        at[axis] += stride[axis];
        if (!(next[axis] < end) || at[axis] < 0 || at[axis] >= pixels[axis]) return false;
        span.begin = span.end;
        span.wall = static_cast<int>(axis);
    }
}
} // namespace

std::vector<DepthView> views_along(const Box& box, const Vec3& direction, const ViewOptions& options) {
    return {view_of(box, {}, direction, options)};
}

std::vector<DepthView> views_around(const Box& box, const Vec3& center, const ViewOptions& options) {
    if (!is_finite(center)) throw Error(Cause::non_finite, "centre of the views is not finite");
    std::vector<DepthView> views;
    for (int axis = 0; axis < 3; ++axis)
        for (const bool up : {true, false}) {
            Box part = box;
            (up ? part.lower : part.upper)[axis] =
                std::clamp(center[axis], box.lower[axis], std::max(box.lower[axis], box.upper[axis]));
            views.push_back(view_of(part, {}, (up ? 1.0 : -1.0) * Vec3::Unit(axis), options));
        }
    return views;
}

struct ParticleMaps::State {
    std::shared_ptr<DepthBackend> backend;
    ParticleMapOptions options;
    std::vector<ParticleColumns> views;

    [[nodiscard]] std::size_t main_view(const Vec3& motion) const {
        std::size_t best = 0;
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < views.size(); ++k) {
            const double along = views[k].view().direction().dot(motion);
            if (along > most) most = along, best = k;
        }
        return best;
    }

    [[nodiscard]] bool first_hit(const Vec3& from, const Vec3& to, ParticleHit& first) const {
        bool any = false;
        const bool one = options.tested == TestedMaps::main_axis && views.size() > 1;
        const std::size_t begin = one ? main_view(to - from) : 0, end = one ? begin + 1 : views.size();
        for (std::size_t k = begin; k < end; ++k) {
            if (!views[k].near(from, to) || !is_finite(from) || !is_finite(Vec3(to - from))) continue;
            ParticleHit hit;
            if (!views[k].first_hit(from, to - from, hit) || (any && !sooner(hit, first, from))) continue;
            first = hit;
            any = true;
        }
        return any;
    }

    // Of two exits from a solid the nearer one.
    static bool sooner(const ParticleHit& a, const ParticleHit& b, const Vec3& from) {
        if (a.inside && b.inside) return (a.point - from).squaredNorm() < (b.point - from).squaredNorm();
        return a.at < b.at || (a.inside && !b.inside);
    }
};

ParticleMaps::ParticleMaps(std::shared_ptr<DepthBackend> backend, const ParticleMapOptions& options)
    : state_(std::make_unique<State>()) {
    if (!backend) throw Error(Cause::invalid_argument, "particle maps need a backend", {.element = "backend"});
    if (options.layers < 1 || options.layers > 16)
        throw Error(Cause::invalid_argument, "must be 1 to 16", {.element = "option layers"});
    if (options.layers > 1 && !options.exits)
        throw Error(Cause::invalid_argument, "more than one layer requires exits", {.element = "option exits"});
    state_->backend = std::move(backend);
    state_->options = options;
}

ParticleMaps::~ParticleMaps() = default;
ParticleMaps::ParticleMaps(ParticleMaps&&) noexcept = default;
ParticleMaps& ParticleMaps::operator=(ParticleMaps&&) noexcept = default;

void ParticleMaps::draw(std::span<const DepthView> views, std::span<const DrawnBody> bodies) {
    state_->views.resize(views.size());
    for (std::size_t k = 0; k < views.size(); ++k)
        state_->views[k].draw(*state_->backend, views[k], bodies, state_->options);
}

std::optional<ParticleHit> ParticleMaps::first_hit(const Vec3& from, const Vec3& to) const {
    ParticleHit hit;
    if (state_->first_hit(from, to, hit)) return hit;
    return std::nullopt;
}

void ParticleMaps::first_hits(std::span<const Vec3> from, std::span<const Vec3> to,
                              std::vector<ParticleHit>& hits) const {
    if (from.size() != to.size())
        throw Error(Cause::count_mismatch, "the numbers of start and end points differ", {.element = "to"});
    constexpr std::size_t chunk = 2048;
    std::vector<std::vector<ParticleHit>> found((from.size() + chunk - 1) / chunk);
    parallel_for(from.size(), chunk, [&](std::size_t begin, std::size_t end) {
        ParticleHit hit;
        for (std::size_t k = begin; k < end; ++k) {
            if (!state_->first_hit(from[k], to[k], hit)) continue;
            hit.particle = static_cast<Index>(k);
            found[begin / chunk].push_back(hit);
        }
    });
    hits.clear();
    for (const auto& part : found) hits.insert(hits.end(), part.begin(), part.end());
}

const ParticleMapOptions& ParticleMaps::options() const { return state_->options; }
std::size_t ParticleMaps::view_count() const { return state_->views.size(); }

double ParticleMaps::pixel_size() const {
    double largest = 0;
    for (const ParticleColumns& columns : state_->views)
        largest = std::max(largest, columns.view().pixel_size().maxCoeff());
    return largest;
}
namespace {

const ColumnLayer& layer_of(std::span<const ParticleColumns> views, std::size_t view, std::size_t layer) {
    if (view >= views.size() || layer >= views[view].layers().size())
        throw Error(Cause::invalid_argument, "no such view or layer was drawn", {.element = "view"});
    return views[view].layers()[layer];
}
} // namespace

const DepthMap& ParticleMaps::entry(std::size_t view, std::size_t layer) const {
    return *layer_of(state_->views, view, layer).entry;
}

const DepthMap& ParticleMaps::exit(std::size_t view, std::size_t layer) const {
    const ColumnLayer& found = layer_of(state_->views, view, layer);
    if (!found.exit) throw Error(Cause::invalid_argument, "exits were not drawn", {.element = "option exits"});
    return *found.exit;
}
} // namespace fathom
