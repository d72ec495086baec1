// Random pairs of moving bodies with contacts, for the tests of what answers to them.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/response/continuous_penalty.h>

#include <vector>

namespace fathom::testing {

[[nodiscard]] inline MovingBody random_body(Random& random, double reach) {
    MovingBody body;
    const auto pose = [&] { return Pose{random.rotation(), reach * random.in_ball()}; };
    body.motion.start = pose();
    body.motion.end = body.motion.start *
                      Pose::from_axis_angle(0.3 * random.uniform(), random.direction(), 0.2 * reach * random.in_ball());
    body.center = 0.1 * reach * random.in_ball();
    for (Vec3* v : {&body.velocity_start, &body.velocity_end, &body.spin_start, &body.spin_end})
        *v = reach * random.in_ball();
    return body;
}

// Points near the field's surface, each with an interval in which it may be inside.
struct RandomContacts {
    std::vector<Vec3> points, normals;
    std::vector<point_field::PointContact> contacts;
    MovingBody shell, other;

    RandomContacts(Random& random, std::size_t count, double reach = 1)
        : shell(random_body(random, 0.3 * reach)), other(random_body(random, 0.3 * reach)) {
        for (std::size_t k = 0; k < count; ++k) {
            points.push_back(reach * random.in_ball());
            normals.push_back(random.direction());
            const double a = random.uniform(), b = random.uniform();
            contacts.push_back({static_cast<Index>(k), {std::min(a, b), k % 3 == 0 ? 1 : std::max(a, b)}});
        }
    }
    [[nodiscard]] ContactRole role(const Field& field) const { return {points, normals, shell, field, other}; }
};

// The half space z <= 0.
[[nodiscard]] inline AnalyticField floor_field() { return AnalyticField(shapes::plane({0, 0, 1}, 0)); }

} // namespace fathom::testing
