// Reading, writing and mapping of whole files. A file that is read is one block of memory that is never copied. A file
// that is written appears under its name either complete or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace fathom {

// Uninitialised memory that grows without a second copy where the system can move pages.
class Bytes {
public:
    Bytes() = default;

    [[nodiscard]] std::byte* data() { return memory_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<const std::byte> span() const { return {memory_.get(), size_}; }

    // Keeps the content up to the smaller size; new bytes are not initialised. Throws std::bad_alloc.
    void resize(std::size_t size);

private:
    struct Release {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte[], Release> memory_;
    std::size_t size_ = 0;
};

// Throws Error{cannot_open} if the file does not exist, is a folder or device, or cannot be read; Error{too_large} if
// it does not fit into memory.
[[nodiscard]] Bytes read_whole_file(const std::filesystem::path& path);

// Writes a temporary file in the same folder and renames it at the end, so readers see either the old or the new file.
// A symbolic link keeps its target path. Throws Error{cannot_write} and leaves no temporary file.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

// The same in pieces, for content that need not be in memory at once. A file that is not finished leaves no trace.
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

// A file mapped into memory. Pages are loaded on first access and are shared between processes. Not for files that
// other programs shorten in place while they are mapped: an access to a removed page ends the process.
// write_whole_file() and FileWriter never shorten a file in place.
class MappedFile {
public:
    // Throws Error{cannot_open} if the path is not a regular file or cannot be read or mapped.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // Starts at a page boundary; empty for an empty file. Valid as long as this object.
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

} // namespace fathom
