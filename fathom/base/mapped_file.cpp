// Files as memory, by POSIX mmap.
#include <fathom/base/error.h>
#include <fathom/base/mapped_file.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fathom {

namespace {

// Why the open file cannot be mapped; empty, and `bytes` set, where it can.
std::string map_file(int file, std::span<const std::byte>& bytes) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return {};
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) return std::strerror(errno);
    ::madvise(memory, size, MADV_WILLNEED); // advice only: a refusal does no harm
    bytes = {static_cast<const std::byte*>(memory), size};
    return {};
}

} // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer would block
    const std::string reason = file < 0 ? std::strerror(errno) : map_file(file, bytes_);
    if (file >= 0) ::close(file); // the mapping stays
    if (!reason.empty()) throw Error(Cause::cannot_open, reason, {.file = path.string()});
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

} // namespace fathom
