// The parts of a compound shape and their tree, and the pairs of parts of two shapes in ascending order of the gap
// between their bounding boxes. Private to detect.
// Method: best-first descent of both bounding volume hierarchies (index/bvh.h) at once; the nodes and the parts are
// oriented boxes, whose gap along separating axes is a lower bound on the distance (geometry/primitive/oriented_box.h).
// Cost: O(log n) boxes for each pair that is listed. const data is thread-safe; an enumeration belongs to one thread.
#pragma once

#include <fathom/detect/query/query_pair.h>
#include <fathom/geometry/primitive/oriented_box.h>
#include <fathom/index/bvh.h>

#include <vector>

namespace fathom {

struct Compound {
    std::vector<CompoundPart> parts;  // none is a compound
    Box bounds{};                     // of all parts; infinite if one is unbounded
    std::vector<OrientedBox> boxes{}; // of the bounded parts that are not empty, in the frame of the compound
    std::vector<Index> bounded{};     // their parts
    std::vector<Index> unbounded{};   // parts without bounds
    Bvh tree{};                       // over `boxes`
    // Over all parts: the largest Shape::error_bound(), surface_error() and extent() in the compound's frame (m), and
    // the least certain interior.
    double error_bound = 0, surface_error = 0, extent = 0;
    MeshInterior interior = MeshInterior::closed;
};

// Replaces nested compounds by their parts. Errors as Shape::compound().
[[nodiscard]] Compound make_compound(std::vector<CompoundPart> parts);

namespace query {

[[nodiscard]] constexpr bool is_compound(ShapeKind kind) { return kind == ShapeKind::compound; }

// Part `part` of a compound; another shape is its own part 0.
[[nodiscard]] std::size_t part_count(const Shape& shape);
[[nodiscard]] Placed part_of(const Placed& whole, Index part);
// Whether categories and masks allow the parts of two shapes to touch.
[[nodiscard]] bool parts_may_touch(const Shape& a, Index part_a, const Shape& b, Index part_b);

class PartPairs {
public:
    struct Parts {
        Index a = 0, b = 0;
        double gap = 0; // lower bound on the distance of the parts (m); 0 also for unbounded parts
    };

    explicit PartPairs(const Pair& pair); // `pair` must outlive it

    // The pair of parts with the smallest gap that was not listed yet, then the smallest numbers. False: every other
    // pair that may touch has a gap above `limit`.
    [[nodiscard]] bool next(double limit, Parts& parts);
    // Lower bound on the gaps of all pairs that are not listed yet; infinity if there are none.
    [[nodiscard]] double least_gap() const { return open_.empty() ? HUGE_VAL : open_.front().gap; }

private:
    struct Node {
        bool inner = false; // of the tree; otherwise a part
        Index at = 0;
    };
    struct Entry {
        double gap;
        Node a, b;
    };
    struct Boxed {
        Node node;
        bool endless = false;
        OrientedBox box{}; // world
    };

    static bool later(const Entry& p, const Entry& q);
    static std::vector<Boxed> roots(const Placed& whole);
    static Boxed boxed(const Placed& whole, Node node);
    static void children(const Placed& whole, Node node, std::vector<Boxed>& out);
    void push(double at_least, const Boxed& a, const Boxed& b);
    void open(const Entry& entry);

    const Pair& pair_;
    std::vector<Entry> open_; // a heap, the smallest gap first
    std::vector<Boxed> scratch_;
};

} // namespace query
} // namespace fathom
