// Candidates, their hulls and scores.
#include <fathom/detect/decomposition/hull_cut.h>

#include <fathom/base/parallel.h>

#include <algorithm>
#include <cmath>

namespace fathom::decomposition {

namespace {

constexpr std::size_t reflex_planes = 6; // candidates per axis at level reflex edges
constexpr double margin = 1e-3;          // between the hull of a cell and its box, where the box is not a cut
constexpr double clearly = 1 - 1e-6;     // a score must be better by this factor, so that rounding decides nothing

double volume_of(const convex::Hull& hull) {
    if (hull.dimension < 3) return 0;
    Vec3 center = Vec3::Zero();
    for (const Vec3& p : hull.vertices) center += p;
    center /= static_cast<double>(hull.vertices.size());
    double volume = 0;
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
        const auto face = hull.face(f);
        const Vec3 a = hull.vertices[face[0]] - center;
        for (std::size_t k = 2; k < face.size(); ++k)
            volume += std::abs(a.dot((hull.vertices[face[k - 1]] - center).cross(hull.vertices[face[k]] - center)));
    }
    return volume / 6;
}

// Evenly spread on a spiral, after the directions of a cube's corners, edges and faces.
std::vector<Vec3> spread_directions() {
    constexpr int on_spiral = 80;
    std::vector<Vec3> out;
    for (int k = 0; k < 27; ++k)
        if (const Eigen::Vector3i n(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1); !n.isZero())
            out.push_back(n.cast<double>().normalized());
    for (int k = 0; k < on_spiral; ++k) {
        const double z = 1 - (2 * k + 1.0) / on_spiral, turn = 2.399963229728653 * k, r = std::sqrt(1 - z * z);
        out.emplace_back(r * std::cos(turn), r * std::sin(turn), z);
    }
    return out;
}

struct Candidate {
    int axis = 0;
    double plane = 0;
    double room = 0; // to the next candidate, for refinement; 0 for a plane that must stay where it is
    double score = infinity;
};

// Planes of one axis, ascending, without those nearer together than `apart`; exact ones take precedence.
struct Planes {
    std::vector<double> exact, loose;

    [[nodiscard]] std::vector<Candidate> between(double lower, double upper, double apart, int axis) const {
        std::vector<Candidate> out;
        const auto add = [&](const std::vector<double>& list, bool fixed) {
            for (const double c : list) {
                const bool near = std::any_of(out.begin(), out.end(), [&](const Candidate& other) {
                    return std::abs(other.plane - c) < (fixed ? 4 * on_plane : apart);
                });
                if (!near && c >= lower + apart && c <= upper - apart) out.push_back({axis, c, fixed ? 0.0 : 1.0});
            }
        };
        add(exact, true);
        add(loose, false);
        std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.plane < b.plane; });
        return out;
    }
};

// The levels of reflex edges in the cell with the largest weights.
std::vector<double> reflex_levels(const Cell& cell, int axis) {
    struct Level {
        double at, weight;
    };
    std::vector<Level> levels;
    for (const ReflexEdge& edge : cell.surface->reflex_edges())
        if (edge.axis == axis && cell.box.overlaps(edge.bounds)) levels.push_back({edge.level, edge.weight});
    std::sort(levels.begin(), levels.end(),
              [](const Level& a, const Level& b) { return a.at != b.at ? a.at < b.at : a.weight < b.weight; });
    std::vector<Level> joined;
    for (const Level& level : levels) {
        if (!joined.empty() && level.at - joined.back().at <= 2 * on_plane)
            joined.back().weight += level.weight;
        else
            joined.push_back(level);
    }
    std::stable_sort(joined.begin(), joined.end(),
                     [](const Level& a, const Level& b) { return coarse(a.weight) > coarse(b.weight); });
    if (joined.size() > reflex_planes) joined.resize(reflex_planes);
    std::vector<double> out;
    out.reserve(joined.size());
    for (const Level& level : joined) out.push_back(level.at);
    return out;
}

std::vector<Candidate> candidates_of(const Cell& cell, const GapTree& gaps, int axis, const CutOptions& options) {
    const double lower = cell.box.lower[axis], upper = cell.box.upper[axis];
    Planes planes{reflex_levels(cell, axis), {}};
    if (cell.part.gap.depth > 0) { // the deepest place, and the wall of the solid nearest to it
        const Sample sample = gaps.solid().sample(cell.part.gap.place);
        const double place = cell.part.gap.place[axis];
        planes.loose = {place - sample.distance * sample.gradient[axis], place};
    }
    for (int k = 1; k <= options.planes; ++k)
        planes.loose.push_back(lower + (upper - lower) * k / (options.planes + 1));
    return planes.between(lower, upper, std::max(options.thinnest, 0.02 * (upper - lower)), axis);
}

// ---- Scores

std::vector<Vec3> joined(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    std::vector<Vec3> out = a;
    out.insert(out.end(), b.begin(), b.end());
    return out;
}

Box slab_box(const Box& box, int axis, double lower, double upper) {
    Box slab = box;
    slab.lower[axis] = std::max(lower, box.lower[axis]);
    slab.upper[axis] = std::min(upper, box.upper[axis]);
    return slab;
}

// Points of the hulls of the slabs between the planes.
std::vector<std::vector<Vec3>> slab_corners(const Cell& cell, int axis, std::span<const double> planes) {
    auto slabs = sliced(cell.polygons, cell.surface->mesh().vertices.size(), axis, planes);
    for (std::size_t k = 0; k < slabs.size(); ++k) {
        append_inside_corners(
            *cell.surface,
            slab_box(cell.box, axis, k > 0 ? planes[k - 1] : -infinity, k < planes.size() ? planes[k] : infinity),
            slabs[k]);
        slabs[k] = thinned(std::move(slabs[k]));
    }
    return slabs;
}

// The parts below each plane, or above it.
std::vector<HullPart> accumulated(const std::vector<std::vector<Vec3>>& slabs, bool from_below) {
    std::vector<HullPart> parts(slabs.size() - 1);
    std::vector<Vec3> points;
    for (std::size_t step = 0; step + 1 < slabs.size(); ++step) {
        const std::size_t slab = from_below ? step : slabs.size() - 1 - step;
        points = thinned(joined(points, slabs[slab]));
        HullPart& part = parts[from_below ? slab : slab - 1];
        if (points.empty()) continue;
        part = part_of(points);
        points = part.hull.vertices;
    }
    return parts;
}

double score_of(const Cell& cell, const HullPart& a, const HullPart& b, double weight) {
    const double gap = std::max(a.gap.depth, b.gap.depth), mean = 0.5 * (a.gap.depth + b.gap.depth);
    return (a.volume + b.volume) / cell.part.volume + weight * (0.7 * gap + 0.3 * mean) / cell.part.gap.depth;
}

void score(const Cell& cell, const GapTree& gaps, const CutOptions& options, std::vector<Candidate>& candidates) {
    if (candidates.empty()) return;
    const int axis = candidates.front().axis;
    std::vector<double> planes;
    planes.reserve(candidates.size());
    for (const Candidate& c : candidates) planes.push_back(c.plane);
    const auto slabs = slab_corners(cell, axis, planes);
    std::vector<HullPart> below = accumulated(slabs, true), above = accumulated(slabs, false);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        if (below[k].volume <= 0 || above[k].volume <= 0) continue;
        below[k].gap = gaps.estimate(below[k].hull);
        above[k].gap = gaps.estimate(above[k].hull);
        candidates[k].score = score_of(cell, below[k], above[k], options.gap_weight);
    }
}

std::vector<Candidate> scored(const Cell& cell, const GapTree& gaps, const CutOptions& options) {
    std::array<std::vector<Candidate>, 3> axes;
    parallel_tasks(3, [&](std::size_t k) {
        const int axis = static_cast<int>(k);
        axes[k] = candidates_of(cell, gaps, axis, options);
        score(cell, gaps, options, axes[k]);
        for (std::size_t c = 0; c < axes[k].size(); ++c) {
            if (axes[k][c].room == 0) continue;
            const double before = c > 0 ? axes[k][c - 1].plane : cell.box.lower[axis];
            const double after = c + 1 < axes[k].size() ? axes[k][c + 1].plane : cell.box.upper[axis];
            axes[k][c].room = std::min(axes[k][c].plane - before, after - axes[k][c].plane);
        }
    });
    std::vector<Candidate> all;
    for (const auto& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
    std::erase_if(all, [](const Candidate& c) { return c.score == infinity; });
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return coarse(a.score) < coarse(b.score); });
    return all;
}

Candidate refined(const Cell& cell, const GapTree& gaps, const CutOptions& options, Candidate best) {
    constexpr int steps = 3; // on each side
    if (best.room == 0) return best;
    std::vector<Candidate> near;
    for (int k = -steps; k <= steps; ++k)
        if (k != 0) near.push_back({best.axis, best.plane + best.room * k / (steps + 1)});
    score(cell, gaps, options, near);
    for (const Candidate& c : near)
        if (c.score < clearly * best.score) best = c;
    return best;
}

// The box without the room in which the cell is empty. Sides that are cuts through the solid stay.
Box shrunk(Box box, const convex::Hull& hull) {
    const Box tight = bounds(hull.vertices);
    for (int axis = 0; axis < 3; ++axis) {
        if (tight.lower[axis] > box.lower[axis] + 2 * margin) box.lower[axis] = tight.lower[axis] - margin;
        if (tight.upper[axis] < box.upper[axis] - 2 * margin) box.upper[axis] = tight.upper[axis] + margin;
    }
    return box;
}

Cell cell_of(std::shared_ptr<const PieceSurface> surface, Polygons polygons, const Box& box, const GapTree& gaps) {
    std::vector<Vec3> points = std::move(sliced(polygons, surface->mesh().vertices.size(), 0, {}).front());
    append_inside_corners(*surface, box, points);
    HullPart part = part_of(points);
    part.gap = gaps.estimate(part.hull);
    const Box tight = shrunk(box, part.hull);
    return {std::move(surface), std::move(polygons), tight, std::move(part)};
}

std::array<Cell, 2> divided(const Cell& cell, const GapTree& gaps, const Candidate& at) {
    std::array<Polygons, 2> polygons = split(cell.polygons, at.axis, at.plane);
    std::array<Cell, 2> sides;
    parallel_tasks(2, [&](std::size_t k) {
        const Box box = slab_box(cell.box, at.axis, k == 0 ? -infinity : at.plane, k == 0 ? at.plane : infinity);
        sides[k] = cell_of(cell.surface, std::move(polygons[k]), box, gaps);
    });
    return sides;
}

} // namespace

std::vector<Vec3> thinned(std::vector<Vec3> points) {
    static const std::vector<Vec3> directions = spread_directions();
    if (points.size() <= directions.size()) return points;
    std::vector<bool> kept(points.size(), false);
    for (const Vec3& n : directions) {
        std::size_t best = 0;
        double farthest = -infinity;
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double height = n.dot(points[k]);
            if (height > farthest) farthest = height, best = k;
        }
        kept[best] = true;
    }
    std::vector<Vec3> out;
    for (std::size_t k = 0; k < points.size(); ++k)
        if (kept[k]) out.push_back(points[k]);
    return out;
}

HullPart part_of(std::span<const Vec3> points) {
    HullPart part{convex::make_hull(points)};
    part.volume = volume_of(part.hull);
    return part;
}

Cell whole(std::shared_ptr<const PieceSurface> surface, const GapTree& gaps) {
    const Box box = bounds(surface->mesh().vertices).grown(margin);
    Polygons polygons = Polygons::of(surface->mesh());
    return cell_of(std::move(surface), std::move(polygons), box, gaps);
}

std::optional<std::array<Cell, 2>> cut(const Cell& cell, const GapTree& gaps, const CutOptions& options) {
    if (cell.part.volume <= 0 || cell.part.gap.depth <= 0) return std::nullopt;
    const std::vector<Candidate> candidates = scored(cell, gaps, options);
    if (candidates.empty()) return std::nullopt;
    return divided(cell, gaps, refined(cell, gaps, options, candidates.front()));
}

} // namespace fathom::decomposition
