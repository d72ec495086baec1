// Which bodies may touch within a step: those whose swept bounds meet.
#pragma once

#include <fathom/index/bvh.h>

#include <span>
#include <vector>

namespace fathom {

class BodyPairs {
public:
    // `boxes` of all bodies over the step; infinite ones meet everything. `awake(k)` is false for bodies that cannot
    // start a contact: two of them are no pair. The answer is sorted, lower number first, and valid until the next
    // call.
    std::span<const IdPair> find(std::span<const Box> boxes, std::span<const char> awake);

private:
    void fit(std::span<const Box> boxes);

    Bvh tree_;
    std::vector<Index> bounded_, unbounded_;
    std::vector<Box> tree_boxes_;
    std::vector<IdPair> pairs_;
};

} // namespace fathom
