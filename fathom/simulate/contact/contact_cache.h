// Contact cache: the compression of each contact since it began, so that penalties never create energy.
// A contact pushes by at most the distance by which its features have approached each other since it began. Normally
// that is the depth. A contact that is deep when it is found, because a surface has folded into itself or a shape has
// jumped, would create energy: its compression starts at 0 and grows to the depth at the rate of the recovery time
// only. O(contacts log contacts) per step. Not thread-safe.
#pragma once

#include <fathom/response/weighted_contact.h>

#include <compare>
#include <vector>

namespace fathom {

// Identifies a contact across steps.
struct ContactKey {
    Index body = no_index, other = no_index, feature = no_index, other_feature = no_index;

    friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};

class ContactCache {
public:
    struct Known {
        ContactKey key{};
        double pressed = 0; // compression (m)
    };

    // Starts the contacts of a new instant: positions of the points, and seconds since the previous instant. At the
    // first instant depths are used as they are. Points may have been added since, but not removed. `positions` must
    // stay valid until end().
    void begin(std::span<const Vec3> positions, double seconds, double recovery_time);
    // The effective depth of this contact (m); each key once per instant.
    [[nodiscard]] double pressed(const ContactKey& key, const WeightedContact& contact);
    // The same if the caller knows by how much its sides have approached each other since the previous instant (m); no
    // positions are needed then.
    [[nodiscard]] double pressed(const ContactKey& key, double depth, double come_together);
    void end();

    [[nodiscard]] std::span<const Known> known() const { return known_; } // of the last completed instant, by key

private:
    [[nodiscard]] double pressed_before(const ContactKey& key) const;
    double remember(const ContactKey& key, double depth, double compression);

    std::span<const Vec3> now_;
    std::vector<Vec3> before_;
    double share_ = 1; // share of the missing depth that is recovered in this instant
    bool first_ = true, begun_ = false;
    std::vector<Known> known_, last_;
};

} // namespace fathom
