// Sorting and packing of boxes for the traversal in packed_pairs.cpp, and sorting of the pairs.
#include <fathom/index/packed_tree.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fathom {

namespace {

constexpr std::size_t box_chunk = 8192;
constexpr std::size_t group_chunk = 512; // groups of eight per task
constexpr int axis_bits = 19;            // bits per axis of a Morton code
constexpr int class_step = 10; // a size class spans a factor of 2^10: finer classes cost more traversals than they save
constexpr int class_count = 64;
constexpr int digit_bits = 11; // bits per pass of the sort: three passes cover the class and nine bits per axis
constexpr double tolerated_growth = 1.1; // growth of the traversals above which a new sort pays

struct Keyed {
    std::uint64_t key;
    Index id;
};

// Spreads nineteen bits, with two zeros after each.
std::uint64_t spread(std::uint64_t x) {
    x = (x | (x << 32)) & 0x001f00000000ffffull;
    x = (x | (x << 16)) & 0x001f0000ff0000ffull;
    x = (x | (x << 8)) & 0x100f00f00f00f00full;
    x = (x | (x << 4)) & 0x10c30c30c30c30c3ull;
    return (x | (x << 2)) & 0x1249249249249249ull;
}

Box bounds_of_boxes(std::span<const Box> boxes) {
    return parallel_reduce(
        boxes.size(), box_chunk, Box{},
        [&](std::size_t begin, std::size_t end) {
            Box all;
            for (std::size_t k = begin; k < end; ++k)
                if (!boxes[k].empty()) all.extend(boxes[k]);
            return all;
        },
        [](const Box& a, const Box& b) { return hull(a, b); });
}

// The frame that maps everything into [-1, 1].
PackedTree::Frame packed_frame(const Box& bounds) {
    if (bounds.empty()) return {};
    const double half = (0.5 * bounds.upper - 0.5 * bounds.lower).maxCoeff(); // the size itself may overflow
    const int exponent = half > 0 ? std::clamp(-std::ilogb(half) - 1, -1000, 1000) : 0;
    PackedTree::Frame frame{std::ldexp(1.0, exponent), Vec3::Zero()};
    frame.shift = (0.5 * bounds.lower + 0.5 * bounds.upper) * frame.scale;
    return frame;
}

// Large boxes first, each class along the curve of the centres.
std::uint64_t key_of(const Box& box, const PackedTree::Frame& frame) {
    std::uint64_t code = 0;
    double side = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double lower = box.lower[axis] * frame.scale, upper = box.upper[axis] * frame.scale;
        side = std::max(side, upper - lower);
        const double cell = (0.5 * (lower + upper) - frame.shift[axis] + 1) * (1 << (axis_bits - 1));
        code |= spread(static_cast<std::uint64_t>(std::clamp(cell, 0.0, (1 << axis_bits) - 1.0))) << axis;
    }
    // A side of 2 is the whole scene. The exponent of zero is far below all others.
    const int size_class =
        side > 0 ? std::clamp((1 - std::ilogb(side)) / class_step, 0, class_count - 1) : class_count - 1;
    return static_cast<std::uint64_t>(size_class) << (3 * axis_bits) | code;
}

void sort_by_digit(const std::vector<Keyed>& from, std::vector<Keyed>& to, int shift) {
    std::array<std::size_t, (1 << digit_bits) + 1> begin{};
    const auto digit = [&](const Keyed& k) { return (k.key >> shift) & ((1u << digit_bits) - 1); };
    for (const Keyed& k : from) ++begin[digit(k) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Keyed& k : from) to[begin[digit(k)]++] = k;
}

// Radix sort on the leading bits; keys that they leave equal (a dense cluster in a wide scene) are sorted by
// comparison.
void sort_keys(std::vector<Keyed>& keys) {
    constexpr int first = 3 * axis_bits + 6 - 3 * digit_bits;
    std::vector<Keyed> other(keys.size());
    for (int pass = 0; pass < 3; ++pass) {
        sort_by_digit(keys, other, first + pass * digit_bits);
        keys.swap(other);
    }
    for (std::size_t begin = 0; begin < keys.size();) {
        std::size_t end = begin + 1;
        while (end < keys.size() && keys[end].key >> first == keys[begin].key >> first) ++end;
        if (end - begin > BoxGroup::width)
            std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                             keys.begin() + static_cast<std::ptrdiff_t>(end),
                             [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
        begin = end;
    }
}

void clear_lane(BoxGroup& group, std::size_t lane) {
    for (int axis = 0; axis < 3; ++axis) {
        group.lower[axis][lane] = std::numeric_limits<float>::infinity();
        group.upper[axis][lane] = -std::numeric_limits<float>::infinity();
    }
}

// The hull of eight boxes, stored in a lane of the group above.
void set_hull(const BoxGroup& below, BoxGroup& above, std::size_t lane) {
    for (int axis = 0; axis < 3; ++axis) {
        above.lower[axis][lane] = *std::min_element(below.lower[axis], below.lower[axis] + BoxGroup::width);
        above.upper[axis][lane] = *std::max_element(below.upper[axis], below.upper[axis] + BoxGroup::width);
    }
}

// Sorts pairs by their distinct second ids. Many pairs: by marking the ids in a bit set.
void sort_seconds(std::span<IdPair> pairs, std::size_t count, std::vector<std::uint64_t>& marks) {
    if (pairs.size() < count / 64) {
        std::sort(pairs.begin(), pairs.end(), [](const IdPair& x, const IdPair& y) { return x[1] < y[1]; });
        return;
    }
    marks.assign(count / 64 + 1, 0);
    for (const IdPair& pair : pairs) marks[pair[1] / 64] |= 1ull << (pair[1] % 64);
    std::size_t next = 0;
    for (std::size_t word = 0; word < marks.size(); ++word)
        for (std::uint64_t bits = marks[word]; bits; bits &= bits - 1)
            pairs[next++][1] = static_cast<Index>(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
}

// For pairs that are already sorted except within short runs of one first id.
void sort_short_runs(std::vector<IdPair>& pairs) {
    for (std::size_t k = 1; k < pairs.size(); ++k) {
        const IdPair pair = pairs[k];
        std::size_t place = k;
        for (; place > 0 && pairs[place - 1][0] == pair[0] && pairs[place - 1][1] > pair[1]; --place)
            pairs[place] = pairs[place - 1];
        pairs[place] = pair;
    }
}

} // namespace

void sort_pairs(std::span<const FoundPairs> pieces, std::size_t count, std::vector<IdPair>& sorted) {
    constexpr std::uint32_t short_run = 24;
    std::size_t total = 0;
    for (const FoundPairs& piece : pieces) total += piece.count;
    if (total >= no_index)
        throw Error(Cause::too_large, "the number of overlapping pairs exceeds the range of 32-bit indices");
    std::vector<std::uint32_t> begin(count + 2, 0);
    for (const FoundPairs& piece : pieces)
        for (std::size_t k = 0; k < piece.count; ++k) ++begin[piece.first[k] + 2];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    sorted.resize(total);
    for (const FoundPairs& piece : pieces)
        for (std::size_t k = 0; k < piece.count; ++k)
            sorted[begin[piece.first[k] + 1]++] = {piece.first[k], piece.second[k]};
    std::vector<std::uint64_t> marks;
    for (std::size_t a = 0; a < count; ++a)
        if (begin[a + 1] - begin[a] > short_run)
            sort_seconds(std::span(sorted).subspan(begin[a], begin[a + 1] - begin[a]), count, marks);
    sort_short_runs(sorted);
}

void PackedTree::sort(std::span<const Box> boxes) {
    frame_ = packed_frame(bounds_of_boxes(boxes));
    std::vector<Keyed> keys;
    keys.reserve(boxes.size());
    for (std::size_t k = 0; k < boxes.size(); ++k)
        if (!boxes[k].empty()) keys.push_back({key_of(boxes[k], frame_), static_cast<Index>(k)});
    sort_keys(keys);
    const std::size_t groups = (keys.size() + BoxGroup::width - 1) / BoxGroup::width;
    order_.assign(groups * BoxGroup::width, no_index);
    for (std::size_t k = 0; k < keys.size(); ++k) order_[k] = keys[k].id;
    sorted_count_ = boxes.size();
    ++sorts_;
}

void PackedTree::fill(std::span<const Box> boxes) {
    if (levels_.empty()) levels_.emplace_back();
    levels_[0].resize(order_.size() / BoxGroup::width);
    // Boxes that are neighbours in space are far apart in memory.
    const std::size_t ahead = 16, last = order_.size() - 1;
    parallel_for(levels_[0].size(), box_chunk / BoxGroup::width, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin * BoxGroup::width; k < end * BoxGroup::width; ++k) {
            BoxGroup& group = levels_[0][k / BoxGroup::width];
            const std::size_t lane = k % BoxGroup::width;
            const Index id = order_[k], later = order_[std::min(k + ahead, last)];
            if (later != no_index) __builtin_prefetch(boxes[later].upper.data());
            if (id == no_index) {
                clear_lane(group, lane);
                continue;
            }
            for (int axis = 0; axis < 3; ++axis) {
                group.lower[axis][lane] = frame_(boxes[id].lower[axis], axis);
                group.upper[axis][lane] = frame_(boxes[id].upper[axis], axis);
            }
        }
    });
}

void PackedTree::raise_levels() {
    std::size_t level = 1;
    do {
        if (levels_.size() <= level) levels_.emplace_back();
        const std::vector<BoxGroup>& below = levels_[level - 1];
        std::vector<BoxGroup>& above = levels_[level];
        above.resize((below.size() + BoxGroup::width - 1) / BoxGroup::width);
        parallel_for(above.size(), 128, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin * BoxGroup::width; k < end * BoxGroup::width; ++k) {
                BoxGroup& group = above[k / BoxGroup::width];
                k < below.size() ? set_hull(below[k], group, k % BoxGroup::width)
                                 : clear_lane(group, k % BoxGroup::width);
            }
        });
    } while (levels_[level++].size() > 1);
    levels_.resize(level);
}

std::size_t PackedTree::collect(std::span<const Box> boxes) {
    const PackedView view{levels_, order_, boxes};
    const std::size_t groups = levels_[0].size(), tasks = (groups + group_chunk - 1) / group_chunk;
    found_.resize(tasks);
    std::vector<std::size_t> walks(tasks);
    parallel_tasks(tasks, [&](std::size_t k) {
        walks[k] = fathom::find_pairs(view, k * group_chunk, std::min(groups, (k + 1) * group_chunk), found_[k]);
    });
    return std::accumulate(walks.begin(), walks.end(), std::size_t{0});
}

void PackedTree::find_pairs(std::span<const Box> boxes, std::vector<IdPair>& pairs) {
    if (boxes.size() >= no_index)
        throw Error(Cause::too_large, "the number of boxes exceeds the range of 32-bit indices");
    const bool sort_now = sorted_count_ != boxes.size();
    if (sort_now) sort(boxes);
    pairs.clear();
    if (order_.empty()) return;
    fill(boxes);
    raise_levels();
    const std::size_t walks = collect(boxes);
    if (sort_now) sorted_walks_ = walks;
    if (static_cast<double>(walks) > tolerated_growth * static_cast<double>(sorted_walks_)) forget_order();
    sort_pairs(found_, boxes.size(), pairs);
}

std::size_t PackedTree::memory_bytes() const {
    std::size_t bytes = order_.capacity() * sizeof(Index);
    for (const auto& level : levels_) bytes += level.capacity() * sizeof(BoxGroup);
    for (const auto& piece : found_) bytes += (piece.first.capacity() + piece.second.capacity()) * sizeof(Index);
    return bytes;
}

} // namespace fathom
