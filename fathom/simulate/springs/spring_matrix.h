// The symmetric matrix of a network, mass * M + damping * D + stiffness * K, in blocks of three rows
// and columns. K is minus the slope of the forces by the positions, made free of negative eigenvalues; D that by the
// velocities. What is left out of K: what a spring shorter than its rest length gives across itself (it buckles; Choi &
// Ko 2002), what a change of area or volume gives beyond the product of its slopes, but for the outward part of
// triangles larger than at rest; and how damping turns with the springs. At rest, and for stretched springs, K is
// exact. O(points + elements); parallel by blocks, the same bits for any number of threads. Columns of fixed points are
// left out.
#pragma once

#include <fathom/response/weighted_contact.h>
#include <fathom/simulate/springs/spring_blocks.h>

namespace fathom {

struct MatrixFactors {
    double mass = 0, damping = 0, stiffness = 0; // 1, the step and its square for an implicit step
    double air_friction = 0;                     // 1/s, a part of the damping
};

// out = (damping * D + stiffness * K) * in, straight from the elements, without air friction and with fixed points like
// all others. The way to multiply once; a matrix costs some 1 kB a point.
void spring_product(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                    const MatrixFactors& factors, std::span<const Vec3> in, std::span<Vec3> out);

// A contact in the matrix: points i and j are coupled by weights[i] * weights[j] * block.
struct ContactBlock {
    const WeightedContact* contact = nullptr;
    Mat3 block = Mat3::Zero();
};

class SpringMatrix {
public:
    SpringMatrix() = default;
    // Finds which points are coupled; the pattern holds while the elements keep their points. O(n log n).
    SpringMatrix(const SpringNetwork& network, const SpringBlocks& blocks);

    // Follows an edit: `network` and `blocks` are those after it. Pairs that it parted stay in the pattern, as zeros. A
    // row that grows moves to the end; when half of the room is lost that way the pattern is found anew. O(edit log n),
    // and a look at each element of the blocks with rows that grew.
    void apply(const NetworkEdit& edit, const SpringNetwork& network, const SpringBlocks& blocks);

    // `network` and `blocks` as in the constructor. Contacts are kept apart and must outlive the products and solves.
    void assemble(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                  const MatrixFactors& factors);
    void set_contacts(std::vector<ContactBlock> contacts) { contacts_ = std::move(contacts); }

    // out = matrix * in. Rows of fixed points are those of the unit matrix.
    void multiply(std::span<const Vec3> in, std::span<Vec3> out) const;

    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] std::span<const Index> columns(Index row) const {
        return std::span(columns_).subspan(rows_[row].begin, rows_[row].size);
    }
    [[nodiscard]] std::span<const Mat3> values(Index row) const {
        return std::span(values_).subspan(rows_[row].begin, rows_[row].size);
    }
    [[nodiscard]] std::vector<Mat3> diagonals() const; // contacts included
    [[nodiscard]] std::span<const ContactBlock> contacts() const { return contacts_; }
    [[nodiscard]] bool is_fixed(Index row) const { return fixed_[row] != 0; }

private:
    struct Assembly;
    struct Row {
        std::size_t begin = 0;        // in columns_ and values_
        Index size = 0, diagonal = 0; // the latter from the begin on
    };
    [[nodiscard]] Index slot(Index row, Index column) const; // from the begin of the row on
    template <class Element>
    void find_slots(const Element& element, Index* slots) const;
    template <class Element>
    [[nodiscard]] std::vector<Index> all_slots(const std::vector<Element>& elements) const;
    [[nodiscard]] bool grow(Index row, std::span<const Index> columns);
    std::vector<Index> grow_rows(const NetworkEdit& edit);
    template <class Element>
    void follow_slots(const std::vector<NetworkEdit::Change<Element>>& changes, const std::vector<Element>& elements,
                      std::vector<Index>& slots) const;
    template <class Element>
    void renew_slots(const std::vector<Element>& elements, std::span<const Index> chosen,
                     const std::vector<char>& grown, std::vector<Index>& slots) const;

    std::vector<Row> rows_;
    std::vector<Index> columns_; // of each row, increasing
    std::vector<Mat3> values_;
    std::size_t lost_ = 0;                                        // entries of columns_ that belong to no row any more
    std::vector<Index> spring_slots_, area_slots_, volume_slots_; // of the pairs of each element, row by row
    std::vector<char> fixed_;
    std::vector<Index> block_first_ = {0};
    std::vector<ContactBlock> contacts_;
};

} // namespace fathom
