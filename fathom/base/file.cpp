// Reading, writing and mapping of whole files with POSIX calls, because the standard streams do not report why they
// fail.
#include <fathom/base/file.h>

#include <fathom/base/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace fathom {

namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return value_; }

private:
    int value_;
};

[[noreturn]] void fail(Cause cause, const fs::path& path, std::string_view reason) {
    throw Error(cause, std::string(reason), {.file = path.string()});
}

[[noreturn]] void fail_with_errno(Cause cause, const fs::path& path) { fail(cause, path, std::strerror(errno)); }

void allocate(Bytes& bytes, std::size_t size, const fs::path& path) {
    try {
        bytes.resize(size);
    } catch (const std::bad_alloc&) {
        fail(Cause::too_large, path, fmt::format("{} bytes do not fit into memory", size));
    }
}

// Returns the number of bytes read; fewer than requested only at the end of the file.
std::size_t read_fully(int file, std::byte* target, std::size_t size, const fs::path& path) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t step = ::read(file, target + done, size - done);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) fail_with_errno(Cause::cannot_open, path);
        if (step == 0) break;
        done += static_cast<std::size_t>(step);
    }
    return done;
}

bool write_fully(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t step = ::write(file, content.data(), content.size());
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(step));
    }
    return true;
}

// The path to write to: the target of a link, and never a device or folder.
fs::path final_place(const fs::path& path) {
    std::error_code ignored;
    fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
    if (target.empty()) fail(Cause::cannot_write, path, "the symbolic link cannot be resolved");
    const fs::file_status status = fs::status(target, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) fail(Cause::cannot_write, path, "not a regular file");
    return target;
}

fs::path temporary_beside(const fs::path& target) {
    static std::atomic<unsigned> counter = 0;
    return target.parent_path() / fmt::format(".fathom-{}-{}.tmp", ::getpid(), counter++);
}

mode_t mode_of(const fs::path& target, mode_t otherwise) {
    struct stat status {};
    return ::stat(target.c_str(), &status) == 0 ? status.st_mode & 07777 : otherwise;
}

} // namespace

void Bytes::Release::operator()(std::byte* memory) const { std::free(memory); }

void Bytes::resize(std::size_t size) {
    void* moved = std::realloc(memory_.get(), size > 0 ? size : 1);
    if (!moved) throw std::bad_alloc();
    static_cast<void>(memory_.release());
    memory_.reset(static_cast<std::byte*>(moved));
    size_ = size;
}

Bytes read_whole_file(const fs::path& path) {
    // A pipe without a writer would block forever.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(Cause::cannot_open, path);
    if (S_ISDIR(status.st_mode)) fail(Cause::cannot_open, path, "is a folder, not a file");
    if (!S_ISREG(status.st_mode)) fail(Cause::cannot_open, path, "not a regular file");
    Bytes bytes;
    allocate(bytes, static_cast<std::size_t>(status.st_size), path);
    const std::size_t size = read_fully(file.get(), bytes.data(), bytes.size(), path);
    if (size < bytes.size()) bytes.resize(size); // shortened by another process in the meantime
    return bytes;
}

FileWriter::FileWriter(const fs::path& path)
    : path_(path), target_(final_place(path)), temporary_(temporary_beside(target_)),
      file_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail_with_errno(Cause::cannot_write, path_);
}

FileWriter::~FileWriter() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(temporary_.c_str());
}

void FileWriter::fail() {
    const int why = errno;
    if (file_ >= 0) ::close(std::exchange(file_, -1));
    ::unlink(temporary_.c_str());
    errno = why;
    fail_with_errno(Cause::cannot_write, path_);
}

void FileWriter::write(std::string_view piece) {
    if (!write_fully(file_, piece)) fail();
}

void FileWriter::write(std::span<const std::byte> piece) {
    write(std::string_view(reinterpret_cast<const char*>(piece.data()), piece.size()));
}

void FileWriter::finish() {
    const mode_t mode = mode_of(target_, mode_of(temporary_, 0644));
    const bool written = ::fchmod(file_, mode) == 0 && ::close(std::exchange(file_, -1)) == 0 &&
                         ::rename(temporary_.c_str(), target_.c_str()) == 0;
    if (!written) fail();
}

void write_whole_file(const fs::path& path, std::string_view content) {
    FileWriter file(path);
    file.write(content);
    file.finish();
}

// Mapping of files with POSIX mmap.

namespace {

// Returns the reason why the open file cannot be mapped; empty, with `bytes` set, on success.
std::string map_file(int file, std::span<const std::byte>& bytes) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return {};
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) return std::strerror(errno);
    ::madvise(memory, size, MADV_WILLNEED); // only advice: failure is harmless
    bytes = {static_cast<const std::byte*>(memory), size};
    return {};
}

} // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer would block
    const std::string reason = file < 0 ? std::strerror(errno) : map_file(file, bytes_);
    if (file >= 0) ::close(file); // the mapping remains
    if (!reason.empty()) throw Error(Cause::cannot_open, reason, {.file = path.string()});
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

} // namespace fathom
