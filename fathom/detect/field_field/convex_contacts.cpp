// The deepest contact of two convex bodies, and a ring of others.
#include <fathom/detect/field_field/convex_contacts.h>

#include <fathom/field/analytic/analytic_field.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fathom {

namespace {

constexpr std::size_t ring_size = 8;
constexpr std::array<int, ring_size> ring_order = {0, 4, 2, 6,
                                                   1, 5, 3, 7}; // in eighths of a turn: any few of them are well spread
constexpr std::array<double, 4> ring_radii = {1, 0.4, 0.16, 0.06}; // of the size; the widest that still touches counts
constexpr double least_gap = 0.01;                                 // of the size, between contacts

class Ring {
public:
    Ring(const FieldPair& pair, double size, const RegionOptions& options, DeepestContact& deepest)
        : pair_(pair), size_(size), options_(options), deepest_(deepest) {}

    // The deepest point of a flat contact may be a corner of it: a second ring, from the middle of the first, is the
    // even one.
    void add(RegionContacts& result) {
        const RegionContact first = result.contacts.front();
        add_round(first.point_p, first.normal, result);
        if (result.contacts.size() < 3) return;
        Vec3 sum = Vec3::Zero();
        for (const RegionContact& c : result.contacts) sum += c.point_p;
        const Vec3 middle = sum / static_cast<double>(result.contacts.size());
        result.contacts.resize(1);
        add_round(middle, first.normal, result);
    }

private:
    void add_round(const Vec3& center, const Vec3& normal, RegionContacts& result) {
        const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
        const std::size_t wanted = std::min(ring_size, options_.most_contacts - 1);
        std::array<Vec3, ring_size> ways;
        std::size_t open = 0;
        for (; open < wanted; ++open) {
            const double angle = 0.25 * std::numbers::pi * ring_order[open];
            ways[open] = std::cos(angle) * u + std::sin(angle) * v;
        }
        for (const double radius : ring_radii) open = place(center, radius * size_, ways, open, result);
    }

    // Takes those that touch; the ways of the others stay, in front.
    std::size_t place(const Vec3& center, double radius, std::array<Vec3, ring_size>& ways, std::size_t open,
                      RegionContacts& result) {
        if (open == 0) return 0;
        std::array<Vec3, ring_size> points;
        std::array<Sample, ring_size> samples;
        const auto look = [&](int role) {
            pair_.samples(role, std::span(points).first(open), std::span(samples).first(open));
            result.look_ups += open;
        };
        for (std::size_t k = 0; k < open; ++k) points[k] = center + radius * ways[k];
        for (int step = 0; step < 2; ++step) { // onto P: the distance is exact, so the second only mends rounding
            look(0);
            for (std::size_t k = 0; k < open; ++k) points[k] -= samples[k].distance * samples[k].gradient;
        }
        look(1);
        std::size_t left = 0;
        for (std::size_t k = 0; k < open; ++k)
            if (!(samples[k].distance <= options_.margin))
                ways[left++] = ways[k];
            else if (!is_known(points[k], result))
                if (const auto contact = deepest_.at(points[k], 0, samples[k])) result.contacts.push_back(*contact);
        return left;
    }

    [[nodiscard]] bool is_known(const Vec3& x, const RegionContacts& result) const {
        return std::any_of(result.contacts.begin(), result.contacts.end(),
                           [&](const RegionContact& c) { return (c.point_p - x).norm() < least_gap * size_; });
    }

    const FieldPair& pair_;
    double size_;
    const RegionOptions& options_;
    DeepestContact& deepest_;
};

} // namespace

bool is_convex(const Field& field) {
    const auto* formula = dynamic_cast<const AnalyticField*>(&field);
    return formula && formula->is_convex();
}

RegionContacts convex_contacts(const FieldPair& pair, const Vec3& common, double size, const RegionOptions& options) {
    RegionContacts result;
    if (options.most_contacts == 0) {
        result.truncated = true;
        return result;
    }
    DeepestContact deepest(pair,
                           {size, options.margin, 1e-2, true, true}); // Newton's method or cutting planes do the rest
    if (const auto contact = deepest.from(common)) {
        result.contacts.push_back(*contact);
        if (options.most_contacts > 1) Ring(pair, size, options, deepest).add(result);
    }
    std::stable_sort(result.contacts.begin(), result.contacts.end(),
                     [](const auto& a, const auto& b) { return a.depth > b.depth; });
    result.look_ups += deepest.look_ups();
    return result;
}

} // namespace fathom
