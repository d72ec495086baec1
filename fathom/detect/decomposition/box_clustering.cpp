// Clusters a cloud into parts: splits wasteful parts, merges similar ones, moves the borders.
#include <fathom/detect/decomposition/box_clustering.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/geometry/primitive/oriented_box.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fathom {

// ---- Cells that may contain interior, halved level by level

namespace {

// Cubes that cover the bounds, at most four along the longest side.
std::vector<InsideCell> first_cells(const Box& bounds) {
    const double rounding = relative_rounding * (bounds.size().maxCoeff() +
                                                 bounds.lower.cwiseAbs().cwiseMax(bounds.upper.cwiseAbs()).maxCoeff());
    const Box box = bounds.grown(std::max(rounding, 1e-300));
    const double side = box.size().maxCoeff() / 4;
    Eigen::Vector3i count;
    for (int k = 0; k < 3; ++k) count[k] = std::clamp(static_cast<int>(std::ceil(box.size()[k] / side)), 1, 4);
    const Vec3 lower = box.center() - 0.5 * side * count.cast<double>();
    std::vector<InsideCell> cells;
    for (int z = 0; z < count.z(); ++z)
        for (int y = 0; y < count.y(); ++y)
            for (int x = 0; x < count.x(); ++x) {
                const auto at = [&](int i, int j, int k) { return Vec3(lower + side * Vec3(i, j, k)); };
                cells.push_back(
                    {{at(x, y, z).cwiseMax(box.lower), at(x + 1, y + 1, z + 1).cwiseMin(box.upper)}, false});
            }
    return cells;
}

// Drops cells that are certainly outside.
void keep_open(const Field& field, std::vector<InsideCell>& cells) {
    constexpr std::size_t chunk = 256;
    std::vector<Interval> ranges(cells.size());
    parallel_for(cells.size(), chunk, [&](std::size_t begin, std::size_t end) {
        std::array<Box, chunk> boxes;
        for (std::size_t k = begin; k < end; ++k) boxes[k - begin] = cells[k].box;
        field.ranges({boxes.data(), end - begin}, std::span(ranges).subspan(begin, end - begin));
    });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        if (ranges[k].lower > 0) continue;
        cells[kept++] = {cells[k].box, ranges[k].upper <= 0};
    }
    cells.resize(kept);
}

void add_eighths(const Box& box, std::vector<InsideCell>& out) {
    const Vec3 middle = box.center();
    for (int k = 0; k < 8; ++k) {
        const Vec3 corner = box.corner(k);
        out.push_back({{corner.cwiseMin(middle), corner.cwiseMax(middle)}, false});
    }
}

} // namespace

std::vector<InsideCell> inside_cells(const Field& field, const InsideCellOptions& options,
                                     CallableRef<bool(const InsideCell&)> settled) {
    const Box bounds = field.bounds();
    if (bounds.empty()) return {};
    if (!is_finite(bounds.lower) || !is_finite(bounds.upper))
        throw Error(Cause::invalid_argument, "the field has no finite bounds");
    if (!(options.min_side > 0))
        throw Error(Cause::invalid_argument, "must be above 0", {.element = "option min_side"});
    std::vector<InsideCell> open = first_cells(bounds), done;
    for (;;) {
        keep_open(field, open);
        std::vector<InsideCell> cut;
        for (const InsideCell& cell : open) {
            const bool small = cell.box.size().maxCoeff() <= options.min_side * (1 + 1e-9);
            (small || settled(cell) ? done : cut).push_back(cell);
        }
        if (cut.empty()) return done;
        if (done.size() + 4 * cut.size() > options.max_cells) { // about half of eight children are ruled out again
            done.insert(done.end(), cut.begin(), cut.end());
            return done;
        }
        open.clear();
        for (const InsideCell& cell : cut) add_eighths(cell.box, open);
    }
}

double natural_cell(const Field& field) {
    if (field.resolution() > 0) return field.resolution();
    const double side = field.bounds().size().maxCoeff();
    return side > 0 && std::isfinite(side) ? side / 128 : 1e-300;
}

namespace {

using Members = std::vector<Index>;

struct Part {
    Members members;
    Quat axes = Quat::Identity();
    Box local;       // extent along the axes
    double bulk = 0; // volume of the box including the spacing
    double waste = 0;
};

// Plain doubles: most of the time is spent here.
void extend_by(Box& box, const Mat3& to_local, const CloudPoint& point) {
    for (int k = 0; k < 3; ++k) {
        const double middle =
            to_local(k, 0) * point.place[0] + to_local(k, 1) * point.place[1] + to_local(k, 2) * point.place[2];
        box.lower[k] = std::min(box.lower[k], middle - point.radius);
        box.upper[k] = std::max(box.upper[k], middle + point.radius);
    }
}

class PartSearch {
public:
    PartSearch(std::span<const CloudPoint> cloud, const PartSearchOptions& options)
        : cloud_(cloud), options_(options) {}

    std::vector<Part> run() {
        Members all(cloud_.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
        std::vector<Vec3> places;
        for (const CloudPoint& point : cloud_) places.push_back(point.place);
        std::vector<Part> parts = {fitted(all, {})};
        // The covariance of a rotated block has no distinct direction; for other shapes, precise axes of the whole
        // mislead the first splits.
        Part careful = fitted(std::move(all), {fitted_box(places).pose.rotation});
        if (careful.bulk < 0.85 * parts[0].bulk) parts[0] = std::move(careful);
        const int wanted = options_.parts > 0 ? options_.parts : options_.max_parts;
        split_wasteful(parts, static_cast<std::size_t>(2 * wanted));
        parts = joined(std::move(parts));
        for (int round = 0; round < 3; ++round) {
            const double before = total(parts);
            move_borders(parts);
            split_again(parts);
            if (!(total(parts) < before * (1 - 1e-3))) break;
        }
        return parts;
    }

private:
    [[nodiscard]] double bulk(const Box& local) const {
        return (local.size() + Vec3::Constant(options_.spacing)).prod();
    }

    [[nodiscard]] static double total(const std::vector<Part>& parts) {
        double sum = 0;
        for (const Part& part : parts) sum += part.bulk;
        return sum;
    }

    [[nodiscard]] Box extent(const Members& members, const Quat& axes) const {
        const Mat3 to_local = axes.conjugate().toRotationMatrix();
        Box local;
        for (const Index m : members) extend_by(local, to_local, cloud_[m]);
        return local;
    }

    [[nodiscard]] Quat spread_axes(const Members& members) const {
        Vec3 mean = Vec3::Zero();
        for (const Index m : members) mean += cloud_[m].place;
        mean /= static_cast<double>(members.size());
        Mat3 spread = Mat3::Zero();
        for (const Index m : members) spread += (cloud_[m].place - mean) * (cloud_[m].place - mean).transpose();
        return axes_of(spread);
    }

    // Candidate axes: of the covariance of positions, of the covariance of normals (which gives the faces of angular
    // shapes), of the frame itself, and the hints.
    [[nodiscard]] Part fitted(Members members, std::initializer_list<Quat> hints) const {
        Mat3 normals = Mat3::Zero();
        double inside = 0;
        for (const Index m : members) {
            normals += cloud_[m].normal * cloud_[m].normal.transpose();
            inside += cloud_[m].volume;
        }
        Part best{.members = {},
                  .axes = Quat::Identity(),
                  .local = {},
                  .bulk = std::numeric_limits<double>::infinity(),
                  .waste = 0};
        const auto consider = [&](const Quat& axes) {
            const Box local = extent(members, axes);
            if (bulk(local) < best.bulk) best.axes = axes, best.local = local, best.bulk = bulk(local);
        };
        consider(Quat::Identity());
        consider(spread_axes(members));
        consider(axes_of(normals));
        for (const Quat& axes : hints) consider(axes);
        best.waste = best.local.volume() - inside;
        best.members = std::move(members);
        return best;
    }

    // ---- Splitting

    struct Plane {
        double bulk = std::numeric_limits<double>::infinity();
        std::size_t count = 0; // number of members before it
        Members sorted;
    };

    // The plane across one axis of `axes` for which the boxes along the axes on both sides are smallest.
    [[nodiscard]] Plane best_plane(const Members& members, const Mat3& to_local, int axis) const {
        const std::size_t n = members.size();
        std::vector<std::pair<double, Index>> order(n);
        for (std::size_t k = 0; k < n; ++k) order[k] = {to_local.row(axis).dot(cloud_[members[k]].place), members[k]};
        std::sort(order.begin(), order.end());
        std::vector<double> after(n + 1, 0);
        Box box;
        const auto add = [&](std::size_t k) { extend_by(box, to_local, cloud_[order[k].second]); };
        for (std::size_t k = n; k-- > 0;) add(k), after[k] = bulk(box);
        Plane plane;
        box = Box{};
        for (std::size_t k = 0; k + 1 < n; ++k) {
            add(k);
            const bool sliver = std::min(k + 1, n - k - 1) < n / 20; // useful only if it saves volume
            const double sum = bulk(box) + after[k + 1] + (sliver ? 0.02 * after[0] : 0);
            if (order[k].first < order[k + 1].first && sum < plane.bulk) plane.bulk = sum, plane.count = k + 1;
        }
        if (plane.count > 0)
            for (const auto& [along, member] : order) plane.sorted.push_back(member);
        return plane;
    }

    struct Halves {
        Part low, high;
        double bulk = std::numeric_limits<double>::infinity();
    };

    // Across the axes of every frame.
    [[nodiscard]] Halves best_cut(const Members& members, std::initializer_list<Quat> frames) const {
        std::vector<Halves> tried(3 * frames.size());
        parallel_tasks(tried.size(), [&](std::size_t k) {
            const Quat& axes = frames.begin()[k / 3];
            const Plane plane = best_plane(members, axes.conjugate().toRotationMatrix(), static_cast<int>(k % 3));
            if (plane.count == 0) return;
            const auto middle = plane.sorted.begin() + static_cast<std::ptrdiff_t>(plane.count);
            Halves& halves = tried[k];
            halves.low = fitted(Members(plane.sorted.begin(), middle), {axes});
            halves.high = fitted(Members(middle, plane.sorted.end()), {axes});
            halves.bulk = halves.low.bulk + halves.high.bulk;
        });
        return std::move(*std::min_element(tried.begin(), tried.end(),
                                           [](const Halves& a, const Halves& b) { return a.bulk < b.bulk; }));
    }

    // Splits the part where that saves most; if no split saves, the part that wastes most: the split may pay once the
    // halves are split.
    void split_wasteful(std::vector<Part>& parts, std::size_t count) const {
        const double enough = 5e-3 * parts[0].bulk;
        const auto cut_of = [&](const Part& part) {
            const bool full = part.waste < std::max(enough, 0.03 * part.bulk);
            return full ? Halves{} : best_cut(part.members, {part.axes, spread_axes(part.members), Quat::Identity()});
        };
        std::vector<Halves> cuts = {cut_of(parts[0])};
        while (parts.size() < count) {
            std::size_t best = parts.size();
            double most = 0;
            for (std::size_t k = 0; k < parts.size(); ++k) {
                if (cuts[k].low.members.empty()) continue;
                const double gain = parts[k].bulk - cuts[k].bulk + 0.1 * parts[k].waste;
                if (best == parts.size() || gain > most) most = gain, best = k;
            }
            if (best == parts.size()) return;
            Halves halves = std::move(cuts[best]);
            cuts[best] = cut_of(halves.low);
            cuts.push_back(cut_of(halves.high));
            parts[best] = std::move(halves.low);
            parts.push_back(std::move(halves.high));
        }
    }

    // ---- Merging

    [[nodiscard]] Part united(const Part& a, const Part& b) const {
        Members members = a.members;
        members.insert(members.end(), b.members.begin(), b.members.end());
        return fitted(std::move(members), {a.axes, b.axes});
    }

    // The increase of volume by merging i and j, for every pair i < j.
    [[nodiscard]] double price_of(const std::vector<Part>& parts, std::size_t i, std::size_t j) const {
        return united(parts[i], parts[j]).bulk - parts[i].bulk - parts[j].bulk;
    }

    [[nodiscard]] double score(const std::vector<Part>& parts) const {
        return std::log(total(parts)) + static_cast<double>(parts.size()) * std::log1p(options_.worth);
    }

    // Merges down to one part and returns the best number of parts on the way, or the requested one.
    [[nodiscard]] std::vector<Part> joined(std::vector<Part> parts) const {
        const auto wanted = static_cast<std::size_t>(options_.parts),
                   most = static_cast<std::size_t>(options_.max_parts);
        const std::size_t n = parts.size();
        std::vector<double> price(n * n, std::numeric_limits<double>::infinity());
        parallel_tasks(n, [&](std::size_t i) {
            for (std::size_t j = i + 1; j < n; ++j) price[i * n + j] = price_of(parts, i, j);
        });
        std::vector<Part> best = parts;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t left = n;; --left) {
            std::vector<Part> present;
            for (const Part& part : parts)
                if (!part.members.empty()) present.push_back(part);
            if (wanted > 0 && left <= wanted) return present;
            if (wanted == 0 && left <= most && score(present) < least) least = score(present), best = present;
            if (left == 1) return best;
            const auto cheapest =
                static_cast<std::size_t>(std::min_element(price.begin(), price.end()) - price.begin());
            const std::size_t i = cheapest / n, j = cheapest % n;
            parts[i] = united(parts[i], parts[j]);
            parts[j] = Part{};
            parallel_tasks(n, [&](std::size_t k) {
                price[std::min(j, k) * n + std::max(j, k)] = std::numeric_limits<double>::infinity();
                if (k != i && !parts[k].members.empty())
                    price[std::min(i, k) * n + std::max(i, k)] = price_of(parts, std::min(i, k), std::max(i, k));
            });
        }
    }

    // ---- Borders

    // Depth below the surface of the part's box, negative outside (m).
    [[nodiscard]] static double depth_in(const Part& part, const Vec3& p) {
        const Vec3 q = part.axes.conjugate() * p;
        return std::min((q - part.local.lower).minCoeff(), (part.local.upper - q).minCoeff());
    }

    // Assigns every point to the box in which it is deepest, if the volume decreases.
    void move_borders(std::vector<Part>& parts) const {
        for (int round = 0; round < 4; ++round) {
            std::vector<Members> members(parts.size());
            for (std::size_t m = 0; m < cloud_.size(); ++m) {
                std::size_t best = 0;
                double deepest = -std::numeric_limits<double>::infinity();
                for (std::size_t k = 0; k < parts.size(); ++k) {
                    const double depth = depth_in(parts[k], cloud_[m].place);
                    if (depth > deepest) deepest = depth, best = k;
                }
                members[best].push_back(static_cast<Index>(m));
            }
            std::vector<Part> moved;
            for (std::size_t k = 0; k < parts.size(); ++k)
                if (!members[k].empty()) moved.push_back(fitted(std::move(members[k]), {parts[k].axes}));
            if (!(total(moved) < total(parts) * (1 - 1e-4)) || (options_.parts > 0 && moved.size() < parts.size()))
                return;
            parts = std::move(moved);
        }
    }

    // Merges two neighbours and splits them at the best plane.
    void split_again(std::vector<Part>& parts) const {
        for (std::size_t i = 0; i < parts.size(); ++i)
            for (std::size_t j = i + 1; j < parts.size(); ++j) {
                if (!boxes_overlap(oriented_box(parts[i]), oriented_box(parts[j]))) continue;
                const Part both = united(parts[i], parts[j]);
                Halves halves = best_cut(both.members, {both.axes, parts[i].axes, parts[j].axes});
                if (!(halves.bulk < (1 - 1e-3) * (parts[i].bulk + parts[j].bulk))) continue;
                parts[i] = std::move(halves.low);
                parts[j] = std::move(halves.high);
            }
    }

    [[nodiscard]] OrientedBox oriented_box(const Part& part) const {
        return {{part.axes, part.axes * part.local.center()}, part.local.half() + Vec3::Constant(options_.spacing)};
    }

    std::span<const CloudPoint> cloud_;
    const PartSearchOptions& options_;
};

// The axes found so far, or those of a precise fit.
OrientedBox final_box(std::span<const CloudPoint> cloud, const Part& part, double spacing) {
    std::vector<Vec3> places;
    for (const Index m : part.members) places.push_back(cloud[m].place);
    const auto around_spheres = [&](const Quat& axes) {
        const Mat3 to_local = axes.conjugate().toRotationMatrix();
        Box local;
        for (const Index m : part.members) extend_by(local, to_local, cloud[m]);
        return OrientedBox{{axes, axes * local.center()}, local.half()};
    };
    const OrientedBox as_found = around_spheres(part.axes), fine = around_spheres(fitted_box(places).pose.rotation);
    const Vec3 gap = Vec3::Constant(0.5 * spacing);
    return (fine.half + gap).prod() < (as_found.half + gap).prod() ? fine : as_found;
}

} // namespace

std::vector<OrientedBox> search_parts(std::span<const CloudPoint> cloud, const PartSearchOptions& options) {
    if (cloud.empty()) return {};
    const std::vector<Part> parts = PartSearch(cloud, options).run();
    std::vector<OrientedBox> boxes(parts.size());
    parallel_tasks(parts.size(), [&](std::size_t k) { boxes[k] = final_box(cloud, parts[k], options.spacing); });
    return boxes;
}

} // namespace fathom
