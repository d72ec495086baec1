// Reader and writer of zip files. The directory at the end is authoritative; local headers are used only for their own
// size.
#include <fathom/field/neural_io/zip_archive.h>

#include <fathom/base/encode/bytes.h>
#include <fathom/base/encode/gzip.h>
#include <fathom/base/encode/text.h>

#include <fmt/format.h>

#include <limits>
#include <set>

namespace fathom {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50, directory_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, directory_entry_size = 46, end_size = 22, longest_comment = 65535;
constexpr std::uint16_t stored = 0, deflate = 8, encrypted_flag = 1;
constexpr std::uint32_t in_zip64 = 0xffffffff; // the number does not fit in this field

class DirectoryReader {
public:
    explicit DirectoryReader(const Source& source) : source_(source) {}

    std::vector<ZipEntry> read() {
        ByteReader end(source_, end_record() + 8);
        static_cast<void>(end.read<std::uint16_t>("the end record"));
        const auto count = end.read<std::uint16_t>("the end record");
        static_cast<void>(end.read<std::uint32_t>("the end record"));
        const auto start = end.read<std::uint32_t>("the end record");
        if (start == in_zip64) fail(Cause::unsupported, "zip files of more than 4 GB are not supported");
        if (start > source_.bytes.size()) fail(Cause::malformed, "the zip directory is beyond the end of the file");
        ByteReader directory(source_, start);
        std::vector<ZipEntry> entries(directory.checked_count(count, directory_entry_size, "entries"));
        std::set<std::string_view> names;
        std::size_t taken = 0;
        for (ZipEntry& entry : entries) {
            read_entry(directory, entry);
            if (!names.insert(entry.name).second)
                fail(Cause::malformed, fmt::format("'{}' occurs twice", printable(entry.name)));
            taken += local_size + entry.packed.size();
            if (taken > source_.bytes.size()) fail(Cause::malformed, "the zip entries overlap");
        }
        return entries;
    }

private:
    [[noreturn]] void fail(Cause cause, std::string reason) const {
        throw Error(cause, std::move(reason), {.file = source_.name});
    }

    [[nodiscard]] std::size_t end_record() const {
        const std::size_t size = source_.bytes.size();
        for (std::size_t back = end_size; back <= std::min(size, end_size + longest_comment); ++back) {
            ByteReader record(source_, size - back);
            if (record.read<std::uint32_t>("a mark") != end_mark) continue;
            static_cast<void>(record.take(end_size - 6, "the end record"));
            if (record.read<std::uint16_t>("the end record") == back - end_size) return size - back;
        }
        fail(Cause::truncated, "the zip file has no directory at its end");
    }

    void read_entry(ByteReader& directory, ZipEntry& entry) const {
        if (directory.read<std::uint32_t>("a mark") != directory_mark)
            directory.fail(Cause::malformed, "expected an entry of the zip directory");
        static_cast<void>(directory.take(4, "a version"));
        const auto flags = directory.read<std::uint16_t>("flags");
        const auto method = directory.read<std::uint16_t>("a method");
        static_cast<void>(directory.take(4, "a time"));
        entry.checksum = directory.read<std::uint32_t>("a checksum");
        const auto packed = directory.read<std::uint32_t>("a size");
        const auto size = directory.read<std::uint32_t>("a size");
        const std::size_t name_size = directory.read<std::uint16_t>("a size");
        const std::size_t extra_size = directory.read<std::uint16_t>("a size");
        const std::size_t comment_size = directory.read<std::uint16_t>("a size");
        static_cast<void>(directory.take(8, "attributes"));
        const auto local = directory.read<std::uint32_t>("a place");
        const auto name = directory.take(name_size, "a name");
        static_cast<void>(directory.take(extra_size + comment_size, "an entry"));
        entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
        if (flags & encrypted_flag) fail(Cause::unsupported, fmt::format("'{}' is encrypted", printable(entry.name)));
        if (method != stored && method != deflate)
            fail(Cause::unsupported,
                 fmt::format("'{}' has the unsupported compression method {}", printable(entry.name), method));
        if (packed == in_zip64 || size == in_zip64 || local == in_zip64)
            fail(Cause::unsupported, fmt::format("'{}' is larger than 4 GB", printable(entry.name)));
        entry.deflated = method == deflate;
        entry.size = size;
        entry.packed = content(local, packed, entry.name);
        const bool possible = entry.deflated ? size / max_inflation <= packed : size == packed;
        if (!possible)
            fail(Cause::count_mismatch,
                 fmt::format("'{}' cannot contain {} bytes in {}", printable(entry.name), size, packed));
    }

    [[nodiscard]] std::span<const std::byte> content(std::size_t at, std::size_t size, std::string_view name) const {
        if (at > source_.bytes.size() || source_.bytes.size() - at < local_size)
            fail(Cause::truncated, fmt::format("'{}' is beyond the end of the file", printable(name)));
        ByteReader local(source_, at);
        if (local.read<std::uint32_t>("a mark") != local_mark)
            local.fail(Cause::malformed, "expected an entry of the zip file");
        static_cast<void>(local.take(local_size - 8, "an entry"));
        const std::size_t name_size = local.read<std::uint16_t>("a size");
        const std::size_t extra_size = local.read<std::uint16_t>("a size");
        static_cast<void>(local.take(name_size + extra_size, "an entry"));
        return local.take(size, "an entry");
    }

    const Source& source_;
};

// Returns false if the data are damaged: they must fill `out` exactly.
bool inflate_all(std::span<const std::byte> packed, std::span<std::byte> out) {
    Inflater inflater(Inflater::Wrapping::none);
    inflater.restart();
    std::byte beyond{}; // room for one extra byte, so that the end is detected where no more data are expected
    while (true) {
        const bool full = out.empty();
        const Inflater::Step step = inflater.step(packed, full ? std::span(&beyond, 1) : out);
        if (step.damaged || (full && step.given > 0)) return false;
        packed = packed.subspan(step.taken);
        if (!full) out = out.subspan(step.given);
        if (step.ended) return out.empty();
        if (step.taken == 0 && step.given == 0) return false;
    }
}

std::uint32_t narrow(std::size_t size) {
    if (size >= in_zip64) throw Error(Cause::too_large, "zip files of more than 4 GB are not supported");
    return static_cast<std::uint32_t>(size);
}

// Fields shared by a local header and an entry of the directory.
void append_description(std::string& out, const std::string& name, const std::string& content) {
    constexpr std::uint16_t version = 20, first_day = 0x21; // 1 January 1980
    for (const std::uint16_t word : {version, std::uint16_t{0}, stored, std::uint16_t{0}, first_day})
        append_little_endian(out, word);
    append_little_endian(out, crc32_of(std::as_bytes(std::span(content))));
    append_little_endian(out, narrow(content.size()));
    append_little_endian(out, narrow(content.size()));
    append_little_endian(out, static_cast<std::uint16_t>(name.size()));
    append_little_endian(out, std::uint16_t{0}); // no extra field
}

} // namespace

std::vector<ZipEntry> zip_entries(const Source& source) { return DirectoryReader(source).read(); }

Bytes unpacked(const ZipEntry& entry, const Source& source) {
    Bytes bytes;
    bytes.resize(entry.size);
    const std::span<std::byte> out(bytes.data(), bytes.size());
    bool fine = true;
    if (entry.deflated)
        fine = inflate_all(entry.packed, out);
    else
        std::copy(entry.packed.begin(), entry.packed.end(), out.begin());
    if (!fine || crc32_of(out) != entry.checksum)
        throw Error(Cause::malformed, "is damaged: its checksum does not match",
                    {.file = source.name, .element = printable(entry.name)});
    return bytes;
}

std::string written_zip(std::span<const std::pair<std::string, std::string>> files) {
    std::string out, directory;
    for (const auto& [name, content] : files) {
        append_little_endian(directory, directory_mark);
        append_little_endian(directory, std::uint16_t{20}); // version that made it
        append_description(directory, name, content);
        directory.append(10, '\0'); // no comment, no attributes
        append_little_endian(directory, narrow(out.size()));
        directory.append(name);
        append_little_endian(out, local_mark);
        append_description(out, name, content);
        out.append(name).append(content);
    }
    const std::uint32_t start = narrow(out.size());
    out.append(directory);
    append_little_endian(out, end_mark);
    append_little_endian(out, std::uint32_t{0}); // the only disk
    append_little_endian(out, static_cast<std::uint16_t>(files.size()));
    append_little_endian(out, static_cast<std::uint16_t>(files.size()));
    append_little_endian(out, narrow(directory.size()));
    append_little_endian(out, start);
    append_little_endian(out, std::uint16_t{0}); // no comment
    return out;
}

} // namespace fathom
