// Runs code that nobody trusts (a third-party importer on a hostile file) in a child process with bounded
// memory and time. Whatever it does, the caller goes on: a crash, a hang or an exhausted limit is an answer. Cost: a
// fork (about 1 ms, more for a large process). The child sees the caller's memory as it was; only the returned bytes
// come back. Safe beside other threads as long as the work takes no lock that one of them may hold (memory is fine).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fathom {

struct IsolateOptions {
    std::size_t memory =
        std::size_t{1} << 30; // bytes that the work may add to what the process has; also bounds the answer
    double seconds = 60;      // of wall time; the work is ended then
};

enum class IsolateStatus {
    finished,      // `bytes` is what the work returned
    threw,         // `reason` is the exception's text
    out_of_memory, // std::bad_alloc, or an answer larger than the limit
    out_of_time,
    died // by a signal, or by leaving the process
};

struct IsolateResult {
    IsolateStatus status = IsolateStatus::died;
    std::vector<std::byte> bytes;
    std::string reason; // one sentence; empty where finished
};

// The work must not rely on output streams (they lead nowhere) or other threads. Throws Error{too_large} where the
// system grants no child. Under the address and thread sanitizers memory is not bounded: they reserve terabytes.
[[nodiscard]] IsolateResult run_isolated(const std::function<std::vector<std::byte>()>& work,
                                         const IsolateOptions& options = {});

} // namespace fathom
