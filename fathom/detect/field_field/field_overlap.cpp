// Octree over the intersection of two fields.
#include <fathom/detect/field_field/field_overlap.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>
#include <fathom/detect/bounds/octants.h>
#include <fathom/detect/bounds/transformed_field.h>

#include <fmt/format.h>

#include <array>
#include <queue>

namespace fathom::field_field {

namespace {

constexpr std::size_t family = 8;                        // maximum number of children of a cell
constexpr std::size_t parent_chunk = 64;                 // cells of one task
constexpr std::size_t max_evaluations = family * 12 + 2; // limit on evaluations to split one cell

struct Cell {
    Box box;
    std::array<TapePtr, 2> tapes;
    std::array<bool, 2> inside = {false, false}; // by field: proven to be inside; cells inside both are not stored
    double likely = 0;                           // a smaller value makes a common point more likely
    std::uint64_t number = 0;                    // in the order of creation
};

// Result of splitting some cells.
struct Found {
    std::vector<Cell> open;
    std::vector<Box> inside, border;
    std::optional<Vec3> common; // the first one, in the frame of the search
    std::size_t evaluations = 0;
};

// The children of one cell while they are classified.
struct Judged {
    std::array<Cell, family> cells;
    std::array<Vec3, family> centers;
    std::array<double, family> radii;
    std::array<std::array<double, family>, 2> values;
    std::array<bool, family> alive;
    std::size_t count = 0;
};

Interval volume_of(const Box& box) {
    Interval volume = 1;
    for (int k = 0; k < 3; ++k) volume = volume * max(Interval(box.upper[k]) - Interval(box.lower[k]), Interval(0));
    return {std::max(volume.lower, 0.0), volume.upper};
}

struct Search {
    std::array<TransformedField, 2> fields;
    double level;
    double min_side; // side of cells that are not split (m)
    double size;     // of the region (m)
    bool spheres, shorten;
    bool apart = true; // try proofs by two spheres: useful until a common point is known

    [[nodiscard]] bool is_smallest(const Box& box) const { return box.size().maxCoeff() <= min_side; }

    void children(const Cell& parent, Judged& out) const;
    void classify(Judged& judged, Found& found) const;
    void split(const Cell& parent, Found& found) const;

private:
    void evaluate_values(Judged& judged, int which, Found& found) const;
    void evaluate_ranges(Judged& judged, int which, Found& found) const;
    [[nodiscard]] bool proven_apart(const Judged& judged, std::size_t k, Found& found) const;
};

void Search::children(const Cell& parent, Judged& out) const {
    std::array<TapePtr, 2> tapes = parent.tapes; // shortening costs as much as 16 cells: not for the last level
    for (std::size_t f = 0; f < 2; ++f)
        if (shorten && parent.box.size().maxCoeff() > 3 * min_side && !parent.inside[f])
            tapes[f] = fields[f].shortened(tapes[f], parent.box);
    std::array<Box, family> boxes;
    out.count = octants(parent.box, boxes);
    for (std::size_t c = 0; c < out.count; ++c) out.cells[c] = {boxes[c], tapes, parent.inside, 0, 0};
}

void Search::evaluate_values(Judged& judged, int which, Found& found) const {
    const auto f = static_cast<std::size_t>(which);
    std::array<Vec3, family> points;
    std::array<std::size_t, family> of;
    std::array<double, family> values;
    std::size_t count = 0;
    for (std::size_t k = 0; k < judged.count; ++k) {
        judged.values[f][k] = -HUGE_VAL;
        if (!judged.alive[k] || judged.cells[k].inside[f]) continue;
        points[count] = fields[f].to_field(judged.centers[k]);
        of[count++] = k;
    }
    if (count == 0) return;
    fields[f].distances(judged.cells[0].tapes[f], std::span(points).first(count), std::span(values).first(count));
    found.evaluations += count;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = of[i];
        judged.values[f][k] = values[i];
        if (!spheres) continue;
        if (fields[f].clear(values[i]) > judged.radii[k])
            judged.alive[k] = false;
        else if (fields[f].filled(values[i]) >= judged.radii[k])
            judged.cells[k].inside[f] = true;
    }
}

void Search::evaluate_ranges(Judged& judged, int which, Found& found) const {
    const auto f = static_cast<std::size_t>(which);
    if (!fields[f].range_helps() && spheres) return;
    std::array<Box, family> boxes;
    std::array<std::size_t, family> of;
    std::array<Interval, family> ranges;
    std::size_t count = 0;
    for (std::size_t k = 0; k < judged.count; ++k) {
        if (!judged.alive[k] || judged.cells[k].inside[f]) continue;
        boxes[count] = fields[f].to_field(judged.cells[k].box);
        of[count++] = k;
    }
    if (count == 0) return;
    fields[f].ranges(judged.cells[0].tapes[f], std::span(boxes).first(count), std::span(ranges).first(count));
    found.evaluations += count;
    for (std::size_t i = 0; i < count; ++i) {
        if (ranges[i].lower > level)
            judged.alive[of[i]] = false;
        else if (ranges[i].upper <= level)
            judged.cells[of[i]].inside[f] = true;
    }
}

// Two large spheres, each free of one body, that together cover the cell. They extend beyond the cell, where only the
// full expressions are valid, so the proof is tried only if it may save more cells than it costs.
bool Search::proven_apart(const Judged& judged, std::size_t k, Found& found) const {
    const Cell& cell = judged.cells[k];
    const double gap = judged.values[0][k] + judged.values[1][k] - 2 * level;
    if (!spheres || !apart || cell.inside[0] || cell.inside[1] || !(gap > 0)) return false;
    const double offset = sphere_offset(judged.radii[k], gap, size), saved = judged.radii[k] / gap;
    if (!(offset > 0)) return false;
    for (std::size_t f = 0; f < 2; ++f)
        if (saved * saved < fields[f].cost_of_whole(cell.tapes[f])) return false;
    double upper_bound = 0;
    for (std::size_t f = 0; f < 2; ++f) upper_bound += fields[f].clear_upper_bound(judged.values[f][k], offset);
    if (!(upper_bound > 2 * offset)) return false;
    std::array<Vec3, 2> normals;
    for (std::size_t f = 0; f < 2; ++f) {
        const Vec3 gradient = fields[f].sample(cell.tapes[f], fields[f].to_field(judged.centers[k])).gradient;
        ++found.evaluations;
        if (!(gradient.norm() > 0)) return false;
        normals[f] = fields[f].rotate_to_frame(gradient.normalized());
    }
    const auto free_of = [&](const TransformedField& field) {
        return [&](const Vec3& q) {
            ++found.evaluations;
            return field.clear(field.field().distance(field.to_field(q))) - position_rounding(offset);
        };
    };
    return two_spheres_cover({judged.centers[k], judged.radii[k]}, normals[0], normals[1], offset, free_of(fields[0]),
                             free_of(fields[1]));
}

void Search::classify(Judged& judged, Found& found) const {
    for (std::size_t k = 0; k < judged.count; ++k) {
        judged.centers[k] = judged.cells[k].box.center();
        judged.radii[k] = outward(judged.cells[k].box.half().norm());
        judged.alive[k] = true;
    }
    for (const int f : {0, 1}) evaluate_values(judged, f, found);
    for (const int f : {0, 1}) evaluate_ranges(judged, f, found);
    for (std::size_t k = 0; k < judged.count; ++k) {
        if (!judged.alive[k]) continue;
        Cell& cell = judged.cells[k];
        const double a = judged.values[0][k], b = judged.values[1][k];
        const bool both = cell.inside[0] && cell.inside[1];
        if (!found.common && (both || (a <= level && b <= level))) found.common = judged.centers[k];
        if (both)
            found.inside.push_back(cell.box);
        else if (proven_apart(judged, k, found))
            continue;
        else if (is_smallest(cell.box))
            found.border.push_back(cell.box);
        else {
            cell.likely = std::max(a, b) - judged.radii[k];
            if (!(cell.likely == cell.likely)) cell.likely = HUGE_VAL;
            found.open.push_back(std::move(cell));
        }
    }
}

void Search::split(const Cell& parent, Found& found) const {
    Judged judged;
    children(parent, judged);
    if (judged.count == 1) return found.border.push_back(parent.box); // the box cannot be halved in double precision
    classify(judged, found);
}

// Collects the results in order.
class Gathering {
public:
    Gathering(FieldOverlap& out, const FieldOverlapOptions& options) : out_(out), options_(options) {}

    void add(Found& found) {
        out_.evaluations += found.evaluations;
        if (!common_) common_ = found.common;
        for (const Box& box : found.inside) inside(box);
        for (const Box& box : found.border) border(box);
        found.inside.clear();
        found.border.clear();
    }
    void border(const Box& box) {
        ++out_.border_count;
        border_ = border_ + volume_of(box);
        if (options_.keep_cells) out_.border.push_back(box);
    }
    [[nodiscard]] bool has_common() const { return common_.has_value(); }
    [[nodiscard]] bool is_done() const { return options_.stop_at_first && common_; }
    // Number of cells that can be split before max_evaluations is reached.
    [[nodiscard]] std::size_t affordable() const {
        return out_.evaluations < options_.max_evaluations
                   ? (options_.max_evaluations - out_.evaluations) / max_evaluations + 1
                   : 0;
    }

    void finish() {
        out_.volume = {std::max(inside_.lower, 0.0), (inside_ + border_).upper};
        if (out_.border_count == 0 && out_.inside_count == 0) out_.volume = 0;
        if (common_) out_.witness = out_.frame * *common_;
        out_.status = common_ ? Status::overlapping : out_.border_count > 0 ? Status::undecided : Status::disjoint;
    }

private:
    void inside(const Box& box) {
        ++out_.inside_count;
        inside_ = inside_ + volume_of(box);
        if (options_.keep_cells) out_.inside.push_back(box);
    }

    FieldOverlap& out_;
    const FieldOverlapOptions& options_;
    Interval inside_ = 0, border_ = 0;
    std::optional<Vec3> common_;
};

void search_by_level(Search& search, std::vector<Cell> open, Gathering& all, FieldOverlap& out) {
    while (!open.empty()) {
        const std::size_t count = all.is_done() ? 0 : std::min(open.size(), all.affordable());
        out.budget_exhausted = out.budget_exhausted || (count < open.size() && !all.is_done());
        for (std::size_t k = count; k < open.size(); ++k) all.border(open[k].box);
        std::vector<Found> found((count + parent_chunk - 1) / parent_chunk);
        search.apart = !all.has_common();
        const auto task = [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) search.split(open[k], found[begin / parent_chunk]);
        };
        if (found.size() == 1)
            task(0, count);
        else
            parallel_for(count, parent_chunk, task);
        open.clear();
        for (Found& part : found) {
            all.add(part);
            std::move(part.open.begin(), part.open.end(), std::back_inserter(open));
        }
    }
}

void search_by_likelihood(Search& search, std::vector<Cell> start, Gathering& all, FieldOverlap& out) {
    const auto later = [](const Cell& a, const Cell& b) {
        return a.likely != b.likely ? a.likely > b.likely : a.number > b.number;
    };
    std::vector<Cell> heap = std::move(start);
    std::uint64_t number = heap.size();
    Found found;
    while (!heap.empty() && !all.is_done() && all.affordable() > 0) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const Cell cell = std::move(heap.back());
        heap.pop_back();
        found = {};
        search.apart = !all.has_common();
        search.split(cell, found);
        all.add(found);
        for (Cell& child : found.open) {
            child.number = number++;
            heap.push_back(std::move(child));
            std::push_heap(heap.begin(), heap.end(), later);
        }
    }
    out.budget_exhausted = !heap.empty() && !all.is_done();
    std::sort(heap.begin(), heap.end(), [](const Cell& a, const Cell& b) { return a.number < b.number; });
    for (const Cell& cell : heap) all.border(cell.box);
}

void check(const FieldOverlapOptions& options) {
    const auto refuse = [](const char* option, double value) {
        throw Error(Cause::invalid_argument, fmt::format("the value {} is out of range", value),
                    {.element = fmt::format("option {}", option)});
    };
    if (options.depth < 0 || options.depth > 48) refuse("depth", options.depth);
    if (!(options.size >= 0)) refuse("size", options.size);
    if (!std::isfinite(options.level)) refuse("level", options.level);
    if (options.region && !options.region->empty() && !is_finite(*options.region))
        refuse("region", options.region->diagonal());
}

// The search region and its frame.
struct SearchPlace {
    Box region;
    Pose frame;
};

SearchPlace place_of(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b,
                     const FieldOverlapOptions& options) {
    if (options.region) {
        const Box met =
            intersection(*options.region, intersection(rotated_bounds(a, pose_a), rotated_bounds(b, pose_b)));
        return {met, Pose{}};
    }
    const Box from_a = intersection(a, rotated_bounds(b, relative(pose_a, pose_b)));
    const Box from_b = intersection(b, rotated_bounds(a, relative(pose_b, pose_a)));
    if (from_a.empty()) return {from_a, pose_a};
    if (from_b.empty()) return {from_b, pose_b};
    if (!is_finite(from_a) && !is_finite(from_b))
        throw Error(Cause::invalid_argument,
                    "the region is not finite, and neither is the intersection of the bounds of the fields",
                    {.element = "option region"});
    const bool in_b = !is_finite(from_a) || from_b.volume() < from_a.volume();
    return in_b ? SearchPlace{from_b, pose_b} : SearchPlace{from_a, pose_a};
}

Pose normalized(Pose pose) {
    pose.rotation.normalize();
    return pose;
}

// Pose of a body in the frame of the search; exactly the identity for the body whose frame it is.
Pose seen_from(const Pose& frame, const Pose& pose, bool same) { return same ? Pose{} : relative(frame, pose); }

} // namespace

FieldOverlap field_overlap(const Field& a, const Pose& pose_a, const Field& b, const Pose& pose_b,
                           const FieldOverlapOptions& options) {
    check(options);
    FieldOverlap out;
    out.status = Status::undecided;
    out.volume = {0, HUGE_VAL};
    const Pose unit_a = normalized(pose_a), unit_b = normalized(pose_b);
    if (!is_finite(unit_a) || !is_finite(unit_b)) return out;
    const double far = unit_a.translation.norm() + unit_b.translation.norm();
    if (!(far < 1e100)) return out;
    const SearchPlace place =
        place_of(a.level_bounds(options.level), unit_a, b.level_bounds(options.level), unit_b, options);
    out.frame = place.frame;
    Gathering all(out, options);
    if (place.region.empty()) {
        all.finish();
        return out;
    }
    const double slack = position_rounding(far, place.region.lower.norm(), place.region.upper.norm());
    const auto same = [&](const Pose& pose) {
        return !options.region && pose.translation == place.frame.translation &&
               pose.rotation.coeffs() == place.frame.rotation.coeffs();
    };
    const double longest = place.region.size().maxCoeff();
    Search search{{TransformedField(a, seen_from(place.frame, unit_a, same(unit_a)), options.level, slack),
                   TransformedField(b, seen_from(place.frame, unit_b, same(unit_b)), options.level, slack)},
                  options.level,
                  options.size > 0 ? options.size : outward(std::ldexp(longest, -options.depth)),
                  longest,
                  options.spheres,
                  options.shorten,
                  true};
    Judged root;
    root.count = 1;
    root.cells[0] = {place.region, {search.fields[0].tape(), search.fields[1].tape()}, {false, false}, 0, 0};
    Found found;
    search.classify(root, found);
    all.add(found);
    if (options.order == OverlapOrder::best_first)
        search_by_likelihood(search, std::move(found.open), all, out);
    else
        search_by_level(search, std::move(found.open), all, out);
    all.finish();
    return out;
}

} // namespace fathom::field_field
