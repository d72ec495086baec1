// The shortest translation found that separates two overlapping shapes of any kind.
// The translations of B that leave it overlapping A form a set around the origin (the Minkowski difference of the
// solids); the shortest separating translation is its closest boundary point. Method: from the contacts, the
// translation that removes their local depths (a quadratic program, repeated where it leads), and from directions
// spread over the sphere, the shortest one that is free along each; the best ones are improved by the contacts at the
// boundary (sequential quadratic programming) and by directions nearby. Every translation is tested by collide().
// Cost: 100 to 500 status queries and some tens of contact queries. const and thread-safe; deterministic.
// When not to use it: for pairs with a closed form.
#pragma once

#include <fathom/detect/query/query_pair.h>

#include <limits>
#include <span>

namespace fathom::query {

struct SeparatingTranslation {
    double length = std::numeric_limits<double>::quiet_NaN(); // m
    Vec3 direction = Vec3::Zero();                            // unit: B moved by length * direction is disjoint from A
    Separates separates = Separates::unknown;                 // unknown: none was found
    bool unique = true; // no other direction was found that separates by a translation as short
};

// `pair` overlaps, or is closer than the margin (m); `contacts` are those of collide(), possibly none.
[[nodiscard]] SeparatingTranslation separating_translation(const Pair& pair, double margin,
                                                           std::span<const Contact> contacts);

} // namespace fathom::query
