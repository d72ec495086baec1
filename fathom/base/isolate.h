// Runs untrusted code (a third-party importer on a hostile file) in a child process with bounded memory and time. A
// crash, a hang or an exhausted limit is a result; the caller always continues. Cost: a fork (about 1 ms, more for a
// large process). The child sees a copy of the caller's memory; only the returned bytes come back. Safe beside other
// threads as long as the work takes no lock that one of them may hold (allocation is allowed).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fathom {

struct IsolateOptions {
    // Bytes that the work may allocate in addition to the memory of the process; also bounds the size of the result.
    std::size_t memory = std::size_t{1} << 30;
    double seconds = 60; // limit of wall time (s); the work is ended then
};

enum class IsolateStatus {
    finished,      // `bytes` is what the work returned
    threw,         // `reason` is the exception's text
    out_of_memory, // std::bad_alloc, or a result larger than the limit
    out_of_time,
    died // ended by a signal, or left the process
};

struct IsolateResult {
    IsolateStatus status = IsolateStatus::died;
    std::vector<std::byte> bytes;
    std::string reason; // one sentence; empty if finished
};

// The work must not rely on output streams (they are discarded) or other threads. Throws Error{too_large} if the system
// refuses a child process. The address and thread sanitizers reserve terabytes, so memory is not bounded under them.
[[nodiscard]] IsolateResult run_isolated(const std::function<std::vector<std::byte>()>& work,
                                         const IsolateOptions& options = {});

} // namespace fathom
