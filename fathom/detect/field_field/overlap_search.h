// Do two solids come nearer than a margin? Everywhere, best first, with a proof either way.
// The tree of P is walked; a node whose ball Q's field shows to be farther than the margin is dropped after one
// look-up. Below the leaves cells are halved on, both fields asked. Near contact that alone would need cells as small
// as the gap; the slopes of two grids (grid_slopes.h), or two large balls each free of one body (posed_field.h), clear
// wider patches at once. Thread-safe; the scratch of a thread grows to what was needed and is reused.
#pragma once

#include <fathom/detect/bounds/transformed_field.h>
#include <fathom/detect/field_field/constrained_descent.h>
#include <fathom/detect/result/result.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <array>
#include <vector>

namespace fathom::field_field {

// The children of a node of one solid's tree, looked up in another's field in one batch.

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
    double margin = 0;                     // m
    double tolerance = 1e-6;               // m: cells smaller than this stay open
    std::size_t max_evaluations = 100'000; // look-ups
};

struct SearchResult {
    Verdict verdict = Verdict::disjoint;
    Vec3 in_p = Vec3::Zero(),
         in_q = Vec3::Zero(); // overlapping: points of either, no farther apart than the margin (P's frame)
    double open_size = 0;     // undecided: of the largest cell that stayed open (m)
    std::size_t evaluations = 0;
};

// P must be bounded.
[[nodiscard]] SearchResult search(const FieldSphereTree& p, const FieldSphereTree& q, const FieldPair& pair,
                                  const SearchOptions& options);

} // namespace fathom::field_field
