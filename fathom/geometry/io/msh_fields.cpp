// Index of tags as sorted runs of consecutive tags.
#include <fathom/geometry/io/msh_fields.h>

#include <algorithm>

namespace fathom {

void TagRuns::add(std::int64_t tag) {
    const bool follows = !runs_.empty() && tag > runs_.back().first && runs_.back().past(tag) == runs_.back().count;
    if (follows)
        ++runs_.back().count;
    else
        runs_.push_back({tag, size_, 1});
    ++size_;
}

void TagRuns::sort() {
    std::sort(runs_.begin(), runs_.end(),
              [](const Run& a, const Run& b) { return a.first != b.first ? a.first < b.first : a.index < b.index; });
}

template <class Use>
void TagRuns::overlaps(Use&& use) const {
    if (runs_.empty()) return;
    std::int64_t reach = runs_.front().last();
    for (std::size_t k = 1; k < runs_.size(); ++k) {
        const Run& run = runs_[k];
        if (run.first <= reach) use(run.first, run.past(std::min(reach, run.last())) + 1);
        reach = std::max(reach, run.last());
    }
}

std::size_t TagRuns::repeated() const {
    std::size_t count = 0;
    overlaps([&](std::int64_t, std::uint64_t more) { count += more; });
    return count;
}

std::optional<std::int64_t> TagRuns::first_repeated() const {
    std::optional<std::int64_t> found;
    overlaps([&](std::int64_t tag, std::uint64_t) {
        if (!found) found = tag;
    });
    return found;
}

std::optional<std::size_t> TagRuns::find(std::int64_t tag) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), tag,
                                        [](std::int64_t value, const Run& run) { return value < run.first; });
    if (after == runs_.begin()) return std::nullopt;
    const Run& run = *(after - 1);
    const std::uint64_t past = run.past(tag);
    return past < run.count ? std::optional<std::size_t>(run.index + past) : std::nullopt;
}

} // namespace fathom
