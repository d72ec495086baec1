// Dual gradient descent of many points simultaneously: down one field, within the body of another.
#include <fathom/detect/field_field/dual_gradient.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/rounding.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

namespace fathom::field_field {

namespace {

constexpr std::size_t lane_count = 32;       // points that are processed together
constexpr double adaptive_tolerance = 1e-13; // of the smaller diagonal: shortest step, unless the rule is fixed
constexpr double value_rounding = 4e-16;     // of size and value: smaller differences of values do not count

double size_of(const Field& field) {
    const double size = field.bounds().diagonal();
    return size > 0 && std::isfinite(size) ? size : std::numeric_limits<double>::infinity();
}

// The options, with automatic values computed from the fields.
struct Rules {
    StepRule rule;
    double step, tolerance, size;
    int max_steps;
    bool beyond; // continue below 0, to the minimum

    Rules(const PlacedField& a, const PlacedField& b, const DualDescentOptions& options, bool beyond_zero)
        : rule(options.rule), step(options.step), tolerance(options.tolerance),
          size(std::min(size_of(*a.field), size_of(*b.field))), max_steps(options.max_steps), beyond(beyond_zero) {
        const auto need = [](bool holds, const char* reason, const char* option) {
            if (!holds) throw Error(Cause::invalid_argument, reason, {.element = option});
        };
        need(step >= 0 && std::isfinite(step), "must be finite and not negative", "option step");
        need(tolerance >= 0 && std::isfinite(tolerance), "must be finite and not negative", "option tolerance");
        need(max_steps >= 1, "must be at least 1", "option max_steps");
        if (!std::isfinite(size)) size = 1;
        if (step == 0) step = 0.01 * size;
        if (tolerance == 0) tolerance = (rule == StepRule::fixed ? 1e-5 : adaptive_tolerance) * size;
    }

    [[nodiscard]] double slack(const Vec3& p) const { return position_rounding(size, p.cwiseAbs().maxCoeff()); }
};

// The state machine of one point. It requests values at `place`, of the fields given by wants_a and wants_b, and
// receives them in the next call.
class Walker {
public:
    Vec3 place = Vec3::Zero();
    bool wants_a = true, wants_b = true;
    bool done = false;
    DescentEnd end;

    void start(const Vec3& p, const Rules& rules) {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        end = {.point = p, .distance_a = unknown, .distance_b = unknown, .steps = 0, .common = false};
        x_ = p;
        const bool printed = rules.rule == StepRule::fixed;
        request(p, true, printed, printed ? Phase::look : Phase::enter);
    }

    void receive(const Sample& a, const Sample& b, const Rules& rules) {
        const auto useless = [](const Sample& s) { return !std::isfinite(s.distance) || !is_finite(s.gradient); };
        if ((wants_a && useless(a)) || (wants_b && useless(b))) {
            finish(end.point, end.distance_a, end.distance_b);
            return;
        }
        if (rules.rule == StepRule::fixed)
            fixed(a, b, rules);
        else
            adaptive(a, b, rules);
    }

private:
    enum class Phase { look, step, last, enter, arrive, back, weigh };

    void request(const Vec3& p, bool of_a, bool of_b, Phase phase) {
        place = p;
        wants_a = of_a;
        wants_b = of_b;
        phase_ = phase;
    }

    void finish(const Vec3& p, double a, double b) {
        end.point = p;
        end.distance_a = a;
        end.distance_b = b;
        end.common = a <= 0 && b <= 0;
        done = true;
    }

    // The point where the field is `below` less than 0, by its slope.
    [[nodiscard]] static Vec3 projected(const Vec3& p, const Sample& s, double below) {
        const double slope = s.gradient.squaredNorm();
        return slope > 0 ? Vec3(p - (s.distance + below) / slope * s.gradient) : p;
    }

    // ---- Fixed rule, as printed in the paper

    void fixed(const Sample& a, const Sample& b, const Rules& rules) {
        const double slack = rules.slack(place);
        if (phase_ == Phase::step) {
            go_to(a.distance > slack ? Vec3(place - a.distance * a.gradient) : place, rules);
            return;
        }
        const bool in_a = a.distance <= slack, in_b = b.distance <= 0;
        const bool over = rules.beyond ? was_in_b_ && !in_b : in_a && in_b;
        if (phase_ == Phase::last || over || end.steps >= rules.max_steps) {
            if (over && in_a && a.distance > 0)
                settle(a, b, slack);
            else
                finish(place, a.distance, b.distance);
            return;
        }
        was_in_b_ = in_a && in_b;
        if (!in_a)
            go_to(place - a.distance * a.gradient, rules);
        else
            request(place - rules.step * b.gradient, true, false, Phase::step);
    }

    void go_to(const Vec3& next, const Rules& rules) {
        const double moved = (next - x_).norm();
        x_ = next;
        ++end.steps;
        request(next, true, true, moved > rules.tolerance ? Phase::look : Phase::last);
    }

    // Moves a point that is outside A by rounding slightly inwards.
    void settle(const Sample& a, const Sample& b, double slack) {
        if (settled_ || !(b.distance < 0)) {
            finish(place, a.distance, b.distance);
            return;
        }
        settled_ = true;
        request(projected(place, a, slack), true, true, Phase::last);
    }

    // ---- Adaptive rule

    void adaptive(const Sample& a, const Sample& b, const Rules& rules) {
        if (phase_ == Phase::arrive) return arrive(b, rules);
        if (phase_ == Phase::weigh) return weigh(b, rules);
        const double slack = rules.slack(place);
        if (a.distance > slack && tries_ < max_tries) {
            ++tries_;
            // A common point must be inside with certainty.
            request(projected(place, a, rules.beyond ? 0 : 0.5 * slack), true, false, phase_);
            return;
        }
        a_ = a;
        entered_ = a.distance <= slack;
        request(place, false, true, phase_ == Phase::enter ? Phase::arrive : Phase::weigh);
    }

    // The first valid point: in A, or as close to it as the projection gets.
    void arrive(const Sample& b, const Rules& rules) {
        accept(b, rules);
        if (!entered_) {
            finish(x_, x_a_.distance, x_b_.distance);
            return;
        }
        last_values_.fill(x_b_.distance);
        if (!rules.beyond && x_b_.distance <= 0)
            finish(x_, x_a_.distance, x_b_.distance);
        else
            try_step(first_step(rules), rules);
    }

    void accept(const Sample& b, const Rules& rules) {
        x_ = place;
        x_a_ = a_;
        x_b_ = b;
        downhill_ = downhill(rules);
        if (end.steps == 0 || b.distance < end.distance_b)
            end.point = x_, end.distance_a = x_a_.distance, end.distance_b = x_b_.distance;
    }

    // Minus the gradient of B, without its component out of A if the point is on A's surface.
    [[nodiscard]] Vec3 downhill(const Rules& rules) {
        Vec3 direction = -x_b_.gradient;
        const double steep = x_a_.gradient.norm();
        held_ = x_a_.distance >= -1e-9 * rules.size && steep > 0 && direction.dot(x_a_.gradient) > 0;
        if (held_) {
            const Vec3 normal = x_a_.gradient / steep;
            direction -= direction.dot(normal) * normal;
        }
        return direction;
    }

    // Step length from the value: from outside slightly beyond the surface of B; in both bodies to the surface of A.
    [[nodiscard]] double first_step(const Rules& rules) const {
        const double slope = std::max(x_b_.gradient.squaredNorm(), 1e-300),
                     into_b = 1.01 * x_b_.distance + 4 * rules.slack(x_);
        const double distance =
            rules.beyond || x_b_.distance <= 0 ? std::max({into_b, -x_a_.distance, -x_b_.distance}) : into_b;
        return distance / slope;
    }

    void try_step(double step, const Rules& rules) {
        const double length = downhill_.norm();
        step_ = length > 0 ? std::min(step, rules.size / length) : 0;
        if (!(step_ * length > rules.tolerance) || end.steps >= rules.max_steps) {
            finish(end.point, end.distance_a, end.distance_b);
            return;
        }
        ++end.steps;
        tries_ = 0;
        request(x_ + step_ * downhill_, true, false, Phase::back);
    }

    void weigh(const Sample& b, const Rules& rules) {
        const double worst = *std::max_element(last_values_.begin(), last_values_.end());
        const double gain = 1e-4 * step_ * downhill_.squaredNorm();
        if (!entered_ || !(b.distance <= worst - gain)) {
            // The last gains are below the rounding of the values; there only the step length decides.
            const bool level =
                entered_ && b.distance <= worst + value_rounding * (rules.size + std::abs(worst)) && held_;
            if (!level || ++level_steps_ > 8) {
                try_step(0.25 * step_, rules);
                return;
            }
        }
        const Vec3 before = x_, way_before = downhill_;
        const bool held_before = held_;
        accept(b, rules);
        last_values_[static_cast<std::size_t>(end.steps) % last_values_.size()] = b.distance;
        if (!rules.beyond && x_b_.distance <= 0 && x_a_.distance <= 0) {
            finish(x_, x_a_.distance, x_b_.distance);
            return;
        }
        const Vec3 moved = x_ - before;
        if (!(moved.norm() > rules.tolerance)) {
            finish(end.point, end.distance_a, end.distance_b);
            return;
        }
        const double bend = moved.dot(way_before - downhill_);
        if (held_ && held_before && bend > 0)
            try_step(moved.squaredNorm() / bend, rules);
        else
            try_step(held_ ? 2 * step_ : first_step(rules), rules);
    }

    static constexpr int max_tries = 12; // limit on projections back into A

    Phase phase_ = Phase::look;
    Vec3 x_ = Vec3::Zero();
    Sample x_a_, x_b_, a_;
    Vec3 downhill_ = Vec3::Zero();
    double step_ = 0;
    std::array<double, 4> last_values_{};
    int tries_ = 0, level_steps_ = 0;
    bool held_ = false, entered_ = false, was_in_b_ = false, settled_ = false;
};

using Lanes = std::array<Walker, lane_count>;
using Samples = std::array<Sample, lane_count>;

// Evaluates one field for all walkers that request it, in one batch.
void evaluate_requests(const PlacedField& placed, std::span<Walker> walkers, bool Walker::*wants, Samples& out) {
    std::array<Vec3, lane_count> points;
    std::array<std::size_t, lane_count> whose;
    std::array<Sample, lane_count> found;
    std::size_t count = 0;
    for (std::size_t k = 0; k < walkers.size(); ++k) {
        if (walkers[k].done || !(walkers[k].*wants)) continue;
        points[count] = placed.pose.to_local(walkers[k].place);
        whose[count++] = k;
    }
    placed.field->samples({points.data(), count}, {found.data(), count});
    for (std::size_t k = 0; k < count; ++k) out[whose[k]] = {found[k].distance, placed.pose.rotate(found[k].gradient)};
}

// Runs at most lane_count points to their ends. If `lowest` is given, points with a larger index are abandoned.
void walk(const PlacedField& a, const PlacedField& b, std::span<const Vec3> starts, std::span<DescentEnd> out,
          const Rules& rules, std::size_t first = 0, std::atomic<std::size_t>* lowest = nullptr) {
    Lanes lanes;
    const std::span<Walker> walkers(lanes.data(), starts.size());
    Samples from_a, from_b;
    for (std::size_t k = 0; k < starts.size(); ++k) walkers[k].start(starts[k], rules);
    for (bool busy = true; busy;) {
        evaluate_requests(a, walkers, &Walker::wants_a, from_a);
        evaluate_requests(b, walkers, &Walker::wants_b, from_b);
        busy = false;
        for (std::size_t k = 0; k < walkers.size(); ++k) {
            Walker& walker = walkers[k];
            if (!walker.done) walker.receive(from_a[k], from_b[k], rules);
            if (lowest && walker.done && walker.end.common) {
                std::size_t known = lowest->load();
                while (first + k < known && !lowest->compare_exchange_weak(known, first + k)) {
                }
            }
            if (lowest && first + k > lowest->load()) walker.done = true;
            busy = busy || !walker.done;
        }
    }
    for (std::size_t k = 0; k < starts.size(); ++k) out[k] = walkers[k].end;
}

} // namespace

DescentEnd dual_descent(const PlacedField& a, const PlacedField& b, const Vec3& start,
                        const DualDescentOptions& options) {
    DescentEnd end;
    walk(a, b, {&start, 1}, {&end, 1}, Rules(a, b, options, false));
    return end;
}

void dual_descents(const PlacedField& a, const PlacedField& b, std::span<const Vec3> starts, std::span<DescentEnd> out,
                   const DualDescentOptions& options) {
    const Rules rules(a, b, options, false);
    parallel_for(starts.size(), lane_count, [&](std::size_t begin, std::size_t end) {
        walk(a, b, starts.subspan(begin, end - begin), out.subspan(begin, end - begin), rules);
    });
}

std::optional<DescentEnd> first_common_point(const PlacedField& a, const PlacedField& b, std::span<const Vec3> starts,
                                             const DualDescentOptions& options) {
    const Rules rules(a, b, options, false);
    std::vector<DescentEnd> ends(starts.size());
    std::atomic<std::size_t> lowest = starts.size();
    parallel_for(starts.size(), lane_count, [&](std::size_t begin, std::size_t end) {
        if (begin > lowest.load()) return;
        walk(a, b, starts.subspan(begin, end - begin), std::span(ends).subspan(begin, end - begin), rules, begin,
             &lowest);
    });
    return lowest < starts.size() ? std::optional(ends[lowest]) : std::nullopt;
}

DescentEnd nearest_to(const PlacedField& b, const PlacedField& a, const Vec3& start,
                      const DualDescentOptions& options) {
    DescentEnd end;
    walk(a, b, {&start, 1}, {&end, 1}, Rules(a, b, options, true));
    return end;
}

DualContact deepest_points(const PlacedField& a, const PlacedField& b, const Vec3& common,
                           const DualDescentOptions& options) {
    const DescentEnd in_b = nearest_to(b, a, common, options), in_a = nearest_to(a, b, common, options);
    DualContact contact;
    contact.point_a = in_b.point;
    contact.point_b = in_a.point;
    contact.depth_a = -in_b.distance_b;
    contact.depth_b = -in_a.distance_b;
    contact.normal_a = -b.sample(in_b.point).gradient.normalized();
    contact.normal_b = a.sample(in_a.point).gradient.normalized();
    return contact;
}

} // namespace fathom::field_field
