// The globally deepest point of one solid in another, by branch and bound with a proof.
// Method: the tree of P is traversed in the order of the lowest value that Q's field may have in a cell: its range over
// the cell or, where the slopes of both fields are known, the sum of both fields, which bounds Q's field over the
// points of P and has no slope at the deepest point. Cells that cannot be deeper than the best point so far are
// dropped. Cost: 100 to 10,000 evaluations. Thread-safe.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <functional>

namespace fathom::field_field {

struct DeepestSearchOptions {
    double value = 0;     // of Q's field at the deepest point known so far (m); only lower values are searched
    double tolerance = 0; // values are not searched that are lower by less than this (m)
    std::size_t max_evaluations = 10'000;
};

struct DeepestSearchResult {
    double value = 0;       // the lowest one known: options.value, or found by `improve` (m)
    double lower_bound = 0; // on Q's field over the points of P (m); at most options.value
    std::size_t evaluations = 0;
};

// `improve(x, value)` is called for points x of P (P's frame) where Q's field has a value lower than all before, and
// returns the lowest value that it found from there (by descent), or `value`. P must be bounded.
using Improve = std::function<double(const Vec3& x, double value)>;
[[nodiscard]] DeepestSearchResult search_deepest(const FieldSphereTree& p, const FieldSphereTree& q,
                                                 const Pose& q_seen_from_p, const DeepestSearchOptions& options,
                                                 const Improve& improve);

} // namespace fathom::field_field
