// Creep of rest lengths.
#include <fathom/simulate/springs/spring_plastic.h>

#include <fathom/base/parallel.h>
#include <fathom/base/option_checks.h>

#include <algorithm>

namespace fathom {

namespace {

// Where the rest length goes; the same where it stays.
double creep_to(double rest, double length, double first, double share, const PlasticOptions& options) {
    const double strain = (length - rest) / rest;
    if (!(std::abs(strain) > options.yield_strain)) return rest;
    const double aim =
        strain > 0 ? length / (1 + options.yield_strain) : length / std::max(1 - options.yield_strain, 1e-3);
    // A press past the yield strain must not lengthen, nor a pull shorten.
    const double next = rest + share * (strain > 0 ? std::max(aim - rest, 0.0) : std::min(aim - rest, 0.0));
    return std::clamp(next, (1 - options.largest_change) * first, (1 + options.largest_change) * first);
}

} // namespace

void check(const PlasticOptions& options) {
    require_not_negative(options.yield_strain, "option yield_strain");
    require_not_negative(options.creep_rate, "option creep_rate");
    require(options.largest_change >= 0 && options.largest_change < 1, options.largest_change, "in [0,1)",
            {.element = "option largest_change"});
}

std::size_t creep(std::span<Spring> springs, std::span<const double> first_rest, std::span<const Vec3> positions,
                  double step, const PlasticOptions& options) {
    const double share = -std::expm1(-options.creep_rate * step);
    const auto some = [&](std::size_t begin, std::size_t end) {
        std::size_t changed = 0;
        for (std::size_t s = begin; s < end; ++s) {
            Spring& spring = springs[s];
            if (spring.kind == SpringKind::removed || !(spring.rest > 0)) continue;
            const double length = (positions[spring.points[1]] - positions[spring.points[0]]).norm();
            const double next = creep_to(spring.rest, length, first_rest[s], share, options);
            changed += next != spring.rest;
            spring.rest = next;
        }
        return changed;
    };
    return parallel_reduce(springs.size(), 4096, std::size_t{0}, some,
                           [](std::size_t sum, std::size_t part) { return sum + part; });
}

} // namespace fathom
