// What the fuzz targets of grid formats share: a reader gives a sound grid that answers, or throws Error; anything else
// is a finding.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/file/grid_file.h>

#include <cstdint>
#include <cstdlib>

namespace fathom::testing {

inline void expect_answers(const GridField& field) {
    try {
        check_grid(field.data(), {.file = "fuzz"});
    } catch (const Error&) {
        std::abort(); // it passed the reader
    }
    Random random(1);
    for (int i = 0; i < 8; ++i) {
        const Vec3 p = random.in_box(field.domain()), q = random.in_box(field.domain());
        const double value = field.distance(p);
        const Interval range = field.range({p.cwiseMin(q), p.cwiseMax(q)});
        if (std::isnan(value) || range.empty()) std::abort();
    }
}

template <class Read>
int expect_grid_or_error(Read&& read) {
    try {
        expect_answers(read());
    } catch (const Error& error) {
        if (error.reason().empty() || error.place().file.empty()) std::abort(); // an error that helps nobody
    }
    return 0;
}

inline int feed_grid(const std::uint8_t* data, std::size_t size, const char* name) {
    GridReadOptions options;
    options.memory_limit = std::size_t{4} << 20; // a few bytes cannot request much memory
    return expect_grid_or_error(
        [&] { return read_grid_file(std::as_bytes(std::span(data, size)), name, options).field; });
}

} // namespace fathom::testing
