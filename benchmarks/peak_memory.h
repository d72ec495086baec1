// How much memory a piece of work takes at its worst.
#pragma once

#include <functional>

namespace fathom::bench {

// The highest resident size during the work, above the one before it (MB, 1e6 bytes); 0 where the system does not tell.
[[nodiscard]] double peak_megabytes(const std::function<void()>& work);

} // namespace fathom::bench
