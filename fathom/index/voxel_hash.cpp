// Sorting of boxes into voxels, and traversal of the rows of voxels that a query may overlap.
#include <fathom/index/voxel_hash.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace fathom {

namespace {

constexpr std::size_t voxel_chunk = 4096;
constexpr std::size_t query_chunk = 1024;
constexpr double fitting_share = 0.95; // fraction of the boxes that must fit into the main voxels
constexpr double room_to_grow = 1.2;   // boxes that deform must not move to voxels of four times the side
// Fraction of a voxel; exceeds the rounding of a bound, relative to the size of the voxel.
constexpr double slack = 1e-3;
constexpr double farthest_coordinate = 0x1p40; // in voxels from the origin; boxes beyond share the last voxel
constexpr std::int64_t max_rows_across = 4096; // per query; row names repeat after 2^14
constexpr std::int64_t few_rows = 16;          // so few rows are read faster than the segment is clipped to them
constexpr std::uint32_t no_bucket = ~std::uint32_t{0};

std::int64_t voxel(double x, double inverse) {
    const double scaled = std::clamp(x * inverse, -farthest_coordinate, farthest_coordinate);
    // Truncates towards zero; std::floor is a function call on plain x86-64.
    const auto whole = static_cast<std::int64_t>(scaled);
    return whole - (static_cast<double>(whole) > scaled);
}

// Distinct for any two rows of one query.
std::uint32_t row_name(int level, std::int64_t y, std::int64_t z) {
    return static_cast<std::uint32_t>(level) << 28 | static_cast<std::uint32_t>(y & 0x3fff) << 14 |
           static_cast<std::uint32_t>(z & 0x3fff);
}

// Table position of the voxel with x = 0 of a row.
std::uint32_t row_start(std::uint32_t name) {
    name = (name ^ (name >> 15)) * 0x9e3779b1u;
    name = (name ^ (name >> 13)) * 0x85ebca6bu;
    return name ^ (name >> 16);
}

double longest_side(const Box& box) { return (box.upper - box.lower).maxCoeff(); }

struct Survey {
    std::size_t first_bad = ~std::size_t{0};
    Box bounds;
};

Survey survey(std::span<const Box> boxes) {
    return parallel_reduce(
        boxes.size(), voxel_chunk, Survey{},
        [&](std::size_t begin, std::size_t end) {
            Survey part;
            for (std::size_t k = begin; k < end; ++k) {
                if (boxes[k].empty()) continue;
                if (is_finite(boxes[k].lower) && is_finite(boxes[k].upper))
                    part.bounds.extend(boxes[k]);
                else
                    part.first_bad = std::min(part.first_bad, k);
            }
            return part;
        },
        [](const Survey& a, const Survey& b) {
            return Survey{std::min(a.first_bad, b.first_bad), hull(a.bounds, b.bounds)};
        });
}

// The frame that maps everything into [-2, 2].
PackedTree::Frame float_frame(const Box& bounds) {
    PackedTree::Frame frame;
    if (bounds.empty()) return frame;
    const double half = 0.5 * bounds.upper.cwiseAbs().cwiseMax(bounds.lower.cwiseAbs()).maxCoeff();
    const double reach = std::max((0.5 * bounds.upper - 0.5 * bounds.lower).maxCoeff(), rounding_error(8) * half);
    if (reach > 0) frame.scale = std::ldexp(1.0, std::clamp(-std::ilogb(reach), -1000, 1000));
    frame.shift = 0.5 * (bounds.lower * frame.scale + bounds.upper * frame.scale);
    return frame;
}

// Whether the segment may intersect the box: slab test, with both ends moved outward by their rounding.
bool may_meet(const Segment& segment, const Box& box) {
    double from = 0, to = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double d = segment.end[axis] - segment.start[axis];
        if (d == 0) continue; // the box of the segment has already been compared
        double near = (box.lower[axis] - segment.start[axis]) / d, far = (box.upper[axis] - segment.start[axis]) / d;
        if (near > far) std::swap(near, far);
        from = std::max(from, near - rounding_error(8) * std::abs(near));
        to = std::min(to, far + rounding_error(8) * std::abs(far));
    }
    return !(from > to);
}

// The part [from, to] of a segment with a coordinate in [low, high], widened for rounding; empty: from > to.
void clip(double start, double step, double low, double high, double& from, double& to) {
    if (step == 0) {
        if (start < low || start > high) to = -1;
        return;
    }
    double near = (low - start) / step, far = (high - start) / step;
    if (near > far) std::swap(near, far);
    from = std::max(from, near);
    to = std::min(to, far);
}

void sort_seconds(std::vector<IdPair>& pairs, std::size_t begin) {
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin), pairs.end(),
              [](const IdPair& a, const IdPair& b) { return a[1] < b[1]; });
}

} // namespace

// Traversal of the rows by one query. visitor(position) -> bool, false to stop.
struct VoxelHash::Walk {
    const VoxelHash& hash;
    ScanBox box;
    BoxRun run;

    Walk(const VoxelHash& h, const Box& exact) : hash(h) {
        for (int axis = 0; axis < 3; ++axis) {
            box.lower[axis] = h.frame_(exact.lower[axis], axis);
            box.upper[axis] = h.frame_(exact.upper[axis], axis);
            run.lower[axis] = h.lower_[axis].data();
            run.upper[axis] = h.upper_[axis].data();
        }
        box.exact = &exact;
        run.rows = h.rows_.data();
        run.ids = h.order_.data();
        run.boxes = h.boxes_.data();
    }

    template <class Visitor>
    bool positions(std::uint32_t row, std::size_t begin, std::size_t end, Visitor& visitor) const {
        constexpr std::size_t block = 256;
        std::uint32_t found[block + scan_slack];
        for (; begin < end; begin += block) {
            const std::size_t count = scan(run, box, row, begin, std::min(end, begin + block), found);
            for (std::size_t k = 0; k < count; ++k)
                if (!visitor(found[k])) return false;
        }
        return true;
    }

    // Voxels x0 to x1 of a row, from position `first` on.
    template <class Visitor>
    bool row(int level, std::int64_t y, std::int64_t z, std::int64_t x0, std::int64_t x1, std::size_t first,
             Visitor& visitor) const {
        const std::uint32_t name = row_name(level, y, z), size = hash.table_size();
        const std::uint32_t from = (row_start(name) + static_cast<std::uint32_t>(x0)) & (size - 1);
        const std::uint32_t to = from + static_cast<std::uint32_t>(x1 - x0 + 1);
        const auto stretch = [&](std::uint32_t a, std::uint32_t b) {
            return positions(name, std::max<std::size_t>(first, hash.begin_[a]), hash.begin_[b], visitor);
        };
        return stretch(from, std::min(to, size)) && (to <= size || stretch(0, to - size));
    }

    struct Range {
        std::int64_t from[3], to[3];
        [[nodiscard]] std::int64_t rows() const { return (to[1] - from[1] + 1) * (to[2] - from[2] + 1); }
    };
    // The voxels of a level whose boxes may overlap the query.
    [[nodiscard]] Range range(const Box& query, int level) const {
        Range r;
        for (int axis = 0; axis < 3; ++axis) {
            r.from[axis] = voxel(query.lower[axis] - (1 + slack) * hash.side_[level], hash.inverse_[level]);
            r.to[axis] = voxel(query.upper[axis], hash.inverse_[level]);
        }
        return r;
    }
    // If a query covers too many rows, all boxes are tested one after another.
    [[nodiscard]] bool too_wide(const Range& r) const {
        return r.to[0] - r.from[0] >= std::min<std::int64_t>(hash.table_size(), max_rows_across) ||
               r.to[1] - r.from[1] >= max_rows_across || r.to[2] - r.from[2] >= max_rows_across ||
               r.rows() > 16 + static_cast<std::int64_t>(hash.order_.size()) / 32;
    }

    template <class Visitor>
    bool level(int l, const Range& r, std::size_t first, Visitor& visitor) const {
        for (std::int64_t z = r.from[2]; z <= r.to[2]; ++z)
            for (std::int64_t y = r.from[1]; y <= r.to[1]; ++y)
                if (!row(l, y, z, r.from[0], r.to[0], first, visitor)) return false;
        return true;
    }

    template <class Visitor>
    bool large_ones(std::size_t first, Visitor& visitor) const {
        return positions(any_row, std::max<std::size_t>(first, hash.begin_[hash.table_size()]), hash.order_.size(),
                         visitor);
    }

    template <class Visitor>
    bool everything(const Box& query, Visitor& visitor) const {
        Range ranges[level_count];
        for (int l = 0; l < level_count; ++l)
            if (hash.on_level_[l] && too_wide(ranges[l] = range(query, l)))
                return positions(any_row, 0, hash.order_.size(), visitor);
        for (int l = 0; l < level_count; ++l)
            if (hash.on_level_[l] && !level(l, ranges[l], 0, visitor)) return false;
        return large_ones(0, visitor);
    }

    // The rows of a level that a segment crosses: boxes of voxel h lie within [h, h + 2] sides.
    template <class Visitor>
    bool segment_level(int l, const Segment& s, const Range& r, Visitor& visitor) const {
        if (r.rows() <= few_rows) return level(l, r, 0, visitor);
        const double side = hash.side_[l], inverse = hash.inverse_[l], pad = 2 * slack * side;
        const Vec3 step = s.end - s.start;
        const auto span = [&](int axis, double from, double to) {
            const double a = s.start[axis] + from * step[axis], b = s.start[axis] + to * step[axis];
            return std::array<std::int64_t, 2>{std::max(r.from[axis], voxel(std::min(a, b) - side - 2 * pad, inverse)),
                                               std::min(r.to[axis], voxel(std::max(a, b) + pad, inverse))};
        };
        const auto clipped = [&](int axis, std::int64_t h, double& from, double& to) {
            const double low = static_cast<double>(h) * side - pad;
            clip(s.start[axis], step[axis], low, low + 2 * side + 2 * pad, from, to);
        };
        for (std::int64_t z = r.from[2]; z <= r.to[2]; ++z) {
            double from = 0, to = 1;
            clipped(2, z, from, to);
            if (from > to) continue;
            const auto [y0, y1] = span(1, from, to);
            for (std::int64_t y = y0; y <= y1; ++y) {
                double begin = from, end = to;
                clipped(1, y, begin, end);
                if (begin > end) continue;
                const auto [x0, x1] = span(0, begin, end);
                if (x0 <= x1 && !row(l, y, z, x0, x1, 0, visitor)) return false;
            }
        }
        return true;
    }
};

VoxelHash::VoxelHash(const VoxelHashOptions& options) : options_(options), begin_(3, 0) {
    if (!(options.cell >= 0 && options.cell <= 1e250))
        throw Error(Cause::invalid_argument, "the side of a voxel must be between 0 and 1e250 m");
}

void VoxelHash::choose_cells(std::span<const Box> boxes) {
    std::vector<double> sides;
    Box bounds;
    for (const Box& box : boxes)
        if (!box.empty()) sides.push_back(longest_side(box)), bounds.extend(box);
    cell_ = options_.cell;
    if (cell_ == 0 && !sides.empty()) {
        const auto fitting =
            sides.begin() + static_cast<std::ptrdiff_t>(fitting_share * static_cast<double>(sides.size() - 1));
        std::nth_element(sides.begin(), fitting, sides.end());
        cell_ = *fitting > 0 ? room_to_grow * *fitting
                             : longest_side(bounds) / std::cbrt(static_cast<double>(sides.size()));
    }
    if (cell_ == 0) cell_ = 1;
    cell_ = std::clamp(cell_, 1e-250, 1e250);
    for (int l = 0; l < level_count; ++l) {
        side_[l] = std::ldexp(cell_, 2 * (l - main_level));
        inverse_[l] = 1 / side_[l];
    }
    chosen_for_ = boxes.size();
}

std::uint8_t VoxelHash::level_of(const Box& box) const {
    const double side = longest_side(box);
    int l = side <= side_[main_level - 1] ? 0 : main_level;
    while (l < level_count && side > side_[l]) ++l;
    return static_cast<std::uint8_t>(l);
}

VoxelHash::Home VoxelHash::home_of(const Box& box, int level) const {
    if (box.empty()) return {no_bucket, 0};
    if (level == too_large) return {table_size(), row_name(too_large, 0, 0)};
    const double inverse = inverse_[level];
    const std::uint32_t name = row_name(level, voxel(box.lower[1], inverse), voxel(box.lower[2], inverse));
    return {(row_start(name) + static_cast<std::uint32_t>(voxel(box.lower[0], inverse))) & (table_size() - 1), name};
}

std::size_t VoxelHash::above_main() const {
    return std::accumulate(std::begin(on_level_) + main_level + 1, std::end(on_level_), std::size_t{0});
}

void VoxelHash::update(std::span<const Box> boxes) {
    if (boxes.size() >= no_index / 4)
        throw Error(Cause::too_large, "the number of boxes exceeds the limit of the voxel hash");
    const Survey seen = survey(boxes);
    if (seen.first_bad < boxes.size())
        throw Error(Cause::non_finite, "a bound is not finite",
                    {.element = "box", .index = static_cast<std::int64_t>(seen.first_bad)});
    bool rebuild = boxes.size() != boxes_.size();
    const bool choose = boxes.size() > 2 * chosen_for_ || 2 * boxes.size() < chosen_for_ ||
                        above_main() > 2 * chosen_above_ + boxes.size() / 16;
    if (choose) {
        choose_cells(boxes);
        begin_.assign(std::bit_ceil(std::max<std::size_t>(2 * boxes.size(), 64)) + 2, 0);
        rebuild = true;
    }
    boxes_.assign(boxes.begin(), boxes.end());
    homes_.resize(boxes.size(), {no_bucket, 0});
    levels_.resize(boxes.size());
    frame_ = float_frame(seen.bounds);
    moved_ = parallel_reduce(
        boxes.size(), voxel_chunk, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::size_t moved = 0;
            for (std::size_t k = begin; k < end; ++k) {
                levels_[k] = level_of(boxes_[k]);
                const Home home = home_of(boxes_[k], levels_[k]);
                moved += home.bucket != homes_[k].bucket || home.row != homes_[k].row;
                homes_[k] = home;
            }
            return moved;
        },
        std::plus<>());
    if (rebuild || moved_ > 0) sort();
    if (choose) chosen_above_ = above_main();
    fill();
}

void VoxelHash::sort() {
    std::fill(begin_.begin(), begin_.end(), 0);
    std::fill(std::begin(on_level_), std::end(on_level_), 0);
    for (std::size_t k = 0; k < homes_.size(); ++k) {
        if (homes_[k].bucket == no_bucket) continue;
        ++begin_[homes_[k].bucket + 1];
        ++on_level_[levels_[k]];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    order_.resize(begin_.back());
    rows_.resize(order_.size() + scan_slack);
    for (std::size_t k = 0; k < homes_.size(); ++k) {
        if (homes_[k].bucket == no_bucket) continue;
        const std::uint32_t place = begin_[homes_[k].bucket]++;
        order_[place] = static_cast<Index>(k);
        rows_[place] = homes_[k].row;
    }
    // Each entry had advanced to the begin of the next.
    std::copy_backward(begin_.begin(), begin_.end() - 1, begin_.end());
    begin_.front() = 0;
}

void VoxelHash::fill() {
    for (int axis = 0; axis < 3; ++axis) {
        lower_[axis].resize(order_.size() + scan_slack);
        upper_[axis].resize(order_.size() + scan_slack);
    }
    parallel_for(order_.size(), voxel_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Box& box = boxes_[order_[k]];
            for (int axis = 0; axis < 3; ++axis) {
                lower_[axis][k] = frame_(box.lower[axis], axis);
                upper_[axis][k] = frame_(box.upper[axis], axis);
            }
        }
    });
}

void VoxelHash::find_pairs(std::vector<IdPair>& pairs) const {
    std::vector<FoundPairs> found((order_.size() + query_chunk - 1) / query_chunk);
    parallel_tasks(found.size(), [&](std::size_t task) {
        for (std::size_t k = task * query_chunk; k < std::min(order_.size(), (task + 1) * query_chunk); ++k) {
            const Index id = order_[k];
            const Walk walk(*this, boxes_[id]);
            const auto note = [&](std::uint32_t position) {
                found[task].push(std::min(id, order_[position]), std::max(id, order_[position]));
                return true;
            };
            // Pairs of one level are found from the box at the earlier position, pairs of two levels from the finer
            // level.
            const int own = levels_[id];
            if (own < level_count) walk.level(own, walk.range(boxes_[id], own), k + 1, note);
            for (int l = own + 1; l < level_count; ++l)
                if (on_level_[l]) walk.level(l, walk.range(boxes_[id], l), 0, note);
            walk.large_ones(own == too_large ? k + 1 : 0, note);
        }
    });
    sort_pairs(found, boxes_.size(), pairs);
}

void VoxelHash::find_pairs(std::span<const Box> others, std::vector<IdPair>& pairs) const {
    if (others.size() >= no_index)
        throw Error(Cause::too_large, "the number of boxes exceeds the range of 32-bit indices");
    std::vector<std::vector<IdPair>> found((others.size() + query_chunk - 1) / query_chunk);
    parallel_tasks(found.size(), [&](std::size_t task) {
        for (std::size_t k = task * query_chunk; k < std::min(others.size(), (task + 1) * query_chunk); ++k) {
            if (others[k].empty()) continue;
            const Walk walk(*this, others[k]);
            const std::size_t begin = found[task].size();
            const auto note = [&](std::uint32_t position) {
                found[task].push_back({static_cast<Index>(k), order_[position]});
                return true;
            };
            walk.everything(others[k], note);
            sort_seconds(found[task], begin);
        }
    });
    pairs.clear();
    for (const auto& part : found) pairs.insert(pairs.end(), part.begin(), part.end());
}

bool VoxelHash::visit_overlapping(const Box& box, CallableRef<bool(Index)> visitor) const {
    if (order_.empty() || box.empty() || !is_finite(box.lower) || !is_finite(box.upper)) return true;
    const auto visit = [&](std::uint32_t position) { return visitor(order_[position]); };
    return Walk(*this, box).everything(box, visit);
}

bool VoxelHash::visit_segment(const Segment& segment, CallableRef<bool(Index)> visitor) const {
    const Box box = segment.bounds();
    if (order_.empty() || !is_finite(segment.start) || !is_finite(segment.end)) return true;
    const auto visit = [&](std::uint32_t position) {
        return !may_meet(segment, boxes_[order_[position]]) || visitor(order_[position]);
    };
    const Walk walk(*this, box);
    for (int l = 0; l < level_count; ++l) {
        if (on_level_[l] == 0) continue;
        const auto range = walk.range(box, l);
        const bool far =
            box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff() * inverse_[l] > farthest_coordinate;
        if (far || walk.too_wide(range)) return walk.positions(any_row, 0, order_.size(), visit);
    }
    for (int l = 0; l < level_count; ++l)
        if (on_level_[l] && !walk.segment_level(l, segment, walk.range(box, l), visit)) return false;
    return walk.large_ones(0, visit);
}

std::size_t VoxelHash::memory_bytes() const {
    return boxes_.capacity() * sizeof(Box) + homes_.capacity() * sizeof(Home) + levels_.capacity() +
           begin_.capacity() * sizeof(std::uint32_t) + order_.capacity() * sizeof(Index) +
           rows_.capacity() * sizeof(std::uint32_t) + 6 * lower_[0].capacity() * sizeof(float);
}

} // namespace fathom
