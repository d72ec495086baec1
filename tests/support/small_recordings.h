// Recordings of every kind of body, made by hand.
#pragma once

#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/geometry/generate/generate.h>
#include <fathom/simulate/record/recording.h>

namespace fathom::testing {

// A box that moves and turns, a sheet that sinks, a sheet that loses a triangle, a cloud that grows, and the ground; a
// contact from frame 1 on.
[[nodiscard]] inline Recording mixed_recording(std::size_t frames = 6) {
    const auto box = std::make_shared<const TriangleMesh>(make_box());
    const auto sheet = std::make_shared<const TriangleMesh>(
        TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}});
    const auto none = std::make_shared<const TriangleMesh>();
    const auto torn = std::make_shared<const std::vector<Triangle>>(std::vector<Triangle>{{0, 1, 2}});
    Recording recording;
    recording.set_bodies(
        {{"box", box},
         {"sheet", sheet},
         {"torn", sheet},
         {"cloud", none, {}, Vec3::Zero(), false, true},
         {"ground", none, std::make_shared<AnalyticField>(shapes::plane({0, 0, 1}, 0)), Vec3::Zero(), true}});
    for (std::size_t k = 0; k < frames; ++k) {
        const double t = 0.1 * static_cast<double>(k);
        RecordedFrame* frame = recording.add({k, t, {1 + t, 2, 0}, 0.01 * t, k, 1e-3, 2e-3});
        frame->bodies.resize(5);
        frame->bodies[0].pose = Pose::from_axis_angle(t, Vec3::UnitZ(), {t, 0, 2});
        for (const Vec3& v : sheet->vertices) {
            frame->bodies[1].vertices.push_back((v - Vec3(0, 0, t)).cast<float>());
            frame->bodies[2].vertices.push_back((v + Vec3(2, 0, 1)).cast<float>());
        }
        if (k >= frames / 2) frame->bodies[2].triangles = torn;
        for (std::size_t p = 0; p < k; ++p) {
            frame->bodies[3].vertices.emplace_back(static_cast<float>(p), 0.0f, static_cast<float>(t));
            frame->bodies[3].velocities.emplace_back(0.0f, 0.0f, 1.0f);
            frame->bodies[3].ages.push_back(0);
        }
        if (k > 0) frame->contacts.push_back({0, 1, no_index, 3, {0.5, 0.5, 0}, {0, 0, -1}, 0.25});
    }
    return recording;
}

} // namespace fathom::testing
