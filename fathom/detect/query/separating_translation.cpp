// Search for the shortest separating translation by status and contact queries.
#include <fathom/detect/query/separating_translation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fathom::query {

namespace {

constexpr double probe_effort = 0.3;     // of the status queries: a position that needs more counts as overlapping
constexpr int sphere_directions = 80;    // spread over all directions
constexpr std::size_t max_refined = 4;   // local minima that are refined
constexpr double apart_cosine = 0.85;    // of directions of different local minima
constexpr double clearance_share = 1e-7; // of the size of the pair: gap that the translation leaves

// n . x >= bound
struct Constraint {
    Vec3 normal;
    double bound;
};

// The shortest x that satisfies all constraints, by Hildreth's method. Not finite or too long: there is none.
Vec3 shortest_feasible(std::span<const Constraint> constraints) {
    std::vector<double> weights(constraints.size(), 0);
    Vec3 x = Vec3::Zero();
    for (int round = 0; round < 200; ++round) {
        double change = 0;
        for (std::size_t k = 0; k < constraints.size(); ++k) {
            const double weight = std::max(0.0, weights[k] + constraints[k].bound - constraints[k].normal.dot(x));
            x += (weight - weights[k]) * constraints[k].normal;
            change = std::max(change, std::abs(weight - weights[k]));
            weights[k] = weight;
        }
        if (change <= 1e-12 * x.norm()) break;
    }
    return x;
}

// Direction k of `count`, spread evenly over the sphere (Fibonacci lattice).
Vec3 sphere_direction(int k, int count) {
    const double z = 1 - (2 * k + 1.0) / count, r = std::sqrt(std::max(0.0, 1 - z * z));
    const double angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
    return {r * std::cos(angle), r * std::sin(angle), z};
}

// Largest value of direction . p over a shape, by its bounding box; infinity if it is unbounded there.
double support_of_bounds(const Placed& p, const Vec3& direction) {
    const Vec3 local = p.pose.rotate_to_local(direction);
    double sum = direction.dot(p.pose.translation);
    for (int k = 0; k < 3; ++k)
        if (local[k] != 0) sum += local[k] * (local[k] > 0 ? p.shape->bounds().upper : p.shape->bounds().lower)[k];
    return sum;
}

class TranslationSearch {
public:
    TranslationSearch(const Pair& pair, double margin)
        : pair_(pair), margin_(margin), size_(pair.size()), clearance_(clearance_share * size_) {}

    SeparatingTranslation run(std::span<const Contact> contacts) {
        try_from_inside(contacts);
        for (const Vec3& direction : starts(contacts)) try_direction(direction);
        refine_all();
        return finished();
    }

private:
    struct Minimum {
        Vec3 direction;
        double length;
        double inside = 0; // a shorter length at which the shapes overlap
    };

    [[nodiscard]] double best() const { return minima_.empty() ? HUGE_VAL : minima_.front().length; }

    [[nodiscard]] CollideResult collide_at(const Vec3& x, CollideGoal goal, double effort = 1) const {
        return collide(*pair_.a.shape, pair_.a.pose, *pair_.b.shape,
                       {pair_.b.pose.rotation, pair_.b.pose.translation + x},
                       {.goal = goal, .margin = margin_, .effort = effort});
    }

    [[nodiscard]] bool is_free(const Vec3& x) const {
        return collide_at(x, CollideGoal::status, probe_effort).status == Status::disjoint;
    }

    [[nodiscard]] std::vector<Contact> contacts_at(const Vec3& x) const {
        return collide_at(x, CollideGoal::contacts).contacts;
    }

    // Length of the translation along the direction that separates the bounding boxes.
    [[nodiscard]] double box_length(const Vec3& direction) const {
        const double length = support_of_bounds(pair_.a, direction) + support_of_bounds(pair_.b, -direction);
        return (length + margin_) * (1 + 1e-9) + clearance_;
    }

    // ---- Candidates

    [[nodiscard]] std::vector<Vec3> starts(std::span<const Contact> contacts) const {
        std::vector<Vec3> directions;
        const auto add = [&](const Vec3& v) {
            if (v.squaredNorm() > 0 && is_finite(v)) directions.push_back(v.normalized());
        };
        Vec3 sum = Vec3::Zero();
        for (const Contact& c : contacts) {
            sum += std::max(c.depth, 0.0) * c.normal;
            add(c.normal);
        }
        add(sum);
        const auto middle = [](const Placed& p) {
            return p.shape->bounded() ? p.pose * p.shape->bounds().center() : p.pose.translation;
        };
        add(middle(pair_.b) - middle(pair_.a));
        for (const Placed* p : {&pair_.a, &pair_.b})
            for (int axis = 0; axis < 3; ++axis)
                for (const double sign : {1.0, -1.0}) add(sign * p->pose.rotate(Vec3::Unit(axis)));
        for (int k = 0; k < sphere_directions; ++k) add(pair_.a.pose.rotate(sphere_direction(k, sphere_directions)));
        return directions;
    }

    // Translations that remove the local depths of the contacts, until the shapes are free.
    void try_from_inside(std::span<const Contact> contacts) {
        std::vector<Contact> now(contacts.begin(), contacts.end());
        Vec3 x = Vec3::Zero();
        for (int step = 0; step < 12 && !now.empty(); ++step) {
            const Vec3 next = without_depths(now, x);
            if (!is_finite(next) || !(next.norm() < 4 * size_) || (next - x).norm() < clearance_) return;
            x = next;
            if (is_free(x)) return shorten(x.normalized(), x.norm());
            now = contacts_at(x);
        }
    }

    // The shortest translation at which the contacts found at x have no depth, to first order.
    [[nodiscard]] Vec3 without_depths(std::span<const Contact> contacts, const Vec3& x) const {
        std::vector<Constraint> constraints;
        for (const Contact& c : contacts)
            constraints.push_back(
                {c.normal, c.normal.dot(x) + c.depth + margin_ + clearance_ + 1e-3 * std::abs(c.depth)});
        return shortest_feasible(constraints);
    }

    // A translation along the direction that is shorter than the best one by a share, if it is free.
    bool try_direction(const Vec3& direction, double share = 0.98) {
        double length = std::min(box_length(direction), share * best());
        if (!std::isfinite(length)) { // unbounded: go as far as some sizes
            for (length = size_; length < 1e3 * size_ && !is_free(length * direction); length *= 2) {
            }
        }
        if (!(length < best()) || !is_free(length * direction)) return false;
        shorten(direction, length);
        return true;
    }

    // Bisects between a free length and an overlapping one, and keeps the result among the minima.
    void shorten(const Vec3& direction, double length, double share = 0.02) {
        Minimum minimum{direction, length};
        narrow(minimum, share);
        const auto same = [&](const Minimum& m) { return m.direction.dot(direction) > apart_cosine; };
        const auto old = std::find_if(minima_.begin(), minima_.end(), same);
        if (old != minima_.end()) {
            if (!(minimum.length < old->length)) return;
            minima_.erase(old);
        }
        const auto place =
            std::find_if(minima_.begin(), minima_.end(), [&](const Minimum& m) { return minimum.length < m.length; });
        minima_.insert(place, minimum);
        if (minima_.size() > max_refined) minima_.pop_back();
    }

    // Halves the interval between overlapping and free lengths until it is a share of the length.
    void narrow(Minimum& m, double share) const {
        const double precision = std::max(share * m.length, clearance_);
        while (m.length - m.inside > precision) {
            const double middle = 0.5 * (m.inside + m.length);
            (is_free(middle * m.direction) ? m.length : m.inside) = middle;
        }
    }

    // ---- Refinement

    void refine_all() {
        const std::vector<Minimum> all = minima_;
        for (const Minimum& start : all) {
            Minimum m = start;
            refine_by_contacts(m);
            refine_nearby(m);
            refine_by_contacts(m);
            keep(m);
        }
    }

    void keep(const Minimum& m) {
        minima_.push_back(m);
        std::stable_sort(minima_.begin(), minima_.end(),
                         [](const Minimum& p, const Minimum& q) { return p.length < q.length; });
    }

    // Moves m to another direction if it separates by a shorter translation.
    bool improve(Minimum& m, const Vec3& direction, double share) const {
        Minimum next{direction, share * m.length};
        if (!is_free(next.length * direction)) return false;
        narrow(next, 1e-3);
        m = next;
        return true;
    }

    // At a boundary point the contacts are shallow and their normals those of the boundary.
    void refine_by_contacts(Minimum& m) const {
        for (int step = 0; step < 8; ++step) {
            narrow(m, 1e-3);
            const Vec3 x = m.inside * m.direction;
            const Vec3 next = without_depths(contacts_at(x), x);
            if (!is_finite(next) || !(next.norm() < m.length)) return;
            if (!improve(m, next.normalized(), 0.999)) return;
        }
    }

    // Directions around the present one, at angles that shrink.
    void refine_nearby(Minimum& m) const {
        for (double angle = 0.3; angle > 0.01; angle *= 0.5) {
            bool improved = true;
            for (int round = 0; round < 4 && improved; ++round) {
                improved = false;
                const Vec3 u = m.direction.unitOrthogonal(), v = m.direction.cross(u);
                for (int k = 0; k < 6 && !improved; ++k) {
                    const double turn = k * std::numbers::pi / 3;
                    const Vec3 aside = std::cos(turn) * u + std::sin(turn) * v;
                    improved = improve(m, std::cos(angle) * m.direction + std::sin(angle) * aside, 0.995);
                }
            }
        }
    }

    // ---- Result

    [[nodiscard]] SeparatingTranslation finished() {
        if (minima_.empty()) return {};
        Minimum m = minima_.front();
        narrow(m, 1e-9);
        SeparatingTranslation result{m.length, m.direction};
        // Some clearance, so that the translation separates also if it is rounded or slightly longer.
        for (double extra = clearance_; extra < 0.1 * size_; extra *= 4) {
            result.length = m.length + extra;
            const CollideResult there = collide_at(result.length * m.direction, CollideGoal::status);
            if (there.status != Status::disjoint) continue;
            result.separates = there.proven ? Separates::proven : Separates::found;
            break;
        }
        if (result.separates == Separates::unknown) return {};
        for (const Minimum& other : minima_)
            if (other.direction.dot(m.direction) < apart_cosine &&
                other.length < m.length * (1 + 1e-6) + 2 * clearance_)
                result.unique = false;
        return result;
    }

    Pair pair_;
    double margin_, size_, clearance_; // m
    std::vector<Minimum> minima_;      // ascending by length, in different directions
};

} // namespace

SeparatingTranslation separating_translation(const Pair& pair, double margin, std::span<const Contact> contacts) {
    return TranslationSearch(pair, margin).run(contacts);
}

} // namespace fathom::query
