// A parallel loop that appends to a list: the same list for any number of threads.
#pragma once

#include <fathom/base/parallel.h>

#include <vector>

namespace fathom {

// append(k, list) for every k below count; what each adds to the list stands in the order of k. One chunk or less
// appends to `out` itself and allocates nothing more.
template <class Item, class Append>
void in_chunks(std::size_t count, std::size_t chunk, std::vector<Item>& out, Append&& append) {
    if (count <= chunk) {
        for (std::size_t k = 0; k < count; ++k) append(k, out);
        return;
    }
    std::vector<std::vector<Item>> parts((count + chunk - 1) / chunk);
    parallel_for(count, chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) append(k, parts[begin / chunk]);
    });
    for (const std::vector<Item>& part : parts) out.insert(out.end(), part.begin(), part.end());
}

} // namespace fathom
