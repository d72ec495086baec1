// How far each contact has been pressed together since it began, so that penalties never make energy.
// A contact pushes by no more than the way by which its features have come together since it began. Where nothing is
// odd that way is the depth. What is found deep all at once, because a surface has folded into itself or a shape has
// jumped, would be energy from nowhere: it starts at 0 and grows to its depth at the pace of the recovery time alone.
// O(contacts log contacts) a step. Not thread-safe.
#pragma once

#include <fathom/response/weighted_contact.h>

#include <compare>
#include <vector>

namespace fathom {

// What a contact is known by from step to step.
struct ContactKey {
    Index body = no_index, other = no_index, feature = no_index, other_feature = no_index;

    friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};

class ContactCache {
public:
    struct Known {
        ContactKey key{};
        double pressed = 0; // m
    };

    // Contacts of a new moment: where the points are, and how many seconds after the moment before. The first moment
    // takes depths as they are. Points may have been added since, none removed. `positions` must stay until end().
    void begin(std::span<const Vec3> positions, double seconds, double recovery_time);
    // The depth by which this contact pushes; each key once a moment.
    [[nodiscard]] double pressed(const ContactKey& key, const WeightedContact& contact);
    // The same where the caller knows how far its sides have come together since the moment before (m); then no
    // positions are needed.
    [[nodiscard]] double pressed(const ContactKey& key, double depth, double come_together);
    void end();

    [[nodiscard]] std::span<const Known> known() const { return known_; } // of the last moment that ended, by key

private:
    [[nodiscard]] double pressed_before(const ContactKey& key) const;
    double remember(const ContactKey& key, double depth, double way);

    std::span<const Vec3> now_;
    std::vector<Vec3> before_;
    double share_ = 1; // of what lacks to the depth, that recovers in this moment
    bool first_ = true, begun_ = false;
    std::vector<Known> known_, last_;
};

} // namespace fathom
