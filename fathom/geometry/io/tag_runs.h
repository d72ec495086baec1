// The tags that a file gives to its nodes or elements: any order, gaps allowed. Consecutive tags share
// one entry, so the usual 1, 2, 3, ... costs nothing; the worst case is 24 bytes a tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fathom {

class TagRuns {
public:
    // The tag of the next element.
    void add(std::int64_t tag);

    // After the last add(), before the questions below. O(runs log runs).
    void sort();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t repeated() const; // elements whose tag another one bears already
    [[nodiscard]] std::optional<std::int64_t> first_repeated() const;

    // The element of that tag, counted in the order of add(); one of them where the tag is repeated. O(log runs).
    [[nodiscard]] std::optional<std::size_t> find(std::int64_t tag) const;

private:
    struct Run {
        std::int64_t first; // tag
        std::size_t index;  // of its element
        std::size_t count;

        [[nodiscard]] std::uint64_t past(std::int64_t tag) const {
            return static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first);
        }
        [[nodiscard]] std::int64_t last() const { return first + static_cast<std::int64_t>(count - 1); }
    };
    template <class Use>
    void overlaps(Use&& use) const; // use(first repeated tag, how many) for each run that starts inside an earlier one

    std::vector<Run> runs_;
    std::size_t size_ = 0;
};

} // namespace fathom
