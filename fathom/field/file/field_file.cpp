// Reading and writing of .fathom files, and the cache of fields.
#include <fathom/field/file/field_file.h>

#include <fathom/base/error.h>
#include <fathom/base/file.h>
#include <fathom/base/hash.h>
#include <fathom/base/parallel.h>
#include <fathom/field/file/grid_file.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace fathom {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the arrays of a .fathom file are mapped without conversion: little-endian");

constexpr std::size_t alignment = 64;
// Detects damage by text transfer, like the signature of PNG.
constexpr std::array<unsigned char, 8> file_magic = {0x89, 'F', 'T', 'H', 'M', '\r', '\n', 0x1a};

enum Part : std::size_t {
    note_part,
    corner_part,
    brick_part,
    base_part,
    sample_part,
    block_part,
    level_part,
    part_count
};
constexpr std::array<std::string_view, part_count> part_names = {"note",    "corners",      "brick positions", "bases",
                                                                 "samples", "block ranges", "level ranges"};

struct Section {
    std::uint64_t offset = 0;   // a multiple of 64
    std::uint64_t size = 0;     // bytes, excluding the padding to the next multiple of 64
    std::uint64_t checksum = 0; // section_checksum() of the bytes
};

struct Header {
    std::array<unsigned char, 8> magic{};
    std::uint32_t version = field_file_version;
    std::uint32_t header_size = 0;
    std::uint64_t file_size = 0;
    std::array<double, 3> origin{};
    double cell = 0;
    std::array<std::int32_t, 3> bricks{};
    std::uint32_t storage = 0;
    double band = 0, near_error = 0, far_error = 0, lipschitz = 0, step = 0;
    std::uint64_t reserved = 0;
    std::array<Section, part_count> sections{};
    std::array<std::uint64_t, 3> padding{};
    std::uint64_t checksum = 0; // checksum of all bytes before it
};
static_assert(sizeof(Header) == 320 && std::is_trivially_copyable_v<Header> && sizeof(Header) % alignment == 0);

using ByteSpan = std::span<const std::byte>;

constexpr std::uint64_t padded(std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; }

ByteSpan bytes_of(const Header& header) { return std::as_bytes(std::span(&header, 1)); }
std::uint64_t checksum_of(const Header& header) { return checksum(bytes_of(header).first(offsetof(Header, checksum))); }

// Checksum of the checksums of blocks of fixed size, so that threads can share the work.
std::uint64_t section_checksum(ByteSpan bytes) {
    constexpr std::size_t block = std::size_t{4} << 20;
    std::vector<std::uint64_t> sums((bytes.size() + block - 1) / block);
    parallel_tasks(sums.size(), [&](std::size_t k) {
        sums[k] = checksum(bytes.subspan(k * block, std::min(block, bytes.size() - k * block)));
    });
    return checksum(std::as_bytes(std::span(sums)));
}

std::vector<FloatRange> joined(const std::vector<std::span<const FloatRange>>& levels) {
    std::vector<FloatRange> all;
    for (const auto& level : levels) all.insert(all.end(), level.begin(), level.end());
    return all;
}

Header header_of(const GridData& data) {
    Header header;
    header.magic = file_magic;
    header.header_size = sizeof(Header);
    const GridLayout& layout = data.layout;
    header.origin = {layout.origin.x(), layout.origin.y(), layout.origin.z()};
    header.cell = layout.cell;
    header.bricks = layout.bricks;
    header.storage = static_cast<std::uint32_t>(data.storage);
    header.band = data.band;
    header.near_error = data.near_error;
    header.far_error = data.far_error;
    header.lipschitz = data.lipschitz;
    header.step = data.step;
    return header;
}

GridData data_of(const Header& header) {
    GridData data;
    data.layout.origin = {header.origin[0], header.origin[1], header.origin[2]};
    data.layout.cell = header.cell;
    data.layout.bricks = header.bricks;
    data.storage = static_cast<GridStorage>(header.storage);
    data.band = header.band;
    data.near_error = header.near_error;
    data.far_error = header.far_error;
    data.lipschitz = header.lipschitz;
    data.step = header.step;
    return data;
}

class Reader {
public:
    Reader(ByteSpan bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    FieldFile read(std::shared_ptr<const void> owner) {
        read_header();
        check_places();
        check_sums();
        GridData data = data_of(header_);
        point_at_arrays(data);
        check_grid(data, place());
        data.owner = std::move(owner);
        const ByteSpan note = section(note_part);
        return {GridField(std::move(data)), std::string(reinterpret_cast<const char*>(note.data()), note.size())};
    }

private:
    [[nodiscard]] Place place(std::string_view element = {}) const {
        return {.file = name_, .element = std::string(element)};
    }
    [[noreturn]] void fail(Cause cause, std::string reason, std::string_view element = {}) const {
        throw Error(cause, std::move(reason), place(element));
    }

    void read_header() {
        if (!is_field_file(bytes_)) fail(Cause::unknown_format, "is not a .fathom file");
        if (bytes_.size() < sizeof(Header)) fail(Cause::truncated, "ends inside its header");
        std::memcpy(&header_, bytes_.data(), sizeof(Header));
        if (header_.version != field_file_version)
            fail(Cause::unsupported,
                 fmt::format("has version {}; only version {} is supported", header_.version, field_file_version));
        if (header_.checksum != checksum_of(header_))
            fail(Cause::malformed, "is damaged: its checksum does not match", "header");
        if (header_.header_size != sizeof(Header))
            fail(Cause::malformed, "has the wrong size for this version", "header");
        if (header_.file_size != bytes_.size())
            fail(bytes_.size() < header_.file_size ? Cause::truncated : Cause::count_mismatch,
                 fmt::format("has {} bytes, but its header states {}", bytes_.size(), header_.file_size));
    }

    // Sections follow each other without gaps and fill the file, so every byte is covered by a checksum.
    void check_places() const {
        std::uint64_t next = sizeof(Header);
        for (std::size_t k = 0; k < part_count; ++k) {
            const Section& s = header_.sections[k];
            if (s.offset != next || s.size > bytes_.size() - next || padded(s.size) > bytes_.size() - next)
                fail(Cause::malformed, "has an invalid offset or size", part_names[k]);
            next += padded(s.size);
        }
        if (next != bytes_.size()) fail(Cause::count_mismatch, "contains bytes outside of all sections");
    }

    void check_sums() const {
        for (std::size_t k = 0; k < part_count; ++k) {
            const Section& s = header_.sections[k];
            const ByteSpan zeros = bytes_.subspan(s.offset + s.size, padded(s.size) - s.size);
            const bool clean = std::all_of(zeros.begin(), zeros.end(), [](std::byte b) { return b == std::byte{0}; });
            if (!clean || s.checksum != section_checksum(section(static_cast<Part>(k))))
                fail(Cause::malformed, "is damaged: its checksum does not match", part_names[k]);
        }
    }

    [[nodiscard]] ByteSpan section(Part part) const {
        return bytes_.subspan(header_.sections[part].offset, header_.sections[part].size);
    }

    template <class T>
    void point_at(std::span<const T>& array, Part part) const {
        const ByteSpan bytes = section(part);
        if (bytes.size() % sizeof(T) != 0)
            fail(Cause::count_mismatch, "does not contain a whole number of entries", part_names[part]);
        array = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    void point_at_arrays(GridData& data) const {
        point_at(data.corners, corner_part);
        point_at(data.brick_of, brick_part);
        point_at(data.bases, base_part);
        if (data.storage == GridStorage::code16)
            point_at(data.codes, sample_part);
        else
            point_at(data.values, sample_part);
        point_at(data.block_ranges, block_part);
        std::span<const FloatRange> ranges;
        point_at(ranges, level_part);
        const GridCounts counts = counts_of(data.layout, data.stored_bricks(), bytes_.size(), place());
        if (ranges.size() != counts.level_entries)
            fail(Cause::count_mismatch,
                 fmt::format("has {} entries, but the layout requires {}", ranges.size(), counts.level_entries),
                 part_names[level_part]);
        data.levels = split_levels(data.layout, ranges);
    }

    ByteSpan bytes_;
    const std::string& name_;
    Header header_;
};

} // namespace

bool is_field_file(std::span<const std::byte> bytes) {
    return bytes.size() >= file_magic.size() && std::memcmp(bytes.data(), file_magic.data(), file_magic.size()) == 0;
}

void write_field(const GridField& field, const std::filesystem::path& path, std::string_view note) {
    const GridData& data = field.data();
    check_grid(data, {.file = path.string()});
    const std::vector<FloatRange> levels = joined(data.levels);
    const ByteSpan samples =
        data.storage == GridStorage::code16 ? std::as_bytes(data.codes) : std::as_bytes(data.values);
    const std::array<ByteSpan, part_count> parts = {std::as_bytes(std::span(note)),
                                                    std::as_bytes(data.corners),
                                                    std::as_bytes(data.brick_of),
                                                    std::as_bytes(data.bases),
                                                    samples,
                                                    std::as_bytes(data.block_ranges),
                                                    std::as_bytes(std::span(levels))};
    Header header = header_of(data);
    header.file_size = sizeof(Header);
    for (std::size_t k = 0; k < part_count; ++k) {
        header.sections[k] = {header.file_size, parts[k].size(), section_checksum(parts[k])};
        header.file_size += padded(parts[k].size());
    }
    header.checksum = checksum_of(header);
    constexpr std::array<std::byte, alignment> zeros{};
    FileWriter file(path);
    file.write(bytes_of(header));
    for (const ByteSpan part : parts) {
        file.write(part);
        file.write(std::span(zeros).first(padded(part.size()) - part.size()));
    }
    file.finish();
}

FieldFile read_field(std::span<const std::byte> bytes, const std::string& name, std::shared_ptr<const void> owner) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0)
        throw Error(Cause::invalid_argument, "memory must start at a multiple of 8 bytes", {.file = name});
    return Reader(bytes, name).read(std::move(owner));
}

FieldFile read_field(const std::filesystem::path& path) {
    const auto file = std::make_shared<const MappedFile>(path);
    const std::span<const std::byte> bytes = file->bytes();
    return read_field(bytes, path.string(), file);
}

// ---- Cache of built fields in a folder.

namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

} // namespace

Fingerprint field_key(const TriangleMesh& mesh, std::string_view options) {
    Fingerprinter printer;
    const std::array<std::uint64_t, 3> head = {field_file_version, mesh.vertices.size(), mesh.triangles.size()};
    printer.add(std::as_bytes(std::span(head)));
    printer.add(std::as_bytes(std::span(mesh.vertices)));
    printer.add(std::as_bytes(std::span(mesh.triangles)));
    printer.add(options);
    return printer.finish();
}

fs::path FieldCache::default_folder() {
    if (std::getenv("FATHOM_CACHE")) {
        const fs::path own = from_environment("FATHOM_CACHE");
        return own == "off" ? fs::path() : own;
    }
    // The XDG specification requires that relative paths are ignored.
    if (const fs::path caches = from_environment("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "fathom";
    if (const fs::path home = from_environment("HOME"); home.is_absolute()) return home / ".cache" / "fathom";
    return {};
}

fs::path FieldCache::path_of(const Fingerprint& key) const { return folder_ / key.text().append(".fathom"); }

std::optional<FieldFile> FieldCache::find(const Fingerprint& key) const {
    if (is_off()) return std::nullopt;
    try {
        return read_field(path_of(key));
    } catch (const std::exception&) {
        return std::nullopt; // absent, damaged or of another version: not found in any case
    }
}

std::string FieldCache::put(const Fingerprint& key, const GridField& field, std::string_view note) const {
    if (is_off()) return {};
    try {
        fs::create_directories(folder_);
        write_field(field, path_of(key), note);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace fathom
