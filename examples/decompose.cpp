// A shape into boxes that certainly hold it, which of them can touch those of another, and what the paper's plain
// search finds there.
#include <fathom/detect/decomposition/decomposition.h>
#include <fathom/baseline/detection_points.h>
#include <fathom/detect/field_field/dual_gradient.h>
#include <fathom/field/mesh/grid_builder.h>
#include <fathom/geometry/generate/generate.h>

#include <cstdio>

int main() {
    using namespace fathom;
    const GridField field = build_grid(make_creature({.triangles = 20000}), {.resolution = 128});

    DecompositionReport report;
    const Decomposition parts = decompose(field, {}, &report); // as many parts as pay
    std::printf("%zu boxes, containment %s; %.0f to %.0f %% of them is inside, and they stand out by %.3f at most\n",
                parts.boxes.size(), parts.contained ? "proven" : "open", 100 * report.fill.lower,
                100 * report.fill.upper, report.protrusion.upper);

    const Pose here, there{Quat(Eigen::AngleAxisd(1.0, Vec3::UnitZ())), Vec3(0.4 * field.bounds().size().x(), 0, 0)};
    std::vector<PartPair> pairs;
    part_pairs(parts, here, parts, there, pairs);
    std::printf("%zu of %zu pairs of parts may touch\n", pairs.size(), parts.boxes.size() * parts.boxes.size());

    const ProtrusionPoints tips = protrusion_points(field);
    const PlainBody a{{&field, here}, &parts, tips.points}, b{{&field, there}, &parts, tips.points};
    const PlainResult found = plain_field_collision(a, b, {.descent = {.rule = StepRule::adaptive}});
    std::printf("%zu protrusions; %zu contacts from %zu starts\n", tips.points.size(), found.contacts.size(),
                found.starts);
    if (!found.contacts.empty())
        std::printf("deepest: %.4f\n", std::max(found.contacts[0].depth_a, found.contacts[0].depth_b));
    return parts.contained && !pairs.empty() && found.verdict == Verdict::overlapping ? 0 : 1;
}
