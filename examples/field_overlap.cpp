// Intersection of two fields as an octree, and their time of impact. Usage: field_overlap [picture.png]
#include <fathom/detect/field_field/field_overlap.h>
#include <fathom/detect/field_field/field_sweep.h>
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/show/depth_picture.h>

#include <cstdio>
#include <numbers>

int main(int count, char** arguments) {
    using namespace fathom;
    const AnalyticField heart(parse_shape("scale(0.1, rotate(pi / 2, [1, 0, 0], heart()))")); // 3 m wide, z up
    const AnalyticField ring(parse_shape("torus(1.2, 0.45)"));
    const Pose over_there = Pose::from_axis_angle(0.9, Vec3(1, 0.3, 0).normalized(), {1.2, 0.1, 0.3});

    const field_field::FieldOverlap overlap = field_field::field_overlap(heart, {}, ring, over_there, {.depth = 6});
    std::printf("volume of the intersection between %.4f and %.4f m3, %zu cells inside both, %zu on the boundary\n",
                overlap.volume.lower, overlap.volume.upper, overlap.inside_count, overlap.border_count);
    const field_field::FieldOverlap apart = field_field::field_overlap(
        heart, {}, ring, Pose::from_translation({2.9, 0, -0.8}), {.depth = 20, .stop_at_first = true});
    std::printf("2.9 m to the side: %s after %zu field evaluations\n",
                apart.status == Status::disjoint ? "disjoint, proven" : "not disjoint", apart.evaluations);

    const Motion coming{Pose::from_translation({6, 0, 0.5}), over_there};
    const field_field::FieldSweep sweep =
        field_field::field_sweep(heart, Motion::stationary({}), ring, coming, {.tolerance = 1e-4});
    std::printf("time of impact between %.5f and %.5f\n", sweep.time, sweep.time + sweep.error);

    if (count > 1) {
        OverlapPictureOptions options{.resolution = 160};
        options.view.width = 900;
        options.view.height = 640;
        options.view.azimuth = -std::numbers::pi / 2 + 0.5;
        const field_field::FieldOverlap coarse = field_field::field_overlap(heart, {}, ring, over_there, {.depth = 4});
        write_png(arguments[1], draw_overlap(heart, {}, ring, over_there, coarse, options));
    }
    return overlap.status == Status::overlapping && apart.status == Status::disjoint &&
                   sweep.status == Status::overlapping
               ? 0
               : 1;
}
