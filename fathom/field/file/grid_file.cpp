// Which reader or writer a grid file gets.
#include <fathom/base/error.h>
#include <fathom/base/lower_case.h>
#include <fathom/base/mapped_file.h>
#include <fathom/field/file/field_file.h>
#include <fathom/field/file/grid_formats.h>
#include <fathom/field/file/npy_array.h>

#include <fmt/format.h>

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
    if (opening.starts_with("<") && opening.find("<VTKFile") != opening.npos) return Format::vti;
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
    throw Error(Cause::unknown_format, "no grid format that is known here: .fathom .npy .nrrd .vti .sdf .dist .vdb",
                {.file = name});
}

GridFile from_field_file(FieldFile file) { return {std::move(file.field), "fathom", std::move(file.note), {}}; }

// Foreign formats, from memory.
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

// Memory that runs out is the file's fault, not the program's end.
template <class Read>
GridFile guarded(const std::string& name, Read read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    throw Error(Cause::too_large, "memory does not hold what the file describes", {.file = name});
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
    // The bytes are the caller's and lie anywhere: an own copy, at a place that numbers may have.
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

} // namespace fathom
