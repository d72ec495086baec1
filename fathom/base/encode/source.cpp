// Counts in headers are not believed.
#include <fathom/base/encode/source.h>

#include <fmt/format.h>

namespace fathom {

std::size_t believable(std::uint64_t count, std::size_t least_bytes, std::size_t available, std::string_view element,
                       const Place& place) {
    if (count > available / least_bytes)
        throw Error(Cause::count_mismatch,
                    fmt::format("states {} {}, but only {} bytes follow", count, element, available), place);
    return static_cast<std::size_t>(count);
}

} // namespace fathom
