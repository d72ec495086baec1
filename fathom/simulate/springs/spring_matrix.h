// The symmetric matrix of a network, mass * M + damping * D + stiffness * K, in blocks of three rows and columns. K is
// minus the derivative of the forces by the positions, with negative eigenvalues removed; D is minus the derivative by
// the velocities. K omits: the transverse term of a spring shorter than its rest length (it buckles; Choi & Ko 2002);
// the second derivatives of areas and volumes, except the outward part for triangles larger than at rest; and the
// rotation of damping with the springs. At rest, and for stretched springs, K is exact. O(points + elements); parallel
// by blocks, the same bits for any number of threads. Columns of fixed points are omitted.
#pragma once

#include <fathom/response/weighted_contact.h>
#include <fathom/simulate/springs/spring_blocks.h>

namespace fathom {

struct MatrixFactors {
    double mass = 0, damping = 0, stiffness = 0; // for an implicit step: 1, the step, and its square
    double air_friction = 0;                     // 1/s, part of the damping
};

// out = (damping * D + stiffness * K) * in, directly from the elements, without air friction; fixed points are treated
// as all others. Use it for a single product; a matrix takes some 1 kB per point.
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
    // Finds the coupled points; the pattern is valid while the elements keep their points. O(n log n).
    SpringMatrix(const SpringNetwork& network, const SpringBlocks& blocks);

    // Applies an edit: `network` and `blocks` are those after it. Pairs that it separates stay in the pattern as zeros.
    // A row that grows moves to the end; when half of the memory is lost that way, the pattern is rebuilt. O(edit log
    // n), and a pass over the elements of the blocks whose rows grew.
    void apply(const NetworkEdit& edit, const SpringNetwork& network, const SpringBlocks& blocks);

    // `network` and `blocks` as in the constructor. Contacts are stored separately and must outlive the products and
    // solves.
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
    [[nodiscard]] std::vector<Mat3> diagonals() const; // including contacts
    [[nodiscard]] std::span<const ContactBlock> contacts() const { return contacts_; }
    [[nodiscard]] bool is_fixed(Index row) const { return fixed_[row] != 0; }

private:
    struct Assembly;
    struct Row {
        std::size_t begin = 0;        // in columns_ and values_
        Index size = 0, diagonal = 0; // diagonal: position relative to begin
    };
    [[nodiscard]] Index slot(Index row, Index column) const; // position relative to the row's begin
    template <class Element>
    void find_slots(const Element& element, Index* slots) const;
    template <class Element>
    [[nodiscard]] std::vector<Index> all_slots(const std::vector<Element>& elements) const;
    [[nodiscard]] bool grow(Index row, std::span<const Index> more);
    std::vector<Index> grow_rows(const NetworkEdit& edit);
    template <class Element>
    void follow_slots(const std::vector<NetworkEdit::Change<Element>>& changes, const std::vector<Element>& elements,
                      std::vector<Index>& slots) const;
    template <class Element>
    void renew_slots(const std::vector<Element>& elements, std::span<const Index> chosen,
                     const std::vector<char>& grown, std::vector<Index>& slots) const;

    std::vector<Row> rows_;
    std::vector<Index> columns_; // of each row, ascending
    std::vector<Mat3> values_;
    std::size_t lost_ = 0;                                        // entries of columns_ that no longer belong to a row
    std::vector<Index> spring_slots_, area_slots_, volume_slots_; // slots of the pairs of each element, row by row
    std::vector<char> fixed_;
    std::vector<Index> block_first_ = {0};
    std::vector<ContactBlock> contacts_;
};

} // namespace fathom
