// Room: simulate. Looks contacts up among those of the moment before.
#include <fathom/simulate/contact_memory.h>

#include <algorithm>

namespace fathom {

namespace {

bool by_key(const ContactMemory::Known& a, const ContactMemory::Known& b) { return a.key < b.key; }

} // namespace

void ContactMemory::begin(std::span<const Vec3> positions, double seconds, double recovery_time) {
    now_ = positions;
    first_ = before_.empty();
    share_ = std::min(1.0, seconds / recovery_time);
    last_.swap(known_);
    known_.clear();
}

double ContactMemory::pressed(const ContactKey& key, const WeightedContact& contact) {
    double pressed = contact.depth;
    if (!first_) {
        const auto old = std::lower_bound(last_.begin(), last_.end(), Known{key, 0}, by_key);
        double way = old != last_.end() && old->key == key ? old->pressed : 0;
        for (std::size_t k = 0; k < contact.count; ++k) {
            const Index point = contact.points[k];
            if (point < before_.size()) way -= contact.weights[k] * contact.normal.dot(now_[point] - before_[point]);
        }
        const double kept = std::clamp(way, 0.0, contact.depth);
        pressed = kept + (contact.depth - kept) * share_;
    }
    known_.push_back({key, pressed});
    return pressed;
}

void ContactMemory::end() {
    std::sort(known_.begin(), known_.end(), by_key);
    before_.assign(now_.begin(), now_.end());
}

} // namespace fathom
