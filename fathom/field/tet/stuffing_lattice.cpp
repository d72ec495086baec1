// The body-centred cubic lattice of isosurface stuffing.
#include <fathom/field/tet/stuffing_lattice.h>

#include <fathom/base/error.h>
#include <fathom/base/parallel.h>
#include <fathom/base/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace fathom {

namespace {

constexpr int block_units = 2 * StuffingLattice::block_cells;
constexpr auto block_size = static_cast<std::size_t>(StuffingLattice::block_points);
constexpr std::size_t max_blocks = std::size_t{1} << 27;

LatticePoint plus(const LatticePoint& p, const LatticePoint& step, int times = 1) {
    return {p[0] + times * step[0], p[1] + times * step[1], p[2] + times * step[2]};
}

// Directions 0 to 6 are owned edges, 7 to 13 their opposites.
LatticePoint neighbour(const LatticePoint& p, std::size_t direction) {
    return direction < 7 ? plus(p, owned_edges[direction]) : plus(p, owned_edges[direction - 7], -1);
}

// In cells.
constexpr double long_length = 1;
constexpr double short_length = 0.8660254037844386;

bool is_long(std::size_t edge) { return edge % 7 < 3; }

Side side_of_value(double value) { return value < 0 ? Side::inside : value > 0 ? Side::outside : Side::surface; }

// Root search for one cut: inverse quadratic interpolation if the bracket is smooth enough, else bisection
// (Chandrupatla 1997). Positions are shares of the edge.
class RootSearch {
public:
    RootSearch(double at_start, double at_end) : b_(1), fa_(at_start), fb_(at_end) {}

    [[nodiscard]] double next() const { return a_ + step_ * (b_ - a_); }
    [[nodiscard]] double root() const { return std::abs(fb_) < std::abs(fa_) ? b_ : a_; }

    // Adds the value at next(); returns false once the root is accurate enough.
    bool add_value(double value) {
        const double x = next();
        if ((value < 0) == (fa_ < 0)) {
            c_ = a_;
            fc_ = fa_;
        } else {
            c_ = std::exchange(b_, a_);
            fc_ = std::exchange(fb_, fa_);
        }
        a_ = x;
        fa_ = value;
        const double least = tolerance / std::abs(b_ - a_);
        if (fa_ == 0 || fb_ == 0 || !(least < 0.5) || ++count_ > 100) return false;
        step_ = std::clamp(proposed(), least, 1 - least);
        return true;
    }

private:
    static constexpr double tolerance = 1e-9;

    [[nodiscard]] double proposed() const {
        const double xi = (a_ - b_) / (c_ - b_), phi = (fa_ - fb_) / (fc_ - fb_);
        if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return 0.5;
        const double t =
            fa_ / (fb_ - fa_) * fc_ / (fb_ - fc_) + (c_ - a_) / (b_ - a_) * fa_ / (fc_ - fa_) * fb_ / (fc_ - fb_);
        return std::isfinite(t) ? t : 0.5;
    }

    double a_ = 0, b_, c_ = 0, fa_, fb_, fc_ = 0, step_ = 0.5;
    int count_ = 0;
};

} // namespace

StuffingLattice::StuffingLattice(const Field& field, const Box& bounds, double cell, std::size_t limit,
                                 Progress* progress)
    : cell_(cell) {
    double count = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        const double cells = std::ceil(bounds.size()[static_cast<int>(k)] / cell) + 4;
        count *= std::ceil(cells / block_cells);
        if (!(count <= static_cast<double>(max_blocks)))
            throw Error(
                Cause::too_large,
                fmt::format("cells of {:.3g} m are too small for bounds {:.3g} m long", cell, bounds.size().maxCoeff()),
                {.element = "option cell"});
        size_[k] = static_cast<int>(std::ceil(cells / block_cells));
    }
    origin_ = bounds.center() - 0.5 * block_cells * cell * Vec3(size_[0], size_[1], size_[2]);
    classify(field, limit);
    sample(field, progress);
    refuse_border();
    find_cuts();
    place_cuts(field, progress);
    move_points();
}

Box StuffingLattice::box() const {
    return {origin_, origin_ + block_cells * cell_ * Vec3(size_[0], size_[1], size_[2])};
}

std::size_t StuffingLattice::block_index(const LatticePoint& block) const {
    const auto at = [&](std::size_t k) { return static_cast<std::size_t>(block[k]); };
    return at(0) + static_cast<std::size_t>(size_[0]) * (at(1) + static_cast<std::size_t>(size_[1]) * at(2));
}

LatticePoint StuffingLattice::point_at(const Block& block, std::size_t place) const {
    const int n = static_cast<int>(place), odd = n >> 9;
    return plus(block.first, {2 * (n & 7) + odd, 2 * (n >> 3 & 7) + odd, 2 * (n >> 6 & 7) + odd});
}

LatticePoint StuffingLattice::point_of_sample(Index sample) const {
    return point_at(blocks_[sampled_[sample / block_size]], sample % block_size);
}

Index StuffingLattice::point_id(const LatticePoint& p) const {
    for (std::size_t k = 0; k < 3; ++k)
        if (p[k] < 0 || p[k] >= block_units * size_[k]) return no_index;
    const Index block = active_[block_index({p[0] / block_units, p[1] / block_units, p[2] / block_units})];
    if (block == no_index) return no_index;
    const auto place = [&](std::size_t k) { return static_cast<Index>(p[k] % block_units / 2); };
    return block * static_cast<Index>(block_size) + (static_cast<Index>(p[0] & 1) << 9) + place(0) + (place(1) << 3) +
           (place(2) << 6);
}

Index StuffingLattice::sample_of(const LatticePoint& p) const {
    const Index id = point_id(p);
    if (id == no_index) return no_index;
    const Index samples = blocks_[id / block_size].samples;
    return samples == no_index ? no_index
                               : samples * static_cast<Index>(block_size) + id % static_cast<Index>(block_size);
}

Side StuffingLattice::side(Index id) const {
    if (id == no_index) return Side::outside;
    const Index samples = blocks_[id / block_size].samples;
    return samples == no_index ? Side::inside : sides_[samples * block_size + id % block_size];
}

// A block's box is grown by a cell, so that no edge of a point in a block without samples can be cut.
void StuffingLattice::classify(const Field& field, std::size_t limit) {
    const auto box_of = [&](const LatticePoint& first, int blocks) {
        const LatticePoint last = plus(first, {1, 1, 1}, blocks);
        return Box{position(plus({0, 0, 0}, first, block_units)), position(plus({0, 0, 0}, last, block_units))}.grown(
            1.001 * cell_);
    };
    constexpr int coarse = 8;
    std::array<int, 3> groups{};
    for (std::size_t k = 0; k < 3; ++k) groups[k] = (size_[k] + coarse - 1) / coarse;
    const auto group_count =
        static_cast<std::size_t>(groups[0]) * static_cast<std::size_t>(groups[1]) * static_cast<std::size_t>(groups[2]);
    enum class Kind : std::uint8_t { outside, inside, mixed };
    const auto kind_of = [](const Interval& range) {
        return range.lower > 0 ? Kind::outside : range.upper < 0 ? Kind::inside : Kind::mixed;
    };
    std::vector<Kind> kinds(static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                            static_cast<std::size_t>(size_[2]));
    parallel_tasks(group_count, [&](std::size_t g) {
        const int n = static_cast<int>(g);
        const LatticePoint first = {coarse * (n % groups[0]), coarse * (n / groups[0] % groups[1]),
                                    coarse * (n / groups[0] / groups[1])};
        const Kind whole = kind_of(field.range(box_of(first, coarse)));
        for (int z = first[2]; z < std::min(first[2] + coarse, size_[2]); ++z)
            for (int y = first[1]; y < std::min(first[1] + coarse, size_[1]); ++y)
                for (int x = first[0]; x < std::min(first[0] + coarse, size_[0]); ++x)
                    kinds[block_index({x, y, z})] =
                        whole != Kind::mixed ? whole : kind_of(field.range(box_of({x, y, z}, 1)));
    });
    const auto count = [&](Kind kind) {
        return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    };
    // A sampled block takes as much memory as a thousand tetrahedra, and mostly contains more.
    const std::size_t expected = 6 * block_size * count(Kind::inside) + 1000 * count(Kind::mixed);
    if (expected > limit || count(Kind::inside) + count(Kind::mixed) > no_index / (4 * block_size))
        throw Error(
            Cause::too_large,
            fmt::format("cells of {:.3g} m give at least {} tetrahedra; the limit is {}", cell_, expected, limit),
            {.element = "option cell"});
    active_.assign(kinds.size(), no_index);
    for (std::size_t n = 0; n < kinds.size(); ++n) {
        if (kinds[n] == Kind::outside) continue;
        active_[n] = static_cast<Index>(blocks_.size());
        const auto nx = static_cast<std::size_t>(size_[0]), ny = static_cast<std::size_t>(size_[1]);
        Block block{{block_units * static_cast<int>(n % nx), block_units * static_cast<int>(n / nx % ny),
                     block_units * static_cast<int>(n / nx / ny)}};
        if (kinds[n] == Kind::mixed) {
            block.samples = static_cast<Index>(sampled_.size());
            sampled_.push_back(static_cast<Index>(blocks_.size()));
        }
        blocks_.push_back(block);
    }
}

void StuffingLattice::sample(const Field& field, Progress* progress) {
    values_.resize(sampled_.size() * block_size);
    sides_.resize(values_.size());
    Stage stage(progress, "sampling the lattice", sampled_.size());
    parallel_tasks(sampled_.size(), [&](std::size_t n) {
        std::vector<Vec3> points(block_size);
        for (std::size_t k = 0; k < block_size; ++k) points[k] = position(point_at(blocks_[sampled_[n]], k));
        const std::span<double> out = std::span(values_).subspan(n * block_size, block_size);
        field.distances(points, out);
        for (std::size_t k = 0; k < block_size; ++k) {
            if (std::isnan(out[k]))
                throw Error(Cause::non_finite, fmt::format("the field is NaN at ({:.6g}, {:.6g}, {:.6g})",
                                                           points[k].x(), points[k].y(), points[k].z()));
            sides_[n * block_size + k] = side_of_value(out[k]);
        }
        stage.step();
    });
}

// With a margin of two cells round the bounds, no inside point has a neighbour beyond the lattice.
void StuffingLattice::refuse_border() const {
    for (const auto& block : blocks_) {
        bool border = false;
        for (std::size_t k = 0; k < 3; ++k)
            border |= block.first[k] == 0 || block.first[k] == block_units * (size_[k] - 1);
        if (!border) continue;
        for (std::size_t place = 0; place < block_size; ++place) {
            const LatticePoint p = point_at(block, place);
            bool outermost = false;
            for (std::size_t k = 0; k < 3; ++k) outermost |= p[k] < 2 || p[k] >= block_units * size_[k] - 2;
            if (outermost && side(point_id(p)) != Side::outside)
                throw Error(Cause::invalid_argument, "the inside extends past the field's bounds; a box is required",
                            {.element = "option box"});
        }
    }
}

void StuffingLattice::find_cuts() {
    cut_mask_.assign(values_.size(), 0);
    parallel_for(values_.size(), block_size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            if (sides_[s] == Side::surface) continue;
            const LatticePoint p = point_of_sample(static_cast<Index>(s));
            for (std::size_t d = 0; d < 7; ++d) {
                const Index other = sample_of(neighbour(p, d));
                if (other != no_index && sides_[other] != Side::surface && sides_[other] != sides_[s])
                    cut_mask_[s] |= static_cast<std::uint8_t>(1U << d);
            }
        }
    });
    first_cut_.resize(values_.size());
    for (std::size_t s = 0; s < values_.size(); ++s) {
        first_cut_[s] = static_cast<Index>(cuts_.size());
        for (std::uint8_t d = 0; d < 7; ++d)
            if (cut_mask_[s] >> d & 1) cuts_.push_back({static_cast<Index>(s), d, 0});
    }
    if (id_count() >= no_index) throw Error(Cause::too_large, "more than 4 billion points", {.element = "option cell"});
}

void StuffingLattice::place_cuts(const Field& field, Progress* progress) {
    constexpr std::size_t chunk = 256;
    Stage stage(progress, "finding the surface", cuts_.size() / chunk + 1);
    parallel_for(cuts_.size(), chunk, [&](std::size_t begin, std::size_t end) {
        place(field, std::span(cuts_).subspan(begin, end - begin));
        stage.step();
    });
}

// All searches advance together, so that the field is evaluated at many points at once.
void StuffingLattice::place(const Field& field, std::span<Cut> cuts) const {
    std::vector<RootSearch> searches;
    std::vector<Vec3> starts, ends;
    std::vector<std::size_t> open;
    for (const Cut& cut : cuts) {
        const LatticePoint p = point_of_sample(cut.owner), q = plus(p, owned_edges[cut.edge]);
        open.push_back(searches.size());
        searches.emplace_back(values_[cut.owner], values_[sample_of(q)]);
        starts.push_back(position(p));
        ends.push_back(position(q));
    }
    std::vector<Vec3> points;
    std::vector<double> values;
    while (!open.empty()) {
        points.clear();
        for (const std::size_t n : open)
            points.push_back((1 - searches[n].next()) * starts[n] + searches[n].next() * ends[n]);
        values.resize(points.size());
        field.distances(points, values);
        std::size_t left = 0;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (std::isnan(values[k])) throw Error(Cause::non_finite, "the field is NaN near its surface");
            if (searches[open[k]].add_value(values[k])) open[left++] = open[k];
        }
        open.resize(left);
    }
    for (std::size_t n = 0; n < cuts.size(); ++n) cuts[n].share = searches[n].root();
}

Index StuffingLattice::cut_of(Index sample, const LatticePoint& p, std::size_t direction) const {
    const std::size_t edge = direction % 7;
    const Index owner = direction < 7 ? sample : sample_of(neighbour(p, direction));
    if (owner == no_index || !(cut_mask_[owner] >> edge & 1)) return no_index;
    return first_cut_[owner] + static_cast<Index>(std::popcount(cut_mask_[owner] & ((1U << edge) - 1)));
}

// The nearest cut that is too close, or no_index. All points decide by the same cuts, so their order does not matter.
Index StuffingLattice::nearest_cut(Index sample) const {
    const LatticePoint p = point_of_sample(sample);
    Index nearest = no_index;
    double least = HUGE_VAL;
    for (std::size_t d = 0; d < 14; ++d) {
        const Index cut = cut_of(sample, p, d);
        if (cut == no_index) continue;
        const double share = d < 7 ? cuts_[cut].share : 1 - cuts_[cut].share;
        const double length = share * (is_long(d) ? long_length : short_length);
        if (share >= (is_long(d) ? long_reach : short_reach) || length >= least) continue;
        nearest = cut;
        least = length;
    }
    return nearest;
}

void StuffingLattice::move_points() {
    moved_to_.assign(values_.size(), no_index);
    parallel_for(values_.size(), block_size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s)
            if (sides_[s] != Side::surface) moved_to_[s] = nearest_cut(static_cast<Index>(s));
    });
    for (std::size_t s = 0; s < values_.size(); ++s)
        if (moved_to_[s] != no_index) sides_[s] = Side::surface;
}

Index StuffingLattice::cut_id(Index from, const LatticePoint& a, Index to, const LatticePoint& b) const {
    const LatticePoint step = plus(b, a, -1);
    const auto found = std::find(owned_edges.begin(), owned_edges.end(), step);
    const bool owned = found != owned_edges.end();
    const auto edge = static_cast<std::size_t>(
        (owned ? found : std::find(owned_edges.begin(), owned_edges.end(), plus({0, 0, 0}, step, -1))) -
        owned_edges.begin());
    const Index id = owned ? from : to;
    const Index samples = id == no_index ? no_index : blocks_[id / block_size].samples;
    const Index cut =
        samples == no_index
            ? no_index
            : cut_of(samples * static_cast<Index>(block_size) + id % static_cast<Index>(block_size), a, edge);
    if (cut == no_index)
        throw Error(Cause::invalid_argument,
                    "the field's range() does not contain its values: the sign changes in a block of one sign");
    return static_cast<Index>(blocks_.size() * block_size) + cut;
}

Vec3 StuffingLattice::cut_position(const Cut& cut) const {
    const LatticePoint p = point_of_sample(cut.owner);
    return (1 - cut.share) * position(p) + cut.share * position(plus(p, owned_edges[cut.edge]));
}

Vec3 StuffingLattice::position_of(Index id) const {
    const std::size_t points = blocks_.size() * block_size;
    if (id >= points) return cut_position(cuts_[id - points]);
    const Block& block = blocks_[id / block_size];
    const Index target = block.samples == no_index ? no_index : moved_to_[block.samples * block_size + id % block_size];
    return target == no_index ? position(point_at(block, id % block_size)) : cut_position(cuts_[target]);
}

std::size_t StuffingLattice::hidden_edges(const Field& field) const {
    constexpr std::size_t inner = 3;
    const double slope = field.lipschitz();
    return parallel_reduce(
        values_.size(), block_size, std::size_t{0},
        [&](std::size_t begin, std::size_t end) {
            std::vector<Vec3> points;
            std::vector<std::array<Index, 2>> edges;
            for (std::size_t s = begin; s < end; ++s) {
                const LatticePoint p = point_of_sample(static_cast<Index>(s));
                for (std::size_t d = 0; d < 7; ++d) {
                    const Index other = sample_of(neighbour(p, d));
                    if (other == no_index || values_[s] == 0 || values_[other] == 0) continue;
                    const double length = cell_ * (is_long(d) ? long_length : short_length);
                    const bool apart = (values_[s] < 0) != (values_[other] < 0);
                    if (!apart && std::abs(values_[s]) + std::abs(values_[other]) > slope * length) continue;
                    const Vec3 from = position(p), to = position(neighbour(p, d));
                    for (std::size_t k = 1; k <= inner; ++k)
                        points.push_back(from + static_cast<double>(k) / (inner + 1) * (to - from));
                    edges.push_back({static_cast<Index>(s), other});
                }
            }
            std::vector<double> values(points.size());
            field.distances(points, values);
            std::size_t count = 0;
            for (std::size_t e = 0; e < edges.size(); ++e) {
                double before = values_[edges[e][0]];
                int changes = 0;
                for (const double value :
                     {values[inner * e], values[inner * e + 1], values[inner * e + 2], values_[edges[e][1]]})
                    changes += (std::exchange(before, value) < 0) != (value < 0);
                count += changes > 1;
            }
            return count;
        },
        [](std::size_t a, std::size_t b) { return a + b; });
}

StuffingLattice::Volume StuffingLattice::volume_of(const Field& field) const {
    constexpr int side = 3;
    const double part = cell_ / side, doubt = field.lipschitz() * part * std::sqrt(3.0);
    struct Count {
        std::size_t whole = 0, samples = 0, doubtful = 0;
    };
    const Count count = parallel_reduce(
        blocks_.size(), 1, Count{},
        [&](std::size_t begin, std::size_t) {
            const Block& block = blocks_[begin];
            Count sum;
            if (block.samples == no_index) return Count{block_size / 2, 0, 0};
            Random random(0x5747u, begin);
            std::vector<Vec3> points;
            for (std::size_t place = 0; place < block_size / 2; ++place) {
                const Vec3 corner = position(point_at(block, place));
                const Interval range = field.range({corner, corner + Vec3::Constant(cell_)});
                if (range.lower > 0) continue;
                if (range.upper < 0) {
                    ++sum.whole;
                    continue;
                }
                for (int n = 0; n < side * side * side; ++n) {
                    const int x = n % side, y = n / side % side, z = n / side / side;
                    points.push_back(
                        corner + part * (Vec3(x, y, z) + Vec3(random.uniform(), random.uniform(), random.uniform())));
                }
            }
            std::vector<double> values(points.size());
            field.distances(points, values);
            for (const double value : values) {
                sum.samples += value < 0;
                sum.doubtful += !(std::abs(value) > doubt);
            }
            return sum;
        },
        [](const Count& a, const Count& b) {
            return Count{a.whole + b.whole, a.samples + b.samples, a.doubtful + b.doubtful};
        });
    const double piece = part * part * part;
    return {static_cast<double>(count.whole) * cell_ * cell_ * cell_ + static_cast<double>(count.samples) * piece,
            0.5 * std::sqrt(static_cast<double>(count.doubtful)) * piece};
}

} // namespace fathom
