// Views for particles, and the first hit among them.
#include <fathom/detect/depth/particle_maps.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/detect/depth/particle_columns.h>

#include <algorithm>

namespace fathom {

std::vector<DepthView> views_along(const Box& box, const Vec3& direction, const ViewOptions& options) {
    return {view_of(box, {}, direction, options)};
}

std::vector<DepthView> views_around(const Box& box, const Vec3& center, const ViewOptions& options) {
    if (!is_finite(center)) throw Error(Cause::non_finite, "centre of views");
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
        const bool one = options.ask == AskMaps::main_axis && views.size() > 1;
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

    // Of two ways out of a solid the shorter.
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
        throw Error(Cause::invalid_argument, "layers behind the first need exits", {.element = "option exits"});
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
        throw Error(Cause::count_mismatch, "as many ends as beginnings are needed", {.element = "to"});
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
    if (!found.exit) throw Error(Cause::invalid_argument, "drawn without exits", {.element = "option exits"});
    return *found.exit;
}

} // namespace fathom
