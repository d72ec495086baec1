// Error, the exception of the library. It is thrown at the border for bad files, arrays and options, and for cancelled
// work; queries never throw for numerical reasons. The message reads "file:line: element 12: reason".
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fathom {

enum class Cause {
    cannot_open,        // the file is missing or unreadable
    cannot_write,       // the file cannot be created, or the disk is full
    unknown_format,     // neither the name nor the content indicates a known format
    unsupported,        // a known format, but a part of it that is not supported
    truncated,          // the data ends too early
    malformed,          // the data cannot be parsed
    count_mismatch,     // the number of elements differs from the stated number
    index_out_of_range, // an element refers to a vertex that does not exist
    non_finite,         // NaN or infinity
    empty,              // nothing to work on
    too_large,          // exceeds a limit stated in the message
    invalid_argument,   // an option or argument outside its stated range
    import_failed,      // a third-party importer failed or crashed
    cancelled           // the caller cancelled the work
};

[[nodiscard]] std::string_view name(Cause cause); // "index_out_of_range"

// Position in the input. Negative numbers and empty strings mean "unknown".
struct Place {
    std::string file{};
    std::int64_t line = -1;   // counted from 1; for binary data use `element` and `index`, or `offset`
    std::string element{};    // "vertex", "triangle", "option resolution"
    std::int64_t index = -1;  // index of the element, counted from 0
    std::int64_t offset = -1; // byte offset in the file
};

class Error : public std::runtime_error {
public:
    Error(Cause cause, std::string reason, Place place = {});

    [[nodiscard]] Cause cause() const { return cause_; }
    [[nodiscard]] const Place& place() const { return place_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }

private:
    Cause cause_;
    std::string reason_;
    Place place_;
};

// Checks of numbers given by the caller.

// Throws Error{invalid_argument} if `good` is false. The message names the value and the allowed `range`.
void require(bool good, double value, const char* range, const Place& place);

inline void require_positive(double value, const char* option) {
    require(std::isfinite(value) && value > 0, value, "a finite number above 0", {.element = option});
}
inline void require_not_negative(double value, const char* option) {
    require(std::isfinite(value) && value >= 0, value, "a finite number of at least 0", {.element = option});
}

} // namespace fathom
