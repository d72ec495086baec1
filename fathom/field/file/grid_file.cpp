// Selection of the reader or writer of a grid file, and validation of grids.
#include <fathom/field/file/grid_file.h>

#include <fathom/base/encode/text.h>
#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/parallel.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/file/npy_file.h>
#include <fathom/field/file/sample_lattice.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

namespace fathom {

namespace {

namespace fs = std::filesystem;

enum class Format { unknown, fathom, npy, nrrd, vti, sdfgen, vega, vdb };

Format format_of_name(const fs::path& path) {
    struct Ending {
        std::string_view ending;
        Format format;
    };
    constexpr std::array<Ending, 8> endings = {{{".fathom", Format::fathom},
                                                {".npy", Format::npy},
                                                {".nrrd", Format::nrrd},
                                                {".vti", Format::vti},
                                                {".sdf", Format::sdfgen},
                                                {".dist", Format::vega},
                                                {".distance", Format::vega},
                                                {".vdb", Format::vdb}}};
    const std::string ending = lower_case(path.extension().string());
    for (const Ending& known : endings)
        if (known.ending == ending) return known.format;
    return Format::unknown;
}

Format format_of(const Source& source) {
    const std::string_view opening = source.text().substr(0, 1024);
    if (is_field_file(source.bytes)) return Format::fathom;
    if (is_npy(source.bytes)) return Format::npy;
    if (opening.starts_with("NRRD000")) return Format::nrrd;
    if (opening.starts_with("<") && opening.find("<VTKFile") != std::string_view::npos) return Format::vti;
    if (opening.substr(0, 8) == std::string_view(" BDV\0\0\0\0", 8)) return Format::vdb;
    if (is_vega(source.bytes)) return Format::vega;
    return format_of_name(source.name);
}

#ifndef FATHOM_WITH_VDB
[[noreturn]] void refuse_vdb(const fs::path& path) {
    throw Error(Cause::unsupported, "this build was made without OpenVDB (FATHOM_VDB)", {.file = path.string()});
}
GridFile read_vdb(const fs::path& path, const GridReadOptions&) { refuse_vdb(path); }
void write_vdb(const GridField&, const fs::path& path) { refuse_vdb(path); }
#endif

[[noreturn]] void refuse_name(const std::string& name) {
    throw Error(Cause::unknown_format, "unknown grid format; known formats: .fathom .npy .nrrd .vti .sdf .dist .vdb",
                {.file = name});
}

GridFile from_field_file(FieldFile file) { return {std::move(file.field), "fathom", std::move(file.note), {}}; }

// Reads foreign formats from memory.
GridFile read_samples(Format format, const Source& source, const GridReadOptions& options) {
    switch (format) {
    case Format::npy:
        return read_npy_grid(source, options);
    case Format::nrrd:
        return read_nrrd(source, options);
    case Format::vti:
        return read_vti(source, options);
    case Format::sdfgen:
        return read_sdfgen(source, options);
    case Format::vega:
        return read_vega(source, options);
    case Format::vdb:
        throw Error(Cause::unsupported, "OpenVDB files are read by path only", {.file = source.name});
    case Format::fathom:
    case Format::unknown:
        break;
    }
    refuse_name(source.name);
}

// If memory runs out, the file is rejected with an Error.
template <class Read>
GridFile guarded(const std::string& name, Read read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    throw Error(Cause::too_large, "the grid that the file describes does not fit into memory", {.file = name});
}

GridFile read_path(const fs::path& path, const GridReadOptions& options) {
    const auto file = std::make_shared<const MappedFile>(path);
    const Source source{file->bytes(), path.string()};
    if (source.bytes.empty()) throw Error(Cause::empty, "the file is empty", {.file = source.name});
    const Format format = format_of(source);
    if (format == Format::fathom) return from_field_file(read_field(source.bytes, source.name, file));
    if (format == Format::vdb) return read_vdb(path, options);
    return read_samples(format, source, options);
}

GridFile read_memory(const Source& source, const GridReadOptions& options) {
    if (source.bytes.empty()) throw Error(Cause::empty, "the file is empty", {.file = source.name});
    const Format format = format_of(source);
    if (format != Format::fathom) return read_samples(format, source, options);
    // The caller's bytes may be unaligned, so they are copied to aligned memory.
    const auto copy = std::make_shared<std::vector<std::uint64_t>>(source.bytes.size() / 8 + 1);
    const std::span<std::byte> room = std::as_writable_bytes(std::span(*copy)).first(source.bytes.size());
    std::copy(source.bytes.begin(), source.bytes.end(), room.begin());
    return from_field_file(read_field(room, source.name, copy));
}

using Write = void (*)(FileWriter&, const GridData&, const GridWriteOptions&);

Write writer_of(Format format) {
    switch (format) {
    case Format::npy:
        return write_npy_grid;
    case Format::nrrd:
        return write_nrrd;
    case Format::vti:
        return write_vti;
    case Format::sdfgen:
        return write_sdfgen;
    case Format::vega:
        return write_vega;
    case Format::fathom:
    case Format::vdb:
    case Format::unknown:
        break;
    }
    return nullptr;
}

void check_limits(const GridLayout& layout, const fs::path& path, const GridWriteOptions& options) {
    const Place place{.file = path.string()};
    const std::uint64_t size = sample_count(layout) * (options.doubles ? 8 : 4);
    if (size > options.size_limit)
        throw Error(
            Cause::too_large,
            fmt::format("all samples take {} MB, more than the limit of {} MB", size >> 20, options.size_limit >> 20),
            place);
    const auto n = sample_counts(layout);
    const std::uint64_t memory = n[0] * n[1] * (brick_samples + 1) * sizeof(double);
    if (memory > options.memory_limit)
        throw Error(
            Cause::too_large,
            fmt::format("8 slices take {} MB, more than the limit of {} MB", memory >> 20, options.memory_limit >> 20),
            place);
}

} // namespace

bool has_openvdb() {
#ifdef FATHOM_WITH_VDB
    return true;
#else
    return false;
#endif
}

GridFile read_grid_file(const fs::path& path, const GridReadOptions& options) {
    return guarded(path.string(), [&] { return read_path(path, options); });
}

GridFile read_grid_file(std::span<const std::byte> bytes, std::string_view name, const GridReadOptions& options) {
    const Source source{bytes, std::string(name)};
    return guarded(source.name, [&] { return read_memory(source, options); });
}

void write_grid_file(const GridField& field, const fs::path& path, const GridWriteOptions& options) {
    const Format format = format_of_name(path);
    if (format == Format::fathom) return write_field(field, path, options.note);
    if (format == Format::vdb) return write_vdb(field, path);
    const Write write = writer_of(format);
    if (!write) refuse_name(path.string());
    check_limits(field.layout(), path, options);
    FileWriter file(path);
    write(file, field.data(), options);
    file.finish();
}

// ---- Validation of grids from untrusted sources.

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
            fail(Cause::non_finite, fmt::format("invalid value {}", value), place, name);
    };
    at_least_zero(data.band, "band", false);
    at_least_zero(data.near_error, "near error", true);
    at_least_zero(data.far_error, "far error", true);
    at_least_zero(data.lipschitz, "Lipschitz bound", true);
    at_least_zero(data.step, "step", false);
    if (data.storage != GridStorage::float32 && data.storage != GridStorage::code16)
        fail(Cause::unsupported, "unknown kind of storage", place);
    if (data.storage == GridStorage::code16 && !(data.step > 0 && std::isfinite(0x1p33 * data.step)))
        fail(Cause::malformed, fmt::format("invalid step of codes {}", data.step), place, "step");
}

void check_length(std::size_t length, std::size_t expected, std::string_view name, const Place& place) {
    if (length != expected)
        fail(Cause::count_mismatch, fmt::format("has {} entries, but the layout requires {}", length, expected), place,
             name);
}

constexpr std::size_t chunk = std::size_t{1} << 18;

// Index of the first invalid entry, or SIZE_MAX. Chunks are tested as a whole first, which vectorises.
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
                 fmt::format("refers to stored brick {} of {}, but {} is next", brick_of[b], stored, next), place,
                 "brick", b);
        ++next;
    }
    if (next != stored)
        fail(Cause::count_mismatch, fmt::format("{} bricks are stored, but {} have a position", stored, next), place);
}

} // namespace

GridCounts counts_of(const GridLayout& layout, std::size_t stored, std::size_t available, const Place& place) {
    if (!is_finite(layout.origin) || !std::isnormal(layout.cell) || layout.cell < 0 || !std::isfinite(1 / layout.cell))
        fail(Cause::non_finite, "the origin or the cell size is not a valid number", place, "layout");
    std::size_t corners = 1;
    for (const int n : layout.bricks) {
        if (n < 1 || n > max_bricks_along)
            fail(Cause::malformed, fmt::format("invalid number of bricks along an axis: {}", n), place, "layout");
        if (corners > available / sizeof(float) / static_cast<std::size_t>(n + 1))
            fail(Cause::count_mismatch, "requires more bricks than there are bytes", place, "layout");
        corners *= static_cast<std::size_t>(n + 1);
    }
    if (!is_finite(layout.domain().upper)) fail(Cause::non_finite, "the domain is not finite", place, "layout");
    GridCounts counts{corners, layout.brick_count(), stored, 0};
    for (int level = 0; level < level_count(layout); ++level) {
        std::size_t entries = 1;
        for (const int n : layout.bricks) entries *= static_cast<std::size_t>(blocks_along(n, level));
        counts.level_entries += entries;
    }
    if (stored > counts.bricks || stored >= no_index)
        fail(Cause::count_mismatch, fmt::format("{} bricks are stored, but there are {} in all", stored, counts.bricks),
             place, "layout");
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
    if (bad != SIZE_MAX) fail(Cause::malformed, "the codes exceed the range of 32-bit numbers", place, "base", bad);
}

} // namespace fathom
