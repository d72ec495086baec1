// Local penetration refinement of two bodies from a starting point: the deeper one of the locally deepest point of P in
// Q and that of Q in P.
// Method: Liu et al. 2024, algorithm 3, with an exact normal. contact_regions.h provides the starting points.
// Thread-safe.
#pragma once

#include <fathom/base/vec.h>
#include <fathom/detect/field_field/constrained_descent.h>

#include <optional>

namespace fathom::field_field {

// A contact in P's frame; the normal points from P to Q.
struct RegionContact {
    Vec3 point_p, point_q, normal;
    double depth = 0;
    Index region = 0;
};

struct DeepestOptions {
    double size = 1;         // size of the smaller solid (m)
    double margin = 0;       // m
    double tolerance = 1e-4; // of contact positions before polishing, relative to size
    bool polish = false;     // both fields are smooth: refine to rounding
    bool convex = false;     // both are convex functions: the result is the global maximum depth
};

class DeepestContact {
public:
    DeepestContact(const FieldPair& pair, const DeepestOptions& options) : pair_(pair), options_(options) {}

    // The contact that descent from `start` reaches; none if it ends farther from Q than the margin.
    [[nodiscard]] std::optional<RegionContact> from(const Vec3& start);

    // The contact at a point of a body (0: P, 1: Q), where the other's field has this sample.
    [[nodiscard]] std::optional<RegionContact> at(const Vec3& x, int body, const Sample& other);

    [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

private:
    [[nodiscard]] Descent down(int body, const Vec3& start);
    void settle(int body, Descent& end);
    [[nodiscard]] bool settle_by_planes(int body, Descent& end);
    [[nodiscard]] bool is_mutual(const RegionContact& contact);
    [[nodiscard]] Vec3 direction_out(const Vec3& x, int other, const Sample& sample);
    [[nodiscard]] double penetration_depth(const Vec3& x, int other, const Sample& sample, Vec3& out);
    [[nodiscard]] double distance_along(const Vec3& x, int other, const Sample& sample, const Vec3& out, Sample& end);

    const FieldPair& pair_;
    DeepestOptions options_;
    std::size_t evaluations_ = 0;
};

} // namespace fathom::field_field
