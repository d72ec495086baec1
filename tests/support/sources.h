// Files made in memory, and errors looked at closely.
#pragma once

#include <fathom/base/encode/text_scanner.h>
#include <fathom/base/error.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fathom::testing {

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

// The text must outlive the source.
[[nodiscard]] inline Source source_of(std::string_view text, std::string name = "test") {
    return {bytes_of(text), std::move(name)};
}

// The Error that the call throws; a failed test where it throws none or something else.
template <class Call>
[[nodiscard]] Error error_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    } catch (const std::exception& other) {
        ADD_FAILURE() << "threw something else: " << other.what();
        return Error(Cause::cancelled, "");
    }
    ADD_FAILURE() << "threw no error";
    return Error(Cause::cancelled, "");
}

} // namespace fathom::testing
