// A child process with resource limits, and a pipe for its result.
#include <fathom/base/isolate.h>

#include <fathom/base/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <new>
#include <span>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FATHOM_SANITIZER_RESERVES_MEMORY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FATHOM_SANITIZER_RESERVES_MEMORY
#endif
#endif

namespace fathom {

namespace {

using Clock = std::chrono::steady_clock;

enum class MessageKind : std::uint64_t { bytes, exception, no_memory };

// Sent by the child before its result.
struct Header {
    MessageKind kind;
    std::uint64_t size;
};

[[maybe_unused]] std::size_t address_space_in_use() {
    std::array<char, 64> text{};
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    return length > 0 ? std::strtoull(text.data(), nullptr, 10) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void limit(__rlimit_resource resource, std::size_t amount) {
    rlimit old{};
    ::getrlimit(resource, &old);
    const rlim_t bounded = std::min<rlim_t>(amount, old.rlim_max);
    const rlimit now{bounded, bounded};
    ::setrlimit(resource, &now);
}

void set_limits(const IsolateOptions& options) {
#ifndef FATHOM_SANITIZER_RESERVES_MEMORY
    limit(RLIMIT_AS, address_space_in_use() + options.memory);
#endif
    limit(RLIMIT_CPU, static_cast<std::size_t>(std::ceil(std::max(options.seconds, 1.0))));
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
}

// The caller's signal handlers must not run in the child.
void forget_signal_handlers() {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGXCPU, SIGPIPE})
        ::signal(signal, SIG_DFL);
}

void silence_output() {
    const int nowhere = ::open("/dev/null", O_RDWR);
    if (nowhere < 0) return;
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

void send(int pipe, const void* data, std::size_t size) {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t step = ::write(pipe, from, size);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) ::_exit(1);
        from += step;
        size -= static_cast<std::size_t>(step);
    }
}

[[noreturn]] void be_child(int pipe, const std::function<std::vector<std::byte>()>& work,
                           const IsolateOptions& options) {
    forget_signal_handlers();
    silence_output();
    set_limits(options);
    const auto send_result = [pipe](MessageKind kind, const void* data, std::size_t size) {
        const Header header{kind, size};
        send(pipe, &header, sizeof(header));
        send(pipe, data, size);
    };
    try {
        const std::vector<std::byte> bytes = work();
        send_result(MessageKind::bytes, bytes.data(), bytes.size());
    } catch (const std::bad_alloc&) {
        send_result(MessageKind::no_memory, nullptr, 0);
    } catch (const std::exception& error) {
        send_result(MessageKind::exception, error.what(), std::strlen(error.what()));
    } catch (...) {
        send_result(MessageKind::exception, nullptr, 0);
    }
    ::_exit(0); // without destructors: they belong to the caller
}

enum class Reading { complete, ended, late };

Reading receive(int pipe, std::span<std::byte> target, Clock::time_point deadline) {
    while (!target.empty()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return Reading::late;
        pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left, 1 << 30))) <= 0) continue;
        const ssize_t step = ::read(pipe, target.data(), target.size());
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) return Reading::ended;
        target = target.subspan(static_cast<std::size_t>(step));
    }
    return Reading::complete;
}

// The running child process; it never outlives this object.
class Child {
public:
    Child(pid_t id, int pipe) : id_(id), pipe_(pipe) {}
    ~Child() {
        if (id_ > 0) static_cast<void>(end());
        ::close(pipe_);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] int pipe() const { return pipe_; }

    // Ends the child and returns its exit status. A child that was already ending keeps its own status.
    [[nodiscard]] int end() {
        ::kill(id_, SIGKILL);
        int status = 0;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        id_ = 0;
        return status;
    }

private:
    pid_t id_;
    int pipe_;
};

IsolateResult unfinished(Reading reading, Child& child, const IsolateOptions& options) {
    const int status = child.end();
    const bool out_of_time = reading == Reading::late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    if (out_of_time) return {IsolateStatus::out_of_time, {}, fmt::format("took longer than {} s", options.seconds)};
    if (WIFSIGNALED(status))
        return {IsolateStatus::died, {}, fmt::format("crashed: {}", ::strsignal(WTERMSIG(status)))};
    return {IsolateStatus::died, {}, fmt::format("exited with code {}", WEXITSTATUS(status))};
}

IsolateResult receive_result(Child& child, Clock::time_point deadline, const IsolateOptions& options) {
    Header header{};
    Reading reading = receive(child.pipe(), std::as_writable_bytes(std::span(&header, 1)), deadline);
    if (reading != Reading::complete) return unfinished(reading, child, options);
    if (header.kind == MessageKind::no_memory || header.size > options.memory)
        return {IsolateStatus::out_of_memory, {}, fmt::format("needed more than {} bytes of memory", options.memory)};
    std::vector<std::byte> bytes(static_cast<std::size_t>(header.size));
    reading = receive(child.pipe(), bytes, deadline);
    if (reading != Reading::complete) return unfinished(reading, child, options);
    if (header.kind == MessageKind::bytes) return {IsolateStatus::finished, std::move(bytes), {}};
    const std::string text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 500));
    return {IsolateStatus::threw, {}, text.empty() ? "threw an exception without a message" : text};
}

} // namespace

IsolateResult run_isolated(const std::function<std::vector<std::byte>()>& work, const IsolateOptions& options) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000));
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(Cause::too_large, std::strerror(errno));
    const pid_t child = ::fork();
    if (child < 0) {
        const int why = errno;
        for (const int end : ends) ::close(end);
        throw Error(Cause::too_large, fmt::format("cannot create a child process: {}", std::strerror(why)));
    }
    if (child == 0) {
        ::close(ends[0]);
        be_child(ends[1], work, options);
    }
    ::close(ends[1]);
    Child running(child, ends[0]);
    return receive_result(running, deadline, options);
}

} // namespace fathom
