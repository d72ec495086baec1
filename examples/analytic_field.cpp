// Analytic fields: build a shape in C++ or from text, and evaluate its distance, gradient and range over a box.
#include <fathom/field/analytic/analytic_expression.h>
#include <fathom/field/analytic/analytic_field.h>
#include <fathom/field/analytic/primitives.h>
#include <fathom/field/analytic/tape.h>

#include <cstdio>

int main() {
    using namespace fathom::shapes;
    const fathom::AnalyticField part(smooth_union(sphere(1), box({1, 2, 3}), 0.2));
    const fathom::AnalyticField same(fathom::parse_shape("smooth_union(sphere(1), box(1, 2, 3), 0.2)"));

    const fathom::Sample at = part.sample({2, 0.5, 0});
    std::printf("%s\n", part.expression().text().c_str());
    std::printf("distance %.3f m, gradient %.3f %.3f %.3f\n", at.distance, at.gradient.x(), at.gradient.y(),
                at.gradient.z());

    const fathom::Box beside{{1.5, -0.1, -0.1}, {1.7, 0.1, 0.1}};
    const fathom::Interval range = part.range(beside);
    std::printf("range over the box: %.3f .. %.3f m; the box is outside the shape: %s\n", range.lower, range.upper,
                range.lower > 0 ? "proven" : "not proven");

    fathom::Tape cut; // can be reused for other boxes
    part.tape().shorten(beside, cut);
    std::printf("%zu instructions, %zu of them needed for the box\n", part.tape().size(), cut.size());
    return at.distance == same.distance({2, 0.5, 0}) && range.lower > 0 ? 0 : 1;
}
