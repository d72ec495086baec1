// Composition of error messages.
#include <fathom/base/error.h>

#include <fmt/format.h>

#include <array>

namespace fathom {

namespace {

constexpr std::array<std::string_view, 14> cause_names = {
    "cannot_open", "cannot_write",     "unknown_format",     "unsupported", "truncated",
    "malformed",   "count_mismatch",   "index_out_of_range", "non_finite",  "empty",
    "too_large",   "invalid_argument", "import_failed",      "cancelled"};

std::string compose(const std::string& reason, const Place& place) {
    std::string text = place.file;
    if (place.line >= 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", place.line);
    if (place.offset >= 0) text += fmt::format("{}{}", text.empty() ? "byte " : ": byte ", place.offset);
    if (!text.empty()) text += ": ";
    if (!place.element.empty() && place.index >= 0) text += fmt::format("{} {}: ", place.element, place.index);
    if (!place.element.empty() && place.index < 0) text += fmt::format("{}: ", place.element);
    return text + reason;
}

} // namespace

std::string_view name(Cause cause) { return cause_names.at(static_cast<std::size_t>(cause)); }

Error::Error(Cause cause, std::string reason, Place place)
    : std::runtime_error(compose(reason, place)), cause_(cause), reason_(std::move(reason)), place_(std::move(place)) {}

} // namespace fathom
