// Updates of a sorted list: some items are removed, some are inserted, the others keep their order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace fathom {

template <class T>
void sort_unique(std::vector<T>& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Removes the items of `touched` from `list`, then inserts those for which `stays(item)` holds. Both lists are
// ascending without duplicates. One pass from the first touched item on.
template <class T, class Stays>
void renew_sorted(std::vector<T>& list, std::span<const T> touched, const Stays& stays) {
    if (touched.empty()) return;
    const auto from = std::lower_bound(list.begin(), list.end(), touched.front());
    const std::vector<T> tail(from, list.end());
    list.erase(from, list.end());
    auto old = tail.begin();
    for (const T& item : touched) {
        while (old != tail.end() && *old < item) list.push_back(*old++);
        if (old != tail.end() && *old == item) ++old;
        if (stays(item)) list.push_back(item);
    }
    list.insert(list.end(), old, tail.end());
}

} // namespace fathom
