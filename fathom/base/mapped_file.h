// A file seen as memory, without reading it first: pages come as they are touched and are shared between
// processes. Not for: files that others shorten in place while they are mapped (touching what is gone ends the
// process); write_whole_file() and FileWriter never do that.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace fathom {

class MappedFile {
public:
    // Throws Error{cannot_open} where there is no such regular file or it cannot be read or mapped.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // Starts at a page border; empty for an empty file. Valid as long as this object.
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

} // namespace fathom
