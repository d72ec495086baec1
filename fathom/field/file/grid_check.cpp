// Checks of grids that nobody vouches for.
#include <fathom/base/parallel.h>
#include <fathom/field/file/grid_check.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

[[noreturn]] void fail(Cause cause, std::string reason, Place place, std::string_view element = {},
                       std::size_t index = SIZE_MAX) {
    place.element = element;
    if (index != SIZE_MAX) place.index = static_cast<std::int64_t>(index);
    throw Error(cause, std::move(reason), std::move(place));
}

void check_numbers(const GridData& data, const Place& place) {
    const auto at_least_zero = [&](double value, std::string_view name, bool may_be_infinite) {
        if (!(value >= 0) || (!may_be_infinite && std::isinf(value)))
            fail(Cause::non_finite, fmt::format("is {}, which it cannot be", value), place, name);
    };
    at_least_zero(data.band, "band", false);
    at_least_zero(data.near_error, "near error", true);
    at_least_zero(data.far_error, "far error", true);
    at_least_zero(data.lipschitz, "Lipschitz bound", true);
    at_least_zero(data.step, "step", false);
    if (data.storage != GridStorage::float32 && data.storage != GridStorage::code16)
        fail(Cause::unsupported, "a kind of storage that is not known here", place);
    if (data.storage == GridStorage::code16 && !(data.step > 0 && std::isfinite(0x1p33 * data.step)))
        fail(Cause::malformed, fmt::format("is {}, no step of codes", data.step), place, "step");
}

void check_length(std::size_t length, std::size_t expected, std::string_view name, const Place& place) {
    if (length != expected)
        fail(Cause::count_mismatch, fmt::format("{} entries, where the layout asks for {}", length, expected), place,
             name);
}

constexpr std::size_t chunk = std::size_t{1} << 18;

// The first index whose entry is bad, or SIZE_MAX. Chunks are tested as a whole first, which vectorises.
template <class T, class Bad>
std::size_t first_bad(std::span<const T> entries, Bad bad) {
    const auto search = [&](std::size_t begin, std::size_t end) {
        unsigned any = 0;
        for (std::size_t i = begin; i < end; ++i) any |= static_cast<unsigned>(bad(entries[i]));
        if (any == 0) return SIZE_MAX;
        while (!bad(entries[begin])) ++begin;
        return begin;
    };
    return parallel_reduce(entries.size(), chunk, SIZE_MAX, search,
                           [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

bool is_bad(float value) { return (std::bit_cast<std::uint32_t>(value) & 0x7f800000u) == 0x7f800000u; }
bool is_bad(const FloatRange& range) {
    return static_cast<bool>(static_cast<int>(is_bad(range.lower)) | static_cast<int>(is_bad(range.upper)) |
                             static_cast<int>(range.lower > range.upper));
}

void check_finite(std::span<const float> values, std::string_view name, const Place& place) {
    const std::size_t bad = first_bad(values, [](float v) { return is_bad(v); });
    if (bad != SIZE_MAX) fail(Cause::non_finite, "not a finite number", place, name, bad);
}

void check_ranges(std::span<const FloatRange> ranges, std::string_view name, const Place& place) {
    const std::size_t bad = first_bad(ranges, [](const FloatRange& r) { return is_bad(r); });
    if (bad != SIZE_MAX) fail(Cause::malformed, "not a range of finite numbers", place, name, bad);
}

void check_bricks(std::span<const Index> brick_of, std::size_t stored, const Place& place) {
    std::size_t next = 0;
    for (std::size_t b = 0; b < brick_of.size(); ++b) {
        if (brick_of[b] == no_index) continue;
        if (brick_of[b] != next || next == stored)
            fail(Cause::index_out_of_range,
                 fmt::format("names stored brick {} of {}, where {} is next", brick_of[b], stored, next), place,
                 "brick", b);
        ++next;
    }
    if (next != stored)
        fail(Cause::count_mismatch, fmt::format("{} bricks are stored, but {} have a position", stored, next), place);
}

} // namespace

GridCounts counts_of(const GridLayout& layout, std::size_t stored, std::size_t available, const Place& place) {
    if (!is_finite(layout.origin) || !std::isnormal(layout.cell) || layout.cell < 0 || !std::isfinite(1 / layout.cell))
        fail(Cause::non_finite, "the origin or the cell size is no such number", place, "layout");
    std::size_t corners = 1;
    for (const int n : layout.bricks) {
        if (n < 1 || n > most_bricks_along)
            fail(Cause::malformed, fmt::format("{} bricks along an axis", n), place, "layout");
        if (corners > available / sizeof(float) / static_cast<std::size_t>(n + 1))
            fail(Cause::count_mismatch, "asks for more bricks than there are bytes", place, "layout");
        corners *= static_cast<std::size_t>(n + 1);
    }
    if (!is_finite(layout.domain().upper)) fail(Cause::non_finite, "reaches to infinity", place, "layout");
    GridCounts counts{corners, layout.brick_count(), stored, 0};
    for (int level = 0; level < level_count(layout); ++level) {
        std::size_t entries = 1;
        for (const int n : layout.bricks) entries *= static_cast<std::size_t>(blocks_along(n, level));
        counts.level_entries += entries;
    }
    if (stored > counts.bricks || stored >= no_index)
        fail(Cause::count_mismatch, fmt::format("{} bricks stored of {}", stored, counts.bricks), place, "layout");
    return counts;
}

std::vector<std::span<const FloatRange>> split_levels(const GridLayout& layout, std::span<const FloatRange> entries) {
    std::vector<std::span<const FloatRange>> levels;
    for (int level = 0; level < level_count(layout); ++level) {
        std::size_t count = 1;
        for (const int n : layout.bricks) count *= static_cast<std::size_t>(blocks_along(n, level));
        levels.push_back(entries.first(count));
        entries = entries.subspan(count);
    }
    return levels;
}

void check_grid(const GridData& data, const Place& place) {
    const GridCounts counts = counts_of(data.layout, data.stored_bricks(), data.corners.size_bytes(), place);
    check_numbers(data, place);
    const bool coded = data.storage == GridStorage::code16;
    check_length(data.corners.size(), counts.corners, "corners", place);
    check_length(data.brick_of.size(), counts.bricks, "brick positions", place);
    check_length(data.block_ranges.size(), 8 * counts.stored, "block ranges", place);
    check_length(data.bases.size(), coded ? counts.stored : 0, "bases", place);
    check_length(data.codes.size(), coded ? counts.stored * brick_size : 0, "codes", place);
    check_length(data.values.size(), coded ? 0 : counts.stored * brick_size, "values", place);
    check_length(data.levels.size(), static_cast<std::size_t>(level_count(data.layout)), "levels", place);
    std::size_t entries = 0;
    for (const auto& level : data.levels) {
        check_ranges(level, "level range", place);
        entries += level.size();
    }
    check_length(entries, counts.level_entries, "level ranges", place);
    check_bricks(data.brick_of, counts.stored, place);
    check_finite(data.corners, "corner", place);
    check_finite(data.values, "value", place);
    check_ranges(data.block_ranges, "block range", place);
    const std::size_t bad = first_bad(
        data.bases, [](std::int32_t base) { return base > std::numeric_limits<std::int32_t>::max() - 65535; });
    if (bad != SIZE_MAX) fail(Cause::malformed, "codes past its reach", place, "base", bad);
}

} // namespace fathom
