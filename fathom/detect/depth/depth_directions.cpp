// Chooses the directions of depth maps.
#include <fathom/detect/depth/depth_directions.h>

#include <fathom/base/error.h>
#include <fathom/geometry/inspect/mesh_report.h>
#include <fathom/geometry/primitive/oriented_box.h>
#include <fathom/geometry/surface_tree/surface_tree.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

// A sample of the surface.
struct SurfacePlace {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::Zero(); // unit, outward
    Vec3 probe = Vec3::Zero();  // slightly outside
    bool tight = false;         // the probe is in another part of the object: the gap is below the resolution
    double area = 0;            // area that it represents (m^2)
    Index triangle = 0;
};

constexpr double wanted_places = 20'000;

// Each triangle gets samples in proportion to its area, at least one, on a sequence that covers it evenly (Roberts
// 2018: the R2 sequence, folded).
std::vector<SurfacePlace> places_on(const TriangleMesh& mesh, double area) {
    std::vector<SurfacePlace> places;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const std::array<Vec3, 3> corners = mesh.corners(t);
        const Vec3 twice = area_vector(corners);
        if (!(twice.norm() > 0)) continue;
        const int count = std::max(1, static_cast<int>(std::lround(0.5 * twice.norm() / area * wanted_places)));
        for (int k = 0; k < count; ++k) {
            double u = std::fmod(1.0 / 3 + k * 0.7548776662466927, 1),
                   v = std::fmod(1.0 / 3 + k * 0.5698402909980532, 1);
            if (u + v > 1) u = 1 - u, v = 1 - v;
            places.push_back({corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]),
                              twice.normalized(), Vec3::Zero(), false, 0.5 * twice.norm() / count,
                              static_cast<Index>(t)});
        }
    }
    return places;
}

// The object as filled by one direction.
struct Filled {
    DepthView view{};
    DepthMap near_side, far_side;
    bool from_rear = false; // solid from the near side of the box on

    [[nodiscard]] bool contains(const Vec3& p) const {
        const Vec3 at = view.to_map(p);
        if (!(at.x() >= 0 && at.x() < view.width && at.y() >= 0 && at.y() < view.height)) return false;
        const auto pixel =
            static_cast<std::size_t>(at.y()) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(at.x());
        return far_side.covered(pixel) && at.z() <= static_cast<double>(far_side.depth[pixel]) && at.z() >= from(pixel);
    }
    [[nodiscard]] double from(std::size_t pixel) const {
        return from_rear ? 0.0 : static_cast<double>(near_side.depth[pixel]);
    }
    [[nodiscard]] double volume() const {
        double sum = 0;
        for (std::size_t k = 0; k < far_side.depth.size(); ++k)
            if (far_side.covered(k)) sum += std::max(0.0, static_cast<double>(far_side.depth[k]) - from(k));
        return sum * view.size.z() * view.pixel_size().prod();
    }
};

Filled fill(DepthBackend& backend, const std::shared_ptr<const DrawnMesh>& mesh, const Vec3& direction,
            const DirectionOptions& options) {
    Filled filled;
    filled.view = view_of(mesh->bounds(), {}, direction, {.pixels = options.pixels});
    filled.from_rear = options.sides == DepthSides::far_side;
    const std::array body{DrawnBody{mesh, {}, 0}};
    const auto target = backend.make_target();
    backend.draw(filled.view, body, {.faces = Faces::both}, *target);
    filled.near_side = target->map();
    backend.draw(filled.view, body, {.keep = Keep::farthest, .faces = Faces::both}, *target);
    filled.far_side = target->map();
    return filled;
}

// Volume that all of them fill and for which counts(pixel of the first, depth) is true, in steps of a pixel.
template <class Counts>
double common_volume(std::span<const Filled> all, const Counts& counts) {
    const Filled& first = all.front();
    const double step = first.view.pixel_size().maxCoeff() / first.view.size.z();
    double sum = 0;
    for (std::size_t k = 0; k < first.far_side.depth.size(); ++k) {
        if (!first.far_side.covered(k)) continue;
        const double length = std::max(0.0, static_cast<double>(first.far_side.depth[k]) - first.from(k));
        const int steps = std::max(1, static_cast<int>(std::ceil(length / step)));
        int inside = 0;
        for (int s = 0; s < steps; ++s) {
            const double depth = first.from(k) + (s + 0.5) * length / steps;
            inside += counts(k, depth) && std::ranges::all_of(all.subspan(1), [&](const Filled& other) {
                          return other.contains(first.view.to_world(k, depth));
                      });
        }
        sum += length * inside / steps;
    }
    return sum * first.view.size.z() * first.view.pixel_size().prod();
}

Mat3 spread_of(std::span<const SurfacePlace> places) {
    Vec3 middle = Vec3::Zero();
    double area = 0;
    for (const SurfacePlace& place : places) middle += place.area * place.point, area += place.area;
    middle /= area;
    Mat3 spread = Mat3::Zero();
    for (const SurfacePlace& place : places)
        spread += place.area / area * (place.point - middle) * (place.point - middle).transpose();
    return spread;
}

// Views of both sides see the same from either end, so half a sphere is enough.
std::vector<Vec3> candidates_for(std::span<const SurfacePlace> places, const DirectionOptions& options) {
    const bool half = options.sides != DepthSides::far_side;
    std::vector<Vec3> all;
    const auto add = [&](const Vec3& direction) {
        const Vec3 unit = direction.normalized();
        if (std::ranges::none_of(
                all, [&](const Vec3& other) { return (half ? std::abs(unit.dot(other)) : unit.dot(other)) > 0.9999; }))
            all.push_back(unit);
    };
    const Mat3 principal = axes_of(spread_of(places)).toRotationMatrix();
    for (const Mat3& axes : {Mat3(Mat3::Identity()), principal})
        for (int k = 0; k < 3; ++k)
            for (const double sign : {1.0, -1.0}) add(sign * axes.col(k));
    const auto count = static_cast<double>(options.spread);
    for (std::size_t k = 0; k < options.spread; ++k) {
        // Heights of equal areas, rotated by the golden angle from one to the next.
        const double share = (static_cast<double>(k) + 0.5) / count, z = half ? share : 2 * share - 1;
        const double angle = static_cast<double>(k) * std::numbers::pi * (3 - std::sqrt(5.0)),
                     radius = std::sqrt(1 - z * z);
        add({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    for (const Vec3& direction : options.candidates) add(direction);
    return all;
}

void check(const DirectionOptions& options) {
    if (options.sides == DepthSides::layers)
        throw Error(Cause::invalid_argument, "layers fill no concavities and need no choice of directions",
                    {.element = "option sides"});
    if (options.max_directions < 1)
        throw Error(Cause::invalid_argument, "must be at least 1", {.element = "option max_directions"});
    if (!(options.min_gain >= 0))
        throw Error(Cause::invalid_argument, "must be a number of at least 0", {.element = "option min_gain"});
    for (const Vec3& direction : options.candidates)
        if (!is_finite(direction) || !(direction.norm() > 0))
            throw Error(Cause::invalid_argument, "must be finite and not zero", {.element = "option candidates"});
}

class Choice {
public:
    Choice(DepthBackend& backend, const TriangleMesh& mesh, const DirectionOptions& options)
        : backend_(backend), options_(options), mesh_(mesh), drawn_(std::make_shared<DrawnMesh>(mesh)) {
        const MeshReport found = mesh_report(mesh);
        report_.sides = options.sides;
        report_.area = found.area;
        report_.closed = found.faces_outward();
        if (report_.closed) volume_ = found.volume;
        if (!(report_.area > 0)) throw Error(Cause::empty, "the surface has no triangles with area");
        places_ = places_on(mesh, report_.area);
        // Upper bound on the pixel size: the diagonal and the margins of a view on its longer side.
        report_.resolution = 1.04 * drawn_->bounds().diagonal() / std::max(1, options.pixels - 2);
        for (SurfacePlace& place : places_) place.probe = place.point + 1.5 * report_.resolution * place.normal;
        if (report_.closed) mark_tight();
        covered_.assign(places_.size(), false);
    }

    [[nodiscard]] DirectionReport run() {
        for (const Vec3& direction : candidates_for(places_, options_)) evaluate(direction);
        while (report_.chosen.size() < options_.max_directions && choose_next()) {
        }
        report_.seen = report_.seen_by_chosen.back();
        measure_concavity();
        report_.compliant = report_.closed && report_.seen >= options_.compliant;
        report_.compliant_to_one = report_.closed && report_.seen_by_chosen.front() >= options_.compliant;
        report_unseen();
        return std::move(report_);
    }

private:
    [[nodiscard]] std::optional<double> over(double filled) const {
        return volume_ ? std::optional(std::max(0.0, filled - *volume_)) : std::nullopt;
    }

    void mark_tight() {
        const SurfaceTree tree(mesh_);
        for (SurfacePlace& place : places_) place.tight = tree.contains(place.probe);
    }

    void evaluate(const Vec3& direction) {
        const Filled filled = fill(backend_, drawn_, direction, options_);
        std::vector<bool> seen(places_.size());
        double area = 0;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            seen[k] = places_[k].tight || !filled.contains(places_[k].probe);
            if (seen[k]) area += places_[k].area;
        }
        const double volume = filled.volume();
        report_.candidates.push_back({direction, area / report_.area, volume, over(volume)});
        seen_.push_back(std::move(seen));
    }

    [[nodiscard]] double gain_of(const std::vector<bool>& seen) const {
        double area = 0;
        for (std::size_t k = 0; k < places_.size(); ++k)
            if (seen[k] && !covered_[k]) area += places_[k].area;
        return area / report_.area;
    }

    // Among directions that see equally much, the one that fills least; among those that fill equally much, the first:
    // axes come before the others.
    bool choose_next() {
        std::size_t best = 0;
        double most = -1;
        for (std::size_t k = 0; k < seen_.size(); ++k) {
            const double gain = gain_of(seen_[k]);
            const bool fills_less = report_.candidates[k].filled < 0.98 * report_.candidates[best].filled;
            if (gain > most + 1e-3 || (gain > most - 1e-3 && fills_less)) best = k, most = gain;
        }
        const bool first = report_.chosen.empty();
        if (!first && !(most > options_.min_gain)) return false;
        for (std::size_t k = 0; k < covered_.size(); ++k) covered_[k] = covered_[k] || seen_[best][k];
        report_.chosen.push_back(report_.candidates[best]);
        report_.seen_by_chosen.push_back(std::min(1.0, (first ? 0.0 : report_.seen_by_chosen.back()) + most));
        chosen_.push_back(fill(backend_, drawn_, report_.candidates[best].direction, options_));
        return true;
    }

    // The part of the gaps between layers of the first direction that all directions fill. A difference of two volumes
    // would be dominated by the pixels along silhouettes.
    void measure_concavity() {
        if (!volume_) return void(report_.filled = common_volume(chosen_, [](std::size_t, double) { return true; }));
        const DepthObject object(backend_, mesh_,
                                 std::array{Projection{report_.chosen.front().direction, DepthSides::layers}},
                                 {.pixels = options_.pixels, .max_layers = 64});
        const ProjectionMaps& layers = object.parts()[0].maps[0];
        report_.concavity = common_volume(
            chosen_, [&](std::size_t pixel, double depth) { return !layers.solid(pixel, static_cast<float>(depth)); });
        report_.filled = *volume_ + *report_.concavity;
    }

    void report_unseen() {
        std::vector<std::array<int, 2>> counts(mesh_.triangles.size(), {0, 0});
        for (std::size_t k = 0; k < places_.size(); ++k) {
            ++counts[places_[k].triangle][covered_[k] ? 1 : 0];
            if (covered_[k]) continue;
            report_.unseen_area += places_[k].area;
            report_.unseen_bounds.extend(places_[k].point);
        }
        for (std::size_t t = 0; t < counts.size(); ++t) {
            const int all = counts[t][0] + counts[t][1];
            report_.seen_shares.push_back(all == 0 ? 1.0f : static_cast<float>(counts[t][1]) / static_cast<float>(all));
            if (report_.seen_shares.back() < 0.5f) report_.hidden.push_back(static_cast<Index>(t));
        }
    }

    DepthBackend& backend_;
    const DirectionOptions& options_;
    const TriangleMesh& mesh_;
    std::shared_ptr<const DrawnMesh> drawn_;
    DirectionReport report_;
    std::optional<double> volume_;
    std::vector<SurfacePlace> places_;
    std::vector<std::vector<bool>> seen_; // by candidate and sample
    std::vector<bool> covered_;           // by sample: seen by a chosen direction
    std::vector<Filled> chosen_;
};

} // namespace

std::vector<Projection> DirectionReport::projections() const {
    std::vector<Projection> all;
    for (const DirectionSight& sight : chosen) all.push_back({sight.direction, sides});
    return all;
}

DirectionReport choose_directions(DepthBackend& backend, const TriangleMesh& mesh, const DirectionOptions& options) {
    check(mesh);
    check(options);
    return Choice(backend, mesh, options).run();
}

} // namespace fathom
