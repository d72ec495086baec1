// Room: simulate. Pattern, assembly and products of the matrix of a network.
#include <fathom/simulate/spring_matrix.h>

#include <fathom/base/parallel.h>
#include <fathom/simulate/spring_elements.h>

#include <algorithm>

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

// Sorts each row and drops what is twice.
void tidy(std::vector<std::size_t>& rows, std::vector<Index>& columns) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(rows[i]), end = columns.begin() + static_cast<std::ptrdiff_t>(rows[i + 1]);
        std::sort(begin, end);
        const auto last = std::unique(begin, end);
        rows[i] = kept;
        kept = static_cast<std::size_t>(std::copy(begin, last, columns.begin() + static_cast<std::ptrdiff_t>(kept)) - columns.begin());
    }
    rows.back() = kept;
    columns.resize(kept);
}

std::size_t slot(const std::vector<std::size_t>& rows, const std::vector<Index>& columns, Index row, Index column) {
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(rows[row]), end = columns.begin() + static_cast<std::ptrdiff_t>(rows[row + 1]);
    return static_cast<std::size_t>(std::lower_bound(begin, end, column) - columns.begin());
}

template <class Element>
std::vector<std::size_t> slots_of(const std::vector<Element>& elements, const std::vector<std::size_t>& rows, const std::vector<Index>& columns) {
    std::vector<std::size_t> slots;
    slots.reserve(elements.size() * Element{}.points.size() * Element{}.points.size());
    for (const Element& element : elements)
        for (const Index p : element.points)
            for (const Index q : element.points) slots.push_back(slot(rows, columns, p, q));
    return slots;
}

// What a spring adds between its ends: across * 1 + along * direction * direction^T.
struct SpringSlope {
    Vec3 direction;
    double across, along;
};

SpringSlope spring_slope(const Spring& spring, const Vec3& d, const MatrixFactors& factors) {
    const double length = d.norm();
    if (!(length > least_size)) return {Vec3::Zero(), 0, 0};
    const double share = length > spring.rest ? 1 - spring.rest / length : 0; // pressed springs would give less than nothing
    const double stiffness = factors.stiffness * spring.stiffness;
    return {d / length, share * stiffness, (1 - share) * stiffness + factors.damping * spring.damping};
}

// What a triangle adds between corners i and j: curve * slope_i * slope_j^T + side_i . side_j * outward * normal * normal^T.
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
            if (block.has(term.points[i])) out[term.points[i]] += c.curve * change * c.slope.by[i] + c.outward * c.side[i].dot(tilt) * c.slope.normal;
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

void spring_product(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions, const MatrixFactors& factors,
                    std::span<const Vec3> in, std::span<Vec3> out) {
    parallel_tasks(blocks.size(), [&](std::size_t b) {
        ProductSum sum{network, positions, in, factors, block_range(blocks, b), out};
        std::fill(out.begin() + sum.block.begin, out.begin() + sum.block.end, Vec3::Zero());
        sum.springs(blocks.springs[b]);
        sum.areas(blocks.areas[b]);
        sum.volumes(blocks.volumes[b]);
    });
}

SpringMatrix::SpringMatrix(const SpringNetwork& network, const SpringBlocks& blocks) : fixed_(network.fixed), block_first_(blocks.first) {
    const std::size_t n = network.size();
    rows_.assign(n + 1, 1); // the diagonal is always there
    rows_[0] = 0;
    count_pairs(network.springs, rows_);
    count_pairs(network.areas, rows_);
    count_pairs(network.volumes, rows_);
    for (std::size_t i = 0; i < n; ++i) rows_[i + 1] += rows_[i];
    columns_.resize(rows_.back());
    std::vector<std::size_t> next(rows_.begin(), rows_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) columns_[next[i]++] = static_cast<Index>(i);
    list_pairs(network.springs, next, columns_);
    list_pairs(network.areas, next, columns_);
    list_pairs(network.volumes, next, columns_);
    tidy(rows_, columns_);
    diagonal_.resize(n);
    for (std::size_t i = 0; i < n; ++i) diagonal_[i] = slot(rows_, columns_, static_cast<Index>(i), static_cast<Index>(i));
    spring_slots_ = slots_of(network.springs, rows_, columns_);
    area_slots_ = slots_of(network.areas, rows_, columns_);
    volume_slots_ = slots_of(network.volumes, rows_, columns_);
    values_.resize(columns_.size());
}

// Adds one block of rows.
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
    void couple(const std::array<Index, N>& points, const std::size_t* slots, const Pair& pair);
};

void SpringMatrix::Assembly::masses() {
    std::fill(matrix.values_.begin() + static_cast<std::ptrdiff_t>(matrix.rows_[block.begin]),
              matrix.values_.begin() + static_cast<std::ptrdiff_t>(matrix.rows_[block.end]), Mat3::Zero());
    for (Index i = block.begin; i < block.end; ++i) {
        matrix.values_[matrix.diagonal_[i]].diagonal().setConstant(network.masses[i] * (factors.mass + factors.damping * factors.air_friction));
    }
}

void SpringMatrix::Assembly::springs(std::span<const Index> chosen) {
    for (const Index s : chosen) {
        const auto [a, b] = network.springs[s].points;
        const SpringSlope slope = spring_slope(network.springs[s], x[b] - x[a], factors);
        const Mat3 both = slope.across * Mat3::Identity() + slope.along * slope.direction * slope.direction.transpose();
        const std::size_t* slots = &matrix.spring_slots_[4 * std::size_t{s}];
        if (block.has(a)) matrix.values_[slots[0]] += both, matrix.values_[slots[1]] -= both;
        if (block.has(b)) matrix.values_[slots[3]] += both, matrix.values_[slots[2]] -= both;
    }
}

// pair(i, j) -> the stiffness between two points of an element.
template <std::size_t N, class Pair>
void SpringMatrix::Assembly::couple(const std::array<Index, N>& points, const std::size_t* slots, const Pair& pair) {
    for (std::size_t i = 0; i < N; ++i) {
        if (!block.has(points[i])) continue;
        for (std::size_t j = 0; j < N; ++j) matrix.values_[slots[N * i + j]] += pair(i, j);
    }
}

void SpringMatrix::Assembly::areas(std::span<const Index> chosen) {
    for (const Index t : chosen) {
        const AreaCurve curve = area_curve(network.areas[t], gathered(network.areas[t].points, x), factors);
        const Mat3 outward = curve.outward * curve.slope.normal * curve.slope.normal.transpose();
        couple(network.areas[t].points, &matrix.area_slots_[9 * std::size_t{t}], [&](std::size_t i, std::size_t j) -> Mat3 {
            return curve.curve * curve.slope.by[i] * curve.slope.by[j].transpose() + curve.side[i].dot(curve.side[j]) * outward;
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

// Fixed points stay out of the system: nothing answers for them, nothing is felt from them.
void SpringMatrix::Assembly::release_fixed() {
    for (Index i = block.begin; i < block.end; ++i)
        for (std::size_t k = matrix.rows_[i]; k < matrix.rows_[i + 1]; ++k) {
            const Index j = matrix.columns_[k];
            if (!matrix.fixed_[i] && !matrix.fixed_[j]) continue;
            matrix.values_[k] = i == j ? Mat3(Mat3::Identity()) : Mat3(Mat3::Zero());
        }
}

void SpringMatrix::assemble(const SpringNetwork& network, const SpringBlocks& blocks, std::span<const Vec3> positions, const MatrixFactors& factors) {
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
            for (std::size_t k = rows_[i]; k < rows_[i + 1]; ++k) sum += values_[k] * in[columns_[k]];
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
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = values_[diagonal_[i]];
    for (const auto& [contact, block] : contacts_)
        for (std::size_t k = 0; k < contact->count; ++k)
            if (!fixed_[contact->points[k]]) sum[contact->points[k]] += contact->weights[k] * contact->weights[k] * block;
    return sum;
}

} // namespace fathom
