// Examples of every kind of shape, and random trees of them, for the tests of analytic fields.
#pragma once

#include <fathom/base/random.h>
#include <fathom/field/analytic/primitives.h>

#include <string>
#include <vector>

namespace fathom::testing {

// At least one for every kind of the catalogue (a test checks that); sizes near 1.
[[nodiscard]] inline const std::vector<std::string>& shape_examples() {
    static const std::vector<std::string> examples = {
        "sphere(0.8)",
        "box(1, 1.5, 0.7)",
        "rounded_box(1, 1.5, 0.7, 0.2)",
        "box_frame(1.2, 1.6, 0.9, 0.2)",
        "ellipsoid(0.9, 0.5, 0.3)",
        "torus(0.7, 0.25)",
        "torus(0.3, 0.5)",
        "capped_torus(1.9, 0.7, 0.2)",
        "capped_torus(0.6, 0.7, 0.2)",
        "link(0.6, 0.4, 0.15)",
        "cylinder(0.6, 1.1)",
        "infinite_cylinder(0.5)",
        "cone(0.7, 1.2)",
        "infinite_cone(0.5)",
        "capped_cone(0.8, 0.3, 1.1)",
        "capped_cone(0, 0.6, 1)",
        "rounded_cone(0.5, 0.2, 0.8)",
        "rounded_cone(0.2, 0.5, 0.4)",
        "capsule(-0.5, 0.2, 0.1, 0.6, -0.3, 0.4, 0.3)",
        "hexagonal_prism(0.8, 0.9)",
        "triangular_prism(0.9, 0.7)",
        "octahedron(0.9)",
        "pyramid(1.2, 1)",
        "pyramid(0.4, 1.6)",
        "plane(1, 2, -1, 0.2)",
        "plane(0, 0, -3, 0.3)",
        "disk(0.7)",
        "triangle(-0.6, -0.4, 0, 0.8, -0.2, 0.3, 0.1, 0.7, -0.2)",
        "quad(-0.6, -0.5, 0.1, 0.6, -0.5, 0.1, 0.5, 0.5, 0.1, -0.4, 0.6, 0.1)",
        "scale(0.05, heart())",
        "extrude(0.8, circle(0.6))",
        "infinite_extrude(translate2(0.1, 0.2, star(4, 0.8, 0.5)))",
        "extrude(0.8, rectangle(1.1, 0.6))",
        "extrude(0.6, star(5, 0.9, 0.4))",
        "extrude(0.9, polygon([-0.7, -0.5], [0.8, -0.5], [0.8, 0.6], [0, 0], [-0.7, 0.6]))",
        "revolve(0.5, regular_polygon(5, 0.3))",
        "revolve(0, translate2(0.5, 0.1, rotate2(0.4, rectangle(0.3, 0.5))))",
        "union(sphere(0.5), translate(0.4, 0.3, 0, box(0.8, 0.6, 0.5)), translate(-0.5, 0, 0.3, torus(0.4, 0.1)))",
        "intersection(sphere(0.8), box(1.2, 1, 1.4))",
        "difference(box(1.2, 1.2, 1.2), sphere(0.7), cylinder(0.3, 2))",
        "complement(torus(0.6, 0.3))",
        "smooth_union(sphere(0.6), translate(0.6, 0, 0, box(0.5, 0.8, 0.6)), 0.3)",
        "smooth_intersection(sphere(0.8), box(1.2, 1, 1.4), 0.2)",
        "smooth_difference(box(1.3, 1.1, 1), sphere(0.6), 0.25)",
        "transform(0.8, 0.1, -0.5, 0.3, 0.2, -0.1, 0.3, box(1, 0.5, 0.8))",
        "translate(0.3, -0.2, 0.4, cone(0.5, 0.8))",
        "rotate(0.7, 1, 1, 0, cylinder(0.4, 1.2))",
        "rotate(pi / 2, 0, 0, 1, box(1.4, 0.5, 0.6))",
        "scale(0.6, octahedron(1.2))",
        "mirror(1, 0, 0, translate(0.4, 0.1, 0, box(0.5, 0.6, 0.7)))",
        "mirror(1, 2, 0.5, translate(0.3, 0.2, 0, sphere(0.5)))",
        "repeat(0.9, 0.8, 0, cylinder(0.2, 0.6))",
        "repeat(1, 0, 0.9, rotate(0.6, 1, 2, 3, box(0.3, 0.5, 0.4)))",
        "repeat_limited(0.6, 0.5, 0, 3, 2, 1, sphere(0.2))",
        "repeat_limited(0.7, 0, 0.8, 2, 1, 3, rotate(0.6, 1, 2, 3, box(0.3, 0.4, 0.2)))",
        "repeat_mirrored(0.9, 1.1, 0, smooth_union(sphere(0.3), translate(0.2, 0.1, 0.3, sphere(0.25)), 0.2))",
        "twist(1.5, 1, box(0.7, 0.6, 1.2))",
        "bend(0.8, 1.2, box(1.5, 0.4, 0.5))",
        "elongate(0.6, 0.2, 0, sphere(0.4))",
        "elongate(0, 0.3, 0.4, rotate(0.3, 1, 1, 1, torus(0.4, 0.15)))",
        "shell(0.1, box(1, 1.2, 0.8))",
        "round(0.15, disk(0.6))",
        "round(0.1, box_frame(1, 1.2, 0.8, 0.15))",
    };
    return examples;
}

// The same shape, `size` times as large.
[[nodiscard]] inline AnalyticExpression sized(double size, const AnalyticExpression& shape) {
    return size == 1 ? shape : shapes::scale(size, shape);
}

// A tree of about `count` operations and primitives, within a few metres of the origin.
[[nodiscard]] AnalyticExpression random_shape(Random& random, int count);

} // namespace fathom::testing
