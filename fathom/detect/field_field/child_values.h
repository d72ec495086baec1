// The children of a node of one solid's tree, looked up in another's field in one batch.
#pragma once

#include <fathom/detect/bounds/field_pair.h>
#include <fathom/detect/trees/field_sphere_tree.h>

#include <array>

namespace fathom {

struct ChildValues {
    std::array<Vec3, 8> points;   // centres of the children, in Q's frame
    std::array<double, 8> values; // of Q's field there
    std::size_t count = 0;

    ChildValues(const Solid& p, const SolidNode& node, const Solid& q, const FieldPair& pair) : count(node.children) {
        for (std::size_t k = 0; k < count; ++k) points[k] = pair.to_q(p.center(p.nodes()[node.first + k]));
        q.field().distances(std::span(points).first(count), std::span(values).first(count));
    }
};

} // namespace fathom
