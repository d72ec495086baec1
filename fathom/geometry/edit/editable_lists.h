// Many short lists in one array (as Lists), of which some may be replaced: what does not fit in its old
// place goes to the end. Lists that are never replaced lie in order, so reading stays in the cache. Memory: at most
// about twice what the lists need.
#pragma once

#include <fathom/geometry/mesh/adjacency.h>

#include <algorithm>

namespace fathom {

class EditableLists {
public:
    EditableLists() = default;
    explicit EditableLists(Lists lists) : items_(std::move(lists.items)) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
            const Index size = lists.offsets[i + 1] - lists.offsets[i];
            places_.push_back({lists.offsets[i], size, size});
        }
    }

    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] std::span<const Index> operator[](std::size_t i) const {
        return std::span(items_).subspan(places_[i].begin, places_[i].size);
    }
    [[nodiscard]] std::size_t memory_bytes() const {
        return places_.size() * sizeof(Place) + items_.size() * sizeof(Index);
    }

    void resize(std::size_t count) { places_.resize(count); } // new ones are empty
    // O(items), amortised. The items must not lie in here.
    void assign(std::size_t i, std::span<const Index> items) {
        Place& place = places_[i];
        if (items.size() > place.room) {
            lost_ += place.room;
            place.begin = static_cast<Index>(items_.size());
            place.room = static_cast<Index>(items.size());
            items_.resize(items_.size() + items.size());
        }
        place.size = static_cast<Index>(items.size());
        std::copy(items.begin(), items.end(), items_.begin() + place.begin);
        if (2 * lost_ > items_.size()) pack();
    }

private:
    struct Place {
        Index begin = 0, size = 0, room = 0;
    };
    void pack() {
        std::vector<Index> kept;
        for (Place& place : places_) {
            const auto begin = items_.begin() + place.begin;
            place.begin = static_cast<Index>(kept.size());
            kept.insert(kept.end(), begin, begin + place.size);
            place.room = place.size;
        }
        items_ = std::move(kept);
        lost_ = 0;
    }

    std::vector<Place> places_;
    std::vector<Index> items_;
    std::size_t lost_ = 0; // items that belong to no list any more
};

} // namespace fathom
