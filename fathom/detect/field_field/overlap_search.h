// Overlap test of two solids with a margin: a global branch-and-bound search with a proof either way.
// Method: the tree of P is traversed best first. A node is dropped after one evaluation if Q's field proves that its
// bounding sphere is farther away than the margin. Below the leaves, cells are subdivided and both fields evaluated.
// Near contact this alone would need cells as small as the gap; bounds on the slopes of two grids (grid_range.h), or
// two large spheres that are each free of one body (transformed_field.h), clear wider regions at once.
// Thread-safe; each thread keeps its scratch memory for reuse.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/field_field/constrained_descent.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <array>
#include <vector>

namespace fathom::field_field {

// The children of a node of one solid's tree, evaluated in another's field in one batch.

struct ChildValues {
    std::array<Vec3, 8> points;   // centres of the children, in Q's frame
    std::array<double, 8> values; // of Q's field there
    std::size_t count = 0;

    ChildValues(const FieldSphereTree& p, const FieldSphereNode& node, const FieldSphereTree& q, const FieldPair& pair)
        : count(node.children) {
        for (std::size_t k = 0; k < count; ++k) points[k] = pair.to_q(p.center(p.nodes()[node.first + k]));
        q.field().distances(std::span(points).first(count), std::span(values).first(count));
    }
};

struct SearchOptions {
    double margin = 0;                     // solids closer than this count as touching (m)
    double tolerance = 1e-6;               // cells smaller than this stay open (m)
    std::size_t max_evaluations = 100'000; // limit on field evaluations
    double far = 0; // sum of the lengths of the translations of both poses: the relative pose was rounded with them (m)
};

struct SearchResult {
    Status status = Status::disjoint;
    // Overlapping: a point of each solid, at most the margin apart (m, P's frame).
    Vec3 in_p = Vec3::Zero(), in_q = Vec3::Zero();
    double open_size = 0; // undecided: size of the largest cell that stayed open (m)
    std::size_t evaluations = 0;
};

// P must be bounded.
[[nodiscard]] SearchResult search(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                                  const SearchOptions& options);

} // namespace fathom::field_field
