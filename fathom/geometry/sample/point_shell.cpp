// Point shells from vertices, random samples and repulsion.
#include <fathom/geometry/sample/point_shell.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/geometry/sample/shell_surface.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

namespace fathom {

// ---- Point grid.

PointGrid::PointGrid(std::span<const Vec3> points, double cell) {
    for (const Vec3& p : points) bounds_.extend(p);
    if (points.empty()) bounds_ = {Vec3::Zero(), Vec3::Zero()};
    cell_ = std::max(cell, bounds_.size().maxCoeff() / widest);
    if (!(cell_ > 0)) cell_ = 1;
    const int bits = std::clamp(static_cast<int>(std::bit_width(points.size())) - 1, 1, 30);
    shift_ = 64 - bits;
    struct Entry {
        std::size_t bucket;
        std::uint64_t key;
        Index point;
    };
    std::vector<Entry> entries(points.size());
    start_.assign((std::size_t{1} << bits) + 1, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::uint64_t k = key(lattice(points[i]));
        entries[i] = {bucket_of(k), k, static_cast<Index>(i)};
        ++start_[entries[i].bucket + 1];
    }
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.bucket, a.key, a.point) < std::tie(b.bucket, b.key, b.point);
    });
    keys_.reserve(points.size());
    order_.reserve(points.size());
    sorted_.reserve(points.size());
    for (const Entry& entry : entries) {
        keys_.push_back(entry.key);
        order_.push_back(entry.point);
        sorted_.push_back(points[entry.point]);
    }
}

namespace {

constexpr std::size_t max_points = 100'000'000;

// Spacing of a hexagonal packing, which has one point per area of sqrt(3)/2 spacing^2.
double hexagonal_spacing(double area, std::size_t count) {
    return std::sqrt(area / static_cast<double>(count) * 2 / 1.7320508075688772);
}

std::size_t wanted_count(const ShellSurface& surface, std::size_t count, double spacing) {
    const auto refuse = [](const char* option, std::string reason) {
        throw Error(Cause::invalid_argument, std::move(reason), {.element = fmt::format("option {}", option)});
    };
    if (spacing == 0) {
        if (count < 1 || count > max_points)
            refuse("count", fmt::format("count is {}, outside [1, {}]", count, max_points));
        return count;
    }
    const double points = surface.area() / (spacing * spacing) * 2 / 1.7320508075688772;
    if (!(spacing > 0) || !(points <= static_cast<double>(max_points)))
        refuse("spacing",
               fmt::format("spacing {} m requires {:.3g} points, outside [1, {}]", spacing, points, max_points));
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(points + 0.5)));
}

PointShell shell_of(const ShellSurface& surface, const std::vector<SurfaceSpot>& spots) {
    PointShell shell;
    shell.points.resize(spots.size());
    shell.normals.resize(spots.size());
    shell.triangles.resize(spots.size());
    parallel_for(spots.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            shell.points[i] = spots[i].point;
            shell.normals[i] = surface.normal_at(spots[i]);
            shell.triangles[i] = spots[i].triangle;
        }
    });
    return shell;
}

// False for points on the two sides of a thin wall, which are not neighbours.
bool face_alike(const Vec3& a, const Vec3& b) { return a.dot(b) > -0.5; }

} // namespace

PointShell vertex_shell(const TriangleMesh& mesh) {
    const ShellSurface surface(mesh, 3.1415926);
    PointShell shell;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (surface.around(v).empty()) continue;
        Vec3 sum = Vec3::Zero();
        for (const Index t : surface.around(v)) {
            const Triangle& c = mesh.triangles[t];
            sum += weighted_normal(mesh, t, static_cast<std::size_t>(std::find(c.begin(), c.end(), v) - c.begin()));
        }
        const double length = std::sqrt(sum.squaredNorm());
        const bool clear = length > 0 && std::isfinite(length);
        shell.points.push_back(mesh.vertices[v]);
        shell.normals.push_back(clear ? Vec3(sum / length) : surface.walker().normal(surface.around(v).front()));
        shell.triangles.push_back(surface.around(v).front());
    }
    return shell;
}

PointShell random_shell(const TriangleMesh& mesh, const RandomShellOptions& options) {
    const ShellSurface surface(mesh, options.crease_angle);
    Random random(options.seed);
    return shell_of(surface, surface.random_spots(wanted_count(surface, options.count, options.spacing), random));
}

namespace {

// Particles on a surface; the first `kept` are fixed.
class Repulsion {
public:
    Repulsion(const ShellSurface& surface, std::vector<SurfaceSpot> spots, std::size_t kept)
        : surface_(surface), spots_(std::move(spots)), kept_(kept),
          spacing_(hexagonal_spacing(surface.area(), spots_.size())) {
        next_ = spots_;
    }

    // All particles move at once, by their positions before the round, so the order does not matter.
    void round(double strength) {
        std::vector<Vec3> points(spots_.size());
        for (std::size_t i = 0; i < spots_.size(); ++i) points[i] = spots_[i].point;
        const PointGrid grid(points, reach * spacing_);
        parallel_for(spots_.size() - kept_, 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = kept_ + begin; i < kept_ + end; ++i) {
                const Vec3 move = strength * spacing_ * push(grid, points, i);
                const double length = std::sqrt(move.squaredNorm());
                const double limit = 0.3 * spacing_;
                moved_or_same(i, length > limit ? Vec3(move * (limit / length)) : move);
            }
        });
        spots_.swap(next_);
    }

    [[nodiscard]] const std::vector<SurfaceSpot>& spots() const { return spots_; }

private:
    static constexpr double reach = 1.7; // in spacings; slightly less than the second ring of a hexagonal packing

    // Factor of the repulsion of fixed points. A crease has neighbours on one side only, which would otherwise be too
    // close to it.
    static constexpr double kept_push = 2.5;

    void moved_or_same(std::size_t i, const Vec3& move) {
        const SurfaceSpot spot = surface_.walker().walk(spots_[i], move);
        next_[i] = is_finite(spot.point) ? spot : spots_[i];
    }

    // Repulsion of particle i by its neighbours, in spacings.
    [[nodiscard]] Vec3 push(const PointGrid& grid, const std::vector<Vec3>& points, std::size_t i) const {
        const Vec3& p = points[i];
        const Vec3& normal = surface_.walker().normal(spots_[i].triangle);
        const double radius = reach * spacing_;
        Vec3 sum = Vec3::Zero();
        grid.near(p, radius, [&](Index j, const Vec3& q) {
            const Vec3 away = p - q;
            const double squared = away.squaredNorm();
            if (j == i || squared >= radius * radius) return;
            if (!face_alike(normal, surface_.walker().normal(spots_[j].triangle))) return;
            if (squared == 0) { // equal positions: the two particles move in opposite directions
                sum += (i < j ? 1.0 : -1.0) * any_perpendicular(normal);
                return;
            }
            const double distance = std::sqrt(squared), weight = 1 - distance / radius;
            sum += (j < kept_ ? kept_push : 1.0) * weight * weight / distance * away;
        });
        return sum;
    }

    const ShellSurface& surface_;
    std::vector<SurfaceSpot> spots_, next_;
    std::size_t kept_;
    double spacing_;
};

std::vector<SurfaceSpot> kept_spots(const ShellSurface& surface, const RepelledShellOptions& options,
                                    std::size_t count) {
    std::vector<SurfaceSpot> kept;
    if (options.keep_creases)
        kept = crease_spots(surface, hexagonal_spacing(surface.area(), count));
    else if (options.keep_corners)
        kept = corner_spots(surface);
    if (kept.size() > count)
        throw Error(
            Cause::invalid_argument,
            fmt::format("{} is less than the {} points of corners and creases; increase the count or do not keep them",
                        count, kept.size()),
            {.element = "option count"});
    return kept;
}

} // namespace

PointShell repelled_shell(const TriangleMesh& mesh, const RepelledShellOptions& options) {
    const ShellSurface surface(mesh, options.crease_angle);
    const std::size_t count = wanted_count(surface, options.count, options.spacing);
    if (options.rounds > 100'000)
        throw Error(Cause::invalid_argument, fmt::format("rounds is {}, outside [0, 100000]", options.rounds),
                    {.element = "option rounds"});
    std::vector<SurfaceSpot> spots = kept_spots(surface, options, count);
    const std::size_t kept = spots.size();
    Random random(options.seed);
    const std::vector<SurfaceSpot> free = surface.spread_spots(count - kept, random);
    spots.insert(spots.end(), free.begin(), free.end());
    Repulsion repulsion(surface, std::move(spots), kept);
    for (std::size_t k = 0; k < options.rounds; ++k)
        repulsion.round(0.5 - 0.35 * static_cast<double>(k) / static_cast<double>(options.rounds));
    return shell_of(surface, repulsion.spots());
}

namespace {

// Distance to the nearest point with a similar normal, except for the point `self`.
double nearest(const PointGrid& grid, const PointShell& shell, const Vec3& p, const Vec3& normal, std::size_t self) {
    double best = std::numeric_limits<double>::infinity();
    for (double radius = grid.cell();; radius *= 2) {
        grid.near(p, radius, [&](Index j, const Vec3& q) {
            if (j != self && face_alike(normal, shell.normals[j])) best = std::min(best, (p - q).squaredNorm());
        });
        if (best <= radius * radius || radius > 2 * grid.reach()) return std::sqrt(best);
    }
}

template <class Measure>
std::vector<double> measured(std::size_t count, Measure&& measure) {
    std::vector<double> values(count);
    parallel_for(count, 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values[i] = measure(i);
    });
    return values;
}

} // namespace

ShellQuality shell_quality(const PointShell& shell, const TriangleMesh& mesh, std::size_t samples) {
    if (shell.points.empty()) throw Error(Cause::empty, "the shell has no points");
    const ShellSurface surface(mesh, 1.0);
    const std::size_t n = shell.points.size();
    ShellQuality quality;
    quality.ideal_spacing = hexagonal_spacing(surface.area(), n);
    const PointGrid grid(shell.points, quality.ideal_spacing);
    const auto distances =
        measured(n, [&](std::size_t i) { return nearest(grid, shell, shell.points[i], shell.normals[i], i); });
    double sum = 0, squares = 0, smallest = std::numeric_limits<double>::infinity();
    std::size_t counted = 0;
    for (const double d : distances) {
        if (!std::isfinite(d)) continue; // no other point has a similar normal
        ++counted;
        sum += d;
        squares += d * d;
        smallest = std::min(smallest, d);
    }
    if (counted > 0) {
        const double mean = sum / static_cast<double>(counted);
        quality.smallest = smallest / quality.ideal_spacing;
        quality.mean = mean / quality.ideal_spacing;
        quality.variation =
            mean > 0 ? std::sqrt(std::max(0.0, squares / static_cast<double>(counted) - mean * mean)) / mean : 0;
    }
    Random random(1);
    const auto spots = surface.random_spots(samples ? samples : std::min<std::size_t>(20 * n, 10'000'000), random);
    const auto gaps = measured(spots.size(), [&](std::size_t i) {
        const double gap = nearest(grid, shell, spots[i].point, surface.walker().normal(spots[i].triangle), n);
        return std::isfinite(gap) ? gap : grid.reach();
    });
    const double ideal_gap = quality.ideal_spacing / 1.7320508075688772;
    quality.largest_gap = *std::max_element(gaps.begin(), gaps.end()) / ideal_gap;
    return quality;
}

} // namespace fathom
