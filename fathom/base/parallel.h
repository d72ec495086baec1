// Parallel loops on oneTBB with results that do not depend on the number of threads: work is split into chunks of a
// fixed size, and partial results are combined in the order of the chunks. Exceptions of a body reach the caller. The
// header does not expose TBB types.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace fathom {

// Number of threads of the loops below. The default is that of the machine; 0 restores it.
[[nodiscard]] std::size_t thread_count();
void set_thread_count(std::size_t count);

namespace detail {

using ChunkCall = void (*)(void* context, std::size_t chunk);
void run_chunks(std::size_t chunk_count, ChunkCall call, void* context);
void run_undisturbed(void (*call)(void* context), void* context);

} // namespace detail

// Calls body(k) once for every k in {0, ..., count-1}, in any order and on any thread.
template <class Body>
void parallel_tasks(std::size_t count, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    const auto call = [](void* context, std::size_t k) { (*static_cast<Plain*>(context))(k); };
    detail::run_chunks(count, call, const_cast<void*>(static_cast<const void*>(&body)));
}

// Calls body(begin, end) for chunks of {0, ..., count-1} with `chunk` elements each (the last may be shorter).
template <class Body>
void parallel_for(std::size_t count, std::size_t chunk, Body&& body) {
    chunk = std::max<std::size_t>(chunk, 1);
    parallel_tasks((count + chunk - 1) / chunk,
                   [&](std::size_t k) { body(k * chunk, std::min(count, (k + 1) * chunk)); });
}

// combine(... combine(combine(start, map(0, chunk)), map(chunk, 2 chunk)) ...): the same for any number of threads.
template <class T, class Map, class Combine>
[[nodiscard]] T parallel_reduce(std::size_t count, std::size_t chunk, T start, Map&& map, Combine&& combine) {
    chunk = std::max<std::size_t>(chunk, 1);
    const std::size_t pieces = (count + chunk - 1) / chunk;
    std::vector<T> partial(pieces, start);
    parallel_tasks(pieces, [&](std::size_t k) { partial[k] = map(k * chunk, std::min(count, (k + 1) * chunk)); });
    for (T& part : partial) start = combine(std::move(start), std::move(part));
    return start;
}

// Runs body() such that this thread takes no tasks of other loops while it waits for loops inside body(). For work
// under a lock that such tasks might also take.
template <class Body>
void undisturbed(Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    detail::run_undisturbed([](void* context) { (*static_cast<Plain*>(context))(); },
                            const_cast<void*>(static_cast<const void*>(&body)));
}

// A parallel loop that appends to a list, with the same result for any number of threads: calls append(k, list) for
// every k below count, and the items are in the order of k. With at most one chunk it appends to `out` directly and
// allocates nothing else.
template <class Item, class Append>
void parallel_append(std::size_t count, std::size_t chunk, std::vector<Item>& out, Append&& append) {
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
