// A trained network in double, as a field.
#include <fathom/field/neural/exact_neural_field.h>

#include <fathom/field/plane_over.h>

#include <limits>

namespace fathom {

double ExactNeuralField::distance(const Vec3& p) const {
    if (p.hasNaN()) return std::numeric_limits<double>::quiet_NaN();
    const Vec3 nearest = domain_.closest(p);
    const double value = network_->exact_sample(nearest, false).distance;
    return nearest == p ? value : beyond_domain(p, nearest, value);
}

Sample ExactNeuralField::sample(const Vec3& p) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (p.hasNaN()) return {nan, Vec3::Constant(nan)};
    const Vec3 nearest = domain_.closest(p);
    return beyond_domain(p, nearest, network_->exact_sample(nearest));
}

// By the bounds of float, which contain those in double.
Interval ExactNeuralField::range(const Box& box) const {
    if (box.lower.hasNaN() || box.upper.hasNaN()) return Interval::all();
    if (box.empty()) return Interval::none();
    Interval values;
    network_->ranges({&box, 1}, {&values, 1}, {.effort = RangeEffort::backward});
    return domain_.contains(box) ? values : beyond_domain(box, domain_, values);
}

bool ExactNeuralField::plane_ranges(std::span<const Box> boxes, std::span<Interval> out, std::span<PlaneOver> planes,
                                    const Vec3& facing) const {
    network_->exact_ranges(boxes, out, planes, facing);
    for (std::size_t k = 0; k < boxes.size(); ++k)
        if (!domain_.contains(boxes[k]) && !boxes[k].empty()) out[k] = beyond_domain(boxes[k], domain_, out[k]);
    return true;
}

} // namespace fathom
