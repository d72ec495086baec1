// Whole files in and out. What is read is one block of memory that is never copied; what is written appears
// under its name complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace fathom {

// Memory that grows without a second copy where the system can move pages, and is not filled before it is written.
class Bytes {
public:
    Bytes() = default;

    [[nodiscard]] std::byte* data() { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<const std::byte> span() const { return {memory_.get(), size_}; }

    // Keeps what fits; new bytes are not initialised. Throws std::bad_alloc.
    void resize(std::size_t size);

private:
    struct Release {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte[], Release> memory_;
    std::size_t size_ = 0;
};

// Throws Error{cannot_open} where there is no such file, it is a folder or device, or it cannot be read;
// Error{too_large} where memory does not hold it.
[[nodiscard]] Bytes read_whole_file(const std::filesystem::path& path);

// Through a temporary file in the same folder that is renamed at the end: readers see the old file or the new one. A
// symbolic link keeps pointing where it did. Throws Error{cannot_write} and leaves nothing behind.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

// The same, piece by piece, for content that need not be in memory at once. What is not finished leaves nothing behind.
class FileWriter {
public:
    explicit FileWriter(const std::filesystem::path& path);
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(std::string_view piece);
    void write(std::span<const std::byte> piece);
    void finish(); // the file appears under its name

private:
    [[noreturn]] void fail();

    std::filesystem::path path_, target_, temporary_;
    int file_;
};

// A file seen as memory, without reading it first: pages come as they are touched and are shared between
// processes. Not for: files that others shorten in place while they are mapped (touching what is gone ends the
// process); write_whole_file() and FileWriter never do that.

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
