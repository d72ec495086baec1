// The convex body that an analytic expression is exactly. Thread-safe.
#pragma once

#include <fathom/detect/convex/convex_body.h>
#include <fathom/field/analytic/analytic_expression.h>

#include <optional>

namespace fathom::convex {

// For sphere, box, rounded_box, capsule, cylinder, cone, capped_cone and ellipsoid, and transform, translate, rotate,
// scale and round of them. Empty for all other expressions.
[[nodiscard]] std::optional<Body> recognized_primitive(const AnalyticExpression& expression);

} // namespace fathom::convex
