// Pattern, assembly and products of the matrix of a network.
#include <fathom/simulate/springs/spring_matrix.h>

#include <fathom/base/parallel.h>
#include <fathom/geometry/mesh/adjacency.h>
#include <fathom/simulate/springs/spring_blocks.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace fathom {

namespace {

template <class Element>
void count_pairs(const std::vector<Element>& elements, std::vector<std::size_t>& rows) {
    for (const Element& element : elements)
        for (const Index p : element.points) rows[p + 1] += element.points.size();
}

template <class Element>
void list_pairs(const std::vector<Element>& elements, std::vector<std::size_t>& next, std::vector<Index>& columns) {
    for (const Element& element : elements)
        for (const Index p : element.points)
            for (const Index q : element.points) columns[next[p]++] = q;
}

// Sorts each row and removes duplicates.
void tidy(std::vector<std::size_t>& rows, std::vector<Index>& columns) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(rows[i]),
                   end = columns.begin() + static_cast<std::ptrdiff_t>(rows[i + 1]);
        std::sort(begin, end);
        const auto last = std::unique(begin, end);
        rows[i] = kept;
        kept = static_cast<std::size_t>(std::copy(begin, last, columns.begin() + static_cast<std::ptrdiff_t>(kept)) -
                                        columns.begin());
    }
    rows.back() = kept;
    columns.resize(kept);
}

// Matrix of a spring between its ends: across * 1 + along * direction * direction^T.
struct SpringSlope {
    Vec3 direction;
    double across, along;
};

SpringSlope spring_slope(const Spring& spring, const Vec3& d, const MatrixFactors& factors) {
    const double length = d.norm();
    if (!(length > min_size)) return {Vec3::Zero(), 0, 0};
    // Compressed springs would have a negative transverse stiffness.
    const double share = length > spring.rest ? 1 - spring.rest / length : 0;
    const double stiffness = factors.stiffness * spring.stiffness;
    return {d / length, share * stiffness, (1 - share) * stiffness + factors.damping * spring.damping};
}

// Matrix of a triangle between corners i and j: curve * slope_i * slope_j^T + side_i . side_j * outward * normal *
// normal^T.
struct AreaCurve {
    AreaSlope slope;
    std::array<Vec3, 3> side; // opposite each corner
    double curve, outward;
};

AreaCurve area_curve(const AreaTerm& term, const std::array<Vec3, 3>& x, const MatrixFactors& factors) {
    const AreaSlope slope = area_slope(x);
    const ElementPull pull = element_pull(term, slope.value);
    const double outward = pull.pull > 0 ? factors.stiffness * pull.pull / (4 * slope.value) : 0;
    return {slope, {x[2] - x[1], x[0] - x[2], x[1] - x[0]}, factors.stiffness * pull.curve, outward};
}

// One block of the product.
struct ProductSum {
    const SpringNetwork& network;
    std::span<const Vec3> x, in;
    const MatrixFactors& factors;
    BlockRange block;
    std::span<Vec3> out;

    void springs(std::span<const Index> chosen);
    void areas(std::span<const Index> chosen);
    void volumes(std::span<const Index> chosen);
};

void ProductSum::springs(std::span<const Index> chosen) {
    for (const Index s : chosen) {
        const auto [a, b] = network.springs[s].points;
        const SpringSlope slope = spring_slope(network.springs[s], x[b] - x[a], factors);
        const Vec3 d = in[b] - in[a];
        const Vec3 felt = slope.across * d + slope.along * slope.direction.dot(d) * slope.direction;
        if (block.has(a)) out[a] -= felt;
        if (block.has(b)) out[b] += felt;
    }
}

void ProductSum::areas(std::span<const Index> chosen) {
    for (const Index t : chosen) {
        const AreaTerm& term = network.areas[t];
        const AreaCurve c = area_curve(term, gathered(term.points, x), factors);
        double change = 0;
        Vec3 tilt = Vec3::Zero();
        for (std::size_t j = 0; j < 3; ++j) {
            change += c.slope.by[j].dot(in[term.points[j]]);
            tilt += c.slope.normal.dot(in[term.points[j]]) * c.side[j];
        }
        for (std::size_t i = 0; i < 3; ++i)
            if (block.has(term.points[i]))
                out[term.points[i]] +=
                    c.curve * change * c.slope.by[i] + c.outward * c.side[i].dot(tilt) * c.slope.normal;
    }
}

void ProductSum::volumes(std::span<const Index> chosen) {
    for (const Index t : chosen) {
        const VolumeTerm& term = network.volumes[t];
        const MeasureSlope<4> slope = volume_slope(gathered(term.points, x));
        double change = 0;
        for (std::size_t j = 0; j < 4; ++j) change += slope.by[j].dot(in[term.points[j]]);
        change *= factors.stiffness * element_pull(term, slope.value).curve;
        for (std::size_t i = 0; i < 4; ++i)
            if (block.has(term.points[i])) out[term.points[i]] += change * slope.by[i];
    }
}

} // namespace

void spring_product(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                    const MatrixFactors& factors, std::span<const Vec3> in, std::span<Vec3> out) {
    parallel_tasks(blocks.size(), [&](std::size_t b) {
        ProductSum sum{network, positions, in, factors, block_range(blocks, b), out};
        std::fill(out.begin() + sum.block.begin, out.begin() + sum.block.end, Vec3::Zero());
        sum.springs(blocks.springs[b]);
        sum.areas(blocks.areas[b]);
        sum.volumes(blocks.volumes[b]);
    });
}

SpringMatrix::SpringMatrix(const SpringNetwork& network, const SpringBlocks& blocks)
    : fixed_(network.fixed), block_first_(blocks.first) {
    const std::size_t n = network.size();
    std::vector<std::size_t> begins(n + 1, 1); // the diagonal is always present
    begins[0] = 0;
    count_pairs(network.springs, begins);
    count_pairs(network.areas, begins);
    count_pairs(network.volumes, begins);
    for (std::size_t i = 0; i < n; ++i) begins[i + 1] += begins[i];
    columns_.resize(begins.back());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t i = 0; i < n; ++i) columns_[next[i]++] = static_cast<Index>(i);
    list_pairs(network.springs, next, columns_);
    list_pairs(network.areas, next, columns_);
    list_pairs(network.volumes, next, columns_);
    tidy(begins, columns_);
    rows_.resize(n);
    for (Index i = 0; i < n; ++i) {
        rows_[i] = {begins[i], static_cast<Index>(begins[i + 1] - begins[i])};
        rows_[i].diagonal = slot(i, i);
    }
    spring_slots_ = all_slots(network.springs);
    area_slots_ = all_slots(network.areas);
    volume_slots_ = all_slots(network.volumes);
    values_.resize(columns_.size());
}

Index SpringMatrix::slot(Index row, Index column) const {
    const auto in_row = columns(row);
    return static_cast<Index>(std::lower_bound(in_row.begin(), in_row.end(), column) - in_row.begin());
}

template <class Element>
void SpringMatrix::find_slots(const Element& element, Index* slots) const {
    for (const Index p : element.points)
        for (const Index q : element.points) *slots++ = slot(p, q);
}

template <class Element>
constexpr std::size_t pairs_of =
    std::tuple_size_v<decltype(Element::points)>* std::tuple_size_v<decltype(Element::points)>;

template <class Element>
std::vector<Index> SpringMatrix::all_slots(const std::vector<Element>& elements) const {
    std::vector<Index> slots(elements.size() * pairs_of<Element>);
    for (std::size_t e = 0; e < elements.size(); ++e) find_slots(elements[e], &slots[e * pairs_of<Element>]);
    return slots;
}

// Adds columns (ascending) to a row; returns whether any was new.
bool SpringMatrix::grow(Index row, std::span<const Index> more) {
    std::vector<Index> all;
    const auto old = columns(row);
    std::set_union(old.begin(), old.end(), more.begin(), more.end(), std::back_inserter(all));
    if (all.size() == old.size()) return false;
    lost_ += old.size();
    rows_[row] = {columns_.size(), static_cast<Index>(all.size())};
    columns_.insert(columns_.end(), all.begin(), all.end());
    rows_[row].diagonal = slot(row, row);
    return true;
}

// The rows that got columns, ascending.
std::vector<Index> SpringMatrix::grow_rows(const NetworkEdit& edit) {
    std::vector<Edge> pairs;
    const auto list = [&](const auto& changes) {
        for (const auto& [number, element] : changes)
            for (const Index p : element.points)
                for (const Index q : element.points) pairs.push_back({p, q});
    };
    for (const NetworkEdit::Point& p : edit.points) pairs.push_back({p.number, p.number});
    list(edit.springs);
    list(edit.areas);
    list(edit.volumes);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<Index> grown, columns;
    for (std::size_t i = 0; i < pairs.size();) {
        const Index row = pairs[i][0];
        columns.clear();
        for (; i < pairs.size() && pairs[i][0] == row; ++i) columns.push_back(pairs[i][1]);
        if (grow(row, columns)) grown.push_back(row);
    }
    return grown;
}

template <class Element>
void SpringMatrix::renew_slots(const std::vector<Element>& elements, std::span<const Index> chosen,
                               const std::vector<char>& grown, std::vector<Index>& slots) const {
    for (const Index e : chosen) {
        const auto& points = elements[e].points;
        if (std::any_of(points.begin(), points.end(), [&](Index p) { return grown[p] != 0; }))
            find_slots(elements[e], &slots[e * pairs_of<Element>]);
    }
}

template <class Element>
void SpringMatrix::follow_slots(const std::vector<NetworkEdit::Change<Element>>& changes,
                                const std::vector<Element>& elements, std::vector<Index>& slots) const {
    slots.resize(elements.size() * pairs_of<Element>);
    for (const auto& [number, element] : changes) find_slots(element, &slots[number * pairs_of<Element>]);
}

void SpringMatrix::apply(const NetworkEdit& edit, const SpringNetwork& network, const SpringBlocks& blocks) {
    rows_.resize(network.size());
    const std::vector<Index> grown = grow_rows(edit);
    if (2 * lost_ > columns_.size()) return void(*this = SpringMatrix(network, blocks));
    values_.resize(columns_.size());
    fixed_ = network.fixed;
    block_first_ = blocks.first;
    follow_slots(edit.springs, network.springs, spring_slots_);
    follow_slots(edit.areas, network.areas, area_slots_);
    follow_slots(edit.volumes, network.volumes, volume_slots_);
    std::vector<char> is_grown(network.size(), 0);
    for (const Index row : grown) is_grown[row] = 1;
    Index last = no_index;
    for (const Index row : grown) {
        const Index b = blocks.block_of(row);
        if (b == std::exchange(last, b)) continue;
        renew_slots(network.springs, blocks.springs[b], is_grown, spring_slots_);
        renew_slots(network.areas, blocks.areas[b], is_grown, area_slots_);
        renew_slots(network.volumes, blocks.volumes[b], is_grown, volume_slots_);
    }
}

// Assembles one block of rows.
struct SpringMatrix::Assembly {
    SpringMatrix& matrix;
    const SpringNetwork& network;
    std::span<const Vec3> x;
    const MatrixFactors& factors;
    BlockRange block;

    void masses();
    void springs(std::span<const Index> chosen);
    void areas(std::span<const Index> chosen);
    void volumes(std::span<const Index> chosen);
    void release_fixed();
    template <std::size_t N, class Pair>
    void couple(const std::array<Index, N>& points, const Index* slots, const Pair& pair);
    [[nodiscard]] Mat3& value(Index row, Index slot) const { return matrix.values_[matrix.rows_[row].begin + slot]; }
};

void SpringMatrix::Assembly::masses() {
    for (Index i = block.begin; i < block.end; ++i) {
        const Row& row = matrix.rows_[i];
        std::fill_n(matrix.values_.begin() + static_cast<std::ptrdiff_t>(row.begin), row.size, Mat3::Zero());
        value(i, row.diagonal)
            .diagonal()
            .setConstant(network.masses[i] * (factors.mass + factors.damping * factors.air_friction));
    }
}

void SpringMatrix::Assembly::springs(std::span<const Index> chosen) {
    for (const Index s : chosen) {
        const auto [a, b] = network.springs[s].points;
        const SpringSlope slope = spring_slope(network.springs[s], x[b] - x[a], factors);
        const Mat3 both = slope.across * Mat3::Identity() + slope.along * slope.direction * slope.direction.transpose();
        const Index* slots = &matrix.spring_slots_[4 * std::size_t{s}];
        if (block.has(a)) value(a, slots[0]) += both, value(a, slots[1]) -= both;
        if (block.has(b)) value(b, slots[3]) += both, value(b, slots[2]) -= both;
    }
}

// pair(i, j) returns the stiffness between two points of an element.
template <std::size_t N, class Pair>
void SpringMatrix::Assembly::couple(const std::array<Index, N>& points, const Index* slots, const Pair& pair) {
    for (std::size_t i = 0; i < N; ++i) {
        if (!block.has(points[i])) continue;
        for (std::size_t j = 0; j < N; ++j) value(points[i], slots[N * i + j]) += pair(i, j);
    }
}

void SpringMatrix::Assembly::areas(std::span<const Index> chosen) {
    for (const Index t : chosen) {
        const AreaCurve curve = area_curve(network.areas[t], gathered(network.areas[t].points, x), factors);
        const Mat3 outward = curve.outward * curve.slope.normal * curve.slope.normal.transpose();
        couple(network.areas[t].points, &matrix.area_slots_[9 * std::size_t{t}],
               [&](std::size_t i, std::size_t j) -> Mat3 {
                   return curve.curve * curve.slope.by[i] * curve.slope.by[j].transpose() +
                          curve.side[i].dot(curve.side[j]) * outward;
               });
    }
}

void SpringMatrix::Assembly::volumes(std::span<const Index> chosen) {
    for (const Index t : chosen) {
        const VolumeTerm& term = network.volumes[t];
        const MeasureSlope<4> slope = volume_slope(gathered(term.points, x));
        const double curve = factors.stiffness * element_pull(term, slope.value).curve;
        couple(term.points, &matrix.volume_slots_[16 * std::size_t{t}],
               [&](std::size_t i, std::size_t j) -> Mat3 { return curve * slope.by[i] * slope.by[j].transpose(); });
    }
}

// Fixed points are not part of the system: their rows and columns become those of the unit matrix.
void SpringMatrix::Assembly::release_fixed() {
    for (Index i = block.begin; i < block.end; ++i)
        for (Index k = 0; k < matrix.rows_[i].size; ++k) {
            const Index j = matrix.columns(i)[k];
            if (!matrix.fixed_[i] && !matrix.fixed_[j]) continue;
            value(i, k) = i == j ? Mat3(Mat3::Identity()) : Mat3(Mat3::Zero());
        }
}

void SpringMatrix::assemble(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions,
                            const MatrixFactors& factors) {
    parallel_tasks(blocks.size(), [&](std::size_t b) {
        Assembly part{*this, network, positions, factors, block_range(blocks, b)};
        part.masses();
        part.springs(blocks.springs[b]);
        part.areas(blocks.areas[b]);
        part.volumes(blocks.volumes[b]);
        part.release_fixed();
    });
}

void SpringMatrix::multiply(std::span<const Vec3> in, std::span<Vec3> out) const {
    parallel_tasks(block_first_.size() - 1, [&](std::size_t b) {
        for (Index i = block_first_[b]; i < block_first_[b + 1]; ++i) {
            Vec3 sum = Vec3::Zero();
            const std::size_t begin = rows_[i].begin, end = begin + rows_[i].size;
            for (std::size_t k = begin; k < end; ++k) sum += values_[k] * in[columns_[k]];
            out[i] = sum;
        }
    });
    for (const auto& [contact, block] : contacts_) {
        Vec3 moved = Vec3::Zero();
        for (std::size_t k = 0; k < contact->count; ++k)
            if (!fixed_[contact->points[k]]) moved += contact->weights[k] * in[contact->points[k]];
        const Vec3 felt = block * moved;
        for (std::size_t k = 0; k < contact->count; ++k)
            if (!fixed_[contact->points[k]]) out[contact->points[k]] += contact->weights[k] * felt;
    }
}

std::vector<Mat3> SpringMatrix::diagonals() const {
    std::vector<Mat3> sum(size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = values_[rows_[i].begin + rows_[i].diagonal];
    for (const auto& [contact, block] : contacts_)
        for (std::size_t k = 0; k < contact->count; ++k)
            if (!fixed_[contact->points[k]])
                sum[contact->points[k]] += contact->weights[k] * contact->weights[k] * block;
    return sum;
}

} // namespace fathom
