// Finds contacts among those of the previous instant.
#include <fathom/simulate/contact/contact_cache.h>

#include <algorithm>

namespace fathom {

namespace {

bool by_key(const ContactCache::Known& a, const ContactCache::Known& b) { return a.key < b.key; }

} // namespace

void ContactCache::begin(std::span<const Vec3> positions, double seconds, double recovery_time) {
    now_ = positions;
    first_ = !begun_;
    share_ = std::min(1.0, seconds / recovery_time);
    last_.swap(known_);
    known_.clear();
}

double ContactCache::pressed(const ContactKey& key, const WeightedContact& contact) {
    double compression = pressed_before(key);
    for (std::size_t k = 0; k < contact.count; ++k) {
        const Index point = contact.points[k];
        if (point < before_.size())
            compression -= contact.weights[k] * contact.separating_direction.dot(now_[point] - before_[point]);
    }
    return remember(key, contact.depth, compression);
}

double ContactCache::pressed(const ContactKey& key, double depth, double come_together) {
    return remember(key, depth, pressed_before(key) + come_together);
}

double ContactCache::pressed_before(const ContactKey& key) const {
    const auto old = std::lower_bound(last_.begin(), last_.end(), Known{key, 0}, by_key);
    return old != last_.end() && old->key == key ? old->pressed : 0;
}

double ContactCache::remember(const ContactKey& key, double depth, double compression) {
    const double kept = std::clamp(compression, 0.0, depth);
    known_.push_back({key, first_ ? depth : kept + (depth - kept) * share_});
    return known_.back().pressed;
}

void ContactCache::end() {
    std::sort(known_.begin(), known_.end(), by_key);
    before_.assign(now_.begin(), now_.end());
    begun_ = true;
}

} // namespace fathom
