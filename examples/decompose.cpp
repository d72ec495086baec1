// Decomposes a shape into boxes that are proven to contain it, finds the pairs of boxes of two bodies that may touch,
// and searches contacts there with the method of the paper (Liu et al. 2024).
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/detect/decomposition/detection_points.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const GridField field = build_grid(make_creature({.triangles = 20000}), {.resolution = 128});

    DecompositionReport report;
    const Decomposition parts = decompose(field, {}, &report); // the number of parts is chosen by cost
    std::printf(
        "%zu boxes, containment %s; %.0f to %.0f %% of their volume is inside the shape, protrusion at most %.3f m\n",
        parts.boxes.size(), parts.contained ? "proven" : "not proven", 100 * report.fill.lower, 100 * report.fill.upper,
        report.protrusion.upper);

    const Pose here, there{Quat(Eigen::AngleAxisd(1.0, Vec3::UnitZ())), Vec3(0.4 * field.bounds().size().x(), 0, 0)};
    std::vector<PartPair> pairs;
    overlapping_parts(parts, here, parts, there, pairs);
    std::printf("%zu of %zu pairs of parts may touch\n", pairs.size(), parts.boxes.size() * parts.boxes.size());

    const ProtrusionPoints tips = protrusion_points(field);
    const PlainBody a{{&field, here}, &parts, tips.points}, b{{&field, there}, &parts, tips.points};
    const PlainResult found = plain_field_collision(a, b, {.descent = {.rule = field_field::StepRule::adaptive}});
    std::printf("%zu protrusion points; %zu contacts from %zu starting points\n", tips.points.size(),
                found.contacts.size(), found.starts);
    if (!found.contacts.empty())
        std::printf("deepest contact: %.4f m\n", std::max(found.contacts[0].depth_a, found.contacts[0].depth_b));
    return parts.contained && !pairs.empty() && found.status == Status::overlapping ? 0 : 1;
}
